/* The kernels of a composition in one layout: the best of the store's entries that fits here, else the default. */
#include "choose_parts.h"
#include "../../gen/strategy/defaults.h"

#include <math.h>

/* --- the store --- */

wisp_status wisp_choosing_pass_over(wisp_error *err, wisp_choosing *c, const wisp_trial *trial, const char *why)
{
  CALL(wisp_grow(err, &c->unfit, &c->capacity, c->unfits + 1, sizeof *c->unfit));
  wisp_unfit *u = &c->unfit[c->unfits++];
  u->trial = trial;
  snprintf(u->why, sizeof u->why, "%s", why ? why : "");
  return WISP_OK;
}

const wisp_unfit *wisp_choosing_unfit(const wisp_choosing *c, const wisp_trial *trial)
{
  for (size_t i = 0; i < c->unfits; i++)
    if (c->unfit[i].trial == trial) return &c->unfit[i];
  return NULL;
}

bool wisp_trial_is_current(const wisp_strategies *strategies, const wisp_trial *trial)
{
  wisp_spec spec;
  char hash[20];
  if (wisp_spec_parse(NULL, trial->spec, &spec) != WISP_OK) return false;
  if (wisp_spec_is_composition(&spec)) return true;
  const wisp_strategy *strategy = wisp_strategies_find(strategies, spec.family, spec.kernel, trial->strategy);
  if (!strategy) return false;
  wisp_strategy_hash(strategy, spec.system, wisp_target_dialect(trial->target), hash);
  if (!*hash || strcmp(hash, trial->template_hash) != 0) return false;
  return *trial->params == '*' || wisp_strategy_lists(strategy, trial->params); /* *1: refusals of many */
}

/* A wisp_current: the entry was measured with the kernel text of today, and nothing is known against it. */
static bool may_fit(const void *context, const wisp_trial *trial)
{
  const wisp_choosing *c = context;
  return !wisp_choosing_unfit(c, trial) && wisp_trial_is_current(c->from->strategies, trial);
}

/* The best entry of the kernel in each class that passes the filter; layout NULL: in any. */
static void look_up(const wisp_choosing *c, const char *layout, wisp_current fits, wisp_answer out[WISP_ANSWER_CLASSES])
{
  char text[WISP_SPEC_TEXT];
  for (int i = 0; i < WISP_ANSWER_CLASSES; i++) out[i] = (wisp_answer){NULL, WISP_MATCH_DEFAULT, WISP_LAYER_NONE, NAN};
  wisp_spec_print(&c->spec, text);
  if (c->from->store) wisp_store_find_each(c->from->store, &c->asker, text, layout, c->request->elements, fits, c, out);
}

void wisp_choosing_look_up_each(const wisp_choosing *c, const char *layout, wisp_answer out[WISP_ANSWER_CLASSES])
{
  look_up(c, layout, may_fit, out);
  for (int i = 0; i < c->nearest; i++) out[i].trial = NULL;
}

void wisp_choosing_look_up(const wisp_choosing *c, const char *layout, wisp_answer *out)
{
  wisp_answer each[WISP_ANSWER_CLASSES];
  *out = (wisp_answer){NULL, WISP_MATCH_DEFAULT, WISP_LAYER_NONE, NAN};
  wisp_choosing_look_up_each(c, layout, each);
  if (c->from->store) *out = wisp_store_resolve(c->from->store, &c->asker, c->request->elements, each);
}

bool wisp_choosing_layout(const wisp_choosing *c, const wisp_trial *trial, wisp_layout *out)
{
  return wisp_layout_parse(NULL, trial->layout, c->layout->Np, c->layout->Nf, out) == WISP_OK;
}

/* The nearest entry that passes the filter and matches better than the choice; NULL: none. */
static wisp_answer find_nearer(const wisp_choosing *c, const char *layout, wisp_current fits, const wisp_choice *choice)
{
  wisp_answer each[WISP_ANSWER_CLASSES];
  look_up(c, layout, fits, each);
  for (int i = 0; i < wisp_answer_class(choice->match, WISP_LAYER_USER) && i < WISP_ANSWER_CLASSES; i++)
    if (each[i].trial) return each[i];
  return (wisp_answer){NULL, WISP_MATCH_DEFAULT, WISP_LAYER_NONE, NAN};
}

void wisp_choosing_note(const wisp_choosing *c, const char *layout, wisp_choice *choice)
{
  if (choice->match <= WISP_MATCH_DRIVER) return;
  choice->passed = find_nearer(c, layout, may_fit, choice);
  if (choice->passed.trial && choice->trial) {
    wisp_choosing_note_slower(choice, choice->passed.trial);
    return;
  }
  choice->passed = find_nearer(c, layout, NULL, choice);
  if (!choice->passed.trial) return;
  const wisp_unfit *known = wisp_choosing_unfit(c, choice->passed.trial);
  const bool stale = !known || !*known->why;
  choice->remark = stale ? "stale" : "refused";
  snprintf(choice->note, sizeof choice->note, "%s",
           stale ? "it is stale: measured before a kernel's text changed" : known->why);
}

