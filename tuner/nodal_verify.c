/* Candidates against the double references of runtime/solve/dg.h. */
#include "nodal_verify.h"
#include "nodal_example.h"
#include "tolerance.h"
#include "verify.h"
#include "../gen/random.h"
#include "../runtime/mesh/irregular.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOX = 3, LEFT_OUT = 5, MAX_CASES = 48, MAX_REFERENCES = 12, LAUNCHES = 3 };
static const double JITTER = 0.3;

/* Data and results of one round of a kernel: they depend on no layout, order of elements or precision. The mesh has
 * no order of its own: element k is in slot k, node after node. */
typedef struct reference {
  wisp_spec spec;
  int round;
  uint64_t seed;
  unsigned long long used;
  wisp_nodal_example data;
} reference;

/* The same data on a device, in one layout. */
typedef struct example {
  wisp_spec spec;
  wisp_layout layout;
  int MB, round;
  wisp_grouping grouping;
  uint64_t seed;
  unsigned long long used;
  wisp_kept *before; /* all arrays */
} example;

struct wisp_nodal_verifier {
  wisp_device *device;
  wisp_nodal_problems *problems;
  unsigned long long clock;
  int count, references;
  example examples[MAX_CASES];
  reference reference[MAX_REFERENCES];
  /* What references are computed on: of the order and system asked for last. */
  wisp_spec plain_spec;
  wisp_tet *tet;
  wisp_system *system;
  wisp_dg *plain;
};

/* --- references --- */

static void release_plain(wisp_nodal_verifier *v)
{
  for (int i = 0; i < v->references; i++) wisp_nodal_example_free(&v->reference[i].data);
  v->references = 0;
  wisp_dg_destroy(v->plain);
  wisp_system_destroy(v->system);
  wisp_tet_destroy(v->tet);
  v->plain = NULL, v->system = NULL, v->tet = NULL;
}

static wisp_status find_plain(wisp_error *err, wisp_nodal_verifier *v, const wisp_spec *spec)
{
  wisp_status status = WISP_OK;
  if (v->plain && v->plain_spec.order == spec->order && strcmp(v->plain_spec.system, spec->system) == 0) return WISP_OK;
  release_plain(v);
  v->plain_spec = *spec;
  TRY(wisp_tet_create(err, spec->order, &v->tet));
  TRY(wisp_system_load(err, spec->system, &v->system));
  const wisp_layout layout = wisp_layout_padded(v->tet->Np, WISP_TET_FACES * v->tet->Nfp, 1);
  TRY(wisp_dg_create(err, wisp_nodal_problems_mesh(v->problems), v->tet, v->system, &layout, WISP_GROUP_NATURAL, 1,
                     WISP_BY_TAG, &v->plain));
done:
  if (status != WISP_OK) release_plain(v);
  return status;
}

static wisp_status find_reference(wisp_error *err, wisp_nodal_verifier *v, const wisp_spec *spec, int round,
                                  uint64_t seed, const wisp_nodal_example **out)
{
  wisp_status status = WISP_OK;
  reference made = {.spec = *spec, .round = round, .seed = seed, .used = ++v->clock};
  int at = 0;
  TRY(find_plain(err, v, spec));
  for (int i = 0; i < v->references; i++) {
    reference *r = &v->reference[i];
    if (strcmp(r->spec.kernel, spec->kernel) == 0 && r->round == round && r->seed == seed) {
      r->used = made.used;
      *out = &r->data;
      return WISP_OK;
    }
    if (r->used < v->reference[at].used) at = i;
  }
  TRY(wisp_nodal_example_make(err, v->plain, spec->kernel, round, seed, &made.data));
  if (v->references < MAX_REFERENCES)
    at = v->references++;
  else
    wisp_nodal_example_free(&v->reference[at].data);
  v->reference[at] = made;
  *out = &v->reference[at].data;
  return WISP_OK;
done:
  wisp_nodal_example_free(&made.data);
  return status;
}

/* Where the reference has what is at (field f, slot k, DOF i) of a problem. */
static size_t plain_address(const wisp_dg *plain, const wisp_dg *dg, int array, int f, size_t k, size_t i)
{
  return wisp_nodal_address(plain, array, f, (size_t)dg->slot[k], i);
}

