/* A workload describes a family to the tuner, or those of its kernels that work on the same arrays. The family's line
 * in gen/families.h names the first.
 *
 * It makes the discretisations to time and to check on, sets the scalars of launches, and computes the right results in
 * double precision. All else is the same for every family: problems.h keeps the problems, verify.h and at_size.h
 * check, trial.h times. */
#pragma once

#include "../../gen/families.h"
#include "../../gen/strategy/strategy.h"
#include "../../runtime/api/accuracy.h"
#include "../../runtime/mesh/frame.h"
#include "../../runtime/mesh/source.h"
#include "../../runtime/problem.h"
#include "../../runtime/solve/solver.h"
#include "../../runtime/spmv.h"
#include "../../runtime/test_case.h"

/* A yardstick beside a kernel: the vendor's product, or a copy of the same bytes. */
typedef struct wisp_yardstick {
  wisp_status (*run)(wisp_error *err, const void *context); /* enqueues it once; NULL: there is none */
  void (*destroy)(void *context);
  void *context;
  char name[96]; /* "cuBLAS 13.1" */
  double error;  /* of its result, relative to the largest value; NaN where it computes nothing */
} wisp_yardstick;

enum { WISP_MAX_RIVALS = 4 };

/* One row of a published table: the times of a problem of one size and order. Unknown numbers are NaN. */
enum { WISP_PAPER_COLUMNS = 10 };
typedef struct wisp_paper_row {
  const char *table; /* "80 x 80 squares, tables 2, 3, 6 and 7" */
  const char *published_by, *units;
  int order;
  size_t elements, columns;
  struct {
    const char *name;
    double published, ours;
  } column[WISP_PAPER_COLUMNS];
} wisp_paper_row;
typedef wisp_status (*wisp_paper_take)(wisp_error *err, void *context, const wisp_paper_row *row);

/* Two kernels that do the same in different ways; the first is compared with the second. */
typedef struct wisp_alternative {
  const char *kernel, *other;
} wisp_alternative;

/* The purpose of a launch. */
typedef enum wisp_purpose {
  WISP_FOR_TIMING, /* thousands of times on its own output, which must not grow or vanish; stages of a step take turns
                    */
  WISP_FOR_CHECKS  /* once: all that the kernel computes shows in its outputs */
} wisp_purpose;

/* The part of a solver's problem that a reference computes: its elements, rows or edges. */
typedef struct wisp_sample {
  wisp_discretisation d; /* as the reference reads it; its origins are WISP_NOBODY outside the sample */
  bool compact;          /* arrays have the sample's numbers alone: their sizes are d's */
  size_t own, of; /* the first `own` of `of` parts of each output are computed, others are there to be read; 0: all */
} wisp_sample;

/* A part of a solver that is tuned as a whole. */
typedef struct wisp_part {
  const char *name;         /* "set-up", "iteration"; empty: a stage */
  const char *compositions; /* alternatives with one result, "|" between them; NULL: the family's, which have records */
  int share;                /* of a budget, over those of the parts to come: what runs often has more; 0: 1 */
  wisp_fixed preset;        /* of the discretisation, as the solver makes it by default */
} wisp_part;

