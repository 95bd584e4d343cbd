/* The tensor-product family on hexahedra (Swirydowicz, Chalmers, Karakus, Warburton 2019): element-local mass and
 * stiffness operators, their names for templates, minimal work. */
#include "hex.h"
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each operator once with stored geometric factors, once with factors made of the eight vertices on the fly; then what
 * conjugate gradients on continuous elements need besides. */
static const char *const kernels[] = {
    "mass",
    "stiffness",
    "collocated",
    "mass_trilinear",
    "stiffness_trilinear",
    "collocated_trilinear",
    "update",
    "spread",
    "gather",
    "advance",
    "smooth",
    NULL,
};

/* An operator's application is one kernel: there is nothing to compose. */
static const char *const compositions[] = {NULL};

/* Elements lie one after the other, node fastest, without padding: what a mesh of continuous elements gathers from. */
static int layouts(int order, wisp_layout out[8])
{
  int Nq = order + 1;
  out[0] = wisp_layout_padded(Nq * Nq * Nq, 0, 1);
  return 1;
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
  wisp_status status = WISP_OK;
  char list[32];
  wisp_env *item = NULL;
  const wisp_size sizes[] = {{"rows", o->rows}, {"columns", o->columns}, {"sign", o->sign}};
  snprintf(list, sizeof list, "matrix_%s", o->name);
  TRY(wisp_env_item(err, env, list, &item));
  TRY(wisp_names_sizes(err, item, sizes, 3));
  TRY(wisp_env_reals(err, item, "full", full, (size_t)(o->rows * o->columns)));
  TRY(wisp_env_reals(err, item, "even", even, half_count));
  TRY(wisp_env_reals(err, item, "odd", odd, half_count));
done:
  return status;
}

/* Tables NAME, NAMEe and NAMEo (even and odd halves, hex.h), and the list matrix_NAME. */
static wisp_status add_operator(wisp_error *err, wisp_env *env, const operator_table *o)
{
  wisp_status status = WISP_OK;
  double full[MOST * MOST], even[MOST * MOST], odd[MOST * MOST];
  char name[32];
  size_t half_count = (size_t)((o->rows + 1) / 2 * ((o->columns + 1) / 2));
  if (o->transposed)
    transpose(o->A, o->columns, o->rows, full);
  else
    memcpy(full, o->A, (size_t)(o->rows * o->columns) * sizeof *full);
  wisp_hex_halves(full, o->rows, o->columns, even, odd);
  TRY(wisp_env_reals(err, env, o->name, full, (size_t)(o->rows * o->columns)));
  snprintf(name, sizeof name, "%se", o->name);
  TRY(wisp_env_reals(err, env, name, even, half_count));
  snprintf(name, sizeof name, "%so", o->name);
  TRY(wisp_env_reals(err, env, name, odd, half_count));
  TRY(add_item(err, env, o, full, even, odd, half_count));
done:
  return status;
}

static wisp_status add_tables(wisp_error *err, wisp_env *env, const wisp_hex *hex)
{
  wisp_status status = WISP_OK;
  int Nq = hex->Nq, Gl = hex->Gl;
  const operator_table operators[] = {
      {"I", hex->I, Gl, Nq, 1, false},  {"IT", hex->I, Nq, Gl, 1, true},      {"D", hex->D, Nq, Nq, -1, false},
      {"DT", hex->D, Nq, Nq, -1, true}, {"glD", hex->glD, Gl, Gl, -1, false}, {"glDT", hex->glD, Gl, Gl, -1, true},
  };
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) TRY(add_operator(err, env, &operators[i]));
  TRY(wisp_env_reals(err, env, "gll_points", hex->gll_points, (size_t)Nq));
  TRY(wisp_env_reals(err, env, "gll_weights", hex->gll_weights, (size_t)Nq));
  TRY(wisp_env_reals(err, env, "gauss_points", hex->gauss_points, (size_t)Gl));
  TRY(wisp_env_reals(err, env, "gauss_weights", hex->gauss_weights, (size_t)Gl));
done:
  return status;
}

static wisp_status names(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, const wisp_target *target,
                         wisp_env **out)
{
  wisp_status status = WISP_OK;
  wisp_hex *hex = NULL;
  wisp_env *env = NULL;
  TRY(wisp_hex_create(err, spec->order, &hex));
  TRY(wisp_env_create(err, NULL, &env));
  const wisp_size sizes[] = {
      {"N", hex->N},       {"Np", hex->Np},    {"Nq", hex->Nq},      {"Gl", hex->Gl},
      {"glNp", hex->glNp}, {"KM", layout->KM}, {"NpM", layout->NpM},
  };
  TRY(wisp_names_sizes(err, env, sizes, sizeof sizes / sizeof *sizes));
  TRY(wisp_names_target(err, env, spec->precision, target));
  TRY(add_tables(err, env, hex));
  *out = env;
  env = NULL;
done:
  wisp_env_destroy(env);
  wisp_hex_destroy(hex);
  return status;
}

