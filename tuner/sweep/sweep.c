/* A worker's side of a sweep: the orders and precisions that it is given, and in each the kernels (sweep_kernel.c) and
 * whole stages. */
#include "sweep.h"
#include "../../runtime/compilers.h"
#include "../../runtime/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The whole step: which layout and composition make the fastest stage, when the winners of each kernel work
 * together.
 */

enum { MEASURED = 4 };

typedef struct composed { /* a composition in a layout */
  const char *composition;
  int layout;
  double sum; /* of its kernels' winners' times */
} composed;

/* False where the composition is not for this system, or a kernel has no winner in the layout, and is not another
 * family's either. */
static bool add_up(const wisp_sweep *sweep, const wisp_spec *spec, const char *composition, int layout, composed *out)
{
  if (sweep->family->suits && sweep->family->suits(NULL, spec, composition) != WISP_OK) return false;
  *out = (composed){.composition = composition, .layout = layout};
  for (char name[WISP_NAME_TEXT]; wisp_composition_next(&composition, name);) {
    const wisp_kernel_decl *kernel = wisp_family_kernel(sweep->family, name);
    const double ms = kernel ? sweep->best[kernel - sweep->family->kernels][layout].ms : 0;
    const bool external = strchr(name, '.');
    if (!(ms > 0) && !external) return false;
    out->sum += ms;
  }
  return true;
}

static int by_sum(const void *a, const void *b)
{
  const composed *x = a, *y = b;
  return (x->sum > y->sum) - (x->sum < y->sum);
}

/* --- a step made runnable --- */

typedef struct runnable {
  const wisp_workload *workload;
  wisp_stage stage;
  wisp_problem_ref ref;
  char newest[sizeof((wisp_trial *)NULL)->when]; /* of its kernels' trials; empty: defaults all */
} runnable;

static void release(runnable *r)
{
  wisp_problem_ref_end(&r->ref);
  wisp_stage_free(&r->stage);
}

/* The winners as a solver takes them: the tuner has stored what was measured by now. */
static wisp_status choose(wisp_error *err, const wisp_sweep *sweep, const wisp_scope *scope, const composed *s,
                          runnable *r)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  char layout[WISP_LAYOUT_TEXT];
  wisp_layout_print(&scope->layout[s->layout], layout);
  CALL(wisp_chooser_open_store(err, sweep->strategies, sweep->request->db, false, NULL, &store));
  const wisp_chooser from = {sweep->strategies, store, sweep->bench.limits, NULL};
  const wisp_choose_request request = {.spec = scope->spec,
                                       .composition = s->composition,
                                       .layout = layout,
                                       .elements = wisp_problems_elements(sweep->bench.problems)};
  r->workload = sweep->bench.workload;
  CALL(wisp_choose(err, &from, &request, &r->stage));
  for (int i = 0; i < r->stage.kernels; i++) {
    const wisp_trial *t = r->stage.choice[i].trial;
    if (t && strcmp(t->when, r->newest) > 0) memcpy(r->newest, t->when, sizeof r->newest);
  }
  return WISP_OK;
}

static wisp_status run_step(wisp_error *err, const void *context)
{
  const runnable *r = context;
  return wisp_problems_step(err, r->workload, r->ref.problem, (const wisp_kernel *const *)r->stage.kernel,
                            r->stage.kernels);
}

