/* A worker's side: the rows of the units that it is given, compiled together and verified in turn. */
#include "recheck_parts.h"
#include "../search/search.h"
#include "../trial/trial.h"
#include "../../runtime/compilers.h"

#include <string.h>
#include <unistd.h>

/* Plans that wait for their turn, a job: all of a unit. */
enum { AHEAD = 64 };

typedef struct worker {
  const wisp_recheck_job *job;
  const wisp_link *link;
  wisp_bench bench;
  wisp_pipeline *pipeline;
  wisp_tune_summary summary;
} worker;

static wisp_status make_plan(wisp_error *err, const worker *w, const wisp_scope *scope, const wisp_recheck_row *row,
                             wisp_plan **out)
{
  const wisp_trial *t = row->trial;
  const wisp_strategy *strategy =
      wisp_strategies_find(w->job->request->strategies, row->spec.family, row->spec.kernel, t->strategy);
  CALL(wisp_require(err, strategy, WISP_EREFUSED, "there is no strategy '%s' of %s", t->strategy, row->spec.kernel));
  for (int l = 0; l < scope->layouts; l++) {
    char layout[WISP_LAYOUT_TEXT];
    wisp_layout_print(&scope->layout[l], layout);
    if (strcmp(layout, t->layout) != 0) continue;
    return wisp_plan_from_text(err, strategy, &row->spec, &scope->layout[l], scope->names[l], t->params, out);
  }
  return wisp_fail(err, WISP_EREFUSED, "layout %s is none of this device's", t->layout);
}

/* Stores a row's verdict and tells the tuner; where memory may be damaged, another worker goes on. */
static wisp_status add_verdict(wisp_error *err, worker *w, const wisp_trial *verdict, size_t left)
{
  wisp_note note = {.kind = WISP_NOTE_ADD, .trial = *verdict, .left = (long long)left};
  wisp_summary_count(&w->summary, verdict);
  wisp_profile_flush(&w->bench.profile, w->summary.spent);
  note.summary = w->summary;
  CALL(wisp_link_ask(err, w->link, &note, NULL));
  if (!w->bench.doubtful) return WISP_OK;
  wisp_pipeline_drop(w->pipeline); /* compilers leave nothing behind when they end in order */
  wisp_link_ask(NULL, w->link, &(wisp_note){.kind = WISP_NOTE_RESTART}, NULL);
  _exit(0); /* what a lost device holds cannot be given back */
}

static wisp_status set_problem(wisp_error *err, worker *w, const wisp_spec *spec)
{
  const wisp_workload *workload = NULL;
  CALL(wisp_workload_find(err, spec->family, spec->kernel, &workload));
  return wisp_bench_set_problem(err, &w->bench, spec, wisp_workload_many(workload, spec));
}

/* The key of a row that has no plan here. */
static void begin_refused(const worker *w, const wisp_recheck_row *row, wisp_trial *out)
{
  const wisp_layout none = wisp_layout_none();
  const wisp_trial *t = row->trial;
  wisp_trial_key(&w->bench, &row->spec, &none, t->strategy, t->template_hash, t->params, out);
  memcpy(out->layout, t->layout, sizeof out->layout);
}

/* Whether there is a verdict already, of this run or one before. */
static wisp_status is_known(wisp_error *err, worker *w, const wisp_trial *key, bool *known)
{
  wisp_trial stored;
  CALL(wisp_link_has(err, w->link, key, known, NULL, &stored));
  w->summary.known += *known;
  return WISP_OK;
}

static wisp_status take_job(wisp_error *err, worker *w, const wisp_trial *key, wisp_job **out)
{
  HELD(wisp_profile_leave) const wisp_profile_scope now = wisp_profile_enter(&w->bench.profile, WISP_COMPILING);
  CALL(wisp_link_begin(err, w->link, WISP_NOTE_COMPILE, key, 3 * wisp_compile_seconds()));
  *out = wisp_pipeline_take(w->pipeline);
  return wisp_link_begin(err, w->link, WISP_NOTE_COMPILED, key, 0);
}

