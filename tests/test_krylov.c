/* Claim: however badly the ellipse of a Krylov sequence fits the spectrum, the Ritz values found from rounded vectors
 * stay within it. The operator is diagonal, so its spectrum is known. */
#include "test.h"
#include "../runtime/nodal/stepper.h"

enum { PAIRS = WISP_SPECTRUM / 2 };

/* Pairs of eigenvalues -x +- iy of length 1 and less, on the imaginary axis (x = 0) or in the left half disk. */
typedef struct operator
{
  double re[PAIRS], im[PAIRS];
}
operator;

static void spread(operator* L, double x)
{
  for (int p = 0; p < PAIRS; p++) {
    const double size = (double)(p + 1) / PAIRS, angle = x * fmod(p * 0.618033988749895, 1);
    L->re[p] = -size * sin(angle);
    L->im[p] = size * cos(angle);
  }
}

/* One vector of the sequence from the two before it, rounded to float where `single`. */
static void apply(const operator* L, const double *before, const double *now, double keep, double gain, bool single,
                  double *next)
{
  for (int p = 0; p < PAIRS; p++) {
    const double a = now[2 * p], b = now[2 * p + 1];
    const double image[] = {L->re[p] * a - L->im[p] * b, L->im[p] * a + L->re[p] * b};
    for (int i = 0; i < 2; i++) {
      const int q = 2 * p + i;
      next[q] = now[q] + keep * (now[q] - before[q]) + gain * image[i];
      if (single) next[q] = (double)(float)next[q];
    }
  }
}

/* The longest Ritz value of 30 applications with the ellipse of half axes d and h. */
static double longest(const operator* L, double d, double h, bool single)
{
  wisp_error error = {0};
  wisp_krylov krylov = {.spectrum = malloc((WISP_KRYLOV + 1) * (size_t)WISP_SPECTRUM * sizeof(double))};
  wisp_ritz value[WISP_KRYLOV];
  int count = 0;
  double most = 0;
  assert_non_null(krylov.spectrum);
  for (int q = 0; q < WISP_SPECTRUM; q++) krylov.spectrum[q] = sin(1.0 + q * (double)q);
  for (int k = 0; k < 30; k++) {
    double *now = krylov.spectrum + (size_t)k * WISP_SPECTRUM;
    krylov.beta[k] = (d - h) / (d + h);
    krylov.alpha[k] = 2 / (d + h);
    apply(L, k ? now - WISP_SPECTRUM : now, now, krylov.beta[k], krylov.alpha[k], single, now + WISP_SPECTRUM);
    krylov.count++;
  }
  if (wisp_krylov_ritz(&error, &krylov, single ? 1e-5 : 1e-10, &count, value) != WISP_OK) fail_msg("%s", error.text);
  for (int i = 0; i < count; i++) most = fmax(most, hypot(value[i].re, value[i].im));
  free(krylov.spectrum);
  return most;
}

TEST(test_within)
{
  static const double sizes[] = {0.1, 0.3, 1, 3, 10, 30};
  operator* L = malloc(sizeof *L);
  assert_non_null(L);
  const size_t step = getenv("WISP_TEST_QUICK") ? 4 : 1; /* under valgrind: some sizes for all */
  for (int disk = 0; disk < 2; disk++) {
    spread(L, disk * 1.5707963267948966);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += step)
      for (int flat = 1; flat <= 8; flat *= 8)
        for (int single = 0; single < 2; single++) {
          const double size = sizes[i], most = longest(L, size / flat, size, single);
          print_message("%s, ellipse of %g by %g, %s: %.4f\n", disk ? "disk" : "axis", size / flat, size,
                        single ? "f32" : "f64", most);
          assert_true(most < 1.02);
          if (size == 1 && !single) assert_true(most > 0.95);
        }
  }
  free(L);
}