static wisp_status measure_composition(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, const composed *s)
{
  HELD(release) runnable r = {0};
  const int stages = *sweep->bench.workload->stages;
  wisp_contender timed = {.run = run_step, .context = &r};
  wisp_error reason = {0};
  wisp_trial trial, stored = {0};
  char hash[20];
  bool known = false, tried = false;
  CALL(choose(err, sweep, scope, s, &r));
  wisp_plans_hash(r.stage.plan, r.stage.kernels, sweep->bench.limits->kind, hash);
  wisp_trial_key(&sweep->bench, &scope->spec, &scope->layout[s->layout], s->composition, hash, "", &trial);
  CALL(wisp_link_has(err, sweep->link, &trial, &known, &tried, &stored));
  bool failed = known && wisp_trial_outcome(&stored) != WISP_TRIAL_OK;
  /* An older measurement may be of another winner of a kernel. */
  const bool due = sweep->changed || strcmp(r.newest, stored.when) > 0;
  if (known && (!due || (failed && tried))) {
    sweep->summary.known += !sweep->unit.later_round && !tried;
    return WISP_OK;
  }
  wisp_profile_switch(&sweep->bench.profile, WISP_COMPILING);
  CALL(wisp_stage_load(err, sweep->bench.device, &r.stage));
  wisp_profile_switch(&sweep->bench.profile, WISP_PREPARING);
  CALL(wisp_problems_acquire(err, sweep->bench.problems, (const wisp_plan *const *)r.stage.plan, r.stage.kernels,
                             &r.ref));
  wisp_profile_switch(&sweep->bench.profile, WISP_ELSE);
  CALL(wisp_link_begin(err, sweep->link, WISP_NOTE_LAUNCH, &trial,
                       wisp_trial_limit(&sweep->bench, &scope->spec, stages * s->sum)));
  wisp_profile_switch(&sweep->bench.profile, WISP_TIMING);
  const wisp_status status = wisp_measure(&reason, sweep->bench.device, false, &timed, 1);
  wisp_profile_switch(&sweep->bench.profile, WISP_ELSE);
  sweep->bench.doubtful |= status == WISP_EDEVICE;
  wisp_trial_end(&trial, status == WISP_OK ? WISP_TRIAL_OK : WISP_TRIAL_CRASH, "%s", reason.text);
  if (status == WISP_OK)
    CALL(wisp_trial_rate(err, &sweep->bench, &scope->spec, NULL, &timed, stages, &trial));
  else
    CALL(wisp_require(err, status == WISP_EDEVICE, status, "%s", reason.text));
  CALL(wisp_sweep_add(err, sweep, &trial, NULL));
  wisp_sweep_replace(sweep);
  return WISP_OK;
}

/* Finds the composition that a solver takes here because another card's record has it; false: none. */
static wisp_status find_taken(wisp_error *err, const wisp_sweep *sweep, const wisp_scope *scope, composed *out,
                              bool *found)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  wisp_choose_request request = {.spec = scope->spec};
  *found = false;
  if (!sweep->family->compositions[0] || !sweep->bench.problems) return WISP_OK;
  request.elements = wisp_problems_elements(sweep->bench.problems);
  CALL(wisp_chooser_open_store(err, sweep->strategies, sweep->request->db, false, NULL, &store));
  CALL(wisp_choose_if_any(err, &(wisp_chooser){sweep->strategies, store, sweep->bench.limits, NULL}, &request, &stage));
  if (!stage.record.trial || (stage.record.match == WISP_MATCH_EXACT && !stage.record.stale)) return WISP_OK;
  for (const char *const *c = sweep->family->compositions; *c; c++)
    for (int l = 0; l < scope->layouts; l++)
      if (strcmp(*c, stage.composition) == 0 && memcmp(&scope->layout[l], &stage.layout, sizeof stage.layout) == 0)
        *out = (composed){.composition = *c, .layout = l}, *found = true;
  return WISP_OK;
}

wisp_status wisp_sweep_compositions(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels)
{
  wisp_scope scope = *kernels;
  const char *const *compositions = sweep->family->compositions;
  OWNED(free) composed *list = NULL;
  size_t count = 0, most = 0;
  composed taken = {.composition = NULL};
  bool is_taken = false;
  wisp_spec_name_kernel(&scope.spec, WISP_COMPOSITION);
  while (compositions[most]) most++;
  CALL(wisp_new(err, most * (size_t)scope.layouts, sizeof *list, &list));
  for (; *compositions; compositions++)
    for (int l = 0; l < scope.layouts; l++) count += add_up(sweep, &scope.spec, *compositions, l, &list[count]);
  if (count) qsort(list, count, sizeof *list, by_sum);
  /* One even where the budget is used up: it is what a solver asks for, and an earlier round left none. */
  const size_t least = sweep->unit.later_round ? 0 : 1;
  size_t i = 0;
  for (; i < count && i < MEASURED && (i < least || wisp_seconds() < sweep->deadline); i++)
    CALL(measure_composition(err, sweep, &scope, &list[i]));
  /* The composition that is only expected to be the fastest is measured, too. */
  if (least || wisp_seconds() < sweep->deadline) CALL(find_taken(err, sweep, &scope, &taken, &is_taken));
  while (is_taken && i-- > 0)
    is_taken = strcmp(list[i].composition, taken.composition) != 0 || list[i].layout != taken.layout;
  return is_taken ? measure_composition(err, sweep, &scope, &taken) : WISP_OK;
}

