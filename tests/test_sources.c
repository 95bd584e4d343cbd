/* Claim: sources keep the orders of a run: N + 0.7 in space of a manufactured solution, and of every scheme of order p
 * p - 0.2 in time, nested and in low storage alike; a constant source has the exact steady state. A source at a point
 * drives the modes of a cavity as their values there say. A travelling wave is taken apart. Wrong sources are one line,
 * before anything is written. */
#include "test.h"
#include "api_case.h"
#include "command.h"
#include "parts.h"
#include "store_fixture.h"
#include "../runtime/nodal/system_kind.h"

#include <unistd.h>

static const double pi = 3.14159265358979323846;

/* Ez = sin(pi x) sin(pi y) sin(9 t), with the H that it makes. */
#define MODE "sin(pi*x)*sin(pi*y)"
static double exact(int field, const double *x, double t)
{
  const double sum = (1 - cos(9 * t)) / 9;
  if (field == 2) return sin(pi * x[0]) * sin(pi * x[1]) * sin(9 * t);
  if (field == 3) return -pi * sin(pi * x[0]) * cos(pi * x[1]) * sum;
  if (field == 4) return pi * cos(pi * x[0]) * sin(pi * x[1]) * sum;
  return 0;
}

/* The fields of maxwell with these settings at `time`; the caller frees them. */
static double *solve(int order, const char *box, const wisp_solver_setting *settings, double time, double dt,
                     double **nodes, size_t *count)
{
  api_solve s;
  api_open(&s, &(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = order, .box = box,
                                      .settings = settings});
  *count = s.K * s.Np;
  double *u = calloc(6 * *count, sizeof *u);
  GOOD(wisp_solver_advance(err, s.solver, &(wisp_until){WISP_INIT(wisp_until), .time = time, .dt = dt}));
  GOOD(wisp_solver_get(err, s.solver, u));
  if (nodes) {
    *nodes = calloc(3 * *count, sizeof **nodes);
    GOOD(wisp_solver_nodes(err, s.solver, *nodes));
  }
  api_close(&s);
  return u;
}

static double error_in_space(int order, const char *box)
{
  const wisp_solver_setting settings[] = {
      {"source", "Ez=" MODE "*(9*cos(9*t) + 2*pi*pi*(1 - cos(9*t))/9)"}, {"dt", "0.01"}, {NULL, NULL}};
  OWNED(free) double *nodes = NULL;
  size_t count = 0;
  double sum = 0;
  OWNED(free) double *u = solve(order, box, settings, 0.4, 0.01, &nodes, &count);
  for (size_t i = 0; i < 6 * count; i++) {
    const double off = u[i] - exact((int)(i / count), nodes + 3 * (i % count), 0.4);
    sum += off * off;
  }
  return sqrt(sum / (double)count);
}

TEST(test_space)
{
  static const char *const boxes[][2] = {{"3", "6"}, {"2", "4"}, {"2", "4"}};
  for (int order = 1; order <= 3; order++) {
    const double coarse = error_in_space(order, boxes[order - 1][0]), fine = error_in_space(order, boxes[order - 1][1]);
    const double found = log2(coarse / fine);
    print_message("N = %d: %.2e, %.2e, order %.2f\n", order, coarse, fine, found);
    if (!(found >= order + 0.7)) fail_msg("N = %d converges with order %.2f only", order, found);
  }
}

/* ---- Time. */

#define DRIVE "Ez=" MODE "*sin(7*t)*exp(-t), Hx=y*cos(5*t)"

static double *at_end(const char *composition, const char *scheme, double dt, size_t *count)
{
  const wisp_solver_setting settings[] = {
      {"source", DRIVE}, {"scheme", scheme}, {"composition", composition}, {"dt", "0.01"}, {NULL, NULL}};
  return solve(2, "1", settings, 0.5, dt, NULL, count);
}

