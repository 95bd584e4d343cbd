/* What a budget is spent on: kernels of compositions that could still be the fastest stage. */
#pragma once

#include "sweep.h"

/* What is known of each kernel of the family in each layout of the scope, in ms of an element. */
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

/* How much of a budget a kernel is worth: 1 of the best composition, the less, the slower the best composition that has
 * it could be, and 0 where none that has it could be the fastest. 1 for kernels of no composition, and where no stage
 * was measured. */
double wisp_prospects_worth(const wisp_prospects *prospects, const wisp_sweep *sweep, const wisp_spec *spec,
                            int kernel);
