/* Discretised problems on one mesh, made at first need and kept: kernels of one layout share a problem, gather
 * candidates need one for each block size and grouping, since those decide the element order. */
#ifndef WISP_NODAL_PROBLEMS_H
#define WISP_NODAL_PROBLEMS_H

#include "../runtime/solve/problem.h"

typedef struct wisp_nodal_problems wisp_nodal_problems;

/* Takes the mesh, also on failure. device is borrowed. At most `bytes` of device memory are kept in problems that are
 * not the two asked for last. */
wisp_status wisp_nodal_problems_create(wisp_error *err, wisp_device *device, wisp_mesh *mesh, size_t bytes,
                                       wisp_nodal_problems **out);
void wisp_nodal_problems_destroy(wisp_nodal_problems *problems);
const wisp_mesh *wisp_nodal_problems_mesh(const wisp_nodal_problems *problems);

/* The problem that kernels of these plans run on: their order, system, precision and layout, and the parameters MB and
 * grouping of the one that has them (1, natural otherwise). All fields hold random numbers when it is made. It stays
 * valid until two others were asked for. */
wisp_status wisp_nodal_problems_get(wisp_error *err, wisp_nodal_problems *problems, const wisp_plan *const *plans,
                                    int count, wisp_problem **out);

/* Random numbers, in [-1, 1], anew in every field of a problem that the plan's kernel reads. */
wisp_status wisp_nodal_problems_restart(wisp_error *err, wisp_problem *problem, const wisp_plan *plan);

/* A byte a number on the device, 0 in padding and empty slots: of arrays over face nodes, or over nodes. */
wisp_status wisp_nodal_problems_mask(wisp_error *err, wisp_nodal_problems *problems, const wisp_problem *problem,
                                     bool faces, wisp_pointer *mask);

#endif
