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
 * So the tolerance is (12 + sqrt(s)) u, relative to S. An error of 1e-3 of a term is above it in single precision at
 * every order.
 */
#include "tolerance.h"

#include <math.h>
#include <string.h>

static const double TERMS = 12;

static const struct {
  const char *kernel;
  double nodes, face_nodes, others; /* the sum's length: nodes * Np + face_nodes * Nf + others */
} sums[] = {
    {"volume", 3, 0, 18}, {"derivative", 3, 0, 3}, {"assemble", 0, 0, 4}, {"gather", 0, 0, 12},
    {"lift", 0, 1, 1},    {"update", 0, 0, 3},     {"fused", 3, 1, 21},   {"stage", 3, 1, 33},
};

/* Families whose operators are promised so exact, whatever they sum. */
static const struct {
  const char *family;
  double single, twice;
} promised[] = {{"tensor", 1e-5, 1e-13}};

double wisp_tolerance(const wisp_spec *spec, const wisp_layout *layout)
{
  double unit = spec->precision == WISP_F32 ? 0x1p-24 : 0x1p-53, length = 3.0 * layout->Np + layout->Nf;
  for (size_t i = 0; i < sizeof promised / sizeof *promised; i++)
    if (strcmp(promised[i].family, spec->family) == 0)
      return spec->precision == WISP_F32 ? promised[i].single : promised[i].twice;
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    if (strcmp(sums[i].kernel, spec->kernel) == 0)
      length = sums[i].nodes * layout->Np + sums[i].face_nodes * layout->Nf + sums[i].others;
  return (TERMS + sqrt(length)) * unit;
}
