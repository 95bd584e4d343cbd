/* A pulse in a conducting box, through the public header alone. In C or C++:
 *
 *     cc -Iinclude examples/pulse.c -Lbuild -Wl,-rpath,$PWD/build -lwisp -lm -o pulse && ./pulse
 *
 * After make install, from wherever it lies:
 *
 *     cc pulse.c $(pkg-config --cflags --libs wisp) -lm -o pulse && ./pulse
 */
#include <wisp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static wisp_error err;
#define DO(call) ((call) == WISP_OK ? (void)0 : exit((fprintf(stderr, "pulse: %s\n", err.text), 1)))

/* The field Ez, the third one, is a pulse in the middle; the others are 0. */
static void set_pulse(wisp_solver *solver)
{
  wisp_solver_sizes n;
  DO(wisp_solver_size(&err, solver, &n));
  const size_t nodes = n.elements * n.nodes;
  double *xyz = (double *)calloc(3 * nodes, sizeof *xyz);
  double *u = (double *)calloc(n.fields * nodes, sizeof *u);
  if (!xyz || !u) exit(1);
  DO(wisp_solver_nodes(&err, solver, xyz));
  for (size_t q = 0; q < nodes; q++) {
    const double x = xyz[3 * q] - 0.5;
    const double y = xyz[3 * q + 1] - 0.5;
    u[2 * nodes + q] = exp(-40 * (x * x + y * y));
  }
  DO(wisp_solver_set(&err, solver, NULL, u));
  free(xyz);
  free(u);
}

int main(int argc, char **argv)
{
  const char *device = argc > 1 ? argv[1] : NULL;
  const wisp_session_request where = {WISP_INIT(wisp_session_request), .device = device};
  wisp_session *session;
  DO(wisp_session_open(&err, &where, &session));

  const wisp_solver_setting settings[] = {{"boundary", "pec"}, {NULL, NULL}};
  const wisp_solver_request request = {WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 3, .box = "4",
                                       .settings = settings};
  wisp_solver *solver;
  DO(wisp_solver_create(&err, session, &request, &solver));

  double before;
  double after;
  double ms;
  const wisp_until until = {WISP_INIT(wisp_until), .steps = 100};
  set_pulse(solver);
  DO(wisp_solver_advance(&err, solver, &until));
  DO(wisp_solver_number(&err, solver, "energy_initial", &before));
  DO(wisp_solver_number(&err, solver, "energy_final", &after));
  DO(wisp_solver_number(&err, solver, "ms_per_stage", &ms));

  wisp_kernel_info info;
  for (size_t i = 0; wisp_solver_kernel(&err, solver, i, &info) == WISP_OK; i++)
    printf("%-10s %s (%s) in %s: %s, %s\n", info.kernel, info.strategy, info.params, info.layout, info.match,
           info.layer);
  printf("energy %.6f, then %.6f after 100 steps; %.4f ms a stage\n", before, after, ms);
  wisp_session_close(session);
  return after <= before ? 0 : 1;
}
