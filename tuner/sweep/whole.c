/* A whole stage, or another part of a solver: chosen as a solver does, loaded, timed alone or two in turn. */
#include "whole.h"
#include "../../runtime/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- a stage as a solver takes it --- */

void wisp_chosen_free(wisp_chosen *c)
{
  wisp_stage_free(&c->stage);
  wisp_store_close(c->store);
  *c = (wisp_chosen){.store = NULL};
}

wisp_status wisp_whole_choose(wisp_error *err, const wisp_sweep *sweep, const wisp_spec *stage, const char *composition,
                              const char *layout, wisp_chosen *out)
{
  HELD(wisp_chosen_free) wisp_chosen chosen = {.store = NULL};
  CALL(wisp_chooser_open_store(err, sweep->strategies, sweep->request->db, false, NULL, &chosen.store));
  const wisp_chooser from = {sweep->strategies, chosen.store, sweep->bench.limits, NULL};
  wisp_choose_request request = {
      .spec = *stage, .composition = composition ? composition : sweep->part.compositions, .layout = layout};
  if (sweep->preset.count) request.preset = &sweep->preset;
  if (sweep->bench.problems) request.elements = wisp_problems_elements(sweep->bench.problems);
  CALL(wisp_choose_if_any(err, &from, &request, &chosen.stage));
  return GIVE(chosen, out);
}

wisp_status wisp_whole_describe(wisp_error *err, const wisp_stage *stage, wisp_text *out)
{
  char layout[WISP_LAYOUT_TEXT];
  wisp_layout_print(&stage->layout, layout);
  CALL(wisp_text_print(err, out, "%s %s", stage->composition, layout));
  for (int i = 0; i < stage->kernels; i++)
    CALL(wisp_text_print(err, out, "\n%s %s", stage->plan[i]->strategy->name, stage->plan[i]->params));
  return WISP_OK;
}

wisp_status wisp_whole_is_same(wisp_error *err, const wisp_stage *a, const wisp_stage *b, bool *out)
{
  HELD(wisp_text_free) wisp_text x = {0}, y = {0};
  CALL(wisp_whole_describe(err, a, &x));
  CALL(wisp_whole_describe(err, b, &y));
  *out = strcmp(x.data, y.data) == 0;
  return WISP_OK;
}

int wisp_whole_own_kernel(const wisp_sweep *sweep, const wisp_stage *stage, int i)
{
  const wisp_kernel_decl *kernel =
      stage->external_names[i] ? NULL : wisp_family_kernel(sweep->family, stage->choice[i].kernel);
  return kernel ? (int)(kernel - sweep->family->kernels) : -1;
}

int wisp_whole_layout(const wisp_scope *scope, const wisp_layout *layout)
{
  for (int l = 0; l < scope->layouts; l++)
    if (memcmp(&scope->layout[l], layout, sizeof *layout) == 0) return l;
  return -1;
}

/* --- a stage made runnable, and its record --- */

void wisp_runnable_free(wisp_runnable *r)
{
  wisp_problem_ref_end(&r->ref);
  if (r->stage) wisp_stage_unload(r->stage);
}

/* The workload that serves the stage's i-th kernel; one of another family's goes with the first of the own. */
static wisp_status workload_of(wisp_error *err, const wisp_sweep *sweep, const wisp_stage *stage, int i,
                               const wisp_workload **out)
{
  int kernel = wisp_whole_own_kernel(sweep, stage, i);
  for (int k = 0; kernel < 0 && k < stage->kernels; k++) kernel = wisp_whole_own_kernel(sweep, stage, k);
  return wisp_workload_find(err, sweep->family->name, kernel < 0 ? NULL : sweep->family->kernels[kernel].name, out);
}

wisp_status wisp_whole_load(wisp_error *err, wisp_sweep *sweep, wisp_stage *stage, wisp_runnable *out)
{
  HELD(wisp_profile_leave)
  const wisp_profile_scope now = wisp_profile_enter(&sweep->bench.profile, WISP_COMPILING);
  const wisp_plan *plans[WISP_RUNNABLE_KERNELS];
  *out = (wisp_runnable){.workload = sweep->bench.workload, .stage = stage};
  CALL(wisp_stage_load(err, sweep->bench.device, stage));
  for (int i = 0; i < stage->kernels && out->kernels < WISP_RUNNABLE_KERNELS; i++) {
    const wisp_workload *workload = NULL;
    CALL(workload_of(err, sweep, stage, i, &workload));
    if (workload != out->workload) continue;
    plans[out->kernels] = stage->plan[i];
    out->kernel[out->kernels++] = stage->kernel[i];
  }
  wisp_profile_switch(&sweep->bench.profile, WISP_PREPARING);
  return wisp_problems_acquire(err, sweep->bench.problems, plans, out->kernels, &out->ref);
}

