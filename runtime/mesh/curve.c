/* A Hilbert curve through points (Skilling, "Programming the Hilbert curve", 2004). */
#include "order.h"

#include <math.h>
#include <stdlib.h>

enum { AXES = 3, BITS = 21, DIGIT = 11, DIGITS = 6 }; /* 3 x 21 bits are 6 digits of 11 */

typedef struct place {
  uint64_t key;
  int32_t point;
} place;

/* How far along the curve the point x lies, whose coordinates are of BITS bits. Skilling's transposed form: bit b of
 * x[0], x[1], x[2] are three consecutive bits of the result. */
static uint64_t along(uint32_t x[AXES])
{
  uint32_t t = 0;
  uint64_t key = 0;
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
    for (int i = 0; i < AXES; i++) {
      const uint32_t low = q - 1, differ = (x[0] ^ x[i]) & low;
      if (x[i] & q)
        x[0] ^= low; /* invert */
      else
        x[0] ^= differ, x[i] ^= differ; /* exchange */
    }
  for (int i = 1; i < AXES; i++) x[i] ^= x[i - 1]; /* Gray code */
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
    if (x[AXES - 1] & q) t ^= q - 1;
  for (int b = BITS - 1; b >= 0; b--)
    for (int i = 0; i < AXES; i++) key = key << 1 | ((x[i] ^ t) >> b & 1);
  return key;
}

/* Points as whole numbers of the smallest cube that holds them all. */
static void find_keys(size_t count, const double *xyz, place *places)
{
  double low[AXES] = {INFINITY, INFINITY, INFINITY}, high[AXES] = {-INFINITY, -INFINITY, -INFINITY}, side = 0;
  for (size_t i = 0; i < AXES * count; i++) {
    low[i % AXES] = fmin(low[i % AXES], xyz[i]);
    high[i % AXES] = fmax(high[i % AXES], xyz[i]);
  }
  for (int c = 0; c < AXES; c++) side = fmax(side, high[c] - low[c]);
  const double scale = side > 0 ? ((1 << BITS) - 1) / side : 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t x[AXES];
    for (size_t c = 0; c < AXES; c++) x[c] = (uint32_t)((xyz[AXES * i + c] - low[c]) * scale);
    places[i] = (place){along(x), (int32_t)i};
  }
}

/* Digit by digit, lowest first, between two arrays; an even number of digits ends where it began. Equal keys stay in
 * the points' own order. */
static void sort(size_t count, place *from, place *to)
{
  for (int digit = 0; digit < DIGITS; digit++) {
    size_t start[(1 << DIGIT) + 1] = {0};
    for (size_t i = 0; i < count; i++) start[(from[i].key >> DIGIT * digit & ((1 << DIGIT) - 1)) + 1]++;
    for (size_t d = 1; d <= 1 << DIGIT; d++) start[d] += start[d - 1];
    for (size_t i = 0; i < count; i++) to[start[from[i].key >> DIGIT * digit & ((1 << DIGIT) - 1)]++] = from[i];
    place *keep = from;
    from = to;
    to = keep;
  }
}

wisp_status wisp_curve(wisp_error *err, size_t count, const double *xyz, int32_t *order)
{
  OWNED(free) place *places = NULL, *spare = NULL;
  CALL(wisp_new(err, count, sizeof *places, &places));
  CALL(wisp_new(err, count, sizeof *spare, &spare));
  find_keys(count, xyz, places);
  sort(count, places, spare);
  for (size_t i = 0; i < count; i++) order[i] = places[i].point;
  return WISP_OK;
}
