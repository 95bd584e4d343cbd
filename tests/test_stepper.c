/* Claim: in every composition and layout that can make a stage, the solver does what the double references do, in both
 * precisions, on meshes that fill no group, after odd and even numbers of steps; recorded steps are plain launches.
 * Sanitized, at an order in each precision and at order 1: numbers are the plain run's to check. */
#include "test.h"
#include "solving.h"

#include <float.h>

enum { BOX = 2, LEFT_OUT = 5 };

/* The largest difference over the elements' DOFs, relative to the largest value. */
static double difference(const wisp_dg *dg, const double *u, const double *expected)
{
  double most = 0, largest = 0;
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; dg->slot[k] != WISP_EMPTY && f < dg->system->fields; f++)
      for (size_t i = 0; i < (size_t)dg->layout.Np; i++) {
        size_t at = wisp_layout_volume(&dg->layout, dg->system->fields, f, k, i);
        if (!isfinite(u[at])) return INFINITY;
        most = fmax(most, fabs(u[at] - expected[at]));
        largest = fmax(largest, fabs(expected[at]));
      }
  return most / largest;
}

/* Numbers of no element may be anything: no kernel may read them. */
static void upload_with_rubbish(solving *s, const double *values)
{
  const wisp_dg *dg = s->dg;
  size_t size = wisp_dg_volume_size(dg);
  OWNED(free) double *u = zeros(size);
  for (size_t at = 0; at < size; at++) u[at] = NAN;
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; dg->slot[k] != WISP_EMPTY && f < dg->system->fields; f++)
      for (size_t i = 0; i < (size_t)dg->layout.Np; i++) {
        size_t at = wisp_layout_volume(&dg->layout, dg->system->fields, f, k, i);
        u[at] = values[at];
      }
  GOOD(wisp_arrays_upload(err, s->problem->arrays, "u", u));
}

/* Random data, 3 steps and then 2 more, against the reference. */
static void compare_with_reference(solving *s, wisp_precision precision, double alpha)
{
  size_t size = wisp_dg_volume_size(s->dg);
  OWNED(free) double *u = zeros(size), *expected = zeros(size);
  double dt = wisp_dg_safe_dt(s->dg), tolerance = precision == WISP_F32 ? 300 * FLT_EPSILON : 300 * DBL_EPSILON;
  char array[32] = "";
  bool intact = false;
  random_solution(s->dg, expected);
  upload_with_rubbish(s, expected);
  for (int steps = 3; steps >= 2; steps--) {
    reference_steps(s->dg, s->solver->integrator.scheme, alpha, dt, steps, expected);
    GOOD(wisp_stepper_advance(err, s->solver, dt, steps, NULL));
    GOOD(wisp_arrays_download(err, s->problem->arrays, "u", u));
    double off = difference(s->dg, u, expected);
    if (!(off < tolerance)) fail_msg("off by %g, allowed %g", off, tolerance);
  }
  GOOD(wisp_arrays_guards(err, s->problem->arrays, &intact, array));
  if (!intact) fail_msg("the guard zones of %s were overwritten", array);
}

/* Every composition of the family in each of the order's layouts; some have no kernels for one, none may have none at
 * all. */
static void check_all(int order, wisp_precision precision, bool central, bool absorbing)
{
  const wisp_family *family = wisp_family_find("nodal");
  wisp_layout layouts[8];
  int count = family->layouts(&(wisp_spec){.order = order}, layouts), in_layout[8] = {0};
  for (int c = 0; family->compositions[c]; c++)
    for (int l = 0; l < count; l++) {
      char text[WISP_LAYOUT_TEXT];
      solving s;
      wisp_error reason = {0};
      wisp_layout_print(&layouts[l], text);
      const solving_setup setup = {.order = order,
                                   .precision = precision,
                                   .composition = family->compositions[c],
                                   .layout = text,
                                   .central = central,
                                   .absorbing = absorbing};
      if (!solving_open(&reason, &s, ragged_box(BOX, LEFT_OUT), &setup)) continue;
      print_message("p%d %s %s %s\n", order, wisp_precision_name(precision), s.stage.composition, text);
      assert_string_equal(s.stage.composition, setup.composition);
      assert_string_equal(s.stage.choice[0].layout, text);
      in_layout[l]++;
      compare_with_reference(&s, precision, central ? 0 : 1);
      solving_close(&s);
    }
  for (int l = 0; l < count; l++) assert_true(in_layout[l] > 0);
}

