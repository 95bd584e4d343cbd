/* Candidates against the double references of runtime/solve/dg.h. */
#include "nodal_verify.h"
#include "random.h"
#include "tolerance.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOX = 3, LEFT_OUT = 5, MAX_CASES = 24 };

/* Arrays that kernels compute with; indices into a case's data. */
enum { U, U_NEXT, RHS, LIFTED, RES, FLUX, DUX, DUY, DUZ, ARRAYS };
static const char *const array_names[ARRAYS] = {"u", "u_next", "rhs", "lifted", "res", "flux", "dux", "duy", "duz"};

/* What one variant of a kernel's check starts from and must end with. */
typedef struct example {
  wisp_spec spec;
  wisp_layout layout;
  int MB, variant;
  wisp_grouping grouping;
  uint64_t seed;
  unsigned long long used;
  wisp_scalars scalars;
  double *before[ARRAYS]; /* NaN but where the kernel may read */
  double *after[ARRAYS];  /* the reference; NULL where the kernel writes nothing */
} example;

struct wisp_nodal_verifier {
  wisp_device *device;
  wisp_nodal_problems *problems;
  unsigned long long clock;
  int count;
  example examples[MAX_CASES];
};

/* --- references, on the example's `after` arrays, which start as copies of `before` --- */

typedef wisp_status reference(wisp_error *err, const wisp_dg *dg, const example *e);

static wisp_status volume(wisp_error *err, const wisp_dg *dg, const example *e)
{
  (void)err;
  wisp_reference_volume(dg, e->before[U], e->after[RHS]);
  return WISP_OK;
}

static wisp_status derivative(wisp_error *err, const wisp_dg *dg, const example *e)
{
  (void)err;
  double *const du[3] = {e->after[DUX], e->after[DUY], e->after[DUZ]};
  wisp_reference_derivative(dg, e->before[U], du);
  return WISP_OK;
}

/* rhs = sum of coefficient * d u_in / d axis, at every DOF of an element. */
static wisp_status assemble(wisp_error *err, const wisp_dg *dg, const example *e)
{
  (void)err;
  const wisp_layout *l = &dg->layout;
  const wisp_system *system = dg->system;
  for (size_t k = 0; k < dg->slots; k++)
    for (size_t i = 0; dg->slot[k] != WISP_EMPTY && i < (size_t)l->Np; i++) {
      double sum[WISP_MAX_FIELDS] = {0};
      for (size_t t = 0; t < system->terms; t++) {
        const wisp_term *term = &system->term[t];
        sum[term->out] +=
            term->coefficient * e->before[DUX + term->axis][wisp_layout_volume(l, system->fields, term->in, k, i)];
      }
      for (int f = 0; f < system->fields; f++) e->after[RHS][wisp_layout_volume(l, system->fields, f, k, i)] = sum[f];
    }
  return WISP_OK;
}

static wisp_status gather(wisp_error *err, const wisp_dg *dg, const example *e)
{
  return wisp_reference_gather(err, dg, e->scalars.alpha, e->before[U], e->after[FLUX]);
}

static wisp_status lift(wisp_error *err, const wisp_dg *dg, const example *e)
{
  (void)err;
  memset(e->after[LIFTED], 0, wisp_dg_volume_size(dg) * sizeof *e->after[LIFTED]); /* the reference adds */
  wisp_reference_lift(dg, e->before[FLUX], e->after[LIFTED]);
  return WISP_OK;
}

/* res = a res + dt (rhs + lifted); u += b res, to array `to`; lifted may be NULL. NaN stays NaN in padding. */
static void advance(const wisp_dg *dg, const example *e, const double *rhs, const double *lifted, int to)
{
  size_t size = wisp_dg_volume_size(dg);
  for (size_t q = 0; q < size; q++) {
    e->after[RES][q] = e->scalars.a * e->before[RES][q] + e->scalars.dt * (rhs[q] + (lifted ? lifted[q] : 0));
    e->after[to][q] = e->before[U][q] + e->scalars.b * e->after[RES][q];
  }
}

static wisp_status update(wisp_error *err, const wisp_dg *dg, const example *e)
{
  (void)err;
  advance(dg, e, e->before[RHS], e->before[LIFTED], U);
  return WISP_OK;
}

