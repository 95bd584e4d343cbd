/* Which kernels make one stage: the store's step record and winners where they fit here, else defaults. */
#include "../../gen/strategy/defaults.h"
#include "current.h"
#include "step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a choice is made from. */
typedef struct chooser {
  const wisp_strategies *strategies;
  const wisp_store *store;
  const wisp_limits *limits;
  const wisp_step_request *request;
  const wisp_family *family;
  wisp_asker asker;
  wisp_spec spec; /* kernel: the one looked up now */
  size_t rejected, room;
  const wisp_trial **reject; /* entries that turned out not to fit here */
} chooser;

static wisp_status reject(wisp_error *err, chooser *c, const wisp_trial *trial)
{
  if (c->rejected == c->room) {
    size_t room = c->room ? 2 * c->room : 16;
    const wisp_trial **list = realloc(c->reject, room * sizeof *list);
    if (!list) return wisp_fail(err, WISP_EMEMORY, "out of memory: %zu store entries", room);
    c->reject = list;
    c->room = room;
  }
  c->reject[c->rejected++] = trial;
  return WISP_OK;
}

/* A wisp_current: the entry was measured with the kernel text of today, and has not been rejected. */
static bool is_current(const void *context, const wisp_trial *trial)
{
  const chooser *c = context;
  for (size_t i = 0; i < c->rejected; i++)
    if (c->reject[i] == trial) return false;
  return wisp_trial_is_current(c->strategies, trial);
}

static void look_up(chooser *c, const char *kernel, const char *layout, wisp_answer *out)
{
  char text[WISP_SPEC_TEXT];
  *out = (wisp_answer){NULL, WISP_MATCH_DEFAULT, WISP_LAYER_NONE};
  snprintf(c->spec.kernel, sizeof c->spec.kernel, "%s", kernel);
  wisp_spec_print(&c->spec, text);
  if (c->store) wisp_store_find(c->store, &c->asker, text, layout, c->request->elements, is_current, c, out);
}

static void describe(const wisp_plan *plan, const wisp_answer *answer, wisp_choice *out)
{
  const wisp_strategy *s = wisp_plan_strategy(plan);
  *out = (wisp_choice){.match = answer->match, .layer = answer->layer, .ms = answer->trial ? answer->trial->ms : NAN};
  snprintf(out->kernel, sizeof out->kernel, "%s", wisp_strategy_kernel(s));
  snprintf(out->strategy, sizeof out->strategy, "%s", wisp_strategy_name(s));
  snprintf(out->params, sizeof out->params, "%s", wisp_plan_params(plan));
  wisp_layout_print(wisp_plan_layout(plan), out->layout);
}

/* Kernels that walk face pairs are bound to the block size that the pairs were made for. */
static bool walks_pairs(const wisp_plan *plan)
{
  const wisp_arg *arg = NULL;
  int args = wisp_plan_args(plan, &arg);
  for (int i = 0; i < args; i++)
    if (strcmp(arg[i].name, "pair_block") == 0) return true;
  return false;
}

/* A wisp_plan_fits: the block size is MB, 0 for any. */
static bool fits(const void *MB, const wisp_plan *plan)
{
  const int wanted = *(const int *)MB;
  return !wanted || !walks_pairs(plan) || wisp_plan_value(plan, "MB", 1) == wanted;
}

static wisp_status default_plan(wisp_error *err, const wisp_strategies *strategies, const wisp_spec *spec,
                                const wisp_step *step, int MB, wisp_plan **out)
{
  return wisp_defaults_plan(err, strategies, spec, &step->layout, step->names, fits, &MB, out);
}