static bool is_coarse(void)
{
  return getenv("WISP_TEST_COARSE");
}

TEST(test_double)
{
  check_all(2, WISP_F64, false, false);
  if (!is_coarse()) check_all(5, WISP_F64, false, false);
}

TEST(test_single)
{
  check_all(3, WISP_F32, true, true);
  if (is_coarse()) return;
  check_all(2, WISP_F32, false, true);
  check_all(7, WISP_F32, false, false);
}

/* Order 1 has the smallest blocks, with more elements in a microblock than any other. */
TEST(test_order_1)
{
  check_all(1, WISP_F64, false, true);
}

/* The step's kernels launched one by one from u, as the solver should replay them. */
static void launch_plainly(solving *s, double dt, int steps, bool swaps)
{
  wisp_kernel *kernel[8] = {NULL};
  assert_in_range(s->stage.kernels, 1, 8);
  for (int i = 0; i < s->stage.kernels; i++) {
    wisp_binary binary = {0};
    GOOD(wisp_plan_compile(err, s->stage.plan[i], wisp_device_limits(s->device)->target, &binary));
    GOOD(wisp_kernel_create(err, s->device, s->stage.plan[i], &binary, &kernel[i]));
    free(binary.data);
  }
  for (int stage = 0; stage < steps * wisp_lsrk45.stages; stage++) {
    const wisp_rk_stage *rk = &wisp_lsrk45.stage[stage % wisp_lsrk45.stages];
    wisp_binding bindings[WISP_DG_SCALARS];
    wisp_dg_bind(&(wisp_scalars){.alpha = 1, .a = rk->a, .b = rk->b, .dt = dt}, bindings);
    for (int i = 0; i < s->stage.kernels; i++)
      GOOD(wisp_problem_run(err, s->problem, kernel[i], bindings, WISP_DG_SCALARS));
    if (swaps) wisp_arrays_swap(s->problem->arrays, "u", "u_next");
  }
  GOOD(wisp_device_finish(err, s->device));
  for (int i = 0; i < s->stage.kernels; i++) wisp_kernel_destroy(kernel[i]);
}

/* After `steps` steps at once, and after as many one by one, u is bit for bit that of plain launches. */
static void compare_with_launches(const char *composition, const char *layout, bool swaps, int steps)
{
  wisp_error reason = {0};
  solving s;
  const solving_setup setup = {.order = 2, .composition = composition, .layout = layout};
  assert_true(solving_open(&reason, &s, ragged_box(BOX, LEFT_OUT), &setup));
  const size_t size = wisp_dg_volume_size(s.dg);
  double *begin = zeros(size), *plain = zeros(size), *u = zeros(size), dt = wisp_dg_safe_dt(s.dg), ms = -1;
  random_solution(s.dg, begin);
  GOOD(wisp_arrays_upload(err, s.problem->arrays, "u", begin));
  launch_plainly(&s, dt, steps, swaps);
  GOOD(wisp_arrays_download(err, s.problem->arrays, "u", plain));
  if (swaps && steps % 2)
    wisp_arrays_swap(s.problem->arrays, "u", "u_next"); /* the solver has not seen these launches */
  for (int at_once = 1; at_once >= 0; at_once--) {
    GOOD(wisp_arrays_upload(err, s.problem->arrays, "u", begin));
    for (int i = 0; i < (at_once ? 1 : steps); i++)
      GOOD(wisp_stepper_advance(err, s.solver, dt, at_once ? steps : 1, &ms));
    GOOD(wisp_arrays_download(err, s.problem->arrays, "u", u));
    assert_true(difference(s.dg, u, plain) == 0);
    assert_true(ms > 0);
  }
  free(begin), free(plain), free(u);
  solving_close(&s);
}

TEST(test_graphs)
{
  compare_with_launches("volume+gather+lift+update", NULL, false, 3);
  compare_with_launches("gather+fused", "slab-km32", true, 4);
  compare_with_launches("gather+fused", "slab-km32", true, 3);
}

