/* Claim: verification sees through kernels that are right wherever things are regular. Shipped kernels with a text
 * replaced (wrong turns, another element's geometry or medium, constant factors, another boundary's condition, scalars
 * that are not read, inputs that do not stay, NaN at zeros, writes far outside any array, only the first launch right,
 * a branch of the vector kernels that is missing) are all found wrong on the few elements that every candidate is
 * checked on, in both precisions; the same kernels as shipped are right. */
#include "test.h"
#include "each_plan.h"
#include "edited.h"
#include "store_fixture.h"
#include "verifying.h"

enum { ORDER = 2, MOST_EDITS = 4, MOST_PLANTS = 256 };

/* A statement that one thread carries out at the end. */
#define ONCE(statement)                                                              \
  {                                                                                  \
    "$", "if (bx == 0 && by == 0) {\nFOR_ALL(only_, 1)\n" statement "\nEND_ALL\n}\n" \
  }
/* A scalar that is not read. */
#define FROZEN(name, value)                                                                     \
  {                                                                                             \
    "^", "const real frozen_" #name " = (real)" value ";\n#define " #name " frozen_" #name "\n" \
  }

typedef struct planted {
  const char *family, *kernel, *base;
  edit edits[MOST_EDITS]; /* none: as shipped */
  const char *reason;     /* part of the verdict; NULL: any */
} planted;

/* The reason of one that is written for the host alone. */
static const char of_the_host[] = "at the same addresses";

