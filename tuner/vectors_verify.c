/* Candidates of the vector kernels against their formulas in double. */
#include "vectors_verify.h"
#include "tolerance.h"
#include "vectors.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 100000, PARTS = 77, ITERATION = 5, LEFT = 9 };
static const wisp_vector_scalars scalars = {.scale = 0.5, .keep = 0.25, .gain = 0.75, .parts = PARTS};

/* --- what the kernels do --- */

/* All arrays in double; sums are left in the first part. */
typedef struct numbers {
  const wisp_vectors *vectors;
  bool polynomial; /* makes z, or it is scale r / diagonal */
  int left;        /* iterations */
  double *at[WISP_VECTORS];
} numbers;

static double sum_parts(const double *parts, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += parts[i];
  return sum;
}

static double gather_one(const numbers *n, size_t g)
{
  const wisp_hexcopies *c = n->vectors->copies;
  double sum = 0;
  for (int32_t i = c->start[g]; i < c->start[g + 1]; i++) sum += n->at[WISP_VECTOR_Y][c->copy[i]];
  return sum;
}

static void update(numbers *n)
{
  double *state = n->at[WISP_VECTOR_STATE], *x = n->at[WISP_VECTOR_SOLUTION], *p = n->at[WISP_VECTOR_P];
  const double rz = sum_parts(n->at[WISP_VECTOR_RZ_SUMS], PARTS), rr = sum_parts(n->at[WISP_VECTOR_RR_SUMS], PARTS);
  const double beta = rz / state[WISP_CG_AT_RZ_BEFORE];
  for (size_t g = 0; g < n->vectors->copies->unknowns; g++) {
    const double made = scalars.scale * n->at[WISP_VECTOR_INVERSE][g] * n->at[WISP_VECTOR_R][g];
    x[g] += state[WISP_CG_AT_ALPHA] * p[g];
    p[g] = (n->polynomial ? n->at[WISP_VECTOR_Z][g] : made) + beta * p[g];
  }
  state[WISP_CG_AT_RZ] = rz;
  state[WISP_CG_AT_RR] = n->at[WISP_VECTOR_HISTORY][3 * ITERATION] = rr;
  n->at[WISP_VECTOR_HISTORY][3 * ITERATION + 1] = beta;
}

static void gather(numbers *n)
{
  double pAp = 0;
  for (size_t g = 0; g < n->vectors->copies->unknowns; g++) {
    n->at[WISP_VECTOR_AP][g] = gather_one(n, g);
    pAp += n->at[WISP_VECTOR_P][g] * n->at[WISP_VECTOR_AP][g];
  }
  n->at[WISP_VECTOR_PAP_SUMS][0] = pAp;
}

static void advance(numbers *n)
{
  double *state = n->at[WISP_VECTOR_STATE], *r = n->at[WISP_VECTOR_R], rz = 0, rr = 0;
  const double alpha = state[WISP_CG_AT_RZ] / sum_parts(n->at[WISP_VECTOR_PAP_SUMS], PARTS);
  for (size_t g = 0; g < n->vectors->copies->unknowns; g++) {
    r[g] -= alpha * n->at[WISP_VECTOR_AP][g];
    const double z = scalars.scale * n->at[WISP_VECTOR_INVERSE][g] * r[g];
    if (n->polynomial) n->at[WISP_VECTOR_Z][g] = z;
    rz += r[g] * z;
    rr += r[g] * r[g];
  }
  n->at[WISP_VECTOR_RZ_SUMS][0] = rz;
  n->at[WISP_VECTOR_RR_SUMS][0] = rr;
  state[WISP_CG_AT_RZ_BEFORE] = state[WISP_CG_AT_RZ];
  state[WISP_CG_AT_ALPHA] = n->at[WISP_VECTOR_HISTORY][3 * ITERATION + 2] = alpha;
  state[WISP_CG_AT_ITERATION] += 1;
  n->left--;
}

static void spread(numbers *n)
{
  const wisp_hexcopies *c = n->vectors->copies;
  const double *vector = n->at[n->polynomial ? WISP_VECTOR_Z : WISP_VECTOR_P];
  double *u = n->at[WISP_VECTOR_U];
  for (size_t l = 0; l < n->vectors->size[WISP_VECTOR_U]; l++) u[l] = 0;
  for (size_t g = 0; g < c->unknowns; g++)
    for (int32_t i = c->start[g]; i < c->start[g + 1]; i++) u[c->copy[i]] = vector[g];
}

static void smooth(numbers *n)
{
  double *d = n->at[WISP_VECTOR_D], *z = n->at[WISP_VECTOR_Z], rz = 0;
  const double *r = n->at[WISP_VECTOR_R];
  for (size_t g = 0; g < n->vectors->copies->unknowns; g++) {
    d[g] = scalars.keep * d[g] + scalars.gain * n->at[WISP_VECTOR_INVERSE][g] * (r[g] - gather_one(n, g));
    z[g] += d[g];
    rz += r[g] * z[g];
  }
  n->at[WISP_VECTOR_RZ_SUMS][0] = rz;
}

