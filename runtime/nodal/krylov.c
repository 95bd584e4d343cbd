/* Ritz values of an operator from sketches of a Krylov sequence, and the part that each has of its first vector. */
#include "../../gen/lapack.h"
#include "stepper.h"

#include <complex.h>
#undef I

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

/* Eigenvectors as LAPACK has them, a pair's real and imaginary part side by side, into columns of complex numbers. */
static void unpack(int n, const double *V, const double *im, double _Complex *out)
{
  for (int i = 0; i < n; i++) {
    const double *re = V + (im[i] < 0 ? i - 1 : i) * COLUMNS, sign = im[i] > 0 ? 1 : im[i] < 0 ? -1 : 0;
    for (int r = 0; r < n; r++)
      out[i * WISP_KRYLOV + r] = re[r] + (sign != 0 ? sign * re[COLUMNS + r] : 0) * _Complex_I;
  }
}

/* Scales the eigenvectors so that they add up to the first vector of the space. */
static wisp_status weigh(wisp_error *err, int n, double _Complex *vector)
{
  const wisp_lapack *lapack = NULL;
  double _Complex factor[WISP_KRYLOV * WISP_KRYLOV], weight[WISP_KRYLOV] = {1};
  lapack_int pivot[WISP_KRYLOV];
  CALL(wisp_lapack_load(err, &lapack));
  memcpy(factor, vector, sizeof factor);
  CALL(wisp_require(err, lapack->zgesv(LAPACK_COL_MAJOR, n, 1, factor, WISP_KRYLOV, pivot, weight, WISP_KRYLOV) == 0,
                    WISP_EWRONG, "the spectrum of the operator: its eigenvectors are dependent"));
  for (int i = 0; i < n; i++)
    for (int r = 0; r < n; r++) vector[i * WISP_KRYLOV + r] *= weight[i];
  return WISP_OK;
}

/* The operator in the space, n columns of n + 1 rows, as far as the vectors are independent. */
static wisp_status reduce(wisp_error *err, const wisp_krylov *krylov, double noise, double *H, int *n)
{
  const int columns = krylov->count + 1;
  OWNED(free) double *spectrum = NULL;
  double length[COLUMNS], R[COLUMNS * COLUMNS];
  CALL(wisp_new(err, (size_t)columns * WISP_SPECTRUM, sizeof *spectrum, &spectrum));
  memcpy(spectrum, krylov->spectrum, (size_t)columns * WISP_SPECTRUM * sizeof *spectrum);
  CALL(normalise(err, columns, spectrum, length));
  CALL(triangle(err, columns, spectrum, R));
  CALL(independent(err, R, krylov->count, noise, n));
  project(krylov, R, length, *n, H);
  return wisp_require(err, *n > 0, WISP_EWRONG, "the spectrum of the operator: nothing was seen of it");
}

/* vector: NULL, or the parts of the first vector. */
static wisp_status solve(wisp_error *err, const wisp_krylov *krylov, double noise, int *values,
                         wisp_ritz value[WISP_KRYLOV], double _Complex *vector)
{
  const wisp_lapack *lapack = NULL;
  double re[COLUMNS], im[COLUMNS], H[COLUMNS * COLUMNS], V[COLUMNS * COLUMNS];
  int n = 0;
  CALL(wisp_lapack_load(err, &lapack));
  CALL(reduce(err, krylov, noise, H, &n));
  const double last = H[n + (n - 1) * COLUMNS];
  CALL(wisp_require(err, lapack->dgeev(LAPACK_COL_MAJOR, 'N', 'V', n, H, COLUMNS, re, im, NULL, 1, V, COLUMNS) == 0,
                    WISP_EWRONG, "the spectrum of the operator: its Ritz values were not found"));
  for (int i = 0; i < n; i++) {
    const double *v = V + (im[i] < 0 ? i - 1 : i) * COLUMNS;
    value[i] = (wisp_ritz){re[i], im[i], residual(n, last, v, v + COLUMNS, im[i] != 0)};
  }
  *values = n;
  if (!vector) return WISP_OK;
  unpack(n, V, im, vector);
  return weigh(err, n, vector);
}

wisp_status wisp_krylov_ritz(wisp_error *err, const wisp_krylov *krylov, double noise, int *values,
                             wisp_ritz value[WISP_KRYLOV])
{
  return solve(err, krylov, noise, values, value, NULL);
}

wisp_status wisp_krylov_modes(wisp_error *err, const wisp_krylov *krylov, double noise, wisp_modes *out)
{
  return solve(err, krylov, noise, &out->count, out->value, out->part);
}
