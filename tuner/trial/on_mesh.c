#include "on_mesh.h"
#include "test_cases.h"
#include "../../gen/random.h"
#include "../../runtime/parallel.h"
#include "../../runtime/process.h"

#include <stdlib.h>
#include <string.h>

/* Rounding of a solver's smooth data is less random than the tolerance says. A default's numbers outside of the sample
 * may be larger. REFERENCED, SECONDS: of a kernel, launches beside the reference. */
enum { SLACK = 4, LARGER = 64, REFERENCED = 5 };
static const double SECONDS = 0.25;

/* One kernel, and the default in its place. */
typedef struct checked {
  const wisp_kernel *kernel;
  const wisp_stage *stage;
  int number; /* in it */
  wisp_plan *plan;
  wisp_kernel *standard; /* NULL: there is none to compare with */
  double seconds;
  double largest[WISP_MAX_ARRAYS]; /* sum of magnitudes, by output; 0: not known */
} checked;

typedef struct checker {
  wisp_solver *solver;
  checked *list;
  wisp_checked_kernels *out;
} checker;

void wisp_checked_kernels_free(wisp_checked_kernels *kernels)
{
  free(kernels->list);
  *kernels = (wisp_checked_kernels){.count = 0};
}

const wisp_checked_kernel *wisp_checked_kernels_wrong(const wisp_checked_kernels *kernels)
{
  for (size_t i = 0; i < kernels->count; i++)
    if (kernels->list[i].wrong) return &kernels->list[i];
  return NULL;
}

static void convict(wisp_checked_kernel *v, const char *text)
{
  if (!v->wrong) snprintf(v->text, sizeof v->text, "%.255s", text);
  v->wrong = true;
}

/* ---- One launch: its arrays by the kernel's names. */

typedef struct launch {
  wisp_problem *problem;
  const wisp_kernel *kernel;
  const wisp_kernel_decl *decl;
  const wisp_family *family; /* the kernel's */
  bool own;                  /* which is the problem's */
  const wisp_binding *bindings;
  size_t count;
  const char *array[WISP_MAX_ARRAYS]; /* the problem's array of each of the family's; NULL: there is none */
  const char *outputs[WISP_MAX_ARRAYS + 1];
} launch;

/* The problem's array at an address. */
static const char *find_at(const wisp_problem *p, wisp_pointer at)
{
  for (const wisp_array_decl *a = p->d.family->arrays; a->name; a++)
    if (wisp_arrays_at(p->arrays, a->name) == at) return a->name;
  return NULL;
}

static const char *find_array(const launch *l, const char *name)
{
  const wisp_array_decl *found = NULL;
  for (size_t i = 0; i < l->count; i++)
    if (l->bindings[i].pointer && strcmp(l->bindings[i].name, name) == 0)
      return find_at(l->problem, l->bindings[i].pointer);
  found = wisp_family_array(l->problem->d.family, name);
  return found && wisp_arrays_size(l->problem->arrays, name) ? found->name : NULL;
}

static launch describe(wisp_problem *problem, const wisp_kernel *kernel, const wisp_binding *bindings, size_t count)
{
  const wisp_spec *spec = &kernel->plan->spec;
  launch l = {.problem = problem, .kernel = kernel, .bindings = bindings, .count = count};
  int outputs = 0;
  l.family = wisp_family_find(spec->family);
  l.own = l.family == problem->d.family;
  l.decl = wisp_family_kernel(l.family, spec->kernel);
  for (int a = 0; l.family->arrays[a].name; a++) {
    const wisp_array_decl *array = &l.family->arrays[a];
    l.array[a] = find_array(&l, array->name);
    if (l.array[a] && wisp_list_has(l.decl->writes, array->name)) l.outputs[outputs++] = l.array[a];
  }
  return l;
}

static wisp_status download(wisp_error *err, const launch *l, int a, double *values)
{
  wisp_arrays *arrays = l->problem->arrays;
  const size_t size = wisp_arrays_size(arrays, l->array[a]);
  OWNED(free) int *ints = NULL;
  if (!wisp_numbers[l->family->arrays[a].type].integer) return wisp_arrays_download(err, arrays, l->array[a], values);
  CALL(wisp_new(err, size, sizeof *ints, &ints));
  CALL(wisp_arrays_download_ints(err, arrays, l->array[a], ints));
  for (size_t i = 0; i < size; i++) values[i] = ints[i];
  return WISP_OK;
}

