/* wisp run: what its problems share. A problem is a system of equations, or one file and a line in the list of run.c.
 */
#ifndef WISP_RUN_H
#define WISP_RUN_H

#include "json.h"
#include "open.h"
#include "../runtime/nodal/solver.h"

/* One problem's command line: argv[0] is "run". Returns the exit status. */
int wisp_run_system(const char *system, int argc, char **argv);
extern const wisp_syntax wisp_poisson_syntax;

/* WISP_EUSAGE unless the one argument that is no option is the problem's name. */
wisp_status wisp_run_check_problem(wisp_error *err, const wisp_arguments *args, const char *problem);

/* The table of the step's kernels: which strategy, and where it comes from. as_asked: defaults were asked for. */
void wisp_run_print_kernels(const wisp_stage *step, bool as_asked);

/* The same as kernels[] of a JSON object. */
void wisp_run_add_kernels(cJSON *object, const wisp_stage *step);

#endif
