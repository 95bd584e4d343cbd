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
#include "../../gen/lapack.h"
#include "stepper.h"

#include <complex.h>

/* Applications of L: for the scale, for the ellipse, for the eigenvalues. */
enum { SWEEPS = 3 };
static const int applications[SWEEPS] = {4, 6, 20};

/* And for the error of a step, (dt L)^5 u; a sixth power brings all arrays back to their places. */
enum { FIFTH = 5, POWERS = 6 };

long long wisp_stepper_limit_stages(void)
{
  int stages = POWERS;
  for (int i = 0; i < SWEEPS; i++) stages += applications[i];
  return stages;
}

/* --- Ritz values --- */

enum { COLUMNS = WISP_KRYLOV + 1 };

/* Columns of length 1, as they may have grown by many powers of ten; length[k] is what they had. */
static wisp_status normalise(wisp_error *err, int columns, double *spectrum, double *length)
{
  for (int k = 0; k < columns; k++) {
    double *column = spectrum + (size_t)k * WISP_SPECTRUM, square = 0;
    for (int i = 0; i < WISP_SPECTRUM; i++) square += column[i] * column[i];
    length[k] = sqrt(square);
    CALL(wisp_require(err, isfinite(square) && square > 0, WISP_EWRONG,
                      "the spectrum of the operator: vector %d has the length %g", k, length[k]));
    for (int i = 0; i < WISP_SPECTRUM; i++) column[i] /= length[k];
  }
  return WISP_OK;
}

/* The upper triangle R of the sketches' QR factorisation, R[row + column * COLUMNS]. */
static wisp_status triangle(wisp_error *err, int columns, double *spectrum, double R[COLUMNS * COLUMNS])
{
  const wisp_lapack *lapack = NULL;
  double tau[COLUMNS];
  CALL(wisp_lapack_load(err, &lapack));
  CALL(wisp_require(err, lapack->dgeqrf(LAPACK_COL_MAJOR, WISP_SPECTRUM, columns, spectrum, WISP_SPECTRUM, tau) == 0,
                    WISP_EWRONG, "the spectrum of the operator: its vectors have no QR factorisation"));
  for (int c = 0; c < columns; c++)
    for (int r = 0; r < columns; r++) R[r + c * COLUMNS] = r <= c ? spectrum[(size_t)c * WISP_SPECTRUM + (size_t)r] : 0;
  return WISP_OK;
}

/* Column c of R T, where L u_c = sum of T_jc u_j is the recurrence solved for L u_c, in columns of length 1, and
 * H = (R T) R^-1, n columns of n + 1 rows: upper Hessenberg, solved for from the left column on. */
static void project(const wisp_krylov *krylov, const double *R, const double *length, int n, double *H)
{
  memset(H, 0, sizeof *H * COLUMNS * COLUMNS);
  for (int c = 0; c < n; c++) {
    const double beta = c ? krylov->beta[c] : 0;
    double column[COLUMNS + 1] = {0};
    for (int r = 0; r <= c + 1; r++) {
      double sum = R[r + (c + 1) * COLUMNS] * length[c + 1] / length[c] - (1 + beta) * R[r + c * COLUMNS];
      if (c) sum += beta * R[r + (c - 1) * COLUMNS] * length[c - 1] / length[c];
      column[r] = sum / krylov->alpha[c];
      for (int j = 0; j < c; j++) column[r] -= H[r + j * COLUMNS] * R[j + c * COLUMNS];
      H[r + c * COLUMNS] = column[r] / R[c + c * COLUMNS];
    }
  }
}

/* An eigenvector's residual is as long as what L takes out of the space: the last number of H times its own last one.
 * LAPACK has the real and the imaginary part of a pair's vector side by side. */
static double residual(int n, double last, const double *re, const double *im, bool complex_pair)
{
  double square = 0;
  for (int i = 0; i < n; i++) square += re[i] * re[i] + (complex_pair ? im[i] * im[i] : 0);
  return fabs(last) * hypot(re[n - 1], complex_pair ? im[n - 1] : 0) / sqrt(square);
}

