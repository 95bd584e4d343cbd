/* wisp run: what its problems share. A problem is a system of equations, or one file and a line in the list of run.c.
 */
#ifndef WISP_RUN_H
#define WISP_RUN_H

#include "options.h"
#include "../runtime/nodal/solver.h"

#include <cjson/cJSON.h>

/* One problem's command line: argv[0] is "run". Returns the exit status. */
int wisp_run_system(const char *system, int argc, char **argv);
int wisp_run_poisson(int argc, char **argv);

/* WISP_EUSAGE unless the one argument that is no option is the problem's name. */
wisp_status wisp_run_check_problem(wisp_error *err, const wisp_arguments *args, const char *problem);

/* Opens all layers of the store to read; db is the user's file, NULL for the default place. Says what is odd. */
wisp_status wisp_run_open_store(wisp_error *err, const wisp_arguments *args, const char *db, wisp_store **out);

/* The table of the step's kernels: which strategy, and where it comes from. as_asked: defaults were asked for. */
void wisp_run_print_kernels(const wisp_step *step, bool as_asked);

/* The same as kernels[] of a JSON object. */
void wisp_run_add_kernels(cJSON *object, const wisp_step *step);

/* A number, or null where it is none. */
void wisp_run_add_number(cJSON *object, const char *name, double value);

/* Prints the object on stdout and deletes it. */
wisp_status wisp_run_put_json(wisp_error *err, cJSON *object);

#endif
