/* Kernels of a stage that do not work where it runs make way for others. */
#include "choose_parts.h"
#include "../../gen/strategy/defaults.h"

#include <math.h>

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
  wisp_fixed fixed = stage->fixed;
  fixed.made = true;
  return wisp_defaults_plan(err, stage->strategies, &stage->plan[i]->spec, &stage->plan[i]->layout, names_of(stage, i),
                            &fixed, stage->reproducible, out);
}

/* The default on a discretisation of which this is fixed. WISP_EREFUSED, and why, where it is what the kernel has. */
static wisp_status find_default(wisp_error *err, const wisp_stage *stage, int i, const wisp_fixed *fixed,
                                const char *why, wisp_plan **out)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  const wisp_plan *old = stage->plan[i];
  CALL(wisp_defaults_plan(err, stage->strategies, &old->spec, &stage->layout, names_of(stage, i), fixed,
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
