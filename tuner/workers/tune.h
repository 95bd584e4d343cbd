/* The tuner: enumerate, refuse with a reason, compile in parallel, verify against the double reference, time, store
 * every trial. */
#pragma once

#include "../link/request.h"

/* Tunes, order by order and precision by precision: all candidates of each kernel in each layout, a final round of the
 * fastest (final.c), then whole stages of the winners (ms is a stage's). Trials that the store has are not repeated. A
 * budget without kernels or a strategy is for whole stages (docs/reference/search.md): it starts from the one that a
 * solver takes, times old and new in turn, and ends in time. With them it is shared evenly over the units that are
 * left; after it no trial begins but one default candidate of each kernel, which always comes first. A budgeted search
 * of a problem ends when its layout's best reaches the share `enough` and `at_least` candidates are known; where the
 * problem fits the caches, only if `enough` is given. A failure, a crash or a hang of a candidate is its trial's
 * outcome. WISP_EUSAGE for a request without meaning. The sweep fails, too, if the store cannot be written, memory is
 * short, there is no compiler or device, or a problem does not fit. Candidates that the machine could not compile are
 * skipped and counted. Ctrl-C, TERM and HUP end it in order: WISP_OK, and summary->stopped names the signal.
 *
 * devices: as wisp_device_open takes them, with commas between them, or "all". Each is opened in a worker process
 * (supervisor.h), a fork of this one: for a GPU this process must not have opened or listed devices before. Devices
 * that are alike share the units, the heaviest first; each other kind measures all units. */
wisp_status wisp_tune(wisp_error *err, const char *devices, const wisp_tune_request *request, wisp_tune_summary *out);

/* ---- The devices that a sweep is shared out over. */

/* text: device names with commas between them, or "all": every GPU of this host, or else the host. Names may come
 * twice. Opens no device in this process: a child lists "all". WISP_EUSAGE for an empty or unknown name. Caller frees
 * each name and the list. */
wisp_status wisp_devices_read(wisp_error *err, const char *text, size_t *count, char ***names);
/* names may be NULL. */
void wisp_devices_free(size_t count, char **names);