typedef struct wisp_workload {
  const char *family;
  const struct wisp_workload *more; /* the family's next, for its kernels on other arrays; NULL: there is none */
  const char *const *kernels; /* of the family, those that can be timed and checked here; NULL: all. Ends with NULL */

  /* No kernel sees an element's neighbours: what mesh it is timed on does not matter, and its trials say box. */
  bool alone;
  /* Most arrays are lists that few strategies take, and that take long to make: problems to time on have those alone
   * that the kernels at hand take. */
  bool listed;

  /* Counts at least the arrays of so many elements, before a test mesh is opened. NULL: not known. */
  wisp_status (*count)(wisp_error *err, const wisp_spec *spec, size_t elements, wisp_discretisation *out);

  /* --- The test mesh: the base of discretisations of one element and order, a mesh for example. To time on: *elements
   * elements, rounded up where needed, or as many as suit the device where that is 0; of a box whose elements lie as
   * `source` says, or of its file where the family reads such meshes. *elements becomes their number. source NULL: to
   * check on, small: number 0 of a prime number of elements where they stand alone, no two alike, in all ways in which
   * they can meet; numbers 1 to other_meshes, which *elements then is, of few elements or of extreme shapes. */
  wisp_status (*open)(wisp_error *err, const wisp_limits *limits, const wisp_spec *spec, long long *elements,
                      const wisp_mesh_source *source, void **test_mesh);
  int other_meshes;  /* to check on: those besides the first */
  int double_meshes; /* of these the last ones, where no kernel is right in single precision; without crowded_mesh */
  bool crowded_mesh; /* there is one more, on which kernels that vary are checked: most of its elements meet */
  /* Elements that a problem on which winners are checked once has at least: so many that their numbers do not fit 16
   * bits, or, where these take more than about a second to prepare, that the numbers of their nodes, edges or rows do
   * not. NULL: there is none. */
  long long (*many)(const wisp_spec *spec);
  /* A scalar of kernels that a solver repeats, whose last launch differs from those before: both are checked at size.
   * NULL: there are none. */
  const char *last;
  /* Its sizes, for kernels' expressions (wisp_own_sizes); NULL: those of a large one, element by element. */
  wisp_status (*own_sizes)(wisp_error *err, const void *test_mesh, wisp_env *sizes);
  void (*close)(void *test_mesh); /* NULL is fine */

  /* layout NULL: the one whose numbers are in the order of `origin`. */
  wisp_status (*discretise)(wisp_error *err, const void *test_mesh, const wisp_spec *spec, const wisp_layout *layout,
                            const wisp_fixed *fixed, wisp_discretisation *out);

  /* --- Launches. stage: of a step, where a whole one is timed. */
  void (*scalars)(const wisp_problem *problem, wisp_purpose purpose, int stage, wisp_scalar_list *out);
  /* Numbers of arrays of the kind WISP_STATE; NULL: there are none. All others are random. */
  wisp_status (*set_state)(wisp_error *err, wisp_problem *problem, wisp_purpose purpose);
  const int *stages; /* of a step; NULL where no part is timed as a whole */
  /* The i-th part of a solver of this family, of so many elements (0: not known); the first decides what the others
   * find. False behind the last. It stands in the family's first workload. NULL: its compositions are the only part. */
  bool (*part)(const wisp_limits *limits, const wisp_spec *spec, long long elements, int i, wisp_part *out);
  /* Enqueues a step of a composition's kernels, to be timed; NULL: in each stage they are launched one after the other.
   */
  wisp_status (*step)(wisp_error *err, wisp_problem *problem, const wisp_kernel *const *kernels, int count);

  /* --- Checks: the number of test cases of a kernel; the inputs of one (`before` holds random numbers where the kernel
   * reads, and may be reshaped; scalars are to be set); and its right outputs. */
  int (*cases)(const char *kernel); /* NULL: two */
  wisp_status (*fill_inputs)(wisp_error *err, wisp_test_case *test_case);
  wisp_status (*reference)(wisp_error *err, wisp_test_case *test_case);
  /* Narrows the reference of a large problem to a sample: *out becomes what `all` is, in natural order, of which the
   * reference leaves numbers that it does not compute as they were, or NaN. It stays empty where all are computed in no
   * time; all outlives it. NULL: they always are. */
  wisp_status (*narrow)(wisp_error *err, const wisp_discretisation *all, uint64_t *random, wisp_discretisation *out);
  /* Before the first test case: WISP_EWRONG where lists make the results right by luck alone, such as two elements that
   * add to one number at once. NULL: test cases show all. */
  wisp_status (*lists)(wisp_error *err, const wisp_problem *problem, const wisp_plan *plan);
  /* Computes the outputs of a test case by sums in single precision, one number after the other, into `out`, as `after`
   * is; for kernels that multiply by matrices. NULL: not needed. */
  wisp_status (*single_sums)(wisp_error *err, const wisp_test_case *test_case, double *const *out);

  /* Checks on a solver's own mesh: the test case of a launch, whose scalars, kernel and random state are set, gets its
   * own; and a sample of the problem for the reference, which leaves NaN where it computes less than a number. NULL:
   * there is no reference there. */
  wisp_status (*adopt)(wisp_error *err, const wisp_solver *solver, const wisp_problem *problem, const wisp_plan *plan,
                       wisp_test_case *test_case, wisp_sample *out);

  /* --- The yardstick of `wisp bench` for a kernel of this spec: the vendor's product with this dense matrix, if there
   * is one. NULL: a copy of the bytes that the kernel must move. */
  wisp_status (*dense)(wisp_error *err, const wisp_spec *spec, wisp_dense *out);
  /* Makes rival `number` of the kernel, from 0 to WISP_MAX_RIVALS - 1, on the problem that the kernel is launched on.
   * Leaves out->run NULL where the kernel has no such rival. WISP_EDEVICE: this machine lacks the library;
   * WISP_EREFUSED: the library declines. NULL: there are no rivals. */
  wisp_status (*rival)(wisp_error *err, wisp_device *device, const wisp_problem *problem, const wisp_spec *spec,
                       int number, wisp_yardstick *out);
  const wisp_alternative *alternatives; /* ends with NULL names; NULL: there are none */
  /* Measures the errors of single precision at several sizes, up to so many elements (0: all). NULL: no such study. */
  wisp_status (*accuracy)(wisp_error *err, const wisp_session *session, long long most, wisp_accuracy_row take,
                          void *context);
  /* Measures a published program's tables in double precision, at sizes up to so many elements (0: all). NULL: none. */
  wisp_status (*paper)(wisp_error *err, const wisp_session *session, const int *orders, size_t order_count,
                       long long most, wisp_paper_take take, void *context);
  long long published; /* elements that figures for a GPU are given for, where not the number of `open`; 0 */
} wisp_workload;

