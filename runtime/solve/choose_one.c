/* One kernel by itself, or a whole stage: what is asked for is checked, and chosen. */
#include "choose_parts.h"
#include "../../gen/strategy/defaults.h"

#include <math.h>

/* Its best entry over all layouts that is legal here. out->kernels stays 0 where there is none. */
static wisp_status from_entries(wisp_error *err, wisp_choosing *c, const char *kernel, wisp_stage *out)
{
  wisp_answer answer;
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  for (wisp_choosing_look_up(c, NULL, &answer); answer.trial; wisp_choosing_look_up(c, NULL, &answer)) {
    wisp_error why = {.text = "its layout is none here"};
    wisp_layout layout;
    const wisp_status status = wisp_choosing_layout(c, answer.trial, &layout)
                                   ? wisp_choosing_fill(&why, c, kernel, WISP_NO_LINE, &layout, &stage)
                                   : WISP_EREFUSED;
    /* Another one of that layout may be expected to be faster there; one that was found unfit is not enough. */
    if (status == WISP_OK && stage.choice->trial && !wisp_choosing_unfit(c, answer.trial)) break;
    wisp_stage_free(&stage);
    if (status != WISP_OK && !wisp_does_not_fit(status)) CALL(wisp_fail(err, status, "%s", why.text));
    if (!wisp_choosing_unfit(c, answer.trial)) CALL(wisp_choosing_pass_over(err, c, answer.trial, why.text));
  }
  return GIVE(stage, out);
}

/* The layout of the default of a composition; where there is but one, there is nothing to choose. */
static wisp_status layout_of_default(wisp_error *err, const wisp_choosing *c, const char *composition, wisp_layout *out)
{
  if (c->layouts == 1) return *out = c->layout[0], WISP_OK;
  const wisp_chooser from = {c->from->strategies, NULL, c->from->limits, c->from->scopes};
  wisp_choose_request request = {.spec = c->spec,
                                 .composition = composition,
                                 .fixed = c->request->fixed,
                                 .preset = c->request->preset,
                                 .reproducible = c->request->reproducible};
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  wisp_spec_name_kernel(&request.spec, WISP_COMPOSITION);
  CALL(wisp_choose_one(err, &from, &request, &stage));
  *out = stage.layout;
  return WISP_OK;
}

/* Its default, in the layout of the default of the first composition, or chain, that has it. */
static wisp_status from_defaults(wisp_error *err, wisp_choosing *c, const char *kernel, wisp_stage *out)
{
  wisp_status status = WISP_EREFUSED;
  const char *const lone[] = {kernel, NULL};
  wisp_layout layout;
  wisp_error first = {.text = "no composition has it"};
  const char *const *const lists[] = {c->family->compositions[0] ? c->family->compositions : lone, c->family->chains};
  for (int i = 0; i < 2; i++)
    for (const char *const *list = lists[i]; list && *list && status == WISP_EREFUSED; list++)
      if (wisp_composition_has(*list, kernel))
        status = wisp_choosing_remember(&first, c, *list, layout_of_default, &layout);
  if (status != WISP_OK) return wisp_fail(err, status, "kernel %s: %s", kernel, first.text);
  return wisp_choosing_fill(err, c, kernel, WISP_NO_LINE, &layout, out);
}

static wisp_status choose_kernel(wisp_error *err, wisp_choosing *c, wisp_stage *out)
{
  const char *kernel = c->request->spec.kernel;
  if (!wisp_family_kernel(c->family, kernel)) return wisp_family_refuse_kernel(err, c->family, kernel);
  if (c->request->layout) {
    CALL(wisp_choosing_fill(err, c, kernel, WISP_NO_LINE, c->layout, out));
  } else {
    CALL(from_entries(err, c, kernel, out));
    if (!out->kernels) CALL(from_defaults(err, c, kernel, out));
    wisp_choosing_note(c, NULL, out->choice);
  }
  out->record = *out->choice;
  return WISP_OK;
}

/* --- what is asked for --- */

wisp_status wisp_composition_check(wisp_error *err, const wisp_family *family, const char *composition)
{
  char names[400] = "";
  size_t length = 0;
  for (int i = 0; family->compositions[i] && length < sizeof names; i++)
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", family->compositions[i]);
  return wisp_require(err, wisp_is_composition(family, composition), WISP_EUSAGE,
                      "composition '%s' is not known: use one of %s", composition, names);
}

/* The family and the layouts to try; what the request names must be there. */
static wisp_status check_request(wisp_error *err, wisp_choosing *c)
{
  const wisp_choose_request *w = c->request;
  c->spec = w->spec;
  c->family = wisp_family_find(w->spec.family);
  if (c->family && !*c->spec.element) wisp_spec_name_element(&c->spec, c->family->elements->name);
  CALL(wisp_family_check(err, &c->spec));
  if (w->composition) CALL(wisp_composition_check(err, c->family, w->composition));
  c->layouts = wisp_family_layouts(&c->spec, c->layout);
  if (!w->layout) return WISP_OK;
  c->layouts = 1;
  const wisp_status status = wisp_layout_parse(err, w->layout, c->layout->Np, c->layout->Nf, c->layout);
  return wisp_require(err, status == WISP_OK, WISP_EUSAGE,
                      "order %d has no layout '%s': 'wisp emit -n %d' lists its layouts", w->spec.order, w->layout,
                      w->spec.order);
}

static wisp_status check_exact(wisp_error *err, const wisp_choosing *c, const wisp_stage *stage)
{
  char text[WISP_SPEC_TEXT];
  for (int i = 0; i < stage->kernels; i++) {
    if (stage->choice[i].match == WISP_MATCH_EXACT) continue;
    wisp_spec_print(&stage->plan[i]->spec, text);
    return wisp_fail(err, WISP_EMISSING,
                     "%s, layout %s: no entry was measured on %s with this driver and compiler: tune it, or allow "
                     "other matches",
                     text, stage->choice[i].layout, c->from->limits->name);
  }
  return WISP_OK;
}

static void free_choosing(wisp_choosing *c)
{
  free(c->unfit);
}

wisp_status wisp_choose_one(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                            wisp_stage *out)
{
  const wisp_limits *limits = from->limits;
  HELD(free_choosing)
  wisp_choosing c = {.from = from,
                     .request = request,
                     .asker = {.units = limits->units, .exact_only = request->exact_match_only},
                     .choose = wisp_choose_one};
  snprintf(c.asker.device, sizeof c.asker.device, "%s", limits->name);
  snprintf(c.asker.target, sizeof c.asker.target, "%s", limits->target);
  snprintf(c.asker.driver, sizeof c.asker.driver, "%s", limits->driver);
  snprintf(c.asker.compiler, sizeof c.asker.compiler, "%s", limits->compiler);
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  CALL(check_request(err, &c));
  if (*request->spec.kernel && !wisp_spec_is_composition(&request->spec))
    CALL(choose_kernel(err, &c, &stage));
  else
    CALL(wisp_choose_stage(err, &c, &stage));
  if (request->exact_match_only) CALL(check_exact(err, &c, &stage));
  return GIVE(stage, out);
}

wisp_status wisp_trial_limits(wisp_error *err, const wisp_trial *trial, wisp_limits *out)
{
  const bool known = strcmp(out->target, trial->target) == 0;
  const wisp_status status = known ? WISP_OK : wisp_target_documented(err, trial->target, out);
  snprintf(out->name, sizeof out->name, "%s", trial->device);
  snprintf(out->driver, sizeof out->driver, "%s", trial->driver);
  snprintf(out->compiler, sizeof out->compiler, "%s", trial->compiler);
  out->units = trial->units;
  return status;
}
