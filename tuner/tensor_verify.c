/* Candidates of the tensor family against the double reference of runtime/solve/hex_reference.h. */
#include "tensor_verify.h"
#include "tensor_elements.h"
#include "tolerance.h"
#include "verify.h"
#include "../gen/random.h"
#include "../runtime/solve/hex_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 29, MAX_EXAMPLES = 12, ROUNDS = 2, LAUNCHES = 3 };

/* What a check of one kernel starts from and must end with, and its arrays on the device. */
typedef struct example {
  wisp_spec spec;
  uint64_t seed;
  int round;
  double lambda;
  unsigned long long used;
  wisp_hex *hex;
  wisp_arrays *arrays;
  double *before[WISP_TENSOR_ARRAYS]; /* NaN in what the kernel has no business with */
  wisp_kept *kept;                    /* the same on the device */
  double *after, *size;               /* y, and the sums of the magnitudes that it is added up from */
} example;

struct wisp_tensor_verifier {
  wisp_device *device;
  unsigned long long clock;
  int count;
  example examples[MAX_EXAMPLES];
};

/* --- examples --- */

/* The one array of geometry that a kernel may read. */
static int geometry_of(const char *kernel, wisp_hex_operator op)
{
  if (strstr(kernel, "_trilinear")) return WISP_TENSOR_VERTICES;
  return op == WISP_HEX_MASS        ? WISP_TENSOR_GAUSS_MASS
         : op == WISP_HEX_STIFFNESS ? WISP_TENSOR_GAUSS_FACTORS
                                    : WISP_TENSOR_GLL_FACTORS;
}

static void release(example *e)
{
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++) free(e->before[a]);
  free(e->after);
  free(e->size);
  wisp_kept_free(e->kept);
  wisp_arrays_destroy(e->arrays);
  wisp_hex_destroy(e->hex);
}

/* Round 0: fields whose size differs from element to element by 2^20; round 1: zeros among the numbers, and elements of
 * zeros. */
static void shape_field(const example *e, uint64_t *random, double *u)
{
  const size_t Np = (size_t)e->hex->Np;
  for (size_t k = 0; k < ELEMENTS; k++) {
    const double scale = e->round == 0 ? ldexp(1, 10 * (int)wisp_random_below(random, 3) - 10) : k % 8 != 3;
    for (size_t i = 0; i < Np; i++) u[k * Np + i] *= e->round == 1 && wisp_random_below(random, 4) == 0 ? 0 : scale;
  }
}

static wisp_status make_example(wisp_error *err, wisp_device *device, wisp_hex_operator op, example *e)
{
  wisp_status status = WISP_OK;
  const int geometry = geometry_of(e->spec.kernel, op);
  TRY(wisp_hex_create(err, e->spec.order, &e->hex));
  const size_t dofs = ELEMENTS * (size_t)e->hex->Np;
  uint64_t random = wisp_random_from(e->seed + (uint64_t)e->round);
  e->lambda = 0.25 + fabs(wisp_random_real(&random));
  TRY(wisp_tensor_make(err, e->hex, ELEMENTS, random, e->before));
  shape_field(e, &random, e->before[WISP_TENSOR_U]);
  TRY(wisp_new(err, dofs, sizeof *e->after, &e->after));
  TRY(wisp_new(err, dofs, sizeof *e->size, &e->size));
  TRY(wisp_new(err, dofs, sizeof(double), &e->before[WISP_TENSOR_Y]));
  const double *vertices = e->before[WISP_TENSOR_VERTICES], *u = e->before[WISP_TENSOR_U];
  TRY(wisp_hex_apply(err, e->hex, op, vertices, ELEMENTS, e->lambda, u, e->after));
  TRY(wisp_hex_apply_sizes(err, e->hex, op, vertices, ELEMENTS, e->lambda, u, e->size));
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++)
    for (size_t i = 0; a != WISP_TENSOR_U && a != geometry && i < ELEMENTS * wisp_tensor_numbers(e->hex, a); i++)
      e->before[a][i] = NAN;
  TRY(wisp_tensor_arrays(err, device, e->hex, e->spec.precision, ELEMENTS, &e->arrays));
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++)
    TRY(wisp_arrays_upload(err, e->arrays, wisp_tensor_names[a], e->before[a]));
  TRY(wisp_arrays_keep(err, e->arrays, NULL, &e->kept));
done:
  return status;
}

static bool same(const example *a, const example *b)
{
  return a->spec.order == b->spec.order && a->spec.precision == b->spec.precision && a->seed == b->seed &&
         a->round == b->round && strcmp(a->spec.kernel, b->spec.kernel) == 0;
}

static wisp_status find_example(wisp_error *err, wisp_tensor_verifier *v, const wisp_spec *spec, uint64_t seed,
                                int round, const example **out)
{
  example e = {.spec = *spec, .seed = seed, .round = round, .used = ++v->clock};
  wisp_hex_operator op;
  int oldest = 0;
  if (!wisp_hex_operator_find(spec->kernel, &op))
    return wisp_fail(err, WISP_EUSAGE, "no reference for kernel '%s'", spec->kernel);
  for (int i = 0; i < v->count; i++) {
    if (same(&v->examples[i], &e)) {
      v->examples[i].used = e.used;
      *out = &v->examples[i];
      return WISP_OK;
    }
    if (v->examples[i].used < v->examples[oldest].used) oldest = i;
  }
  wisp_status status = make_example(err, v->device, op, &e);
  if (status != WISP_OK) {
    release(&e);
    return status;
  }
  int at = v->count < MAX_EXAMPLES ? v->count++ : oldest;
  release(&v->examples[at]);
  v->examples[at] = e;
  *out = &v->examples[at];
  return WISP_OK;
}

