/* A discretised problem on a device: the arrays of its family in one precision, and launches on them. */
#pragma once

#include "arrays.h"

/* ---- A mesh and a method on the host, as kernels of any family see them: the counts of everything, the contents of
 * the fixed arrays, and the owner of each number. The nodal family's is made of a wisp_dg, for example. */

enum { WISP_MAX_COUNTS = 40, WISP_MAX_CUTS = 4, WISP_PLACE_TEXT = 96 };
#define WISP_NOBODY SIZE_MAX

/* Some of what a count is of, one after the other. */
typedef struct wisp_span {
  size_t first, count;
} wisp_span;

/* A kernel's launches, "colours" of "groups", say: each has the count of a span, and begins at its `first`. */
typedef struct wisp_cut {
  const char *name, *of;
  size_t spans;
  const wisp_span *span; /* borrowed */
} wisp_cut;

/* Arrays that are longer, as if there were more of a count: by what neighbours compute. Counts and launches are not. */
typedef struct wisp_ghosts {
  const char *of, *arrays; /* "groups"; "u trace" */
  size_t count;            /* 0: there are none */
} wisp_ghosts;             /* where `of` counts 0, nothing is launched */

typedef struct wisp_discretisation {
  const wisp_family *family;
  /* "groups", "unknowns", "pairs": sizes of arrays and launches are made of them. Ends with a NULL name. */
  wisp_count counts[WISP_MAX_COUNTS];
  wisp_cut cuts[WISP_MAX_CUTS]; /* what kernels' `launches` name; likewise */
  wisp_ghosts ghosts;
  /* Terms that the longest sums have beyond those that the family's kernels say (`sum`): where more elements meet. */
  size_t longer_sums;
  void *self;
  /* Uploads what is fixed to those of its arrays that are there. NULL: nothing is. */
  wisp_status (*fill)(wisp_error *err, const void *self, wisp_arrays *arrays);
  /* The place of number i in an order that no layout changes; WISP_NOBODY in padding. Safe for threads. NULL: i. */
  size_t (*origin)(const void *self, const wisp_array_decl *array, size_t i);
  /* Number i in words: "slot 7, field Ex, node 2". NULL: "number 42". */
  void (*place)(const void *self, const wisp_array_decl *array, size_t i, char text[WISP_PLACE_TEXT]);
  void (*destroy)(void *self); /* NULL: self is somebody else's */
} wisp_discretisation;

void wisp_discretisation_destroy(wisp_discretisation *d);
WISP_OWNED(wisp_discretisation, wisp_discretisation_destroy)

/* 0 for a count that it has not. */
size_t wisp_discretisation_count(const wisp_discretisation *d, const char *count);

/* Numbers of an array of the family. False: it has no such array, since it lacks one of the counts. */
bool wisp_discretisation_size(const wisp_discretisation *d, const wisp_array_decl *array, size_t *size);

void wisp_discretisation_place(const wisp_discretisation *d, const wisp_array_decl *array, size_t i,
                               char text[WISP_PLACE_TEXT]);

/* ---- The problem. */

struct wisp_problem;

/* Sees each launch in place of the device, and launches what it wants to; *watch of the problem is NULL meanwhile. */
typedef struct wisp_launch_watch {
  wisp_status (*launch)(wisp_error *err, void *context, struct wisp_problem *problem, const wisp_kernel *kernel,
                        const wisp_binding *bindings, size_t count);
  void *context;
} wisp_launch_watch;

typedef struct wisp_problem {
  wisp_device *device;
  const wisp_launch_watch *watch; /* of wisp_problem_run; NULL: nobody watches */
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

/* The origin of each number of an array, kept once it was made: of small problems. */
wisp_status wisp_problem_origins(wisp_error *err, wisp_problem *problem, const wisp_array_decl *array,
                                 const size_t **origins);

/* Enqueues a launch with its arrays, counts and these bindings, or several where the kernel is declared so. */
wisp_status wisp_problem_run(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                             const wisp_binding *bindings, size_t count);

/* Launches in a row, each with bindings of its own, and some on a problem of their own. */
typedef struct wisp_launches {
  size_t count;
  struct wisp_launch *list;
} wisp_launches;

/* One more; the kernel is borrowed, the bindings, at most 32, are copied. */
wisp_status wisp_launches_add(wisp_error *err, wisp_launches *launches, const wisp_kernel *kernel,
                              const wisp_binding *bindings, size_t count);
/* On this problem, which is borrowed, whatever the others are run on. */
wisp_status wisp_launches_add_on(wisp_error *err, wisp_launches *launches, wisp_problem *problem,
                                 const wisp_kernel *kernel, const wisp_binding *bindings, size_t count);
/* Others behind them. */
wisp_status wisp_launches_append(wisp_error *err, wisp_launches *launches, const wisp_launches *others);
wisp_status wisp_launches_run(wisp_error *err, const wisp_launches *launches, wisp_problem *problem);
void wisp_launches_free(wisp_launches *launches);
