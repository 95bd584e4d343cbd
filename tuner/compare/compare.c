/* The comparison itself: everything is compiled ahead, in order; then row by row loaded, recorded and timed. */
#include "match_up.h"
#include "rival.h"
#include "../trial/trial.h"
#include "../trial/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Launches in a graph that is timed: so many that the host's part does not show. An even number of steps leaves u where
 * it was. */
enum { LAUNCHES = 4, STEPS = 2 };
enum { MAX_ROWS = 32 };

typedef struct comparer {
  wisp_device *device;
  const wisp_compare_request *request;
  wisp_bench bench, beside; /* the box, and the mesh beside it, for nothing but problems */
  wisp_pipeline *pipeline;
  wisp_blas *blas; /* NULL: there is none here */
  int done;        /* rows of this order and precision, and what they took */
  struct {
    char kernel[sizeof((wisp_spec *)0)->kernel];
    double ms;
  } rows[MAX_ROWS];
} comparer;

/* A contender made ready: kernels loaded, its launches recorded. */
typedef struct runner {
  wisp_problem_ref ref;
  int kernels;
  wisp_kernel **kernel;
  int *issued; /* by a warp of each; 0: not known */
  wisp_graph *graph;
  double runs; /* of the kernel, or stages, in the graph */
} runner;

static void release(runner *r)
{
  wisp_graph_destroy(r->graph);
  wisp_problem_ref_end(&r->ref);
  for (int i = 0; i < r->kernels; i++) wisp_kernel_destroy(r->kernel[i]);
  free(r->kernel);
  free(r->issued);
}

/* ---- Compiling ahead. */

static wisp_status submit(wisp_error *err, comparer *c, wisp_stage *stage)
{
  for (int i = 0; i < stage->kernels; i++) {
    wisp_plan *plan = stage->plan[i];
    stage->plan[i] = NULL; /* it comes back with its job */
    CALL(wisp_pipeline_submit(err, c->pipeline, plan, false));
  }
  return WISP_OK;
}

/* Takes the stage's jobs off the pipeline and loads its kernels. Where one does not compile or load, reason says why,
 * the others are taken all the same, and the runner stays empty. */
static wisp_status load(wisp_error *err, comparer *c, wisp_stage *stage, wisp_error *reason, runner *r)
{
  wisp_status status = WISP_OK, failed = wisp_new(reason, (size_t)stage->kernels, sizeof *r->kernel, &r->kernel);
  if (failed == WISP_OK) failed = wisp_new(reason, (size_t)stage->kernels, sizeof *r->issued, &r->issued);
  for (int i = 0; i < stage->kernels; i++) {
    wisp_job *job = wisp_pipeline_take(c->pipeline);
    stage->plan[i] = job->plan;
    job->plan = NULL;
    if (failed == WISP_OK && job->status != WISP_OK) failed = wisp_fail(reason, job->status, "%s", job->error.text);
    if (failed == WISP_OK) failed = wisp_kernel_create(reason, c->device, stage->plan[i], &job->binary, &r->kernel[i]);
    if (failed == WISP_OK) r->issued[r->kernels++] = job->binary.usage.issued;
    wisp_job_free(job);
  }
  if (failed == WISP_EMEMORY || failed == WISP_ESYSTEM) status = wisp_fail(err, failed, "%s", reason->text);
  if (failed == WISP_OK && stage->kernels) return WISP_OK;
  release(r);
  *r = (runner){.kernels = 0};
  return status;
}

/* ---- Recording. */

