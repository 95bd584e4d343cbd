/* A cache of problems: those in use stay, of the others the least recently used goes first. */
#include "problems.h"
#include "../../gen/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ENTRIES = 64, PERIOD = 1 << 16 };

typedef struct entry {
  wisp_setting of; /* spec's kernel empty: any kernel of the family runs on it */
  unsigned long long used;
  int users;
  wisp_problem *problem;
} entry;

struct wisp_problems {
  wisp_device *device;
  const wisp_workload *workload;
  void *test_mesh;
  long long elements; /* of the test mesh */
  size_t bytes;
  size_t turn; /* of how arrays lie: the number of a mesh to check on */
  bool listed; /* a problem has the arrays alone that its plans take */
  unsigned long long clock;
  int count;
  entry entries[MAX_ENTRIES];
};

wisp_status wisp_problems_create(wisp_error *err, wisp_device *device, const wisp_workload *workload,
                                 const wisp_spec *spec, long long elements, const wisp_mesh_source *source,
                                 size_t bytes, wisp_problems **out)
{
  OWNED(wisp_problems_destroy) wisp_problems *problems = NULL;
  CALL(wisp_new(err, 1, sizeof *problems, &problems));
  *problems = (wisp_problems){.device = device,
                              .workload = workload,
                              .elements = elements,
                              .bytes = bytes,
                              .turn = source ? 0 : (size_t)elements,
                              .listed = workload->listed && source};
  CALL(workload->open(err, wisp_device_limits(device), spec, &problems->elements, source, &problems->test_mesh));
  return GIVE(problems, out);
}

void wisp_problems_destroy(wisp_problems *problems)
{
  if (!problems) return;
  for (int i = 0; i < problems->count; i++) wisp_problem_destroy(problems->entries[i].problem);
  problems->workload->close(problems->test_mesh);
  free(problems);
}

const void *wisp_problems_test_mesh(const wisp_problems *problems)
{
  return problems->test_mesh;
}

long long wisp_problems_elements(const wisp_problems *problems)
{
  return problems->elements;
}

wisp_status wisp_problems_work(wisp_error *err, const wisp_problems *problems, const wisp_spec *spec, wisp_work *out)
{
  const wisp_own_sizes own = {problems->workload->own_sizes, problems->test_mesh};
  return wisp_family_work_own(err, spec, (double)problems->elements, own.add ? &own : NULL, out);
}

/* --- numbers in arrays --- */

double wisp_random_of(wisp_array_kind kind, uint64_t *random)
{
  const double number = wisp_random_real(random);
  return kind == WISP_POSITIVE || kind == WISP_PARTS ? fabs(number) + 0.5 : number;
}

/* A kernel also reads arrays that it may call by another name. */
static bool reads(const wisp_plan *plan, const char *array)
{
  const wisp_kernel_decl *kernel = wisp_family_kernel(wisp_family_find(plan->spec.family), plan->spec.kernel);
  return wisp_plan_takes(plan, array) || (kernel && wisp_list_has(kernel->reads, array));
}

/* Zeros would flatter caches, power draw and arithmetic. Numbers of nobody, too, are random. */
wisp_status wisp_problems_restart(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                                  const wisp_plan *plan, wisp_purpose purpose)
{
  OWNED(free) double *values = NULL;
  uint64_t random = WISP_RANDOM_SEED;
  wisp_arrays *arrays = problem->arrays;
  CALL(wisp_new(err, PERIOD, sizeof *values, &values));
  for (const wisp_array_decl *a = problem->d.family->arrays; a->name; a++) {
    const bool is_there = wisp_arrays_size(arrays, a->name) > 0;
    if (a->kind == WISP_FIXED || a->kind == WISP_STATE || !(is_there || workload->listed)) continue;
    if (plan && !reads(plan, a->name)) continue;
    for (size_t i = 0; i < PERIOD; i++) values[i] = wisp_random_of(a->kind, &random);
    if (is_there) CALL(wisp_arrays_repeat(err, arrays, a->name, PERIOD, values));
  }
  if (workload->set_state) CALL(workload->set_state(err, problem, purpose));
  return WISP_OK;
}

/* --- the problems --- */

wisp_setting wisp_setting_of(const wisp_plan *plan)
{
  wisp_setting setting = {.spec = plan->spec, .layout = plan->layout};
  wisp_fixed_add(&setting.fixed, plan);
  return setting;
}

bool wisp_setting_same(const wisp_setting *a, const wisp_setting *b)
{
  return wisp_spec_orders(&a->spec, &b->spec) == 0 && strcmp(a->spec.kernel, b->spec.kernel) == 0 &&
         memcmp(&a->layout, &b->layout, sizeof a->layout) == 0 &&
         wisp_fixed_number(&a->fixed) == wisp_fixed_number(&b->fixed);
}

/* Makes room for a new problem: the oldest go while too much is held, but never one in use, nor the one used last. */
static void free_unused(wisp_problems *problems)
{
  for (;;) {
    size_t used_bytes = 0;
    entry *oldest = NULL;
    for (entry *e = problems->entries; e < problems->entries + problems->count; e++) {
      used_bytes += wisp_arrays_bytes(e->problem->arrays);
      if (!e->users && e->used < problems->clock - 1 && (!oldest || e->used < oldest->used)) oldest = e;
    }
    if (!oldest || (used_bytes <= problems->bytes && problems->count < MAX_ENTRIES)) return;
    wisp_problem_destroy(oldest->problem);
    *oldest = problems->entries[--problems->count];
  }
}

