/* Discretised problems on one mesh, made at first need and kept: kernels of one layout share a problem, gather
 * candidates need one for each block size and grouping, since those decide the element order. */
#ifndef WISP_PROBLEMS_H
#define WISP_PROBLEMS_H

#include "../runtime/solve/problem.h"

typedef struct wisp_problems wisp_problems;

/* Takes the mesh, also on failure. device is borrowed. At most `bytes` of device memory are kept in problems that are
 * not the two asked for last. */
wisp_status wisp_problems_create(wisp_error *err, wisp_device *device, wisp_mesh *mesh, size_t bytes,
                                 wisp_problems **out);
void wisp_problems_destroy(wisp_problems *problems);
const wisp_mesh *wisp_problems_mesh(const wisp_problems *problems);

/* The problem that a plan runs on: its order, system, precision and layout, and its parameters MB and grouping where it
 * has them (1, natural otherwise). All fields hold random numbers when it is made. It stays valid until two others were
 * asked for. */
wisp_status wisp_problems_get(wisp_error *err, wisp_problems *problems, const wisp_plan *plan, wisp_problem **out);
wisp_status wisp_problems_find(wisp_error *err, wisp_problems *problems, const wisp_spec *spec,
                               const wisp_layout *layout, int MB, wisp_grouping grouping, wisp_problem **out);

#endif
