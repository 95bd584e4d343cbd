#include "match_up.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void release_match_up(wisp_match_up *up)
{
  for (size_t i = 0; i < up->alternatives; i++) wisp_stage_free(&up->alternative[i].stage);
  free(up->alternative);
  wisp_stage_free(&up->tuned);
  wisp_stage_free(&up->standard);
  wisp_stage_free(&up->beside);
}

void wisp_match_ups_free(wisp_match_ups *ups)
{
  for (size_t i = 0; i < ups->count; i++) release_match_up(&ups->list[i]);
  free(ups->list);
  *ups = (wisp_match_ups){0};
}

typedef struct finder {
  wisp_chooser from;
  const wisp_compare_request *request;
  const wisp_family *family;
  wisp_spec spec; /* the one looked for */
} finder;

wisp_spec wisp_compare_spec(const wisp_compare_request *r, int order, wisp_precision precision)
{
  wisp_spec spec = wisp_family_spec(wisp_family_find(r->family), order, r->system, precision);
  if (r->element) wisp_spec_name_element(&spec, r->element);
  return spec;
}

long long wisp_compare_elements(const wisp_compare_request *request, int order)
{
  wisp_layout layouts[8];
  wisp_work one = {.dofs = 0};
  if (!(request->nodes > 0) && !(request->dofs > 0)) return request->elements;
  wisp_spec spec = wisp_compare_spec(request, order, WISP_F64);
  wisp_family_layouts(&spec, layouts);
  if (request->nodes > 0) return (long long)ceil(request->nodes / layouts->Np);
  wisp_spec_name_kernel(&spec, WISP_COMPOSITION);
  return wisp_family_work(NULL, &spec, 1, &one) == WISP_OK && one.dofs > 0 ? (long long)ceil(request->dofs / one.dofs)
                                                                           : 0;
}

/* Chooses as a solver does; out->kernels stays 0 where nothing runs here. */
static wisp_status choose(wisp_error *err, const finder *f, bool by_default, wisp_stage *out)
{
  wisp_chooser from = f->from;
  if (by_default) from.store = NULL;
  const wisp_choose_request request = {.spec = f->spec,
                                       .composition = by_default ? NULL : f->request->composition,
                                       .elements = wisp_compare_elements(f->request, f->spec.order)};
  return wisp_choose_if_any(err, &from, &request, out);
}

/* --- other alternatives --- */

/* The strategies that kernels of a composition are to have; any other kernel's is chosen. */
enum { MOST_ASKED = 8 };
typedef struct asked {
  size_t count;
  const wisp_strategy *of[MOST_ASKED];
} asked;

static const wisp_strategy *asked_of(const asked *a, const char *family, const char *kernel)
{
  for (size_t i = 0; i < a->count; i++)
    if (strcmp(a->of[i]->family, family) == 0 && strcmp(a->of[i]->kernel, kernel) == 0) return a->of[i];
  return NULL;
}

/* The kernels' names joined, some with their strategies behind them. */
static void name_alternative(const char *composition, const char *family, const asked *only, char *out, size_t size)
{
  size_t length = 0;
  out[0] = '\0';
  for (char kernel[WISP_NAME_TEXT]; wisp_composition_next(&composition, kernel) && length < size;) {
    const wisp_strategy *chosen = asked_of(only, family, kernel);
    length += (size_t)snprintf(out + length, size - length, "%s%s%s%s", length ? "+" : "", kernel, chosen ? "." : "",
                               chosen ? chosen->name : "");
  }
}

/* Chooses a stage of this composition as if those kernels had no other strategies. A stage of which nothing runs here
 * is no way. */
static wisp_status add_alternative(wisp_error *err, const finder *f, const char *composition, const asked *only,
                                   wisp_match_up *up)
{
  wisp_strategies few = *f->from.strategies;
  OWNED(free) wisp_strategy **list = NULL;
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  wisp_chooser from = f->from;
  const wisp_choose_request request = {
      .spec = f->spec, .composition = composition, .elements = wisp_compare_elements(f->request, f->spec.order)};
  CALL(wisp_new(err, few.count, sizeof(wisp_strategy *), &list));
  few.list = list, few.count = few.slots = 0, from.strategies = &few;
  for (size_t i = 0; i < f->from.strategies->count; i++) {
    wisp_strategy *s = f->from.strategies->list[i];
    const wisp_strategy *chosen = asked_of(only, s->family, s->kernel);
    if (!chosen || s == chosen) list[few.count++] = s;
  }
  CALL(wisp_choose_if_any(err, &from, &request, &stage));
  if (!stage.kernels) return WISP_OK;
  stage.strategies = f->from.strategies;
  CALL(wisp_grow(err, &up->alternative, &up->capacity, up->alternatives + 1, sizeof *up->alternative));
  wisp_stage_alternative *other = &up->alternative[up->alternatives++];
  name_alternative(composition, f->spec.family, only, other->name, sizeof other->name);
  const wisp_strategy *last = only->count ? only->of[only->count - 1] : NULL;
  for (other->asked = stage.kernels - 1; last && other->asked && stage.plan[other->asked]->strategy != last;)
    other->asked--;
  return GIVE(stage, &other->stage);
}

