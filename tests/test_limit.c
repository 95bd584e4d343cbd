/* Claim: the step that the solver takes by default is between 0.6 and 0.95 of the longest one at which random data do
 * not grow, on a box and on a mesh without structure, for upwind and central flux. */
#include "solving.h"
#include "../runtime/mesh/irregular.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define GOOD(call)                                     \
  do {                                                 \
    if ((call) != WISP_OK) fail_msg("%s", error.text); \
  } while (0)

enum { STEPS = 200 };

/* What grows shows in the long run: the same steps again, and more energy than before. */
static bool grows(solving *s, double dt)
{
  wisp_error error = {0};
  double *u = malloc(wisp_dg_volume_size(s->dg) * sizeof *u), energy[2];
  bool up = false;
  assert_non_null(u);
  random_solution(s->dg, u);
  GOOD(wisp_problem_upload(&error, s->problem, "u", u));
  GOOD(wisp_problem_fill(&error, s->problem, "res", 0));
  for (int i = 0; i < 2; i++) {
    const wisp_status status = wisp_solver_advance(&error, s->solver, dt, STEPS, NULL);
    up |= status == WISP_EWRONG; /* not finite */
    if (status != WISP_OK && !up) fail_msg("%s", error.text);
    GOOD(wisp_solution_energy(&error, s->problem, &energy[i]));
  }
  free(u);
  return up || !(energy[1] <= energy[0] * (1 + 1e-6));
}

/* Takes the mesh. */
static void check(const char *name, wisp_mesh *mesh, const solving_setup *setup)
{
  wisp_error error = {0};
  solving s;
  double limit = 0;
  assert_true(solving_open(&error, &s, mesh, setup));
  GOOD(wisp_solver_limit(&error, s.solver, &limit));
  const double step = WISP_CFL * limit;
  print_message("%s, order %d, %s: %.4g, %.1f times the safe step\n", name, setup->order,
                setup->central ? "central" : "upwind", limit, limit / wisp_dg_safe_dt(s.dg));
  if (grows(&s, step / 0.95)) fail_msg("%g is more than 0.95 of the longest step", step);
  if (!grows(&s, step / 0.6)) fail_msg("%g is less than 0.6 of the longest step", step);
  solving_close(&s);
}

/* The unit box, its vertices moved. */
static wisp_mesh *moved_box(int n, double far)
{
  wisp_error error = {0};
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_box(&error, n, &mesh));
  if (far > 0) GOOD(wisp_mesh_jitter(&error, mesh, far, 1));
  return mesh;
}

static void test_meshes(void **state)
{
  (void)state;
  for (int order = 1; order <= 3; order++)
    for (int central = 0; central < 2; central++) {
      const wisp_precision precision = order == 2 ? WISP_F32 : WISP_F64;
      const solving_setup setup = {.order = order, .precision = precision, .central = central};
      check("box", moved_box(2, 0), &setup);
      check("moved box", moved_box(3, 0.25), &setup);
    }
}

/* Every composition brings its own kernels, and one of them ends a stage in u_next: the limit is the same. */
static void test_compositions(void **state)
{
  (void)state;
  static const char *const compositions[] = {"volume+gather+lift+update", "gather+fused"};
  double limit[2];
  for (int c = 0; c < 2; c++) {
    wisp_error error = {0};
    solving s;
    const solving_setup setup = {.order = 2, .composition = compositions[c]};
    assert_true(solving_open(&error, &s, moved_box(2, 0.25), &setup));
    GOOD(wisp_solver_limit(&error, s.solver, &limit[c]));
    double zero = NAN;
    GOOD(wisp_solution_energy(&error, s.problem, &zero));
    assert_true(zero == 0);
    solving_close(&s);
  }
  assert_true(fabs(limit[0] / limit[1] - 1) < 1e-3);
}

/* The estimated error of the steps is that which shorter steps take away, and the fields stay what they are. */
static void test_time_error(void **state)
{
  (void)state;
  wisp_error error = {0};
  solving s;
  wisp_cavity cavity;
  double limit = 0, relative = 0, off[2], energy[2];
  const double time = 2;
  const solving_setup setup = {.order = 7};
  assert_true(solving_open(&error, &s, moved_box(1, 0), &setup));
  GOOD(wisp_solver_limit(&error, s.solver, &limit));
  GOOD(wisp_cavity_create(&error, (const int[]){1, 1, 0}, &cavity));
  for (int fine = 0; fine < 2; fine++) {
    const long long steps = (long long)(time / (WISP_CFL * limit)) * (fine ? 8 : 1);
    const double dt = time / (double)steps;
    GOOD(wisp_solution_set(&error, s.problem, wisp_cavity_field, &cavity, 0));
    GOOD(wisp_solver_advance(&error, s.solver, dt, steps, NULL));
    GOOD(wisp_solution_l2_error(&error, s.problem, wisp_cavity_field, &cavity, time, &off[fine]));
    if (fine) continue;
    GOOD(wisp_solution_energy(&error, s.problem, &energy[0]));
    GOOD(wisp_solver_time_error(&error, s.solver, dt, time, &relative));
    GOOD(wisp_solution_energy(&error, s.problem, &energy[1]));
    assert_true(energy[0] == energy[1]);
  }
  const double estimate = relative * sqrt(energy[0] / s.system->energy[0]);
  const double found = sqrt(fmax(off[0] * off[0] - off[1] * off[1], 0));
  print_message("estimated %.3g, found %.3g\n", estimate, found);
  assert_true(estimate > 0.5 * found && estimate < 2 * found);
  solving_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_meshes), cmocka_unit_test(test_compositions),
                                     cmocka_unit_test(test_time_error)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
