/* The longest stable step: the eigenvalues of the operator in space, as far as a short Krylov sequence shows them,
 * against the stability region of the Runge-Kutta method.
 *
 * u_{k+1} = u_k + beta (u_k - u_{k-1}) + alpha L u_k is a Runge-Kutta stage with its own numbers, so the solver's
 * kernels make the sequence (stepper.h). beta and alpha say for which ellipse its polynomials are those of
 * Chebyshev. An ellipse too small makes the outermost modes grow, one too large leaves u as it is: in both cases the
 * vectors become dependent, by a factor an application, and rounding, multiplied by their condition over alpha, becomes
 * eigenvalues near -1/alpha that L does not have. Two things keep that away, whatever is known at first. Only as many
 * vectors count as are well conditioned (independent, below). And the sequence is begun anew, from the vector where it
 * stopped, with the ellipse that the pass before it found: a pass needs no good guess to find the scale, and the last
 * one has it. */
#include "stepper.h"

#include <complex.h>

/* Applications of L: for the scale, for the ellipse, for the eigenvalues. */
enum { SWEEPS = 3 };
static const int applications[SWEEPS] = {4, 6, 20};

/* And for the error of a step (time_error.c). */
enum { POWERS = 6 };

long long wisp_stepper_limit_stages(void)
{
  int stages = POWERS;
  for (int i = 0; i < SWEEPS; i++) stages += applications[i];
  return stages;
}

/* --- the method --- */

static bool grows(const wisp_polynomial *R, double complex z)
{
  double complex sum = 0;
  for (int i = R->degree; i >= 0; i--) sum = sum * z + R->c[i];
  return cabs(sum) > 1 + 1e-10;
}

/* The longest dt at which the mode of this eigenvalue does not grow. No flux from central to upwind adds energy: a real
 * part above 0 is the estimate's error. */
static double reach(const wisp_polynomial *R, const wisp_ritz *value)
{
  const double size = hypot(value->re, value->im), part = 1.0 / 32, far = 4 * R->degree;
  const double complex direction = (fmin(value->re, 0) + value->im * _Complex_I) / size;
  double low = 0, high = part;
  if (!(size > 0)) return INFINITY;
  while (high < far && !grows(R, high * direction)) low = high, high += part;
  for (int i = 0; i < 40; i++) {
    const double middle = (low + high) / 2;
    *(grows(R, middle * direction) ? &high : &low) = middle;
  }
  return low / size;
}

/* --- the operator --- */

typedef struct probe {
  wisp_stepper *solver;
  wisp_integrator integrator; /* the solver's, and how it mixes */
  wisp_krylov krylov;
} probe;

/* A start that has something of every mode, and nothing in padding: what a kernel leaves there is no mode. */
static wisp_status start(wisp_error *err, const probe *p)
{
  wisp_problem *problem = p->solver->problem;
  OWNED(free) double *u = NULL;
  CALL(wisp_new(err, wisp_arrays_size(problem->arrays, "u"), sizeof *u, &u));
  wisp_dg_noise(wisp_problem_dg(problem), u);
  CALL(wisp_arrays_upload(err, problem->arrays, "u", u));
  return wisp_integrator_begin(err, &p->integrator);
}

/* The half axes anew, a little larger than what is known of the spectrum, and flat where it is along the imaginary
 * axis.
 */
static void enclose(int count, const wisp_ritz *value, double *d, double *h)
{
  double left = 0, up = 0;
  for (int i = 0; i < count; i++) {
    left = fmax(left, -value[i].re);
    up = fmax(up, fabs(value[i].im));
  }
  *h = 1.1 * fmax(up, left / 4);
  *d = fmax(1.1 * left / 2, *h / 8);
}

static double noise_of(const probe *p)
{
  return p->solver->precision == WISP_F32 ? 1e-5 : 1e-10;
}

/* A sequence for the ellipse in the left half plane with half axes d along the real and h along the imaginary axis
 * (Manteuffel 1977, whose recurrence is scaled here so that it is a Runge-Kutta stage). */
static wisp_status follow(wisp_error *err, probe *p, double d, double h, int count)
{
  wisp_krylov *k = &p->krylov;
  while (k->count < count) {
    k->beta[k->count] = (d - h) / (d + h);
    k->alpha[k->count] = 2 / (d + h);
    CALL(wisp_integrator_recur(err, &p->integrator, k->beta[k->count], k->alpha[k->count]));
    k->count++;
    CALL(wisp_stepper_spectrum(err, p->solver, k->spectrum + (size_t)k->count * WISP_SPECTRUM));
  }
  return WISP_OK;
}

