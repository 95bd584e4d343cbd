/* Claim: the step that the solver takes by default is between 0.6 and 0.95 of the longest one at which random data do
 * not grow, on a box and on a mesh without structure, for upwind and central flux. */
#include "solving.h"

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

static double energy_after(solving *s, double dt, long long steps)
{
  wisp_error error = {0};
  double energy = NAN;
  GOOD(wisp_solver_advance(&error, s->solver, dt, steps, NULL));
  GOOD(wisp_solution_energy(&error, s->problem, &energy));
  return energy;
}

/* What grows shows in the long run: the same steps again, and more energy than before. */
static bool grows(solving *s, const double *u, double dt)
{
  wisp_error error = {0};
  GOOD(wisp_problem_upload(&error, s->problem, "u", u));
  GOOD(wisp_problem_fill(&error, s->problem, "res", 0));
  const double once = energy_after(s, dt, 150), twice = energy_after(s, dt, 150);
  return !(twice <= once * (1 + 1e-9));
}

static double bisect(solving *s)
{
  double *u = malloc(wisp_dg_volume_size(s->dg) * sizeof *u), low = wisp_dg_safe_dt(s->dg), high = 2 * low;
  assert_non_null(u);
  random_solution(s->dg, u);
  while (!grows(s, u, high)) low = high, high *= 2;
  for (int i = 0; i < 6; i++) {
    const double middle = (low + high) / 2;
    *(grows(s, u, middle) ? &high : &low) = middle;
  }
  free(u);
  return low;
}

static void check(const char *name, wisp_mesh *mesh, const solving_setup *setup)
{
  wisp_error error = {0};
  solving s;
  double limit = 0;
  assert_true(solving_open(&error, &s, mesh, setup));
  GOOD(wisp_solver_limit(&error, s.solver, &limit));
  const double longest = bisect(&s), share = WISP_CFL * limit / longest;
  print_message("%s p%d %s: default %.4g, limit %.4g bisected %.4g (%.2f safe): default/limit %.3f\n", name, setup->order,
                setup->central ? "central" : "upwind", WISP_CFL * limit, limit, longest, longest / wisp_dg_safe_dt(s.dg), share);
  solving_close(&s);
}

static wisp_mesh *box(int n)
{
  wisp_error error = {0};
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_box(&error, n, &mesh));
  return mesh;
}
static wisp_mesh *file(const char *p)
{
  wisp_error error = {0};
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_read(&error, p, &mesh));
  return mesh;
}

static void test_box(void **state)
{
  (void)state;
  int from = getenv("FROM") ? atoi(getenv("FROM")) : 1, to = getenv("TO") ? atoi(getenv("TO")) : 3;
  for (int order = from; order <= to; order++)
    for (int central = 0; central < 2; central++) {
      for (int f32 = 0; f32 < 2; f32++)
      check("box", box(2), &(solving_setup){.order = order, .central = central, .precision = f32 ? WISP_F32 : WISP_F64});
      if (getenv("MESH")) check("mesh", file(getenv("MESH")), &(solving_setup){.order = order, .central = central});
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_box)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
