/* The condensed system in double: rows of blocks from the elements' matrices, as the hdg family's kernels leave them.
 */
#pragma once

#include "hdg.h"

/* Number of entry (i, j) of the upper half of a matrix of size m, either way round. */
static inline size_t wisp_hdg_half(size_t m, size_t i, size_t j)
{
  const size_t low = i < j ? i : j, high = i < j ? j : i;
  return low * m - low * (low + 1) / 2 + high;
}

/* data: upper halves and loads of the elements' matrices, in slabs; given: of each edge. To blocks and b, and the
 * magnitudes that they are added up from: caller's memory, of which padding stays as it is. */
void wisp_hdg_assemble(const wisp_hdg *hdg, const double *data, const double *given, double *blocks, double *b,
                       double *block_sizes, double *b_sizes);

/* The upper half of a number's bits in single precision, rounded, and the number that has it. */
uint16_t wisp_hdg_half_of(double number);
double wisp_hdg_of_half(uint16_t bits);

/* Entry (i, j) of block `place` of an edge's row, in slabs. */
static inline size_t wisp_hdg_block_at(size_t n, size_t edge, size_t place, size_t i, size_t j)
{
  return WISP_SLAB(WISP_HDG_ROW * n * n, edge, (place * n + i) * n + j);
}
