/* Rounding errors by the sums of a kernel.
 *
 * A result is a sum of s terms, each a product. It is held against S, the sum of the terms' magnitudes, and u = eps /
 * 2: every rounding is at most u of what is rounded.
 *
 * Terms. A term passes through few roundings: of its matrix entry, its geometric factor and its products, at most 4 u;
 * with 3 x TF32 the dropped product of the low halves and the cut of one of them are 2^-21 of the term at most, 8 u. In
 * all at most 12 u S, whatever the signs.
 *
 * Additions. Each rounds by at most u of a partial sum, at random: s of them make a standard deviation of
 * sqrt(s / 3) u P, where P is the size of a typical partial sum. The data is random, so that the terms have random
 * signs, and P is S / sqrt(k) where k terms are of the largest kind; what kernels sum has a dozen of them or more
 * (a face's nodes, where the neighbour's field is a thousand times larger): P < S / 3. Five standard deviations, the
 * largest of 10^5 results, are then below sqrt(s) u S.
 *
 * Tensor cores cut sums off instead of rounding them, each time by u of the partial sum in the mean and always towards
 * zero, so that these errors add up. In single precision, three times a group of eight products is added: 3 s / 8 cuts
 * of a P that is below S / 3, s / 8 u S for the products of matrices. In double precision they round.
 *
 * So the tolerance is (12 + sqrt(s) + s_matrix / 8) u in single precision, (12 + sqrt(s)) u in double, relative to S.
 */
#include "verify.h"

#include <math.h>
#include <string.h>

static const double TERMS = 12, CUTS = 1.0 / 8;

/* Tensor products pass sums on to sums: a term goes through all of them, along one direction after the other to the
 * points and back, with and without a derivative. Halves of a matrix (gen/tensor/hex.h) add numbers to their mirror
 * images and take them apart again, in one sum at a time: at most twice the magnitudes, of which the above leaves room
 * for more. A vector's numbers take in scalars that are sums of up to some hundred parts. How long sums are, a family
 * says with its kernels. */
wisp_status wisp_tolerance_on(wisp_error *err, const wisp_spec *spec, const wisp_discretisation *d, double *out)
{
  const bool single = spec->precision == WISP_F32;
  double length = 0, matrix = 0;
  CALL(wisp_family_sums(err, spec, &length, &matrix));
  if (d) length += (double)d->longer_sums;
  *out = (TERMS + sqrt(length) + (single ? CUTS * matrix : 0)) * (single ? 0x1p-24 : 0x1p-53);
  return WISP_OK;
}

wisp_status wisp_tolerance(wisp_error *err, const wisp_spec *spec, double *out)
{
  return wisp_tolerance_on(err, spec, NULL, out);
}
