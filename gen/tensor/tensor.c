/* The tensor-product family on hexahedra (Swirydowicz, Chalmers, Karakus, Warburton 2019): element-local mass and
 * stiffness operators, their names for templates, minimal work. */
#include "tensor.h"
#include "hex.h"
#include "../family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An operator's own: its elements one after the other. Vectors: unknowns, rounded up to vectors of either precision,
 * and their copies in the elements; see runtime/solve/cg.h. */
static const wisp_array_decl arrays[] = {
    [WISP_TENSOR_U] = {"u", WISP_REAL, WISP_FIELD, "elements*Np",
                       "the field in the elements: node (k Nq + j) Nq + i of element e at e Np + node, i along r"},
    [WISP_TENSOR_Y] = {"y", WISP_REAL, WISP_FIELD, "elements*Np",
                       "the operator applied to it, element by element; placed as u"},
    [WISP_TENSOR_GAUSS_FACTORS] =
        {"gauss_factors", WISP_REAL, WISP_FIXED, "elements*glNp*7",
         "at Gauss point q of element e: w J G, 7 glNp an element, G00 G01 G02 G11 G12 G22 and w J, glNp of each"},
    [WISP_TENSOR_GAUSS_MASS] = {"gauss_mass", WISP_REAL, WISP_FIXED, "elements*glNp",
                                "at each Gauss point w J: weight times Jacobian"},
    [WISP_TENSOR_GLL_FACTORS] =
        {"gll_factors", WISP_REAL, WISP_FIXED, "elements*Np*7",
         "at node q of element e: w J G, 7 Np an element, G00 G01 G02 G11 G12 G22 and w J, Np of each"},
    [WISP_TENSOR_VERTICES] = {"vertices", WISP_REAL, WISP_FIXED, "elements*24",
                              "24 an element: 8 d + v for coordinate d of corner v = vr + 2 vs + 4 vt"},
    [WISP_TENSOR_SOLUTION] = {"solution", WISP_REAL, WISP_FIELD, "padded", "the solution at the unknowns"},
    [WISP_TENSOR_P] = {"p", WISP_REAL, WISP_FIELD, "padded", "the search direction, 0 behind the unknowns"},
    [WISP_TENSOR_Z] = {"z", WISP_REAL, WISP_FIELD, "padded", "the preconditioned residual, 0 behind the unknowns"},
    [WISP_TENSOR_R] = {"r", WISP_REAL, WISP_FIELD, "padded", "the residual, 0 behind the unknowns"},
    [WISP_TENSOR_AP] = {"Ap", WISP_REAL, WISP_FIELD, "padded", "the operator applied to p, 0 behind the unknowns"},
    [WISP_TENSOR_D] = {"d", WISP_REAL, WISP_FIELD, "padded", "the last step of the Chebyshev iteration"},
    [WISP_TENSOR_INVERSE] = {"inverse", WISP_SINGLE, WISP_POSITIVE, "padded", "one over the operator's diagonal"},
    [WISP_TENSOR_COPY_ONE] = {"copy_one", WISP_INT, WISP_FIXED, "unknowns-within",
                              "of each unknown on an element's surface its first copy in u and y"},
    [WISP_TENSOR_COPY_TWO] = {"copy_two", WISP_INT, WISP_FIXED, "unknowns-within",
                              "its second copy where there are two; else -1 - the place of the others in copy_more"},
    [WISP_TENSOR_COPY_MORE] = {"copy_more", WISP_INT, WISP_FIXED, "more",
                               "how many copies there are besides the first, then these"},
    [WISP_TENSOR_SURFACE] = {"surface", WISP_INT, WISP_FIXED, "surfaces",
                             "of each node on an element's surface its unknown; -1: it is none"},
    [WISP_TENSOR_RZ_SUMS] = {"rz_sums", WISP_REAL, WISP_PARTS, "rz_room", "parts of r . z, one a block"},
    [WISP_TENSOR_RR_SUMS] = {"rr_sums", WISP_REAL, WISP_PARTS, "rz_room", "parts of r . r, one a block"},
    [WISP_TENSOR_PAP_SUMS] = {"pAp_sums", WISP_REAL, WISP_PARTS, "pAp_room", "parts of p . Ap, one a block"},
    [WISP_TENSOR_STATE] = {"state", WISP_REAL, WISP_STATE, "states",
                           "r.z, the one before, alpha, whether it runs, r.r, its limit, the iteration"},
    [WISP_TENSOR_HISTORY] = {"history", WISP_REAL, WISP_STATE, "3*history_room", "of each iteration r.r, beta, alpha"},
    [WISP_TENSOR_LEFT] = {"left", WISP_INT, WISP_STATE, "solves",
                          "iterations that are left, 0 once the residual is small enough"},
    [WISP_TENSOR_ARRAYS] = {NULL, WISP_REAL, WISP_FIXED, NULL, NULL},
};