/* --- the check --- */

/* Each number by the tolerance and the sum of magnitudes, all by what the family promises. error: the largest over the
 * sum of magnitudes. */
static wisp_status compare(wisp_error *err, const example *e, double tolerance, const double *got, double *error)
{
  const size_t Np = (size_t)e->hex->Np;
  double most = 0, worst = 0, farthest = 0;
  size_t bad = 0, far = 0;
  for (size_t i = 0; i < ELEMENTS * Np; i++) {
    const double difference = fabs(got[i] - e->after[i]);
    if (!isfinite(got[i]))
      return wisp_fail(err, WISP_EWRONG, "y is %g at element %zu, node %zu: not finite", got[i], i / Np, i % Np);
    most = fmax(most, fabs(e->after[i]));
    if (difference > farthest) farthest = difference, far = i;
    if (wisp_is_worse(difference, e->size[i], &worst)) bad = i;
  }
  *error = fmax(*error, worst);
  const double promise = wisp_promise(&e->spec);
  const bool kept = farthest <= promise * most;
  if (worst <= tolerance && kept) return WISP_OK;
  if (kept) farthest = worst, most = 1, far = bad;
  return wisp_fail(err, WISP_EWRONG, "y is %.9g, not %.9g, at element %zu, node %zu: error %.2e over %.2e", got[far],
                   e->after[far], far / Np, far % Np, farthest / most, kept ? tolerance : promise);
}

/* From the same data, and the same numbers as the launch before: those are in first, unless this is the first. */
static wisp_status launch(wisp_error *err, const wisp_kernel *kernel, const example *e, int number, double *first,
                          double *got, double *error)
{
  static const char *const writes[] = {"y", NULL};
  wisp_status status = WISP_OK;
  const wisp_plan *plan = wisp_kernel_plan(kernel);
  const size_t dofs = ELEMENTS * (size_t)e->hex->Np;
  TRY(wisp_arrays_restore(err, e->arrays, e->kept, NULL));
  TRY(wisp_tensor_launch(err, e->arrays, kernel, ELEMENTS, e->lambda));
  TRY(wisp_verify_untouched(err, e->arrays, e->kept, writes, number == LAUNCHES - 1));
  TRY(wisp_arrays_download(err, e->arrays, "y", got));
  if (number > 0 && memcmp(first, got, dofs * sizeof *got) == 0) goto done; /* looked at already */
  TRY(compare(err, e, wisp_tolerance(&e->spec, wisp_plan_layout(plan)), got, error));
  if (number > 0 && !wisp_strategy_varies(wisp_plan_strategy(plan)))
    TRY(wisp_require(err, false, WISP_EWRONG,
                     "y is not the same at every launch from the same data: it does not repeat"));
  memcpy(first, got, dofs * sizeof *got);
done:
  return status;
}

wisp_status wisp_tensor_verifier_prepare(wisp_error *err, wisp_tensor_verifier *v, const wisp_plan *plan, uint64_t seed)
{
  wisp_status status = WISP_OK;
  const example *e = NULL;
  for (int round = 0; round < ROUNDS; round++) TRY(find_example(err, v, wisp_plan_spec(plan), seed, round, &e));
done:
  return status;
}

wisp_status wisp_tensor_verifier_check(wisp_error *err, wisp_tensor_verifier *v, const wisp_kernel *kernel,
                                       uint64_t seed, double *error)
{
  wisp_status status = WISP_OK;
  const wisp_plan *plan = wisp_kernel_plan(kernel);
  double *first = NULL, *got = NULL;
  *error = 0;
  for (int round = 0; round < ROUNDS; round++) {
    const example *e = NULL;
    TRY(find_example(err, v, wisp_plan_spec(plan), seed, round, &e));
    const size_t dofs = ELEMENTS * (size_t)e->hex->Np;
    if (!got) TRY(wisp_new(err, dofs, sizeof *got, &got));
    if (!first) TRY(wisp_new(err, dofs, sizeof *first, &first));
    for (int i = 0; i < LAUNCHES; i++) TRY(launch(err, kernel, e, i, first, got, error));
  }
done:
  free(first);
  free(got);
  return status;
}

wisp_status wisp_tensor_verifier_create(wisp_error *err, wisp_device *device, wisp_tensor_verifier **out)
{
  wisp_tensor_verifier *v = NULL;
  wisp_status status = wisp_new(err, 1, sizeof *v, &v);
  if (status != WISP_OK) return status;
  v->device = device;
  *out = v;
  return WISP_OK;
}

void wisp_tensor_verifier_destroy(wisp_tensor_verifier *v)
{
  if (!v) return;
  for (int i = 0; i < v->count; i++) release(&v->examples[i]);
  free(v);
}
