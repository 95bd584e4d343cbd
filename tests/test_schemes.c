/* Claim: each row of the table of schemes has its order and one polynomial in both forms; at 0.95 of the step limit
 * that is measured for it random data do not grow; the error that is expected of it is the one that its steps make.
 * WISP_TEST_FULL=1: 10 000 steps in place of 200. */
#include "test.h"
#include "solving.h"
#include "../runtime/mesh/source.h"

/* The option's words are the table's names. */
TEST(test_names)
{
  char words[512] = "auto accurate";
  for (int i = 0; wisp_schemes[i]; i++) {
    strcat(strcat(words, " "), wisp_schemes[i]->name);
    assert_ptr_equal(wisp_scheme_find(wisp_schemes[i]->name), wisp_schemes[i]);
  }
  assert_string_equal(words, WISP_SCHEME_NAMES);
  assert_ptr_equal(wisp_schemes[0], &wisp_lsrk45);
  assert_null(wisp_scheme_find("rk5"));
}

/* The polynomial of the form in low storage. */
static wisp_polynomial low_storage_polynomial(const wisp_scheme *scheme)
{
  wisp_polynomial u = {scheme->stages, {1}}, res = {scheme->stages, {0}};
  for (int s = 0; s < scheme->stages; s++) {
    for (int i = scheme->stages; i >= 0; i--) res.c[i] = scheme->stage[s].a * res.c[i] + (i ? u.c[i - 1] : 0);
    assert_true(fabs(u.c[1] - scheme->stage[s].c) < 1e-12);
    for (int i = 0; i <= scheme->stages; i++) u.c[i] += scheme->stage[s].b * res.c[i];
  }
  return u;
}

TEST(test_polynomials)
{
  for (int i = 0; wisp_schemes[i]; i++) {
    const wisp_polynomial nested = wisp_scheme_polynomial(wisp_schemes[i]),
                          low = low_storage_polynomial(wisp_schemes[i]);
    for (int k = 0; k <= nested.degree; k++) {
      assert_true(fabs(low.c[k] - nested.c[k]) < 1e-13);
      if (k <= wisp_schemes[i]->order) assert_true(fabs(nested.c[k] * tgamma(k + 1) - 1) < 1e-12);
    }
  }
}

/* ---- Orders, against exp(t A). */

enum { SIZE = 3 };
static const double A[SIZE][SIZE] = {{-0.3, 2.0, 0.5}, {-2.5, -0.1, 1.0}, {0.4, -0.7, -0.6}};

static void multiply(const double u[SIZE], double out[SIZE])
{
  for (int i = 0; i < SIZE; i++) {
    out[i] = 0;
    for (int j = 0; j < SIZE; j++) out[i] += A[i][j] * u[j];
  }
}

static void step_low(const wisp_scheme *scheme, double dt, double u[SIZE])
{
  double res[SIZE] = {0}, rate[SIZE];
  for (int s = 0; s < scheme->stages; s++) {
    multiply(u, rate);
    for (int i = 0; i < SIZE; i++) {
      res[i] = scheme->stage[s].a * res[i] + dt * rate[i];
      u[i] += scheme->stage[s].b * res[i];
    }
  }
}

static void step_nested(const wisp_scheme *scheme, double dt, double u[SIZE])
{
  double now[SIZE], rate[SIZE];
  memcpy(now, u, sizeof now);
  for (int s = 0; s < scheme->stages; s++) {
    multiply(now, rate);
    for (int i = 0; i < SIZE; i++) now[i] = u[i] + scheme->nested[s] * dt * rate[i];
  }
  memcpy(u, now, sizeof now);
}

/* exp(t A) u by its series, in parts of 1 / 64 of t, of which 20 terms are exact. */
static void exact(double t, double u[SIZE])
{
  enum { PARTS = 64, TERMS = 20 };
  for (int part = 0; part < PARTS; part++) {
    double term[SIZE], next[SIZE];
    memcpy(term, u, sizeof term);
    for (int k = 1; k <= TERMS; k++) {
      multiply(term, next);
      for (int i = 0; i < SIZE; i++) u[i] += term[i] = t / PARTS / k * next[i];
    }
  }
}

static double error_of(const wisp_scheme *scheme, bool nested, double time, int steps)
{
  double u[SIZE] = {1, -0.5, 0.25}, expected[SIZE] = {1, -0.5, 0.25}, square = 0;
  for (int s = 0; s < steps; s++) (nested ? step_nested : step_low)(scheme, time / steps, u);
  exact(time, expected);
  for (int i = 0; i < SIZE; i++) square += pow(u[i] - expected[i], 2);
  return sqrt(square);
}

/* Steps so short that the leading term counts, and so long that rounding does not. */
TEST(test_orders)
{
  for (int i = 0; wisp_schemes[i]; i++)
    for (int nested = 0; nested < 2; nested++) {
      const wisp_scheme *s = wisp_schemes[i];
      const int steps = s->order == 8 ? 16 : s->order == 6 ? 32 : 128;
      const double coarse = error_of(s, nested, 4, steps), fine = error_of(s, nested, 4, 2 * steps);
      print_message("%s: %.3g, %.3g, order %.3f\n", s->name, coarse, fine, log2(coarse / fine));
      if (!(fabs(log2(coarse / fine) - s->order) < 0.1)) fail_msg("%s: order %.3f", s->name, log2(coarse / fine));
    }
}

/* ---- On a mesh. */

static wisp_mesh *make_box(int n, double jitter)
{
  wisp_mesh *mesh = NULL;
  const wisp_mesh_source source = {.box = {n, n, n}, .jitter = jitter, .shuffle = jitter > 0, .seed = 1};
  GOOD(wisp_mesh_make(err, 4, &source, &mesh));
  return mesh;
}

