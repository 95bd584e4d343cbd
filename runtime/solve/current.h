/* Which stored trials still count: those of today's kernel texts. */
#ifndef WISP_CURRENT_H
#define WISP_CURRENT_H

#include "../../cache/store.h"
#include "../../gen/strategy/strategy.h"
#include "../device.h"

/* Who asks a store on a device with these limits. */
wisp_asker wisp_limits_asker(const wisp_limits *limits);

/* Was a kernel's trial measured with what its strategy compiles to today, on its kind of device, with values that the
 * strategy still lists? A whole step's names no strategies: true. */
bool wisp_trial_is_current(const wisp_strategies *strategies, const wisp_trial *trial);

/* A wisp_current whose context is a wisp_today: as above, and a step's record counts where the winners that make that
 * step now, for this asker, have the texts that it was measured with. */
typedef struct wisp_today {
  const wisp_strategies *strategies;
  const wisp_store *store;
  const wisp_asker *asker;
} wisp_today;
bool wisp_is_of_today(const void *context, const wisp_trial *trial);

#endif