/* The next row, whose plan was refused for this reason, or is the pipeline's oldest. */
static wisp_status verify_row(wisp_error *err, worker *w, const wisp_recheck_row *row, const wisp_error *refused,
                              size_t left)
{
  wisp_status status = WISP_OK;
  wisp_trial verdict;
  wisp_job *job = NULL;
  bool known = false;
  const wisp_job *next = wisp_pipeline_next(w->pipeline);
  TRY(set_problem(err, w, &row->spec));
  if (*refused->text)
    begin_refused(w, row, &verdict);
  else
    wisp_trial_begin(&w->bench, next->plan, next->is_default, &verdict);
  TRY(is_known(err, w, &verdict, &known));
  if (!*refused->text) TRY(take_job(err, w, &verdict, &job));
  if (known) goto done;
  if (job) TRY(wisp_trial_verify(err, &w->bench, job, &verdict));
  if (!job) wisp_reason_refuse(&verdict, 1, refused->text);
  TRY(add_verdict(err, w, &verdict, left));
done:
  wisp_job_free(job);
  return status;
}

static wisp_status verify_unit(wisp_error *err, worker *w, size_t unit)
{
  wisp_status status = WISP_OK;
  const wisp_recheck *r = w->job->recheck;
  const wisp_recheck_row *rows = r->rows + r->first[unit];
  const size_t count = r->first[unit + 1] - r->first[unit];
  const wisp_target target = wisp_limits_target(w->bench.limits);
  OWNED(free) wisp_error *refused = NULL;
  HELD(wisp_scope_free) wisp_scope scope = {0};
  TRY(wisp_new(err, count, sizeof *refused, &refused));
  TRY(wisp_scope_create(err, wisp_family_find(rows->spec.family), &rows->spec, &target, NULL, &scope));
  for (size_t i = 0; i < count; i++) {
    wisp_plan *plan = NULL;
    wisp_spec_name_kernel(&scope.spec, rows[i].spec.kernel);
    const wisp_status made = make_plan(&refused[i], w, &scope, &rows[i], &plan);
    TRY(wisp_require(err, made == WISP_OK || made == WISP_EREFUSED || made == WISP_EINPUT, made, "%s",
                     refused[i].text));
    if (made == WISP_OK) TRY(wisp_pipeline_submit(err, w->pipeline, plan, rows[i].trial->is_default == 1));
  }
  for (size_t i = 0; i < count; i++) TRY(verify_row(err, w, &rows[i], &refused[i], count - 1 - i));
done:
  wisp_pipeline_drop(w->pipeline); /* its plans use the scope's names */
  return status;
}

static void end_worker(worker *w)
{
  wisp_pipeline_destroy(w->pipeline);
  wisp_bench_free(&w->bench);
}

static wisp_status open_bench(wisp_error *err, worker *w, wisp_device *device)
{
  const int jobs = w->job->request->jobs;
  const long cores = jobs > 0 ? jobs : sysconf(_SC_NPROCESSORS_ONLN), each = cores / (long)w->job->workers;
  w->summary.limits = *wisp_device_limits(device);
  CALL(wisp_compiler_probe(err, w->summary.limits.target)); /* else each row would seem to be at fault */
  CALL(wisp_bench_create(err, device, 1, &w->bench));
  w->bench.source = wisp_mesh_source_irregular();
  w->bench.link = w->link;
  w->bench.sharers = w->job->workers;
  return wisp_pipeline_create(err, w->summary.limits.target, each > 1 ? (int)each : 1, AHEAD, &w->pipeline);
}

wisp_status wisp_recheck_work(wisp_error *err, void *context, const wisp_link *link)
{
  OWNED(wisp_device_close) wisp_device *device = NULL;
  HELD(end_worker) worker w = {.job = context, .link = link};
  wisp_unit given = {.order = 0};
  bool there = false;
  CALL(wisp_device_open(err, link->device, &device));
  CALL(open_bench(err, &w, device));
  CALL(wisp_link_next(err, link, &w.summary, &given, &there));
  while (there) {
    CALL(verify_unit(err, &w, (size_t)given.order));
    wisp_profile_flush(&w.bench.profile, w.summary.spent);
    CALL(wisp_link_next(err, link, &w.summary, &given, &there));
  }
  return WISP_OK;
}
