/* A whole stage: the store's best record that fits here says of which kernels, in which layout; else the lists do. */
#include "choose_parts.h"
#include "../parallel.h"
#include "../process.h"
#include "../../gen/strategy/defaults.h"

#include <math.h>

static bool is_one_of(const char *const *list, const char *composition)
{
  for (int i = 0; list && list[i]; i++)
    if (strcmp(list[i], composition) == 0) return true;
  return false;
}

bool wisp_is_composition(const wisp_family *family, const char *composition)
{
  return !family->compositions[0] || is_one_of(family->compositions, composition) ||
         is_one_of(family->chains, composition);
}

static bool suits_request(const char *asked, const char *name)
{
  return !asked || strcmp(asked, name) == 0;
}

void wisp_plans_hash(wisp_plan *const *plans, int count, const char *dialect, char hash[20])
{
  uint64_t combined = WISP_HASH_SEED;
  for (int i = 0; i < count; i++) {
    wisp_plan_hash(plans[i], dialect, hash);
    combined = wisp_composition_hash(combined, hash);
  }
  snprintf(hash, 20, "%016llx", (unsigned long long)combined);
}

/* Was the record measured with the kernel texts that the stage has now? */
static bool same_texts(const wisp_stage *stage, const char *dialect, const wisp_trial *record)
{
  char hash[20];
  wisp_plans_hash(stage->plan, stage->kernels, dialect, hash);
  return strcmp(hash, record->template_hash) == 0;
}

/* The expected time of the stage's kernels for an element, by entries of this size, 0: any; INFINITY: not known. */
static double kernels_together(const wisp_stage *stage, long long elements)
{
  double sum = 0;
  for (int i = 0; i < stage->kernels; i++) {
    const wisp_choice *c = &stage->choice[i];
    if (!c->trial || (elements && c->trial->elements != elements) || !(c->expected > 0)) return INFINITY;
    sum += c->expected;
  }
  return stage->kernels ? sum : INFINITY;
}

/* A stage of one kernel takes that kernel's time, if both are one measurement. */
static void join_kernel(wisp_stage *stage)
{
  const wisp_choice *kernel = stage->choice;
  if (stage->kernels != 1 || !kernel->trial || !wisp_one_measurement(stage->record.trial, kernel->trial)) return;
  wisp_choice_retime(&stage->record, kernel->timed);
}

/* The stage of one record; one kernel's winner, measured at that size, is the stage measured with today's texts.
 * out->kernels stays 0 where it does not suit the request or has no plans here. */
static wisp_status try_record(wisp_error *err, wisp_choosing *c, const wisp_answer *answer, wisp_stage *out)
{
  const wisp_trial *trial = answer->trial;
  wisp_layout layout;
  if (!wisp_is_composition(c->family, trial->strategy) || !suits_request(c->request->composition, trial->strategy) ||
      !suits_request(c->request->layout, trial->layout) || !wisp_choosing_layout(c, trial, &layout))
    return WISP_OK;
  wisp_status status = wisp_choosing_fill(err, c, trial->strategy, WISP_NO_LINE, &layout, out);
  if (status != WISP_OK) return status == WISP_EREFUSED ? WISP_OK : status;
  out->record = wisp_choice_of(WISP_COMPOSITION, out->composition, &layout, answer);
  const bool is_its_kernel = out->kernels == 1 && out->choice->trial && out->choice->trial->elements == trial->elements;
  out->record.stale = !is_its_kernel && !same_texts(out, c->from->limits->kind, trial);
  join_kernel(out);
  return WISP_OK;
}

/* The time of a record's stage for an element, on the record's card: as recorded if it is of today's texts; else, and
 * for a single kernel, by its kernels' entries in the record's class. INFINITY where there are none. */