static const struct {
  const char *kernel;
  void (*reference)(numbers *n);
  int sums[2]; /* arrays that it leaves parts in; -1: none */
} kernels[] = {
    {"update", update, {-1, -1}},
    {"spread", spread, {-1, -1}},
    {"gather", gather, {WISP_VECTOR_PAP_SUMS, -1}},
    {"advance", advance, {WISP_VECTOR_RZ_SUMS, WISP_VECTOR_RR_SUMS}},
    {"smooth", smooth, {WISP_VECTOR_RZ_SUMS, -1}},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* KERNELS where there is none. */
static size_t find(const char *kernel)
{
  size_t k = 0;
  while (k < KERNELS && strcmp(kernels[k].kernel, kernel) != 0) k++;
  return k;
}

bool wisp_vectors_known(const char *kernel)
{
  return find(kernel) < KERNELS;
}

/* --- the example of one order, precision and seed --- */

struct wisp_vectors_verifier {
  wisp_device *device;
  int order; /* 0: there is none yet */
  wisp_precision precision;
  uint64_t seed;
  wisp_vectors *vectors;
  wisp_arrays *arrays;
  double *before[WISP_VECTORS];
};

/* All but the mesh, which serves any precision and seed. */
static void release_numbers(wisp_vectors_verifier *v)
{
  for (int a = 0; a < WISP_VECTORS; a++) free(v->before[a]);
  wisp_arrays_destroy(v->arrays);
  *v = (wisp_vectors_verifier){.device = v->device, .order = v->order, .vectors = v->vectors};
}

static void release(wisp_vectors_verifier *v)
{
  release_numbers(v);
  wisp_vectors_destroy(v->vectors);
  *v = (wisp_vectors_verifier){.device = v->device};
}

wisp_status wisp_vectors_verifier_prepare(wisp_error *err, wisp_vectors_verifier *v, const wisp_plan *plan,
                                          uint64_t seed)
{
  static const double state[WISP_CG_STATE] = {
      [WISP_CG_AT_RZ] = 0.75, [WISP_CG_AT_RZ_BEFORE] = 1.5, [WISP_CG_AT_ALPHA] = 0.375,        [WISP_CG_AT_RUNNING] = 1,
      [WISP_CG_AT_RR] = 0.5,  [WISP_CG_AT_LIMIT] = 0.25,    [WISP_CG_AT_ITERATION] = ITERATION};
  wisp_status status = WISP_OK;
  const wisp_spec *spec = wisp_plan_spec(plan);
  const int Nq = spec->order + 1, Np = Nq * Nq * Nq;
  uint64_t random = seed;
  if (v->order == spec->order && v->precision == spec->precision && v->seed == seed) return WISP_OK;
  release_numbers(v);
  if (v->order != spec->order) {
    release(v);
    TRY(wisp_vectors_create(err, spec->order, (size_t)((NODES + Np - 1) / Np), &(wisp_mesh_source){.jitter = 0},
                            &v->vectors));
  }
  TRY(wisp_vectors_arrays(err, v->device, v->vectors, spec->precision, &v->arrays));
  for (int a = 0; a < WISP_VECTORS; a++) {
    TRY(wisp_new(err, v->vectors->size[a], sizeof *v->before[a], &v->before[a]));
    wisp_vectors_fill(v->vectors, a, &random, v->vectors->size[a], v->before[a]);
  }
  memcpy(v->before[WISP_VECTOR_STATE], state, sizeof state);
  v->order = spec->order;
  v->precision = spec->precision;
  v->seed = seed;
done:
  if (status != WISP_OK) release(v);
  return status;
}

/* --- the check --- */

static bool is_output(const wisp_plan *plan, const char *name)
{
  const wisp_arg *args = NULL;
  const int count = wisp_plan_args(plan, &args);
  for (int i = 0; i < count; i++)
    if (strcmp(args[i].name, name) == 0) return args[i].kind == WISP_ARG_OUT;
  return false;
}

/* On the device and for the reference: outputs begin as NaN, but for numbers behind the last unknown. */
static wisp_status begin(wisp_error *err, wisp_vectors_verifier *v, const wisp_plan *plan, numbers *n)
{
  wisp_status status = WISP_OK;
  const size_t unknowns = v->vectors->copies->unknowns;
  for (int a = 0; a < WISP_VECTORS; a++) {
    const size_t size = v->vectors->size[a], end = a < WISP_VECTOR_U ? unknowns : size;
    TRY(wisp_new(err, size, sizeof *n->at[a], &n->at[a]));
    memcpy(n->at[a], v->before[a], size * sizeof *n->at[a]);
    for (size_t i = 0; is_output(plan, wisp_vector_names[a]) && i < end; i++) n->at[a][i] = NAN;
    TRY(wisp_arrays_upload(err, v->arrays, wisp_vector_names[a], n->at[a]));
  }
  TRY(wisp_arrays_upload_ints(err, v->arrays, "left", &n->left));
done:
  return status;
}

/* One array's numbers, NaN where NaN must be. *error: the largest difference over the largest number. */
static wisp_status compare(wisp_error *err, const char *name, size_t count, const double *got, const double *expected,
                           double largest, double tolerance, double *error)
{
  double worst = 0;
  size_t bad = 0;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(got[i]) != !isfinite(expected[i]))
      return wisp_fail(err, WISP_EWRONG, "%s is %g, not %g, at number %zu", name, got[i], expected[i], i);
    if (!isfinite(expected[i])) continue;
    largest = fmax(largest, fabs(expected[i]));
    if (fabs(got[i] - expected[i]) > worst) worst = fabs(got[i] - expected[i]), bad = i;
  }
  const double relative = largest > 0 ? worst / largest : 0;
  *error = fmax(*error, relative);
  if (relative <= tolerance) return WISP_OK;
  return wisp_fail(err, WISP_EWRONG, "%s is %.9g, not %.9g, at number %zu: error %.2e over %.2e", name, got[bad],
                   expected[bad], bad, relative, tolerance);
}