/* ---- The reference. */

/* For each number of an array in the reference's order its place in memory; SIZE_MAX: it has none. */
typedef struct place_map {
  const wisp_array_decl *array; /* and others of its size, which are laid out alike */
  size_t size, count;
  size_t *from;
} place_map;

typedef struct reference {
  const wisp_workload *workload; /* NULL: none */
  wisp_sample sample;
  wisp_test_case test_case;
  place_map map[WISP_MAX_ARRAYS];
  size_t maps;
  double *values; /* of one array, as they lie */
  size_t capacity;
} reference;

static void free_reference(reference *r)
{
  for (int a = 0; a < WISP_MAX_ARRAYS; a++)
    free(r->test_case.before[a]), free(r->test_case.after[a]), free(r->test_case.size[a]);
  for (size_t i = 0; i < r->maps; i++) free(r->map[i].from);
  free(r->values);
  free(r->test_case.own);
  wisp_discretisation_destroy(&r->sample.d);
}

static wisp_status take_bindings(wisp_error *err, const launch *l, wisp_test_case *t)
{
  for (const wisp_binding *b = l->bindings; b < l->bindings + l->count; b++)
    if (b->pointer && wisp_plan_takes(l->kernel->plan, b->name) && !find_at(l->problem, b->pointer))
      return wisp_fail(err, WISP_EMISSING, "%s is another order's array", b->name);
    else if (!b->pointer && t->scalars.count < WISP_MAX_SCALARS)
      t->scalars.of[t->scalars.count++] = *b;
  t->as = l->decl->alias;
  t->is = t->as ? find_array(l, t->as) : NULL;
  return WISP_OK;
}

/* The place of a number in the reference's order. */
static size_t origin_of(const reference *r, const wisp_array_decl *array, size_t i)
{
  const wisp_discretisation *d = &r->sample.d;
  return d->origin ? d->origin(d->self, array, i) : i;
}

typedef struct mapping {
  const reference *r;
  place_map *map;
} mapping;

/* A wisp_sweep over the numbers as they lie. */
static void map_numbers(void *context, size_t from, size_t to)
{
  const mapping *m = context;
  for (size_t i = from; i < to; i++) {
    const size_t at = origin_of(m->r, m->map->array, i);
    if (at < m->map->count) m->map->from[at] = i;
  }
}

/* Made once for arrays of one size: most of their numbers are outside the sample. */
static wisp_status find_map(wisp_error *err, const launch *l, reference *r, int a, const place_map **out)
{
  const wisp_array_decl *array = &l->family->arrays[a];
  const size_t size = wisp_arrays_size(l->problem->arrays, l->array[a]), count = r->test_case.numbers[a];
  for (size_t i = 0; i < r->maps; i++) {
    *out = &r->map[i];
    if (strcmp((*out)->array->size, array->size) == 0 && (*out)->size == size && (*out)->count == count) return WISP_OK;
  }
  place_map *map = &r->map[r->maps++];
  *map = (place_map){.array = array, .size = size, .count = count};
  CALL(wisp_new(err, count, sizeof *map->from, &map->from));
  for (size_t i = 0; i < count; i++) map->from[i] = SIZE_MAX;
  wisp_parallel_numbers(size, map_numbers, &(mapping){r, map});
  return *out = map, WISP_OK;
}

/* An array as it lies, in r->values. */
static wisp_status read_array(wisp_error *err, const launch *l, reference *r, int a)
{
  const size_t size = wisp_arrays_size(l->problem->arrays, l->array[a]);
  if (size > r->capacity) {
    free(r->values);
    r->values = NULL, r->capacity = 0;
    CALL(wisp_new(err, size, sizeof *r->values, &r->values));
    r->capacity = size;
  }
  return download(err, l, a, r->values);
}

