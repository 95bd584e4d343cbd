#include "reason.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char slower[] = " times the time of ";

void wisp_reason_refuse(wisp_trial *t, long long candidates, const char *why)
{
  wisp_trial_end(t, WISP_TRIAL_REFUSED, "%lld candidates: %s", candidates, why);
}

const char *wisp_reason_candidates(const wisp_trial *t, long long *candidates)
{
  int read = 0;
  *candidates = 1;
  if (sscanf(t->reason, "%lld candidates: %n", candidates, &read) == 1 && read > 0) return t->reason + read;
  *candidates = 1;
  return t->reason;
}

void wisp_reason_drop(wisp_trial *t, double ratio, const char *than)
{
  wisp_trial_end(t, WISP_TRIAL_SLOW, "%.2f%s%s, dropped", ratio, slower, than);
}

double wisp_reason_slower(const wisp_trial *t)
{
  const double ratio = strtod(t->reason, NULL);
  return ratio > 0 ? ratio : 0;
}

bool wisp_reason_slower_than(const wisp_trial *t, const char *name)
{
  const char *than = strstr(t->reason, slower);
  return than && strncmp(than + strlen(slower), name, strlen(name)) == 0;
}

void wisp_reason_begin(wisp_trial *t, int times)
{
  wisp_trial_end(t, WISP_TRIAL_UNFINISHED, "begun %d times, never ended", times);
}

int wisp_reason_begun(const wisp_trial *t)
{
  int times = 0;
  if (wisp_trial_outcome(t) != WISP_TRIAL_UNFINISHED) return 0;
  return sscanf(t->reason, "begun %d", &times) == 1 && times > 0 ? times : 1;
}
