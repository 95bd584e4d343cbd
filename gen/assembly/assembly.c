/* Assembly of sparse matrices on triangles and tets (Cecka, Lew, Darve 2011): element matrices and loads of continuous
 * elements into the values of a matrix whose pattern stands, by several ways; and what conjugate gradients on it need.
 */
#include "assembly.h"
#include "simplex.h"
#include "../family.h"

#include <math.h>

static const wisp_array_decl arrays[] = {
    [WISP_ASSEMBLY_VERTICES] = {"vertices", WISP_REAL, WISP_FIXED, "stride*vertex_count",
                                "x and y of each vertex together; or x, y, z and 0"},
    [WISP_ASSEMBLY_CORNERS] =
        {"corners", WISP_INT, WISP_FIXED, "corner_count*slots",
         "vertices of each element, in slabs: corner i of C of element e at (e/32*C + i)*32 + e%32; "
         "those from free_vertices on are fixed"},
    [WISP_ASSEMBLY_NODES] = {"nodes", WISP_INT, WISP_FIXED, "Np*slots",
                             "nodes of each element, in slabs of Np; those from unknowns on are fixed"},
    [WISP_ASSEMBLY_KAPPA] = {"kappa", WISP_REAL, WISP_POSITIVE, "elements", "the coefficient in each element"},
    [WISP_ASSEMBLY_SOURCE] = {"f", WISP_REAL, WISP_FIELD, "node_count", "the right-hand side at each node"},
    [WISP_ASSEMBLY_U] = {"u", WISP_REAL, WISP_FIELD, "node_count", "the field at each node, given where it is fixed"},
    [WISP_ASSEMBLY_VALUES] = {"values", WISP_REAL, WISP_FIELD, "nonzeros", "the matrix, row by row, columns ascending"},
    [WISP_ASSEMBLY_F] = {"F", WISP_REAL, WISP_FIELD, "unknowns", "the right-hand side of each row"},
    [WISP_ASSEMBLY_ROW_START] = {"row_start", WISP_INT, WISP_FIXED, "unknowns+1", "where each row's values begin"},
    [WISP_ASSEMBLY_COLUMNS] = {"columns", WISP_INT, WISP_FIXED, "nonzeros", "the column of each value"},
    [WISP_ASSEMBLY_MAP] =
        {"map", WISP_INT, WISP_FIXED, "(Np*Np+Np)*slots",
         "in slabs, of entry a Np + b of each element, and of load Np Np + a, its place in values, or "
         "nonzeros + its place in F; -1: it has none"},
    [WISP_ASSEMBLY_COLOURED] = {"coloured", WISP_INT, WISP_FIXED, "coloured_count",
                                "elements, colour after colour: no two of one colour share a node"},
    [WISP_ASSEMBLY_AROUND_START] = {"around_start", WISP_INT, WISP_FIXED, "unknowns+1",
                                    "where the elements around each row begin"},
    [WISP_ASSEMBLY_AROUND] = {"around", WISP_INT, WISP_FIXED, "incidences", "e Np + a: the row is node a of element e"},
    [WISP_ASSEMBLY_AROUND_SLOTS] = {"around_slots", WISP_UINT16, WISP_FIXED, "Np*incidences",
                                    "of each such element's nodes the place in the row, 65535 where fixed"},
    [WISP_ASSEMBLY_ELEMENT_DATA] = {"element_data", WISP_REAL, WISP_FIELD, "(half+Np)*slots",
                                    "in slabs, the upper half of each element's matrix by rows, then its load"},
    [WISP_ASSEMBLY_SOURCE_START] = {"source_start", WISP_INT, WISP_FIXED, "nonzeros+unknowns+1",
                                    "where the sources of each value begin, and then of each number of F"},
    [WISP_ASSEMBLY_SOURCES] = {"sources", WISP_INT, WISP_FIXED, "contributions", "places in element_data"},
    [WISP_ASSEMBLY_WIDE_START] = {"wide_start", WISP_INT, WISP_FIXED, "2*(nonzeros+unknowns+1)",
                                  "source_start in 64 bits each"},
    [WISP_ASSEMBLY_WIDE_SOURCES] = {"wide_sources", WISP_INT, WISP_FIXED, "2*contributions", "sources in 64 bits each"},
    [WISP_ASSEMBLY_PART_ROW] = {"part_row", WISP_INT, WISP_FIXED, "parts+1", "where the rows of each part begin"},
    [WISP_ASSEMBLY_PART_ELEMENTS] = {"part_elements", WISP_INT, WISP_FIXED, "part_element_count",
                                     "part by part, the elements around its rows"},
    [WISP_ASSEMBLY_PART_ELEMENT_START] = {"part_element_start", WISP_INT, WISP_FIXED, "parts+1",
                                          "where those of each part begin"},
    [WISP_ASSEMBLY_PART_GROUP_START] = {"part_group_start", WISP_INT, WISP_FIXED, "parts+1",
                                        "where the groups of 32 targets of each part begin: its values, then its F"},
    [WISP_ASSEMBLY_CODE_START] = {"code_start", WISP_INT, WISP_FIXED, "group_count+1",
                                  "where the codes of each group begin"},
    [WISP_ASSEMBLY_CODES] = {"codes", WISP_UINT16, WISP_FIXED, "codes_count",
                             "sources of targets, layer by layer (runtime/assembly/parts.h)"},
    [WISP_ASSEMBLY_ROW_ORDER] = {"row_order", WISP_INT, WISP_FIXED, "ordered_rows",
                                 "the rows of each part, those with most elements and numbers first"},
    [WISP_ASSEMBLY_AROUND_LOCAL] = {"around_local", WISP_UINT16, WISP_FIXED, "local_count",
                                    "of each element around a row its number within the row's part"},
    [WISP_ASSEMBLY_PLACE_START] = {"place_start", WISP_INT, WISP_FIXED, "ordered_rows+1",
                                   "where the places of each row begin"},
    [WISP_ASSEMBLY_PLACES] = {"places", WISP_UINT8, WISP_FIXED, "place_count",
                              "of each element around a row, for each of the row's numbers and its F, which number of "
                              "the element's half and load it is; 255: none"},
    [WISP_ASSEMBLY_DIAGONAL] = {"diagonal", WISP_INT, WISP_FIXED, "unknowns", "the place in values of each row's own"},
    [WISP_ASSEMBLY_INVERSE] = {"inverse", WISP_SINGLE, WISP_POSITIVE, "padded", "one over the matrix's diagonal"},
    [WISP_ASSEMBLY_SOLUTION] = {"solution", WISP_REAL, WISP_FIELD, "padded", "the solution at the unknowns"},
    [WISP_ASSEMBLY_P] = {"p", WISP_REAL, WISP_FIELD, "padded", "the search direction, 0 behind the unknowns"},
    [WISP_ASSEMBLY_Z] = {"z", WISP_REAL, WISP_FIELD, "padded", "the preconditioned residual, 0 behind the unknowns"},
    [WISP_ASSEMBLY_R] = {"r", WISP_REAL, WISP_FIELD, "padded", "the residual, 0 behind the unknowns"},
    [WISP_ASSEMBLY_AP] = {"Ap", WISP_REAL, WISP_FIELD, "padded", "the matrix times p, 0 behind the unknowns"},
    [WISP_ASSEMBLY_RZ_SUMS] = {"rz_sums", WISP_REAL, WISP_PARTS, "rz_room", "parts of r . z, one a block"},
    [WISP_ASSEMBLY_RR_SUMS] = {"rr_sums", WISP_REAL, WISP_PARTS, "rz_room", "parts of r . r, one a block"},
    [WISP_ASSEMBLY_PAP_SUMS] = {"pAp_sums", WISP_REAL, WISP_PARTS, "pAp_room", "parts of p . Ap, one a block"},
    [WISP_ASSEMBLY_STATE] = {"state", WISP_REAL, WISP_STATE, "states", "as of conjugate gradients on hexes"},
    [WISP_ASSEMBLY_HISTORY] = {"history", WISP_REAL, WISP_STATE, "3*history_room", "likewise"},
    [WISP_ASSEMBLY_LEFT] = {"left", WISP_INT, WISP_STATE, "solves", "iterations that are left"},
    [WISP_ASSEMBLY_ARRAYS] = {NULL, WISP_REAL, WISP_FIXED, NULL, NULL},
};