/* ---- Prospects: a budget goes to kernels of compositions that could still be the fastest stage. */

/* A search makes a kernel this much faster, at most, than another card's winner or one of an earlier search. */
static const double AT_MOST = 0.25;
/* After a search its winner is only that much too slow. */
static const double SEARCHED = 0.03;
/* Time is worth e times as much on compositions that could be faster by this share of the best stage's time. */
static const double WORTH = 0.1;
/* A kernel that runs in no layout here takes no time; its refusals are stored. */
static const double NEXT_TO_NOTHING = 1e-9;

/* Times of each kernel of the family in each layout of the scope, in ms of an element. */
typedef struct prospects {
  size_t kernels;
  int layouts;
  double (*least)[8]; /* what it could take after a search; INFINITY where it does not run */
  double (*own)[8];   /* the best that was measured here; INFINITY: nothing was */
} prospects;

static void free_prospects(prospects *p)
{
  free(p->least);
  free(p->own);
  *p = (prospects){0};
}

/* The least time for the bytes of an element, in ms; 0 where they fit the caches, or nothing is known. */
static double floor_of(const wisp_sweep *sweep, const wisp_spec *spec)
{
  const double elements = sweep->bench.problems ? (double)wisp_problems_elements(sweep->bench.problems) : 0;
  const wisp_ceilings *most = &sweep->bench.ceilings;
  wisp_work work = {0};
  if (!sweep->bench.limits->gpu || elements <= 0 || wisp_family_work(NULL, spec, elements, &work) != WISP_OK) return 0;
  if (work.bytes < 2 * (double)sweep->bench.limits->l2) return 0;
  const double gbps = work.no_read ? most->fill_gbps : most->copy_gbps;
  return gbps > 0 ? work.bytes / gbps / 1e6 / elements : 0;
}

/* One kernel in one layout: what runs there today, and how long that is expected to take. */
static wisp_status look(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, const wisp_chooser *from,
                        int kernel, int layout, prospects *out)
{
  char text[WISP_LAYOUT_TEXT];
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  wisp_choose_request request = {.spec = scope->spec, .layout = text};
  double *least = &out->least[kernel][layout], *own = &out->own[kernel][layout];
  if (sweep->bench.problems) request.elements = wisp_problems_elements(sweep->bench.problems);
  wisp_layout_print(&scope->layout[layout], text);
  wisp_spec_name_kernel(&request.spec, sweep->family->kernels[kernel].name);
  *least = *own = INFINITY;
  CALL(wisp_choose_if_any(err, from, &request, &stage));
  if (!stage.kernels) return WISP_OK;
  const wisp_choice *choice = stage.choice;
  *least = floor_of(sweep, &request.spec);
  /* A default that was measured here says nothing of what a search finds. */
  if (choice->trial && choice->expected > 0 && choice->trial->is_default != 1)
    *least = fmax(*least, (1 - AT_MOST) * choice->expected);
  if (choice->trial && choice->match == WISP_MATCH_EXACT) *own = choice->expected;
  return WISP_OK;
}

/* From the store and from the memory's speed. */
static wisp_status find_prospects(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, prospects *out)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  HELD(wisp_scopes_free) wisp_scopes scopes = {0};
  HELD(free_prospects) prospects made = {.layouts = scope->layouts};
  while (sweep->family->kernels[made.kernels].name) made.kernels++;
  CALL(wisp_new(err, made.kernels, sizeof *made.least, &made.least));
  CALL(wisp_new(err, made.kernels, sizeof *made.own, &made.own));
  CALL(wisp_chooser_open_store(err, sweep->strategies, sweep->request->db, false, NULL, &store));
  const wisp_chooser from = {sweep->strategies, store, sweep->bench.limits, &scopes};
  for (int k = 0; k < (int)made.kernels; k++)
    for (int l = 0; l < scope->layouts && wisp_family_composes(sweep->family, sweep->family->kernels[k].name); l++)
      CALL(look(err, sweep, scope, &from, k, l, &made));
  return GIVE(made, out);
}