static const wisp_scalar_decl scalars[] = {
    {"groups", "elements"},
    {"lambda", "of the operator -laplace + lambda"},
    {"unknowns", "numbers of a vector"},
    {"within", "unknowns within the elements, which come first"},
    {"padded", "unknowns, rounded up to whole vectors of either precision"},
    {"scale", "of the preconditioner, scale times inverse"},
    {"gain", "of a Chebyshev step: the new residual's share"},
    {"keep", "of a Chebyshev step: the last step's share"},
    {"first_step", "whether it is the first Chebyshev step"},
    {"polynomial", "whether the preconditioner is a polynomial"},
    {"pAp_parts", "parts of p . Ap"},
    {"rz_parts", "parts of r . z"},
    {"rr_parts", "parts of r . r"},
    {"history_room", "iterations that history has room for"},
    {NULL, NULL},
};

/* Of an operator on an element: a derivative in each of three directions and its transpose, 2 n^4 each; sums pass
 * through all contractions. Geometry made of the vertices on the fly costs a term a dozen roundings more. */
#define THERE_AND_BACK "4*(Nq*Nq*Nq*Gl+Nq*Nq*Gl*Gl+Nq*Gl*Gl*Gl)"
#define GAUSS_STIFFNESS "12*Gl*glNp+15*glNp"
#define OPERATOR(NAME, READS, SUM, GEOMETRY, FLOPS, ...)                                                       \
  {                                                                                                            \
    .name = NAME, .reads = "u " READS, .writes = "y", .sum = SUM, .numbers = "2*Np+" GEOMETRY, .flops = FLOPS, \
    .dofs = "Np", .facts = FACTS(__VA_ARGS__)                                                                  \
  }
/* What tells the operators apart, for the spaces and texts that they share: interpolated to Gauss points or collocated,
 * derivatives or the mass alone, geometry from the vertices or stored. */
// clang-format off
#define FACTS(INTERPOLATED, DERIVATIVES, TRILINEAR) (const wisp_size[4]) {                  \
    {"interpolated", INTERPOLATED}, {"derivatives", DERIVATIVES}, {"trilinear", TRILINEAR}, \
  }
// clang-format on

/* Each operator once with stored geometric factors, once with factors made of the eight vertices on the fly; then what
 * conjugate gradients on continuous elements need besides: vectors, in a large mesh N^3 numbers an element, of which
 * `lists` leads from the unknowns to their copies and `surface` from an element's surface back to them. */