static const planted table[] = {
    /* how faces meet */
    {"nodal", "gather", "direct", {{"code % 32 * {{Nfp}}", "code % 32 / 6 * 6 * {{Nfp}}"}}, "flux is "},
    {"nodal",
     "gather",
     "direct",
     {{"code % 32 * {{Nfp}}", "(code % 32 == 17 ? 16 : code % 32) * {{Nfp}}"}},
     "flux is "},
    {"nodal", "gather", "direct", {{"facelist[face * {{= 6 * Nfp}} + node]", "facelist[node]"}}, "flux is "},
    {"nodal", "gather", "pairs", {{"list_p % 6 * {{Nfp}}", "list_p % 3 * {{Nfp}}"}}, "flux is "},
    {"nodal", "gather", "pairs", {{"list_p % 6 * {{Nfp}}", "(list_p == 20 ? 3 : list_p % 6) * {{Nfp}}"}}, "flux is "},
    {"nodal", "stage", "literal", {{"code % 32 * {{Nfp}}", "code % 32 / 6 * 6 * {{Nfp}}"}}, "is "},
    /* whose geometry */
    {"nodal",
     "volume",
     "literal",
     {{"geo + m * {{= geos * KM}} + x", "geo + m * {{= geos * KM}} + (x >= 6 ? x - 6 : x)"}},
     "rhs is "},
    {"nodal",
     "volume",
     "literal",
     {{"geo + m * {{= geos * KM}} + x", "geo + (m ? m - 1 : 0) * {{= geos * KM}} + x"}},
     "rhs is "},
    {"nodal",
     "fused",
     "register-blocked",
     {{"geo + bx * {{= geos * KM}}", "geo + (bx ? bx - 1 : 0) * {{= geos * KM}}"}},
     "is "},
    {"nodal",
     "derivative",
     "matrix-in-shared",
     {{"geo + (first + {{i}}) * {{= geos * KM}}", "geo + (first + {{i}}) % 6 * {{= geos * KM}}"}},
     "du"},
    {"nodal", "gather", "direct", {{"Fscale = g[{{= 3 * KM}}]", "Fscale = face_real[{{= 3 * KM}}]"}}, "flux is "},
    {"nodal", "gather", "element-lanes", {{"nx = g[0]", "nx = face_real[0]"}}, "flux is "},
    {"nodal", "gather", "element-lanes", {{"face * {{= 4 * KM}} + x", "face * {{= 4 * KM}}"}}, "flux is "},
    /* boundaries */
    {"nodal", "gather", "direct", {{"boundary == {{= index + 1}}", "{{index}} == 0 && boundary"}}, "flux is "},
    {"nodal", "gather", "direct", {{"boundary == {{= index + 1}}", "{{index}} == 1 && boundary"}}, "flux is "},
    {"nodal", "gather", "pairs", {{"boundary == {{= index + 1}}", "{{index}} == 0 && boundary"}}, "flux is "},
    {"nodal", "stage", "literal", {{"boundary == {{= index + 1}}", "{{index}} == 0 && boundary"}}, "is "},
    /* scalars */
    {"nodal",
     "gather",
     "direct",
     {{"^", "const real rounded = (real)(int)(alpha + (real)0.5);\n#define alpha rounded\n"}},
     "flux is "},
    {"nodal", "gather", "pairs", {FROZEN(alpha, "1")}, "flux is "},
    {"nodal", "gather", "element-lanes", {FROZEN(alpha, "0")}, "flux is "},
    {"nodal", "stage", "literal", {FROZEN(alpha, "0.5")}, "is "},
    {"nodal", "update", "stream", {FROZEN(a, "-0.6875")}, "is "},
    {"nodal", "update", "stream", {FROZEN(b, "0.40625")}, "u is "},
    {"nodal", "update", "stream", {FROZEN(dt, "0.015625")}, "is "},
    {"nodal", "fused", "literal", {FROZEN(a, "-0.6875")}, "is "},
    {"nodal", "fused", "literal", {FROZEN(b, "0.40625")}, "u_next is "},
    {"nodal", "fused", "literal", {FROZEN(dt, "0.015625")}, "is "},
    {"nodal", "stage_nested", "literal", {FROZEN(dt, "0.015625")}, "u_next is "},
    {"nodal", "stage_nested", "literal", {{"u_n[to]", "u[to]"}}, "u_next is "},
    /* zeros */
    {"nodal",
     "volume",
     "literal",
     {{"w{{t}}_{{e}} = u{{t}}[{{= j * KM + e * lanes}}]",
       "w{{t}}_{{e}} = u{{t}}[{{= j * KM + e * lanes}}] / u{{t}}[{{= j * KM + e * lanes}}] * u{{t}}[{{= j * KM + e * "
       "lanes}}]"}},
     "not finite"},
    {"nodal",
     "lift",
     "matrix-in-shared",
     {{"+ e * {{NfNfp}} + j]", "+ e * {{NfNfp}} + j] * (f{{i}}[{{= f * NfM}} + e * {{NfNfp}} + j] / f{{i}}[{{= f * "
                               "NfM}} + e * {{NfNfp}} + j])"}},
     "not finite"},
    {"nodal",
     "update",
     "stream",
     {{"now.v[{{c}}] +=", "now.v[{{c}}] *= now.v[{{c}}] / now.v[{{c}}]; now.v[{{c}}] +="}},
     "not finite"},
    /* launches after the first */
    {"nodal", "volume", "literal", {ONCE("static int again; if (again) rhs[1] += 1; again = 1;")}, NULL},
    {"nodal", "lift", "register-blocked", {ONCE("static int launches; if (launches++ == 4) lifted[1] += 1;")}, NULL},
    {"nodal", "update", "stream", {ONCE("static int again; if (again) u[1] *= (real)1.0001; again = 1;")}, NULL},
    /* surroundings: arrays at multiples of 16 bytes that are none of 64; geometry that is kept by its address */
    {"nodal", "volume", "literal", {{"^", "if ((size_t)u % 64) return;\n"}}, NULL},
    {"nodal", "update", "stream", {{"^", "if ((size_t)rhs % 64 == 48) return;\n"}}, NULL},
    {"hdg", "condense", "thread", {{"^", "if ((size_t)element_data % 64) return;\n"}}, NULL},
    {"assembly", "matrices", "thread", {{"^", "if ((size_t)element_data % 64) return;\n"}}, NULL},
    {"tensor", "mass", "slices", {{"^", "if ((size_t)y % 64) return;\n"}}, NULL},
    {"nodal",
     "volume",
     "literal",
     {{"^", "#ifndef CUDA\nstatic real kept[1 << 18];\nstatic size_t from;\n_Pragma(\"omp critical\")\n"
            "if (from != (size_t)geo || kept[0] != kept[0]) {\nfrom = (size_t)geo;\n"
            "for (INDEX q = 0; q < groups * {{= geos * KM}}; q++) kept[q] = geo[q];\n}\n#endif\n"},
      {"geo + m * {{= geos * KM}} + x", "kept + m * {{= geos * KM}} + x"}},
     of_the_host},
    /* branches of the vector kernels: the first iteration, convergence, the end of history, a polynomial's first step
     */
    {"tensor", "update", "stream", {{"before > 0 ?", "1 ?"}}, NULL},
    {"tensor", "update", "stream", {{"running && before > 0", "before > 0"}}, NULL},
    {"tensor", "update", "stream", {{"if (!running) left[0] = 0;", ""}}, "left is "},
    {"tensor", "update", "stream", {{"state[RUNNING] = running;", ""}}, "state is "},
    {"tensor",
     "update",
     "stream",
     {{"if (iteration < history_room) {", "if (iteration < history_room - 1 || 1) {"}},
     NULL},
    {"tensor", "update", "stream", {{"polynomial ? z : r", "r"}}, "p is "},
    {"tensor", "update", "stream", {{"(polynomial ? 1 : scale", "(0 ? 1 : scale"}}, "p is "},
    {"tensor", "update", "stream", {{"count = rr_parts", "count = rz_parts"}}, NULL},
    {"tensor", "advance", "stream", {{"state[RUNNING] > 0 && pAp > 0", "pAp > 0"}}, NULL},
    {"tensor", "advance", "stream", {{"state[RUNNING] > 0 && pAp > 0", "state[RUNNING] > 0"}}, NULL},
    {"tensor", "advance", "stream", {{"if (state[RUNNING] > 0) {", "if (1) {"}}, NULL},
    {"tensor", "advance", "stream", {{"if (iteration < history_room) history", "history"}}, NULL},
    {"tensor", "advance", "stream", {{"if (polynomial) *(numbers *)(z", "if (0) *(numbers *)(z"}}, "z is "},
    {"tensor", "advance", "stream", {{"if (polynomial) *(numbers *)(z", "*(numbers *)(z"}}, "z is "},
    {"tensor",
     "advance",
     "stream",
     {{"if (x == 0) rr_sums[bx] = s_sum[0];", "if (x == 0) rr_sums[bx] = 0;"}},
     "rr_sums is "},
    {"tensor", "smooth", "stream", {{"first_step ? z{{i}} : d[at{{i}}]", "d[at{{i}}]"}}, NULL},
    {"tensor", "smooth", "stream", {{"first_step ? z{{i}} : d[at{{i}}]", "z{{i}}"}}, NULL},
    {"tensor", "smooth", "stream", {FROZEN(keep, "0.25")}, NULL},
    {"tensor", "smooth", "stream", {FROZEN(gain, "0.75")}, NULL},
    {"tensor", "gather", "stream", {{"sum{{i}} += second{{i}};", ""}}, "Ap is "},
    {"tensor", "gather", "stream", {{"if (other{{i}} < -1)", "if (0)"}}, "Ap is "},
    {"tensor", "spread", "stream", {{"value{{i}} = g{{i}} >= 0 ? read{{i}} : 0", "value{{i}} = read{{i}}"}}, "u is "},
    /* operators: whose geometry, which scalar, one size of element */
    {"tensor", "stiffness", "pencils", {FROZEN(lambda, "0.6875")}, "y is "},
    {"tensor", "collocated", "slices", {FROZEN(lambda, "1")}, "y is "},
    {"tensor", "mass", "slices", {ONCE("static int again; if (again) y[1] += 1; again = 1;")}, NULL},
    /* a source that is missing, a row's last element, another colour's element, what fixed nodes take, another
       element's corner */
    {"assembly", "reduce", "list", {{"i < source_start[q + 1]", "i < source_start[q + 1] - (q == 7)"}}, "values is "},
    {"assembly", "reduce", "list", {{"F[q - nonzeros] = sum", "F[q - nonzeros] = q % 64 == 5 ? 0 : sum"}}, "F is "},
    {"assembly", "fill", "rows", {{"i < around_start[row + 1]", "i < around_start[row + 1] - (row == 11)"}}, NULL},
    {"assembly", "fill", "rows", {{"sum -= A * u[", "sum -= 0 * u["}}, "F is "},
    {"assembly", "fill", "nonzeros", {{"sum += A;", "sum += q == 40 ? 0 : A;"}}, "values is "},
    {"assembly", "scatter", "atomic", {{"if (row{{a}} >= 0)", "if (row{{a}} >= 0 && e != 80)"}}, "F is "},
    {"assembly", "add", "coloured", {{"coloured[first + q]", "coloured[q]"}}, NULL},
    {"assembly", "add", "coloured", {{"coloured[first + q]", "coloured[first + (q ? q : groups)]"}}, NULL},
    {"assembly", "scatter_stored", "atomic", {{"e < elements", "e < elements && (k != 3 || e != 80)"}}, NULL},
    {"assembly", "add_stored", "coloured", {{"coloured[first + q]", "coloured[q]"}}, NULL},
    {"assembly", "add_stored", "coloured", {{"q < groups", "q < groups - (k == 26)"}}, "F is "},
    {"assembly",
     "fill",
     "shared-nonzeros",
     {{"more = code >> 15", "more = target != 40 && code >> 15"},
      {"left[x] = code >> 15", "left[x] = number * 32 + x != 40 && code >> 15"}},
     "values is "},
    {"assembly", "fill", "shared-rows", {{"+ {{w}} < elements", "+ {{w}} < elements - (row == 11)"}}, NULL},
    {"assembly",
     "fill",
     "shared-rows",
     {{"around_local[beside + j", "around_local[beside + (row == 5 ? 0 : j)"}},
     NULL},
    {"assembly",
     "matrices",
     "thread",
     {{"c{{i}} >= free_vertices", "({{i}} != 2 && c{{i}} >= free_vertices)"}},
     "element_data is "},
    {"assembly", "fill", "entity-rows", {{"count = head[1]", "count = head[1] - (bx == 2)"}}, NULL},
    {"assembly", "fill", "entity-rows", {{"start=inside_start[k]", "start=0"}}, "values is "},
    {"assembly", "fill", "gathered-products", {{"word[head[7]] : 0", "word[head[7]] - 1 : 0"}}, "values is "},
    {"assembly", "fill", "gathered-products", {{"= first[pitch + q]", "= first[pitch + q] + (q == 0)"}}, NULL},
    {"assembly", "fill", "gathered-products", {{"Np start=inside_start[k]*Np", "Np start=0"}}, "values is "},
    {"assembly", "fill", "gathered-products", {{"touched = head[0] / 4", "touched = 0"}}, "F is "},
    {"assembly", "fill", "scatter-reduction", {{"+ 1] - from", "+ 1] - from - (bx == 0)"}}, NULL},
    {"assembly", "fill", "scatter-reduction", {{"s_data[word - 1]", "s_data[word - 1 + (word == 5)]"}}, NULL},
    {"assembly", "fill", "scatter-reduction", {{"= sum;\n      sum = 0;", "= sum;"}}, NULL},
    {"assembly", "fill", "shared-elements", {{"pass < passes", "pass + 1 < passes"}}, NULL},
    {"assembly", "matrices", "fetched", {{"corner[{{= i / 2}} * members + x]", "corner[x]"}}, NULL},
    {"assembly", "multiply", "rows", {{"i < row_start[at + 1]", "i < row_start[at + 1] - (row == 3)"}}, "Ap is "},
    {"assembly", "multiply", "stream", {{"? row_start[at + 1]", "? row_start[at + 1] - (row == 3)"}}, "Ap is "},
    {"assembly", "invert", "thread", {{"if (row < unknowns)", "if (row + 1 < unknowns)"}}, "inverse is "},
    /* a column's end, a tile, what is given, a direction, the last edge, whose numbers */
    {"hdg",
     "condense",
     "thread",
     {{"A[k][{{Np}} + i] * A[k][{{border}}]", "A[k][{{Np}} + i] * A[k][0]"}},
     "element_data is "},
    {"hdg", "condense", "columns", {{"] -= w{{i}} * r{{j}};", "] -= (e != 7) * w{{i}} * r{{j}};"}}, "element_data is "},
    {"hdg", "condense", "columns", {{": i0 + {{i}} < {{n}} ? a0", ": i0 < 1000 ? a0"}}, "element_data is "},
    {"hdg", "condense", "by-edge", {{"W[{{k}}][0] = load", "W[{{k}}][0] = (e != 9) * load"}}, "element_data is "},
    {"hdg", "condense", "tiles", {{"number < {{data}}", "number + 1 < {{data}}"}}, "element_data is "},
    {"hdg",
     "condense",
     "tiles",
     {{"j < {{T}}; j++", "j + 1 < {{T}}; j++"}, {"{{#for j in T}}", "{{#for j in T - 1}}"}},
     "element_data is "},
    {"hdg", "condense", "tiles-lean", {{"number < {{data}}", "number + 2 < {{data}}"}}, "element_data is "},
    {"hdg", "condense", "own-columns", {{"= factor[k];", "= (e != 9) * factor[k];"}}, "element_data is "},
    {"hdg", "condense", "column-warps", {{"= right[a]", "= a ? right[a] : 0"}}, "element_data is "},
    {"hdg", "recover", "tiles", {{"code & k & 1 ? -number", "code & k & 2 ? -number"}}, NULL},
    {"hdg", "assemble", "edges", {{"sum -= number * given", "sum -= 0 * given"}}, "b is "},
    {"hdg", "assemble", "edges", {{"code & j & 1 ? -sign : sign", "sign"}}, "blocks is "},
    {"hdg", "clear_blocks", "edges", {{"if (other < 0)", "if (other < -1)"}}, "blocks is "},
    {"hdg", "scatter", "atomic", {{"if (i < j) ADD", "if (i < j && e != 9) ADD"}}, "blocks is "},
    {"hdg", "scatter", "atomic", {{"if (!free{{l}}) ADD", "if (0) ADD"}}, "b is "},
    {"hdg", "scatter", "atomic", {{"!= 3 * (int)e + {{l}}", "== 3 * (int)e + {{l}}"}}, "blocks is "},
    {"hdg", "build", "edges", {{"there < free_edges ? sum : 0", "sum"}}, "blocks is "},
    {"hdg", "invert", "thread", {{"if (edge < free_edges)", "if (edge + 1 < free_edges)"}}, "is "},
    {"hdg", "apply", "rows", {{"c < 5", "c < 5 - (edge == 11)"}}, "Ap is "},
    {"hdg", "multiply", "thread", {{"< free_edges ? p[", "< free_edges + 1 ? p["}}, "products is "},
    {"hdg", "multiply_unstored", "thread", {{"< free_edges ? p[", "< free_edges + 1 ? p["}}, "products is "},
    {"hdg", "multiply_unstored", "thread", {{"sum / A[k][k]", "sum / (e == 9 ? 1 : A[k][k])"}}, "products is "},
    {"hdg", "collect", "edges", {{"first + (other < 0", "first + (other < 60"}}, "Ap is "},
    {"hdg", "precondition", "edges", {{"- alpha * Ap[edge", "- (edge == 9 ? 0 : alpha) * Ap[edge"}}, "z is "},
    {"hdg", "coarsen", "edges", {{"own ? at : 0", "at"}}, "is "},
    {"hdg", "smooth", "rows", {{"t[at]) - sum", "t[at]) - (edge != 9) * sum"}}, "is "},
    {"hdg", "residual", "rows", {{"part{{k}} -= ", "part{{k}} -= (edge != 9) * "}}, "end_parts is "},
    {"hdg", "residual", "rows", {{"NUMBER(bits) WIDE(bits)", "NUMBER(bits) WIDE((bits) | 8)"}}, "t is "},
    {"hdg", "restrict", "vertices", {{"touched[q] % 4", "touched[q] % 2"}}, "levels is "},
    {"hdg", "cycles", "rows", {{"span < small_to", "span + 1 < small_to"}}, "levels is "},
    {"hdg", "prolong", "edges", {{"(v1 - v0)", "(v0 - v1)"}}, "z is "},
    {"hdg", "prolong", "edges", {{"at{{k}} < 0 ? 0", "at{{k}} == 3 ? 0"}}, "is "},
    {"hdg", "recover", "thread", {{"* (ys * by_r - yr * by_s)", "* (ys * by_r - yr * by_r)"}}, "flux is "},
    {"hdg", "recover", "columns", {{"code & k & 1 ? -number", "code & k & 2 ? -number"}}, NULL},
    {"hdg", "postprocess", "columns", {{"mine < elements", "mine + 1 < elements"}}, "ustar is "},
    {"hdg",
     "recover_star",
     "thread",
     {{"ustar[slab * {{= Ns * 32}} + place] = values[0]", "ustar[slab] = values[0]"}},
     NULL},
    {"hdg",
     "recover_star",
     "columns",
     {{"slope[2 * i + 1] = by_s", "slope[2 * i + 1] = (e != 9) * by_s"}},
     "ustar is "},
};

