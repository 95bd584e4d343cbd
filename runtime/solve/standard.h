/* How long the default took: what runs without a store (`wisp run --default`). */
#ifndef WISP_STANDARD_H
#define WISP_STANDARD_H

#include "choose.h"

/* What the default takes in place of a winner, in ms: measured on the same device, in the same surroundings and at the
 * same size, with today's text; of a step, what its kernels take together. NaN where that was not measured. */
wisp_status wisp_standard_ms(wisp_error *err, const wisp_chooser *from, const wisp_trial *winner, double *ms);

#endif
