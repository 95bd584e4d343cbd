/* The report of a run, for people and for programs. */
#pragma once

#include "options.h"
#include "../runtime/solve/solver.h"

/* On stdout: its lines, or with --json its rows as an object. */
wisp_status wisp_run_print(wisp_error *err, const wisp_arguments *args, const wisp_solver *solver);