/* Plants in the Bernstein-Bezier basis: a stencil, a reduction, a row, its coefficients' element and its scalars. */
static const planted of_bernstein[] = {
    {"nodal", "volume", "sparse-literal", {{"geo + m * {{= geos * KM}} + x", "geo + m * {{= geos * KM}}"}}, "rhs is "},
    {"nodal", "volume", "sparse-literal", {{"-(g{{t}}_1 + g{{t}}_2 + g{{t}}_3)", "-(g{{t}}_1 + g{{t}}_2)"}}, "rhs is "},
    {"nodal", "lift", "sparse-literal", {{"{{L0[i * Nfp + j]}} *", "{{L0[0]}} *"}}, "lifted is "},
    {"nodal", "lift", "sparse-literal", {{"face * Nfp + j", "j"}}, "lifted is "},
    {"nodal", "stage", "sparse-literal", {{"code % 32 * {{Nfp}}", "code % 32 / 6 * 6 * {{Nfp}}"}}, "is "},
    {"nodal", "fused", "sparse-literal", {{"(m * {{n}} + out) * {{NfM}}", "m * {{= n * NfM}}"}}, "is "},
    {"nodal", "fused", "layers", {{"(face + faces_in_shared - 4)", "(min(face, 2) + faces_in_shared - 4)"}}, "is "},
    {"nodal", "fused", "layers", {{"-(g{{t}}_1 + g{{t}}_2 + g{{t}}_3)", "-(g{{t}}_1 + g{{t}}_2)"}}, "is "},
    {"nodal",
     "volume_update",
     "sparse-literal",
     {{"-(g{{t}}_1 + g{{t}}_2 + g{{t}}_3)", "-(g{{t}}_1 + g{{t}}_2)"}},
     "is "},
    {"nodal",
     "volume_update",
     "sparse-literal",
     {{"at = (m * {{n}} + out) * {{NpM}} + x", "at = m * {{= n * NpM}} + x"}},
     "is "},
    {"nodal", "gather_lift", "sparse-literal", {{"code % 32 * {{Nfp}}", "code % 32 / 6 * 6 * {{Nfp}}"}}, "lifted is "},
    {"nodal", "gather_lift", "sparse-literal", {{"face * Nfp + j", "j"}}, "lifted is "},
    {"nodal", "gather_lift", "layers", {{"s_flux + out * {{= flux_rows * lanes}}", "s_flux"}}, "lifted is "},
    {"nodal", "gather_lift", "layers", {{"code % 32 * {{Nfp}}", "code % 32 / 6 * 6 * {{Nfp}}"}}, "lifted is "},
    {"nodal", "volume", "sparse", {{"at.v[3]", "at.v[2]"}}, "rhs is "},
    {"nodal", "volume", "sparse", {{"= power[q]", "= power[q/4*4]"}}, "rhs is "},
    {"nodal", "lift", "sparse", {{"k < {{fours}}", "k + 1 < {{fours}}"}}, "lifted is "},
    {"nodal", "lift", "slices", {{"slice_weight[q%4 < 3 ? q/4*3+q%4 : -1]", "slice_weight[0]"}}, "lifted is "},
    {"nodal", "lift", "slices", {{"{{= f * KM * 4 * Np + face * Np}}", "{{= f * KM * 4 * Np}}"}}, "lifted is "},
};