/* An array in the reference's order; the caller frees it. */
static wisp_status fetch(wisp_error *err, const launch *l, reference *r, int a, double **out)
{
  const place_map *map = NULL;
  CALL(find_map(err, l, r, a, &map));
  CALL(read_array(err, l, r, a));
  CALL(wisp_new(err, map->count, sizeof **out, out));
  for (size_t i = 0; i < map->count; i++)
    if (map->from[i] != SIZE_MAX) (*out)[i] = r->values[map->from[i]];
  return WISP_OK;
}

static wisp_status take_array(wisp_error *err, const launch *l, int a, reference *r)
{
  const wisp_array_decl *array = &l->family->arrays[a];
  wisp_test_case *t = &r->test_case;
  const bool reads = wisp_list_has(l->decl->reads, array->name), writes = wisp_list_has(l->decl->writes, array->name);
  t->numbers[a] = wisp_arrays_size(l->problem->arrays, l->array[a]);
  if (r->sample.compact && !wisp_discretisation_size(&r->sample.d, array, &t->numbers[a])) return WISP_OK;
  if (array->kind == WISP_FIXED || !(reads || writes || array->kind == WISP_STATE)) return WISP_OK;
  if (reads || array->kind == WISP_STATE) CALL(fetch(err, l, r, a, &t->before[a]));
  if (!writes) return WISP_OK;
  CALL(wisp_new(err, t->numbers[a], sizeof *t->after[a], &t->after[a]));
  CALL(wisp_new(err, t->numbers[a], sizeof *t->size[a], &t->size[a]));
  for (size_t i = 0; i < t->numbers[a]; i++) t->after[a][i] = t->before[a] ? t->before[a][i] : NAN;
  return WISP_OK;
}

/* The right outputs of the launch, from the arrays as they are. */
static wisp_status compute_reference(wisp_error *err, const wisp_solver *solver, const launch *l, int number,
                                     reference *r)
{
  wisp_test_case *t = &r->test_case;
  const wisp_workload *workload = NULL;
  CALL(wisp_workload_find(err, l->family->name, l->decl->name, &workload));
  CALL(wisp_require(err, workload->adopt, WISP_EMISSING, "the family has no reference on a solver's mesh"));
  t->kernel = l->decl;
  t->rounding = wisp_plan_rounding(l->kernel->plan);
  t->random = wisp_random_from((uint64_t)WISP_RANDOM_SEED + (uint64_t)number);
  CALL(take_bindings(err, l, t));
  CALL(workload->adopt(err, solver, l->problem, l->kernel->plan, t, &r->sample));
  t->discretisation = &r->sample.d;
  for (int a = 0; l->family->arrays[a].name; a++)
    if (l->array[a]) CALL(take_array(err, l, a, r));
  CALL(workload->reference(err, t));
  for (int a = 0; r->sample.own && a < WISP_MAX_ARRAYS; a++)
    for (size_t i = t->numbers[a] / r->sample.of * r->sample.own; t->after[a] && i < t->numbers[a]; i++)
      t->after[a][i] = NAN;
  r->workload = workload;
  return WISP_OK;
}

/* An output's numbers beside the reference's, where that has some. */
static wisp_status compare_numbers(wisp_error *err, const launch *l, reference *r, int a, checked *c,
                                   wisp_checked_kernel *v)
{
  const wisp_array_decl *array = &l->family->arrays[a];
  const double *expected = r->test_case.after[a], *sizes = r->test_case.size[a];
  const place_map *map = NULL;
  double worst = 0;
  size_t bad = 0;
  CALL(find_map(err, l, r, a, &map));
  CALL(read_array(err, l, r, a));
  for (size_t i = 0; i < map->count; i++) {
    if (map->from[i] == SIZE_MAX || !isfinite(expected[i])) continue;
    const double got = r->values[map->from[i]], rounded = array->type == WISP_SINGLE ? 0x1p-23 * fabs(expected[i]) : 0;
    const double off = isfinite(got) ? fmax(0, fabs(got - expected[i]) - rounded) : HUGE_VAL;
    v->numbers++;
    c->largest[a] = fmax(c->largest[a], fmax(sizes[i], fabs(expected[i])));
    if (wisp_is_worse(off, sizes[i], &worst)) bad = i;
  }
  v->error = fmax(v->error, worst);
  if (worst <= v->tolerance) return WISP_OK;
  char where[WISP_PLACE_TEXT], text[512];
  const double got = r->values[map->from[bad]];
  wisp_discretisation_place(&l->problem->d, array, map->from[bad], where);
  snprintf(text, sizeof text, WISP_MESSAGE("%s is %.9g, not %.9g, at %s, by the reference: error %.2e over %.2e"),
           l->array[a], isnan(got) ? (double)NAN : got, expected[bad], where, worst, v->tolerance);
  convict(v, text);
  return WISP_OK;
}