/* A kernel had its share of the budget: where that was enough for a search, its winners are what it takes. */
static void note_prospects(prospects *p, const wisp_sweep *sweep, int kernel)
{
  for (int l = 0; l < p->layouts; l++) {
    const wisp_trial *best = &sweep->best[kernel][l];
    if (!(best->ms > 0)) continue;
    const double ms = best->ms / (double)best->elements;
    p->own[kernel][l] = ms;
    if (sweep->searched) p->least[kernel][l] = (1 - SEARCHED) * ms;
  }
}

/* A composition's kernels in a layout together, those of other families aside. */
static double together(const wisp_sweep *sweep, const char *composition, double (*of)[8], int layout)
{
  double sum = 0;
  for (char name[WISP_NAME_TEXT]; wisp_composition_next(&composition, name);) {
    const wisp_kernel_decl *kernel = wisp_family_kernel(sweep->family, name);
    if (kernel) sum += of[kernel - sweep->family->kernels][layout];
  }
  return sum;
}

/* The least over the compositions that suit the spec and have the kernel, NULL: over all. */
static double least_of(const prospects *p, const wisp_sweep *sweep, const wisp_spec *spec, const char *kernel,
                       double (*of)[8])
{
  double least = INFINITY;
  for (const char *const *c = sweep->family->compositions; *c; c++) {
    if (kernel && !wisp_composition_has(*c, kernel)) continue;
    if (sweep->family->suits && sweep->family->suits(NULL, spec, *c) != WISP_OK) continue;
    for (int l = 0; l < p->layouts; l++) least = fmin(least, together(sweep, *c, of, l));
  }
  return least;
}

/* The worth of a kernel: 1 for the best composition, less the slower the best composition with it could be, and 0 where
 * none with it could be the fastest. 1 for kernels of no composition, and where no stage was measured. */
static double worth_of(const prospects *p, const wisp_sweep *sweep, const wisp_spec *spec, int kernel)
{
  if (!p->kernels || !wisp_family_composes(sweep->family, sweep->family->kernels[kernel].name)) return 1;
  double own_least = INFINITY;
  for (int l = 0; l < p->layouts; l++) own_least = fmin(own_least, p->least[kernel][l]);
  if (!isfinite(own_least)) return NEXT_TO_NOTHING;
  const double best = least_of(p, sweep, spec, NULL, p->own);
  if (!(best > 0) || !isfinite(best)) return 1;
  const double hope = least_of(p, sweep, spec, sweep->family->kernels[kernel].name, p->least) / best;
  return hope >= 1 ? 0 : exp(-fmax(0, hope - (1 - AT_MOST)) / WORTH);
}

/* ---- Orders and precisions. */

/* A candidate this much slower than the best is dropped after its first samples. */
static const double DROP_BUDGET = 1.25, DROP_EXHAUSTIVE = 1.5;

bool wisp_tune_wants(const wisp_tune_request *request, const char *kernel)
{
  const char *at = request->kernel;
  const size_t length = strlen(kernel);
  for (; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, kernel, length) == 0 && (at[length] == ',' || !at[length])) return true;
  return !request->kernel;
}

bool wisp_sweep_wants(const wisp_sweep *sweep, int kernel)
{
  const char *name = sweep->family->kernels[kernel].name;
  const bool wanted = wisp_sweep_compositions_alone(sweep) || wisp_tune_wants(sweep->request, name);
  return wanted && wisp_workload_serves(sweep->family->name, name);
}

static bool has_compositions(const wisp_sweep *sweep)
{
  return sweep->family->compositions[0];
}

