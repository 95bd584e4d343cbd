/* The other side of --against: another store, another device of the same store, or the store as it was on a day. */
#pragma once

#include "options.h"

typedef struct wisp_against {
  wisp_session *session; /* its trials that count are those to compare with */
  char device[128];      /* what is in the device's name */
  char name[160];        /* for people: "store old.db", "NVIDIA H100", "2026-11-21" */
} wisp_against;

/* Reads --against, which must be given: a day, YYYY-MM-DD, means what was measured until its end; a file, its trials
 * alone; all else, a part of a device's name. device: what is compared. The store of --db is opened once more. */
wisp_status wisp_against_open(wisp_error *err, const wisp_arguments *args, const char *device, wisp_against *out);
void wisp_against_close(wisp_against *against);

/* Does the text begin with a day that there is: YYYY-MM-DD? */
bool wisp_is_day(const char *text);
