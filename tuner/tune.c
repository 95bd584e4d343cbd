/* The sweep, as a worker goes through it: the orders and precisions that it is given, and in each kernels, problems,
 * candidates, in this order. */
#include "devices.h"
#include "final.h"
#include "random.h"
#include "supervisor.h"
#include "../runtime/host_compile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A candidate this much slower than the best is dropped after its first samples. */
static const double DROP_BUDGET = 1.25, DROP_EXHAUSTIVE = 1.5;
/* At this share of the floor's speed there is nothing left to find: the floor is measured no better. */
static const double ENOUGH_GPU = 0.97;
/* Of a kernel's share of a budget, what is kept for its final round. */
static const double FINAL_SHARE = 0.1;

double wisp_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void wisp_spend(double *purpose, double *since)
{
  const double now = wisp_seconds();
  *purpose += now - *since;
  *since = now;
}

/* --- records --- */

/* What is to come here is estimated here, told by the tuner. */
wisp_status wisp_sweep_add(wisp_error *err, wisp_sweep *sweep, const wisp_trial *trial, const wisp_trial *best)
{
  wisp_tune_summary *sum = &sweep->summary;
  wisp_answer_note answer;
  wisp_note note = {.kind = WISP_NOTE_ADD, .trial = *trial};
  wisp_summary_count(sum, trial);
  sum->verifying += sweep->bench.verifying;
  sum->timing += sweep->bench.timing;
  sweep->bench.verifying = sweep->bench.timing = 0;
  sweep->changed = true;
  sweep->here++;
  double parts_left = (double)(sweep->parts - sweep->parts_done) - 1; /* not this one */
  double mean = (double)sweep->here / (double)(sweep->parts_done + 1);
  if (best) note.best = *best;
  note.left = (long long)sweep->left + (long long)(fmax(parts_left, 0) * mean);
  note.summary = *sum;
  wisp_status status = wisp_link_ask(err, sweep->link, &note, &answer);
  if (status == WISP_OK && isfinite(sweep->deadline)) status = wisp_seeds_add(err, &sweep->seeds, trial);
  return status;
}

void wisp_sweep_replace(wisp_sweep *sweep)
{
  if (!sweep->bench.doubtful) return;
  wisp_pipeline_drop(sweep->pipeline); /* compilers leave nothing behind when they end in order */
  wisp_link_restart(sweep->link);
}

/* Refused candidates can be thousands: one row a strategy, layout and reason stands for all, with params *1, *2, ... */
static wisp_status store_refusals(wisp_error *err, wisp_sweep *sweep, const wisp_search *search)
{
  wisp_status status = WISP_OK;
  int number = 0;
  for (size_t i = 0; i < search->refusals; i++) {
    const wisp_refusal *r = &search->refusal[i];
    bool same = i > 0 && r[-1].strategy == r->strategy && r[-1].layout == r->layout, known = false;
    char params[16], hash[20];
    wisp_trial trial;
    number = same ? number + 1 : 1;
    snprintf(params, sizeof params, "*%d", number);
    wisp_strategy_hash(r->strategy, search->scope->spec.system, hash);
    wisp_trial_key(&sweep->bench, &search->scope->spec, &search->scope->layout[r->layout],
                   wisp_strategy_name(r->strategy), hash, params, &trial);
    snprintf(trial.outcome, sizeof trial.outcome, "refused");
    snprintf(trial.reason, sizeof trial.reason, "%lld candidates: %s", r->count, r->reason);
    if (!sweep->again) sweep->summary.refused += r->count;
    TRY(wisp_link_has(err, sweep->link, &trial, &known, NULL, NULL));
    if (!known) TRY(wisp_link_put(err, sweep->link, &trial));
  }
done:
  return status;
}

static void keep_best(const wisp_trial *trial, wisp_trial *best)
{
  if (strcmp(trial->outcome, "ok") != 0 || !(trial->ms > 0)) return;
  if (best->ms <= 0 || wisp_contest_ms(trial) < wisp_contest_ms(best)) *best = *trial;
}

static bool is_host(const wisp_sweep *sweep)
{
  return strcmp(sweep->bench.limits->kind, "host") == 0;
}

/* --- one kernel --- */

typedef struct unit {
  wisp_sweep *sweep;
  wisp_search search;
  wisp_trial *best;            /* by layout */
  wisp_incumbent incumbent[8]; /* by layout */
  wisp_finalists finalists;
  double deadline;
  bool tried;       /* something at least: even where earlier ones used up the time */
  bool has_default; /* it was tried, today or before; or there is none */
} unit;

