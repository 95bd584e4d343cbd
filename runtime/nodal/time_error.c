/* The error that steps add, of a scheme and a step that need not have run: from the modes of the fields, each of which
 * a step multiplies by R(dt lambda) in place of exp(dt lambda). */
#include "stepper.h"

#include <complex.h>
#include <float.h>
#undef I

static double _Complex factor(const wisp_polynomial *R, double _Complex z)
{
  double _Complex sum = 0;
  for (int i = R->degree; i >= 0; i--) sum = sum * z + R->c[i];
  return sum;
}

/* exp(steps z) - R(z)^steps. No mode grows: a real part above 0, and a factor above 1, are the estimate's error. */
static double _Complex defect(const wisp_polynomial *R, double _Complex z, double steps)
{
  const double _Complex once = factor(R, z);
  const double size = cabs(once);
  return cexp(steps * z) - (size > 0 ? cpow(size > 1 ? once / size : once, steps) : 0);
}

double wisp_modes_error(const wisp_modes *modes, const wisp_scheme *scheme, double dt, double steps)
{
  const wisp_polynomial R = wisp_scheme_polynomial(scheme);
  double _Complex sum[WISP_KRYLOV] = {0};
  double square = 0;
  for (int i = 0; i < modes->count; i++) {
    const double _Complex z = dt * (fmin(modes->value[i].re, 0) + modes->value[i].im * _Complex_I),
                          off = defect(&R, z, steps);
    for (int r = 0; r < modes->count; r++) sum[r] += off * modes->part[i * WISP_KRYLOV + r];
  }
  for (int r = 0; r < modes->count; r++) square += pow(cabs(sum[r]), 2);
  return sqrt(square);
}

double wisp_stepper_rounding(const wisp_stepper *solver, const wisp_scheme *scheme, double dt)
{
  /* Measured in single precision: from 1/20 to 1/100 of what the outermost mode alone would have. */
  const double unit = (solver->precision == WISP_F32 ? FLT_EPSILON : DBL_EPSILON) / 16;
  double largest = 1;
  for (int i = 0; solver->integrator.nested && i < solver->found.count; i++) {
    const double size = dt * hypot(solver->found.value[i].re, solver->found.value[i].im);
    double grown = 1;
    for (int k = scheme->stages - 1; k > 0; k--) largest = fmax(largest, grown *= scheme->nested[k] * size);
  }
  return unit * largest;
}

/* --- from the powers of the operator --- */

/* Applications that bring all arrays back to their places. */
enum { ROUND = 6 };

static wisp_status norm(wisp_error *err, const wisp_stepper *solver, double *out)
{
  OWNED(free) double *sums = NULL;
  double square = 0;
  CALL(wisp_new(err, WISP_SPECTRUM, sizeof *sums, &sums));
  CALL(wisp_stepper_spectrum(err, solver, sums));
  for (int i = 0; i < WISP_SPECTRUM; i++) square += sums[i] * sums[i];
  *out = sqrt(square);
  return WISP_OK;
}

wisp_status wisp_stepper_time_error(wisp_error *err, wisp_stepper *solver, double dt, double time, double *out)
{
  wisp_status status = WISP_OK;
  const wisp_scheme *scheme = solver->integrator.scheme;
  const wisp_polynomial R = wisp_scheme_polynomial(scheme);
  const int first = scheme->order + 1; /* power whose coefficient is not that of exp */
  const size_t bytes = wisp_arrays_size(solver->problem->arrays, "u") * (size_t)solver->precision;
  wisp_pointer saved = 0, u = wisp_arrays_at(solver->problem->arrays, "u");
  double length = 0, power = 0;
  TRY(wisp_device_alloc(err, solver->device, bytes, &saved));
  TRY(wisp_device_copy(err, solver->device, saved, u, bytes));
  TRY(norm(err, solver, &length));
  TRY(wisp_arrays_fill(err, solver->problem->arrays, "res", 0));
  for (int k = 1; k <= first || (k - 1) % ROUND; k++) {
    TRY(wisp_integrator_apply(err, &solver->integrator, dt));
    if (k == first) TRY(norm(err, solver, &power));
  }
  TRY(wisp_device_copy(err, solver->device, u, saved, bytes));
  TRY(wisp_arrays_fill(err, solver->problem->arrays, "res", 0));
  TRY(wisp_device_finish(err, solver->device));
  *out = length > 0 ? time / dt * fabs(R.c[first] - 1 / tgamma(first + 1)) * power / length : 0;
done:
  if (saved) wisp_device_free(solver->device, saved);
  return status;
}
