/* The tensor-product family in the tuner: element-local operators on random hexahedra, beside a copy of as many bytes
 * as they must move (the roofline of Swirydowicz, Chalmers, Karakus, Warburton 2019). */
#include "tensor_elements.h"
#include "tensor_verify.h"
#include "tolerance.h"
#include "yardstick_copy.h"
#include "../gen/random.h"
#include "../runtime/solve/hex_reference.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LAMBDA = 1;

/* The operators; vectors of continuous elements are workload_vectors.c's. */
static bool serves(const char *kernel)
{
  wisp_hex_operator op;
  return wisp_hex_operator_find(kernel, &op);
}

/* --- problems --- */

/* Elements come again after so many numbers of the largest array: making 10^8 nodes' factors would take the host
 * minutes, and a device sees no difference, since all are in its memory. */
enum { PERIOD_NUMBERS = 1 << 22 };

typedef struct problem {
  wisp_device *device;
  wisp_arrays *arrays; /* NULL: not made */
  size_t elements;
} problem;

typedef struct problems {
  wisp_device *device;
  wisp_hex *hex;
  size_t elements;
  problem problems[2]; /* single, double */
} problems;

static void destroy(void *context)
{
  problems *all = context;
  if (!all) return;
  for (int p = 0; p < 2; p++) wisp_arrays_destroy(all->problems[p].arrays);
  wisp_hex_destroy(all->hex);
  free(all);
}

static wisp_status create(wisp_error *err, wisp_device *device, int order, long long elements,
                          const wisp_mesh_source *source, void **out)
{
  wisp_status status = WISP_OK;
  problems *all = NULL;
  (void)source; /* elements are random */
  TRY(wisp_new(err, 1, sizeof *all, &all));
  all->device = device;
  TRY(wisp_hex_create(err, order, &all->hex));
  all->elements = wisp_tensor_elements(device, order, elements);
  *out = all;
  all = NULL;
done:
  destroy(all);
  return status;
}

static long long elements(const void *context)
{
  const problems *all = context;
  return (long long)all->elements;
}

/* Factors, fields: everything that a kernel reads. */
static wisp_status fill(wisp_error *err, const problems *all, wisp_arrays *arrays)
{
  wisp_status status = WISP_OK;
  double *values[WISP_TENSOR_ARRAYS] = {NULL};
  size_t period = PERIOD_NUMBERS / wisp_tensor_numbers(all->hex, WISP_TENSOR_GAUSS_FACTORS);
  period = period < all->elements ? period : all->elements;
  TRY(wisp_tensor_make(err, all->hex, period, WISP_RANDOM_SEED, values));
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++)
    if (values[a])
      TRY(wisp_arrays_repeat(err, arrays, wisp_tensor_names[a], period * wisp_tensor_numbers(all->hex, a), values[a]));
done:
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++) free(values[a]);
  return status;
}

/* Kernels on a GPU count in 31 bits, but for the elements of the seven factors, the longest arrays by far. */
static wisp_status check_addresses(wisp_error *err, const problems *all, const wisp_plan *plan)
{
  const wisp_arg *args = NULL;
  const int count = wisp_plan_args(plan, &args);
  if (strcmp(wisp_device_limits(all->device)->kind, "host") == 0) return WISP_OK;
  for (int i = 0; i < count; i++)
    for (int a = 0; a < WISP_TENSOR_ARRAYS; a++) {
      const bool factors = a == WISP_TENSOR_GAUSS_FACTORS || a == WISP_TENSOR_GLL_FACTORS;
      const size_t most = INT_MAX / (factors ? 1 : wisp_tensor_numbers(all->hex, a));
      if (strcmp(args[i].name, wisp_tensor_names[a]) == 0 && all->elements > most)
        return wisp_fail(err, WISP_EUSAGE,
                         "%zu elements of order %d: their %s have addresses beyond 31 bits, take at most %zu",
                         all->elements, all->hex->N, wisp_tensor_names[a], most);
    }
  return WISP_OK;
}

