/* One kernel, chosen as a solver would: what won in the store where it is legal here, else the default. */
#include "../../gen/strategy/defaults.h"
#include "../solve/current.h"
#include "../solve/standard.h"
#include "door.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A store's entries, without those that are stale or do not apply here. */
typedef struct lookup {
  const wisp_strategies *strategies;
  const wisp_trial **refused;
  size_t count;
} lookup;

static bool counts(const void *context, const wisp_trial *trial)
{
  const lookup *in = context;
  for (size_t i = 0; i < in->count; i++)
    if (in->refused[i] == trial) return false;
  return wisp_trial_is_current(in->strategies, trial);
}

/* The family's names in this layout: what plans are made of. */
static wisp_status enter_layout(wisp_error *err, const wisp_session *session, const wisp_spec *spec, const char *layout,
                                wisp_step *step)
{
  wisp_status status = WISP_OK;
  const wisp_family *family = wisp_family_find(spec->family);
  const wisp_target target = wisp_limits_target(wisp_device_limits(session->device));
  wisp_layout all[8];
  family->layouts(spec->order, all);
  TRY(wisp_layout_parse(err, layout, all->Np, all->Nf, &step->layout));
  TRY(family->names(err, spec, &step->layout, &target, &step->names));
done:
  return status;
}

static wisp_status try_entry(wisp_error *err, const wisp_session *session, const wisp_spec *spec,
                             const wisp_answer *answer, wisp_step *step)
{
  wisp_status status = WISP_OK;
  const wisp_trial *t = answer->trial;
  TRY(enter_layout(err, session, spec, t->layout, step));
  const wisp_strategy *s = wisp_strategies_find(session->strategies, spec->family, spec->kernel, t->strategy);
  TRY(wisp_plan_from_text(err, s, spec, &step->layout, step->names, t->params, &step->plan[0]));
  step->kernels = 1;
  step->choice[0] = (wisp_choice){.match = answer->match, .layer = answer->layer, .ms = t->ms};
done:
  if (status != WISP_OK) wisp_step_free(step);
  return status;
}

static wisp_status from_store(wisp_error *err, const wisp_session *session, const wisp_spec *spec,
                              const wisp_kernel_request *request, wisp_step *step)
{
  wisp_status status = WISP_OK;
  const wisp_asker asker = wisp_limits_asker(wisp_device_limits(session->device));
  lookup in = {.strategies = session->strategies};
  wisp_answer answer;
  char text[WISP_SPEC_TEXT];
  wisp_spec_print(spec, text);
  TRY(wisp_new(err, wisp_store_count(session->store), sizeof *in.refused, &in.refused));
  while (!step->kernels) {
    wisp_error reason = {.text = ""};
    wisp_store_find(session->store, &asker, text, request->layout, request->elements, counts, &in, &answer);
    if (!answer.trial) break;
    status = try_entry(&reason, session, spec, &answer, step);
    if (status == WISP_EREFUSED || status == WISP_EINPUT)
      in.refused[in.count++] = answer.trial;
    else if (status != WISP_OK)
      TRY(wisp_fail(err, status, "%s", reason.text));
    status = WISP_OK;
  }
done:
  free(in.refused);
  return status;
}

static wisp_status from_defaults(wisp_error *err, const wisp_session *session, const wisp_spec *spec,
                                 const char *layout, wisp_step *step)
{
  wisp_status status = WISP_OK;
  if (!layout) return wisp_step_standard(err, session->strategies, wisp_device_limits(session->device), spec, step);
  status = enter_layout(err, session, spec, layout, step);
  if (status == WISP_EINPUT)
    return wisp_fail(err, WISP_EUSAGE, "layout '%s' is none for order %d", layout, spec->order);
  TRY(status);
  TRY(wisp_defaults_plan(err, session->strategies, spec, &step->layout, step->names, NULL, NULL, &step->plan[0]));
  step->kernels = 1;
  step->choice[0] = (wisp_choice){.match = WISP_MATCH_DEFAULT, .layer = WISP_LAYER_NONE, .ms = NAN};
done:
  return status;
}

static wisp_status read_spec(wisp_error *err, const char *text, wisp_spec *out)
{
  wisp_status status = WISP_OK;
  TRY(wisp_spec_parse(err, text, out));
  const wisp_family *family = wisp_family_find(out->family);
  TRY(wisp_require(err, family, WISP_EUSAGE, "%s: there is no family '%s'", text, out->family));
  TRY(wisp_require(err, wisp_family_kernel(family, out->kernel), WISP_EUSAGE, "%s: the %s family has no kernel '%s'",
                   text, family->name, out->kernel));
  TRY(wisp_require(err, strcmp(family->element, out->element) == 0, WISP_EUSAGE,
                   "%s: the %s family has no element '%s'", text, family->name, out->element));
  TRY(wisp_require(err, out->order >= family->orders[0] && out->order <= family->orders[1], WISP_EUSAGE,
                   "%s: the %s family has orders %d to %d", text, family->name, family->orders[0], family->orders[1]));
done:
  return status;
}

wisp_status wisp_session_choose(wisp_error *err, const wisp_session *session, const char *text,
                                const wisp_kernel_request *request, wisp_step *out)
{
  wisp_status status = WISP_OK;
  const wisp_kernel_request any = {.layout = NULL};
  wisp_step step = {.kernels = 0};
  wisp_spec spec;
  if (!request) request = &any;
  TRY(read_spec(err, text, &spec));
  TRY(from_store(err, session, &spec, request, &step));
  if (!step.kernels) TRY(from_defaults(err, session, &spec, request->layout, &step));
  TRY(wisp_require(err, step.kernels, WISP_EREFUSED, "%s: nothing that computes it runs on %s", text,
                   wisp_device_limits(session->device)->name));
  TRY(wisp_require(err, !session->exact_match_only || step.choice[0].match == WISP_MATCH_EXACT, WISP_EMISSING,
                   "%s: no entry was measured on %s with this driver and compiler: tune it, or allow other matches",
                   text, wisp_device_limits(session->device)->name));
  step.strategies = session->strategies;
  *out = step;
  step = (wisp_step){.kernels = 0};
done:
  wisp_step_free(&step);
  return status;
}