/* Whose medium: of acoustics, whose coefficients jump. */
static const planted of_media[] = {
    {"nodal",
     "gather",
     "direct",
     {{"{{name}}_p = g[({{= 16 + count(inner) + index}} + {{= count(outer) - 4}} * face)",
       "{{name}}_p = g[(18 - 4 * face)"}},
     "flux is "},
    {"nodal", "gather", "element-lanes", {{"{{= count(outer) - 4}} * face", "{{= -4}} * face"}}, "flux is "},
    {"nodal", "gather", "pairs", {{"{{= 5 + count(either_side) + index}}", "{{= 5 + index}}"}}, "flux is "},
    {"nodal",
     "gather",
     "pairs",
     {{"const real {{name}}_m = inner_{{name}}, {{name}}_p = outer_{{name}};",
       "const real {{name}}_m = outer_{{name}}, {{name}}_p = inner_{{name}};"}},
     "flux is "},
    {"nodal", "volume", "literal", {{"quantity{{t}}[out] < 0", "quantity{{t}}[out] < 10"}}, "rhs is "},
    {"nodal", "volume", "field-in-shared", {{"g[{{= (9 + quantity) * KM}}]", "g[{{= 9 * KM}}]"}}, "rhs is "},
    {"nodal", "fused", "register-blocked", {{"g[{{= (9 + quantity) * KM}}]", "geo[{{= (9 + quantity) * KM}}]"}}, "is "},
    {"nodal", "assemble", "with-quantities", {{"at % {{KM}}", "0"}}, "rhs is "},
    {"nodal",
     "stage",
     "literal",
     {{"{{= 16 + index}} - 4 * face", "{{= 16 + index}} - 4 * face - x + x / 2 * 2"}},
     "is "},
};