static wisp_status sum_parts(wisp_error *err, const launch *l, const wisp_plan *plan, int a, double *sum)
{
  const size_t size = wisp_arrays_size(l->problem->arrays, l->array[a]);
  OWNED(free) double *parts = NULL;
  unsigned grid[2];
  CALL(wisp_plan_grid(err, plan, l->problem->d.counts, grid));
  CALL(wisp_new(err, size, sizeof *parts, &parts));
  CALL(download(err, l, a, parts));
  *sum = 0;
  for (size_t i = 0; i < size && i < grid[0]; i++) *sum += parts[i];
  return WISP_OK;
}

/* A sum, left as parts. */
static wisp_status compare_sum(wisp_error *err, const launch *l, const reference *r, int a, wisp_checked_kernel *v)
{
  const double expected = r->test_case.after[a][0], root = fmax(r->test_case.size[a][0], fabs(expected));
  const double max_error = l->family->max_error[l->kernel->plan->spec.precision == WISP_F64];
  const double most = max_error > 0 ? max_error : HUGE_VAL;
  double sum = 0, worst = 0;
  char text[512];
  if (!isfinite(expected)) return WISP_OK;
  CALL(sum_parts(err, l, l->kernel->plan, a, &sum));
  wisp_is_worse(isfinite(sum) ? fabs(sum - expected) : HUGE_VAL, root, &worst);
  v->numbers++;
  if (worst <= most) return WISP_OK;
  snprintf(text, sizeof text, WISP_MESSAGE("%s is %.9g in all, not %.9g, by the reference: error %.2e over %.2e"),
           l->array[a], sum, expected, worst, most);
  convict(v, text);
  return WISP_OK;
}

static wisp_status compare_with_reference(wisp_error *err, const launch *l, reference *r, checked *c,
                                          wisp_checked_kernel *v)
{
  for (int a = 0; l->family->arrays[a].name; a++) {
    if (!r->test_case.after[a]) continue;
    CALL(l->family->arrays[a].kind == WISP_PARTS ? compare_sum(err, l, r, a, v) : compare_numbers(err, l, r, a, c, v));
  }
  v->referenced++;
  return WISP_OK;
}

/* ---- The default. */

/* Whether both take the same fixed arrays of reals: thin elements' are far from each other where they are rounded. */
static bool reads_alike(const wisp_family *family, const wisp_plan *one, const wisp_plan *other)
{
  bool alike = true;
  for (const wisp_array_decl *a = family->arrays; a->name; a++)
    if (a->kind == WISP_FIXED && !wisp_numbers[a->type].integer)
      alike &= wisp_plan_takes(one, a->name) == wisp_plan_takes(other, a->name);
  return alike;
}

/* Whether it can be launched on what the solver has: arrays that it takes, room for its parts of sums. */
static const char *find_obstacle(const launch *l, const wisp_plan *plan)
{
  const wisp_strategy *s = plan->strategy;
  unsigned grid[2] = {0, 0};
  if (plan->spec.precision == WISP_F32 && !reads_alike(l->family, plan, l->kernel->plan))
    return "the default reads other numbers of the mesh, which are rounded otherwise";
  const bool known = wisp_plan_grid(NULL, plan, l->problem->d.counts, grid) == WISP_OK;
  for (const wisp_arg *arg = s->arg; arg < s->arg + s->args; arg++) {
    const wisp_array_decl *array = wisp_family_array(l->family, arg->name);
    const bool bound = arg->kind == WISP_ARG_IN || arg->kind == WISP_ARG_OUT || arg->kind == WISP_ARG_INOUT;
    if (bound && !find_array(l, arg->name)) return "the default takes arrays that this solve has not";
    if (array && array->kind == WISP_PARTS && arg->kind != WISP_ARG_IN &&
        (!known || grid[0] > wisp_arrays_size(l->problem->arrays, find_array(l, arg->name))))
      return "the default leaves more parts of sums than there is room for";
  }
  return NULL;
}

