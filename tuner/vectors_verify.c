/* Candidates of the vector kernels against their formulas in double. */
#include "vectors_verify.h"
#include "tolerance.h"
#include "vectors.h"
#include "verify.h"
#include "../gen/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 100000, LEFT = 9, LAUNCHES = 2 };

/* --- scenes: what an iteration can find --- */

typedef struct wisp_scene {
  int polynomial, first_step; /* z is made by a polynomial; its first step */
  double rz_before, limit;    /* 0 before the first iteration; no residual is above 2^100 */
  double iteration;           /* WISP_VECTOR_ITERATIONS: history is full */
  bool running;               /* or converged before */
  bool no_pAp;                /* p . Ap is 0: before the first iteration */
  bool shapes;                /* numbers of very different size, and zeros among them */
} wisp_scene;

static const wisp_scene scenes[] = {
    {0, 0, 1.5, 0.25, 5, true, false, false},    /* in the middle */
    {1, 0, 0.75, 0.25, 3, true, false, true},    /* with a polynomial, */
    {1, 1, 1.25, 0.25, 7, true, false, false},   /* and its first step */
    {0, 0, 0, 0.25, 0, true, true, false},       /* before the first iteration */
    {0, 0, 1.5, 0x1p100, 6, true, false, false}, /* found to have converged, */
    {0, 0, 1.5, 0.25, 6, false, false, true},    /* and after that */
    {0, 0, 1.5, 0.25, WISP_VECTOR_ITERATIONS, true, false, false},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static wisp_vector_scalars make_scalars(const wisp_scene *scene, uint64_t *random)
{
  return (wisp_vector_scalars){.scale = 0.25 + fabs(wisp_random_real(random)),
                               .keep = 0.25 + fabs(wisp_random_real(random)),
                               .gain = 0.25 + fabs(wisp_random_real(random)),
                               .polynomial = scene->polynomial,
                               .first_step = scene->first_step,
                               .rz_parts = 50 + (int)wisp_random_below(random, 200),
                               .rr_parts = 50 + (int)wisp_random_below(random, 200),
                               .pAp_parts = 50 + (int)wisp_random_below(random, 200)};
}

/* --- what the kernels do --- */

/* All arrays in double, and the sums of the magnitudes that results are added up from; sums are left in the first
 * part, and what they may differ by in `squares`: the root of the sum of their terms' squares. */
typedef struct numbers {
  const wisp_vectors *vectors;
  const wisp_scene *scene;
  wisp_vector_scalars scalars;
  int left; /* iterations */
  double *at[WISP_VECTORS], *size[WISP_VECTORS];
  double squares[WISP_VECTORS], lost[WISP_VECTORS]; /* lost: by rounding, of sums */
} numbers;

static double sum_parts(const double *parts, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += parts[i];
  return sum;
}

static void set(numbers *n, int array, size_t i, double value, double size)
{
  n->at[array][i] = value;
  n->size[array][i] = size;
}

static void set_state(numbers *n, int place, double value)
{
  set(n, WISP_VECTOR_STATE, (size_t)place, value, fabs(value));
}

/* History has room for so many iterations. */
static void note(numbers *n, size_t what, double value)
{
  const double iteration = n->at[WISP_VECTOR_STATE][WISP_CG_AT_ITERATION];
  if (iteration < WISP_VECTOR_ITERATIONS) set(n, WISP_VECTOR_HISTORY, 3 * (size_t)iteration + what, value, fabs(value));
}

/* Squares of numbers with few digits round all to one side: what is lost is kept (Neumaier 1974). */
static void add_to_sum(numbers *n, int array, double term, double size)
{
  double *sum = n->at[array], next = *sum + term;
  n->lost[array] += fabs(*sum) >= fabs(term) ? (*sum - next) + term : (term - next) + *sum;
  n->squares[array] += size * size;
  *sum = next;
}

static double gather_one(const numbers *n, size_t g, double *size)
{
  const wisp_hexcopies *c = n->vectors->copies;
  double sum = 0;
  *size = 0;
  for (int32_t i = c->start[g]; i < c->start[g + 1]; i++) {
    sum += n->at[WISP_VECTOR_Y][c->copy[i]];
    *size += fabs(n->at[WISP_VECTOR_Y][c->copy[i]]);
  }
  return sum;
}

static void update(numbers *n)
{
  const double *state = n->at[WISP_VECTOR_STATE], *r = n->at[WISP_VECTOR_R], *z = n->at[WISP_VECTOR_Z];
  const double *x = n->at[WISP_VECTOR_SOLUTION], *p = n->at[WISP_VECTOR_P], alpha = state[WISP_CG_AT_ALPHA];
  const double rz = sum_parts(n->at[WISP_VECTOR_RZ_SUMS], (size_t)n->scalars.rz_parts);
  const double rr = sum_parts(n->at[WISP_VECTOR_RR_SUMS], (size_t)n->scalars.rr_parts);
  const double before = state[WISP_CG_AT_RZ_BEFORE];
  const bool running = rr > state[WISP_CG_AT_LIMIT];
  const double beta = running && before > 0 ? rz / before : 0;
  for (size_t g = 0; g < n->vectors->copies->unknowns; g++) {
    const double made = n->scalars.polynomial ? z[g] : n->scalars.scale * n->at[WISP_VECTOR_INVERSE][g] * r[g];
    const double old = p[g];
    set(n, WISP_VECTOR_SOLUTION, g, x[g] + alpha * old, fabs(x[g]) + fabs(alpha * old));
    set(n, WISP_VECTOR_P, g, made + beta * old, fabs(made) + fabs(beta * old));
  }
  note(n, 0, rr);
  note(n, 1, beta);
  set_state(n, WISP_CG_AT_RZ, rz);
  set_state(n, WISP_CG_AT_RR, rr);
  set_state(n, WISP_CG_AT_RUNNING, running);
  if (!running) n->left = 0;
}

static void gather(numbers *n)
{
  n->at[WISP_VECTOR_PAP_SUMS][0] = 0;
  for (size_t g = 0; g < n->vectors->copies->unknowns; g++) {
    double size;
    const double sum = gather_one(n, g, &size), p = n->at[WISP_VECTOR_P][g];
    set(n, WISP_VECTOR_AP, g, sum, size);
    add_to_sum(n, WISP_VECTOR_PAP_SUMS, p * sum, p * size);
  }
}

static void advance(numbers *n)
{
  const double *state = n->at[WISP_VECTOR_STATE], *r = n->at[WISP_VECTOR_R], *Ap = n->at[WISP_VECTOR_AP];
  const double pAp = sum_parts(n->at[WISP_VECTOR_PAP_SUMS], (size_t)n->scalars.pAp_parts);
  const double rz_now = state[WISP_CG_AT_RZ];
  const bool running = state[WISP_CG_AT_RUNNING] > 0;
  const double alpha = running && pAp > 0 ? rz_now / pAp : 0;
  n->at[WISP_VECTOR_RZ_SUMS][0] = n->at[WISP_VECTOR_RR_SUMS][0] = 0;
  for (size_t g = 0; g < n->vectors->copies->unknowns; g++) {
    const double weight = n->scalars.scale * n->at[WISP_VECTOR_INVERSE][g];
    const double value = r[g] - alpha * Ap[g], size = fabs(r[g]) + fabs(alpha * Ap[g]);
    set(n, WISP_VECTOR_R, g, value, size);
    if (n->scalars.polynomial) set(n, WISP_VECTOR_Z, g, weight * value, weight * size);
    add_to_sum(n, WISP_VECTOR_RZ_SUMS, value * weight * value, size * weight * size);
    add_to_sum(n, WISP_VECTOR_RR_SUMS, value * value, size * size);
  }
  note(n, 2, alpha);
  set_state(n, WISP_CG_AT_RZ_BEFORE, rz_now);
  set_state(n, WISP_CG_AT_ALPHA, alpha);
  if (!running) return;
  set_state(n, WISP_CG_AT_ITERATION, state[WISP_CG_AT_ITERATION] + 1);
  n->left--;
}

static void spread(numbers *n)
{
  const wisp_hexcopies *c = n->vectors->copies;
  const double *vector = n->at[n->scalars.polynomial ? WISP_VECTOR_Z : WISP_VECTOR_P];
  for (size_t l = 0; l < n->vectors->size[WISP_VECTOR_U]; l++) set(n, WISP_VECTOR_U, l, 0, 0);
  for (size_t g = 0; g < c->unknowns; g++)
    for (int32_t i = c->start[g]; i < c->start[g + 1]; i++)
      set(n, WISP_VECTOR_U, (size_t)c->copy[i], vector[g], fabs(vector[g]));
}

static void smooth(numbers *n)
{
  const wisp_vector_scalars *s = &n->scalars;
  const double *r = n->at[WISP_VECTOR_R], *z = n->at[WISP_VECTOR_Z];
  n->at[WISP_VECTOR_RZ_SUMS][0] = 0;
  for (size_t g = 0; g < n->vectors->copies->unknowns; g++) {
    double size;
    const double Az = gather_one(n, g, &size), before = s->first_step ? z[g] : n->at[WISP_VECTOR_D][g];
    const double weight = s->gain * n->at[WISP_VECTOR_INVERSE][g];
    const double d = s->keep * before + weight * (r[g] - Az);
    const double d_size = s->keep * fabs(before) + weight * (fabs(r[g]) + size);
    const double next = z[g] + d, next_size = fabs(z[g]) + d_size;
    set(n, WISP_VECTOR_D, g, d, d_size);
    set(n, WISP_VECTOR_Z, g, next, next_size);
    add_to_sum(n, WISP_VECTOR_RZ_SUMS, r[g] * next, r[g] * next_size);
  }
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
  wisp_status status = WISP_OK;
  const wisp_spec *spec = wisp_plan_spec(plan);
  const int Nq = spec->order + 1, Np = Nq * Nq * Nq;
  uint64_t random = wisp_random_from(seed);
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

/* A scene's own: zeros, and powers of two; never in what divides or must be positive. */
static void shape(const numbers *n, int array, uint64_t *random)
{
  const bool positive = array == WISP_VECTOR_INVERSE || array >= WISP_VECTOR_RZ_SUMS;
  for (size_t i = 0; n->scene->shapes && !positive && i < n->vectors->size[array]; i++) {
    const uint64_t draw = wisp_random_next(random) >> 32;
    n->at[array][i] *= draw % 4 == 0 ? 0 : ldexp(1, (int)(draw / 4 % 3) * 10 - 10);
  }
}

static void set_scene(numbers *n, int array)
{
  const wisp_scene *scene = n->scene;
  const double state[WISP_CG_STATE] = {[WISP_CG_AT_RZ] = 96.5,
                                       [WISP_CG_AT_RZ_BEFORE] = 64 * scene->rz_before,
                                       [WISP_CG_AT_ALPHA] = scene->running ? 0.375 : 0,
                                       [WISP_CG_AT_RUNNING] = scene->running,
                                       [WISP_CG_AT_RR] = 0.5,
                                       [WISP_CG_AT_LIMIT] = scene->limit,
                                       [WISP_CG_AT_ITERATION] = scene->iteration};
  if (array == WISP_VECTOR_STATE) memcpy(n->at[array], state, sizeof state);
  for (size_t i = 0; array == WISP_VECTOR_PAP_SUMS && scene->no_pAp && i < n->vectors->size[array]; i++)
    n->at[array][i] = 0;
}

/* On the device and for the reference: outputs begin as NaN, but for numbers behind the last unknown. */
static wisp_status begin(wisp_error *err, wisp_vectors_verifier *v, const wisp_plan *plan, uint64_t *random, numbers *n,
                         wisp_kept **kept)
{
  wisp_status status = WISP_OK;
  const size_t unknowns = v->vectors->copies->unknowns;
  for (int a = 0; a < WISP_VECTORS; a++) {
    const size_t size = v->vectors->size[a], end = a < WISP_VECTOR_U ? unknowns : size;
    TRY(wisp_new(err, size, sizeof *n->at[a], &n->at[a]));
    TRY(wisp_new(err, size, sizeof *n->size[a], &n->size[a]));
    memcpy(n->at[a], v->before[a], size * sizeof *n->at[a]);
    shape(n, a, random);
    set_scene(n, a);
    for (size_t i = 0; is_output(plan, wisp_vector_names[a]) && i < end; i++) n->at[a][i] = NAN;
    TRY(wisp_arrays_upload(err, v->arrays, wisp_vector_names[a], n->at[a]));
  }
  TRY(wisp_arrays_upload_ints(err, v->arrays, "left", &n->left));
  TRY(wisp_arrays_keep(err, v->arrays, NULL, kept));
done:
  return status;
}

/* One array's numbers, NaN where NaN must be. sum: it is one, compared by what the family promises, relative to the
 * root of the sum of squares, since a sum of numbers of random sign is far smaller than what was added. */
static wisp_status compare(wisp_error *err, const wisp_spec *spec, double tolerance, const numbers *n, int a, bool sum,
                           const double *got, double *error)
{
  const char *name = wisp_vector_names[a];
  const double *sizes = n->size[a];
  double *expected = n->at[a];
  double worst = 0;
  size_t bad = 0;
  if (sum) tolerance = wisp_promise(spec), expected[0] += n->lost[a];
  const double root = fmax(sqrt(n->squares[a]), fabs(expected[0]));
  for (size_t i = 0; i < (sum ? 1 : n->vectors->size[a]); i++) {
    if (!isfinite(got[i]) != !isfinite(expected[i]))
      return wisp_fail(err, WISP_EWRONG, "%s is %g, not %g, at number %zu", name, got[i], expected[i], i);
    if (isfinite(expected[i]) && wisp_is_worse(fabs(got[i] - expected[i]), sum ? root : sizes[i], &worst)) bad = i;
  }
  *error = fmax(*error, worst);
  if (worst <= tolerance) return WISP_OK;
  return wisp_fail(err, WISP_EWRONG, "%s is %.9g, not %.9g, at number %zu: error %.2e over %.2e", name, got[bad],
                   expected[bad], bad, worst, tolerance);
}

static wisp_status compare_all(wisp_error *err, wisp_vectors_verifier *v, const wisp_plan *plan, const numbers *n,
                               double *error)
{
  wisp_status status = WISP_OK;
  const wisp_spec *spec = wisp_plan_spec(plan);
  const size_t k = find(spec->kernel);
  double *got = NULL;
  unsigned grid[2];
  int left = 0;
  TRY(wisp_plan_grid(err, plan, v->vectors->elements, 0, grid));
  for (int a = 0; a < WISP_VECTORS; a++) {
    const bool sum = a == kernels[k].sums[0] || a == kernels[k].sums[1];
    TRY(wisp_new(err, v->vectors->size[a], sizeof *got, &got));
    TRY(wisp_arrays_download(err, v->arrays, wisp_vector_names[a], got));
    if (sum) got[0] = sum_parts(got, grid[0]);
    TRY(compare(err, spec, wisp_tolerance(spec, wisp_plan_layout(plan)), n, a, sum, got, error));
    free(got);
    got = NULL;
  }
  TRY(wisp_device_download(err, v->device, &left, wisp_arrays_at(v->arrays, "left"), sizeof left));
  TRY(wisp_require(err, left == n->left, WISP_EWRONG, "left is %d, not %d", left, n->left));
done:
  free(got);
  return status;
}

/* Twice from the same numbers: what the second leaves is bit for bit what the first left. */
static wisp_status check_scene(wisp_error *err, wisp_vectors_verifier *v, const wisp_kernel *kernel,
                               const wisp_scene *scene, uint64_t seed, double *error)
{
  static const char *const none[] = {NULL}, *const lists[] = {"copy_one", "copy_two", "copy_more", "surface", NULL};
  wisp_status status = WISP_OK;
  const wisp_plan *plan = wisp_kernel_plan(kernel);
  uint64_t random = wisp_random_from(seed + (uint64_t)(scene - scenes));
  numbers n = {.vectors = v->vectors, .scene = scene, .scalars = make_scalars(scene, &random), .left = LEFT};
  wisp_kept *before = NULL, *after = NULL;
  char array[32] = "";
  size_t number = 0;
  TRY(begin(err, v, plan, &random, &n, &before));
  TRY(wisp_arrays_keep(err, v->arrays, lists, &after)); /* what no kernel writes */
  kernels[find(wisp_plan_spec(plan)->kernel)].reference(&n);
  for (int i = 0; i < LAUNCHES; i++) {
    if (i > 0) TRY(wisp_arrays_restore(err, v->arrays, before, NULL));
    TRY(wisp_vectors_launch(err, v->arrays, v->vectors, kernel, &n.scalars));
    if (i == 0) TRY(compare_all(err, v, plan, &n, error));
    if (i == 0 || !wisp_strategy_varies(wisp_plan_strategy(plan)))
      TRY(wisp_arrays_changed(err, v->arrays, after, none, array, &number));
    TRY(wisp_require(err, !*array, WISP_EWRONG,
                     i ? "number %zu of %s is not the same at every launch: it does not repeat"
                       : "changes number %zu of array %s, which is no output",
                     number, array));
    if (i == 0) TRY(wisp_arrays_keep(err, v->arrays, NULL, &after));
  }
  if (scene == &scenes[SCENES - 1]) TRY(wisp_verify_guards(err, v->arrays));
done:
  wisp_kept_free(before);
  wisp_kept_free(after);
  for (int a = 0; a < WISP_VECTORS; a++) free(n.at[a]), free(n.size[a]);
  return status;
}

wisp_status wisp_vectors_verifier_check(wisp_error *err, wisp_vectors_verifier *v, const wisp_kernel *kernel,
                                        uint64_t seed, double *error)
{
  wisp_status status = WISP_OK;
  *error = 0;
  TRY(wisp_vectors_verifier_prepare(err, v, wisp_kernel_plan(kernel), seed));
  for (int i = 0; i < SCENES; i++) TRY(check_scene(err, v, kernel, &scenes[i], seed, error));
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
