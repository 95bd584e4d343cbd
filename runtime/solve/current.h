/* Which stored trials still count: those of today's kernel texts. */
#ifndef WISP_CURRENT_H
#define WISP_CURRENT_H

#include "../../cache/store.h"
#include "../../gen/strategy.h"
#include "../device.h"

/* Who asks a store on a device with these limits. */
wisp_asker wisp_limits_asker(const wisp_limits *limits);

/* Was a kernel's trial measured with the text that its strategy has today? A whole step's names no strategies: true. */
bool wisp_trial_is_current(const wisp_strategies *strategies, const wisp_trial *trial);

/* Adds a kernel's template hash to a step's; WISP_HASH_SEED begins it. A step record is of today's texts while the hash
 * over its kernels, in turn, is what it was. */
uint64_t wisp_step_hash(uint64_t step, const char *kernel);
bool wisp_step_hash_is(uint64_t step, const wisp_trial *record);

/* A wisp_current whose context is a wisp_today: as above, and a step's record counts where the winners that make that
 * step now, for this asker, have the texts that it was measured with. */
typedef struct wisp_today {
  const wisp_strategies *strategies;
  const wisp_store *store;
  const wisp_asker *asker;
} wisp_today;
bool wisp_is_of_today(const void *context, const wisp_trial *trial);

#endif