/* --- examples --- */

static void release(example *e)
{
  wisp_kept_free(e->before);
  e->before = NULL;
}

/* An array as a problem has it; NaN in padding and empty slots. */
static void lay_out(const wisp_dg *plain, const wisp_dg *dg, int array, const double *from, double *to)
{
  const size_t dofs = wisp_nodal_dofs(dg, array), size = wisp_nodal_size(dg, array);
  for (size_t q = 0; q < size; q++) to[q] = NAN;
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; dg->slot[k] != WISP_EMPTY && f < dg->system->fields; f++)
      for (size_t i = 0; i < dofs; i++)
        to[wisp_nodal_address(dg, array, f, k, i)] = from[plain_address(plain, dg, array, f, k, i)];
}

static wisp_status make_example(wisp_error *err, wisp_nodal_verifier *v, wisp_problem *problem, example *e)
{
  wisp_status status = WISP_OK;
  const wisp_dg *dg = wisp_problem_dg(problem);
  const wisp_nodal_example *data = NULL;
  double *values = NULL;
  TRY(find_reference(err, v, &e->spec, e->round, e->seed, &data));
  for (int a = 0; a < WISP_NODAL_ARRAYS; a++) {
    TRY(wisp_new(err, wisp_nodal_size(dg, a), sizeof *values, &values));
    lay_out(v->plain, dg, a, data->before[a], values);
    TRY(wisp_problem_upload(err, problem, wisp_nodal_names[a], values));
    free(values);
    values = NULL;
  }
  TRY(wisp_arrays_keep(err, wisp_problem_arrays(problem), NULL, &e->before));
done:
  free(values);
  return status;
}

static bool same(const example *a, const example *b)
{
  char x[WISP_SPEC_TEXT], y[WISP_SPEC_TEXT];
  wisp_spec_print(&a->spec, x);
  wisp_spec_print(&b->spec, y);
  return strcmp(x, y) == 0 && a->layout.order == b->layout.order && a->layout.KM == b->layout.KM &&
         a->layout.NpM == b->layout.NpM && a->MB == b->MB && a->grouping == b->grouping && a->round == b->round &&
         a->seed == b->seed;
}

static wisp_status find_example(wisp_error *err, wisp_nodal_verifier *v, wisp_problem *problem, example *key,
                                const example **out)
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
  wisp_status status = make_example(err, v, problem, key);
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

static wisp_status find_round(wisp_error *err, wisp_nodal_verifier *v, const wisp_plan *plan, int round, uint64_t seed,
                              wisp_problem **problem, const example **out)
{
  wisp_status status = wisp_nodal_problems_get(err, v->problems, &plan, 1, problem);
  example key = {.spec = *wisp_plan_spec(plan),
                 .layout = *wisp_plan_layout(plan),
                 .MB = wisp_plan_value(plan, "MB", 1),
                 .grouping = (wisp_grouping)wisp_plan_value(plan, "grouping", WISP_GROUP_NATURAL),
                 .round = round,
                 .seed = seed};
  return status == WISP_OK ? find_example(err, v, *problem, &key, out) : status;
}

/* --- the check --- */

/* One round at hand. */
typedef struct trial_round {
  wisp_problem *problem;
  const wisp_dg *dg, *plain;
  const example *example;
  const wisp_nodal_example *data;
  bool last;
  double *first[WISP_NODAL_ARRAYS]; /* what the launch before left */
} trial_round;