/* The same kernel over and over, or whole steps. */
static wisp_status record(wisp_error *err, const wisp_bench *bench, const wisp_spec *spec, const wisp_stage *stage,
                          runner *r)
{
  const wisp_workload *workload = bench->workload;
  const wisp_kernel *const *kernels = (const wisp_kernel *const *)r->kernel;
  wisp_status launched = WISP_OK;
  wisp_error later = {.text = ""};
  const bool composed = wisp_spec_is_composition(spec);
  if (!r->kernels) return WISP_OK;
  CALL(wisp_problems_acquire(err, bench->problems, (const wisp_plan *const *)stage->plan, stage->kernels, &r->ref));
  CALL(wisp_graph_begin(err, bench->device));
  for (int i = 0; launched == WISP_OK && i < (composed ? STEPS : LAUNCHES); i++)
    launched = composed ? wisp_problems_step(err, workload, r->ref.problem, kernels, r->kernels)
                        : wisp_problems_launch(err, workload, r->ref.problem, kernels[0], WISP_FOR_TIMING);
  const wisp_status ended = wisp_graph_end(&later, bench->device, &r->graph);
  CALL(launched);
  CALL(wisp_require(err, ended == WISP_OK, ended, "%s", later.text));
  r->runs = composed ? STEPS * *workload->stages : LAUNCHES;
  return WISP_OK;
}

static wisp_status replay(wisp_error *err, const void *context)
{
  const runner *r = context;
  return wisp_graph_replay(err, r->graph);
}

/* ---- One row. */

static void warn(const comparer *c, const char *text)
{
  if (c->request->warn) c->request->warn(c->request->context, text);
}

static void report_left_out(const comparer *c, const char *what, const char *why)
{
  char text[sizeof((wisp_error *)0)->text + 128];
  snprintf(text, sizeof text, WISP_MESSAGE("%s: left out: %s"), what, why);
  warn(c, text);
}

/* Who a stage is. Without a record, a stage matches as well as the best of its kernels. */
static wisp_choice name_of(const wisp_stage *stage)
{
  wisp_choice choice = stage->record;
  for (int i = 0; i < stage->kernels && stage->record.match == WISP_MATCH_DEFAULT; i++)
    if (stage->choice[i].match < choice.match)
      choice.match = stage->choice[i].match, choice.layer = stage->choice[i].layer;
  return choice;
}

static bool same_kernel(const wisp_choice *a, const wisp_choice *b)
{
  return strcmp(a->strategy, b->strategy) == 0 && strcmp(a->params, b->params) == 0 &&
         strcmp(a->layout, b->layout) == 0;
}

/* A kernel or stage that does not differ from the default need not be timed twice. */
static bool same_stage(const wisp_stage *a, const wisp_stage *b)
{
  bool same = a->kernels == b->kernels && strcmp(a->composition, b->composition) == 0;
  for (int i = 0; i < a->kernels && same; i++) same = same_kernel(&a->choice[i], &b->choice[i]);
  return same;
}

/* The largest error of the kernels that were verified; NaN where one was not measured here. */
static double error_of(const wisp_stage *stage)
{
  double error = 0;
  for (int i = 0; i < stage->kernels; i++)
    error = stage->choice[i].trial && !isnan(error) ? fmax(error, stage->choice[i].trial->error) : NAN;
  return error;
}

/* A multiprocessor issues an instruction of four warps in a cycle: which share of that one run of the kernels takes. */
static double issue_of(const comparer *c, const wisp_stage *stage, const runner *r, const wisp_comparison *row,
                       double clock_mhz)
{
  enum { WARP = 32, ISSUES = 4 };
  double issued = 0;
  for (int i = 0; i < r->kernels; i++) {
    const wisp_plan *plan = stage->plan[i];
    const int threads = (int)(plan->block[0] * plan->block[1] * plan->block[2]);
    unsigned grid[2] = {0, 0};
    if (!r->issued[i] || wisp_plan_grid(NULL, plan, r->ref.problem->d.counts, grid) != WISP_OK) return NAN;
    issued += (double)grid[0] * grid[1] * ((threads + WARP - 1) / WARP) * r->issued[i];
  }
  return issued / (row->ms * clock_mhz * 1e3 * c->bench.limits->units * ISSUES);
}

/* Fills the rates and the efficiency, by the tuner's rules. */
static wisp_status fill_row(wisp_error *err, const comparer *c, const wisp_stage *stage, const runner *r,
                            const wisp_contender *timed, wisp_comparison *row)
{
  wisp_trial trial;
  wisp_trial_key(&c->bench, &row->spec, &stage->layout, row->ours.strategy, "", "", &trial);
  const wisp_plan *plan = wisp_spec_is_composition(&row->spec) ? NULL : stage->plan[0];
  wisp_status status = wisp_trial_rate(err, &c->bench, &row->spec, plan, timed, r->runs, &trial);
  row->elements = trial.elements;
  row->ms = trial.ms;
  row->gdofs = trial.gdofs;
  row->gbps = trial.gbps;
  row->gflops = trial.gflops;
  row->efficiency = trial.efficiency;
  snprintf(row->floor, sizeof row->floor, "%s", trial.floor);
  row->copy_share = trial.gbps / c->bench.ceilings.copy_gbps;
  row->issue = issue_of(c, stage, r, row, trial.clock_mhz);
  return status;
}