static wisp_status get(wisp_error *err, void *context, const wisp_plan *const *plans, int count, void **out)
{
  wisp_status status = WISP_OK;
  problems *all = context;
  const wisp_precision precision = wisp_plan_spec(plans[0])->precision;
  problem *p = &all->problems[precision == WISP_F64];
  wisp_arrays *arrays = NULL;
  for (int i = 0; i < count; i++) TRY(check_addresses(err, all, plans[i]));
  if (!p->arrays) {
    TRY(wisp_tensor_arrays(err, all->device, all->hex, precision, all->elements, &arrays));
    TRY(fill(err, all, arrays));
    *p = (problem){all->device, arrays, all->elements};
    arrays = NULL;
  }
  *out = p;
done:
  wisp_arrays_destroy(arrays);
  return status;
}

static wisp_status launch(wisp_error *err, void *context, const wisp_kernel *kernel)
{
  const problem *p = context;
  return wisp_tensor_launch(err, p->arrays, kernel, p->elements, LAMBDA);
}

/* --- the timed problem as a check --- */

static wisp_arrays *arrays(void *context)
{
  return ((problem *)context)->arrays;
}

/* Kernels read what none of them writes. */
static wisp_status restart(wisp_error *err, void *context, const wisp_plan *plan)
{
  (void)err, (void)context, (void)plan;
  return WISP_OK;
}

/* Of the first elements the largest sum; as all are unit cubes moved alike and fields alike, no other's is twice that.
 */
static wisp_status bound(wisp_error *err, void *context, void *timed, const wisp_plan *plan, const char *array,
                         double *out, wisp_pointer *mask)
{
  enum { LOOKED_AT = 64 };
  wisp_status status = WISP_OK;
  const problems *all = context;
  const size_t count = all->elements < LOOKED_AT ? all->elements : LOOKED_AT, Np = (size_t)all->hex->Np;
  double *values[WISP_TENSOR_ARRAYS] = {NULL}, *sizes = NULL, most = 0;
  wisp_hex_operator op;
  (void)timed;
  *mask = 0;
  *out = NAN;
  if (strcmp(array, "y") != 0 || !wisp_hex_operator_find(wisp_plan_spec(plan)->kernel, &op)) goto done;
  TRY(wisp_tensor_make(err, all->hex, count, WISP_RANDOM_SEED, values));
  TRY(wisp_new(err, count * Np, sizeof *sizes, &sizes));
  TRY(wisp_hex_apply_sizes(err, all->hex, op, values[WISP_TENSOR_VERTICES], count, LAMBDA, values[WISP_TENSOR_U],
                           sizes));
  for (size_t i = 0; i < count * Np; i++) most = fmax(most, sizes[i]);
  *out = wisp_tolerance(wisp_plan_spec(plan), wisp_plan_layout(plan)) * 2 * most;
done:
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++) free(values[a]);
  free(sizes);
  return status;
}

/* --- verification --- */

static wisp_status verifier_create(wisp_error *err, wisp_device *device, void **out)
{
  wisp_tensor_verifier *verifier = NULL;
  wisp_status status = wisp_tensor_verifier_create(err, device, &verifier);
  if (status == WISP_OK) *out = verifier;
  return status;
}

static void verifier_destroy(void *verifier)
{
  wisp_tensor_verifier_destroy(verifier);
}

static wisp_status prepare(wisp_error *err, void *verifier, const wisp_plan *plan, uint64_t seed)
{
  return wisp_tensor_verifier_prepare(err, verifier, plan, seed);
}

static wisp_status check(wisp_error *err, void *verifier, const wisp_kernel *kernel, uint64_t seed, double *error)
{
  return wisp_tensor_verifier_check(err, verifier, kernel, seed, error);
}

static const wisp_alternative alternatives[] = {
    {"mass_trilinear", "mass"},
    {"stiffness_trilinear", "stiffness"},
    {"collocated_trilinear", "collocated"},
    {NULL, NULL},
};

const wisp_workload wisp_workload_tensor = {
    .family = "tensor",
    .serves = serves,
    .alone = true,
    .create = create,
    .destroy = destroy,
    .elements = elements,
    .get = get,
    .launch = launch,
    .arrays = arrays,
    .restart = restart,
    .launch_once = launch,
    .bound = bound,
    .yardstick = wisp_yardstick_copy,
    .alternatives = alternatives,
    .verifier_create = verifier_create,
    .verifier_destroy = verifier_destroy,
    .prepare = prepare,
    .check = check,
};