static int layout_of(const unit *u, const wisp_plan *plan)
{
  const wisp_scope *scope = u->search.scope;
  for (int l = 0; l < scope->layouts; l++)
    if (memcmp(&scope->layout[l], wisp_plan_layout(plan), sizeof(wisp_layout)) == 0) return l;
  return 0;
}

/* A candidate that the store knows is not tried again, but counts as a rival of those that are. */
static wisp_status look_up(wisp_error *err, unit *u, const wisp_candidate *c, bool *known)
{
  wisp_status status = WISP_OK;
  wisp_sweep *sweep = u->sweep;
  wisp_plan *plan = NULL;
  wisp_trial key, trial;
  bool tried = false; /* by this sweep, perhaps by a worker before this one */
  TRY(wisp_candidate_plan(err, u->search.scope, c, &plan));
  wisp_trial_begin(&sweep->bench, plan, c->is_default, &key);
  TRY(wisp_link_has(err, sweep->link, &key, known, &tried, &trial));
  if (!*known) goto done;
  bool failed = strcmp(trial.outcome, "ok") != 0 && strcmp(trial.outcome, "slow") != 0;
  if (failed && sweep->request->retry_failed && !tried) {
    *known = false;
    goto done;
  }
  sweep->summary.known += !sweep->again && !tried;
  if (tried && !sweep->again && sweep->resumed) {
    sweep->changed = true;
    sweep->summary.refused += strcmp(trial.outcome, "refused") == 0;
  }
  u->has_default |= c->is_default;
  keep_best(&trial, &u->best[c->layout]);
  TRY(wisp_finalists_add(err, &u->finalists, &trial));
  u->incumbent[c->layout].ms = u->best[c->layout].ms;
done:
  wisp_plan_destroy(plan);
  return status;
}

/* Looked up before anything is tried: the share of a budget depends on what is left, and the whole step on all winners,
 * whether or not there is time for more. */
static wisp_status leave_out_known(wisp_error *err, unit *u)
{
  wisp_status status = WISP_OK;
  size_t left = 0;
  bool ahead = false; /* a default that is not known */
  for (size_t i = 0; i < u->search.count; i++) {
    bool known = false;
    TRY(look_up(err, u, &u->search.candidates[i], &known));
    if (known) continue;
    ahead |= u->search.candidates[i].is_default;
    u->search.candidates[left++] = u->search.candidates[i];
  }
  u->search.count = left;
  u->has_default |= !ahead;
done:
  return status;
}

/* Keeps the pipeline full with candidates of this problem. */
static wisp_status fill(wisp_error *err, unit *u)
{
  wisp_status status = WISP_OK;
  while (!wisp_pipeline_full(u->sweep->pipeline)) {
    const wisp_candidate *c = wisp_search_next(&u->search);
    wisp_plan *plan = NULL;
    if (!c) break;
    TRY(wisp_candidate_plan(err, u->search.scope, c, &plan));
    TRY(wisp_pipeline_submit(err, u->sweep->pipeline, plan, c->is_default));
  }
done:
  return status;
}

/* The next compiled candidate; NULL where there is none. The tuner ends us where the compiler does not end. */
static wisp_status take(wisp_error *err, unit *u, wisp_job **out)
{
  wisp_status status = WISP_OK;
  wisp_sweep *sweep = u->sweep;
  wisp_trial key;
  bool host = is_host(sweep);
  double since = wisp_seconds();
  *out = NULL;
  if (!host || wisp_pipeline_empty(sweep->pipeline)) TRY(fill(err, u));
  const wisp_job *next = wisp_pipeline_next(sweep->pipeline);
  if (!next) goto done;
  wisp_trial_begin(&sweep->bench, next->plan, next->is_default, &key);
  TRY(wisp_link_begin(err, sweep->link, WISP_NOTE_COMPILE, &key, 60 + 2 * wisp_compile_seconds()));
  if (host) wisp_pipeline_settle(sweep->pipeline); /* the cores that compile are those that are timed */
  *out = wisp_pipeline_take(sweep->pipeline);
  TRY(wisp_link_begin(err, sweep->link, WISP_NOTE_COMPILED, &key, 0));
done:
  wisp_spend(&sweep->summary.compiling, &since);
  return status;
}