/* The vector kernels of conjugate gradients, in a large mesh: numbers of the unknowns, N^3 an element; weights, four
 * bytes; numbers of the Np copies of their nodes; and what leads from the ones to the others. From unknowns that
 * elements share: two integers each, four more on an edge, of four copies, and eight at a vertex, of eight. From nodes
 * on an element's surface: one each. */
static bool vector_work(const wisp_spec *spec, double elements, wisp_work *out)
{
  const double N = spec->order, unknowns = N * N * N, copies = (N + 1) * (N + 1) * (N + 1);
  const double within = (N - 1) * (N - 1) * (N - 1), surface = copies - within;
  const double lists = 2 * (unknowns - within) + 4 * 3 * (N - 1) + 8;
  const struct {
    const char *kernel;
    int vectors, weights, copies; /* of an unknown */
    double integers;
    int flops;
  } counts[] = {{"update", 5, 1, 0, 0, 6},
                {"spread", 1, 0, 1, surface, 0},
                {"gather", 2, 0, 1, lists, 2},
                {"advance", 3, 1, 0, 0, 8},
                {"smooth", 5, 1, 1, lists, 8}};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    if (strcmp(spec->kernel, counts[i].kernel) != 0) continue;
    const double numbers = counts[i].vectors * unknowns + counts[i].copies * copies;
    const double words = counts[i].weights * unknowns + counts[i].integers;
    *out = (wisp_work){(numbers * (double)spec->precision + 4 * words) * elements,
                       counts[i].flops * unknowns * elements, unknowns * elements};
    return true;
  }
  return false;
}

/* Numbers that must move for one element, inputs once and outputs once, and operations of the plain contractions: a
 * derivative in each of three directions and its transpose, 2 n^4 each. */
static wisp_status work(wisp_error *err, const wisp_spec *spec, double elements, wisp_work *out)
{
  double Nq = spec->order + 1, Gl = spec->order + 2, Np = Nq * Nq * Nq, glNp = Gl * Gl * Gl;
  double there_and_back = 4 * (Nq * Nq * Nq * Gl + Nq * Nq * Gl * Gl + Nq * Gl * Gl * Gl);
  double gauss_stiffness = 12 * Gl * glNp + 15 * glNp, gll_stiffness = 12 * Nq * Np + 15 * Np;
  const double vertices = 3 * WISP_HEX_VERTICES, factors = WISP_HEX_FACTORS;
  const struct {
    const char *kernel;
    double geometry, flops;
  } counts[] = {
      {"mass", glNp, there_and_back + glNp},
      {"stiffness", factors * glNp, there_and_back + gauss_stiffness},
      {"collocated", factors * Np, gll_stiffness},
      {"mass_trilinear", vertices, there_and_back + glNp},
      {"stiffness_trilinear", vertices, there_and_back + gauss_stiffness},
      {"collocated_trilinear", vertices, gll_stiffness},
  };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    if (strcmp(spec->kernel, counts[i].kernel) != 0) continue;
    *out = (wisp_work){(2 * Np + counts[i].geometry) * (double)spec->precision * elements, counts[i].flops * elements,
                       Np * elements};
    return WISP_OK;
  }
  if (vector_work(spec, elements, out)) return WISP_OK;
  return wisp_fail(err, WISP_EUSAGE, "the tensor family has no kernel '%s'", spec->kernel);
}

/* What tells the operators apart, for the spaces and texts that they share: interpolated to Gauss points or collocated,
 * derivatives or the mass alone, geometry from the vertices or stored. */
static const wisp_size *facts(const char *kernel)
{
  static const struct {
    const char *kernel;
    wisp_size fact[4];
  } operators[] = {
      {"mass", {{"interpolated", 1}, {"derivatives", 0}, {"trilinear", 0}, {NULL, 0}}},
      {"mass_trilinear", {{"interpolated", 1}, {"derivatives", 0}, {"trilinear", 1}, {NULL, 0}}},
      {"stiffness", {{"interpolated", 1}, {"derivatives", 1}, {"trilinear", 0}, {NULL, 0}}},
      {"stiffness_trilinear", {{"interpolated", 1}, {"derivatives", 1}, {"trilinear", 1}, {NULL, 0}}},
      {"collocated", {{"interpolated", 0}, {"derivatives", 1}, {"trilinear", 0}, {NULL, 0}}},
      {"collocated_trilinear", {{"interpolated", 0}, {"derivatives", 1}, {"trilinear", 1}, {NULL, 0}}},
  };
  static const wisp_size none[] = {{NULL, 0}};
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (strcmp(kernel, operators[i].kernel) == 0) return operators[i].fact;
  return none;
}

const wisp_family wisp_family_tensor = {
    "tensor", "hex", {1, WISP_HEX_MAX_ORDER}, kernels, compositions, "poisson", names, layouts, work, facts,
};