/* The default in place of the kernel, once: NULL where it is the kernel itself, or cannot be launched. */
static wisp_status make_standard(wisp_error *err, const launch *l, checked *c, wisp_checked_kernel *v)
{
  HELD(wisp_binary_free) wisp_binary binary = {0};
  const wisp_plan *own = l->kernel->plan;
  v->alone = "no default for this layout and discretisation";
  if (wisp_stage_default(NULL, c->stage, c->number, &c->plan) != WISP_OK) return WISP_OK;
  if (c->plan->strategy == own->strategy && strcmp(c->plan->params, own->params) == 0)
    v->alone = "is the default";
  else
    v->alone = find_obstacle(l, c->plan);
  if (v->alone) return WISP_OK;
  CALL(wisp_plan_compile(err, c->plan, wisp_device_limits(l->problem->device)->target, &binary));
  CALL(wisp_kernel_create(err, l->problem->device, c->plan, &binary, &c->standard));
  snprintf(v->standard, sizeof v->standard, "%.*s", WISP_NAME_TEXT - 1, c->plan->strategy->name);
  return WISP_OK;
}

/* Enqueues the comparison of all numbers that have a known size. */
static wisp_status compare_outputs(wisp_error *err, const launch *l, const checked *c, const wisp_kept *own,
                                   double tolerance)
{
  for (int a = 0; l->family->arrays[a].name; a++) {
    const wisp_array_decl *array = &l->family->arrays[a];
    const bool real = !wisp_numbers[array->type].integer && array->kind != WISP_PARTS;
    wisp_pointer mask = 0;
    if (!real || !l->array[a] || !wisp_list_has(l->decl->writes, array->name) || !(c->largest[a] > 0)) continue;
    const double bound = LARGER * (tolerance + (array->type == WISP_SINGLE ? 0x1p-23 : 0)) * c->largest[a];
    if (l->own) CALL(wisp_problem_mask(err, l->problem, l->array[a], &mask));
    CALL(wisp_arrays_compare(err, l->problem->arrays, own, mask, l->array[a], bound));
  }
  return WISP_OK;
}

/* The default from the same inputs; the kernel's outputs are there again afterwards. */
static wisp_status compare_with_default(wisp_error *err, const launch *l, const wisp_kept *before, checked *c,
                                        wisp_checked_kernel *v)
{
  wisp_arrays *arrays = l->problem->arrays;
  OWNED(wisp_kept_free) wisp_kept *own = NULL;
  char array[32] = "", text[512];
  size_t number = 0;
  CALL(wisp_arrays_keep(err, arrays, l->outputs, &own));
  CALL(wisp_arrays_restore(err, arrays, before, l->outputs));
  CALL(wisp_problem_run(err, l->problem, c->standard, l->bindings, l->count));
  CALL(wisp_arrays_compare_begin(err, arrays));
  CALL(compare_outputs(err, l, c, own, v->tolerance));
  CALL(wisp_arrays_compare_end(err, arrays, array, &number));
  CALL(wisp_arrays_restore(err, arrays, own, l->outputs));
  if (!*array) return WISP_OK;
  char where[WISP_PLACE_TEXT];
  const wisp_array_decl *decl = wisp_family_array(l->problem->d.family, array);
  wisp_discretisation_place(&l->problem->d, decl, number, where);
  snprintf(text, sizeof text, WISP_MESSAGE("%s is not the default kernel's, %s, at %s, from the same inputs"), array,
           c->plan->strategy->name, where);
  convict(v, text);
  return WISP_OK;
}

/* ---- The watch. */