/* Fills the time of the kernel that computes the same differently. */
static void fill_alternative(comparer *c, wisp_comparison *row)
{
  const wisp_alternative *a = c->bench.workload->alternatives;
  while (a && a->kernel && strcmp(a->kernel, row->spec.kernel) != 0) a++;
  if (a && a->kernel) row->alternative = a->other;
  for (int i = 0; i < c->done; i++)
    if (strcmp(c->rows[i].kernel, row->alternative) == 0) row->alternative_ms = c->rows[i].ms;
  if (c->done == MAX_ROWS) return;
  memcpy(c->rows[c->done].kernel, row->spec.kernel, sizeof row->spec.kernel);
  c->rows[c->done++].ms = row->ms;
}

/* With what a solver would run on the mesh, where something of ours has no room. */
static wisp_status record_fitting(wisp_error *err, comparer *c, wisp_match_up *up, const wisp_stage *ours,
                                  runner *on_mesh)
{
  wisp_stage *stage = &up->beside;
  char text[sizeof stage->choice->note + 512];
  for (int i = 0; i < stage->kernels; i++) {
    const wisp_choice *choice = &stage->choice[i];
    CALL(wisp_stage_make_fit(err, stage, i, wisp_problems_fit, c->beside.problems));
    snprintf(text, sizeof text, WISP_MESSAGE("on the mesh: %s by %s, %s: %s"), choice->kernel, choice->strategy,
             choice->params, choice->note);
    if (!same_kernel(choice, &ours->choice[i])) warn(c, text);
  }
  CALL(wisp_stage_load(err, c->device, stage));
  on_mesh->kernel = stage->kernel, on_mesh->kernels = stage->kernels;
  return record(err, &c->beside, &up->spec, stage, on_mesh);
}

/* Ours on the mesh beside the box: its kernels, another graph. */
static wisp_status record_beside(wisp_error *err, comparer *c, wisp_match_up *up, const runner r[2], runner *on_mesh)
{
  const bool tuned = r[0].kernels > 0;
  if (!c->beside.problems || c->beside.workload->alone) return WISP_OK;
  *on_mesh = r[tuned ? 0 : 1];
  on_mesh->graph = NULL, on_mesh->ref = (wisp_problem_ref){.problem = NULL};
  const wisp_stage *stage = tuned ? &up->tuned : &up->standard;
  wisp_error reason = {.text = ""}, later = {.text = ""};
  wisp_status status = record(&reason, &c->beside, &up->spec, stage, on_mesh);
  if (status == WISP_EREFUSED && same_stage(stage, &up->beside)) status = record_fitting(&later, c, up, stage, on_mesh);
  if (status == WISP_EREFUSED) report_left_out(c, "on the mesh", reason.text);
  return wisp_require(err, status == WISP_OK || status == WISP_EREFUSED, status, "%s",
                      *later.text ? later.text : reason.text);
}

static wisp_status fill_beside(wisp_error *err, const comparer *c, const wisp_contender *timed, double runs,
                               wisp_comparison *row)
{
  wisp_work work = {0};
  row->mesh_elements = wisp_problems_elements(c->beside.problems);
  wisp_status status = wisp_problems_work(err, c->beside.problems, &row->spec, &work);
  row->mesh_gdofs = work.dofs / (timed->ms / runs) / 1e6;
  return status;
}

/* Each in turn with ours, so that what the device does meanwhile is the same for both; their lists and arrays go before
 * the next one's are made. */