void wisp_choosing_note_slower(wisp_choice *choice, const wisp_trial *passed)
{
  choice->remark = "slower";
  snprintf(choice->note, sizeof choice->note, "%.80s's entry is expected to be faster than that of %.80s",
           choice->trial->device, passed->device);
}

/* --- one kernel in one layout --- */

wisp_choice wisp_choice_of(const char *kernel, const char *strategy, const wisp_layout *layout,
                           const wisp_answer *answer)
{
  wisp_choice choice = {.kernel = kernel,
                        .strategy = strategy,
                        .params = "",
                        .trial = answer->trial,
                        .match = answer->match,
                        .layer = answer->layer,
                        .timed = answer->trial,
                        .ms = answer->trial ? answer->trial->ms : NAN,
                        .expected = wisp_answer_expected(answer)};
  wisp_layout_print(layout, choice.layout);
  return choice;
}

wisp_shown wisp_choice_shown(const wisp_choice *choice, const char *device)
{
  const wisp_shown shown[] = {
      {{choice->trial, choice->match, choice->layer, 1},
       choice->older   ? "older"
       : choice->stale ? "stale"
                       : "",
       choice->timed},
      {choice->passed, choice->remark ? choice->remark : "refused", choice->passed.trial},
      {{NULL, WISP_MATCH_DEFAULT, WISP_LAYER_NONE, NAN}, "", NULL},
  };
  int i = 0;
  while (i < 2 && (!shown[i].answer.trial || (device && strcmp(shown[i].answer.trial->device, device) != 0))) i++;
  return shown[i];
}

void wisp_choice_retime(wisp_choice *choice, const wisp_trial *timed)
{
  if (timed == choice->timed) return;
  choice->expected *= timed->ms / choice->ms;
  choice->ms = timed->ms;
  choice->timed = timed;
}

bool wisp_one_measurement(const wisp_trial *stage, const wisp_trial *kernel)
{
  wisp_trial as = *stage;
  memcpy(as.spec, kernel->spec, sizeof as.spec);
  return wisp_trial_outcome(stage) == WISP_TRIAL_OK && stage->ms > 0 && wisp_ranking_order(&as, kernel) == 0;
}

/* A stage that is this kernel alone is one measurement with it: the later one counts. */
static void take_later_record(const wisp_choosing *c, wisp_choice *choice)
{
  char text[WISP_SPEC_TEXT], hash[20];
  const wisp_trial *kernel = choice->trial, *t = NULL, *latest = kernel;
  wisp_spec spec = c->spec;
  if (!kernel || !c->from->store) return;
  wisp_spec_name_kernel(&spec, WISP_COMPOSITION);
  wisp_spec_print(&spec, text);
  snprintf(hash, sizeof hash, "%016llx",
           (unsigned long long)wisp_composition_hash(WISP_HASH_SEED, kernel->template_hash));
  for (size_t at = 0; (t = wisp_store_next(c->from->store, text, &at, NULL));)
    if (strcmp(t->strategy, choice->kernel) == 0 && strcmp(t->template_hash, hash) == 0 &&
        strcmp(t->when, latest->when) > 0 && wisp_one_measurement(t, kernel))
      latest = t;
  wisp_choice_retime(choice, latest);
}

/* The entry's plan. WISP_EREFUSED or WISP_EINPUT where it does not fit here. */
static wisp_status entry_plan(wisp_error *err, const wisp_choosing *c, const wisp_trial *trial, const wisp_stage *stage,
                              wisp_plan **out)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  const wisp_strategy *s = wisp_strategies_find(c->from->strategies, c->spec.family, c->spec.kernel, trial->strategy);
  CALL(wisp_require(err, !stage->reproducible || !s || !s->varies, WISP_EREFUSED, "%s adds up in no fixed order",
                    trial->strategy));
  CALL(wisp_plan_from_text(err, s, &c->spec, &stage->layout, stage->names, trial->params, &plan));
  CALL(wisp_require(err, wisp_fixed_suits(&stage->fixed, plan), WISP_EREFUSED, "%s runs on another discretisation",
                    trial->params));
  return GIVE(plan, out);
}