/* Counts the columns of R that can be trusted. Rounding reaches H = (R T) R^-1 multiplied by the condition of R:
 * nearly dependent columns give eigenvalues near -1/alpha that L does not have, though no number on R's diagonal be
 * small. */
static wisp_status independent(wisp_error *err, const double *R, int columns, double noise, int *out)
{
  const wisp_lapack *lapack = NULL;
  double inverse = 0; /* of the condition */
  CALL(wisp_lapack_load(err, &lapack));
  for (*out = 0; *out < columns; ++*out) {
    CALL(wisp_require(err, lapack->dtrcon(LAPACK_COL_MAJOR, '1', 'U', 'N', *out + 1, R, COLUMNS, &inverse) == 0,
                      WISP_EWRONG, "the spectrum of the operator: its vectors have no condition"));
    if (!(inverse > noise)) break;
  }
  return WISP_OK;
}

wisp_status wisp_krylov_ritz(wisp_error *err, const wisp_krylov *krylov, double noise, int *values,
                             wisp_ritz value[WISP_KRYLOV])
{
  const int columns = krylov->count + 1;
  OWNED(free) double *spectrum = NULL;
  const wisp_lapack *lapack = NULL;
  double length[COLUMNS], re[COLUMNS], im[COLUMNS], last;
  double R[COLUMNS * COLUMNS], H[COLUMNS * COLUMNS], V[COLUMNS * COLUMNS];
  int n = 0;
  CALL(wisp_lapack_load(err, &lapack));
  CALL(wisp_new(err, (size_t)columns * WISP_SPECTRUM, sizeof *spectrum, &spectrum));
  memcpy(spectrum, krylov->spectrum, (size_t)columns * WISP_SPECTRUM * sizeof *spectrum);
  CALL(normalise(err, columns, spectrum, length));
  CALL(triangle(err, columns, spectrum, R));
  CALL(independent(err, R, krylov->count, noise, &n));
  project(krylov, R, length, n, H);
  CALL(wisp_require(err, n > 0, WISP_EWRONG, "the spectrum of the operator: nothing was seen of it"));
  last = H[n + (n - 1) * COLUMNS];
  CALL(wisp_require(err, lapack->dgeev(LAPACK_COL_MAJOR, 'N', 'V', n, H, COLUMNS, re, im, NULL, 1, V, COLUMNS) == 0,
                    WISP_EWRONG, "the spectrum of the operator: its Ritz values were not found"));
  for (int i = 0; i < n; i++) {
    const double *v = V + (im[i] < 0 ? i - 1 : i) * COLUMNS;
    value[i] = (wisp_ritz){re[i], im[i], residual(n, last, v, v + COLUMNS, im[i] != 0)};
  }
  *values = n;
  return WISP_OK;
}

/* --- the method --- */

/* R, what a step multiplies by along an eigenvector: coefficients of powers of z = dt lambda. */
typedef struct polynomial {
  int degree;
  double c[WISP_MOST_STAGES + 1];
} polynomial;

static polynomial amplification(const wisp_scheme *scheme)
{
  const int degree = scheme->stages;
  polynomial u = {degree, {1}}, res = {degree, {0}};
  for (int s = 0; s < scheme->stages; s++) {
    for (int i = degree; i >= 0; i--) res.c[i] = scheme->stage[s].a * res.c[i] + (i ? u.c[i - 1] : 0);
    for (int i = 0; i <= degree; i++) u.c[i] += scheme->stage[s].b * res.c[i];
  }
  return u;
}

static bool grows(const polynomial *R, double complex z)
{
  double complex sum = 0;
  for (int i = R->degree; i >= 0; i--) sum = sum * z + R->c[i];
  return cabs(sum) > 1 + 1e-7;
}

/* The longest dt at which the mode of this eigenvalue does not grow. No flux from central to upwind adds energy: a real
 * part above 0 is the estimate's error. */
