/* A discretised problem on a device: the arrays of its family in one precision, and launches on them. */
#ifndef WISP_PROBLEM_H
#define WISP_PROBLEM_H

#include "discretisation.h"

typedef struct wisp_problem {
  wisp_device *device;
  wisp_discretisation d;
  wisp_arrays *arrays;
  struct wisp_owners { /* of all arrays that are laid out alike: what is asked of them below, made at first need */
    const char *size;
    bool masked;
    wisp_pointer mask;
    size_t *origins;
  } owners[WISP_MAX_ARRAYS]; /* those without a size are free */
} wisp_problem;

/* Which of a family's arrays are made. */
typedef bool (*wisp_array_filter)(const void *context, const char *array);

/* Whether a device has room for the arrays of a discretisation, before they are made; it may be counts alone, with
 * which a family predicts it. Arrays that lack a count take nothing. beside and errors: of wisp_arrays_fit. */
wisp_status wisp_problem_fits(wisp_error *err, const wisp_limits *limits, const wisp_discretisation *d,
                              wisp_precision precision, size_t guard, wisp_array_filter wanted, const void *context,
                              double beside);

/* Fills in the fixed arrays; all others are zero. device is borrowed. The discretisation is taken, also on failure; its
 * own pointers stay borrowed. wanted NULL: all arrays that it has. guard: as of wisp_arrays_create. WISP_EMEMORY says
 * how much is needed and how much there is, WISP_EUSAGE which array is longer than kernels can count. */
wisp_status wisp_problem_open(wisp_error *err, wisp_device *device, wisp_discretisation *d, wisp_precision precision,
                              size_t guard, wisp_array_filter wanted, const void *context, wisp_problem **out);
void wisp_problem_destroy(wisp_problem *problem);
WISP_OWNED(wisp_problem, wisp_problem_destroy)

/* Fills in the fixed arrays once more. */
wisp_status wisp_problem_refill(wisp_error *err, wisp_problem *problem);

/* A byte a number on the device, 0 where it is nobody's; 0 where there is no such number. Kept once it was made. */
wisp_status wisp_problem_mask(wisp_error *err, wisp_problem *problem, const char *array, wisp_pointer *mask);

/* wisp_discretisation_origin of each number of an array of the family's. Made at first need and kept: of small
 * problems, which are looked at number by number, again and again. */
wisp_status wisp_problem_origins(wisp_error *err, wisp_problem *problem, const wisp_array_decl *array,
                                 const size_t **origins);

/* Enqueues a launch with its arrays, counts and these bindings, or several where the kernel is declared so. */
wisp_status wisp_problem_run(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                             const wisp_binding *bindings, size_t count);

/* One launch on a span of the groups alone; of a kernel that asks for `first`. */
wisp_status wisp_problem_run_span(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel, wisp_span span,
                                  const wisp_binding *bindings, size_t count);

/* Launches in a row, each with bindings of its own. */
typedef struct wisp_launches {
  size_t count;
  struct wisp_launch *list;
} wisp_launches;

/* One more; the kernel is borrowed, the bindings, at most 32, are copied. */
wisp_status wisp_launches_add(wisp_error *err, wisp_launches *launches, const wisp_kernel *kernel,
                              const wisp_binding *bindings, size_t count);
wisp_status wisp_launches_run(wisp_error *err, const wisp_launches *launches, wisp_problem *problem);
void wisp_launches_free(wisp_launches *launches);

#endif