/* Is a layout's best so near to the roofline that no search finds more? What fits the caches may be faster than that.
 */
static bool is_enough(const unit *u, int layout)
{
  const wisp_sweep *sweep = u->sweep;
  const wisp_trial *best = &u->best[layout];
  bool cached = is_host(sweep) || 1e6 * best->gbps * best->ms < 2 * (double)sweep->bench.limits->l2;
  double enough = sweep->request->enough > 0 ? sweep->request->enough : cached ? INFINITY : ENOUGH_GPU;
  return isfinite(sweep->deadline) && best->ms > 0 && best->efficiency >= enough;
}

/* The candidates of one problem, until `until`; at least one. */
static wisp_status tune_problem(wisp_error *err, unit *u, double until)
{
  wisp_status status = WISP_OK;
  wisp_sweep *sweep = u->sweep;
  wisp_trial trial;
  bool enough = false;
  do {
    wisp_job *job = NULL;
    TRY(take(err, u, &job));
    if (!job) break;
    int layout = layout_of(u, job->plan);
    TRY(wisp_trial_run(err, &sweep->bench, job, &u->incumbent[layout], &trial));
    keep_best(&trial, &u->best[layout]);
    TRY(wisp_finalists_add(err, &u->finalists, &trial));
    enough = is_enough(u, layout);
    u->has_default |= trial.is_default == 1;
    wisp_search_tell(&u->search, &trial);
    sweep->left = u->search.count - u->search.next;
    TRY(wisp_sweep_add(err, sweep, &trial, &u->best[layout]));
    wisp_sweep_replace(sweep);
  } while (wisp_seconds() < until && !enough);
done:
  wisp_pipeline_drop(sweep->pipeline);
  return status;
}

/* A short time is spent on what is known to be good nearby. */
static wisp_status guide(wisp_error *err, unit *u)
{
  wisp_status status = WISP_OK;
  const wisp_sweep *sweep = u->sweep;
  wisp_target target = wisp_limits_target(sweep->bench.limits);
  wisp_point *known = NULL;
  size_t count = 0;
  TRY(wisp_seeds_for(err, &sweep->seeds, &u->search.scope->spec, &count, &known));
  TRY(wisp_search_guide(err, &u->search, &target, count, known));
done:
  free(known);
  return status;
}

static wisp_status tune_kernel(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, int kernel)
{
  wisp_status status = WISP_OK;
  unit u = {.sweep = sweep, .best = sweep->best[kernel]};
  double now = wisp_seconds();
  u.deadline = now + (1 - FINAL_SHARE) * (sweep->until - now) / (double)(sweep->parts - sweep->parts_done);
  TRY(wisp_search_create(err, sweep->strategies, scope, sweep->request->strategy, WISP_RANDOM_SEED, &u.search));
  TRY(store_refusals(err, sweep, &u.search));
  TRY(leave_out_known(err, &u));
  if (isfinite(sweep->deadline)) TRY(guide(err, &u));
  while (wisp_search_next_problem(&u.search)) {
    now = wisp_seconds();
    if (u.has_default && (now >= sweep->deadline || (now >= u.deadline && u.tried))) break;
    if (u.has_default && is_enough(&u, u.search.candidates[u.search.begin].layout)) continue;
    u.tried = true;
    double share = (u.deadline - now) / (double)wisp_search_problems_left(&u.search);
    TRY(tune_problem(err, &u, now + share));
  }
  for (int l = 0; l < scope->layouts; l++) TRY(wisp_sweep_final(err, sweep, scope, l, &u.finalists, &u.best[l]));
done:
  free(u.finalists.trials);
  for (int l = 0; l < 8; l++) wisp_incumbent_free(&u.incumbent[l]);
  wisp_search_free(&u.search);
  return status;
}

/* --- the sweep --- */

static bool wanted(const wisp_sweep *sweep, int kernel)
{
  const char *only = sweep->request->kernel;
  const char *name = sweep->family->kernels[kernel];
  return (!only || strcmp(only, name) == 0) && wisp_workload_serves(sweep->family->name, name);
}

static bool has_steps(const wisp_sweep *sweep)
{
  return sweep->family->compositions[0];
}