/* Kernels that go together, for a problem that has what they take. */
typedef struct together {
  const wisp_plan *const *plans;
  int count;
} together;

/* A wisp_array_filter. Another family's kernels have names of their own for arrays. */
static bool is_taken(const void *context, const char *array)
{
  const together *t = context;
  for (int i = 0; i < t->count; i++)
    if (wisp_plan_takes(t->plans[i], array) || strcmp(t->plans[i]->spec.family, t->plans[0]->spec.family) != 0)
      return true;
  return false;
}

static bool has_all(const wisp_problem *problem, const together *t)
{
  size_t size = 0;
  for (const wisp_array_decl *a = problem->d.family->arrays; a->name; a++)
    if (!wisp_arrays_size(problem->arrays, a->name) && is_taken(t, a->name) &&
        wisp_discretisation_size(&problem->d, a, &size) && size)
      return false;
  return true;
}

static wisp_status make(wisp_error *err, wisp_problems *problems, const together *t, entry *e)
{
  wisp_discretisation d = {.self = NULL};
  CALL(problems->workload->discretise(err, problems->test_mesh, &e->of.spec, &e->of.layout, &e->of.fixed, &d));
  CALL(wisp_problem_open(err, problems->device, &d, e->of.spec.precision, WISP_WIDE_GUARD,
                         problems->listed ? is_taken : NULL, t, &e->problem));
  if (problems->turn) CALL(wisp_arrays_shift(err, e->problem->arrays, problems->turn));
  return wisp_problems_restart(err, problems->workload, e->problem, NULL, WISP_FOR_TIMING);
}

/* The entry like `key`, made where there is none. */
static wisp_status find(wisp_error *err, wisp_problems *problems, const together *t, entry *key, entry **out)
{
  for (int i = 0; i < problems->count && !*out; i++)
    if (wisp_setting_same(&problems->entries[i].of, &key->of) && has_all(problems->entries[i].problem, t))
      *out = &problems->entries[i];
  if (*out) return WISP_OK;
  free_unused(problems);
  CALL(wisp_require(err, problems->count < MAX_ENTRIES, WISP_EMEMORY, "%d problems are in use", MAX_ENTRIES));
  const wisp_status status = make(err, problems, t, key);
  if (status != WISP_OK) wisp_problem_destroy(key->problem);
  CALL(status);
  *out = &problems->entries[problems->count++];
  **out = *key;
  return WISP_OK;
}

wisp_status wisp_problems_acquire(wisp_error *err, wisp_problems *problems, const wisp_plan *const *plans, int count,
                                  wisp_problem_ref *out)
{
  const wisp_workload *w = problems->workload;
  const wisp_plan *own = plans[0]; /* the first that is not borrowed */
  for (int i = 1; i < count && strcmp(own->spec.family, w->family) != 0; i++) own = plans[i];
  entry key = {.of = wisp_setting_of(own)}, *e = NULL;
  for (int i = 0; i < count; i++) wisp_fixed_add(&key.of.fixed, plans[i]);
  wisp_spec_name_kernel(&key.of.spec, "");
  problems->clock++;
  CALL(find(err, problems, &(together){plans, count}, &key, &e));
  e->used = problems->clock;
  if (w->set_state) CALL(w->set_state(err, e->problem, WISP_FOR_TIMING)); /* a check may have left another */
  e->users++;
  *out = (wisp_problem_ref){problems, e->problem};
  return WISP_OK;
}

wisp_status wisp_problems_fit(wisp_error *err, const void *context, const wisp_plan *plan)
{
  const wisp_problems *problems = context;
  HELD(wisp_discretisation_destroy) wisp_discretisation d = {.self = NULL};
  wisp_setting of = wisp_setting_of(plan);
  wisp_spec_name_kernel(&of.spec, "");
  return problems->workload->discretise(err, problems->test_mesh, &of.spec, &of.layout, &of.fixed, &d);
}

void wisp_problem_ref_end(const wisp_problem_ref *ref)
{
  for (int i = 0; ref->problem && i < ref->problems->count; i++) {
    entry *e = &ref->problems->entries[i];
    e->users -= e->problem == ref->problem;
  }
}

bool wisp_problems_full(const wisp_problems *problems)
{
  size_t used_bytes = 0;
  for (int i = 0; i < problems->count; i++)
    if (problems->entries[i].users) used_bytes += wisp_arrays_bytes(problems->entries[i].problem->arrays);
  return used_bytes > problems->bytes;
}

/* --- launches --- */

static wisp_status launch(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                          const wisp_kernel *kernel, wisp_purpose purpose, int stage)
{
  wisp_scalar_list scalars = {.count = 0};
  workload->scalars(problem, purpose, stage, &scalars);
  return wisp_problem_run(err, problem, kernel, scalars.of, scalars.count);
}

wisp_status wisp_problems_launch(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                                 const wisp_kernel *kernel, wisp_purpose purpose)
{
  return launch(err, workload, problem, kernel, purpose, -1);
}

wisp_status wisp_problems_step(wisp_error *err, const wisp_workload *workload, wisp_problem *problem,
                               const wisp_kernel *const *kernels, int count)
{
  if (workload->step) return workload->step(err, problem, kernels, count);
  for (int stage = 0; workload->stages && stage < *workload->stages; stage++)
    for (int i = 0; i < count; i++) CALL(launch(err, workload, problem, kernels[i], WISP_FOR_TIMING, stage));
  return WISP_OK;
}
