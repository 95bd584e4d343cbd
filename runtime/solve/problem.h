/* A discretised problem on a device: its arrays in one precision, and their names for kernels.
 *
 * Arrays (see dg.h; sizes in numbers): u, u_next, rhs (volume part), lifted (surface part), res: volume; flux: face;
 * dux, duy, duz: volume (made only with_derivatives); geo, face_int, face_real, pair_block, pair_int,
 * pair_real. Scalars: groups, blocks, alpha, a, b, dt.
 */
#ifndef WISP_PROBLEM_H
#define WISP_PROBLEM_H

#include "../arrays.h"
#include "dg.h"

typedef struct wisp_problem wisp_problem;

/* dg and device are borrowed. WISP_EMEMORY says how much is needed and how much there is. All fields start at zero.
 * guard: as of wisp_arrays_create. */
wisp_status wisp_problem_create(wisp_error *err, wisp_device *device, const wisp_dg *dg, wisp_precision precision,
                                size_t guard, bool with_derivatives, wisp_problem **out);
void wisp_problem_destroy(wisp_problem *problem);
const wisp_dg *wisp_problem_dg(const wisp_problem *problem);
wisp_arrays *wisp_problem_arrays(const wisp_problem *problem);
size_t wisp_problem_bytes(const wisp_problem *problem); /* of device memory, guard zones included */

/* Moves a field between the host (double) and the device (the problem's precision). Size by the array's name. */
wisp_status wisp_problem_upload(wisp_error *err, wisp_problem *problem, const char *array, const double *values);
wisp_status wisp_problem_download(wisp_error *err, wisp_problem *problem, const char *array, double *values);
wisp_status wisp_problem_fill(wisp_error *err, wisp_problem *problem, const char *array,
                              unsigned char byte);                        /* 0xff: NaN */
size_t wisp_problem_size(const wisp_problem *problem, const char *array); /* numbers; 0 for an unknown name */

/* Lets u and u_next change places (their addresses): after a stage whose last kernel wrote u_next. */
void wisp_problem_swap(wisp_problem *problem);

/* Launches a kernel on the problem's arrays with these scalars. */
typedef struct wisp_scalars {
  double alpha, a, b, dt;
} wisp_scalars;
wisp_status wisp_problem_launch(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                                const wisp_scalars *scalars);

#endif