static wisp_status fused(wisp_error *err, const wisp_dg *dg, const example *e)
{
  wisp_status status = WISP_OK;
  double *rhs = NULL;
  TRY(wisp_new(err, wisp_dg_volume_size(dg), sizeof *rhs, &rhs));
  wisp_reference_volume(dg, e->before[U], rhs);
  wisp_reference_lift(dg, e->before[FLUX], rhs);
  advance(dg, e, rhs, NULL, U_NEXT);
done:
  free(rhs);
  return status;
}

static wisp_status stage(wisp_error *err, const wisp_dg *dg, const example *e)
{
  wisp_status status = WISP_OK;
  double *rhs = NULL, *flux = NULL;
  TRY(wisp_new(err, wisp_dg_volume_size(dg), sizeof *rhs, &rhs));
  TRY(wisp_new(err, wisp_dg_face_size(dg), sizeof *flux, &flux));
  wisp_reference_volume(dg, e->before[U], rhs);
  TRY(wisp_reference_gather(err, dg, e->scalars.alpha, e->before[U], flux));
  wisp_reference_lift(dg, flux, rhs);
  advance(dg, e, rhs, NULL, U_NEXT);
done:
  free(rhs), free(flux);
  return status;
}

#define BIT(array) (1u << (array))

/* Every kernel: which arrays it may read (random), which it must leave right, by which reference, and how many
 * variants. */
static const struct role {
  const char *kernel;
  unsigned reads, writes;
  reference *compute;
  int variants; /* variant 0: alpha = 1 (upwind); 1: alpha = 0 (central) */
} roles[] = {
    {"volume", BIT(U), BIT(RHS), volume, 1},
    {"derivative", BIT(U), BIT(DUX) | BIT(DUY) | BIT(DUZ), derivative, 1},
    {"assemble", BIT(DUX) | BIT(DUY) | BIT(DUZ), BIT(RHS), assemble, 1},
    {"gather", BIT(U), BIT(FLUX), gather, 2},
    {"lift", BIT(FLUX), BIT(LIFTED), lift, 1},
    {"update", BIT(U) | BIT(RES) | BIT(RHS) | BIT(LIFTED), BIT(U) | BIT(RES), update, 1},
    {"fused", BIT(U) | BIT(RES) | BIT(FLUX), BIT(U_NEXT) | BIT(RES), fused, 1},
    {"stage", BIT(U) | BIT(RES), BIT(U_NEXT) | BIT(RES), stage, 2},
};

static const struct role *find_role(const char *kernel)
{
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
    if (strcmp(roles[i].kernel, kernel) == 0) return &roles[i];
  return NULL;
}

/* --- examples --- */

static size_t array_size(const wisp_dg *dg, int array)
{
  return array == FLUX ? wisp_dg_face_size(dg) : wisp_dg_volume_size(dg);
}

static size_t address(const wisp_dg *dg, int array, int f, size_t k, size_t i)
{
  int n = dg->system->fields;
  return array == FLUX ? wisp_layout_face(&dg->layout, n, f, k, i) : wisp_layout_volume(&dg->layout, n, f, k, i);
}

/* NaN everywhere; random numbers at the DOFs of elements where `random`. */
static wisp_status make_array(wisp_error *err, const wisp_dg *dg, int array, bool random, uint64_t *state, double **out)
{
  size_t size = array_size(dg, array), dofs = (size_t)(array == FLUX ? dg->layout.Nf : dg->layout.Np);
  wisp_status status = wisp_new(err, size, sizeof **out, out);
  if (status != WISP_OK) return status;
  for (size_t q = 0; q < size; q++) (*out)[q] = NAN;
  for (size_t k = 0; random && k < dg->slots; k++)
    for (int f = 0; dg->slot[k] != WISP_EMPTY && f < dg->system->fields; f++)
      for (size_t i = 0; i < dofs; i++) (*out)[address(dg, array, f, k, i)] = wisp_random_real(state);
  return WISP_OK;
}

static void release(example *e)
{
  for (int a = 0; a < ARRAYS; a++) free(e->before[a]), free(e->after[a]);
}