/* Another dt means another graph; no steps means no change; nonsense is refused. */
TEST(test_steps)
{
  wisp_error reason = {0};
  solving s;
  const solving_setup setup = {.order = 1, .composition = "gather+fused"};
  assert_true(solving_open(&reason, &s, ragged_box(BOX, LEFT_OUT), &setup));
  size_t size = wisp_dg_volume_size(s.dg);
  double *expected = zeros(size), *u = zeros(size), dt = wisp_dg_safe_dt(s.dg), ms = -1;
  random_solution(s.dg, expected);
  GOOD(wisp_arrays_upload(err, s.problem->arrays, "u", expected));
  for (int i = 1; i <= 4; i++) {
    reference_steps(s.dg, &wisp_lsrk45, 1, dt / i, i % 3, expected);
    GOOD(wisp_stepper_advance(err, s.solver, dt / i, i % 3, &ms));
    GOOD(wisp_arrays_download(err, s.problem->arrays, "u", u));
    assert_true(difference(s.dg, u, expected) < 1e-12);
    assert_true(i % 3 ? ms > 0 : ms == 0);
  }
  assert_int_equal(wisp_stepper_advance(&reason, s.solver, NAN, 1, NULL), WISP_EUSAGE);
  assert_int_equal(wisp_stepper_advance(&reason, s.solver, dt, -1, NULL), WISP_EUSAGE);
  free(expected), free(u);
  solving_close(&s);
}

/* A step goes by its scheme's table, whose length may be any, odd or even, in low storage and nested: methods of order
 * 2 and 3. */
TEST(test_schemes)
{
  static const wisp_rk_stage second[] = {{0, 1.0 / 2, 0}, {-1.0 / 2, 1, 1.0 / 2}};
  static const wisp_rk_stage third[] = {
      {0, 1.0 / 3, 0}, {-5.0 / 9, 15.0 / 16, 1.0 / 3}, {-153.0 / 128, 8.0 / 15, 3.0 / 4}};
  static const double nested_second[] = {1.0 / 2, 1}, nested_third[] = {1.0 / 3, 1.0 / 2, 1};
  const wisp_scheme schemes[] = {{.stages = 2, .stage = second, .nested = nested_second},
                                 {.stages = 3, .stage = third, .nested = nested_third}};
  const char *const *composition = wisp_family_find("nodal")->compositions;
  int nested = 0, moving = 0;
  for (; *composition; composition++)
    for (size_t k = 0; k < WISP_COUNT(schemes); k++) {
      const solving_setup setup = {.order = 2, .precision = WISP_F64, .composition = *composition};
      wisp_error reason = {0};
      solving s;
      if (!solving_open(&reason, &s, ragged_box(BOX, LEFT_OUT), &setup)) continue;
      s.solver->integrator =
          wisp_integrator_of(s.problem, (const wisp_kernel *const *)s.stage.kernel, s.stage.kernels, &schemes[k], 1);
      nested += s.solver->integrator.nested, moving += s.solver->integrator.moves;
      compare_with_reference(&s, WISP_F64, 1);
      solving_close(&s);
    }
  assert_true(nested && moving > nested);
}

/* Few kernels read pairs: for the others none are made, and those made later are the ones made at once. */
TEST(test_pairs_where_read)
{
  const solving_setup setup = {.order = 2};
  wisp_error reason = {0};
  OWNED(wisp_dg_destroy) wisp_dg *whole = NULL;
  solving s;
  assert_true(solving_open(&reason, &s, ragged_box(BOX, LEFT_OUT), &setup));
  assert_true(wisp_stage_has(&s.stage, "pair_block") == (s.dg->pairs > 0)); /* none on the host, by default */
  assert_int_equal(wisp_dg_create(&reason, s.mesh, s.tet, s.system, &s.dg->layout, wisp_dg_grouping(&s.stage.fixed),
                                  wisp_dg_MB(&s.stage.fixed), 0, &whole),
                   WISP_OK);
  assert_int_equal(wisp_dg_add_pairs(&reason, s.dg), WISP_OK);
  assert_true(s.dg->pairs > 0 && s.dg->pairs == whole->pairs);
  assert_memory_equal(s.dg->pair_int, whole->pair_int, whole->pairs * WISP_PAIR_INTS * sizeof(int));
  assert_memory_equal(s.dg->pair_block, whole->pair_block, whole->blocks * WISP_BLOCK_INTS * sizeof(int));
  solving_close(&s);
}
