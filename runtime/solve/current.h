/* Which stored trials still count: those of today's kernel texts. */
#ifndef WISP_CURRENT_H
#define WISP_CURRENT_H

#include "choose.h"
#include "../../cache/store.h"
#include "../../gen/strategy/strategy.h"
#include "../device.h"

/* Who asks a store on a device with these limits. */
wisp_asker wisp_limits_asker(const wisp_limits *limits);

/* Limits of the device that a trial was measured on, as documented for its target. WISP_EUSAGE where that is not known.
 */
wisp_status wisp_trial_limits(wisp_error *err, const wisp_trial *trial, wisp_limits *out);

/* Was a kernel's trial measured with what its strategy compiles to today, on its kind of device, with values that the
 * strategy still lists? A whole step's names no strategies: true. */
bool wisp_trial_is_current(const wisp_strategies *strategies, const wisp_trial *trial);

/* ---- How long the default took: what runs without a store (`wisp run --default`). */

/* What the default takes in place of a winner, in ms: measured on the same device, in the same surroundings and at the
 * same size, with today's text; of a step, what its kernels take together. NaN where that was not measured. */
wisp_status wisp_standard_ms(wisp_error *err, const wisp_chooser *from, const wisp_trial *winner, double *ms);

#endif
