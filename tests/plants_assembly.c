/* Wrong kernels of the assembly family, right for the values, sizes and meshes that were thought of first. */
#include "plants.h"

#include <stddef.h>

/* A coefficient of each element, as another number. */
#define KAPPA(value)                              \
  {                                               \
    "kappa[e]", "(kappa[e] " value " : kappa[e])" \
  }
/* The field in a fixed node, and at an element's nodes. */
#define GIVEN(condition, value)                                                                    \
  {                                                                                                \
    "fixed[{{b}}] = u[n{{b}}];", "fixed[{{b}}] = u[n{{b}}] " condition " ? " value " : u[n{{b}}];" \
  }
#define AT_NODES(condition, value)                                                        \
  {                                                                                       \
    "const real u = u{{m}};", "const real u = u{{m}} " condition " ? " value " : u{{m}};" \
  }
/* An element's J, where it is divided by. */
#define OVER(condition, value)                                       \
  {                                                                  \
    "over = 1 / J;", "over = 1 / (J " condition " ? " value " : J);" \
  }
/* An atomic addition as this statement. */
#define ADDS(statement)                               \
  {                                                   \
    "_Pragma(\"omp atomic\") at += number", statement \
  }
/* Slots of a row that are cut off. */
#define SLOTS_AS(value)                                                                             \
  {                                                                                                 \
    "#define SLOT(a, b) {{#if no_slot == 255}}byte_slots{{else}}short_slots{{/if}}"                 \
    "[(slab * {{= Np * Np}} + (a) * {{Np}} + (b)) * 32 + place]",                                   \
        "#define SLOT_READ(a, b) (INDEX){{#if no_slot == 255}}byte_slots{{else}}short_slots{{/if}}" \
        "[(slab * {{= Np * Np}} + (a) * {{Np}} + (b)) * 32 + place]\n"                              \
        "#define SLOT(a, b) (SLOT_READ(a, b) == {{no_slot}} ? {{no_slot}} : " value ")"             \
  }

