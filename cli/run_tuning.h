/* The lines of a run about the store. */
#pragma once

#include "options.h"
#include "../runtime/solve/solver.h"

#include <cjson/cJSON.h>

/* The first lines of an untuned run: how kernels that run defaults can be tuned, and how much faster tuned ones are
 * where the store knows it of a device of this kind. */
wisp_status wisp_run_offer_tuning(wisp_error *err, const wisp_arguments *args, const wisp_solver *solver);
/* The wisp tune commands for stored timings that the run does not take. */
void wisp_run_print_unused(const wisp_arguments *args, const wisp_solver *solver);
/* "unused_timings": the kernels of these. */
void wisp_run_add_unused(cJSON *object, const wisp_solver *solver);