/* Adds the kernel to the stage: its best entry that is legal here, else its default. */
static wisp_status add_kernel(wisp_error *err, wisp_choosing *c, const char *kernel, wisp_stage *stage)
{
  wisp_answer answer;
  wisp_plan *plan = NULL;
  wisp_choice *choice = &stage->choice[stage->kernels];
  char layout[WISP_LAYOUT_TEXT];
  wisp_layout_print(&stage->layout, layout);
  wisp_spec_name_kernel(&c->spec, kernel);
  for (wisp_choosing_look_up(c, layout, &answer); answer.trial && !plan;) {
    wisp_error why = {.text = ""};
    const wisp_status status = entry_plan(&why, c, answer.trial, stage, &plan);
    if (status == WISP_OK) continue;
    if (!wisp_does_not_fit(status)) CALL(wisp_fail(err, status, "%s", why.text));
    CALL(wisp_choosing_pass_over(err, c, answer.trial, why.text));
    wisp_choosing_look_up(c, layout, &answer);
  }
  if (!plan) CALL(wisp_choosing_default(err, c, stage, &plan));
  *choice = wisp_choice_of(plan->strategy->kernel, plan->strategy->name, &plan->layout, &answer);
  choice->params = plan->params;
  take_later_record(c, choice);
  wisp_choosing_note(c, layout, choice);
  wisp_fixed_add(&stage->fixed, plan);
  stage->plan[stage->kernels++] = plan;
  return WISP_OK;
}

/* --- kernels together --- */

void wisp_stage_unload(wisp_stage *stage)
{
  for (int i = 0; stage->kernel && i < stage->kernels; i++) wisp_kernel_destroy(stage->kernel[i]);
  free(stage->kernel);
  stage->kernel = NULL;
}

void wisp_stage_free(wisp_stage *stage)
{
  wisp_stage_unload(stage);
  for (int i = 0; i < stage->kernels; i++)
    wisp_plan_destroy(stage->plan[i]), wisp_env_destroy(stage->external_names[i]);
  WISP_FREE(stage->plan, stage->external_names, stage->choice, stage->composition);
  wisp_env_destroy(stage->names);
  *stage = (wisp_stage){.kernels = 0};
}

/* Adds a kernel of another family, which chooses it as if it were alone. */
static wisp_status add_external(wisp_error *err, const wisp_choosing *c, const wisp_spec *spec, wisp_stage *stage)
{
  const wisp_choose_request request = {
      .spec = *spec, .elements = c->request->elements, .reproducible = c->request->reproducible};
  HELD(wisp_stage_free) wisp_stage external = {.kernels = 0};
  CALL(c->choose(err, c->from, &request, &external));
  stage->plan[stage->kernels] = external.plan[0];
  stage->choice[stage->kernels] = external.choice[0];
  stage->external_names[stage->kernels++] = external.names;
  external.kernels = 0, external.names = NULL;
  return WISP_OK;
}

wisp_status wisp_choosing_fill(wisp_error *err, wisp_choosing *c, const char *composition, int line,
                               const wisp_layout *layout, wisp_stage *out)
{
  const size_t count = (size_t)wisp_composition_count(composition);
  bool holds = true;
  HELD(wisp_stage_free)
  wisp_stage stage = {.layout = *layout,
                      .strategies = c->from->strategies,
                      .reproducible = c->request->reproducible,
                      .composition = strdup(composition)};
  CALL(wisp_require(err, stage.composition, WISP_EMEMORY, "out of memory"));
  CALL(wisp_choosing_suit(err, c, composition));
  CALL(wisp_new(err, count, sizeof *stage.plan, &stage.plan));
  CALL(wisp_new(err, count, sizeof *stage.choice, &stage.choice));
  CALL(wisp_new(err, count, sizeof *stage.external_names, &stage.external_names));
  if (c->request->preset) stage.preset = *c->request->preset;
  if (c->request->fixed) stage.preset = *c->request->fixed, stage.preset.made = true;
  stage.fixed = stage.preset;
  CALL(wisp_choosing_names(err, c, layout, &stage.names));
  for (const wisp_own_formula *own = c->request->own; own && own->name; own++)
    CALL(wisp_names_formula(err, stage.names, own->name, own->formula, c->spec.precision));
  if (line != WISP_NO_LINE)
    CALL(wisp_defaults_stage_holds(err, wisp_strategies_defaults(c->from->strategies, c->family->name), (size_t)line,
                                   stage.names, &holds));
  CALL(wisp_require(err, holds, WISP_EREFUSED, "it is not the default here"));
  for (char kernel[WISP_NAME_TEXT]; wisp_composition_next(&composition, kernel);) {
    wisp_spec spec;
    CALL(wisp_composition_spec(err, &c->spec, kernel, &spec));
    CALL(strcmp(spec.family, c->spec.family) == 0 ? add_kernel(err, c, kernel, &stage)
                                                  : add_external(err, c, &spec, &stage));
  }
  return GIVE(stage, out);
}

/* --- replacements of kernels that do not work where the stage runs --- */

