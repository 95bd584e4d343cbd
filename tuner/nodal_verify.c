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

enum { BOX = 3, LEFT_OUT = 5, MAX_CASES = 48, LAUNCHES = 3 };
static const double JITTER = 0.3;

/* One round of a kernel's check. */
typedef struct example {
  wisp_spec spec;
  wisp_layout layout;
  int MB, round;
  wisp_grouping grouping;
  uint64_t seed;
  unsigned long long used;
  wisp_nodal_example data;
  wisp_kept *before; /* all arrays on the device as the data has them */
} example;

struct wisp_nodal_verifier {
  wisp_device *device;
  wisp_nodal_problems *problems;
  unsigned long long clock;
  int count;
  example examples[MAX_CASES];
};

/* --- examples --- */

static void release(example *e)
{
  wisp_nodal_example_free(&e->data);
  wisp_kept_free(e->before);
  e->before = NULL;
}

static wisp_status make_example(wisp_error *err, wisp_problem *problem, example *e)
{
  wisp_status status = WISP_OK;
  TRY(wisp_nodal_example_make(err, wisp_problem_dg(problem), e->spec.kernel, e->round, e->seed, &e->data));
  for (int a = 0; a < WISP_NODAL_ARRAYS; a++)
    TRY(wisp_problem_upload(err, problem, wisp_nodal_names[a], e->data.before[a]));
  TRY(wisp_arrays_keep(err, wisp_problem_arrays(problem), NULL, &e->before));
done:
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
  wisp_status status = make_example(err, problem, key);
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

/* One array at every DOF of every element. error: the largest difference over the sum of magnitudes. */
static wisp_status compare(wisp_error *err, const wisp_dg *dg, const example *e, int array, const double *got,
                           double *error)
{
  const double tolerance = wisp_tolerance(&e->spec, &dg->layout);
  const double *expected = e->data.after[array], *sizes = e->data.size[array];
  const size_t dofs = wisp_nodal_dofs(dg, array);
  double worst = 0;
  size_t bad_k = 0, bad_i = 0;
  int bad_f = 0;
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; dg->slot[k] != WISP_EMPTY && f < dg->system->fields; f++)
      for (size_t i = 0; i < dofs; i++) {
        const size_t q = wisp_nodal_address(dg, array, f, k, i);
        if (!isfinite(got[q]))
          return wisp_fail(err, WISP_EWRONG, "%s is %g at slot %zu, field %s, node %zu: not finite",
                           wisp_nodal_names[array], got[q], k, dg->system->field[f], i);
        const double difference = fabs(got[q] - expected[q]);
        if (difference <= worst * sizes[q]) continue;
        worst = sizes[q] > 0 ? difference / sizes[q] : HUGE_VAL, bad_k = k, bad_f = f, bad_i = i;
      }
  *error = fmax(*error, worst);
  if (worst <= tolerance) return WISP_OK;
  const size_t q = wisp_nodal_address(dg, array, bad_f, bad_k, bad_i);
  return wisp_fail(err, WISP_EWRONG, "%s is %.9g, not %.9g, at slot %zu, field %s, node %zu: error %.2e over %.2e",
                   wisp_nodal_names[array], got[q], expected[q], bad_k, dg->system->field[bad_f], bad_i, worst,
                   tolerance);
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

/* From the same data; `first` keeps what the first launch left. */
static wisp_status launch(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel, const example *e,
                          bool again, double *first[WISP_NODAL_ARRAYS], double *error)
{
  wisp_status status = WISP_OK;
  const wisp_dg *dg = wisp_problem_dg(problem);
  const bool exact = again && !wisp_strategy_varies(wisp_plan_strategy(wisp_kernel_plan(kernel)));
  wisp_arrays *arrays = wisp_problem_arrays(problem);
  double *got = NULL;
  TRY(wisp_arrays_restore(err, arrays, e->before));
  TRY(wisp_problem_launch(err, problem, kernel, &e->data.scalars));
  TRY(wisp_verify_untouched(err, arrays, e->before, e->data.writes));
  for (int a = 0; a < WISP_NODAL_ARRAYS; a++) {
    if (!e->data.after[a]) continue;
    TRY(wisp_new(err, wisp_nodal_size(dg, a), sizeof *got, &got));
    TRY(wisp_problem_download(err, problem, wisp_nodal_names[a], got));
    TRY(compare(err, dg, e, a, got, error));
    if (exact) TRY(repeats(err, dg, a, got, first[a]));
    free(first[a]);
    first[a] = got;
    got = NULL;
  }
done:
  free(got);
  return status;
}

static wisp_status run_round(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel, const example *e,
                             double *error)
{
  wisp_status status = WISP_OK;
  double *first[WISP_NODAL_ARRAYS] = {NULL};
  for (int i = 0; i < LAUNCHES; i++) TRY(launch(err, problem, kernel, e, i > 0, first, error));
done:
  for (int a = 0; a < WISP_NODAL_ARRAYS; a++) free(first[a]);
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
  wisp_problem *problem = NULL;
  const example *e = NULL;
  *error = 0;
  TRY(wisp_require(err, rounds, WISP_EUSAGE, "no reference for kernel '%s'", wisp_plan_spec(plan)->kernel));
  for (int round = 0; round < rounds; round++) {
    TRY(find_round(err, v, plan, round, seed, &problem, &e));
    TRY(run_round(err, problem, kernel, e, error));
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
  wisp_nodal_problems_destroy(v->problems);
  free(v);
}