static size_t count_strategies(const finder *f, const char *kernel)
{
  size_t count = 0;
  for (size_t i = 0; i < f->from.strategies->count; i++) {
    const wisp_strategy *s = f->from.strategies->list[i];
    count += strcmp(s->family, f->spec.family) == 0 && strcmp(s->kernel, kernel) == 0;
  }
  return count;
}

/* Adds the composition with each strategy of each kernel of `rest`, combined; the other kernels' are chosen. */
static wisp_status add_combined(wisp_error *err, const finder *f, const char *composition, const char *rest,
                                asked *only, wisp_match_up *up)
{
  const wisp_strategies *all = f->from.strategies;
  char kernel[WISP_NAME_TEXT];
  if (!wisp_composition_next(&rest, kernel)) return add_alternative(err, f, composition, only, up);
  if (count_strategies(f, kernel) < 2 || only->count == MOST_ASKED)
    return add_combined(err, f, composition, rest, only, up);
  for (size_t i = 0; i < all->count; i++) {
    const wisp_strategy *s = all->list[i];
    if (strcmp(s->family, f->spec.family) != 0 || strcmp(s->kernel, kernel) != 0) continue;
    only->of[only->count++] = s;
    CALL(add_combined(err, f, composition, rest, only, up));
    only->count--;
  }
  return WISP_OK;
}

/* The composition with each strategy of each of its kernels in turn, where it has several; where they are few, with all
 * that go together. */
static wisp_status add_alternatives(wisp_error *err, const finder *f, const char *composition, wisp_match_up *up)
{
  enum { FEW = 12 };
  const char *rest = composition;
  size_t combined = 1;
  for (char kernel[WISP_NAME_TEXT]; wisp_composition_next(&rest, kernel);) {
    const size_t strategies = count_strategies(f, kernel);
    combined *= strategies > 1 && combined <= FEW ? strategies : 1;
  }
  if (combined <= FEW) return add_combined(err, f, composition, composition, &(asked){.count = 0}, up);
  rest = composition;
  for (char kernel[WISP_NAME_TEXT]; wisp_composition_next(&rest, kernel);)
    if (count_strategies(f, kernel) > 1) CALL(add_combined(err, f, composition, kernel, &(asked){.count = 0}, up));
  return WISP_OK;
}

static wisp_status list_one(wisp_error *err, finder *f, const char *kernel, wisp_match_ups *ups)
{
  HELD(release_match_up) wisp_match_up up = {.tuned = {.kernels = 0}};
  if (f->request->kernel && strcmp(f->request->kernel, kernel) != 0) return WISP_OK;
  wisp_spec_name_kernel(&f->spec, kernel);
  up.spec = f->spec;
  CALL(choose(err, f, false, &up.tuned));
  if (!wisp_spec_is_composition(&f->spec) && up.tuned.record.match == WISP_MATCH_DEFAULT) wisp_stage_free(&up.tuned);
  CALL(choose(err, f, true, &up.standard));
  if (f->request->beside) CALL(choose(err, f, !up.tuned.kernels, &up.beside));
  for (int i = 0; f->request->every_alternative && wisp_spec_is_composition(&f->spec) && f->family->compositions[i];
       i++)
    CALL(add_alternatives(err, f, f->family->compositions[i], &up));
  if (!up.tuned.kernels && !up.standard.kernels) return WISP_OK;
  CALL(wisp_grow(err, &ups->list, &ups->capacity, ups->count + 1, sizeof *ups->list));
  return GIVE(up, &ups->list[ups->count++]);
}

static wisp_status check_request(wisp_error *err, const finder *f)
{
  const wisp_compare_request *r = f->request;
  if (!f->family) return wisp_family_refuse(err, r->family);
  if (r->composition) CALL(wisp_composition_check(err, f->family, r->composition));
  for (size_t i = 0; i < r->order_count; i++) {
    const wisp_spec spec = wisp_compare_spec(r, r->orders[i], WISP_F64);
    CALL(wisp_family_check(err, &spec));
  }
  bool known = !r->kernel || strcmp(r->kernel, WISP_COMPOSITION) == 0;
  for (int k = 0; f->family->kernels[k].name && !known; k++)
    known = strcmp(r->kernel, f->family->kernels[k].name) == 0 && wisp_workload_serves(r->family, r->kernel);
  return known ? WISP_OK : wisp_family_refuse_kernel(err, f->family, r->kernel);
}

wisp_status wisp_match_ups_list(wisp_error *err, const wisp_session *session, const wisp_compare_request *r,
                                wisp_match_ups *out)
{
  HELD(wisp_match_ups_free) wisp_match_ups ups = {0};
  finder f = {.from = wisp_session_chooser(session), .request = r, .family = wisp_family_find(r->family)};
  CALL(check_request(err, &f));
  for (size_t i = 0; i < r->order_count; i++)
    for (size_t p = 0; p < r->precision_count; p++) {
      f.spec = wisp_compare_spec(r, r->orders[i], r->precisions[p]);
      for (int k = 0; f.family->kernels[k].name; k++)
        if (wisp_workload_serves(f.family->name, f.family->kernels[k].name))
          CALL(list_one(err, &f, f.family->kernels[k].name, &ups));
      if (f.family->compositions[0]) CALL(list_one(err, &f, WISP_COMPOSITION, &ups));
    }
  return GIVE(ups, out);
}
