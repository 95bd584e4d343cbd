/* Finds the candidates that are compared: winners as a solver would look them up, over all layouts, and the defaults
 * that it would run without a store. */
#include "compare_list.h"
#include "../trial/workload.h"
#include "../../runtime/solve/current.h"
#include "../../runtime/solve/standard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REJECTED = 16 };

typedef struct finder {
  const wisp_strategies *strategies;
  const wisp_limits *limits;
  const wisp_compare_request *request;
  const wisp_family *family;
  wisp_spec spec; /* the one looked for */
  int rejected;
  const wisp_trial *reject[MAX_REJECTED]; /* entries that are no longer legal */
} finder;

/* A wisp_current: measured with the kernel text of today. */
static bool is_current(const void *context, const wisp_trial *trial)
{
  const finder *f = context;
  for (int i = 0; i < f->rejected; i++)
    if (f->reject[i] == trial) return false;
  return wisp_trial_is_current(f->strategies, trial);
}

long long wisp_compare_elements(const wisp_compare_request *request, int order)
{
  wisp_layout layouts[8];
  if (!(request->nodes > 0)) return request->elements;
  wisp_family_find(request->family)->layouts(order, layouts);
  return (long long)ceil(request->nodes / layouts->Np);
}

static void ask(const finder *f, wisp_answer *out)
{
  wisp_asker asker = wisp_limits_asker(f->limits);
  char text[WISP_SPEC_TEXT];
  wisp_spec_print(&f->spec, text);
  wisp_store_find(f->request->store, &asker, text, NULL, wisp_compare_elements(f->request, f->spec.order), is_current,
                  f, out);
}

/* A step of this one plan, which it takes. */
static void make_step(const finder *f, wisp_plan *plan, const wisp_answer *answer, wisp_step *step)
{
  const wisp_strategy *s = wisp_plan_strategy(plan);
  wisp_choice *choice = &step->choice[0];
  snprintf(step->composition, sizeof step->composition, "%s", f->spec.kernel);
  *choice =
      (wisp_choice){.match = answer->match, .layer = answer->layer, .ms = answer->trial ? answer->trial->ms : NAN};
  snprintf(choice->kernel, sizeof choice->kernel, "%s", f->spec.kernel);
  snprintf(choice->strategy, sizeof choice->strategy, "%s", wisp_strategy_name(s));
  snprintf(choice->params, sizeof choice->params, "%s", wisp_plan_params(plan));
  wisp_layout_print(wisp_plan_layout(plan), choice->layout);
  step->layout = *wisp_plan_layout(plan);
  step->MB = wisp_plan_value(plan, "MB", 1);
  step->grouping = (wisp_grouping)wisp_plan_value(plan, "grouping", WISP_GROUP_NATURAL);
  step->match = answer->match;
  step->layer = answer->layer;
  step->strategies = f->strategies;
  step->plan[0] = plan;
  step->kernels = 1;
}

/* One entry's plan. WISP_EREFUSED or WISP_EINPUT where it does not fit here any more. */
static wisp_status from_entry(wisp_error *err, const finder *f, const wisp_answer *answer, wisp_step *out)
{
  wisp_status status = WISP_OK;
  wisp_step step = {.kernels = 0};
  wisp_layout sizes[8], layout;
  wisp_target target = wisp_limits_target(f->limits);
  wisp_plan *plan = NULL;
  f->family->layouts(f->spec.order, sizes);
  TRY(wisp_layout_parse(err, answer->trial->layout, sizes->Np, sizes->Nf, &layout));
  TRY(f->family->names(err, &f->spec, &layout, &target, &step.names));
  const wisp_strategy *s = wisp_strategies_find(f->strategies, f->spec.family, f->spec.kernel, answer->trial->strategy);
  TRY(wisp_plan_from_text(err, s, &f->spec, &layout, step.names, answer->trial->params, &plan));
  make_step(f, plan, answer, &step);
  *out = step;
  step = (wisp_step){.kernels = 0};
done:
  wisp_step_free(&step);
  return status;
}

/* out->kernels stays 0 where the store has nothing for this kernel. */
static wisp_status find_winner(wisp_error *err, finder *f, wisp_step *out)
{
  wisp_answer answer;
  for (f->rejected = 0; f->rejected < MAX_REJECTED; f->reject[f->rejected++] = answer.trial) {
    wisp_error reason = {.text = ""};
    ask(f, &answer);
    if (!answer.trial) return WISP_OK;
    wisp_status status = from_entry(&reason, f, &answer, out);
    if (status == WISP_OK) return WISP_OK;
    if (status != WISP_EREFUSED && status != WISP_EINPUT) return wisp_fail(err, status, "%s", reason.text);
  }
  return WISP_OK;
}