static wisp_status make_example(wisp_error *err, const wisp_dg *dg, const struct role *role, example *e)
{
  wisp_status status = WISP_OK;
  uint64_t state = e->seed;
  e->scalars = (wisp_scalars){.alpha = e->variant ? 0.0 : 1.0, .a = -0.6875, .b = 0.40625, .dt = 0.015625};
  for (int a = 0; a < ARRAYS; a++) {
    TRY(make_array(err, dg, a, role->reads & BIT(a), &state, &e->before[a]));
    if (!(role->writes & BIT(a))) continue;
    TRY(wisp_new(err, array_size(dg, a), sizeof *e->after[a], &e->after[a]));
    memcpy(e->after[a], e->before[a], array_size(dg, a) * sizeof *e->after[a]);
  }
  TRY(role->compute(err, dg, e));
done:
  return status;
}

static bool same(const example *a, const example *b)
{
  char x[WISP_SPEC_TEXT], y[WISP_SPEC_TEXT];
  wisp_spec_print(&a->spec, x);
  wisp_spec_print(&b->spec, y);
  return strcmp(x, y) == 0 && a->layout.order == b->layout.order && a->layout.KM == b->layout.KM &&
         a->layout.NpM == b->layout.NpM && a->MB == b->MB && a->grouping == b->grouping && a->variant == b->variant &&
         a->seed == b->seed;
}

static wisp_status find_example(wisp_error *err, wisp_nodal_verifier *v, const wisp_dg *dg, const struct role *role,
                                example *key, const example **out)
{
  int oldest = 0;
  key->used = ++v->clock;
  for (int i = 0; i < v->count; i++) {
    if (same(&v->examples[i], key)) {
      v->examples[i].used = key->used;
      *out = &v->examples[i];
      return WISP_OK;
    }
    if (v->examples[i].used < v->examples[oldest].used) oldest = i;
  }
  wisp_status status = make_example(err, dg, role, key);
  if (status != WISP_OK) {
    release(key);
    return status;
  }
  int at = v->count < MAX_CASES ? v->count++ : oldest;
  release(&v->examples[at]);
  v->examples[at] = *key;
  *out = &v->examples[at];
  return WISP_OK;
}

/* --- the check --- */

/* Compares one array at every DOF of every element. */
static wisp_status compare(wisp_error *err, const wisp_dg *dg, const example *e, int array, const double *got,
                           double *error)
{
  double most = 0, worst = 0, tolerance = wisp_tolerance(&e->spec, &dg->layout);
  size_t dofs = (size_t)(array == FLUX ? dg->layout.Nf : dg->layout.Np), bad_k = 0, bad_i = 0;
  int bad_f = 0;
  const double *expected = e->after[array];
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; dg->slot[k] != WISP_EMPTY && f < dg->system->fields; f++)
      for (size_t i = 0; i < dofs; i++) {
        size_t q = address(dg, array, f, k, i);
        double difference = fabs(got[q] - expected[q]);
        if (!isfinite(got[q]))
          return wisp_fail(err, WISP_EWRONG, "%s is %g at slot %zu, field %s, node %zu: not finite", array_names[array],
                           got[q], k, dg->system->field[f], i);
        most = fmax(most, fabs(expected[q]));
        if (difference > worst) worst = difference, bad_k = k, bad_f = f, bad_i = i;
      }
  *error = fmax(*error, most > 0 ? worst / most : worst);
  if (worst <= tolerance * most) return WISP_OK;
  size_t q = address(dg, array, bad_f, bad_k, bad_i);
  return wisp_fail(err, WISP_EWRONG, "%s is %.9g, not %.9g, at slot %zu, field %s, node %zu: error %.2e over %.2e",
                   array_names[array], got[q], expected[q], bad_k, dg->system->field[bad_f], bad_i,
                   worst / fmax(most, 1e-300), tolerance);
}

static wisp_status run_example(wisp_error *err, wisp_device *device, wisp_problem *problem, const wisp_kernel *kernel,
                               const example *e, double *error)
{
  wisp_status status = WISP_OK;
  const wisp_dg *dg = wisp_problem_dg(problem);
  double *got = NULL;
  size_t volume_size = wisp_dg_volume_size(dg), face_size = wisp_dg_face_size(dg);
  TRY(wisp_new(err, volume_size > face_size ? volume_size : face_size, sizeof *got, &got));
  for (int a = 0; a < ARRAYS; a++) TRY(wisp_problem_upload(err, problem, array_names[a], e->before[a]));
  TRY(wisp_problem_launch(err, problem, kernel, &e->scalars));
  TRY(wisp_verify_guards(err, device, wisp_problem_arrays(problem)));
  for (int a = 0; a < ARRAYS; a++) {
    if (!e->after[a]) continue;
    TRY(wisp_problem_download(err, problem, array_names[a], got));
    TRY(compare(err, dg, e, a, got, error));
  }
done:
  free(got);
  return status;
}