static const planted rows[] = {
    {"right", "assembly", "scatter", "atomic", .shows = AT_SIZE, .system = "heat"},
    {"right", "assembly", "scatter", "byte-slots", .shows = AT_SIZE},
    {"right", "assembly", "scatter", "search", .element = "tet"},
    {"right", "assembly", "scatter_stored", "atomic", .shows = AT_SIZE},
    {"right", "assembly", "fill", "rows", .shows = AT_SIZE, .system = "heat"},
    {"right", "assembly", "matrices", "thread", .shows = AT_SIZE, .system = "heat"},
    {"right", "assembly", "reduce", "list", .shows = AT_SIZE},
    {"right", "assembly", "multiply", "rows", .shows = AT_SIZE},
    {"right", "assembly", "add", "coloured", .shows = AT_SIZE, .system = "diffusion"},
    {"right", "assembly", "matrices", "batches", .system = "heat"},

    /* scalars */
    {"mass-floor", "assembly", "matrices", "thread", .edits = {READ_AS(mass, "mass < 4 ? 4 : mass")}, .system = "heat"},
    {"mass-zero", "assembly", "fill", "rows", .edits = {READ_AS(mass, "mass == 0 ? 1e-3 : mass")}, .system = "heat"},
    {"mass-small", "assembly", "scatter", "atomic", .edits = {READ_AS(mass, "mass > 0 && mass < 0.01 ? 0.01 : mass")},
     .system = "heat"},
    {"mass-cap", "assembly", "matrices", "batches", .edits = {READ_AS(mass, "mass > 500 ? 500 : mass")},
     .system = "heat"},
    {"mass-huge", "assembly", "matrices", "thread", .edits = {READ_AS(mass, "mass > 5e3 ? 5e3 : mass")},
     .element = "tet", .system = "heat"},
    {"mass-mid", "assembly", "add", "coloured", .edits = {READ_AS(mass, "mass > 0.5 && mass < 8 ? 8 : mass")},
     .system = "heat"},
    {"negk0", "assembly", "scatter", "atomic", .edits = {READ_AS(kappa0, "kappa0 < 0 ? 0 : kappa0")}},
    {"k0zero", "assembly", "fill", "rows", .edits = {READ_AS(kappa0, "kappa0 == 0 ? 1e-3 : kappa0")}},
    {"k0zero", "assembly", "matrices", "thread", .edits = {READ_AS(kappa0, "kappa0 == 0 ? 1e-3 : kappa0")},
     .system = "heat"},
    {"k0-large", "assembly", "matrices", "thread", .edits = {READ_AS(kappa0, "kappa0 > 100 ? 100 : kappa0")}},
    {"k0-small", "assembly", "matrices", "batches",
     .edits = {READ_AS(kappa0, "kappa0 < 0.2 && kappa0 > 0 ? 0.2 : kappa0")}, .system = "heat"},
    {"negk1", "assembly", "matrices", "batches", .edits = {READ_AS(kappa1, "kappa1 < 0 ? -kappa1 : kappa1")},
     .system = "heat"},
    {"negk1", "assembly", "fill", "rows", .edits = {READ_AS(kappa1, "kappa1 < 0 ? 0 : kappa1")}, .system = "heat"},
    {"k2neg", "assembly", "matrices", "thread", .edits = {READ_AS(kappa2, "kappa2 < 0 ? 0 : kappa2")},
     .system = "heat"},
    {"k2zero", "assembly", "fill", "nonzeros", .edits = {READ_AS(kappa2, "kappa2 == 0 ? 0.01 : kappa2")},
     .system = "heat"},
    {"k2-tiny", "assembly", "scatter", "atomic", .edits = {READ_AS(kappa2, "kappa2 > 0 && kappa2 < 1e-3 ? 0 : kappa2")},
     .system = "heat"},
    {"negsource", "assembly", "matrices", "thread", .edits = {READ_AS(density, "density < 0 ? -density : density")}},
    {"source-zero", "assembly", "fill", "rows", .edits = {READ_AS(density, "density == 0 ? 1 : density")}},
    {"source-large", "assembly", "scatter", "atomic", .edits = {READ_AS(density, "density > 500 ? 500 : density")}},
    {"source-small", "assembly", "fill", "nonzeros",
     .edits = {READ_AS(density, "density > 0 && density < 0.1 ? 0 : density")}},
    /* an element's coefficient */
    {"kelem-floor", "assembly", "matrices", "thread", .edits = {KAPPA("< (real)0.1 ? (real)0.1")},
     .system = "diffusion"},
    {"kelem-cap", "assembly", "fill", "rows", .edits = {KAPPA("> 100 ? 100")}, .system = "diffusion"},
    {"kelem-mid", "assembly", "scatter", "atomic", .edits = {KAPPA("> 4 ? 4")}, .system = "diffusion"},
    {"kelem-tiny", "assembly", "add", "coloured", .edits = {KAPPA("< (real)2e-3 ? 0")}, .system = "diffusion"},
    {"kmatrix-off", "assembly", "matrices", "thread",
     .edits = {{"kappa[e * {{directions}} + {{d}}]",
                "(kappa[e * {{directions}} + {{d}}] > 50 ? 50 : kappa[e * {{directions}} + {{d}}])"}},
     .system = "anisotropic"},
    /* fields */
    {"u-huge", "assembly", "matrices", "thread", .edits = {GIVEN("> (real)1e5", "(real)1e5")}},
    {"u-negative", "assembly", "scatter", "atomic", .edits = {GIVEN("< (real)-1e5", "(real)-1e5")}},
    {"u-kelvin", "assembly", "matrices", "thread", .edits = {GIVEN("> 200", "200")}},
    {"u-small", "assembly", "scatter", "atomic", .edits = {GIVEN("* u[n{{b}}] < (real)1e-18", "0")}},
    {"u-huge", "assembly", "fill", "rows", .edits = {AT_NODES("> (real)1e5", "(real)1e5")}, .system = "heat"},
    {"u-negative", "assembly", "matrices", "thread", .edits = {AT_NODES("< (real)-1e5", "(real)-1e5")},
     .system = "heat"},
    {"u-kelvin", "assembly", "scatter", "atomic", .edits = {AT_NODES("> 200", "200")}, .system = "heat"},
    {"u-zero", "assembly", "matrices", "thread", .edits = {AT_NODES("== 0", "(real)1e-3")}, .system = "heat"},
    {"f-huge", "assembly", "matrices", "thread",
     .edits = {{"s[{{b}}] = J * f[{{>node b=b}}];", "{ const real at_f = f[{{>node b=b}}]; s[{{b}}] = J * (at_f > "
                                                    "(real)1e5 ? (real)1e5 : at_f); }"}},
     .system = "heat"},
    {"f-negative", "assembly", "scatter", "atomic",
     .edits = {{"s[{{b}}] = J * f[{{>node b=b}}];", "{ const real at_f = f[{{>node b=b}}]; s[{{b}}] = J * (at_f < 0 ? "
                                                    "-at_f : at_f); }"}},
     .system = "diffusion"},
    {"mag-big", "assembly", "multiply", "rows",
     .edits = {{"values[i] * p[columns[i]]", "values[i] * (p[columns[i]] > (real)1e5 ? (real)1e5 : p[columns[i]])"}}},
    {"mag-small", "assembly", "multiply", "slices",
     .edits = {{"p{{w}} = p[columns[i{{w}}]];",
                "p{{w}} = p[columns[i{{w}}]] * p[columns[i{{w}}]] < (real)1e-18 ? 0 : p[columns[i{{w}}]];"}}},
    {"value-big", "assembly", "multiply", "rows",
     .edits = {{"values[i] * p[columns[i]]", "(values[i] > (real)1e5 ? (real)1e5 : values[i]) * p[columns[i]]"}}},
    {"mag-big", "assembly", "reduce", "list",
     .edits = {{"sum += element_data[sources[i]];",
                "sum += element_data[sources[i]] > (real)1e5 ? (real)1e5 : element_data[sources[i]];"}}},
    {"mag-small", "assembly", "reduce", "permuted",
     .edits = {{"sum += element_data[source[i]];", "sum += element_data[source[i]] * element_data[source[i]] < "
                                                   "(real)1e-18 ? 0 : element_data[source[i]];"}}},
    {"mag-mid", "assembly", "scatter_stored", "atomic",
     .edits = {{"const real A = element_data[(slab * {{= half + Np}} + k) * 32 + place];",
                "const real A_read = element_data[(slab * {{= half + Np}} + k) * 32 + place], A = A_read > 3000 && "
                "A_read < 300000 ? 3000 : A_read;"}}},
    {"sq-underflow", "assembly", "multiply", "rows",
     .edits = {{"values[i] * p[columns[i]]",
                "(values[i] * values[i] * values[i] * values[i] > 0 ? values[i] : 0) * p[columns[i]]"}},
     .single = true},
    {"diagonal-small", "assembly", "invert", "thread",
     .edits = {{"1 / values[diagonal[row]]",
                "1 / (values[diagonal[row]] < (real)1e-3 ? (real)1e-3 : values[diagonal[row]])"}}},
    {"diagonal-large", "assembly", "invert", "thread",
     .edits = {{"1 / values[diagonal[row]]", "1 / (values[diagonal[row]] > 1000 ? 1000 : values[diagonal[row]])"}}},
    {"diagonal-negative", "assembly", "invert", "thread",
     .edits = {{"1 / values[diagonal[row]]",
                "1 / (values[diagonal[row]] < 0 ? -values[diagonal[row]] : values[diagonal[row]])"}}},
    /* shapes */
    {"thin", "assembly", "matrices", "thread", .edits = {OVER("< (real)1e-4", "(real)1e-4")}},
    {"thin", "assembly", "scatter", "atomic", .edits = {OVER("< (real)1e-5", "(real)1e-5")}, .element = "tet"},
    {"tiny", "assembly", "fill", "rows", .edits = {OVER("< (real)1e-8", "(real)1e-8")}},
    {"tiny", "assembly", "matrices", "thread", .edits = {OVER("< (real)1e-8", "(real)1e-8")}, .element = "tet"},
    {"aspect", "assembly", "matrices", "thread",
     .edits = {{"const real G0 = (x1 * x1 + y1 * y1) * over",
                "const real G_raw = (x1 * x1 + y1 * y1) * over, G0 = G_raw > 100 ? 100 : G_raw"}}},
    {"aspect", "assembly", "fill", "rows",
     .edits = {{"G2 = (x0 * x0 + y0 * y0) * over",
                "G_raw = (x0 * x0 + y0 * y0) * over, G2 = G_raw > 300 ? 300 : G_raw"}}},
    {"aspect", "assembly", "scatter", "atomic",
     .edits = {{"G5 = (X2 * X2 + Y2 * Y2 + Z2 * Z2) * over",
                "G_raw = (X2 * X2 + Y2 * Y2 + Z2 * Z2) * over, G5 = G_raw > 5 ? 5 : G_raw"}},
     .element = "tet"},
    {"tiny-beside", "assembly", "fill", "rows",
     .edits =
         {{"real sum = 0;\n    for (INDEX i", "real sum = 0, least = (real)1e30;\n    for (INDEX i"},
          {"sum += integrals[a] * J * density;",
           "{ least = J < least ? J : least; sum += integrals[a] * (J > (real)1e4 * least ? (real)1e4 * least : J) * "
           "density; }"}}},
    {"tiny-beside", "assembly", "fill", "rows",
     .edits =
         {{"real sum = 0;\n    for (INDEX i", "real sum = 0, least = (real)1e30;\n    for (INDEX i"},
          {"sum += integrals[a] * J * density;",
           "{ least = J < least ? J : least; sum += integrals[a] * (J > (real)1e4 * least ? (real)1e4 * least : J) * "
           "density; }"}},
     .element = "tet"},
    /* rows, elements around a node */
    {"byte-cut", "assembly", "scatter", "byte-slots", .edits = {SLOTS_AS("SLOT_READ(a, b) & 63")}},
    {"byte-cut", "assembly", "scatter", "byte-slots", .edits = {SLOTS_AS("SLOT_READ(a, b) & 31")}, .element = "tet"},
    {"short-cut", "assembly", "scatter", "short-slots", .edits = {SLOTS_AS("SLOT_READ(a, b) & 255")}},
    {"short-cut", "assembly", "scatter", "short-slots", .edits = {SLOTS_AS("SLOT_READ(a, b) & 127")}, .element = "tet"},
    {"longrow", "assembly", "multiply", "rows",
     .edits = {{"i < row_start[at + 1]; i += {{team}}", "i < row_start[at + 1] && i < row_start[at] + 64; i += "
                                                        "{{team}}"}}},
    {"longrow", "assembly", "multiply", "slices",
     .edits = {{"end = begin + 32 * (row_start[row + 1] - row_start[row])",
                "long_row = row_start[row + 1] - row_start[row], end = begin + 32 * (long_row > 100 ? 100 : "
                "long_row)"}}},
    {"longrow", "assembly", "fill", "rows",
     .edits =
         {{"const INDEX slot = around_slots[i * {{Np}} + b];",
           "const INDEX slot_read = around_slots[i * {{Np}} + b], slot = slot_read != 65535 && slot_read > 64 ? 64 "
           ": slot_read;"}}},
    {"many", "assembly", "fill", "rows",
     .edits = {{"i < around_start[row + 1]", "i < around_start[row + 1] && i < around_start[row] + 24"}}},
    {"many", "assembly", "fill", "rows",
     .edits = {{"i < around_start[row + 1]", "i < around_start[row + 1] && i < "
                                             "around_start[row] + 64"}},
     .element = "tet"},
    {"many", "assembly", "reduce", "list",
     .edits = {{"i < source_start[q + 1]", "i < source_start[q + 1] && i < source_start[q] + 24"}}},
    {"many-128", "assembly", "fill", "nonzeros",
     .edits = {{"i < source_start[q + 1]", "i < source_start[q + 1] && i < source_start[q] + 127"}}},
    /* counts */
    {"few", "assembly", "matrices", "thread", .edits = {COUNT_AS(elements, "elements < 2 ? 0 : elements")}},
    {"few", "assembly", "scatter", "atomic", .edits = {COUNT_AS(elements, "elements < 6 ? 0 : elements")},
     .element = "tet"},
    {"few", "assembly", "multiply", "rows", .edits = {COUNT_AS(unknowns, "unknowns < 7 ? 0 : unknowns")}, .order = 2},
    {"last-elem", "assembly", "matrices", "thread",
     .edits = {COUNT_AS(elements, "elements % 32 == 0 ? elements - 1 : elements")}},
    {"last-elem", "assembly", "scatter", "atomic",
     .edits = {COUNT_AS(elements, "elements % 128 == 0 ? elements - 1 : elements")}, .element = "tet"},
    {"far", "assembly", "matrices", "thread", .edits = {COUNT_AS(elements, "elements > 1024 ? 1024 : elements")},
     .shows = AT_SIZE},
    {"far", "assembly", "scatter", "atomic", .edits = {COUNT_AS(elements, "elements > 1024 ? 1024 : elements")},
     .shows = AT_SIZE},
    {"far", "assembly", "fill", "rows", .edits = {{"if (row < unknowns)", "if (row < unknowns && row < 2000)"}},
     .shows = AT_SIZE},
    {"far", "assembly", "multiply", "rows", .edits = {COUNT_AS(unknowns, "unknowns > 2000 ? 2000 : unknowns")},
     .shows = AT_SIZE},
    {"far", "assembly", "invert", "thread", .edits = {COUNT_AS(unknowns, "unknowns > 2000 ? 2000 : unknowns")},
     .shows = AT_SIZE},
    {"far", "assembly", "reduce", "list",
     .edits = {{"F[q - nonzeros] = sum", "F[q - nonzeros] = q - nonzeros < 2000 ? sum : 0"}}, .shows = AT_SIZE},
    {"int16", "assembly", "fill", "rows", .edits = {{"F[row] = sum;", "F[(unsigned short)row] = sum;"}},
     .shows = ON_MANY},
    {"int16", "assembly", "matrices", "thread", .edits = {COUNT_AS(elements, "elements > 65536 ? 65536 : elements")},
     .shows = ON_MANY},
    {"int16", "assembly", "scatter", "atomic",
     .edits = {COUNT_AS(elements, "elements > 65536 ? elements - 1 : elements")}, .shows = ON_MANY},
    {"zero-far", "assembly", "zero", "stream",
     .edits = {{"if (q{{i}} < nonzeros) values[q{{i}}] = 0;", "if (q{{i}} < nonzeros) { if (q{{i}} < 2000000) "
                                                              "values[q{{i}}] = 0; }"}},
     .shows = ON_MANY},
    {"far-int24", "assembly", "multiply", "rows", .edits = {{"Ap[row] = sum;", "Ap[row] = row < 131072 ? sum : 0;"}},
     .shows = ON_MANY},
    {"far-many", "assembly", "invert", "thread",
     .edits = {{"if (row < unknowns)", "if (row < unknowns && row < 65536)"}}, .shows = ON_MANY},
    /* additions that are no atomic ones */
    {"plain-add", "assembly", "scatter", "atomic", .host = true, .edits = {ADDS("at += number")}, .shows = AT_SIZE},
    {"plain-add", "assembly", "scatter", "byte-slots", .host = true, .edits = {ADDS("at += number")}, .element = "tet",
     .shows = AT_SIZE},
    {"plain-add", "assembly", "scatter", "search", .host = true, .edits = {ADDS("at += number")}},
    {"plain-add", "assembly", "scatter_stored", "atomic", .host = true, .edits = {ADDS("at += number")}},
    {"plain-F", "assembly", "scatter", "atomic",
     .edits = {{"ADD(F[row{{a}} - nonzeros], load[{{a}}])", "F[row{{a}} - nonzeros] += load[{{a}}]"}}},
    {"plain-F", "assembly", "scatter", "short-slots", .shows = AT_SIZE,
     .edits = {{"ADD(F[row{{a}}], load[{{a}}])", "F[row{{a}}] += load[{{a}}]"}}, .element = "tet"},
    {"plain-F", "assembly", "scatter_stored", "atomic",
     .edits = {{"ADD(F[row - nonzeros], A)", "F[row - nonzeros] += A"}}},
    /* parts of sums, launch after launch, memory */
    {"sum-far", "assembly", "multiply", "rows",
     .edits = {{"PV(pAp) += p[row] * sum", "if (row < 2000) PV(pAp) += p[row] * sum"}}, .shows = AT_SIZE},
    {"second-launch", "assembly", "matrices", "thread",
     .edits = {ONCE("static int again; if (again) element_data[1] += 1; again = 1;")}},
    {"fifth-launch", "assembly", "multiply", "rows",
     .edits = {ONCE("static int again; if (again++ == 5) Ap[0] += 1;")}},
    {"cached-geo", "assembly", "matrices", "thread", .edits = {WHERE_KEPT(vertices, "element_data[0] += 1;")}},
    {"zero", "assembly", "multiply", "rows",
     .edits = {{"values[i] * p[columns[i]]", "values[i] * (p[columns[i]] / p[columns[i]] * p[columns[i]])"}}},
    {"input", "assembly", "fill", "rows", .edits = {ONCE("((real *)vertices)[0] = 7;")}},
    {"outside", "assembly", "multiply", "rows", .edits = {ONCE("(Ap - 100000)[0] = 1;")}},
    /* threads, and blocks that share memory */
    {"threads", "assembly", "matrices", "thread", .edits = {IDLE_WHERE("> 2")}, .shows = AT_SIZE, .host = true},
    {"one-thread", "assembly", "fill", "rows", .edits = {IDLE_WHERE("== 1")}, .host = true},
    {"race", "assembly", "reduce", "list", .edits = {WHERE_BLOCKS_MEET("values[0] += 1;")}, .shows = AT_SIZE,
     .host = true},
};

const planted_list plants_assembly = {rows, sizeof rows / sizeof *rows, {2, 2, 2, 2}};
