/* Hashes that changed while what is compiled did not: a text was rewritten in other words, or hashes came to cover
 * something else. cache/renewed.list names them, one a line, as scripts/renew-hashes proved them; trials that have such
 * a hash count like those that have the one of today. */
#ifndef WISP_RENEW_H
#define WISP_RENEW_H

#include "rows.h"

typedef struct wisp_renewal wisp_renewal; /* the list, read */
wisp_status wisp_renewal_load(wisp_error *err, wisp_renewal **out);
void wisp_renewal_free(wisp_renewal *renewal);
WISP_OWNED(wisp_renewal, wisp_renewal_free)

/* Gives a trial its texts' hash of today where the list has its own; a step's where it has those of its kernels. False
 * where the trial stays as it is. */
bool wisp_renewal_apply(const wisp_renewal *renewal, wisp_trial *trial);

/* The same of a list's trials from this one on. */
wisp_status wisp_trials_renew(wisp_error *err, wisp_trials *list, size_t from);

#endif