/* One after the other: the library's, then those of a program that defines wisp_own_workloads, a list that ends with
 * NULL. NULL behind the last. */
extern const wisp_workload *const wisp_own_workloads[] __attribute__((weak));
const wisp_workload *wisp_workload_at(size_t i);

/* The first of the family that serves the kernel; any of the family's where kernel is NULL. WISP_EUSAGE where the tuner
 * has none. */
wisp_status wisp_workload_find(wisp_error *err, const char *family, const char *kernel, const wisp_workload **out);

/* Whether the family has a workload that serves the kernel. */
bool wisp_workload_serves(const char *family, const char *kernel);

/* Rounds the coordinates of a mesh to be timed on to the spec's precision: what is left of an error is a kernel's own.
 */
static inline void wisp_workload_round(const wisp_spec *spec, wisp_mesh *mesh)
{
  for (size_t i = 0; spec->precision == WISP_F32 && i < 3 * mesh->vertices; i++) mesh->xyz[i] = (float)mesh->xyz[i];
}

/* A scalar of a launch; `otherwise` where it has none of this name. */
double wisp_scalar_of(const wisp_scalar_list *list, const char *name, double otherwise);

/* Elements of the problem that winners are checked on once: those of a box of at least workload->many, with an odd
 * number of cells on each edge, so no multiple of what groups, blocks, warps and vectors have. 0: there is none. */
long long wisp_workload_many(const wisp_workload *workload, const wisp_spec *spec);

/* Takes `most` of `count` things at least, or all: the first and the last, those at multiples of 32, 256 and 1024, and
 * random ones. A byte each, 1 for those; the caller frees it. */
wisp_status wisp_sample_pick(wisp_error *err, size_t count, size_t most, uint64_t *random, unsigned char **picked);

/* The mesh as kernels see it that read its vertices: coordinates in the frame, rounded to the precision. Only xyz,
 * which the caller frees, is its own. */
wisp_status wisp_sample_round(wisp_error *err, wisp_precision precision, const wisp_mesh *mesh, const wisp_frame *frame,
                              wisp_mesh *out);

/* One more scalar of a launch. */
static inline void wisp_scalar_add(wisp_scalar_list *list, const char *name, double value)
{
  list->of[list->count++] = (wisp_binding){name, 0, value};
}

/* ---- What a kernel that is bound by memory is measured beside: half of its minimal bytes, read and written by the
 * device's own copy. */
wisp_status wisp_yardstick_copy(wisp_error *err, wisp_device *device, const wisp_spec *spec, long long elements,
                                wisp_yardstick *out);

/* A yardstick that multiplies the sparse matrix of this pattern by a vector, with the vendor's library. */
wisp_status wisp_yardstick_spmv(wisp_error *err, wisp_device *device, const wisp_block_rows *pattern,
                                wisp_precision precision, wisp_spmv_format format, wisp_yardstick *out);
