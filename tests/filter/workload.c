/* The filter as one file in tuner/ would know it. Triangles have no geometry, only their places in the strip: the
 * mesh is their number and order. Neighbours share an edge, so that the even ones go first, and then the odd ones. */
#include "../../tuner/trial/workload.h"
#include "filter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TO_CHECK = 37, MOST = 65536 };

typedef struct test_mesh {
  long long elements;
  int Np;
  wisp_span colours[2];
  double F[FILTER_MAX_NP * FILTER_MAX_NP];
} test_mesh;

static wisp_status open_test_mesh(wisp_error *err, const wisp_limits *limits, const wisp_spec *spec,
                                  long long *elements, const wisp_mesh_source *source, void **out)
{
  wisp_status status = WISP_OK;
  test_mesh *g = NULL;
  (void)limits;
  TRY(wisp_new(err, 1, sizeof *g, &g));
  *g = (test_mesh){.elements = source ? *elements > 0 ? *elements : 20000 : TO_CHECK, .Np = filter_nodes(spec)};
  TRY(wisp_require(err, g->elements <= MOST, WISP_EUSAGE, "a strip has at most %d elements", MOST));
  g->colours[0].count = g->colours[1].first = (size_t)(g->elements + 1) / 2;
  g->colours[1].count = (size_t)g->elements / 2;
  TRY(filter_matrix(err, spec, g->F));
  *elements = g->elements;
  *out = g;
  g = NULL;
done:
  free(g);
  return status;
}

static bool is_troubled(size_t element)
{
  return element % 3 != 2;
}

static wisp_status fill(wisp_error *err, const void *self, wisp_arrays *arrays)
{
  wisp_status status = WISP_OK;
  const test_mesh *g = self;
  int *troubled = NULL, *strip = NULL;
  TRY(wisp_new(err, (size_t)g->elements, sizeof *troubled, &troubled));
  TRY(wisp_new(err, (size_t)g->elements, sizeof *strip, &strip));
  for (size_t i = 0; i < (size_t)g->elements; i++) {
    troubled[i] = is_troubled(i);
    strip[i] = (int)(i < g->colours[0].count ? 2 * i : 2 * (i - g->colours[0].count) + 1);
  }
  TRY(wisp_arrays_upload_ints(err, arrays, "troubled", troubled));
  TRY(wisp_arrays_upload_ints(err, arrays, "strip", strip));
done:
  free(troubled), free(strip);
  return status;
}

static void place(const void *self, const wisp_array_decl *array, size_t i, char text[WISP_PLACE_TEXT])
{
  const size_t Np = (size_t)((const test_mesh *)self)->Np;
  if (strcmp(array->name, "edges") == 0)
    snprintf(text, WISP_PLACE_TEXT, "edge %zu", i);
  else
    snprintf(text, WISP_PLACE_TEXT, "element %zu, node %zu", i / Np, i % Np);
}

static wisp_status discretise(wisp_error *err, const void *context, const wisp_spec *spec, const wisp_layout *layout,
                              const wisp_fixed *fixed, wisp_discretisation *out)
{
  const test_mesh *g = context;
  const size_t count = (size_t)g->elements;
  (void)err, (void)spec, (void)layout, (void)fixed;
  *out = (wisp_discretisation){.family = &wisp_family_filter,
                               .counts = {{"elements", count}, {"groups", count}, {"Np", (size_t)g->Np}},
                               .cuts = {{"colours", "groups", 2, g->colours}},
                               .self = (void *)(uintptr_t)g,
                               .fill = fill,
                               .place = place};
  return WISP_OK;
}

static void scalars(const wisp_problem *problem, wisp_purpose purpose, int stage, wisp_scalar_list *out)
{
  (void)problem, (void)purpose, (void)stage, (void)out; /* it has none */
}

static int count_cases(const char *kernel)
{
  (void)kernel;
  return 1;
}

/* Random numbers are fine as they are. */
static wisp_status fill_inputs(wisp_error *err, wisp_test_case *r)
{
  (void)err, (void)r;
  return WISP_OK;
}

static void apply(const test_mesh *g, wisp_test_case *r)
{
  const size_t Np = (size_t)g->Np;
  for (size_t q = 0; q < r->numbers[WISP_FILTER_V]; q++) {
    const double *row = g->F + q % Np * Np, *u = r->before[WISP_FILTER_U] + q / Np * Np;
    double sum = 0, size = 0;
    for (size_t j = 0; j < Np; j++) sum += row[j] * u[j], size += fabs(row[j] * u[j]);
    r->after[WISP_FILTER_V][q] = is_troubled(q / Np) ? sum : u[q % Np];
    r->size[WISP_FILTER_V][q] = size;
  }
}

static void rest(const test_mesh *g, wisp_test_case *r)
{
  const size_t Np = (size_t)g->Np;
  for (size_t q = 0; q < r->numbers[WISP_FILTER_W]; q++) {
    const double *row = g->F + q % Np * Np, *u = r->before[WISP_FILTER_U] + q / Np * Np;
    r->after[WISP_FILTER_W][q] = u[q % Np], r->size[WISP_FILTER_W][q] = fabs(u[q % Np]);
    for (size_t j = 0; j < Np; j++)
      r->after[WISP_FILTER_W][q] -= row[j] * u[j], r->size[WISP_FILTER_W][q] += fabs(row[j] * u[j]);
  }
}

static void collect(const test_mesh *g, wisp_test_case *r)
{
  const size_t Np = (size_t)g->Np;
  for (size_t i = 0; i < r->numbers[WISP_FILTER_EDGES]; i++)
    r->size[WISP_FILTER_EDGES][i] = fabs(r->before[WISP_FILTER_EDGES][i]);
  for (size_t q = 0; q < r->numbers[WISP_FILTER_V]; q++)
    for (size_t side = 0; side < 2; side++) {
      r->after[WISP_FILTER_EDGES][q / Np + side] += r->before[WISP_FILTER_V][q] / g->Np;
      r->size[WISP_FILTER_EDGES][q / Np + side] += fabs(r->before[WISP_FILTER_V][q]) / g->Np;
    }
}

static wisp_status compute_reference(wisp_error *err, wisp_test_case *r)
{
  (void)err;
  (r->after[WISP_FILTER_V] ? apply : r->after[WISP_FILTER_W] ? rest : collect)(r->discretisation->self, r);
  return WISP_OK;
}

const wisp_workload wisp_workload_filter = {
    .family = "filter",
    .alone = true,
    .open = open_test_mesh,
    .close = free,
    .discretise = discretise,
    .scalars = scalars,
    .cases = count_cases,
    .fill_inputs = fill_inputs,
    .reference = compute_reference,
};
