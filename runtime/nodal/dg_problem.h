/* A nodal problem on a device: the discretisation that a wisp_dg is, and its launches. Arrays: gen/nodal/nodal.c lists
 * them, dg.h says what is in the fixed ones. */
#ifndef WISP_DG_PROBLEM_H
#define WISP_DG_PROBLEM_H

#include "../problem.h"
#include "dg.h"

/* Of a dg that is borrowed. */
wisp_discretisation wisp_dg_discretisation(const wisp_dg *dg);

/* dg and device are borrowed. All fields start at zero; dux, duy, duz are made only with_derivatives,
 * u_n never. */
wisp_status wisp_problem_create(wisp_error *err, wisp_device *device, const wisp_dg *dg, wisp_precision precision,
                                size_t guard, bool with_derivatives, wisp_problem **out);
const wisp_dg *wisp_problem_dg(const wisp_problem *problem);

/* Launches a kernel on the problem's arrays with these scalars. */
typedef struct wisp_scalars {
  double alpha, a, b, dt;
} wisp_scalars;
enum { WISP_DG_SCALARS = 4 };
void wisp_dg_bind(const wisp_scalars *scalars, wisp_binding out[WISP_DG_SCALARS]);
wisp_status wisp_problem_launch(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                                const wisp_scalars *scalars);

#endif
