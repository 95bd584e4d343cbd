/* wisp run -d DEVICE,DEVICE: one process a device, which solve the problem together. */
#pragma once

#include "options.h"
#include "../runtime/domain/ranks.h"

/* Solves on one device, as one of these ranks; NULL: alone. */
typedef wisp_status (*wisp_run_on)(wisp_error *err, wisp_arguments *args, const char *device, wisp_ranks *ranks);

/* Calls it on the device of --device, or in a process for each of its devices. */
wisp_status wisp_run_divided(wisp_error *err, wisp_arguments *args, wisp_run_on run);