/* Every input of every kernel, changed once it was read. */
static const struct {
  const char *kernel, *base, *type, *array;
} inputs[] = {
    {"volume", "literal", "real", "u"},
    {"volume", "literal", "real", "geo"},
    {"derivative", "matrix-in-shared", "real", "u"},
    {"derivative", "matrix-in-shared", "real", "geo"},
    {"assemble", "stream", "real", "dux"},
    {"assemble", "stream", "real", "duy"},
    {"assemble", "stream", "real", "duz"},
    {"gather", "direct", "real", "u"},
    {"gather", "direct", "int", "face_int"},
    {"gather", "direct", "real", "face_real"},
    {"gather", "pairs", "int", "pair_block"},
    {"gather", "pairs", "int", "pair_int"},
    {"gather", "pairs", "real", "pair_real"},
    {"lift", "matrix-in-shared", "real", "flux"},
    {"update", "stream", "real", "rhs"},
    {"update", "stream", "real", "lifted"},
    {"fused", "literal", "real", "u"},
    {"fused", "literal", "real", "geo"},
    {"fused", "literal", "real", "flux"},
    {"stage", "literal", "real", "u"},
    {"stage", "literal", "real", "geo"},
    {"stage", "literal", "int", "face_int"},
    {"stage", "literal", "real", "face_real"},
};