static const wisp_scalar_decl scalars[] = {
    {"elements", "triangles, or tets"},
    {"first", "where the elements of a colour begin"},
    {"groups", "elements, or those of a colour"},
    {"slots", "elements, rounded up to whole slabs"},
    {"nonzeros", "values of the matrix"},
    {"unknowns", "its rows; nodes behind them are fixed"},
    {"free_vertices", "vertices that are not fixed, which come first"},
    {"kappa0", "the coefficient: a number, or of its polynomial in u the number,"},
    {"kappa1", "the factor of u"},
    {"kappa2", "and that of u u"},
    {"density", "the right-hand side where it is a number"},
    {"mass", "the factor of the mass matrix"},
    {NULL, NULL},
};

/* Of all that one entry takes in: products with the table's columns, geometry, and elements around. */
#define SUM "terms+Np+64"
#define MESH "vertices corners nodes kappa f u"
#define MATRIX "matrix+unknowns"

/* Numbers are those of `per` elements of a large mesh. `inputs` are what the form takes, coordinates included. */
static const wisp_kernel_decl kernels[] = {
    {.name = "zero", .reads = "", .writes = "values F", .sum = "0", .numbers = MATRIX, .flops = "0", .dofs = MATRIX},
    {.name = "scatter",
     .reads = MESH " map row_start columns values F",
     .writes = "values F",
     .sum = SUM,
     .numbers = "inputs+2*(" MATRIX ")",
     .words = "lists+per*(Np*Np+Np)",
     .flops = "flops",
     .dofs = MATRIX},
    {.name = "add",
     .reads = MESH " map coloured values F",
     .writes = "values F",
     .launches = "colours",
     .sum = SUM,
     .numbers = "inputs+2*(" MATRIX ")",
     .words = "lists+per*(Np*Np+Np+1)",
     .flops = "flops",
     .dofs = MATRIX},
    {.name = "matrices",
     .reads = MESH,
     .writes = "element_data",
     .sum = SUM,
     .numbers = "inputs+per*(half+Np)",
     .words = "lists",
     .flops = "flops",
     .dofs = "per*(half+Np)"},
    {.name = "reduce",
     .reads = "element_data source_start sources wide_start wide_sources",
     .writes = "values F",
     .sum = "64",
     .numbers = "per*(half+Np)+" MATRIX,
     .words = MATRIX "+per*(Np*Np+Np)",
     .flops = "per*(Np*Np+Np)",
     .dofs = MATRIX},
    {.name = "fill",
     .reads = MESH " row_start around_start around around_slots source_start sources part_row part_elements "
                   "part_element_start part_group_start code_start codes row_order around_local place_start places",
     .writes = "values F",
     .sum = SUM,
     .numbers = "inputs+" MATRIX,
     .words = "lists",
     .flops = "flops",
     .dofs = MATRIX},
    {.name = "multiply",
     .reads = "values row_start columns p",
     .writes = "Ap pAp_sums",
     .sum = "longest",
     .numbers = "matrix+2*unknowns",
     .words = MATRIX,
     .flops = "2*matrix+2*unknowns",
     .dofs = "unknowns"},
    {.name = "invert",
     .reads = "values diagonal",
     .writes = "inverse",
     .sum = "1",
     .numbers = "unknowns",
     .words = "2*unknowns",
     .flops = "unknowns",
     .dofs = "unknowns"},
    {.name = NULL},
};