static wisp_status find_variant(wisp_error *err, wisp_nodal_verifier *v, const wisp_plan *plan, const struct role *role,
                                int variant, uint64_t seed, wisp_problem **problem, const example **out)
{
  wisp_status status = wisp_nodal_problems_get(err, v->problems, &plan, 1, problem);
  example key = {.spec = *wisp_plan_spec(plan),
                 .layout = *wisp_plan_layout(plan),
                 .MB = wisp_plan_value(plan, "MB", 1),
                 .grouping = (wisp_grouping)wisp_plan_value(plan, "grouping", WISP_GROUP_NATURAL),
                 .variant = variant,
                 .seed = seed};
  return status == WISP_OK ? find_example(err, v, wisp_problem_dg(*problem), role, &key, out) : status;
}

wisp_status wisp_nodal_verifier_prepare(wisp_error *err, wisp_nodal_verifier *v, const wisp_plan *plan, uint64_t seed)
{
  wisp_status status = WISP_OK;
  const struct role *role = find_role(wisp_plan_spec(plan)->kernel);
  wisp_problem *problem = NULL;
  const example *e = NULL;
  for (int variant = 0; role && variant < role->variants; variant++)
    TRY(find_variant(err, v, plan, role, variant, seed, &problem, &e));
done:
  return status;
}

wisp_status wisp_nodal_verifier_check(wisp_error *err, wisp_nodal_verifier *v, const wisp_kernel *kernel, uint64_t seed,
                                      double *error)
{
  wisp_status status = WISP_OK;
  const wisp_plan *plan = wisp_kernel_plan(kernel);
  const struct role *role = find_role(wisp_plan_spec(plan)->kernel);
  wisp_problem *problem = NULL;
  const example *e = NULL;
  *error = 0;
  TRY(wisp_require(err, role, WISP_EUSAGE, "no reference for kernel '%s'", wisp_plan_spec(plan)->kernel));
  for (int variant = 0; variant < role->variants; variant++) {
    TRY(find_variant(err, v, plan, role, variant, seed, &problem, &e));
    TRY(run_example(err, v->device, problem, kernel, e, error));
  }
done:
  return status;
}

/* The unit box of 162 tets without its last five. */
static wisp_status ragged_mesh(wisp_error *err, wisp_mesh **out)
{
  wisp_status status = WISP_OK;
  wisp_mesh *box = NULL, *mesh = NULL;
  TRY(wisp_mesh_box(err, BOX, &box));
  TRY(wisp_mesh_create(err, box->vertices, box->elements - LEFT_OUT, &mesh));
  memcpy(mesh->xyz, box->xyz, 3 * box->vertices * sizeof *mesh->xyz);
  memcpy(mesh->tet, box->tet, 4 * mesh->elements * sizeof *mesh->tet);
  TRY(wisp_mesh_connect(err, "ragged box", mesh));
  *out = mesh;
  mesh = NULL;
done:
  wisp_mesh_destroy(mesh);
  wisp_mesh_destroy(box);
  return status;
}

wisp_status wisp_nodal_verifier_create(wisp_error *err, wisp_device *device, wisp_nodal_verifier **out)
{
  wisp_status status = WISP_OK;
  wisp_nodal_verifier *v = NULL;
  wisp_mesh *mesh = NULL;
  TRY(wisp_new(err, 1, sizeof *v, &v));
  v->device = device;
  TRY(ragged_mesh(err, &mesh));
  TRY(wisp_nodal_problems_create(err, device, mesh, (size_t)256 << 20, &v->problems));
  *out = v;
  v = NULL;
done:
  wisp_nodal_verifier_destroy(v);
  return status;
}

void wisp_nodal_verifier_destroy(wisp_nodal_verifier *v)
{
  if (!v) return;
  for (int i = 0; i < v->count; i++) release(&v->examples[i]);
  wisp_nodal_problems_destroy(v->problems);
  free(v);
}