/* One array at every DOF of every element. error: the largest difference over the sum of magnitudes. */
static wisp_status compare(wisp_error *err, const trial_round *r, int array, const double *got, double *error)
{
  const wisp_dg *dg = r->dg;
  const double tolerance = wisp_tolerance(&r->example->spec, &dg->layout);
  const double *expected = r->data->after[array], *sizes = r->data->size[array];
  const size_t dofs = wisp_nodal_dofs(dg, array);
  double worst = 0;
  size_t bad_k = 0, bad_i = 0;
  int bad_f = 0;
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; dg->slot[k] != WISP_EMPTY && f < dg->system->fields; f++)
      for (size_t i = 0; i < dofs; i++) {
        const double value = got[wisp_nodal_address(dg, array, f, k, i)];
        const size_t p = plain_address(r->plain, dg, array, f, k, i);
        if (!isfinite(value))
          return wisp_fail(err, WISP_EWRONG, "%s is %g at slot %zu, field %s, node %zu: not finite",
                           wisp_nodal_names[array], value, k, dg->system->field[f], i);
        if (wisp_is_worse(fabs(value - expected[p]), sizes[p], &worst)) bad_k = k, bad_f = f, bad_i = i;
      }
  *error = fmax(*error, worst);
  if (worst <= tolerance) return WISP_OK;
  return wisp_fail(err, WISP_EWRONG, "%s is %.9g, not %.9g, at slot %zu, field %s, node %zu: error %.2e over %.2e",
                   wisp_nodal_names[array], got[wisp_nodal_address(dg, array, bad_f, bad_k, bad_i)],
                   expected[plain_address(r->plain, dg, array, bad_f, bad_k, bad_i)], bad_k, dg->system->field[bad_f],
                   bad_i, worst, tolerance);
}

/* The same numbers as the launch before, bit for bit. */
static wisp_status repeats(wisp_error *err, const wisp_dg *dg, int array, const double *got, const double *first)
{
  const size_t dofs = wisp_nodal_dofs(dg, array);
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; dg->slot[k] != WISP_EMPTY && f < dg->system->fields; f++)
      for (size_t i = 0; i < dofs; i++) {
        const size_t q = wisp_nodal_address(dg, array, f, k, i);
        if (memcmp(&got[q], &first[q], sizeof *got) == 0) continue;
        return wisp_fail(err, WISP_EWRONG,
                         "%s is %.9g, and %.9g in a launch before, at slot %zu, field %s, node %zu: it does not repeat",
                         wisp_nodal_names[array], got[q], first[q], k, dg->system->field[f], i);
      }
  return WISP_OK;
}

/* What a launch has left in one array; where it is all as before, that was looked at already. */
static wisp_status look_at(wisp_error *err, trial_round *r, int array, bool exact, double *error)
{
  wisp_status status = WISP_OK;
  const size_t size = wisp_nodal_size(r->dg, array);
  double *got = NULL;
  TRY(wisp_new(err, size, sizeof *got, &got));
  TRY(wisp_problem_download(err, r->problem, wisp_nodal_names[array], got));
  if (r->first[array] && memcmp(got, r->first[array], size * sizeof *got) == 0) goto done;
  TRY(compare(err, r, array, got, error));
  if (r->first[array] && exact) TRY(repeats(err, r->dg, array, got, r->first[array]));
  free(r->first[array]);
  r->first[array] = got;
  got = NULL;
done:
  free(got);
  return status;
}

/* From the same data. Zones outside arrays are looked at after the last one of all: nothing gives them back in between.
 */
static wisp_status launch(wisp_error *err, trial_round *r, const wisp_kernel *kernel, int number, double *error)
{
  wisp_status status = WISP_OK;
  const bool exact = !wisp_strategy_varies(wisp_plan_strategy(wisp_kernel_plan(kernel)));
  const bool end = number == LAUNCHES - 1;
  wisp_arrays *arrays = wisp_problem_arrays(r->problem);
  TRY(wisp_arrays_restore(err, arrays, r->example->before, number > 0 ? r->data->writes : NULL));
  TRY(wisp_problem_launch(err, r->problem, kernel, &r->data->scalars));
  if (number == 0 || end) TRY(wisp_verify_untouched(err, arrays, r->example->before, r->data->writes, r->last && end));
  for (int a = 0; a < WISP_NODAL_ARRAYS; a++)
    if (r->data->after[a]) TRY(look_at(err, r, a, exact, error));
done:
  return status;
}

static wisp_status run_round(wisp_error *err, trial_round *r, const wisp_kernel *kernel, double *error)
{
  wisp_status status = WISP_OK;
  for (int i = 0; i < LAUNCHES; i++) TRY(launch(err, r, kernel, i, error));
done:
  for (int a = 0; a < WISP_NODAL_ARRAYS; a++) free(r->first[a]);
  return status;
}