static checked *find_checked(const checker *k, const wisp_kernel *kernel)
{
  for (size_t i = 0; i < k->out->count; i++)
    if (k->list[i].kernel == kernel) return &k->list[i];
  return NULL;
}

/* d: of the kernel's own family; NULL: it is another's. */
static wisp_status set_tolerance(wisp_error *err, wisp_checked_kernel *v, const wisp_discretisation *d)
{
  CALL(wisp_tolerance_on(err, &v->plan->spec, d, &v->tolerance));
  v->tolerance *= SLACK;
  return WISP_OK;
}

/* Launches it once, beside the reference while that may still be asked, and beside the default. */
static wisp_status check_launch(wisp_error *err, void *context, wisp_problem *problem, const wisp_kernel *kernel,
                                const wisp_binding *bindings, size_t count)
{
  const checker *k = context;
  checked *c = find_checked(k, kernel);
  if (!c) return wisp_problem_run(err, problem, kernel, bindings, count);
  wisp_checked_kernel *v = &k->out->list[c - k->list];
  const launch l = describe(problem, kernel, bindings, count);
  HELD(free_reference) reference r = {.workload = NULL};
  OWNED(wisp_kept_free) wisp_kept *before = NULL;
  const double begin = wisp_seconds();
  const bool referenced = !v->referenced || (v->referenced < REFERENCED && c->seconds < SECONDS);
  CALL(set_tolerance(err, v, l.own ? &problem->d : NULL));
  if (!v->launches++) CALL(make_standard(err, &l, c, v));
  if (referenced && !*v->text) {
    wisp_error why = {.text = ""};
    const wisp_status status = compute_reference(&why, k->solver, &l, v->launches, &r);
    if (status != WISP_OK) snprintf(v->text, sizeof v->text, "%.255s", why.text);
  }
  if (c->standard) CALL(wisp_arrays_keep(err, problem->arrays, l.outputs, &before));
  CALL(wisp_problem_run(err, problem, kernel, bindings, count));
  if (r.workload) CALL(compare_with_reference(err, &l, &r, c, v));
  if (referenced) c->seconds += wisp_seconds() - begin;
  return c->standard ? compare_with_default(err, &l, before, c, v) : WISP_OK;
}

static wisp_status list_kernels(wisp_error *err, checker *k)
{
  for (int part = 0; part < WISP_SOLVER_STAGES; part++) k->out->count += (size_t)k->solver->stage[part].kernels;
  CALL(wisp_new(err, k->out->count, sizeof *k->list, &k->list));
  CALL(wisp_new(err, k->out->count, sizeof *k->out->list, &k->out->list));
  size_t at = 0;
  for (int part = 0; part < WISP_SOLVER_STAGES; part++)
    for (int i = 0; i < k->solver->stage[part].kernels; i++, at++) {
      const wisp_stage *stage = &k->solver->stage[part];
      wisp_checked_kernel *v = &k->out->list[at];
      k->list[at] = (checked){.kernel = stage->kernel[i], .stage = stage, .number = i};
      *v = (wisp_checked_kernel){.choice = &stage->choice[i], .plan = stage->plan[i]};
      CALL(set_tolerance(err, v, NULL));
    }
  return WISP_OK;
}

static void free_checker(checker *k)
{
  for (size_t i = 0; k->list && i < k->out->count; i++)
    wisp_kernel_destroy(k->list[i].standard), wisp_plan_destroy(k->list[i].plan);
  free(k->list);
}

wisp_status wisp_verify_solver(wisp_error *err, wisp_solver *solver, wisp_checked_kernels *out)
{
  const double begin = wisp_seconds();
  *out = (wisp_checked_kernels){.count = 0};
  HELD(free_checker) checker k = {.solver = solver, .out = out};
  CALL(wisp_require(err, solver->kind->rehearse, WISP_EUSAGE, "%s cannot be verified", solver->problem));
  CALL(list_kernels(err, &k));
  CALL(solver->kind->rehearse(err, solver, &(wisp_launch_watch){check_launch, &k}));
  out->seconds = wisp_seconds() - begin;
  return WISP_OK;
}
