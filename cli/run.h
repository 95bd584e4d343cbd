/* wisp run: what its problems share. A problem is a system of equations, or one file and a line in the list of run.c.
 */
#ifndef WISP_RUN_H
#define WISP_RUN_H

#include "notes.h"
#include "print.h"
#include "options.h"
#include "../runtime/nodal/stepper.h"
#include "../runtime/solve/cg.h"

/* One problem's command line: argv[0] is "run". Returns the exit status. */
int wisp_run_system(const char *system, int argc, char **argv);
extern const wisp_syntax wisp_poisson_syntax, wisp_heat_syntax, wisp_helmholtz_syntax;

/* WISP_EUSAGE unless the one argument that is no option is the problem's name. */
wisp_status wisp_run_check_problem(wisp_error *err, const wisp_arguments *args, const char *problem);

/* What the options of every problem say, and those of the mesh. */
typedef struct wisp_run_request {
  wisp_mesh_source mesh; /* its box is the problem's to read */
  const char *device, *db;
  int order;
  wisp_precision precision;
  bool defaults, exact, json;
} wisp_run_request;
wisp_status wisp_run_read(wisp_error *err, const wisp_arguments *args, const wisp_family *family,
                          wisp_run_request *out);

/* Says what of the file has no effect or was changed, once options and formulas are read. */
wisp_status wisp_run_say_notes(wisp_error *err, const wisp_arguments *args, const wisp_run_request *run,
                               wisp_mesh *mesh);

/* The box: --box N, or so many numbers, one an edge that can differ: 2 of triangles, 3 of hexes, 1 of tets. */
wisp_status wisp_run_read_grid(wisp_error *err, const wisp_arguments *args, int edges, wisp_run_request *run);

/* Before anything large is made: so many numbers, `what` ("nodes"), of so many elements, `cells` ("hexes"), must be
 * counted in 31 bits. */
wisp_status wisp_run_check_count(wisp_error *err, double elements, const char *cells, int order, double numbers,
                                 const char *what);

/* Notes a solve that had nothing to do: its right-hand side is 0. */
wisp_status wisp_run_note_zero(wisp_error *err, const wisp_cg_report *report, wisp_notes *notes);

/* The lines of domain and device. nodes: of an element; numbers: what it is solved for, as "DOFs". */
void wisp_run_print_domain(const wisp_run_request *request, const wisp_session *session, size_t elements,
                           const char *cells, int nodes, double numbers, const char *what);

/* The table of the stage's kernels: which strategy, and where it comes from. as_asked: defaults were asked for. */
void wisp_run_print_kernels(const wisp_stage *stage, bool as_asked);

/* Where kernels of these stages run defaults that nobody asked for: the wisp tune commands that measure others. */
void wisp_run_print_tuning(const wisp_run_request *request, int count, const wisp_stage *const *stages);

/* The same as kernels[] of a JSON object. */
void wisp_run_add_kernels(cJSON *object, const wisp_stage *stage);

#endif