static double time_of(const wisp_stage *stage, const wisp_answer *record)
{
  const double elements = (double)record->trial->elements;
  double together = 0;
  for (int i = 0; i < stage->kernels; i++) {
    const wisp_choice *c = &stage->choice[i];
    const bool there = c->trial && c->trial->elements == record->trial->elements;
    /* Both on the record's card, so that it does not count how much slower this one is. */
    const double ms = c->match == record->match ? c->ms : c->expected * elements / record->ratio;
    together += there && ms > 0 ? ms / elements : INFINITY;
  }
  if (!stage->kernels) return INFINITY;
  const bool alone = stage->kernels == 1 && isfinite(together);
  return !stage->record.stale && !alone ? record->trial->ms / elements : together;
}

/* The best of a class's records whose texts are those of today, unless a better one's kernels have other winners since,
 * which take less time together; else the best one, which still tells compositions and layouts apart better than
 * a guess. Nearer classes are as if they were not there. out->kernels stays 0 where there is none. */
static wisp_status from_records(wisp_error *err, wisp_choosing *c, int class, wisp_stage *out)
{
  wisp_answer each[WISP_ANSWER_CLASSES];
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  double best = INFINITY; /* of out */
  c->nearest = class;
  for (bool current = false; !current;) {
    wisp_spec_name_kernel(&c->spec, WISP_COMPOSITION);
    wisp_choosing_look_up_each(c, NULL, each);
    const wisp_answer *answer = &each[class];
    if (!answer->trial) break;
    const size_t unfits = c->unfits;
    CALL(try_record(err, c, answer, &stage));
    c->unfits = unfits; /* kernels that do not fit this stage may fit another */
    CALL(wisp_choosing_pass_over(err, c, answer->trial,
                                 stage.kernels ? NULL : "it is not what was asked for, or does not run here"));
    const bool fresh = stage.kernels && !stage.record.stale;
    const double now = time_of(&stage, answer), recorded = answer->trial->ms / (double)answer->trial->elements;
    current = fresh && now <= recorded; /* all others are slower */
    if (stage.kernels && (!out->kernels || (fresh ? now <= best : now < best))) {
      best = now;
      wisp_stage_free(out);
      (void)GIVE(stage, out);
    }
    wisp_stage_free(&stage);
  }
  return WISP_OK;
}

/* --- records of several classes --- */

/* The same stage of the best entries of classes from this one on. */
static wisp_status refill_stage(wisp_error *err, wisp_choosing *c, int nearest, wisp_stage *stage)
{
  HELD(wisp_stage_free) wisp_stage filled = {.kernels = 0};
  const size_t unfits = c->unfits;
  c->nearest = nearest;
  CALL(wisp_choosing_fill(err, c, stage->composition, WISP_NO_LINE, &stage->layout, &filled));
  c->unfits = unfits;
  filled.record = stage->record;
  filled.record.strategy = filled.composition; /* that of stage goes */
  join_kernel(&filled);
  wisp_stage_free(stage);
  return GIVE(filled, stage);
}

/* Was the stage, as it is with the nearer classes' kernels, measured as a whole in one of them? */
static bool is_measured_nearer(const wisp_choosing *c, const wisp_stage *stage, int class)
{
  char spec[WISP_SPEC_TEXT];
  wisp_spec step = c->spec;
  wisp_spec_name_kernel(&step, WISP_COMPOSITION);
  wisp_spec_print(&step, spec);
  const wisp_trial *t = NULL;
  wisp_layer layer;
  for (size_t at = 0; (t = wisp_store_next(c->from->store, spec, &at, &layer));) {
    if (strcmp(t->strategy, stage->composition) != 0 || strcmp(t->layout, stage->record.layout) != 0 ||
        wisp_trial_outcome(t) != WISP_TRIAL_OK)
      continue;
    if (wisp_answer_class(wisp_asker_match(&c->asker, t), layer) >= class) continue;
    if (same_texts(stage, c->from->limits->kind, t)) return true;
  }
  return false;
}

/* Does the stage of a nearer class's record take the place of a farther one's? The farther one is asked with all
 * kernels that are known nearer: where that very stage was measured nearer, or the nearer one's kernels take less time
 * together. Where the farther one's time here is not known, it stays. */