static wisp_status explore(wisp_error *err, probe *p, int *count, wisp_ritz value[WISP_KRYLOV])
{
  wisp_krylov *k = &p->krylov;
  double d = 0.1 / wisp_dg_safe_dt(wisp_problem_dg(p->solver->problem)), h = d;
  CALL(start(err, p));
  CALL(wisp_stepper_spectrum(err, p->solver, p->krylov.spectrum));
  for (int i = 0; i < SWEEPS; i++) {
    if (i) { /* the vector where the sequence stopped is the first of the next */
      enclose(*count, value, &d, &h);
      memmove(k->spectrum, k->spectrum + (size_t)k->count * WISP_SPECTRUM, WISP_SPECTRUM * sizeof *k->spectrum);
      k->count = 0;
      CALL(wisp_integrator_begin(err, &p->integrator));
    }
    CALL(follow(err, p, d, h, applications[i]));
    CALL(wisp_krylov_ritz(err, k, noise_of(p), count, value));
  }
  return WISP_OK;
}

static void close_probe(probe *p)
{
  if (p->integrator.mixing) wisp_module_unload(p->integrator.mixing);
  free(p->krylov.spectrum);
}

static wisp_status open_probe(wisp_error *err, wisp_stepper *solver, probe *p)
{
  p->solver = solver;
  p->integrator = solver->integrator;
  CALL(wisp_new(err, (WISP_KRYLOV + 1) * (size_t)WISP_SPECTRUM, sizeof *p->krylov.spectrum, &p->krylov.spectrum));
  if (!p->integrator.nested) return WISP_OK;
  return wisp_dialect_module(err, solver->device, "solve/mix", solver->precision, "", &p->integrator.mixing);
}

double wisp_stepper_reach(const wisp_stepper *solver, const wisp_scheme *scheme)
{
  const wisp_polynomial R = wisp_scheme_polynomial(scheme);
  double limit = INFINITY;
  for (int i = 0; i < solver->found.count; i++) limit = fmin(limit, reach(&R, &solver->found.value[i]));
  return limit;
}

wisp_status wisp_stepper_limit(wisp_error *err, wisp_stepper *solver, double *out)
{
  static const char *const names[] = {"u", "u_next", "res", "rhs", "lifted", "flux"};
  HELD(close_probe) probe p = {.solver = NULL};
  CALL(open_probe(err, solver, &p));
  CALL(explore(err, &p, &solver->found.count, solver->found.value));
  const double limit = wisp_stepper_reach(solver, solver->integrator.scheme);
  CALL(wisp_require(err, isfinite(limit) && limit > 0, WISP_EWRONG, "no stable step was found: give one (--dt)"));
  wisp_stepper_forget(solver);
  for (size_t i = 0; i < WISP_COUNT(names); i++) CALL(wisp_arrays_fill(err, solver->problem->arrays, names[i], 0));
  *out = limit;
  return WISP_OK;
}

/* --- the modes of the fields as they are --- */

static wisp_status split(wisp_error *err, wisp_stepper *solver, wisp_modes *out)
{
  double d = 0, h = 0;
  HELD(close_probe) probe p = {.solver = NULL};
  CALL(open_probe(err, solver, &p));
  CALL(wisp_arrays_fill(err, solver->problem->arrays, "res", 0));
  CALL(wisp_integrator_begin(err, &p.integrator));
  CALL(wisp_stepper_spectrum(err, solver, p.krylov.spectrum));
  enclose(solver->found.count, solver->found.value, &d, &h);
  CALL(follow(err, &p, d, h, applications[SWEEPS - 1]));
  return wisp_krylov_modes(err, &p.krylov, noise_of(&p), out);
}

wisp_status wisp_stepper_modes(wisp_error *err, wisp_stepper *solver, wisp_modes *out)
{
  const size_t bytes = wisp_arrays_size(solver->problem->arrays, "u") * (size_t)solver->precision;
  wisp_status status = WISP_OK;
  wisp_pointer saved = 0;
  TRY(wisp_device_alloc(err, solver->device, bytes, &saved));
  TRY(wisp_device_copy(err, solver->device, saved, wisp_arrays_at(solver->problem->arrays, "u"), bytes));
  TRY(split(err, solver, out));
  wisp_stepper_forget(solver);
  TRY(wisp_device_copy(err, solver->device, wisp_arrays_at(solver->problem->arrays, "u"), saved, bytes));
  TRY(wisp_arrays_fill(err, solver->problem->arrays, "res", 0));
  TRY(wisp_device_finish(err, solver->device));
done:
  if (saved) wisp_device_free(solver->device, saved);
  return status;
}
