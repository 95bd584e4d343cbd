/* One table: what a kernel sums, and so how its rounding errors grow.
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
#include "tolerance.h"

#include <math.h>
#include <string.h>

static const double TERMS = 12, CUTS = 1.0 / 8;

/* Tensor products pass sums on to sums: a term goes through all of them, along one direction after the other to the
 * points and back, with and without a derivative. Halves of a matrix (gen/hex.h) add numbers to their mirror images and
 * take them apart again, in one sum at a time: at most twice the magnitudes, of which the above leaves room for more.
 * Geometry made on the fly costs a term a dozen roundings more. A vector's numbers take in scalars that are sums of up
 * to some hundred parts. */
static const struct {
  const char *family, *kernel;
  double nodes, face_nodes, points,
      others; /* the sum's length: nodes * Np + face_nodes * Nf + points * (N + 2) + others */
} sums[] = {
    {"nodal", "volume", 3, 0, 0, 18},
    {"nodal", "derivative", 3, 0, 0, 3},
    {"nodal", "assemble", 0, 0, 0, 4},
    {"nodal", "gather", 0, 0, 0, 12},
    {"nodal", "lift", 0, 1, 0, 1},
    {"nodal", "update", 0, 0, 0, 3},
    {"nodal", "fused", 3, 1, 0, 21},
    {"nodal", "stage", 3, 1, 0, 33},
    {"tensor", "mass", 0, 0, 6, 1},
    {"tensor", "stiffness", 0, 0, 10, 4},
    {"tensor", "collocated", 0, 0, 2, 10},
    {"tensor", "mass_trilinear", 0, 0, 6, 145},
    {"tensor", "stiffness_trilinear", 0, 0, 10, 148},
    {"tensor", "collocated_trilinear", 0, 0, 2, 154},
    {"tensor", "update", 0, 0, 0, 300},
    {"tensor", "spread", 0, 0, 0, 0},
    {"tensor", "gather", 0, 0, 0, 8},
    {"tensor", "advance", 0, 0, 0, 300},
    {"tensor", "smooth", 0, 0, 0, 12},
};

/* Families whose results are promised so exact, relative to the largest, whatever they sum. */
static const struct {
  const char *family;
  double single, twice;
} promised[] = {{"tensor", 1e-5, 1e-13}};

double wisp_tolerance(const wisp_spec *spec, const wisp_layout *layout)
{
  const bool single = spec->precision == WISP_F32;
  double matrix = 0, length = 0; /* of the sums; of it what products of matrices on tensor cores add */
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    if (strcmp(sums[i].family, spec->family) == 0 && strcmp(sums[i].kernel, spec->kernel) == 0) {
      matrix = sums[i].nodes * layout->Np + sums[i].face_nodes * layout->Nf;
      length = matrix + sums[i].points * (spec->order + 2) + sums[i].others;
    }
  return (TERMS + sqrt(length) + (single ? CUTS * matrix : 0)) * (single ? 0x1p-24 : 0x1p-53);
}

double wisp_promise(const wisp_spec *spec)
{
  for (size_t i = 0; i < sizeof promised / sizeof *promised; i++)
    if (strcmp(promised[i].family, spec->family) == 0)
      return spec->precision == WISP_F32 ? promised[i].single : promised[i].twice;
  return HUGE_VAL;
}