/* Starts a unit from what the store knows now, other workers' trials included. */
static wisp_status begin_unit(wisp_error *err, wisp_sweep *sweep, const wisp_unit *given)
{
  const wisp_tune_request *request = sweep->request;
  const wisp_limits *limits = sweep->bench.limits;
  int kernels = 0;
  while (sweep->family->kernels[kernels].name) kernels++;
  CALL(wisp_require(err, kernels <= WISP_MAX_KERNELS, WISP_EUSAGE, "family %s has %d kernels, must be at most %d",
                    sweep->family->name, kernels, WISP_MAX_KERNELS));
  memset(sweep->best, 0, WISP_MAX_KERNELS * sizeof *sweep->best);
  sweep->unit = *given;
  sweep->changed = false;
  sweep->here = 0;
  sweep->parts_done = sweep->left = 0;
  sweep->parts = has_compositions(sweep);
  for (int k = 0; sweep->family->kernels[k].name; k++) sweep->parts += wisp_sweep_wants(sweep, k);
  if (isfinite(sweep->deadline)) {
    wisp_seeds_free(&sweep->seeds);
    CALL(wisp_seeds_load(err, request->db, limits->name, limits->target, &sweep->seeds));
  }
  return WISP_OK;
}

wisp_spec wisp_sweep_spec(const wisp_sweep *sweep, int order, wisp_precision precision)
{
  wisp_spec spec = wisp_family_spec(sweep->family, order, sweep->request->system, precision);
  if (sweep->request->element) wisp_spec_name_element(&spec, sweep->request->element);
  return spec;
}

/* The first trials: the kernels of the best stage that any layer of the store knows, which is what a solver takes here
 * today. */
static wisp_status try_best_stage(wisp_error *err, wisp_sweep *sweep, const wisp_scope *kernels)
{
  wisp_scope scope = *kernels;
  OWNED(wisp_store_close) wisp_store *store = NULL;
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  wisp_choose_request request = {.spec = scope.spec, .layout = sweep->request->layout};
  CALL(wisp_chooser_open_store(err, sweep->strategies, sweep->request->db, false, NULL, &store));
  wisp_spec_name_kernel(&request.spec, WISP_COMPOSITION);
  CALL(wisp_choose_if_any(err, &(wisp_chooser){sweep->strategies, store, sweep->bench.limits, NULL}, &request, &stage));
  for (int i = 0; i < stage.kernels; i++) {
    const wisp_kernel_decl *kernel =
        stage.external_names[i] ? NULL : wisp_family_kernel(sweep->family, stage.choice[i].kernel);
    if (!kernel || !wisp_sweep_wants(sweep, (int)(kernel - sweep->family->kernels))) continue;
    wisp_spec_name_kernel(&scope.spec, kernel->name);
    CALL(wisp_bench_set_problem(err, &sweep->bench, &scope.spec, sweep->request->elements));
    CALL(wisp_sweep_try(err, sweep, &scope, (int)(kernel - sweep->family->kernels), stage.plan[i]));
  }
  return WISP_OK;
}

/* The worth of whole stages, beside a kernel of the best one. */
static const double STAGES_WORTH = 0.5;

/* The kernel that is worth most of those that are left, and its share of the time that is left; -1: none is worth any.
 */
static int next_kernel(wisp_sweep *sweep, const prospects *p, const wisp_spec *spec, const bool *done)
{
  int next = -1;
  double most = 0, all = has_compositions(sweep) ? STAGES_WORTH : 0;
  for (int k = 0; sweep->family->kernels[k].name; k++) {
    if (done[k] || !wisp_sweep_wants(sweep, k)) continue;
    const double worth = worth_of(p, sweep, spec, k);
    all += worth;
    if (worth > most) next = k, most = worth;
  }
  sweep->share = most / all;
  return next;
}

static wisp_status tune_kernels(wisp_error *err, wisp_sweep *sweep, wisp_scope *scope)
{
  HELD(free_prospects) prospects found = {0};
  bool done[WISP_MAX_KERNELS] = {false};
  const wisp_tune_request *r = sweep->request;
  /* All of the order is looked for, so that what no stage needs can be left aside. */
  const bool all = has_compositions(sweep) && !r->kernel && !r->strategy && !r->defaults_only;
  if (all) CALL(try_best_stage(err, sweep, scope));
  if (all && isfinite(sweep->deadline)) CALL(find_prospects(err, sweep, scope, &found));
  for (int k; (k = next_kernel(sweep, &found, &scope->spec, done)) >= 0; done[k] = true) {
    wisp_spec_name_kernel(&scope->spec, sweep->family->kernels[k].name);
    CALL(wisp_bench_set_problem(err, &sweep->bench, &scope->spec, sweep->request->elements));
    CALL(wisp_sweep_kernel(err, sweep, scope, k));
    if (found.kernels) note_prospects(&found, sweep, k);
    sweep->parts_done++;
  }
  return WISP_OK;
}