/* One kernel's best entry that is legal here, else its default. */
static wisp_status choose_kernel(wisp_error *err, chooser *c, const char *kernel, wisp_step *step)
{
  wisp_status status = WISP_OK;
  wisp_answer answer;
  wisp_plan *plan = NULL;
  char layout[WISP_LAYOUT_TEXT];
  wisp_layout_print(&step->layout, layout);
  TRY(wisp_require(err, step->kernels < WISP_MAX_STEP_KERNELS, WISP_EUSAGE, "composition %s: more than %d kernels",
                   step->composition, WISP_MAX_STEP_KERNELS));
  look_up(c, kernel, layout, &answer);
  while (answer.trial && !plan) {
    const wisp_strategy *s = wisp_strategies_find(c->strategies, c->spec.family, kernel, answer.trial->strategy);
    status = wisp_plan_from_text(err, s, &c->spec, &step->layout, step->names, answer.trial->params, &plan);
    if (status == WISP_EREFUSED || status == WISP_EINPUT) {
      TRY(reject(err, c, answer.trial));
      look_up(c, kernel, layout, &answer);
    }
    TRY(status);
  }
  if (!plan) TRY(default_plan(err, c->strategies, &c->spec, step, 0, &plan));
  describe(plan, &answer, &step->choice[step->kernels]);
  step->MB = wisp_plan_value(plan, "MB", step->MB);
  step->grouping = (wisp_grouping)wisp_plan_value(plan, "grouping", (int)step->grouping);
  step->plan[step->kernels++] = plan;
done:
  return status;
}

void wisp_step_free(wisp_step *step)
{
  for (int i = 0; i < step->kernels; i++) wisp_plan_destroy(step->plan[i]);
  wisp_env_destroy(step->names);
  *step = (wisp_step){.kernels = 0};
}

/* What a composition is asked of, where nothing is stored: stage line i of the family's defaults; -1: nothing. */
enum { NO_STAGE = -1 };

static wisp_status check_stage(wisp_error *err, const chooser *c, int i, const wisp_env *names)
{
  bool holds = true;
  wisp_status status = WISP_OK;
  if (i == NO_STAGE) return WISP_OK;
  TRY(wisp_defaults_stage_holds(err, wisp_strategies_defaults(c->strategies, c->family->name), (size_t)i, names,
                                &holds));
  TRY(wisp_require(err, holds, WISP_EREFUSED, "it is not the default here"));
done:
  return status;
}

/* The whole step of one composition in one layout. WISP_EREFUSED where a kernel has no plan here. */
static wisp_status fill(wisp_error *err, chooser *c, const char *composition, int stage, const wisp_layout *layout,
                        wisp_step *out)
{
  wisp_status status = WISP_OK;
  wisp_step step = {.layout = *layout, .MB = 1, .match = WISP_MATCH_DEFAULT, .layer = WISP_LAYER_NONE};
  wisp_target target = wisp_limits_target(c->limits);
  char kernel[24];
  int length = 0;
  step.strategies = c->strategies;
  snprintf(step.composition, sizeof step.composition, "%s", composition);
  TRY(c->family->names(err, &c->spec, layout, &target, &step.names));
  TRY(check_stage(err, c, stage, step.names));
  for (const char *at = composition; sscanf(at, "%23[^+]%n", kernel, &length) == 1;) {
    TRY(choose_kernel(err, c, kernel, &step));
    at += length;
    if (*at == '+') at++;
  }
  *out = step;
  step = (wisp_step){.kernels = 0};
done:
  wisp_step_free(&step);
  return status;
}

/* A family that lists no compositions takes any of its kernels' names, joined. */
static bool is_composition(const wisp_family *family, const char *composition)
{
  if (!family->compositions[0]) return true;
  for (int i = 0; family->compositions[i]; i++)
    if (strcmp(family->compositions[i], composition) == 0) return true;
  return false;
}

/* Does a composition or layout by this name suit the request? */
static bool wanted(const char *asked, const char *name)
{
  return !asked || strcmp(asked, name) == 0;
}

/* Was the record measured with the kernel texts that the step has now? Its hash is that of all its kernels' hashes. */
static bool same_texts(const wisp_step *step, const char *dialect, const wisp_trial *record)
{
  uint64_t hash = WISP_HASH_SEED;
  char kernel[20];
  for (int i = 0; i < step->kernels; i++) {
    wisp_plan_hash(step->plan[i], dialect, kernel);
    hash = wisp_step_hash(hash, kernel);
  }
  return wisp_step_hash_is(hash, record);
}