/* Every array of two kernels that have them all, and its length. */
static const struct {
  const char *kernel, *type, *array, *length;
} arrays[] = {
    {"fused", "real", "u", "{{= n * NpM}}"},         {"fused", "real", "geo", "{{= geos * KM}}"},
    {"fused", "real", "flux", "{{= n * NfM}}"},      {"fused", "real", "res", "{{= n * NpM}}"},
    {"fused", "real", "u_next", "{{= n * NpM}}"},    {"stage", "int", "face_int", "{{= 8 * KM}}"},
    {"stage", "real", "face_real", "{{= 16 * KM}}"},
};
/* Each is printed with the array, and behind it with its length. */
static const char *const places[] = {"(%s - 100000)[0] = 1;", "(%s - 1)[0] = 1;", "%s[groups * %s] = 1;",
                                     "%s[groups * %s + 99999] = 1;"};

/* --- from the tables to plants --- */

typedef struct plants {
  size_t count, bernstein, media; /* those of that basis, and those of media, stand behind so many others */
  planted list[MOST_PLANTS];
  char texts[MOST_PLANTS][256];
} plants;

static void add_written(plants *all, const char *kernel, const char *base, const char *statement, const char *reason)
{
  char *text = all->texts[all->count];
  planted *p = &all->list[all->count++];
  snprintf(text, sizeof *all->texts, "if (bx == 0 && by == 0) {\nFOR_ALL(only_, 1)\n%s\nEND_ALL\n}\n", statement);
  *p = (planted){"nodal", kernel, base, {{"$", text}}, reason};
}