/* The energy of random data after half the steps, and after all. */
static void advance(solving *s, const wisp_scheme *scheme, double dt, double energy[2])
{
  const int steps = getenv("WISP_TEST_FULL") ? 5000 : 100;
  OWNED(free) double *u = allocate(wisp_dg_volume_size(s->dg), sizeof *u);
  random_solution(s->dg, u);
  GOOD(wisp_solution_put(err, s->problem, u));
  GOOD(wisp_stepper_use(err, s->solver, scheme));
  for (int i = 0; i < 2; i++) {
    GOOD(wisp_stepper_advance(err, s->solver, dt, steps, NULL));
    GOOD(wisp_solution_energy(err, s->problem, &energy[i]));
  }
}

/* Takes the mesh. */
static void check_limits(wisp_mesh *mesh, const solving_setup *setup)
{
  wisp_error reason = {0};
  solving s;
  double limit = 0, energy[2];
  if (!solving_open(&reason, &s, mesh, setup)) fail_msg("%s", reason.text);
  GOOD(wisp_stepper_limit(err, s.solver, &limit));
  const double growth = setup->precision == WISP_F32 ? 1e-4 : 1e-6;
  for (int i = 0; wisp_schemes[i]; i++) {
    const double reach = wisp_stepper_reach(s.solver, wisp_schemes[i]);
    advance(&s, wisp_schemes[i], 0.95 * reach, energy);
    print_message("%s: %.3g a stage of lsrk45's, energy %.6g, %.6g\n", wisp_schemes[i]->name,
                  reach / wisp_schemes[i]->stages / (limit / 5), energy[0], energy[1]);
    if (!(energy[1] <= energy[0] * (1 + growth))) fail_msg("%s grows", wisp_schemes[i]->name);
  }
  solving_close(&s);
}

TEST(test_limits)
{
  check_limits(make_box(1, 0.25), &(solving_setup){.order = 2});
  check_limits(make_box(2, 0.25), &(solving_setup){.order = 1, .central = true});
  check_limits(make_box(1, 0), &(solving_setup){.order = 3, .system = "acoustics"});
  check_limits(make_box(1, 0), &(solving_setup){.order = 4, .precision = WISP_F32, .central = true});
  check_limits(make_box(2, 0.25),
               &(solving_setup){.order = 2, .precision = WISP_F32, .composition = "gather+fused_nested"});
}

/* ---- The choice. */

/* A sound wave in the unit box, solved to time 1. */
static wisp_solver *solve(wisp_session *session, const char *scheme, const char *cfl, int order, const char *allowed)
{
  wisp_solver *base = NULL;
  GOOD(wisp_solver_new(err, &wisp_system_kind, "acoustics", &base));
  base->order = order;
  GOOD(wisp_solver_take(err, base, "scheme", scheme));
  GOOD(wisp_solver_take(err, base, "time", "1"));
  GOOD(wisp_solver_take(err, base, "cfl", cfl));
  if (allowed) GOOD(wisp_solver_take(err, base, "time-error", allowed));
  GOOD(wisp_solver_begin(err, base, "2"));
  GOOD(wisp_solver_open(err, base, session, NULL));
  GOOD(wisp_solver_run(err, base, NULL, NULL));
  return base;
}

/* The error that the steps have made, which a hundredth of their length in order 8 has not. */
static double found_error(wisp_session *session, wisp_solver *solver)
{
  const wisp_system_run *run = wisp_system_run_of(solver);
  const size_t size = wisp_dg_volume_size(run->dg);
  OWNED(free) double *off = allocate(size, sizeof *off);
  double length = 0;
  wisp_solver *fine = solve(session, "rk8s14", "0.2", solver->order, NULL);
  for (size_t i = 0; i < size; i++) off[i] = run->u[i] - wisp_system_run_of(fine)->u[i];
  GOOD(wisp_dg_length(err, run->dg, off, &length));
  wisp_solver_discard(fine);
  return length;
}

/* The expected error of the steps and the one that they have added are alike, and within what is allowed. */
static void check_choice(const char *allowed, int order)
{
  wisp_session *session = default_session();
  wisp_solver *solver = solve(session, "auto", "0.85", order, allowed);
  const wisp_system_run *run = wisp_system_run_of(solver);
  const double found = found_error(session, solver);
  print_message("order %d: %s, %.3g times as far; allowed %.2e, expected %.2e, found %.2e\n", order,
                run->stepper->integrator.scheme->name, run->scheme.speedup, run->scheme.allowed, run->scheme.error,
                found);
  assert_true(run->scheme.error <= run->scheme.allowed && found < 2 * run->scheme.allowed);
  assert_true(found < 2 * run->scheme.error && run->scheme.error < 5 * found);
  assert_true(run->time_error == run->scheme.error);
  assert_true(allowed || run->scheme.speedup > 1.2);
  wisp_solver_discard(solver);
  wisp_session_close(session);
}

TEST(test_auto)
{
  for (int order = 1; order <= 4; order++) check_choice(NULL, order);
  check_choice("1e-7", 2);
  check_choice("1e-9", 3);
}

/* The most exact one is more exact, and takes no longer. */
TEST(test_accurate)
{
  wisp_session *session = default_session();
  wisp_solver *accurate = solve(session, "accurate", "0.85", 3, NULL),
              *plain = solve(session, "lsrk45", "0.85", 3, NULL);
  assert_true(wisp_system_run_of(accurate)->scheme.speedup >= 1);
  const double better = found_error(session, accurate), usual = found_error(session, plain);
  print_message("%.2e in place of %.2e\n", better, usual);
  assert_true(better < usual / 5);
  wisp_solver_discard(accurate), wisp_solver_discard(plain);
  wisp_session_close(session);
}
