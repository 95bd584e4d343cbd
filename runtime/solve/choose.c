/* Alternative compositions with one result, compared by the store's entries of their kernels, else by the defaults. */
#include "choose_parts.h"
#include "choose.h"
#include "../../gen/strategy/defaults.h"
#include "../../gen/strategy/source_set.h"

#include <math.h>

static bool has_kernel(const wisp_stage *stage, const char *kernel)
{
  for (int i = 0; i < stage->kernels; i++)
    if (strcmp(stage->choice[i].kernel, kernel) == 0) return true;
  return false;
}

/* The time of a stage's kernels for an element, but for those of the alternative: as measured, and as expected here;
 * NaN where one has no entry, or its time here is not known. match: that of the worst of their entries. */
typedef struct measured {
  double ms, expected;
  wisp_match match;
} measured;

static measured measure_stage(const wisp_stage *stage, const wisp_stage *other)
{
  measured out = {0, 0, WISP_MATCH_EXACT};
  for (int i = 0; i < stage->kernels; i++) {
    const wisp_choice *c = &stage->choice[i];
    if (has_kernel(other, c->kernel)) continue;
    out.ms += c->trial ? c->ms / (double)c->trial->elements : NAN;
    out.expected += c->expected;
    if (c->match > out.match) out.match = c->match;
  }
  return out;
}

/* Whether a line of the family's defaults prefers the stage's composition here. */
static wisp_status is_preferred(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                                const wisp_stage *stage, bool *out)
{
  const wisp_defaults *defaults = wisp_strategies_defaults(from->strategies, request->spec.family);
  const char *composition;
  *out = false;
  for (size_t i = 0; !*out && (composition = wisp_defaults_stage(defaults, i)); i++)
    if (strcmp(composition, stage->composition) == 0)
      CALL(wisp_defaults_stage_holds(err, defaults, i, stage->names, out));
  return WISP_OK;
}

/* By the expected times; where these are not known, by measured ones of entries that match alike; else by defaults. */
static wisp_status is_better(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                             const wisp_stage *stage, const wisp_stage *best, bool *out)
{
  const measured a = measure_stage(stage, best), b = measure_stage(best, stage);
  bool wanted = false, already = false;
  *out = !isnan(a.expected) && !isnan(b.expected) ? a.expected < b.expected : a.match == b.match && a.ms < b.ms;
  if (*out || !isnan(a.ms) || !isnan(b.ms)) return WISP_OK;
  CALL(is_preferred(err, from, request, stage, &wanted));
  CALL(is_preferred(err, from, request, best, &already));
  *out = wanted && !already;
  return WISP_OK;
}

/* One of them; out->kernels stays 0, and the first reason is kept, where it does not run here or was not measured. */
static wisp_status try_alternative(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                                   const char *composition, wisp_status *first, wisp_error *why, wisp_stage *out)
{
  wisp_choose_request own = *request;
  wisp_error reason = {.text = ""};
  own.composition = composition;
  const wisp_status status = wisp_choose_one(&reason, from, &own, out);
  const bool none = status == WISP_EREFUSED || status == WISP_EMISSING;
  CALL(wisp_require(err, none || status == WISP_OK, status, "%s", reason.text));
  if (none && *first == WISP_OK) *first = status, *why = reason;
  return WISP_OK;
}

static wisp_status choose_alternative(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                                      wisp_stage *out)
{
  HELD(wisp_stage_free) wisp_stage best = {.kernels = 0};
  OWNED(free) char *names = NULL;
  wisp_status first = WISP_OK;
  wisp_error why = {.text = ""};
  CALL(wisp_copy_text(err, request->composition, &names));
  for (char *name = names, *next; name; name = next) {
    HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
    next = strchr(name, '|');
    if (next) *next++ = '\0';
    bool better = true;
    CALL(try_alternative(err, from, request, name, &first, &why, &stage));
    if (stage.kernels && best.kernels) CALL(is_better(err, from, request, &stage, &best, &better));
    if (!stage.kernels || !better) continue;
    wisp_stage_free(&best);
    (void)GIVE(stage, &best);
  }
  CALL(wisp_require(err, best.kernels, first, "%s", why.text));
  return GIVE(best, out);
}

/* --- what is asked for --- */

/* A wisp_equal_system. */
static const char *equal_system(const void *context, const char *system)
{
  const wisp_strategies *strategies = context;
  return wisp_source_set_equal_system(strategies->source_set, system);
}

wisp_status wisp_chooser_open_store(wisp_error *err, const wisp_strategies *strategies, const char *path, bool tolerant,
                                    char **warning, wisp_store **out)
{
  CALL(wisp_store_open(err, path, tolerant, warning, out));
  if (strategies->users.own) wisp_store_share_systems(*out, equal_system, strategies);
  return WISP_OK;
}

wisp_status wisp_choose(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request, wisp_stage *out)
{
  const bool several = request->composition && strchr(request->composition, '|');
  return (several ? choose_alternative : wisp_choose_one)(err, from, request, out);
}

wisp_status wisp_choose_if_any(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                               wisp_stage *out)
{
  wisp_error reason = {.text = ""};
  const wisp_status status = wisp_choose(&reason, from, request, out);
  const bool none = status == WISP_EREFUSED || status == WISP_EUSAGE || status == WISP_EINPUT;
  if (none) *out = (wisp_stage){.kernels = 0};
  return wisp_require(err, none || status == WISP_OK, status, "%s", reason.text);
}

/* The time of one kernel of the stage; NaN where there is no trial of it. */
static double ms_of(const wisp_chooser *from, const wisp_spec *composition, const wisp_choice *choice,
                    const wisp_trial *winner)
{
  wisp_spec spec = *composition;
  wisp_trial like = *winner;
  wisp_spec_name_kernel(&spec, choice->kernel);
  wisp_spec_print(&spec, like.spec);
  memcpy(like.layout, choice->layout, sizeof like.layout);
  const wisp_trial *t = NULL;
  for (size_t at = 0; (t = wisp_store_next(from->store, like.spec, &at, NULL));) {
    if (wisp_ranking_order(t, &like) != 0 || !(t->ms > 0) || strcmp(t->strategy, choice->strategy) != 0 ||
        strcmp(t->params, choice->params) != 0)
      continue;
    if (wisp_trial_is_right(t) && wisp_trial_is_current(from->strategies, t)) return t->ms;
  }
  return NAN;
}

wisp_status wisp_standard_ms(wisp_error *err, const wisp_chooser *from, const wisp_trial *winner, double *ms)
{
  wisp_choose_request request = {.spec = {.order = 0}};
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  *ms = NAN;
  if (wisp_spec_parse(NULL, winner->spec, &request.spec) != WISP_OK) return WISP_OK;
  CALL(wisp_choose_if_any(err, &(wisp_chooser){from->strategies, NULL, from->limits, from->scopes}, &request, &stage));
  if (stage.kernels) *ms = 0;
  for (int k = 0; k < stage.kernels; k++) *ms += ms_of(from, &request.spec, &stage.choice[k], winner);
  return WISP_OK;
}