static wisp_status takes_over(wisp_error *err, wisp_choosing *c, int class, const wisp_stage *near,
                              const wisp_stage *far, bool *out)
{
  HELD(wisp_stage_free) wisp_stage mixed = {.composition = strdup(far->composition), .layout = far->layout};
  const int far_class = wisp_answer_class(far->record.match, far->record.layer);
  CALL(wisp_require(err, mixed.composition, WISP_EMEMORY, "out of memory"));
  *out = c->asker.exact_only ||
         (strcmp(near->composition, far->composition) == 0 && strcmp(near->record.layout, far->record.layout) == 0);
  if (*out) return WISP_OK;
  mixed.record = far->record;
  CALL(refill_stage(err, c, class, &mixed));
  const double there = kernels_together(&mixed, 0), together = kernels_together(near, 0);
  const double here = isfinite(together) ? together : near->record.stale ? INFINITY : near->record.expected;
  *out = is_measured_nearer(c, &mixed, far_class) || (isfinite(there) && here < there);
  return WISP_OK;
}

/* The stage that records say, of whatever class. out->kernels stays 0 where there is none. */
static wisp_status from_classes(wisp_error *err, wisp_choosing *c, wisp_stage *out)
{
  const wisp_trial *passed = NULL;
  for (int class = WISP_ANSWER_CLASSES; class -- > 0;) {
    HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
    bool better = true;
    CALL(from_records(err, c, class, &stage));
    if (!stage.kernels) continue;
    if (out->kernels) CALL(takes_over(err, c, class, &stage, out, &better));
    passed = better ? NULL : stage.record.trial;
    if (!better) continue;
    wisp_stage_free(out);
    (void)GIVE(stage, out);
  }
  c->nearest = 0;
  if (!out->kernels) return WISP_OK;
  const int class = wisp_answer_class(out->record.match, out->record.layer);
  if (class > 0) CALL(refill_stage(err, c, 0, out));
  if (passed) {
    out->record.passed = (wisp_answer){passed, wisp_asker_match(&c->asker, passed), WISP_LAYER_NONE, NAN};
    wisp_choosing_note_slower(&out->record, passed);
  }
  return WISP_OK;
}

/* The composition in the first layout where it has plans, if it is asked for; else out->kernels stays 0. */
static wisp_status try_composition(wisp_error *err, wisp_choosing *c, const char *composition, int line,
                                   wisp_error *first, wisp_stage *out)
{
  if (!suits_request(c->request->composition, composition)) return WISP_OK;
  for (int l = 0; l < c->layouts; l++) {
    wisp_error reason = {.text = ""};
    wisp_status status = wisp_choosing_fill(&reason, c, composition, line, &c->layout[l], out);
    if (status == WISP_OK) return WISP_OK;
    if (status != WISP_EREFUSED) return wisp_fail(err, status, "%s", reason.text);
    if (!*first->text && line == WISP_NO_LINE) *first = reason;
  }
  return WISP_OK;
}

/* The composition that the family's defaults prefer here, then the first one that has plans. */
static wisp_status from_lists(wisp_error *err, wisp_choosing *c, wisp_stage *out)
{
  wisp_error first = {.text = ""};
  const wisp_defaults *defaults = wisp_strategies_defaults(c->from->strategies, c->family->name);
  const char *const asked[] = {c->request->composition, NULL};
  const bool stages = c->family->compositions[0] && !(*asked && is_one_of(c->family->chains, *asked));
  const char *const *list = stages ? c->family->compositions : asked;
  const char *preferred = NULL;
  for (int i = 0; !out->kernels && (preferred = wisp_defaults_stage(defaults, (size_t)i)); i++)
    CALL(try_composition(err, c, preferred, i, &first, out));
  for (int i = 0; !out->kernels && list[i]; i++) CALL(try_composition(err, c, list[i], WISP_NO_LINE, &first, out));
  return wisp_require(err, out->kernels, WISP_EREFUSED, "no composition of the %s family runs on %s: %s",
                      c->family->name, c->from->limits->name, first.text);
}

