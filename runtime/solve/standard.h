/* The default: what runs without a store (`wisp run --default`), and how long it took. `best`, `report`, `bench` and
 * the tuner mean this and nothing else by it. */
#ifndef WISP_STANDARD_H
#define WISP_STANDARD_H

#include "step.h"

/* For kernel "step" the whole step, for another that kernel alone, of the first composition that has it and has plans
 * on a device of these limits. out->kernels stays 0 where there is none. strategies must outlive the step. */
wisp_status wisp_step_standard(wisp_error *err, const wisp_strategies *strategies, const wisp_limits *limits,
                               const wisp_spec *spec, wisp_step *out);

typedef struct wisp_standards { /* where times of it are looked up; zero-initialise the rest */
  const wisp_strategies *strategies;
  const wisp_store *store;
  wisp_limits limits; /* of the target asked for last */
} wisp_standards;

/* What the default takes in place of a winner, in ms: measured on the same device, in the same surroundings and at the
 * same size, with today's text; of a step, what its kernels take together. NaN where that was not measured. */
wisp_status wisp_standard_ms(wisp_error *err, wisp_standards *in, const wisp_trial *winner, double *ms);

#endif