static const wisp_kernel_decl kernels[] = {
    OPERATOR("mass", "gauss_mass", "6*Gl+1", "glNp", THERE_AND_BACK "+glNp", 1, 0, 0),
    OPERATOR("stiffness", "gauss_factors", "10*Gl+4", "7*glNp", THERE_AND_BACK "+" GAUSS_STIFFNESS, 1, 1, 0),
    OPERATOR("collocated", "gll_factors", "2*Gl+10", "7*Np", "12*Nq*Np+15*Np", 0, 1, 0),
    OPERATOR("mass_trilinear", "vertices", "6*Gl+145", "24", THERE_AND_BACK "+glNp", 1, 0, 1),
    OPERATOR("stiffness_trilinear", "vertices", "10*Gl+148", "24", THERE_AND_BACK "+" GAUSS_STIFFNESS, 1, 1, 1),
    OPERATOR("collocated_trilinear", "vertices", "2*Gl+154", "24", "12*Nq*Np+15*Np", 0, 1, 1),
    {.name = "update",
     .reads = "solution p r inverse z rz_sums rr_sums state history left",
     .writes = "solution p state history left",
     .sum = "300",
     .numbers = "5*unknowns",
     .words = "unknowns",
     .flops = "6*unknowns",
     .dofs = "unknowns"},
    {.name = "spread",
     .reads = "p z surface",
     .alias = "vector",
     .writes = "u",
     .sum = "0",
     .numbers = "unknowns+Np",
     .words = "surface",
     .flops = "0",
     .dofs = "unknowns"},
    {.name = "gather",
     .reads = "y p copy_one copy_two copy_more",
     .writes = "Ap pAp_sums",
     .sum = "8",
     .numbers = "2*unknowns+Np",
     .words = "lists",
     .flops = "2*unknowns",
     .dofs = "unknowns"},
    {.name = "advance",
     .reads = "r Ap inverse pAp_sums state history left",
     .writes = "r z rz_sums rr_sums state history left",
     .sum = "300",
     .numbers = "3*unknowns",
     .words = "unknowns",
     .flops = "8*unknowns",
     .dofs = "unknowns"},
    {.name = "smooth",
     .reads = "y r z d inverse copy_one copy_two copy_more",
     .writes = "z d rz_sums",
     .sum = "12",
     .numbers = "5*unknowns+Np",
     .words = "unknowns+lists",
     .flops = "8*unknowns",
     .dofs = "unknowns"},
    {.name = NULL},
};

static const wisp_element elements[] = {{"hex", {1, WISP_HEX_MAX_ORDER}}, {NULL, {0, 0}}};

/* An operator's application is one kernel: there is nothing to compose. */
static const char *const compositions[] = {NULL};

/* Elements lie one after the other, node fastest, without padding: what a mesh of continuous elements gathers from. */
static int layouts(const wisp_spec *spec, wisp_layout out[8])
{
  const int Nq = spec->order + 1;
  out[0] = wisp_layout_padded(Nq * Nq * Nq, 0, 1);
  return 1;
}

static wisp_status place_nodes(wisp_error *err, const wisp_spec *spec, double *rst)
{
  OWNED(wisp_hex_destroy) wisp_hex *hex = NULL;
  CALL(wisp_hex_create(err, spec->order, &hex));
  for (int q = 0; q < hex->Np; q++) {
    *rst++ = hex->gll_points[q % hex->Nq];
    *rst++ = hex->gll_points[q / hex->Nq % hex->Nq];
    *rst++ = hex->gll_points[q / hex->Nq / hex->Nq];
  }
  return WISP_OK;
}

/* Largest matrix: Gl x Gl at the highest order. */
enum { MOST = WISP_HEX_MAX_ORDER + 2 };

/* A matrix as templates know it, by its name, and as the list "matrix_NAME" of one item for the parts that take it. */
typedef struct operator_table {
  const char *name;
  const double *A;
  int rows, columns, sign; /* A[rows-1-m][columns-1-n] = sign A[m][n] */
  bool transposed;         /* the operator is the transpose of A */
} operator_table;

static void transpose(const double *A, int rows, int columns, double *out)
{
  for (int m = 0; m < rows; m++)
    for (int n = 0; n < columns; n++) out[n * rows + m] = A[m * columns + n];
}

/* The list's item: rows, columns, sign, and the tables full, even, odd. */
static wisp_status add_item(wisp_error *err, wisp_env *env, const operator_table *o, const double *full,
                            const double *even, const double *odd, size_t half_count)
{
  char list[32];
  wisp_env *item = NULL;
  const wisp_size sizes[] = {{"rows", o->rows}, {"columns", o->columns}, {"sign", o->sign}};
  snprintf(list, sizeof list, "matrix_%s", o->name);
  CALL(wisp_env_item(err, env, list, &item));
  CALL(wisp_names_sizes(err, item, sizes, 3));
  CALL(wisp_env_reals(err, item, "full", full, (size_t)(o->rows * o->columns)));
  CALL(wisp_env_reals(err, item, "even", even, half_count));
  return wisp_env_reals(err, item, "odd", odd, half_count);
}