/* The plan is the stage's from here on. */
static void set_plan(wisp_stage *stage, int i, wisp_plan *plan)
{
  wisp_plan_destroy(stage->plan[i]);
  stage->plan[i] = plan;
  stage->fixed = stage->preset;
  for (int k = 0; k < stage->kernels; k++)
    if (!stage->external_names[k]) wisp_fixed_add(&stage->fixed, stage->plan[k]);
}

static void replace_kernel(wisp_stage *stage, int i, wisp_plan *plan, const char *why)
{
  const wisp_answer none = {NULL, WISP_MATCH_DEFAULT, WISP_LAYER_NONE, NAN};
  const wisp_choice old = stage->choice[i];
  wisp_choice *choice = &stage->choice[i];
  *choice = wisp_choice_of(plan->strategy->kernel, plan->strategy->name, &plan->layout, &none);
  choice->params = plan->params;
  choice->remark = old.trial ? "refused" : old.remark;
  choice->passed = old.trial ? (wisp_answer){old.trial, old.match, old.layer, NAN} : old.passed;
  snprintf(choice->note, sizeof choice->note, "%s", why);
  set_plan(stage, i, plan);
}

static const wisp_env *names_of(const wisp_stage *stage, int i)
{
  return stage->external_names[i] ? stage->external_names[i] : stage->names;
}

wisp_status wisp_stage_default(wisp_error *err, const wisp_stage *stage, int i, wisp_plan **out)
{
  const wisp_plan *plan = stage->plan[i];
  wisp_fixed fixed = stage->fixed;
  fixed.made = true;
  return wisp_defaults_plan(err, stage->strategies, &plan->spec, &plan->layout, names_of(stage, i), &fixed,
                            stage->reproducible, out);
}

/* The default on a discretisation of which this is fixed. WISP_EREFUSED, and why, where it is what the kernel has. */
static wisp_status find_default(wisp_error *err, const wisp_stage *stage, int i, const wisp_fixed *fixed,
                                const char *why, wisp_plan **out)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  const wisp_plan *old = stage->plan[i];
  CALL(wisp_defaults_plan(err, stage->strategies, &old->spec, &old->layout, names_of(stage, i), fixed,
                          stage->reproducible, &plan));
  CALL(wisp_require(err, plan->strategy != old->strategy || strcmp(plan->params, old->params) != 0, WISP_EREFUSED, "%s",
                    why));
  return GIVE(plan, out);
}

wisp_status wisp_stage_fall_back(wisp_error *err, wisp_stage *stage, int i, const char *why)
{
  wisp_plan *plan = NULL;
  wisp_fixed fixed = stage->fixed;
  fixed.made = true;
  CALL(find_default(err, stage, i, &fixed, why, &plan));
  replace_kernel(stage, i, plan, why);
  return WISP_OK;
}

wisp_status wisp_stage_make_fit(wisp_error *err, wisp_stage *stage, int i, wisp_plan_fits fits, const void *context)
{
  wisp_error why = {.text = ""}, last = {.text = ""};
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  wisp_status status = stage->external_names[i] ? WISP_OK : fits(&why, context, stage->plan[i]);
  if (status == WISP_OK) return WISP_OK;
  last = why;
  for (int n = 0; status == WISP_EREFUSED; n++) {
    wisp_plan_destroy(plan), plan = NULL;
    const wisp_status found = wisp_plan_next_larger(&last, stage->plan[i], n, &plan);
    if (found == WISP_EREFUSED) break;
    status = found == WISP_OK ? fits(&last, context, plan) : found;
  }
  if (status != WISP_OK && status != WISP_EREFUSED) return wisp_fail(err, status, "%s", last.text);
  wisp_fixed others = stage->preset; /* and what the other kernels ask for */
  others.made = true;
  for (int k = 0; k < stage->kernels; k++)
    if (k != i && !stage->external_names[k]) wisp_fixed_add(&others, stage->plan[k]);
  if (!plan) CALL(find_default(err, stage, i, &others, why.text, &plan));
  replace_kernel(stage, i, plan, why.text);
  plan = NULL;
  return WISP_OK;
}

wisp_status wisp_stage_follow(wisp_error *err, wisp_stage *stage, int i, const wisp_choice *choice)
{
  const wisp_spec *spec = &stage->plan[i]->spec;
  const wisp_strategy *s = wisp_strategies_find(stage->strategies, spec->family, spec->kernel, choice->strategy);
  wisp_plan *plan = NULL;
  CALL(wisp_plan_from_text(err, s, spec, &stage->layout, names_of(stage, i), choice->params, &plan));
  stage->choice[i] = *choice;
  stage->choice[i].strategy = s->name, stage->choice[i].params = plan->params;
  set_plan(stage, i, plan);
  return WISP_OK;
}
