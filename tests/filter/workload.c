/* The filter as one file in tuner/ would know it. Elements stand alone and have no geometry: the ground is their number
 * and order. */
#include "../../tuner/trial/yardstick_copy.h"
#include "filter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TO_CHECK = 37 };

typedef struct ground {
  long long elements;
  int N, Np;
  double F[FILTER_MAX_NP * FILTER_MAX_NP];
} ground;

static wisp_status open_ground(wisp_error *err, const wisp_limits *limits, int order, long long elements,
                               const wisp_mesh_source *source, void **out)
{
  wisp_status status = WISP_OK;
  ground *g = NULL;
  (void)limits;
  TRY(wisp_new(err, 1, sizeof *g, &g));
  *g = (ground){
      .elements = source ? elements > 0 ? elements : 20000 : TO_CHECK, .N = order, .Np = (order + 1) * (order + 2) / 2};
  TRY(filter_matrix(err, order, g->F));
  *out = g;
  g = NULL;
done:
  free(g);
  return status;
}

static long long elements(const void *context)
{
  return ((const ground *)context)->elements;
}

static void place(const void *self, const wisp_array_decl *array, size_t i, char text[WISP_PLACE_TEXT])
{
  const size_t Np = (size_t)((const ground *)self)->Np;
  (void)array;
  snprintf(text, WISP_PLACE_TEXT, "triangle %zu, node %zu", i / Np, i % Np);
}

static wisp_status discretise(wisp_error *err, const void *context, const wisp_spec *spec, const wisp_layout *layout,
                              const wisp_fixed *fixed, wisp_discretisation *out)
{
  const ground *g = context;
  const size_t count = (size_t)g->elements;
  (void)err, (void)spec, (void)layout, (void)fixed;
  *out = (wisp_discretisation){.family = &wisp_family_filter,
                               .counts = {{"elements", count}, {"groups", count}, {"Np", (size_t)g->Np}},
                               .self = (void *)(uintptr_t)g,
                               .place = place};
  return WISP_OK;
}

static void scalars(const wisp_problem *problem, wisp_use use, int stage, wisp_scalar_list *out)
{
  (void)problem, (void)use, (void)stage, (void)out; /* it has none */
}

static int rounds(const char *kernel)
{
  (void)kernel;
  return 1;
}

/* Random numbers are fine as they are. */
static wisp_status pose(wisp_error *err, wisp_round *r)
{
  (void)err, (void)r;
  return WISP_OK;
}

enum { U, V, W };

static wisp_status solve(wisp_error *err, wisp_round *r)
{
  const ground *g = r->plain->self;
  const size_t Np = (size_t)g->Np;
  (void)err;
  for (size_t q = 0; q < r->numbers[U]; q++) {
    const double *row = g->F + q % Np * Np, *u = r->before[U] + q / Np * Np;
    double sum = 0, size = 0;
    for (size_t j = 0; j < Np; j++) sum += row[j] * u[j], size += fabs(row[j] * u[j]);
    if (r->after[V]) r->after[V][q] = sum, r->size[V][q] = size;
    if (r->after[W]) r->after[W][q] = u[q % Np] - sum, r->size[W][q] = fabs(u[q % Np]) + size;
  }
  return WISP_OK;
}

/* A row's magnitudes, where every value is 1; u itself is one more. */
static wisp_status largest(wisp_error *err, const wisp_problem *problem, const wisp_spec *spec, const char *array,
                           double *out)
{
  const ground *g = wisp_problem_discretisation(problem)->self;
  const double more = strcmp(array, "w") == 0;
  (void)err, (void)spec;
  *out = 0;
  for (int i = 0; i < g->Np; i++) {
    double size = 0;
    for (int j = 0; j < g->Np; j++) size += fabs(g->F[i * g->Np + j]);
    *out = fmax(*out, size + more);
  }
  return WISP_OK;
}

const wisp_workload wisp_workload_filter = {
    .family = "filter",
    .alone = true,
    .open = open_ground,
    .close = free,
    .elements = elements,
    .discretise = discretise,
    .scalars = scalars,
    .rounds = rounds,
    .pose = pose,
    .solve = solve,
    .largest = largest,
    .yardstick = wisp_yardstick_copy,
};