/* The step of one record. out->kernels stays 0 where it does not suit the request or has no plans here. */
static wisp_status try_record(wisp_error *err, chooser *c, const wisp_answer *answer, wisp_layout sizes, wisp_step *out)
{
  const wisp_trial *trial = answer->trial;
  wisp_layout layout;
  if (!is_composition(c->family, trial->strategy) || !wanted(c->request->composition, trial->strategy) ||
      !wanted(c->request->layout, trial->layout) ||
      wisp_layout_parse(NULL, trial->layout, sizes.Np, sizes.Nf, &layout) != WISP_OK)
    return WISP_OK;
  wisp_status status = fill(err, c, trial->strategy, NO_STAGE, &layout, out);
  if (status == WISP_OK) out->match = answer->match, out->layer = answer->layer;
  return status == WISP_EREFUSED ? WISP_OK : status;
}

/* The best record whose texts are those of today; else the best one, which still tells compositions and layouts apart
 * better than a guess. out->kernels stays 0 where there is none. */
static wisp_status from_records(wisp_error *err, chooser *c, wisp_layout sizes, wisp_step *out)
{
  wisp_status status = WISP_OK;
  wisp_answer answer;
  wisp_step step = {.kernels = 0};
  for (look_up(c, "step", NULL, &answer); answer.trial; look_up(c, "step", NULL, &answer)) {
    TRY(try_record(err, c, &answer, sizes, &step));
    bool current = step.kernels && same_texts(&step, c->limits->kind, answer.trial);
    step.stale = !current;
    if (current || !out->kernels) {
      wisp_step_free(out);
      *out = step;
      step = (wisp_step){.kernels = 0};
    }
    wisp_step_free(&step);
    if (current) break;
    TRY(reject(err, c, answer.trial));
  }
done:
  wisp_step_free(&step);
  return status;
}

/* The composition in the first layout where it has plans, if it is asked for. out->kernels stays 0 where there is none;
 * the first refusal is kept in first. */
static wisp_status try_composition(wisp_error *err, chooser *c, const char *composition, int stage,
                                   const wisp_layout *layouts, int count, wisp_error *first, wisp_step *out)
{
  if (!wanted(c->request->composition, composition)) return WISP_OK;
  for (int l = 0; l < count; l++) {
    wisp_error reason = {.text = ""};
    wisp_status status = fill(&reason, c, composition, stage, &layouts[l], out);
    if (status == WISP_OK) return WISP_OK;
    if (status != WISP_EREFUSED) return wisp_fail(err, status, "%s", reason.text);
    if (!*first->text && stage == NO_STAGE) *first = reason;
  }
  return WISP_OK;
}

/* What the family's defaults prefer here, then the first composition that has plans. */
static wisp_status from_lists(wisp_error *err, chooser *c, const wisp_layout *layouts, int count, wisp_step *out)
{
  wisp_status status = WISP_OK;
  wisp_error first = {.text = ""};
  const wisp_defaults *defaults = wisp_strategies_defaults(c->strategies, c->family->name);
  const char *const asked[] = {c->request->composition, NULL};
  const char *const *list = c->family->compositions[0] ? c->family->compositions : asked;
  const char *stage = NULL;
  for (int i = 0; !out->kernels && (stage = wisp_defaults_stage(defaults, (size_t)i)); i++)
    TRY(try_composition(err, c, stage, i, layouts, count, &first, out));
  for (int i = 0; !out->kernels && list[i]; i++)
    TRY(try_composition(err, c, list[i], NO_STAGE, layouts, count, &first, out));
  TRY(wisp_require(err, out->kernels, WISP_EREFUSED, "no composition of the %s family runs on %s: %s", c->family->name,
                   c->limits->name, first.text));
done:
  return status;
}

static void print_names(const char *const *list, char *text, size_t room)
{
  size_t length = 0;
  *text = '\0';
  for (int i = 0; list[i] && length < room; i++)
    length += (size_t)snprintf(text + length, room - length, "%s%s", i ? ", " : "", list[i]);
}

