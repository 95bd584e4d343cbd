/* The shipped form of trials: one line a trial, readable and diffable (docs/reference/store.md). */
#pragma once

#include "columns.h"

wisp_status wisp_shipped_print(wisp_error *err, const wisp_trial *trial, wisp_text *out);

/* Appends the trials of a text. A line that is none is skipped, and said so in warning (may be NULL) as "name:line:
 * why". */
wisp_status wisp_shipped_parse(wisp_error *err, const char *name, const char *text, wisp_text *warning,
                               wisp_trials *list);

/* Sorts by competition; where winners_only, leaves winners, ties, defaults and the fastest of each strategy,
 * without raw samples. */
void wisp_shipped_select(wisp_trials *list, bool winners_only);

/* ---- Hashes that changed while what is compiled did not: a text was rewritten in other words, or hashes came to cover
 * something else. cache/rehashed.list names them, one a line, as scripts/rehash proved them; trials that have such
 * a hash count like those that have the one of today. */

typedef struct wisp_rehashing wisp_rehashing; /* the list, read */
wisp_status wisp_rehashing_load(wisp_error *err, wisp_rehashing **out);
void wisp_rehashing_free(wisp_rehashing *rehashing);
WISP_OWNED(wisp_rehashing, wisp_rehashing_free)

/* Gives a trial today's names of its strategy and parameters (gen/strategy/renamed.h), and its texts' hash of today
 * where the list has its own; a step's where it has those of its kernels. False where the trial stays as it is. */
bool wisp_rehashing_apply(const wisp_rehashing *rehashing, wisp_trial *trial);

/* The same of a list's trials from this one on. */
wisp_status wisp_trials_rehash(wisp_error *err, wisp_trials *list, size_t from);
