/* The distribution of a budget: to kernels of compositions that could still be the fastest stage. */
#pragma once

#include "sweep.h"

/* Times of each kernel of the family in each layout of the scope, in ms of an element. */
typedef struct wisp_prospects {
  size_t kernels;
  int layouts;
  double (*least)[8]; /* what it could take after a search; INFINITY where it does not run */
  double (*own)[8];   /* the best that was measured here; INFINITY: nothing was */
} wisp_prospects;

/* From the store and from the memory's speed. Zero-initialise before; free afterwards. */
wisp_status wisp_prospects_make(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, wisp_prospects *out);
void wisp_prospects_free(wisp_prospects *prospects);

/* A kernel had its share of the budget: where that was enough for a search, its winners are what it takes. */
void wisp_prospects_note(wisp_prospects *prospects, const wisp_sweep *sweep, int kernel);

/* The worth of a kernel: 1 for the best composition, less the slower the best composition with it could be, and 0 where
 * none with it could be the fastest. 1 for kernels of no composition, and where no stage was measured. */
double wisp_prospects_worth(const wisp_prospects *prospects, const wisp_sweep *sweep, const wisp_spec *spec,
                            int kernel);