static wisp_status time_alternatives(wisp_error *err, const comparer *c, const wisp_match_up *up, runner *alternatives,
                                     const runner *ours, int *count, wisp_other *out)
{
  for (size_t i = 0; i < up->alternatives; i++) {
    const wisp_stage_alternative *other = &up->alternative[i];
    wisp_error reason = {.text = ""};
    wisp_contender timed[2] = {{.run = replay, .context = ours}, {.run = replay, .context = &alternatives[i]}};
    if (!alternatives[i].kernels) continue;
    const wisp_status status = record(&reason, &c->bench, &up->spec, &other->stage, &alternatives[i]);
    CALL(wisp_require(err, status == WISP_OK || status == WISP_EUSAGE || status == WISP_EREFUSED, status, "%s",
                      reason.text));
    if (status == WISP_OK) {
      CALL(wisp_measure(err, c->device, false, timed, 2));
      wisp_other *o = &out[(*count)++];
      snprintf(o->name, sizeof o->name, "%s", other->name);
      snprintf(o->params, sizeof o->params, "%s", other->stage.choice[other->asked].params);
      o->ms = timed[1].ms / alternatives[i].runs, o->times = o->ms / (timed[0].ms / ours->runs);
      o->error = error_of(&other->stage);
    } else {
      report_left_out(c, other->name, reason.text);
    }
    release(&alternatives[i]);
    alternatives[i] = (runner){.kernels = 0};
  }
  return WISP_OK;
}

/* Ours is the tuned one, or the default where there is none that works. All contenders are sampled in turn. */
static wisp_status time_row(wisp_error *err, comparer *c, const wisp_match_up *up, runner r[2], runner *alternatives,
                            const runner *on_mesh, const wisp_yardstick *beside, const wisp_yardstick *more, int others)
{
  bool tuned = r[0].kernels > 0, alike = tuned && same_stage(&up->tuned, &up->standard);
  const wisp_stage *stage = tuned ? &up->tuned : &up->standard;
  wisp_comparison row = {.spec = up->spec,
                         .ours = name_of(stage),
                         .standard = name_of(&up->standard),
                         .error = error_of(stage),
                         .mesh_gdofs = NAN,
                         .alternative = "",
                         .default_ms = NAN,
                         .rival_ms = NAN,
                         .rival_error = NAN,
                         .alternative_ms = NAN};
  wisp_contender timed[4 + WISP_MAX_RIVALS];
  size_t count = 0, other = 0, theirs = 0, mesh = 0;
  OWNED(free) wisp_other *other_list = NULL;
  CALL(wisp_new(err, (size_t)others + up->alternatives, sizeof *other_list, &other_list));
  row.other = other_list;
  timed[count++] = (wisp_contender){.run = replay, .context = &r[tuned ? 0 : 1]};
  if (tuned && !alike && r[1].kernels) timed[other = count++] = (wisp_contender){.run = replay, .context = &r[1]};
  if (beside->run) timed[theirs = count++] = (wisp_contender){.run = beside->run, .context = beside->context};
  if (on_mesh->graph) timed[mesh = count++] = (wisp_contender){.run = replay, .context = on_mesh};
  for (int i = 0; i < others; i++) timed[count++] = (wisp_contender){.run = more[i].run, .context = more[i].context};
  CALL(wisp_measure(err, c->device, false, timed, count));
  for (int i = 0; i < others; i++) {
    wisp_other *o = &other_list[row.others++];
    snprintf(o->name, sizeof o->name, "%s", more[i].name);
    o->ms = timed[count - (size_t)(others - i)].ms, o->error = more[i].error;
  }
  CALL(fill_row(err, c, stage, &r[tuned ? 0 : 1], &timed[0], &row));
  for (int i = 0; i < others; i++) other_list[i].times = other_list[i].ms / row.ms;
  CALL(time_alternatives(err, c, up, alternatives, &r[tuned ? 0 : 1], &row.others, other_list));
  if (other || alike || !tuned) row.default_ms = other ? timed[other].ms / r[1].runs : row.ms;
  if (mesh) CALL(fill_beside(err, c, &timed[mesh], on_mesh->runs, &row));
  if (theirs) {
    snprintf(row.rival, sizeof row.rival, "%s", beside->name);
    row.rival_ms = timed[theirs].ms;
    row.rival_error = beside->error;
  }
  fill_alternative(c, &row);
  return c->request->row(err, c->request->context, &row);
}

