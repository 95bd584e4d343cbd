/* One table: what a kernel sums, and so how its rounding errors grow.
 *
 * A result is a sum of s products of numbers of random sign. Each product and each addition rounds by at most u = eps /
 * 2 of a partial sum, so errors walk at random: their standard deviation is about u sqrt(s) times the size of a typical
 * partial sum, and the largest reference value is that size at least. (The norm of the matrix cancels: the error is
 * taken relative to the largest result, not to the data.) FACTOR covers the largest of 10^5 results (about 5 standard
 * deviations), rounded geometric factors and matrix entries, and the 2^-22 of three-part TF32 products, and still is
 * 100 times below an error of 1e-3 in single precision at every order.
 */
#include "tolerance.h"

#include <math.h>
#include <string.h>

static const double FACTOR = 16;

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
  return FACTOR * unit * sqrt(length);
}
