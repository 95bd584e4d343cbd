/* The tuner: enumerate, refuse with a reason, compile in parallel, verify against the double reference, time, store
 * every trial. */
#pragma once

#include "../link/request.h"
#include "../../gen/check.h"

/* Order by order, precision by precision: every kernel's candidates in every layout, a final round of the fastest
 * (final.h), then whole stages made of the winners (kernel "step": strategy is the composition, params empty; ms is a
 * stage's, measured by running steps of five). Trials that the store knows are not repeated. A budget is shared out
 * evenly over what is left to tune, again where that ends early, and no trial begins after it but one default
 * candidate of each kernel, which is always tried first. A budgeted search of a problem (a layout, grouping and block
 * size) ends when its layout's best is as efficient as `enough` and `at_least` candidates of the kernel are known;
 * where what is timed fits the caches, as on a host, only if `enough` is given. A candidate's failure is its trial's
 * outcome, also where it takes its process with it or never ends; the sweep fails where the request has no meaning
 * (WISP_EUSAGE), the store cannot be written, memory is short, there is no compiler or no device, or the problem does
 * not fit it. What the machine could not compile is skipped and counted. Ctrl-C, TERM and HUP end it in order: WISP_OK,
 * and summary->stopped says which came.
 *
 * devices: a name as wisp_device_open takes it, several with commas between them, or "all" (below).
 * Each is opened in a worker process of its own (tuner/workers/supervisor.h), which is a fork of this one: for a GPU
 * this process must not have opened or listed devices before. An order and precision is measured on one device; devices
 * that are alike share them out, the heaviest first, and each that is of another kind measures all of them. */
wisp_status wisp_tune(wisp_error *err, const char *devices, const wisp_tune_request *request, wisp_tune_summary *out);

/* ---- The devices that a sweep is shared out over. */

/* text: a name as wisp_device_open takes it, several with commas between them, or "all": every GPU of this host, the
 * host itself where there is none. Names may come twice. Opens no device in this process: who asks for "all" is a
 * process of its own. WISP_EUSAGE where a name is empty or not known. Caller frees each name and the list. */
wisp_status wisp_devices_read(wisp_error *err, const char *text, size_t *count, char ***names);
/* names may be NULL. */
void wisp_devices_free(size_t count, char **names);
