/* The final round of one kernel in one layout: the fastest candidates once more, side by side; a fixed rule for those
 * that are alike within noise; and the winner, freshly loaded, verified with other data. docs/search.md tells why. */
#ifndef WISP_FINAL_H
#define WISP_FINAL_H

#include "sweep.h"

/* The `ok` trials of a kernel, those that were known and those of today; free(trials). */
typedef struct wisp_finalists {
  size_t count, room;
  wisp_trial *trials;
} wisp_finalists;
/* Adds a trial that is `ok`, and no other. */
wisp_status wisp_finalists_add(wisp_error *err, wisp_finalists *all, const wisp_trial *trial);

/* Holds the final round of a layout of the scope, where there is something that no earlier one saw, and stores what
 * came of it: new times, and who is chosen and tied. *winner: the chosen trial; as it was where nothing is `ok`. A
 * winner that is wrong is stored as that, and the worker ends (wisp_sweep_replace): the next one holds the round
 * without it. */
wisp_status wisp_sweep_final(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, int layout,
                             wisp_finalists *all, wisp_trial *winner);

/* The rule by itself: of trials timed side by side, noise[i] the relative spread of each one's time, who is as fast as
 * the best within max(0.5 %, the two spreads), and never more than 1 %. Sets each trial's tie and returns the index of
 * the chosen one; count is at least 1. */
size_t wisp_settle_tie(size_t count, wisp_trial *trials, const double *noise);

#endif
