/* Finds the candidates that are compared: winners as a solver would look them up, over all layouts, and the defaults
 * that it would run without a store. */
#include "compare_list.h"
#include "../trial/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct finder {
  wisp_chooser from;
  const wisp_compare_request *request;
  const wisp_family *family;
  wisp_spec spec; /* the one looked for */
} finder;

/* What is asked for of one order; request->family exists. */
static wisp_spec spec_of(const wisp_compare_request *r, int order, wisp_precision precision)
{
  wisp_spec spec = wisp_family_spec(wisp_family_find(r->family), order, r->system, precision);
  if (r->element) wisp_spec_name_element(&spec, r->element);
  return spec;
}

long long wisp_compare_elements(const wisp_compare_request *request, int order)
{
  wisp_layout layouts[8];
  if (!(request->nodes > 0)) return request->elements;
  const wisp_spec spec = spec_of(request, order, WISP_F64);
  wisp_family_layouts(&spec, layouts);
  return (long long)ceil(request->nodes / layouts->Np);
}

/* What a solver takes; out->kernels stays 0 where there is nothing that runs here. */
static wisp_status choose(wisp_error *err, const finder *f, bool by_default, wisp_stage *out)
{
  wisp_chooser from = f->from;
  if (by_default) from.store = NULL;
  const wisp_wish wish = {.spec = f->spec,
                          .composition = by_default ? NULL : f->request->composition,
                          .elements = wisp_compare_elements(f->request, f->spec.order)};
  return wisp_choose_if_any(err, &from, &wish, out);
}

static void release(wisp_match_up *up)
{
  wisp_stage_free(&up->tuned);
  wisp_stage_free(&up->standard);
}

static wisp_status add(wisp_error *err, wisp_match_ups *ups, wisp_match_up *up)
{
  if (!up->tuned.kernels && !up->standard.kernels) return WISP_OK;
  CALL(wisp_grow(err, &ups->list, &ups->room, ups->count + 1, sizeof *ups->list));
  ups->list[ups->count++] = *up;
  *up = (wisp_match_up){.tuned = {.kernels = 0}};
  return WISP_OK;
}

static wisp_status list_one(wisp_error *err, finder *f, const char *kernel, wisp_match_ups *ups)
{
  HELD(release) wisp_match_up up = {.tuned = {.kernels = 0}};
  if (f->request->kernel && strcmp(f->request->kernel, kernel) != 0) return WISP_OK;
  wisp_spec_name_kernel(&f->spec, kernel);
  up.spec = f->spec;
  CALL(choose(err, f, false, &up.tuned));
  if (!wisp_spec_is_step(&f->spec) && up.tuned.whole.match == WISP_MATCH_DEFAULT) wisp_stage_free(&up.tuned);
  CALL(choose(err, f, true, &up.standard));
  return add(err, ups, &up);
}

static wisp_status check_request(wisp_error *err, const finder *f)
{
  const wisp_compare_request *r = f->request;
  CALL(wisp_require(err, f->family, WISP_EUSAGE, "no family '%s'", r->family));
  if (r->composition) CALL(wisp_composition_check(err, f->family, r->composition));
  for (size_t i = 0; i < r->order_count; i++) {
    const wisp_spec spec = spec_of(r, r->orders[i], WISP_F64);
    CALL(wisp_family_check(err, &spec));
  }
  bool known = !r->kernel || strcmp(r->kernel, WISP_WHOLE_STEP) == 0;
  for (int k = 0; f->family->kernels[k].name && !known; k++)
    known = strcmp(r->kernel, f->family->kernels[k].name) == 0 && wisp_workload_serves(r->family, r->kernel);
  return wisp_require(err, known, WISP_EUSAGE,
                      "family %s has no kernel '%s' to time: 'wisp emit' lists them, 'step' is the whole",
                      f->family->name, r->kernel);
}

wisp_status wisp_match_ups_create(wisp_error *err, const wisp_session *session, const wisp_compare_request *r,
                                  wisp_match_ups *out)
{
  HELD(wisp_match_ups_free) wisp_match_ups ups = {0};
  finder f = {.from = wisp_session_chooser(session), .request = r, .family = wisp_family_find(r->family)};
  CALL(check_request(err, &f));
  for (size_t i = 0; i < r->order_count; i++)
    for (size_t p = 0; p < r->precision_count; p++) {
      f.spec = spec_of(r, r->orders[i], r->precisions[p]);
      for (int k = 0; f.family->kernels[k].name; k++)
        if (wisp_workload_serves(f.family->name, f.family->kernels[k].name))
          CALL(list_one(err, &f, f.family->kernels[k].name, &ups));
      if (f.family->compositions[0]) CALL(list_one(err, &f, WISP_WHOLE_STEP, &ups));
    }
  return GIVE(ups, out);
}

void wisp_match_ups_free(wisp_match_ups *ups)
{
  for (size_t i = 0; i < ups->count; i++) release(&ups->list[i]);
  free(ups->list);
  *ups = (wisp_match_ups){0};
}
