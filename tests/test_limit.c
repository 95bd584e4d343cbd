/* Claim: the step that the solver takes by default is between 0.6 and 0.95 of the longest one at which random data do
 * not grow, on a box and on a mesh without structure, for upwind and central flux; up to N = 7 it adds nothing to the
 * error, and what it adds above is estimated. */
#include "test.h"
#include "solving.h"
#include "../runtime/nodal/start.h"
#include "../runtime/mesh/source.h"

enum { STEPS = 200 };

/* Growth shows in the long run: the same steps again, and more energy than before. */
static bool grows(solving *s, double dt)
{
  wisp_error reason = {0};
  double *u = allocate(wisp_dg_volume_size(s->dg), sizeof *u), energy[2];
  bool up = false;
  random_solution(s->dg, u);
  GOOD(wisp_arrays_upload(err, s->problem->arrays, "u", u));
  GOOD(wisp_arrays_fill(err, s->problem->arrays, "res", 0));
  for (int i = 0; i < 2; i++) {
    const wisp_status status = wisp_stepper_advance(&reason, s->solver, dt, STEPS, NULL);
    up |= status == WISP_EWRONG; /* not finite */
    if (status != WISP_OK && !up) fail_msg("%s", reason.text);
    GOOD(wisp_solution_energy(err, s->problem, &energy[i]));
  }
  free(u);
  return up || !(energy[1] <= energy[0] * (1 + 1e-6));
}

/* Takes the mesh. */
static void check(const char *name, wisp_mesh *mesh, const solving_setup *setup)
{
  wisp_error reason = {0};
  solving s;
  double limit = 0;
  assert_true(solving_open(&reason, &s, mesh, setup));
  GOOD(wisp_stepper_limit(err, s.solver, &limit));
  const double step = WISP_CFL * limit;
  print_message("%s, order %d, %s: %.4g, %.1f times the safe step\n", name, setup->order,
                setup->central ? "central" : "upwind", limit, limit / wisp_dg_safe_dt(s.dg));
  if (grows(&s, step / 0.95)) fail_msg("%g is more than 0.95 of the longest step", step);
  if (!grows(&s, step / 0.6)) fail_msg("%g is less than 0.6 of the longest step", step);
  solving_close(&s);
}

/* The unit box; `far` above 0: its vertices moved, elements and corners in another order. */
static wisp_mesh *moved_box(int n, double far)
{
  wisp_mesh *mesh = NULL;
  const wisp_mesh_source source = {.box = {n, n, n}, .jitter = far, .shuffle = far > 0, .seed = 1};
  GOOD(wisp_mesh_make(err, 4, &source, &mesh));
  return mesh;
}

/* WISP_TEST_COARSE: kernels are slow, and the higher orders left out. */
static int highest(int order, int coarse)
{
  return getenv("WISP_TEST_COARSE") ? coarse : order;
}

TEST(test_meshes)
{
  for (int order = 1; order <= highest(4, 1); order++)
    for (int central = 0; central < 2; central++) {
      const bool odd = order % 2;
      const solving_setup box = {.order = order, .precision = odd ? WISP_F64 : WISP_F32, .central = central};
      const solving_setup moved = {.order = order, .precision = odd ? WISP_F32 : WISP_F64, .central = central};
      check("box", moved_box(order < 4 ? 2 : 1, 0), &box);
      check("moved box", moved_box(order < 3 ? 3 : 2, 0.25), &moved);
    }
}

/* Every composition brings its own kernels, and one of them ends a stage in u_next: the limit is the same. */
TEST(test_compositions)
{
  static const char *const compositions[] = {"volume+gather+lift+update", "gather+fused"};
  double limit[2];
  for (int c = 0; c < 2; c++) {
    wisp_error reason = {0};
    solving s;
    const solving_setup setup = {.order = 2, .composition = compositions[c]};
    assert_true(solving_open(&reason, &s, moved_box(2, 0.25), &setup));
    GOOD(wisp_stepper_limit(err, s.solver, &limit[c]));
    double zero = NAN;
    GOOD(wisp_solution_energy(err, s.problem, &zero));
    assert_true(zero == 0);
    solving_close(&s);
  }
  assert_true(fabs(limit[0] / limit[1] - 1) < 1e-3);
}

