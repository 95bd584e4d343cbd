/* The lines of a run about the store, behind its kernels. */
#pragma once

#include "options.h"
#include "../runtime/solve/solver.h"

#include <cjson/cJSON.h>

/* The wisp tune commands for kernels that run defaults, and for stored timings that the run does not take. */
void wisp_run_print_tuning(const wisp_arguments *args, const wisp_solver *solver);
/* "unused_timings": the kernels of the latter. */
void wisp_run_add_unused(cJSON *object, const wisp_solver *solver);
