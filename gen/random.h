/* Our own random numbers (xorshift64*, Vigna 2016): the same on every machine, so that a trial can be repeated.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WISP_RANDOM_SEED 0x9e3779b97f4a7c15ull

static inline uint64_t wisp_random_next(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1dull;
}

/* A number's bits, mixed as those of splitmix64 are (Steele et al. 2014): for hash tables. */
static inline uint64_t wisp_random_mix(uint64_t bits)
{
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
  return bits ^ bits >> 31;
}

/* A state to begin with, from any number; 0 too, which the generator itself would never leave. */
static inline uint64_t wisp_random_from(uint64_t seed)
{
  seed = (seed ^ WISP_RANDOM_SEED) * 0xbf58476d1ce4e5b9ull; /* the mixing is that of splitmix64 (Steele et al. 2014) */
  seed ^= seed >> 31;
  return seed ? seed : WISP_RANDOM_SEED;
}

/* In 0 .. count - 1. */
static inline size_t wisp_random_below(uint64_t *state, size_t count)
{
  return (size_t)((wisp_random_next(state) >> 32) * (uint64_t)count >> 32);
}

/* In [-1, 1], a multiple of 2^-20: exact in both precisions, so that kernel and reference see the same data. */
static inline double wisp_random_real(uint64_t *state)
{
  return (double)(int64_t)(wisp_random_next(state) >> 43) / 1048576.0 - 1.0;
}
