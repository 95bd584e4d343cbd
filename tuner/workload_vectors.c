/* The vector kernels of conjugate gradients in the tuner: on continuous elements, beside a copy of as many bytes as
 * they must move. */
#include "tensor_elements.h"
#include "vectors.h"
#include "tolerance.h"
#include "vectors_verify.h"
#include "yardstick_copy.h"
#include "../gen/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- problems --- */

/* Random numbers come again after so many. */
enum { PERIOD = 1 << 20 };

/* With a limit that no residual exceeds, alpha and beta are 0: p = z, nothing else changes, and a kernel can run any
 * number of times. What it must read and write is the same. */
static const double state[WISP_CG_STATE] = {[WISP_CG_AT_LIMIT] = 1e30};
static const wisp_vector_scalars scalars = {.scale = 1, .parts = 792};

typedef struct problem {
  const wisp_vectors *vectors;
  wisp_arrays *arrays; /* NULL: not made */
} problem;

typedef struct problems {
  wisp_device *device;
  wisp_vectors *vectors;
  problem problems[2]; /* single, double */
} problems;

static void destroy(void *context)
{
  problems *all = context;
  if (!all) return;
  for (int p = 0; p < 2; p++) wisp_arrays_destroy(all->problems[p].arrays);
  wisp_vectors_destroy(all->vectors);
  free(all);
}

static wisp_status create(wisp_error *err, wisp_device *device, int order, long long elements,
                          const wisp_mesh_source *source, void **out)
{
  wisp_status status = WISP_OK;
  problems *all = NULL;
  TRY(wisp_new(err, 1, sizeof *all, &all));
  all->device = device;
  TRY(wisp_vectors_create(err, order, wisp_tensor_elements(device, order, elements), source, &all->vectors));
  *out = all;
  all = NULL;
done:
  destroy(all);
  return status;
}

static long long elements(const void *context)
{
  const problems *all = context;
  return (long long)all->vectors->elements;
}

static wisp_status fill(wisp_error *err, const wisp_vectors *vectors, wisp_arrays *arrays)
{
  wisp_status status = WISP_OK;
  uint64_t random = WISP_RANDOM_SEED;
  double *numbers = NULL;
  TRY(wisp_new(err, PERIOD, sizeof *numbers, &numbers));
  for (int a = 0; a < WISP_VECTOR_STATE; a++) {
    const size_t count = vectors->size[a] < PERIOD ? vectors->size[a] : PERIOD;
    wisp_vectors_fill(vectors, a, &random, count, numbers);
    TRY(wisp_arrays_repeat(err, arrays, wisp_vector_names[a], count, numbers));
  }
  TRY(wisp_arrays_upload(err, arrays, "state", state));
done:
  free(numbers);
  return status;
}

static wisp_status get(wisp_error *err, void *context, const wisp_plan *const *plans, int count, void **out)
{
  wisp_status status = WISP_OK;
  problems *all = context;
  const wisp_precision precision = wisp_plan_spec(plans[0])->precision;
  problem *p = &all->problems[precision == WISP_F64];
  wisp_arrays *arrays = NULL;
  (void)count; /* all have the same arrays */
  if (!p->arrays) {
    TRY(wisp_vectors_arrays(err, all->device, all->vectors, precision, &arrays));
    TRY(fill(err, all->vectors, arrays));
    *p = (problem){all->vectors, arrays};
    arrays = NULL;
  }
  TRY(wisp_arrays_upload(err, p->arrays, "state", state)); /* a check may have left another */
  *out = p;
done:
  wisp_arrays_destroy(arrays);
  return status;
}

static wisp_status launch(wisp_error *err, void *context, const wisp_kernel *kernel)
{
  const problem *p = context;
  return wisp_vectors_launch(err, p->arrays, p->vectors, kernel, &scalars);
}

/* --- the timed problem as a check --- */

static wisp_arrays *arrays(void *context)
{
  return ((problem *)context)->arrays;
}

/* A residual above its limit, so that everything moves: alpha and beta come from sums of parts between 0.5 and 1.5. */
static wisp_status restart(wisp_error *err, void *context, const wisp_plan *plan)
{
  static const double running[WISP_CG_STATE] = {
      [WISP_CG_AT_RZ] = 512, [WISP_CG_AT_RZ_BEFORE] = 1024, [WISP_CG_AT_ALPHA] = 0.375, [WISP_CG_AT_RUNNING] = 1};
  wisp_status status = WISP_OK;
  const problem *p = context;
  static const int left = 1 << 20;
  (void)plan;
  TRY(fill(err, p->vectors, p->arrays));
  TRY(wisp_arrays_upload(err, p->arrays, "state", running));
  TRY(wisp_arrays_upload_ints(err, p->arrays, "left", &left));
done:
  return status;
}

static wisp_status launch_once(wisp_error *err, void *context, const wisp_kernel *kernel)
{
  static const wisp_vector_scalars usual = {.scale = 0.5, .keep = 0.25, .gain = 0.75, .parts = 792};
  const problem *p = context;
  return wisp_vectors_launch(err, p->arrays, p->vectors, kernel, &usual);
}

/* Vectors: all numbers are below 2, and what is added up has a factor below 2 and no more than eight terms. Parts of
 * sums belong to a kernel's own blocks; state and history follow from sums of other parts. */
static wisp_status bound(wisp_error *err, void *context, void *timed, const wisp_plan *plan, const char *array,
                         double *out, wisp_pointer *mask)
{
  static const char *const vectors[] = {"solution", "p", "z", "r", "Ap", "d", "u"};
  (void)err, (void)context, (void)timed;
  *mask = 0;
  *out = NAN;
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    if (strcmp(vectors[i], array) == 0) *out = 32 * wisp_tolerance(wisp_plan_spec(plan), wisp_plan_layout(plan));
  return WISP_OK;
}

/* --- verification --- */

static wisp_status verifier_create(wisp_error *err, wisp_device *device, void **out)
{
  wisp_vectors_verifier *verifier = NULL;
  wisp_status status = wisp_vectors_verifier_create(err, device, &verifier);
  if (status == WISP_OK) *out = verifier;
  return status;
}

static void verifier_destroy(void *verifier)
{
  wisp_vectors_verifier_destroy(verifier);
}

static wisp_status prepare(wisp_error *err, void *verifier, const wisp_plan *plan, uint64_t seed)
{
  return wisp_vectors_verifier_prepare(err, verifier, plan, seed);
}

static wisp_status check(wisp_error *err, void *verifier, const wisp_kernel *kernel, uint64_t seed, double *error)
{
  return wisp_vectors_verifier_check(err, verifier, kernel, seed, error);
}

const wisp_workload wisp_workload_vectors = {
    .family = "tensor",
    .serves = wisp_vectors_known,
    .create = create,
    .destroy = destroy,
    .elements = elements,
    .get = get,
    .launch = launch,
    .arrays = arrays,
    .restart = restart,
    .launch_once = launch_once,
    .bound = bound,
    .yardstick = wisp_yardstick_copy,
    .verifier_create = verifier_create,
    .verifier_destroy = verifier_destroy,
    .prepare = prepare,
    .check = check,
};