/* The step's match is that of its record; its kernels' own may differ. */
static wisp_status find_step(wisp_error *err, const finder *f, wisp_match_up *up)
{
  wisp_status status = WISP_OK;
  const wisp_step_request request = {.family = f->family->name,
                                     .system = f->spec.system,
                                     .order = f->spec.order,
                                     .precision = f->spec.precision,
                                     .elements = wisp_compare_elements(f->request, f->spec.order)};
  TRY(wisp_step_choose(err, f->strategies, f->request->store, f->limits, &request, &up->tuned));
done:
  return status;
}

static wisp_status add(wisp_error *err, wisp_match_ups *ups, wisp_match_up *up)
{
  if (!up->tuned.kernels && !up->standard.kernels) return WISP_OK;
  if (ups->count == ups->room) {
    size_t room = ups->room ? 2 * ups->room : 64;
    wisp_match_up *list = realloc(ups->list, room * sizeof *list);
    if (!list) return wisp_fail(err, WISP_EMEMORY, "out of memory: %zu comparisons", room);
    ups->list = list;
    ups->room = room;
  }
  ups->list[ups->count++] = *up;
  *up = (wisp_match_up){.tuned = {.kernels = 0}};
  return WISP_OK;
}

static wisp_status list_one(wisp_error *err, finder *f, const char *kernel, wisp_match_ups *ups)
{
  wisp_status status = WISP_OK;
  wisp_match_up up = {.tuned = {.kernels = 0}};
  if (f->request->kernel && strcmp(f->request->kernel, kernel) != 0) return WISP_OK;
  memset(f->spec.kernel, 0, sizeof f->spec.kernel);
  memcpy(f->spec.kernel, kernel, strnlen(kernel, sizeof f->spec.kernel - 1));
  up.spec = f->spec;
  if (strcmp(kernel, "step") == 0)
    TRY(find_step(err, f, &up));
  else if (f->request->store)
    TRY(find_winner(err, f, &up.tuned));
  TRY(wisp_step_standard(err, f->strategies, f->limits, &f->spec, &up.standard));
  TRY(add(err, ups, &up));
done:
  wisp_step_free(&up.tuned);
  wisp_step_free(&up.standard);
  return status;
}

static wisp_status check_request(wisp_error *err, const finder *f)
{
  wisp_status status = WISP_OK;
  const wisp_compare_request *r = f->request;
  TRY(wisp_require(err, f->family, WISP_EUSAGE, "no family '%s'", r->family));
  for (size_t i = 0; i < r->order_count; i++)
    TRY(wisp_require(err, r->orders[i] >= f->family->orders[0] && r->orders[i] <= f->family->orders[1], WISP_EUSAGE,
                     "order %d: family %s has orders %d to %d", r->orders[i], f->family->name, f->family->orders[0],
                     f->family->orders[1]));
  bool known = !r->kernel || strcmp(r->kernel, "step") == 0;
  for (int k = 0; f->family->kernels[k].name && !known; k++)
    known = strcmp(r->kernel, f->family->kernels[k].name) == 0 && wisp_workload_serves(r->family, r->kernel);
  TRY(wisp_require(err, known, WISP_EUSAGE,
                   "family %s has no kernel '%s' to time: 'wisp emit' lists them, 'step' is the whole", f->family->name,
                   r->kernel));
done:
  return status;
}

wisp_status wisp_match_ups_create(wisp_error *err, const wisp_strategies *strategies, const wisp_limits *limits,
                                  const wisp_compare_request *r, wisp_match_ups *out)
{
  wisp_status status = WISP_OK;
  wisp_match_ups ups = {0};
  finder f = {.strategies = strategies, .limits = limits, .request = r, .family = wisp_family_find(r->family)};
  TRY(check_request(err, &f));
  for (size_t i = 0; i < r->order_count; i++)
    for (size_t p = 0; p < r->precision_count; p++) {
      f.spec = wisp_family_spec(f.family, r->orders[i], r->system, r->precisions[p]);
      for (int k = 0; f.family->kernels[k].name; k++)
        if (wisp_workload_serves(f.family->name, f.family->kernels[k].name))
          TRY(list_one(err, &f, f.family->kernels[k].name, &ups));
      if (f.family->compositions[0]) TRY(list_one(err, &f, "step", &ups));
    }
  *out = ups;
  ups = (wisp_match_ups){0};
done:
  wisp_match_ups_free(&ups);
  return status;
}

void wisp_match_ups_free(wisp_match_ups *ups)
{
  for (size_t i = 0; i < ups->count; i++) {
    wisp_step_free(&ups->list[i].tuned);
    wisp_step_free(&ups->list[i].standard);
  }
  free(ups->list);
  *ups = (wisp_match_ups){0};
}