/* The family and the layouts to try; what the request names must be there. */
static wisp_status check_request(wisp_error *err, chooser *c, wisp_layout layouts[8], int *count)
{
  wisp_status status = WISP_OK;
  const wisp_step_request *r = c->request;
  char names[400];
  c->family = wisp_family_find(r->family);
  TRY(wisp_require(err, c->family, WISP_EUSAGE, "there is no family '%s'", r->family));
  const int *orders = c->family->orders;
  TRY(wisp_require(err, r->order >= orders[0] && r->order <= orders[1], WISP_EUSAGE,
                   "order %d: the %s family has orders %d to %d", r->order, r->family, orders[0], orders[1]));
  print_names(c->family->compositions, names, sizeof names);
  TRY(wisp_require(err, !r->composition || is_composition(c->family, r->composition), WISP_EUSAGE,
                   "composition '%s' is not known: use one of %s", r->composition, names));
  *count = c->family->layouts(r->order, layouts);
  if (r->layout) {
    TRY(wisp_layout_parse(err, r->layout, layouts->Np, layouts->Nf, layouts));
    *count = 1;
  }
done:
  return status == WISP_EINPUT ? wisp_fail(err, WISP_EUSAGE, "layout '%s' is none for order %d", r->layout, r->order)
                               : status;
}

static wisp_status check_exact(wisp_error *err, chooser *c, const wisp_step *step)
{
  char text[WISP_SPEC_TEXT];
  for (int i = 0; i < step->kernels; i++) {
    if (step->choice[i].match == WISP_MATCH_EXACT) continue;
    wisp_spec_print(wisp_plan_spec(step->plan[i]), text);
    return wisp_fail(err, WISP_EMISSING,
                     "%s, layout %s: no entry was measured on %s with this driver and compiler: tune it, or allow "
                     "other matches",
                     text, step->choice[i].layout, c->limits->name);
  }
  return WISP_OK;
}

static void introduce(chooser *c)
{
  const wisp_step_request *r = c->request;
  const wisp_family *family = wisp_family_find(r->family);
  c->asker = wisp_limits_asker(c->limits);
  snprintf(c->spec.family, sizeof c->spec.family, "%s", r->family);
  snprintf(c->spec.element, sizeof c->spec.element, "%s", family ? family->element : "");
  snprintf(c->spec.system, sizeof c->spec.system, "%s", r->system);
  c->spec.order = r->order;
  c->spec.precision = r->precision;
}

wisp_status wisp_step_choose(wisp_error *err, const wisp_strategies *strategies, const wisp_store *store,
                             const wisp_limits *limits, const wisp_step_request *request, wisp_step *out)
{
  wisp_status status = WISP_OK;
  chooser c = {.strategies = strategies, .store = store, .limits = limits, .request = request};
  wisp_layout layouts[8];
  wisp_step step = {.kernels = 0};
  int count = 0;
  introduce(&c);
  TRY(check_request(err, &c, layouts, &count));
  TRY(from_records(err, &c, layouts[0], &step));
  if (!step.kernels) TRY(from_lists(err, &c, layouts, count, &step));
  if (request->exact_match_only) TRY(check_exact(err, &c, &step));
  *out = step;
  step = (wisp_step){.kernels = 0};
done:
  wisp_step_free(&step);
  free(c.reject);
  return status;
}

wisp_status wisp_step_fall_back(wisp_error *err, wisp_step *step, int i, const char *why)
{
  wisp_status status = WISP_OK;
  wisp_plan *plan = NULL, *old = step->plan[i];
  const wisp_answer none = {NULL, WISP_MATCH_DEFAULT, WISP_LAYER_NONE};
  TRY(default_plan(err, step->strategies, wisp_plan_spec(old), step, step->MB, &plan));
  TRY(wisp_require(err,
                   wisp_plan_strategy(plan) != wisp_plan_strategy(old) ||
                       strcmp(wisp_plan_params(plan), wisp_plan_params(old)) != 0,
                   WISP_EREFUSED, "%s", why));
  describe(plan, &none, &step->choice[i]);
  snprintf(step->choice[i].note, sizeof step->choice[i].note, "%s", why);
  step->plan[i] = plan;
  plan = old;
done:
  wisp_plan_destroy(plan);
  return status;
}
