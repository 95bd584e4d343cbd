/* Instructions of PTX. A function's name is the instruction's, with _ for all else than letters and digits. Fragments
 * lie as PTX's manual says: lane 4 g + t. */
#include "simt_parts.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- FP16. */

/* Exponent and fraction stand where those of a float do, 13 bits lower, and its exponents are 112 larger. */
static float from_half(unsigned half)
{
  const bool unbounded = (half & 0x7c00) == 0x7c00;
  const unsigned bits = (half & 0x7fff) << 13 | (unbounded ? 0x7f800000u : 0);
  float size = 0;
  memcpy(&size, &bits, sizeof size);
  if (!unbounded) size *= 0x1p112f;
  return half >> 15 & 1 ? -size : size;
}

/* The nearest, ties to even. */
static unsigned to_half(float x)
{
  const unsigned sign = signbit(x) ? 0x8000u : 0;
  int exponent = 0;
  if (isnan(x)) return sign | 0x7fffu;
  if (x == 0) return sign;
  frexpf(x, &exponent); /* |x| in [2^(exponent-1), 2^exponent) */
  if (exponent < -13) exponent = -13;
  const long units = lrintf(ldexpf(fabsf(x), 11 - exponent)); /* 2^(exponent-11) each; a carry goes up by itself */
  if (isinf(x) || exponent > 16 || (exponent == 16 && units == 2048)) return sign | 0x7c00u;
  return sign | (unsigned)(((exponent + 13) << 10) + units);
}

void simt_cvt_rn_f16x2_f32(unsigned *to, float upper, float lower)
{
  *to = to_half(upper) << 16 | to_half(lower);
}

/* ---- Products. */

typedef struct product {
  float *d[4];
  unsigned a[4], b[2];
  float c[4];
} product;

static float half_of(const unsigned *words, int k)
{
  return from_half(words[k / 2] >> (k % 2 ? 16 : 0));
}

/* Row r of A is of lanes 4 (r % 8) + t: of its columns 2 t, 2 t + 1 in the first words, of 8 + these in the last two.
 */
static void multiply_halves(void *brought[SIMT_WARP])
{
  float A[16][16], B[16][8];
  for (int lane = 0; lane < SIMT_WARP; lane++) {
    const product *p = brought[lane];
    const int g = lane / 4, t = lane % 4;
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < 4; i++) A[g + i % 2 * 8][2 * t + k + i / 2 * 8] = half_of(&p->a[i], k);
      for (int i = 0; i < 2; i++) B[2 * t + k + i * 8][g] = half_of(&p->b[i], k);
    }
  }
  for (int lane = 0; lane < SIMT_WARP; lane++) {
    const product *p = brought[lane];
    for (int i = 0; i < 4; i++) {
      double sum = (double)p->c[i];
      for (int k = 0; k < 16; k++) sum += (double)A[lane / 4 + i / 2 * 8][k] * (double)B[k][2 * (lane % 4) + i % 2];
      *p->d[i] = (float)sum;
    }
  }
}

void simt_mma_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32(float *d0, float *d1, float *d2, float *d3, unsigned a0,
                                                            unsigned a1, unsigned a2, unsigned a3, unsigned b0,
                                                            unsigned b1, const float *c0, const float *c1,
                                                            const float *c2, const float *c3)
{
  product mine = {{d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, {*c0, *c1, *c2, *c3}};
  simt_with_warp(~0u, multiply_halves, &mine);
}

/* ---- Memory. */

typedef struct matrices {
  unsigned *to[4], from;
  const simt_thread *thread;
} matrices;

/* Lane 8 m + r names row r of matrix m; each lane gets, of each matrix, numbers 2 t and 2 t + 1 of column g. */
static void load_matrices(void *brought[SIMT_WARP])
{
  for (int m = 0; m < 4; m++) {
    uint16_t row[8][8];
    for (int r = 0; r < 8; r++) {
      const matrices *its = brought[8 * m + r];
      const void *at = simt_from_shared(its->from);
      if (its->from % 16) simt_fail("ldmatrix: a row at %u, which is no multiple of 16", its->from);
      simt_look(its->thread, at, sizeof row[r], SIMT_READ);
      memcpy(row[r], at, sizeof row[r]);
    }
    for (int lane = 0; lane < SIMT_WARP; lane++) {
      const int g = lane / 4, t = lane % 4;
      *((const matrices *)brought[lane])->to[m] = row[2 * t][g] | (unsigned)row[2 * t + 1][g] << 16;
    }
  }
}

void simt_ldmatrix_sync_aligned_m8n8_x4_trans_shared_b16(unsigned *d0, unsigned *d1, unsigned *d2, unsigned *d3,
                                                         unsigned from)
{
  matrices mine = {{d0, d1, d2, d3}, from, simt_current()};
  simt_with_warp(~0u, load_matrices, &mine);
}

void simt_cp_async_bulk_prefetch_L2_global(const void *from, int bytes)
{
  if ((uintptr_t)from % 16 || bytes % 16) simt_fail("bulk prefetch: %d bytes at %p: not multiples of 16", bytes, from);
}

int simt_atomic_max(int *at, int value)
{
  const int old = *at;
  simt_look(simt_current(), at, sizeof *at, SIMT_ATOMIC);
  if (old < value) *at = value;
  return old;
}