static wisp_status compare_all(wisp_error *err, wisp_vectors_verifier *v, const wisp_plan *plan, const numbers *n,
                               double *error)
{
  wisp_status status = WISP_OK;
  const wisp_spec *spec = wisp_plan_spec(plan);
  const double tolerance = wisp_tolerance(spec, wisp_plan_layout(plan));
  const size_t k = find(spec->kernel);
  double *got = NULL;
  unsigned grid[2];
  int left = 0;
  TRY(wisp_plan_grid(err, plan, v->vectors->elements, 0, grid));
  for (int a = 0; a < WISP_VECTORS; a++) {
    const bool sums = a == kernels[k].sums[0] || a == kernels[k].sums[1];
    TRY(wisp_new(err, v->vectors->size[a], sizeof *got, &got));
    TRY(wisp_arrays_download(err, v->arrays, wisp_vector_names[a], got));
    if (sums) got[0] = sum_parts(got, grid[0]);
    /* A sum of numbers of random sign is far smaller than what was added. */
    TRY(compare(err, wisp_vector_names[a], sums ? 1 : v->vectors->size[a], got, n->at[a],
                sums ? sqrt((double)v->vectors->copies->unknowns) : 0, tolerance, error));
    free(got);
    got = NULL;
  }
  TRY(wisp_device_download(err, v->device, &left, wisp_arrays_at(v->arrays, "left"), sizeof left));
  TRY(wisp_require(err, left == n->left, WISP_EWRONG, "left is %d, not %d", left, n->left));
done:
  free(got);
  return status;
}

static wisp_status check_once(wisp_error *err, wisp_vectors_verifier *v, const wisp_kernel *kernel, bool polynomial,
                              double *error)
{
  wisp_status status = WISP_OK;
  const wisp_plan *plan = wisp_kernel_plan(kernel);
  wisp_vector_scalars given = scalars;
  numbers n = {.vectors = v->vectors, .polynomial = polynomial, .left = LEFT};
  given.polynomial = polynomial;
  TRY(begin(err, v, plan, &n));
  kernels[find(wisp_plan_spec(plan)->kernel)].reference(&n);
  TRY(wisp_vectors_launch(err, v->arrays, v->vectors, kernel, &given));
  TRY(wisp_verify_guards(err, v->device, v->arrays));
  TRY(compare_all(err, v, plan, &n, error));
done:
  for (int a = 0; a < WISP_VECTORS; a++) free(n.at[a]);
  return status;
}

wisp_status wisp_vectors_verifier_check(wisp_error *err, wisp_vectors_verifier *v, const wisp_kernel *kernel,
                                        uint64_t seed, double *error)
{
  wisp_status status = WISP_OK;
  *error = 0;
  TRY(wisp_vectors_verifier_prepare(err, v, wisp_kernel_plan(kernel), seed));
  for (int polynomial = 0; polynomial < 2; polynomial++) TRY(check_once(err, v, kernel, polynomial, error));
done:
  return status;
}

wisp_status wisp_vectors_verifier_create(wisp_error *err, wisp_device *device, wisp_vectors_verifier **out)
{
  wisp_vectors_verifier *v = NULL;
  wisp_status status = wisp_new(err, 1, sizeof *v, &v);
  if (status != WISP_OK) return status;
  v->device = device;
  *out = v;
  return WISP_OK;
}

void wisp_vectors_verifier_destroy(wisp_vectors_verifier *v)
{
  if (!v) return;
  release(v);
  free(v);
}
