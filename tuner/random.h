/* The tuner's own random numbers (xorshift64*, Vigna 2016): the same on every machine, so that a trial can be repeated.
 */
#ifndef WISP_RANDOM_H
#define WISP_RANDOM_H

#include <stdint.h>

#define WISP_RANDOM_SEED 0x9e3779b97f4a7c15ull

static inline uint64_t wisp_random_next(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1dull;
}

/* In [-1, 1], a multiple of 2^-20: exact in both precisions, so that kernel and reference see the same data. */
static inline double wisp_random_real(uint64_t *state)
{
  return (double)(int64_t)(wisp_random_next(state) >> 43) / 1048576.0 - 1.0;
}

#endif
