/* Checks of the kernels that wisp run launches, on its mesh. */
#pragma once

#include "options.h"
#include "../runtime/solve/solver.h"
#include "../tuner/trial/on_mesh.h"

/* wisp verify: prints what it finds. WISP_EWRONG where a kernel is wrong. */
wisp_status wisp_run_print_checks(wisp_error *err, const wisp_arguments *args, wisp_solver *solver);

/* wisp run --verify, before the start: WISP_EWRONG names the first kernel that is wrong, and how. */
wisp_status wisp_run_verify(wisp_error *err, const wisp_arguments *args, wisp_solver *solver,
                            wisp_checked_kernels *out);

/* Verifies winners of the user's store that are of earlier rules, and stores what came of it; nothing to do without
 * such. *wrong: some were; the solver is to be opened again, which takes others. */
wisp_status wisp_run_prove(wisp_error *err, const wisp_arguments *args, wisp_solver *solver, bool *wrong);

/* After a run that failed: adds to its message which kernel is wrong on this mesh, or that none is. */
void wisp_run_explain(const wisp_arguments *args, wisp_solver *solver, wisp_error *why);