wisp_status wisp_choose_stage(wisp_error *err, wisp_choosing *c, wisp_stage *out)
{
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  CALL(from_classes(err, c, &stage));
  if (!stage.kernels) {
    const wisp_answer none = {NULL, WISP_MATCH_DEFAULT, WISP_LAYER_NONE, NAN};
    CALL(from_lists(err, c, &stage));
    stage.record = wisp_choice_of(WISP_COMPOSITION, stage.composition, &stage.layout, &none);
  }
  wisp_spec_name_kernel(&c->spec, WISP_COMPOSITION);
  if (!stage.record.passed.trial) wisp_choosing_note(c, NULL, &stage.record);
  return GIVE(stage, out);
}

/* ---- A stage made runnable: its kernels are compiled in parallel and loaded, with defaults for those that fail. */

typedef struct job {
  wisp_plan *plan;
  const char *target;
  wisp_binary binary;
  wisp_status status;
  wisp_error error;
} job;

/* A wisp_sweep over jobs. */
static void compile_jobs(void *context, size_t from, size_t to)
{
  for (job *j = (job *)context + from; j < (job *)context + to; j++) {
    j->status = wisp_plan_compile(&j->error, j->plan, j->target, &j->binary);
    if (j->status == WISP_OK) j->status = wisp_plan_prepare(&j->error, j->plan);
  }
}

static wisp_status load_kernel(wisp_error *err, wisp_device *device, const job *j, wisp_kernel **out)
{
  if (j->status != WISP_OK) return wisp_fail(err, j->status, "%s", j->error.text);
  return wisp_kernel_create(err, device, j->plan, &j->binary, out);
}

/* The default in place of a stored winner that does not work on this machine. */
static wisp_status load_default(wisp_error *err, wisp_device *device, wisp_stage *stage, int i, const char *why,
                                wisp_kernel **out)
{
  job j = {.target = wisp_device_limits(device)->target};
  CALL(wisp_stage_fall_back(err, stage, i, why));
  j.plan = stage->plan[i];
  compile_jobs(&j, 0, 1);
  const wisp_status status = load_kernel(err, device, &j, out);
  free(j.binary.data);
  return status;
}

wisp_status wisp_stage_load(wisp_error *err, wisp_device *device, wisp_stage *stage)
{
  wisp_status status = WISP_OK;
  OWNED(free) job *jobs = NULL;
  if (stage->kernel) return WISP_OK;
  TRY(wisp_new(err, (size_t)stage->kernels, sizeof *stage->kernel, &stage->kernel));
  TRY(wisp_new(err, (size_t)stage->kernels, sizeof *jobs, &jobs));
  for (int i = 0; i < stage->kernels; i++)
    jobs[i] = (job){.plan = stage->plan[i], .target = wisp_device_limits(device)->target};
  const double begin = wisp_seconds();
  wisp_parallel_for((size_t)stage->kernels, compile_jobs, jobs);
  stage->seconds_compiling = wisp_seconds() - begin;
  for (int i = 0; i < stage->kernels; i++) {
    wisp_error why = {.text = ""};
    wisp_kernel **kernel = &stage->kernel[i];
    wisp_status loaded = load_kernel(&why, device, &jobs[i], kernel);
    if (loaded != WISP_OK && stage->choice[i].match == WISP_MATCH_DEFAULT) TRY(wisp_fail(err, loaded, "%s", why.text));
    if (loaded != WISP_OK) status = load_default(err, device, stage, i, why.text, kernel);
    if (status == WISP_EREFUSED) TRY(wisp_fail(err, loaded, "%s", why.text));
    TRY(status);
  }
done:
  for (int i = 0; jobs && i < stage->kernels; i++) free(jobs[i].binary.data);
  if (status != WISP_OK) wisp_stage_unload(stage);
  return status;
}

bool wisp_stage_has(const wisp_stage *stage, const char *name)
{
  for (int k = 0; k < stage->kernels; k++)
    if (wisp_plan_takes(stage->plan[k], name)) return true;
  return false;
}

bool wisp_stage_wants(const void *stage, const char *array)
{
  return wisp_stage_has(stage, array);
}

const wisp_kernel *wisp_stage_kernel(const wisp_stage *stage, const char *name)
{
  for (int k = 0; k < stage->kernels; k++)
    if (strcmp(stage->choice[k].kernel, name) == 0) return stage->kernel[k];
  return NULL;
}