/* Tables NAME, NAMEe and NAMEo (even and odd halves, hex.h), and the list matrix_NAME. */
static wisp_status add_operator(wisp_error *err, wisp_env *env, const operator_table *o)
{
  double full[MOST * MOST], even[MOST * MOST], odd[MOST * MOST];
  char name[32];
  size_t half_count = (size_t)((o->rows + 1) / 2 * ((o->columns + 1) / 2));
  if (o->transposed)
    transpose(o->A, o->columns, o->rows, full);
  else
    memcpy(full, o->A, (size_t)(o->rows * o->columns) * sizeof *full);
  wisp_hex_halves(full, o->rows, o->columns, even, odd);
  CALL(wisp_env_reals(err, env, o->name, full, (size_t)(o->rows * o->columns)));
  snprintf(name, sizeof name, "%se", o->name);
  CALL(wisp_env_reals(err, env, name, even, half_count));
  snprintf(name, sizeof name, "%so", o->name);
  CALL(wisp_env_reals(err, env, name, odd, half_count));
  return add_item(err, env, o, full, even, odd, half_count);
}

static wisp_status add_tables(wisp_error *err, wisp_env *env, const wisp_hex *hex)
{
  int Nq = hex->Nq, Gl = hex->Gl;
  const operator_table operators[] = {
      {"I", hex->I, Gl, Nq, 1, false},  {"IT", hex->I, Nq, Gl, 1, true},      {"D", hex->D, Nq, Nq, -1, false},
      {"DT", hex->D, Nq, Nq, -1, true}, {"glD", hex->glD, Gl, Gl, -1, false}, {"glDT", hex->glD, Gl, Gl, -1, true},
  };
  for (size_t i = 0; i < WISP_COUNT(operators); i++) CALL(add_operator(err, env, &operators[i]));
  CALL(wisp_env_reals(err, env, "gll_points", hex->gll_points, (size_t)Nq));
  CALL(wisp_env_reals(err, env, "gll_weights", hex->gll_weights, (size_t)Nq));
  CALL(wisp_env_reals(err, env, "gauss_points", hex->gauss_points, (size_t)Gl));
  return wisp_env_reals(err, env, "gauss_weights", hex->gauss_weights, (size_t)Gl);
}

static wisp_status names(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, const wisp_target *target,
                         wisp_env **out)
{
  OWNED(wisp_hex_destroy) wisp_hex *hex = NULL;
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  CALL(wisp_hex_create(err, spec->order, &hex));
  CALL(wisp_env_create(err, NULL, &env));
  const wisp_size sizes[] = {
      {"N", hex->N},       {"Np", hex->Np},    {"Nq", hex->Nq},      {"Gl", hex->Gl},
      {"glNp", hex->glNp}, {"KM", layout->KM}, {"NpM", layout->NpM},
  };
  CALL(wisp_names_sizes(err, env, sizes, WISP_COUNT(sizes)));
  CALL(wisp_names_target(err, env, spec->precision, target));
  CALL(add_tables(err, env, hex));
  return GIVE(env, out);
}

/* unknowns: of a large mesh, N^3 an element. lists: from unknowns that elements share, two integers each, four more on
 * an edge, of four copies, and eight at a vertex, of eight. surface: one for each node on an element's surface. */
static wisp_status sizes(wisp_error *err, const wisp_spec *spec, wisp_env *env)
{
  const int N = spec->order, Nq = N + 1, Gl = N + 2, Np = Nq * Nq * Nq, unknowns = N * N * N;
  const int within = (N - 1) * (N - 1) * (N - 1);
  const wisp_size all[] = {{"Nq", Nq},
                           {"Gl", Gl},
                           {"Np", Np},
                           {"glNp", Gl * Gl * Gl},
                           {"unknowns", unknowns},
                           {"lists", 2 * (unknowns - within) + 4 * 3 * (N - 1) + 8},
                           {"surface", Np - within}};
  return wisp_names_sizes(err, env, all, WISP_COUNT(all));
}

const wisp_family wisp_family_tensor = {.name = "tensor",
                                        .elements = elements,
                                        .arrays = arrays,
                                        .kernels = kernels,
                                        .scalars = scalars,
                                        .wide = "gauss_factors gll_factors",
                                        .promise = {1e-5, 1e-13},
                                        .compositions = compositions,
                                        .default_system = "poisson",
                                        .shown = "wp wi ws",
                                        .names = names,
                                        .layouts = layouts,
                                        .nodes = place_nodes,
                                        .sizes = sizes};
