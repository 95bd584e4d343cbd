/* Reasons that are asked for again. A trial's reason is one line for people; three of them carry numbers. How these are
 * written and read is known here alone. */
#ifndef WISP_REASON_H
#define WISP_REASON_H

#include "store.h"

/* Ends a trial as refused, for so many candidates. Gives back why; 1 candidate where the reason says nothing of them.
 */
void wisp_reason_refuse(wisp_trial *trial, long long candidates, const char *why);
const char *wisp_reason_candidates(const wisp_trial *trial, long long *candidates);

/* Ends it as slow: so many times the time of the best then, which had this name. Gives back the ratio, 0 where it says
 * none; and whether it was that one. */
void wisp_reason_drop(wisp_trial *trial, double ratio, const char *than);
double wisp_reason_slower(const wisp_trial *trial);
bool wisp_reason_slower_than(const wisp_trial *trial, const char *name);

/* Ends it as unfinished, begun so often. 0: it came to an end. */
void wisp_reason_begin(wisp_trial *trial, int times);
int wisp_reason_begun(const wisp_trial *trial);

#endif