/* A cavity mode's L2 error at `time`, in steps of 1 / finer of the default; `s` has the fields of the end. */
static double default_error(solving *s, double limit, double time, double finer, double *dt)
{
  wisp_start cavity;
  double off = NAN;
  const long long steps = (long long)ceil(time / (WISP_CFL * limit) * finer);
  *dt = time / (double)steps;
  GOOD(wisp_start_choose(err, s->mesh, s->system, "cavity", (const int[]){1, 1, 1}, &cavity));
  GOOD(solution_set(err, s->problem, wisp_start_field, &cavity, 0));
  GOOD(wisp_stepper_advance(err, s->solver, *dt, steps, NULL));
  GOOD(solution_error(err, s->problem, wisp_start_field, &cavity, time, &off));
  return off;
}

/* Up to N = 7 the default step adds nothing that a step a tenth as long would take away. */
TEST(test_default_step)
{
  static const int boxes[] = {4, 3, 2, 2, 1, 1, 1};
  for (int order = 1; order <= highest(7, 2); order++) {
    wisp_error reason = {0};
    solving s;
    double limit = 0, dt = 0;
    const solving_setup setup = {.order = order};
    assert_true(solving_open(&reason, &s, moved_box(boxes[order - 1], 0), &setup));
    GOOD(wisp_stepper_limit(err, s.solver, &limit));
    const double off = default_error(&s, limit, 0.25, 1, &dt), fine = default_error(&s, limit, 0.25, 10, &dt);
    print_message("order %d: %.4g, in steps a tenth as long %.4g\n", order, off, fine);
    assert_true(fabs(off / fine - 1) < 0.01);
    solving_close(&s);
  }
}

/* The length of u less `other`, as norms of fields are measured. */
static double distance(solving *s, const double *other)
{
  const size_t size = wisp_dg_volume_size(s->dg);
  double *u = allocate(size, sizeof *u), energy = NAN;
  GOOD(wisp_arrays_download(err, s->problem->arrays, "u", u));
  for (size_t i = 0; i < size; i++) u[i] -= other[i];
  GOOD(wisp_arrays_upload(err, s->problem->arrays, "u", u));
  GOOD(wisp_solution_energy(err, s->problem, &energy));
  free(u);
  return sqrt(energy / s->system->energy[0]);
}

/* The estimated error of the steps is what shorter steps change, and the fields stay what they are. */
static void check_time_error(int order)
{
  wisp_error reason = {0};
  solving s;
  double limit = 0, relative = 0, energy[2], dt = 0;
  const double time = 1;
  const solving_setup setup = {.order = order};
  assert_true(solving_open(&reason, &s, moved_box(1, 0), &setup));
  OWNED(free) double *fine = allocate(wisp_dg_volume_size(s.dg), sizeof *fine);
  GOOD(wisp_stepper_limit(err, s.solver, &limit));
  default_error(&s, limit, time, 8, &dt);
  GOOD(wisp_arrays_download(err, s.problem->arrays, "u", fine));
  default_error(&s, limit, time, 1, &dt);
  GOOD(wisp_solution_energy(err, s.problem, &energy[0]));
  GOOD(wisp_stepper_time_error(err, s.solver, dt, time, &relative));
  GOOD(wisp_solution_energy(err, s.problem, &energy[1]));
  assert_true(energy[0] == energy[1]);
  const double estimate = relative * sqrt(energy[0] / s.system->energy[0]), found = distance(&s, fine);
  print_message("order %d: estimated %.3g, found %.3g\n", order, estimate, found);
  assert_true(estimate > found / 2 && estimate < found * 2);
  solving_close(&s);
}

TEST(test_time_error)
{
  for (int order = 8; order <= highest(9, 8); order++) check_time_error(order);
}