static wisp_status run_stage(wisp_error *err, const void *context)
{
  const wisp_runnable *r = context;
  return wisp_problems_step(err, r->workload, r->ref.problem, r->kernel, r->kernels);
}

void wisp_whole_key(const wisp_sweep *sweep, const wisp_spec *spec, const wisp_stage *stage, wisp_trial *out)
{
  char hash[20];
  wisp_plans_hash(stage->plan, stage->kernels, sweep->bench.limits->kind, hash);
  wisp_trial_key(&sweep->bench, spec, &stage->layout, stage->composition, hash, "", out);
}

enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 8 };

/* Are both so far apart that work beside cannot have changed their order? */
static bool is_clear(const wisp_contender two[2])
{
  static const double MOST_NOISE = 0.02, APART = 3, FAR = 2;
  const double noise = wisp_measure_noise(&two[0]) + wisp_measure_noise(&two[1]);
  const double ratio = fmax(two[0].ms, two[1].ms) / fmin(two[0].ms, two[1].ms);
  return (noise < MOST_NOISE || ratio > FAR) && ratio - 1 > APART * noise;
}

static int by_ms(const void *a, const void *b)
{
  const double x = ((const wisp_contender *)a)->ms, y = ((const wisp_contender *)b)->ms;
  return (x > y) - (x < y);
}

/* Is the shortest of a contender's rounds met by another one? */
static bool is_confirmed(const wisp_contender *rounds, int count)
{
  static const double ALIKE = 1.02;
  double best = INFINITY, next = INFINITY;
  for (int i = 0; i < count; i++) {
    const double ms = rounds[i].ms;
    next = fmin(next, fmax(best, ms));
    best = fmin(best, ms);
  }
  return next <= ALIKE * best;
}

/* Measures one, or two in turn, in further rounds until their order is clear, or three at least have found the same
 * times. Other work on a host lengthens samples and never shortens them: there the shortest round of each counts, else
 * the middle one. */
static wisp_status measure_in_turn(wisp_error *err, const wisp_sweep *sweep, size_t count, wisp_contender *timed)
{
  wisp_contender each[2][MOST_ROUNDS];
  bool enough = false;
  int rounds = 0;
  while (rounds < MOST_ROUNDS && !enough) {
    wisp_contender now[2] = {timed[0], timed[1]};
    CALL(wisp_measure(err, sweep->bench.device, count > 1, now, count));
    for (size_t i = 0; i < count; i++) each[i][rounds] = now[i];
    rounds++;
    enough = count < 2 || is_clear(now);
    if (rounds >= LEAST_ROUNDS && !enough)
      enough = (is_confirmed(each[0], rounds) && is_confirmed(each[1], rounds)) || wisp_seconds() > sweep->deadline;
  }
  for (size_t i = 0; i < count; i++) {
    qsort(each[i], (size_t)rounds, sizeof *each[i], by_ms);
    timed[i] = each[i][sweep->bench.limits->gpu ? rounds / 2 : 0];
  }
  return WISP_OK;
}

/* Times loaded stages in turn. The tuner knows of the launch as the trial's; a device that fails is a verdict. */
static wisp_status time_runs(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, size_t count,
                             const wisp_runnable *r, double expected, const wisp_trial *trial, wisp_contender timed[2],
                             wisp_error *reason, wisp_status *verdict)
{
  const int stages = *sweep->bench.workload->stages;
  timed[0] = (wisp_contender){.run = run_stage, .context = &r[0]};
  timed[1] = (wisp_contender){.run = run_stage, .context = &r[count - 1]};
  CALL(wisp_link_begin(err, sweep->link, WISP_NOTE_LAUNCH, trial,
                       MOST_ROUNDS * (double)count * wisp_trial_limit(&sweep->bench, spec, stages * expected)));
  HELD(wisp_profile_leave) const wisp_profile_scope now = wisp_profile_enter(&sweep->bench.profile, WISP_TIMING);
  *verdict = measure_in_turn(reason, sweep, count, timed);
  sweep->bench.doubtful |= *verdict == WISP_EDEVICE;
  return wisp_require(err, *verdict == WISP_OK || *verdict == WISP_EDEVICE, *verdict, "%s", reason->text);
}

