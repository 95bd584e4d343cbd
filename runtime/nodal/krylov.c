#include "krylov.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  double tau[COLUMNS];
  CALL(wisp_require(err, LAPACKE_dgeqrf(LAPACK_COL_MAJOR, WISP_SPECTRUM, columns, spectrum, WISP_SPECTRUM, tau) == 0,
                    WISP_EWRONG, "the spectrum of the operator: its vectors have no QR factorisation"));
  for (int c = 0; c < columns; c++)
    for (int r = 0; r < columns; r++) R[r + c * COLUMNS] = r <= c ? spectrum[(size_t)c * WISP_SPECTRUM + (size_t)r] : 0;
  return WISP_OK;
}

/* Column k of R T, where L u_k = sum of T_jk u_j is the recurrence solved for L u_k, in columns of length 1. */
static void image(const wisp_krylov *krylov, const double *R, const double *length, int k, double *out)
{
  const double beta = k ? krylov->beta[k] : 0, alpha = krylov->alpha[k];
  for (int r = 0; r <= k + 1; r++) {
    double sum = R[r + (k + 1) * COLUMNS] * length[k + 1] / length[k] - (1 + beta) * R[r + k * COLUMNS];
    if (k) sum += beta * R[r + (k - 1) * COLUMNS] * length[k - 1] / length[k];
    out[r] = sum / alpha;
  }
}

/* H = (R T) R^-1, n columns of n + 1 rows: upper Hessenberg, solved for from the left column on. */
static void project(const wisp_krylov *krylov, const double *R, const double *length, int n, double *H)
{
  memset(H, 0, sizeof *H * COLUMNS * COLUMNS);
  for (int c = 0; c < n; c++) {
    double column[COLUMNS + 1] = {0};
    image(krylov, R, length, c, column);
    for (int r = 0; r <= c + 1; r++) {
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
  double inverse = 0; /* of the condition */
  for (*out = 0; *out < columns; ++*out) {
    CALL(wisp_require(err, LAPACKE_dtrcon(LAPACK_COL_MAJOR, '1', 'U', 'N', *out + 1, R, COLUMNS, &inverse) == 0,
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
  double length[COLUMNS], re[COLUMNS], im[COLUMNS], last;
  double R[COLUMNS * COLUMNS], H[COLUMNS * COLUMNS], V[COLUMNS * COLUMNS];
  int n = 0;
  CALL(wisp_new(err, (size_t)columns * WISP_SPECTRUM, sizeof *spectrum, &spectrum));
  memcpy(spectrum, krylov->spectrum, (size_t)columns * WISP_SPECTRUM * sizeof *spectrum);
  CALL(normalise(err, columns, spectrum, length));
  CALL(triangle(err, columns, spectrum, R));
  CALL(independent(err, R, krylov->count, noise, &n));
  project(krylov, R, length, n, H);
  CALL(wisp_require(err, n > 0, WISP_EWRONG, "the spectrum of the operator: nothing was seen of it"));
  last = H[n + (n - 1) * COLUMNS];
  CALL(wisp_require(err, LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', n, H, COLUMNS, re, im, NULL, 1, V, COLUMNS) == 0,
                    WISP_EWRONG, "the spectrum of the operator: its Ritz values were not found"));
  for (int i = 0; i < n; i++) {
    const double *v = V + (im[i] < 0 ? i - 1 : i) * COLUMNS;
    value[i] = (wisp_ritz){re[i], im[i], residual(n, last, v, v + COLUMNS, im[i] != 0)};
  }
  *values = n;
  return WISP_OK;
}