static double reach(const polynomial *R, const wisp_ritz *value)
{
  const double size = hypot(value->re, value->im), part = 1.0 / 64, far = 8;
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

/* By sequences for the ellipse in the left half plane with half axes d along the real and h along the imaginary axis
 * (Manteuffel 1977, whose recurrence is scaled here so that it is a Runge-Kutta stage). */
static wisp_status explore(wisp_error *err, probe *p, int *count, wisp_ritz value[WISP_KRYLOV])
{
  wisp_krylov *k = &p->krylov;
  const double noise = p->solver->precision == WISP_F32 ? 1e-5 : 1e-10;
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
    while (k->count < applications[i]) {
      k->beta[k->count] = (d - h) / (d + h);
      k->alpha[k->count] = 2 / (d + h);
      CALL(wisp_integrator_recur(err, &p->integrator, k->beta[k->count], k->alpha[k->count]));
      k->count++;
      CALL(wisp_stepper_spectrum(err, p->solver, k->spectrum + (size_t)k->count * WISP_SPECTRUM));
    }
    CALL(wisp_krylov_ritz(err, k, noise, count, value));
  }
  return WISP_OK;
}

static void close_probe(probe *p)
{
  if (p->integrator.mixing) wisp_module_unload(p->integrator.mixing);
}

wisp_status wisp_stepper_limit(wisp_error *err, wisp_stepper *solver, double *out)
{
  static const char *const names[] = {"u", "u_next", "res", "rhs", "lifted", "flux"};
  const polynomial R = amplification(solver->integrator.scheme);
  wisp_ritz value[WISP_KRYLOV];
  int count = 0;
  double limit = INFINITY;
  HELD(close_probe) probe p = {.solver = solver, .integrator = solver->integrator};
  OWNED(free) double *sums = NULL;
  CALL(wisp_new(err, (WISP_KRYLOV + 1) * (size_t)WISP_SPECTRUM, sizeof *sums, &sums));
  p.krylov.spectrum = sums;
  if (p.integrator.nested)
    CALL(wisp_dialect_module(err, solver->device, "solve/mix", solver->precision, "", &p.integrator.mixing));
  CALL(explore(err, &p, &count, value));
  for (int i = 0; i < count; i++) limit = fmin(limit, reach(&R, &value[i]));
  CALL(wisp_require(err, isfinite(limit) && limit > 0, WISP_EWRONG, "no stable step was found: give one (--dt)"));
  wisp_stepper_forget(solver);
  for (size_t i = 0; i < WISP_COUNT(names); i++) CALL(wisp_arrays_fill(err, solver->problem->arrays, names[i], 0));
  *out = limit;
  return WISP_OK;
}

/* --- the error of a step --- */

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
  const polynomial R = amplification(solver->integrator.scheme);
  const size_t bytes = wisp_arrays_size(solver->problem->arrays, "u") * (size_t)solver->precision;
  wisp_pointer saved = 0, u = wisp_arrays_at(solver->problem->arrays, "u");
  double length = 0, power = 0;
  TRY(wisp_device_alloc(err, solver->device, bytes, &saved));
  TRY(wisp_device_copy(err, solver->device, saved, u, bytes));
  TRY(norm(err, solver, &length));
  TRY(wisp_arrays_fill(err, solver->problem->arrays, "res", 0));
  for (int k = 1; k <= POWERS; k++) {
    TRY(wisp_integrator_apply(err, &solver->integrator, dt));
    if (k == FIFTH) TRY(norm(err, solver, &power));
  }
  TRY(wisp_device_copy(err, solver->device, u, saved, bytes));
  TRY(wisp_arrays_fill(err, solver->problem->arrays, "res", 0));
  TRY(wisp_device_finish(err, solver->device));
  *out = length > 0 ? time / dt * fabs(R.c[5] - 1.0 / 120) * power / length : 0;
done:
  if (saved) wisp_device_free(solver->device, saved);
  return status;
}
