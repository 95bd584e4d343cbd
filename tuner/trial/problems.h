/* The problems of a workload on one test mesh, made at first need and kept: kernels of one layout share a problem,
 * unless their parameters fix another discretisation. */
#pragma once

#include "workload.h"

typedef struct wisp_problems wisp_problems;

/* See wisp_workload's open for elements and source. device is borrowed. A new problem is made while those that are
 * held take at most `bytes` of device memory, or once all that can go are gone. */
wisp_status wisp_problems_create(wisp_error *err, wisp_device *device, const wisp_workload *workload,
                                 const wisp_spec *spec, long long elements, const wisp_mesh_source *source,
                                 size_t bytes, wisp_problems **out);
void wisp_problems_destroy(wisp_problems *problems); /* NULL is fine */
WISP_OWNED(wisp_problems, wisp_problems_destroy)
const void *wisp_problems_test_mesh(const wisp_problems *problems);
long long wisp_problems_elements(const wisp_problems *problems);
/* The least that a kernel of this spec has to do on them. */
wisp_status wisp_problems_work(wisp_error *err, const wisp_problems *problems, const wisp_spec *spec, wisp_work *out);

/* The setting of a plan's problem: plans of one setting share it. */
typedef struct wisp_setting {
  wisp_spec spec;
  wisp_layout layout;
  wisp_fixed fixed;
} wisp_setting;
wisp_setting wisp_setting_of(const wisp_plan *plan);
bool wisp_setting_same(const wisp_setting *a, const wisp_setting *b);

/* The problem that kernels of these plans, which fit together, are launched on: random numbers in all arrays that are
 * not fixed. It stays until all references to it have ended. */
typedef struct wisp_problem_ref { /* zero: of none */
  wisp_problems *problems;
  wisp_problem *problem;
} wisp_problem_ref;
wisp_status wisp_problems_acquire(wisp_error *err, wisp_problems *problems, const wisp_plan *const *plans, int count,
                                  wisp_problem_ref *out);
void wisp_problem_ref_end(const wisp_problem_ref *ref);

/* A wisp_plan_fits of problems. */
wisp_status wisp_problems_fit(wisp_error *err, const void *problems, const wisp_plan *plan);

/* Those in use take more than `bytes`: another may find no memory. */
bool wisp_problems_full(const wisp_problems *problems);

/* The same numbers again in all that the plan's kernel reads, and the state for this use; in every array where plan is
 * NULL. */
wisp_status wisp_problems_restart(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                                  const wisp_plan *plan, wisp_purpose purpose);

/* Enqueues one launch; a whole step of these kernels, in launch order. */
wisp_status wisp_problems_launch(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                                 const wisp_kernel *kernel, wisp_purpose purpose);
wisp_status wisp_problems_step(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                               const wisp_kernel *const *kernels, int count);

/* A random number as arrays of this kind hold them. */
double wisp_random_of(wisp_array_kind kind, uint64_t *random);