static double distance(const double *a, const double *b, size_t count)
{
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

TEST(test_time)
{
  static const char *const forms[] = {"volume+gather+lift+update", "volume+gather+lift+update_nested"};
  size_t count = 0;
  OWNED(free) double *truth = at_end(forms[0], "rk8s14", 0.01, &count);
  for (int f = 0; f < 2; f++)
    for (int i = 0; wisp_schemes[i]; i++) {
      const wisp_scheme *scheme = wisp_schemes[i];
      const double step = 0.004 * scheme->stages;
      OWNED(free) double *coarse = at_end(forms[f], scheme->name, step, &count);
      OWNED(free) double *fine = at_end(forms[f], scheme->name, step / 2, &count);
      const double errors[] = {distance(coarse, truth, 6 * count), distance(fine, truth, 6 * count)};
      /* the last step ends at the time, so steps are the next that divide it */
      const double ratio = ceil(0.5 / (step / 2) - 1e-9) / ceil(0.5 / step - 1e-9);
      const double found = log(errors[0] / errors[1]) / log(ratio);
      print_message("%s %s: %.1e, %.1e, order %.2f\n", f ? "nested" : "low", scheme->name, errors[0], errors[1], found);
      if (!(found >= scheme->order - 0.2)) fail_msg("%s: order %.2f only", scheme->name, found);
    }
}

/* Weights of 1 for a constant, in every stage: what stays stays. And weights that rounding does not feel. */
TEST(test_weights)
{
  for (int i = 0; wisp_schemes[i]; i++)
    for (int form = 0; form < 3; form++) {
      const bool nested = form == 1, linear = form < 2;
      wisp_stage_weights w;
      GOOD(wisp_stage_weights_of(err, wisp_schemes[i], nested, linear, &w));
      for (int k = 0; k < wisp_schemes[i]->stages; k++) {
        double sum = 0, size = 0;
        for (int q = 0; q < w.points; q++) sum += w.weight[k][q], size += fabs(w.weight[k][q]);
        assert_true(fabs(sum - 1) < 1e-8);
        assert_true(nested ? size < 1 + 1e-12 : size < 40);
      }
    }
}

/* ---- A point: the amplitude of a mode that is driven from zero, f = sin(w t) delta(x - a) on Ez: with the mode
 * e = sin(pi x) sin(pi y), whose square's integral is 1/4, q'' + 2 pi^2 q = w cos(w t) e(a) / (1/4). */
/* A wisp_function. */
static void mode(const void *context, size_t count, const double *xyz, double t, double *u)
{
  (void)context, (void)t;
  memset(u, 0, 6 * count * sizeof *u);
  for (size_t i = 0; i < count; i++) u[6 * i + 2] = sin(pi * xyz[3 * i]) * sin(pi * xyz[3 * i + 1]);
}

/* The integral of Ez times the mode, as the energy, half of the squares' integral, of sum and difference has it. */
static double project(const wisp_system_run *run)
{
  const size_t size = wisp_dg_volume_size(run->dg);
  double side[2];
  OWNED(free) double *e = calloc(size, sizeof *e), *sum = calloc(size, sizeof *sum);
  wisp_dg_fill(run->dg, mode, NULL, 0, e);
  for (int i = 0; i < 2; i++) {
    for (size_t j = 0; j < size; j++) sum[j] = run->u[j] + (i ? -e[j] : e[j]);
    GOOD(wisp_dg_energy(err, run->dg, sum, &side[i]));
  }
  return (side[0] - side[1]) / 2;
}

TEST(test_point)
{
  const wisp_solver_setting settings[] = {{"source", "Ez@(0.3,0.4,0.55)=sin(3*t)"}, {NULL, NULL}};
  const double w = 3, k = sqrt(2) * pi, t = 1.3, e = sin(0.3 * pi) * sin(0.4 * pi);
  const double expected = 4 * e * w * (cos(w * t) - cos(k * t)) / (k * k - w * w);
  api_solve s;
  api_open(&s, &(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 3, .box = "3",
                                      .settings = settings});
  wisp_system_run *run = wisp_system_run_of(s.solver);
  GOOD(wisp_solver_advance(err, s.solver, &(wisp_until){WISP_INIT(wisp_until), .time = t, .dt = 0.005}));
  GOOD(wisp_system_fetch(err, run));
  const double found = 4 * project(run);
  print_message("amplitude %.6f, %.6f expected\n", found, expected);
  assert_true(fabs(found / expected - 1) < 2e-3);
  api_close(&s);
}

/* ---- Texts. */

static double energy(const char *folder, const char *source)
{
  return solve_number(folder, "energy_final", "maxwell", "-n 2 --box 2 --dt 0.02 --steps 20 --default --source '%s'",
                      source);
}

TEST_IN_FOLDER(test_texts)
{
  static const char *const same[][2] = {
      {"Ez=sin(3*x - 4*t + 1)", "Ez=sin(3*x+1)*cos(4*t), Ez=0-cos(3*x+1)*sin(4*t)"},
      {"Ez=exp(x - t)*(t < 0.1 ? y : 2)", "Ez=exp(x)*y*exp(0-t)*(t<0.1 ? 1 : 0) + exp(x)*2*exp(0-t)*(t<0.1 ? 0 : 1)"},
      {"Hy=(x + t)*(y - t)/2", "Hy=x*y/2, Hy=t*(y-x)/2 - t*t/2"},
      {"Ez=cos(x+2*t)*(x < 0.5 ? t : 1)", "Ez=(cos(x)*cos(2*t) - sin(x)*sin(2*t))*(x<0.5 ? t : 1)"},
  };
  for (size_t i = 0; i < WISP_COUNT(same); i++) {
    const double one = energy(*state, same[i][0]), other = energy(*state, same[i][1]);
    if (!(one > 0 && fabs(one / other - 1) < 1e-12)) fail_msg("%s: energies %g, %g", same[i][0], one, other);
  }
}

TEST_IN_FOLDER(test_refused)
{
  static const struct {
    const char *source, *why;
  } bad[] = {
      {"Ew=1", "option --source: 'Ew' is no field of maxwell: there are Ex, Ey, Ez, Hx, Hy, Hz"},
      {"1", "option --source: '1' has no field: write FIELD=EXPRESSION"},
      {"Ez=", "option --source: there is a value missing of Ez"},
      {"Ez=sin(x*t)", "'sin' of t and other names together: write a sum of products"},
      {"Ez=max(x,t)", "'max' of t and other names together"},
      {"Ez=x < t ? 1 : 0", "of t and other names together"},
      {"Ez=1/(x+t)", "'/' of t and other names together"},
      {"Ez=q", "the name 'q' is not defined"},
      {"Ez=tag", "'tag' is known on the boundary alone"},
      {"Ez@9=1", "option --source: Ez: '9' is no tag, nor a name, of a physical volume: there are none"},
      {"Ez@(1,2)=1", "option --source: Ez: '(1,2)' is no point: write three numbers"},
      {"Ez@(1,2,nan)=1", "is no point"},
      {"Ez@(1,2,3)=t", "option --source: the point (1, 2, 3) is in no element of the mesh"},
      {"Ez@(.1,.2,.3)=x*t", "option --source: Ez: at a point the expression is one of t alone"},
      {"Ez=1/x", "option --source: Ez is inf at (0, 0, 0)"},
      {"Ez=sqrt(0-t)", "option --source: a source is not finite at t = "},
  };
  for (size_t i = 0; i < WISP_COUNT(bad); i++) {
    run_expect(*state, "", 2, bad[i].why, "run maxwell -q -n 1 --box 1 --default -d %s -o %s/out.vtu --source '%s'",
               test_device_name(), (const char *)*state, bad[i].source);
    assert_int_not_equal(access(fixture_path(*state, "out.vtu"), F_OK), 0);
  }
}
