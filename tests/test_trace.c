/* Claim: a stage that finds its neighbours' values in trace makes the same steps as one that reads them in u, and one
 * whose gather leaves class values of fluxes the same as one that has them at face nodes, up to rounding, on elements
 * in any order, walls and empty slots included; and only such stages have these arrays. */
#include "test.h"
#include "solving.h"

enum { STEPS = 20 };

/* Numbers of u as the mesh has its elements, whatever slots they stand in. */
static double *by_element(const wisp_dg *dg, const double *u)
{
  const size_t n = (size_t)dg->system->fields, Np = (size_t)dg->layout.Np;
  double *out = zeros(dg->mesh->elements * n * Np);
  for (size_t k = 0; k < dg->slots; k++)
    for (size_t q = 0; q < n * Np && dg->slot[k] != WISP_EMPTY; q++)
      out[(size_t)dg->slot[k] * n * Np + q] = u[wisp_layout_volume(&dg->layout, (int)n, (int)(q / Np), k, q % Np)];
  return out;
}

/* The fields after some steps; the caller frees them. */
static double *run(wisp_mesh *mesh, wisp_precision precision, int order, const char *composition, size_t *size)
{
  wisp_error reason = {0};
  solving s;
  const solving_setup setup = {.order = order,
                               .precision = precision,
                               .composition = composition,
                               .layout = "slab-km32",
                               .absorbing = order % 2};
  if (!solving_open(&reason, &s, mesh, &setup)) fail_msg("%s", reason.text);
  OWNED(free) double *u = zeros(wisp_dg_volume_size(s.dg));
  const bool traced = strncmp(composition, "trace+", 6) == 0;
  const bool by_classes = strstr(composition, "gather_classes") != NULL;
  assert_int_equal(wisp_arrays_size(s.problem->arrays, "trace"), traced ? wisp_dg_trace_size(s.dg) : 0);
  assert_int_equal(wisp_arrays_size(s.problem->arrays, "flux_classes"), by_classes ? wisp_dg_face_size(s.dg) : 0);
  wisp_dg_noise(s.dg, u);
  GOOD(wisp_solution_put(err, s.problem, u));
  GOOD(wisp_stepper_advance(err, s.solver, wisp_dg_safe_dt(s.dg), STEPS, NULL));
  GOOD(wisp_arrays_download(err, s.problem->arrays, "u", u));
  double *out = by_element(s.dg, u);
  *size = s.dg->mesh->elements * (size_t)(s.dg->system->fields * s.dg->layout.Np);
  solving_close(&s);
  return out;
}

static void compare(wisp_precision precision, int order)
{
  static const char *const pairs[][2] = {{"gather+fused", "trace+gather_traced+fused"},
                                         {"stage", "trace+stage_traced"},
                                         {"gather+fused_nested", "trace+gather_traced+fused_nested"},
                                         {"stage_nested", "trace+stage_traced_nested"},
                                         {"gather+fused", "gather_classes+fused_classes"},
                                         {"gather+fused_nested", "gather_classes+fused_classes_nested"}};
  const double tolerance = precision == WISP_F32 ? 1e-5 : 1e-12;
  for (size_t p = 0; p < WISP_COUNT(pairs); p++) {
    size_t size, other;
    double off = 0, largest = 0, *plain = run(ragged_box(2, 5), precision, order, pairs[p][0], &size),
           *other_way = run(ragged_box(2, 5), precision, order, pairs[p][1], &other);
    assert_int_equal(size, other);
    for (size_t i = 0; i < size; i++) {
      off = fmax(off, fabs(plain[i] - other_way[i]));
      largest = fmax(largest, fabs(plain[i]));
    }
    print_message("p%d %s %s: off by %.1e of the largest value\n", order, wisp_precision_name(precision), pairs[p][1],
                  off / largest);
    assert_true(largest > 0.01 && off < tolerance * largest);
    free(plain), free(other_way);
  }
}

TEST(test_double)
{
  compare(WISP_F64, 2);
}

TEST(test_single)
{
  compare(WISP_F32, 1);
}