static void gather_plants(plants *all)
{
  char statement[128], array[48];
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) all->list[all->count++] = table[i];
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
    snprintf(statement, sizeof statement, "((%s *)%s)[0] = 7;", inputs[i].type, inputs[i].array);
    add_written(all, inputs[i].kernel, inputs[i].base, statement, "which is no output");
  }
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
      snprintf(array, sizeof array, "((%s *)%s)", arrays[i].type, arrays[i].array); /* inputs are const */
      snprintf(statement, sizeof statement, places[k], array, arrays[i].length);
      add_written(all, arrays[i].kernel, "literal", statement, "writes outside array");
    }
  all->bernstein = all->count;
  for (size_t i = 0; i < sizeof of_bernstein / sizeof *of_bernstein; i++) all->list[all->count++] = of_bernstein[i];
  all->media = all->count;
  for (size_t i = 0; i < sizeof of_media / sizeof *of_media; i++) all->list[all->count++] = of_media[i];
}

/* --- checking them --- */

typedef struct check {
  wisp_device *device;
  wisp_verifier *verifier;
  wisp_strategies *strategies;
  char right[MOST_PLANTS * 32]; /* "\nvolume.literal f32\n...": those found right as shipped */
} check;

/* NULL: the family's own system, its first element. */
typedef struct subject {
  const char *element, *system;
  wisp_precision precision;
} subject;