static const wisp_element elements[] = {
    {"tri", {1, WISP_SIMPLEX_MAX_ORDER}}, {"tet", {1, WISP_SIMPLEX_MAX_ORDER}}, {NULL, {0, 0}}};

static const char *const compositions[] = {"fill", "matrices+reduce", "zero+scatter", "zero+add", NULL};

static const char *const chains[] = {"invert+multiply+tensor.advance+tensor.update", NULL};

static wisp_status find_form(wisp_error *err, const wisp_spec *spec, const wisp_form **out)
{
  *out = wisp_form_find(spec->system);
  return wisp_require(err, *out, WISP_EUSAGE, "the assembly family has no form '%s': it has laplace and others",
                      spec->system);
}

static bool knows_form(const char *name)
{
  return wisp_form_find(name) != NULL;
}

static int dimension_of(const wisp_spec *spec)
{
  return strcmp(spec->element, "tri") == 0 ? 2 : 3;
}

static int columns_of(const wisp_form *form, int dimension, int Np)
{
  return dimension * (dimension + 1) / 2 * (form->kappa == WISP_BY_NODES ? Np : 1);
}

/* A large mesh has one vertex and three edges for two triangles; one, seven, and twelve faces for six tets. */
static wisp_status sizes(wisp_error *err, const wisp_spec *spec, wisp_env *env)
{
  static const int of[2][4] = {{1, 3, 2, 0}, {1, 7, 12, 6}}, longest_row[2] = {128, 1024};
  const wisp_form *form = NULL;
  CALL(find_form(err, spec, &form));
  const int N = spec->order, d = dimension_of(spec), per = of[d - 2][d], Np = wisp_simplex_size(d, N);
  const int half = Np * (Np + 1) / 2, terms = columns_of(form, d, Np);
  const int fields = (form->f == WISP_BY_NODES) + (form->kappa == WISP_BY_NODES),
            own_kappa = form->kappa == WISP_BY_ELEMENT;
  int nodes[4], pairs[4], unknowns = 0, matrix = 0;
  wisp_simplex_own(N, nodes, pairs);
  for (int k = 0; k < 4; k++) unknowns += of[d - 2][k] * nodes[k], matrix += of[d - 2][k] * pairs[k];
  const wisp_size all[] = {{"N", N},
                           {"Np", Np},
                           {"half", half},
                           {"terms", terms},
                           {"per", per},
                           {"unknowns", unknowns},
                           {"matrix", matrix},
                           {"longest", longest_row[d - 2]},
                           {"inputs", d + fields * unknowns + per * own_kappa},
                           {"lists", per * (d + 1 + (fields && N > 1 ? Np : 0))},
                           {"flops", per * (2 * half * (terms + form->mass) + 2 * Np * Np)}};
  return wisp_names_sizes(err, env, all, WISP_COUNT(all));
}