static wisp_status find_yardstick(wisp_error *err, const comparer *c, const wisp_spec *spec, wisp_yardstick *out)
{
  const wisp_workload *workload = c->bench.workload;
  const long long elements = wisp_problems_elements(c->bench.problems);
  HELD(wisp_dense_release) wisp_dense dense = {.matrix = NULL};
  if (!workload->dense) return wisp_yardstick_copy(err, c->device, spec, elements, out);
  if (!c->blas) return WISP_OK;
  CALL(workload->dense(err, spec, &dense));
  if (!dense.matrix) return WISP_OK;
  return wisp_rival_yardstick(err, c->device, c->blas, &dense, spec->precision, elements, out);
}

/* Makes the kernel's rivals on the problem that ours runs on. */
static wisp_status find_rivals(wisp_error *err, comparer *c, const wisp_spec *spec, const runner r[2],
                               wisp_yardstick *more, int *count)
{
  const wisp_workload *workload = c->bench.workload;
  const wisp_problem *problem = r[r[0].kernels ? 0 : 1].ref.problem;
  for (int i = 0; workload->rival && !wisp_spec_is_composition(spec) && i < WISP_MAX_RIVALS; i++) {
    wisp_error why = {.text = ""};
    const wisp_status status = workload->rival(&why, c->device, problem, spec, i, &more[*count]);
    if (status == WISP_EDEVICE) warn(c, why.text);
    CALL(wisp_require(err, status == WISP_OK || status == WISP_EDEVICE || status == WISP_EREFUSED, status, "%s",
                      why.text));
    *count += more[*count].run != NULL;
  }
  return WISP_OK;
}

/* Contenders that do not compile or load are left out. */
static wisp_status compare_one(wisp_error *err, comparer *c, wisp_match_up *up)
{
  wisp_status status = WISP_OK;
  runner r[2] = {{.kernels = 0}, {.kernels = 0}}, on_mesh = {.kernels = 0};
  wisp_stage *stages[2] = {&up->tuned, &up->standard};
  wisp_yardstick beside = {.run = NULL}, more[WISP_MAX_RIVALS] = {{.run = NULL}};
  runner *alternatives = NULL;
  int others = 0;
  char spec[WISP_SPEC_TEXT], text[sizeof spec + sizeof((wisp_error *)0)->text + 32];
  wisp_spec_print(&up->spec, spec);
  TRY(wisp_new(err, up->alternatives, sizeof *alternatives, &alternatives));
  for (int i = 0; i < 2; i++) {
    wisp_error reason = {.text = ""};
    TRY(load(err, c, stages[i], &reason, &r[i]));
    if (!*reason.text) continue;
    snprintf(text, sizeof text, WISP_MESSAGE("%s: the %s is left out: %s"), spec, i ? "default" : "stored winner",
             reason.text);
    warn(c, text);
  }
  for (size_t i = 0; i < up->alternatives; i++) {
    wisp_error reason = {.text = ""};
    TRY(load(err, c, &up->alternative[i].stage, &reason, &alternatives[i]));
    if (*reason.text) report_left_out(c, up->alternative[i].name, reason.text);
  }
  if (!r[0].kernels && !r[1].kernels) goto done;
  for (int i = 0; i < 2; i++) {
    wisp_error reason = {.text = ""};
    status = record(&reason, &c->bench, &up->spec, stages[i], &r[i]);
    if (status == WISP_EUSAGE) { /* too large for this kernel, not for the others */
      report_left_out(c, spec, reason.text);
      status = WISP_OK;
      goto done;
    }
    TRY(wisp_require(err, status == WISP_OK, status, "%s", reason.text));
  }
  TRY(find_yardstick(err, c, &up->spec, &beside));
  TRY(find_rivals(err, c, &up->spec, r, more, &others));
  TRY(record_beside(err, c, up, r, &on_mesh));
  TRY(time_row(err, c, up, r, alternatives, &on_mesh, &beside, more, others));
done:
  wisp_graph_destroy(on_mesh.graph);
  wisp_problem_ref_end(&on_mesh.ref);
  if (beside.run) beside.destroy(beside.context);
  for (int i = 0; i < others; i++) more[i].destroy(more[i].context);
  for (int i = 0; i < 2; i++) release(&r[i]);
  for (size_t i = 0; alternatives && i < up->alternatives; i++) release(&alternatives[i]);
  free(alternatives);
  return status;
}