/* Where this unit starts from: what the store knows now, other workers' trials included. */
static wisp_status begin_unit(wisp_error *err, wisp_sweep *sweep, const wisp_unit *given)
{
  wisp_status status = WISP_OK;
  const wisp_tune_request *request = sweep->request;
  const wisp_limits *limits = sweep->bench.limits;
  memset(sweep->best, 0, WISP_MAX_KERNELS * sizeof *sweep->best);
  sweep->again = given->again;
  sweep->resumed = given->resumed;
  sweep->until = given->until;
  sweep->changed = false;
  sweep->here = 0;
  sweep->parts_done = sweep->left = 0;
  sweep->parts = has_steps(sweep);
  for (int k = 0; sweep->family->kernels[k]; k++) sweep->parts += wanted(sweep, k);
  if (isfinite(sweep->deadline)) {
    wisp_seeds_free(&sweep->seeds);
    TRY(wisp_seeds_load(err, request->db, limits->name, limits->target, &sweep->seeds));
  }
done:
  return status;
}

static wisp_status tune_unit(wisp_error *err, wisp_sweep *sweep, const wisp_unit *given)
{
  wisp_status status = WISP_OK;
  const wisp_tune_request *request = sweep->request;
  wisp_target target = wisp_limits_target(sweep->bench.limits);
  wisp_spec spec = wisp_family_spec(sweep->family, given->order, request->system, given->precision);
  wisp_scope scope = {0};
  TRY(begin_unit(err, sweep, given));
  TRY(wisp_scope_create(err, sweep->family, &spec, &target, request->layout, &scope));
  for (int k = 0; sweep->family->kernels[k]; k++) {
    if (!wanted(sweep, k)) continue;
    snprintf(scope.spec.kernel, sizeof scope.spec.kernel, "%s", sweep->family->kernels[k]);
    TRY(wisp_bench_set_problem(err, &sweep->bench, &scope.spec, request->elements));
    TRY(tune_kernel(err, sweep, &scope, k));
    sweep->parts_done++;
  }
  /* A step of some kernels only would hide the one of all. */
  if (!request->kernel && !request->strategy) TRY(wisp_sweep_steps(err, sweep, &scope));
done:
  wisp_scope_free(&scope);
  return status;
}

static bool has_layout(const wisp_family *family, int order, const char *name)
{
  wisp_layout layouts[8];
  char text[WISP_LAYOUT_TEXT];
  int count = family->layouts(order, layouts);
  for (int i = 0; i < count; i++) {
    wisp_layout_print(&layouts[i], text);
    if (!name || strcmp(text, name) == 0) return true;
  }
  return false;
}

static bool has_strategy(const wisp_sweep *sweep)
{
  const char *kernel = sweep->request->kernel, *strategy = sweep->request->strategy;
  for (size_t i = 0; i < wisp_strategies_count(sweep->strategies); i++) {
    const wisp_strategy *s = wisp_strategies_at(sweep->strategies, i);
    if (strcmp(wisp_strategy_family(s), sweep->family->name) == 0 &&
        (!kernel || strcmp(wisp_strategy_kernel(s), kernel) == 0) &&
        (!strategy || strcmp(wisp_strategy_name(s), strategy) == 0))
      return true;
  }
  return false;
}

/* Everything that could make the sweep end in the middle for a misspelt word. */
static wisp_status check_request(wisp_error *err, const wisp_sweep *sweep)
{
  wisp_status status = WISP_OK;
  const wisp_tune_request *r = sweep->request;
  const wisp_family *family = sweep->family;
  int kernels = 0;
  TRY(wisp_require(err, family, WISP_EUSAGE, "there is no family '%s'", r->family));
  for (size_t i = 0; i < r->order_count; i++) {
    TRY(wisp_require(err, r->orders[i] >= family->orders[0] && r->orders[i] <= family->orders[1], WISP_EUSAGE,
                     "order %d: family %s has orders %d to %d", r->orders[i], family->name, family->orders[0],
                     family->orders[1]));
    TRY(wisp_require(err, has_layout(family, r->orders[i], r->layout), WISP_EUSAGE,
                     "order %d has no layout '%s': 'wisp emit -n %d' lists its layouts", r->orders[i], r->layout,
                     r->orders[i]));
  }
  for (int k = 0; family->kernels[k]; k++) kernels += wanted(sweep, k);
  TRY(wisp_require(err, kernels > 0, WISP_EUSAGE, "family %s has no kernel '%s' to tune: 'wisp emit' lists them",
                   family->name, r->kernel));
  TRY(wisp_require(err, has_strategy(sweep), WISP_EUSAGE, "no strategy '%s' for %s: 'wisp emit' lists them",
                   r->strategy ? r->strategy : "", r->kernel ? r->kernel : family->name));
done:
  return status;
}