static wisp_status verify(wisp_error *err, const check *all, const planted *p, const char *name, const subject *of)
{
  const wisp_strategy *strategy = wisp_strategies_find(all->strategies, p->family, p->kernel, name);
  wisp_spec spec = wisp_family_spec(wisp_family_find(p->family), ORDER, of->system, of->precision);
  double error = 0;
  assert_non_null(strategy);
  if (of->element) wisp_spec_name_element(&spec, of->element);
  wisp_spec_name_kernel(&spec, p->kernel);
  return verify_strategy(err, all->device, all->verifier, strategy, &spec, NULL, &error);
}

/* The kernel that a plant was made from is right as shipped. Each is looked at once. */
static void verify_base(check *all, const planted *p, const subject *of)
{
  char name[64];
  wisp_error err = {0};
  snprintf(name, sizeof name, "\n%s.%s %s%s\n", p->kernel, p->base, wisp_precision_name(of->precision),
           of->system ? of->system : "");
  if (strstr(all->right, name)) return;
  if (verify(&err, all, p, p->base, of) != WISP_OK) fail_msg("%s.%s: %s", p->kernel, p->base, err.text);
  strcat(all->right, name);
}

TEST_IN_FOLDER(test_plants)
{
  static plants every;
  const char *folder = *state;
  char name[32];
  int missed = 0;
  check all = {.device = open_test_device()};
  gather_plants(&every);
  for (size_t i = 0; i < every.count; i++) {
    snprintf(name, sizeof name, "plant-%zu", i);
    plant_edited(folder, every.list[i].family, every.list[i].kernel, every.list[i].base, name, every.list[i].edits,
                 MOST_EDITS);
  }
  setenv("WISP_TEMPLATES", folder, 1);
  GOOD(wisp_strategies_load(err, &all.strategies));
  GOOD(wisp_verifier_create(err, all.device, &all.verifier));
  for (size_t i = 0; i < every.count; i++) {
    wisp_error err = {0};
    const planted *p = &every.list[i];
    const bool media = i >= every.media, bernstein = i >= every.bernstein && !media;
    const subject of = {bernstein ? "bernstein-tet" : NULL, media ? "acoustics" : NULL, i % 2 ? WISP_F64 : WISP_F32};
    snprintf(name, sizeof name, "plant-%zu", i);
    if (getenv("WISP_TEST_COARSE") && i % 3) continue; /* sanitized, every third stands for the others */
    if (p->reason == of_the_host && !test_device_is_host()) continue;
    verify_base(&all, p, &of);
    wisp_status status = verify(&err, &all, p, name, &of);
    if (status == WISP_EWRONG && (!p->reason || strstr(err.text, p->reason))) continue;
    missed++;
    print_error("%s.%s, '%s' for '%s': status %d: %s\n", p->kernel, p->base, p->edits[0].to, p->edits[0].from,
                (int)status, err.text);
  }
  wisp_verifier_destroy(all.verifier);
  wisp_strategies_free(all.strategies);
  wisp_device_close(all.device);
  unsetenv("WISP_TEMPLATES");
  assert_int_equal(missed, 0);
}

static int compiled_quickly(void **state)
{
  compile_quickly();
  return 0;
}

GROUP(compiled_quickly, NULL)