static wisp_status tune_unit(wisp_error *err, wisp_sweep *sweep, const wisp_unit *given)
{
  wisp_status status = WISP_OK;
  const wisp_tune_request *request = sweep->request;
  wisp_target target = wisp_limits_target(sweep->bench.limits);
  const wisp_spec spec = wisp_sweep_spec(sweep, given->order, given->precision);
  HELD(wisp_scope_free) wisp_scope scope = {0};
  TRY(begin_unit(err, sweep, given));
  TRY(wisp_scope_create(err, sweep->family, &spec, &target, request->layout, &scope));
  TRY(tune_kernels(err, sweep, &scope));
  /* A step of some kernels only would hide the one of all. */
  const bool all = !request->kernel || wisp_sweep_compositions_alone(sweep);
  if (all && !request->strategy) TRY(wisp_sweep_compositions(err, sweep, &scope));
done:
  wisp_pipeline_drop(sweep->pipeline); /* its plans use the scope's names */
  return status;
}

/* Says at once what making the problems would find out in the end: those of some order do not fit the device. */
static wisp_status check_sizes(wisp_error *err, const wisp_sweep *sweep, const wisp_limits *limits)
{
  const wisp_tune_request *request = sweep->request;
  for (size_t i = 0; i < request->order_count * request->precision_count; i++) {
    wisp_spec spec = wisp_sweep_spec(sweep, request->orders[i % request->order_count],
                                     request->precisions[i / request->order_count]);
    for (int k = 0; sweep->family->kernels[k].name; k++) {
      if (!wisp_sweep_wants(sweep, k)) continue;
      wisp_spec_name_kernel(&spec, sweep->family->kernels[k].name);
      CALL(wisp_bench_fits(err, limits, request->source, &spec, request->elements));
    }
  }
  return WISP_OK;
}

wisp_status wisp_sweep_work(wisp_error *err, void *context, const wisp_link *link)
{
  wisp_status status = WISP_OK;
  wisp_sweep *sweep = context;
  OWNED(wisp_device_close) wisp_device *device = NULL;
  wisp_unit given;
  bool there = false;
  const long cores = sweep->request->jobs > 0 ? sweep->request->jobs : sysconf(_SC_NPROCESSORS_ONLN);
  const long each = cores / (long)sweep->workers;
  sweep->link = link;
  TRY(wisp_new(err, WISP_MAX_KERNELS, sizeof *sweep->best, &sweep->best));
  TRY(wisp_device_open(err, link->device, &device));
  sweep->summary.limits = *wisp_device_limits(device);
  TRY(check_sizes(err, sweep, &sweep->summary.limits));
  TRY(wisp_compiler_probe(err, sweep->summary.limits.target)); /* else each candidate would seem to be at fault */
  TRY(wisp_bench_create(err, device, isfinite(sweep->deadline) ? DROP_BUDGET : DROP_EXHAUSTIVE, &sweep->bench));
  sweep->bench.source = sweep->request->source ? *sweep->request->source : wisp_mesh_source_irregular();
  sweep->bench.link = link;
  /* The cores compile for all workers of this host. Far ahead only where the order is fixed, and not where the cores
   * that compile are those that are timed. */
  TRY(wisp_pipeline_create(err, sweep->bench.limits->target, each > 1 ? (int)each : 1,
                           !sweep->bench.limits->gpu || isfinite(sweep->deadline) ? 1 : 3, &sweep->pipeline));
  TRY(wisp_link_next(err, link, &sweep->summary, &given, &there));
  while (there) {
    TRY(tune_unit(err, sweep, &given));
    wisp_profile_flush(&sweep->bench.profile, sweep->summary.spent);
    TRY(wisp_link_next(err, link, &sweep->summary, &given, &there));
  }
done:
  wisp_pipeline_destroy(sweep->pipeline);
  wisp_bench_free(&sweep->bench);
  wisp_seeds_free(&sweep->seeds);
  free(sweep->best);
  return status;
}