wisp_status wisp_whole_time(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, size_t count,
                            const wisp_runnable *r, double expected, wisp_trial *trials)
{
  wisp_contender timed[2];
  wisp_error reason = {0};
  wisp_status verdict = WISP_OK;
  CALL(time_runs(err, sweep, spec, count, r, expected, &trials[0], timed, &reason, &verdict));
  wisp_trial_end(&trials[0], verdict == WISP_OK ? WISP_TRIAL_OK : WISP_TRIAL_CRASH, "%s", reason.text);
  for (size_t i = 0; i < count && verdict == WISP_OK; i++) {
    wisp_trial_end(&trials[i], WISP_TRIAL_OK, "%s", "");
    CALL(wisp_trial_rate(err, &sweep->bench, spec, NULL, &timed[i], *sweep->bench.workload->stages, &trials[i]));
  }
  return WISP_OK;
}

/* The first kernel of the stage that this workload serves; -1: it serves none. */
static int first_served(const wisp_sweep *sweep, const wisp_stage *stage, const wisp_workload *workload)
{
  for (int i = 0; i < stage->kernels; i++) {
    const wisp_workload *serves = NULL;
    if (wisp_whole_own_kernel(sweep, stage, i) < 0) continue;
    if (workload_of(NULL, sweep, stage, i, &serves) == WISP_OK && serves == workload) return i;
  }
  return -1;
}

/* Times those kernels of one stage, or of two in turn, that the bench's workload serves; the trial is of one of them.
 */
static wisp_status time_served(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, size_t count,
                               wisp_stage *const *stages, const wisp_trial *trial, double ms[2])
{
  HELD(wisp_runnable_free) wisp_runnable first = {.stage = NULL};
  HELD(wisp_runnable_free) wisp_runnable second = {.stage = NULL};
  wisp_contender timed[2];
  wisp_error reason = {0};
  wisp_status verdict = WISP_OK;
  CALL(wisp_whole_load(err, sweep, stages[0], &first));
  if (count > 1) CALL(wisp_whole_load(err, sweep, stages[1], &second));
  const wisp_runnable both[2] = {first, second};
  CALL(time_runs(err, sweep, spec, count, both, 0, trial, timed, &reason, &verdict));
  CALL(wisp_require(err, verdict == WISP_OK, verdict, "%s", reason.text));
  CALL(wisp_link_begin(err, sweep->link, WISP_NOTE_RAN, trial, 0));
  for (size_t i = 0; i < count; i++) ms[i] = timed[i].ms / *sweep->bench.workload->stages;
  return WISP_OK;
}

wisp_status wisp_whole_time_part(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, size_t count,
                                 wisp_stage *const *stages, double ms[2])
{
  const wisp_workload *workload = NULL;
  double elements = 0;
  CALL(wisp_workload_find(err, sweep->family->name, NULL, &workload));
  ms[0] = ms[1] = 0;
  for (; workload; workload = workload->more) {
    const int i = first_served(sweep, stages[0], workload);
    wisp_spec own = *spec;
    wisp_trial trial;
    double took[2] = {0};
    if (i < 0) continue;
    wisp_spec_name_kernel(&own, stages[0]->choice[i].kernel);
    CALL(wisp_bench_set_problem(err, &sweep->bench, &own, sweep->request->elements));
    wisp_trial_begin(&sweep->bench, stages[0]->plan[i], false, &trial);
    CALL(time_served(err, sweep, &own, count, stages, &trial, took));
    const double here = (double)wisp_problems_elements(sweep->bench.problems);
    if (!(elements > 0)) elements = here;
    for (size_t k = 0; k < count; k++) ms[k] += took[k] * elements / here;
  }
  return WISP_OK;
}

void wisp_whole_stretch(wisp_trial *trial, double longer)
{
  trial->ms *= longer, trial->efficiency /= longer;
  trial->gdofs /= longer, trial->gbps /= longer, trial->gflops /= longer;
  for (int i = 0; i < trial->sample_count; i++) trial->samples[i] *= longer;
}

wisp_status wisp_whole_update(wisp_error *err, const wisp_sweep *sweep, const wisp_stage *stage,
                              const wisp_trial *record)
{
  wisp_trial trial, stored;
  bool known = false;
  if (stage->kernels != 1 || stage->external_names[0] || !(record->ms > 0)) return WISP_OK;
  wisp_trial_begin(&sweep->bench, stage->plan[0], false, &trial);
  CALL(wisp_link_has(err, sweep->link, &trial, &known, NULL, &stored));
  if (!known || wisp_trial_outcome(&stored) != WISP_TRIAL_OK) return WISP_OK;
  wisp_whole_stretch(&stored, record->ms / stored.ms);
  stored.ms = record->ms;
  stored.sample_count = record->sample_count;
  memcpy(stored.samples, record->samples, sizeof stored.samples);
  memcpy(stored.mode, record->mode, sizeof stored.mode);
  return wisp_link_put(err, sweep->link, &stored);
}