/* ---- All rows. */

static wisp_status run(wisp_error *err, comparer *c, wisp_match_ups *ups)
{
  for (size_t i = 0; i < ups->count; i++) {
    CALL(submit(err, c, &ups->list[i].tuned));
    CALL(submit(err, c, &ups->list[i].standard));
    for (size_t w = 0; w < ups->list[i].alternatives; w++) CALL(submit(err, c, &ups->list[i].alternative[w].stage));
  }
  if (!wisp_device_limits(c->device)->gpu)
    wisp_pipeline_flush(c->pipeline); /* the cores that compile are those that are timed */
  for (size_t i = 0; i < ups->count; i++) {
    const wisp_spec *spec = &ups->list[i].spec, *before = i ? &ups->list[i - 1].spec : NULL;
    if (!before || before->order != spec->order || before->precision != spec->precision) c->done = 0;
    CALL(wisp_bench_set_problem(err, &c->bench, spec, wisp_compare_elements(c->request, spec->order)));
    if (c->request->beside)
      CALL(wisp_bench_set_problem(err, &c->beside, spec, wisp_compare_elements(c->request, spec->order)));
    CALL(compare_one(err, c, &ups->list[i]));
  }
  return WISP_OK;
}

/* Before anything is planned or compiled: whether the problems of all kernels that are asked for fit the device. */
static wisp_status check_sizes(wisp_error *err, const comparer *c)
{
  const wisp_compare_request *r = c->request;
  const wisp_family *family = wisp_family_find(r->family);
  for (size_t i = 0; family && i < r->order_count * r->precision_count; i++) {
    const int order = r->orders[i % r->order_count];
    wisp_spec spec = wisp_compare_spec(r, order, r->precisions[i / r->order_count]);
    if (wisp_family_check(NULL, &spec) != WISP_OK) continue;
    for (const wisp_kernel_decl *k = family->kernels; k->name; k++) {
      if ((r->kernel && strcmp(r->kernel, k->name) != 0) || !wisp_workload_serves(family->name, k->name)) continue;
      wisp_spec_name_kernel(&spec, k->name);
      CALL(wisp_bench_fits(err, wisp_device_limits(c->device), NULL, &spec, wisp_compare_elements(r, order)));
    }
  }
  return WISP_OK;
}

wisp_status wisp_compare(wisp_error *err, const wisp_session *session, const wisp_compare_request *request)
{
  wisp_status status = WISP_OK;
  wisp_device *device = session->device;
  wisp_compare_request r = *request;
  comparer c = {.device = device, .request = &r};
  HELD(wisp_match_ups_free) wisp_match_ups ups = {0};
  wisp_error missing = {.text = ""};
  const wisp_workload *workload = NULL;
  if (wisp_family_find(r.family)) TRY(wisp_workload_find(err, r.family, NULL, &workload));
  if (workload && r.elements <= 0 && r.nodes <= 0 && r.dofs <= 0 && wisp_device_limits(device)->gpu)
    r.elements = workload->published;
  TRY(check_sizes(err, &c));
  TRY(wisp_match_ups_list(err, session, &r, &ups));
  TRY(wisp_bench_create(err, device, 0, &c.bench));
  c.beside = (wisp_bench){.device = device, .limits = c.bench.limits, .ceilings = c.bench.ceilings};
  if (r.beside) c.beside.source = *r.beside;
  TRY(wisp_pipeline_create(err, wisp_device_limits(device)->target, r.jobs, 1, &c.pipeline));
  if (wisp_blas_open(&missing, device, &c.blas) != WISP_OK) warn(&c, missing.text);
  TRY(run(err, &c, &ups));
done:
  wisp_pipeline_destroy(c.pipeline);
  wisp_blas_close(c.blas);
  wisp_bench_free(&c.beside);
  wisp_bench_free(&c.bench);
  return status;
}