static wisp_status open_store(wisp_error *err, const wisp_tune_request *request, wisp_writer **out)
{
  wisp_status status = WISP_OK;
  char *path = NULL, *warning = NULL;
  if (!request->db) TRY(wisp_store_user_path(err, &path));
  TRY(wisp_writer_open(err, path ? path : request->db, &warning, out));
  if (warning && request->warn) request->warn(request->context, warning);
done:
  free(path), free(warning);
  return status;
}

/* The cores compile for all workers of this host. */
static int jobs_of(const wisp_sweep *sweep)
{
  long cores = sweep->request->jobs > 0 ? sweep->request->jobs : sysconf(_SC_NPROCESSORS_ONLN);
  long each = cores / (long)sweep->workers;
  return each > 1 ? (int)each : 1;
}

/* What a worker does. */
static wisp_status work(wisp_error *err, void *context, const wisp_link *link)
{
  wisp_status status = WISP_OK;
  wisp_sweep *sweep = context;
  wisp_device *device = NULL;
  wisp_unit given;
  bool there = false;
  sweep->link = link;
  TRY(wisp_new(err, WISP_MAX_KERNELS, sizeof *sweep->best, &sweep->best));
  TRY(wisp_device_open(err, link->device, &device));
  sweep->summary.limits = *wisp_device_limits(device);
  TRY(wisp_bench_create(err, device, isfinite(sweep->deadline) ? DROP_BUDGET : DROP_EXHAUSTIVE, &sweep->bench));
  sweep->bench.link = link;
  /* Where the cores that compile are those that are timed, compiling far ahead only delays the first trial. */
  TRY(wisp_pipeline_create(err, sweep->bench.limits->target, jobs_of(sweep), is_host(sweep) ? 1 : 3, &sweep->pipeline));
  TRY(wisp_link_next(err, link, &sweep->summary, &given, &there));
  while (there) {
    TRY(tune_unit(err, sweep, &given));
    TRY(wisp_link_next(err, link, &sweep->summary, &given, &there));
  }
done:
  wisp_pipeline_destroy(sweep->pipeline);
  wisp_bench_free(&sweep->bench);
  wisp_device_close(device);
  wisp_seeds_free(&sweep->seeds);
  free(sweep->best);
  return status;
}

/* --- the tuner --- */

/* Two workers on one device disturb each other: whoever asks for that should know. */
static void warn_of_pairs(const wisp_tune_request *request, size_t count, char *const *names)
{
  for (size_t i = 0; i < count && request->warn; i++)
    for (size_t k = 0; k < i; k++) {
      char text[160];
      if (strcmp(names[i], names[k]) != 0) continue;
      snprintf(text, sizeof text, "device %.40s is in the list twice: its workers share it, and their times suffer",
               names[i]);
      request->warn(request->context, text);
      return;
    }
}

wisp_status wisp_tune(wisp_error *err, const char *devices, const wisp_tune_request *request, wisp_tune_summary *out)
{
  wisp_status status = WISP_OK, closed = WISP_OK;
  wisp_sweep sweep = {.request = request, .start = wisp_seconds()};
  wisp_writer *writer = NULL;
  wisp_tune_summary summary = {0};
  char **names = NULL;
  sweep.family = wisp_family_find(request->family);
  sweep.deadline = request->budget_seconds > 0 ? sweep.start + request->budget_seconds : INFINITY;
  TRY(wisp_strategies_load(err, &sweep.strategies));
  TRY(check_request(err, &sweep));
  TRY(wisp_devices_read(err, devices, &sweep.workers, &names));
  warn_of_pairs(request, sweep.workers, names);
  TRY(open_store(err, request, &writer));
  wisp_crew crew = {.request = request,
                    .count = sweep.workers,
                    .devices = names,
                    .writer = writer,
                    .body = work,
                    .context = &sweep,
                    .start = sweep.start,
                    .deadline = sweep.deadline};
  TRY(wisp_supervise(err, &crew, &summary));
  summary.seconds = wisp_seconds() - sweep.start;
  *out = summary;
done:
  closed = wisp_writer_close(status == WISP_OK ? err : NULL, writer);
  wisp_strategies_free(sweep.strategies);
  wisp_devices_free(sweep.workers, names);
  return status == WISP_OK ? closed : status;
}
