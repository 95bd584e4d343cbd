/* What the tuner knows of a family, or of those of its kernels that work on the same arrays: each one file in tuner/,
 * one line in the list of workload.c.
 *
 * A workload makes the problems that its kernels are timed on and launches them there, and checks a candidate
 * against the double reference. All else that the tuner does is the same for every family.
 */
#ifndef WISP_WORKLOAD_H
#define WISP_WORKLOAD_H

#include "../runtime/arrays.h"
#include "../runtime/blas.h"
#include "../runtime/kernel.h"
#include "../runtime/mesh/source.h"

/* What a kernel is measured beside: the vendor's product, a copy of the same bytes. */
typedef struct wisp_yardstick {
  wisp_status (*run)(wisp_error *err, const void *context); /* enqueues it once; NULL: there is none */
  void (*destroy)(void *context);
  void *context;
  char name[96]; /* "cuBLAS 13.1" */
  double error;  /* of its result, relative to the largest value; NaN where it computes nothing */
} wisp_yardstick;

/* Two kernels that do the same in different ways; the first is compared with the second. */
typedef struct wisp_alternative {
  const char *kernel, *other;
} wisp_alternative;

typedef struct wisp_workload {
  const char *family;

  /* Can this kernel of the family be timed and checked here? NULL: all can. The tuner leaves a kernel alone that no
   * workload serves. */
  bool (*serves)(const char *kernel);

  /* No kernel sees an element's neighbours: what mesh it is timed on does not matter, and its trials say box. */
  bool alone;

  /* --- Timing. `problems` are those of one order and size, made at first need and kept: their number of elements is
   * `elements`, rounded up where the family needs it, or chosen for the device where that is 0; of a box whose elements
   * stand, and lie in memory, as `source` says; of its file, if it names one, where the family reads meshes of that
   * kind. device is borrowed. */
  wisp_status (*create)(wisp_error *err, wisp_device *device, int order, long long elements,
                        const wisp_mesh_source *source, void **problems);
  void (*destroy)(void *problems); /* NULL is fine */
  long long (*elements)(const void *problems);

  /* The problem that kernels of these plans, which fit together, are launched on: random numbers in all inputs. It
   * stays valid until two others were asked for. */
  wisp_status (*get)(wisp_error *err, void *problems, const wisp_plan *const *plans, int count, void **problem);

  /* Enqueues one launch, with scalars that let a kernel run thousands of times on its own output without growing or
   * vanishing. */
  wisp_status (*launch)(wisp_error *err, void *problem, const wisp_kernel *kernel);

  /* Enqueues a whole step of so many stages, whose kernels these are in launch order, likewise. 0 and NULL where the
   * family has no compositions. */
  int stages;
  wisp_status (*launch_step)(wisp_error *err, void *problem, const wisp_kernel *const *kernels, int count);

  /* The problem as a check of what no small one shows (tuner/witness.h): a problem's arrays; random numbers, none above
   * 1, in those that the plan's kernel reads, as `get` left them; one launch with scalars under which all that the
   * kernel computes shows in its outputs. */
  wisp_arrays *(*arrays)(void *problem);
  wisp_status (*restart)(wisp_error *err, void *problem, const wisp_plan *plan);
  wisp_status (*launch_once)(wisp_error *err, void *problem, const wisp_kernel *kernel);
  /* How far a number of this output may then be from the exact one: the tolerance times the largest sum of magnitudes
   * that one can have; NaN: not to be compared, it is the kernel's own. mask: 0, or a byte a number, 0 where it is
   * nobody's. */
  wisp_status (*bound)(wisp_error *err, void *problems, void *problem, const wisp_plan *plan, const char *array,
                       double *bound, wisp_pointer *mask);

  /* What `wisp bench` times a kernel of this spec beside; run stays NULL where there is nothing. blas may be NULL.
   * The yardstick's destroy is for the caller to call. */
  wisp_status (*yardstick)(wisp_error *err, wisp_device *device, wisp_blas *blas, const wisp_spec *spec,
                           long long elements, wisp_yardstick *out);

  const wisp_alternative *alternatives; /* ends with NULL names; NULL: there are none */
  long long published; /* elements that figures for a GPU are given for, where not the number of `create`; 0 */

  /* --- Verification: see tuner/verify.h, which goes through these. */
  wisp_status (*verifier_create)(wisp_error *err, wisp_device *device, void **verifier);
  void (*verifier_destroy)(void *verifier); /* NULL is fine */
  wisp_status (*prepare)(wisp_error *err, void *verifier, const wisp_plan *plan, uint64_t seed);
  wisp_status (*check)(wisp_error *err, void *verifier, const wisp_kernel *kernel, uint64_t seed, double *error);
} wisp_workload;

extern const wisp_workload *const wisp_workloads[]; /* NULL-terminated */

/* The first of the family that serves the kernel; any of the family's where kernel is NULL. WISP_EUSAGE where the tuner
 * has none. */
wisp_status wisp_workload_find(wisp_error *err, const char *family, const char *kernel, const wisp_workload **out);

/* Whether the family has a workload that serves the kernel. */
bool wisp_workload_serves(const char *family, const char *kernel);

#endif