/* --- names --- */

enum { MOST_NP = WISP_SIMPLEX_MAX_NP, MOST_HALF = MOST_NP * (MOST_NP + 1) / 2 };

/* T: for entry (a, b), a <= b, of the upper half by rows, what each geometric factor times kappa is multiplied by. */
static wisp_status add_table(wisp_error *err, wisp_env *env, const wisp_simplex *s, bool by_nodes)
{
  const size_t Np = (size_t)s->Np, all = Np * Np, nodes = by_nodes ? Np : 1;
  OWNED(free) double *T = NULL;
  double M[MOST_HALF];
  size_t count = 0, entry = 0;
  CALL(wisp_new(err, Np * (Np + 1) / 2 * (size_t)s->directions * nodes, sizeof *T, &T));
  for (size_t a = 0; a < Np; a++)
    for (size_t b = a; b < Np; b++) {
      M[entry++] = s->mass[a * Np + b];
      for (size_t m = 0; m < nodes; m++)
        for (int d = 0; d < s->directions; d++)
          T[count++] = (by_nodes ? s->interpolated[d] : s->stiffness[d])[m * all + a * Np + b];
    }
  CALL(wisp_env_reals(err, env, "T", T, count));
  return wisp_env_reals(err, env, "M", M, entry);
}

/* Entry (a, b)'s place in the upper half, either way round; a and b of each place; and the nodes' integrals. */
static wisp_status add_places(wisp_error *err, wisp_env *env, const wisp_simplex *s)
{
  const int Np = s->Np;
  static const double noise = 1e-14; /* that sums leave of a zero */
  int place[MOST_NP * MOST_NP], of[2][MOST_HALF];
  double integral[MOST_NP] = {0};
  for (int i = 0; i < Np * Np; i++) {
    const int a = i / Np, b = i % Np, low = a < b ? a : b, high = a < b ? b : a;
    place[i] = low * Np - low * (low - 1) / 2 + high - low;
    of[0][place[i]] = low, of[1][place[i]] = high;
    integral[a] += s->mass[i];
  }
  for (int a = 0; a < Np; a++)
    if (fabs(integral[a]) < noise) integral[a] = 0;
  CALL(wisp_env_ints(err, env, "numbered", place, (size_t)(Np * Np)));
  CALL(wisp_env_ints(err, env, "entry_row", of[0], (size_t)(Np * (Np + 1) / 2)));
  CALL(wisp_env_ints(err, env, "entry_column", of[1], (size_t)(Np * (Np + 1) / 2)));
  return wisp_env_reals(err, env, "integral", integral, (size_t)Np);
}

static wisp_status names(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, const wisp_target *target,
                         wisp_env **out)
{
  OWNED(wisp_simplex_destroy) wisp_simplex *s = NULL;
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  const wisp_form *form = NULL;
  (void)layout; /* it lays nothing out */
  CALL(find_form(err, spec, &form));
  CALL(wisp_simplex_create(err, dimension_of(spec), spec->order, &s));
  CALL(wisp_env_create(err, NULL, &env));
  const wisp_size all[] = {{"N", s->N},
                           {"dimension", s->dimension},
                           {"directions", s->directions},
                           {"Np", s->Np},
                           {"half", s->Np * (s->Np + 1) / 2},
                           {"terms", columns_of(form, s->dimension, s->Np)},
                           {"kappa_by_nodes", form->kappa == WISP_BY_NODES},
                           {"kappa_by_element", form->kappa == WISP_BY_ELEMENT},
                           {"f_by_nodes", form->f == WISP_BY_NODES},
                           {"with_mass", form->mass}};
  CALL(wisp_names_sizes(err, env, all, WISP_COUNT(all)));
  CALL(wisp_names_target(err, env, spec->precision, target));
  CALL(add_table(err, env, s, form->kappa == WISP_BY_NODES));
  CALL(add_places(err, env, s));
  return GIVE(env, out);
}

const wisp_family wisp_family_assembly = {.name = "assembly",
                                          .elements = elements,
                                          .arrays = arrays,
                                          .kernels = kernels,
                                          .scalars = scalars,
                                          .whole = "fill",
                                          .promise = {1e-5, 1e-13},
                                          .compositions = compositions,
                                          .chains = chains,
                                          .default_system = "laplace",
                                          .knows_system = knows_form,
                                          .names = names,
                                          .sizes = sizes};