wisp_status wisp_nodal_verifier_prepare(wisp_error *err, wisp_nodal_verifier *v, const wisp_plan *plan, uint64_t seed)
{
  wisp_status status = WISP_OK;
  const int rounds = wisp_nodal_rounds(wisp_plan_spec(plan)->kernel);
  wisp_problem *problem = NULL;
  const example *e = NULL;
  for (int round = 0; round < rounds; round++) TRY(find_round(err, v, plan, round, seed, &problem, &e));
done:
  return status;
}

wisp_status wisp_nodal_verifier_check(wisp_error *err, wisp_nodal_verifier *v, const wisp_kernel *kernel, uint64_t seed,
                                      double *error)
{
  wisp_status status = WISP_OK;
  const wisp_plan *plan = wisp_kernel_plan(kernel);
  const int rounds = wisp_nodal_rounds(wisp_plan_spec(plan)->kernel);
  *error = 0;
  TRY(wisp_require(err, rounds, WISP_EUSAGE, "no reference for kernel '%s'", wisp_plan_spec(plan)->kernel));
  for (int round = 0; round < rounds; round++) {
    trial_round r = {.last = round == rounds - 1};
    TRY(find_round(err, v, plan, round, seed, &r.problem, &r.example));
    TRY(find_reference(err, v, wisp_plan_spec(plan), round, seed, &r.data));
    r.dg = wisp_problem_dg(r.problem);
    r.plain = v->plain;
    TRY(run_round(err, &r, kernel, error));
  }
done:
  return status;
}

/* --- the mesh --- */

/* Ways in which faces meet, of the 4 x 4 x 3 that there are: their numbers, and how one is turned against the other. */
static int ways_to_meet(const wisp_mesh *mesh)
{
  enum { FACES = 4, TURNS = 6 };
  bool seen[FACES][FACES][TURNS] = {0};
  int ways = 0;
  for (size_t face = 0; face < FACES * mesh->elements; face++) {
    if (mesh->neighbour[face] == WISP_BOUNDARY) continue;
    bool *way = &seen[face % FACES][mesh->neighbour_face[face]][mesh->neighbour_turn[face]];
    ways += !*way;
    *way = true;
  }
  return ways;
}

/* The unit box of 162 tets without five, moved and shuffled: no two elements alike, all ways in which faces can meet,
 * and boundary faces of all kinds beside each other. */
static wisp_status irregular_mesh(wisp_error *err, wisp_mesh **out)
{
  enum { WAYS = 48, SEED = 1 };
  wisp_status status = WISP_OK;
  wisp_mesh *box = NULL, *mesh = NULL;
  TRY(wisp_mesh_box(err, BOX, &box));
  TRY(wisp_mesh_create(err, box->vertices, box->elements - LEFT_OUT, &mesh));
  memcpy(mesh->xyz, box->xyz, 3 * box->vertices * sizeof *mesh->xyz);
  memcpy(mesh->tet, box->tet, 4 * mesh->elements * sizeof *mesh->tet);
  TRY(wisp_mesh_connect(err, "ragged box", mesh));
  TRY(wisp_mesh_jitter(err, mesh, JITTER, SEED));
  TRY(wisp_mesh_shuffle(err, mesh, SEED));
  const int ways = ways_to_meet(mesh);
  TRY(wisp_require(err, ways == WAYS, WISP_ESYSTEM,
                   "the mesh for verification shows %d ways in which faces meet, not %d", ways, WAYS));
  uint64_t random = wisp_random_from(SEED);
  for (size_t face = 0; face < 4 * mesh->elements; face++)
    if (mesh->neighbour[face] == WISP_BOUNDARY)
      mesh->tag[face] = (int32_t)wisp_random_below(&random, WISP_MAX_BOUNDARIES);
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
  TRY(irregular_mesh(err, &mesh));
  TRY(wisp_nodal_problems_create(err, device, mesh, (size_t)512 << 20, &v->problems));
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
  release_plain(v);
  wisp_nodal_problems_destroy(v->problems);
  free(v);
}
