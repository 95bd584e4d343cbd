/* Candidates of the tensor family against the double reference of runtime/solve/hex_reference.h. */
#include "tensor_verify.h"
#include "tensor_elements.h"
#include "tolerance.h"
#include "verify.h"
#include "../runtime/solve/hex_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 29, MAX_EXAMPLES = 12 };
static const double LAMBDA = 0.6875;

/* What a check of one kernel starts from and must end with, and its arrays on the device. */
typedef struct example {
  wisp_spec spec;
  uint64_t seed;
  unsigned long long used;
  wisp_hex *hex;
  wisp_arrays *arrays;
  double *before[WISP_TENSOR_ARRAYS]; /* NaN in what the kernel has no business with */
  double *after;                      /* y */
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
  wisp_arrays_destroy(e->arrays);
  wisp_hex_destroy(e->hex);
}

static wisp_status make_example(wisp_error *err, wisp_device *device, wisp_hex_operator op, example *e)
{
  wisp_status status = WISP_OK;
  const int geometry = geometry_of(e->spec.kernel, op);
  TRY(wisp_hex_create(err, e->spec.order, &e->hex));
  const size_t dofs = ELEMENTS * (size_t)e->hex->Np;
  TRY(wisp_tensor_make(err, e->hex, ELEMENTS, e->seed, e->before));
  TRY(wisp_new(err, dofs, sizeof *e->after, &e->after));
  TRY(wisp_new(err, dofs, sizeof(double), &e->before[WISP_TENSOR_Y]));
  TRY(wisp_hex_apply(err, e->hex, op, e->before[WISP_TENSOR_VERTICES], ELEMENTS, LAMBDA, e->before[WISP_TENSOR_U],
                     e->after));
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++)
    for (size_t i = 0; a != WISP_TENSOR_U && a != geometry && i < ELEMENTS * wisp_tensor_numbers(e->hex, a); i++)
      e->before[a][i] = NAN;
  TRY(wisp_tensor_arrays(err, device, e->hex, e->spec.precision, ELEMENTS, &e->arrays));
done:
  return status;
}

static bool same(const example *a, const example *b)
{
  return a->spec.order == b->spec.order && a->spec.precision == b->spec.precision && a->seed == b->seed &&
         strcmp(a->spec.kernel, b->spec.kernel) == 0;
}

static wisp_status find_example(wisp_error *err, wisp_tensor_verifier *v, const wisp_spec *spec, uint64_t seed,
                                const example **out)
{
  example e = {.spec = *spec, .seed = seed, .used = ++v->clock};
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

static wisp_status compare(wisp_error *err, const example *e, double tolerance, const double *got, double *error)
{
  const size_t Np = (size_t)e->hex->Np;
  double most = 0, worst = 0;
  size_t bad = 0;
  for (size_t i = 0; i < ELEMENTS * Np; i++) {
    double difference = fabs(got[i] - e->after[i]);
    if (!isfinite(got[i]))
      return wisp_fail(err, WISP_EWRONG, "y is %g at element %zu, node %zu: not finite", got[i], i / Np, i % Np);
    most = fmax(most, fabs(e->after[i]));
    if (difference > worst) worst = difference, bad = i;
  }
  *error = worst / most;
  if (*error <= tolerance) return WISP_OK;
  return wisp_fail(err, WISP_EWRONG, "y is %.9g, not %.9g, at element %zu, node %zu: error %.2e over %.2e", got[bad],
                   e->after[bad], bad / Np, bad % Np, *error, tolerance);
}

wisp_status wisp_tensor_verifier_prepare(wisp_error *err, wisp_tensor_verifier *v, const wisp_plan *plan, uint64_t seed)
{
  const example *e = NULL;
  return find_example(err, v, wisp_plan_spec(plan), seed, &e);
}

wisp_status wisp_tensor_verifier_check(wisp_error *err, wisp_tensor_verifier *v, const wisp_kernel *kernel,
                                       uint64_t seed, double *error)
{
  wisp_status status = WISP_OK;
  const wisp_plan *plan = wisp_kernel_plan(kernel);
  const example *e = NULL;
  double *got = NULL;
  *error = 0;
  TRY(find_example(err, v, wisp_plan_spec(plan), seed, &e));
  TRY(wisp_new(err, ELEMENTS * (size_t)e->hex->Np, sizeof *got, &got));
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++)
    TRY(wisp_arrays_upload(err, e->arrays, wisp_tensor_names[a], e->before[a]));
  TRY(wisp_tensor_launch(err, e->arrays, kernel, ELEMENTS, LAMBDA));
  TRY(wisp_verify_guards(err, v->device, e->arrays));
  TRY(wisp_arrays_download(err, e->arrays, "y", got));
  TRY(compare(err, e, wisp_tolerance(&e->spec, wisp_plan_layout(plan)), got, error));
done:
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
