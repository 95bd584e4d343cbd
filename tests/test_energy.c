/* Claim: the upwind flux never lets the energy grow, and the central flux holds it. */
#include "test.h"
#include "solving.h"
#include "../runtime/nodal/start.h"

static double energy(solving *s)
{
  double value = NAN;
  GOOD(wisp_solution_energy(err, s->problem, &value));
  return value;
}

static wisp_mesh *box(int n)
{
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_box(err, n, &mesh));
  return mesh;
}

/* Step by step from random data, which has every mode that the mesh can hold. */
static void never_grows(const solving_setup *setup)
{
  wisp_error reason = {0};
  solving s;
  if (!solving_open(&reason, &s, box(2), setup)) fail_msg("%s", reason.text);
  OWNED(free) double *u = allocate(wisp_dg_volume_size(s.dg), sizeof *u);
  random_solution(s.dg, u);
  GOOD(wisp_arrays_upload(err, s.problem->arrays, "u", u));
  double first = energy(&s), before = first;
  for (int i = 0; i < 60; i++) {
    GOOD(wisp_stepper_advance(err, s.solver, wisp_dg_safe_dt(s.dg), 1, NULL));
    double now = energy(&s);
    if (!(now <= before * (1 + 1e-14))) fail_msg("step %d: the energy grows from %.17g to %.17g", i, before, now);
    before = now;
  }
  assert_true(before < 0.9 * first && before > 0);
  solving_close(&s);
}

TEST(test_upwind)
{
  never_grows(&(solving_setup){.order = 1});
  never_grows(&(solving_setup){.order = 3});
  never_grows(&(solving_setup){.order = 4, .absorbing = true});
}

/* 100 steps of a cavity mode with a step that time integration does not show in. */
static void holds(const solving_setup *setup)
{
  wisp_error reason = {0};
  solving s;
  wisp_start cavity;
  if (!solving_open(&reason, &s, box(2), setup)) fail_msg("%s", reason.text);
  GOOD(wisp_start_choose(err, s.mesh, s.system, "cavity", (const int[]){1, 2, 1}, &cavity));
  GOOD(solution_set(err, s.problem, wisp_start_field, &cavity, 0));
  double first = energy(&s), last = 0;
  GOOD(wisp_stepper_advance(err, s.solver, wisp_dg_safe_dt(s.dg) / 8, 100, NULL));
  last = energy(&s);
  if (!(fabs(last - first) <= 1e-10 * first)) fail_msg("energy went from %.17g to %.17g", first, last);
  solving_close(&s);
}

TEST(test_central)
{
  holds(&(solving_setup){.order = 2, .central = true});
  holds(&(solving_setup){.order = 4, .central = true});
}

/* The mode's energy is 1/2 |E|^2 + 1/2 |H|^2 over the box: between the two, quadrature and all, nothing may be lost. */
TEST(test_absorbing)
{
  wisp_error reason = {0};
  solving s;
  wisp_start cavity;
  const solving_setup setup = {.order = 3, .absorbing = true};
  if (!solving_open(&reason, &s, box(3), &setup)) fail_msg("%s", reason.text);
  GOOD(wisp_start_choose(err, s.mesh, s.system, "cavity", (const int[]){1, 1, 0}, &cavity));
  GOOD(solution_set(err, s.problem, wisp_start_field, &cavity, 0));
  double first = energy(&s), dt = wisp_dg_safe_dt(s.dg);
  GOOD(wisp_stepper_advance(err, s.solver, dt, (long long)(2 / dt), NULL));
  double last = energy(&s);
  if (!(last < 0.05 * first)) fail_msg("open walls let the energy go from %g to %g only", first, last);
  solving_close(&s);
}
