/* Prospects: a budget goes to kernels of compositions that could still be the fastest stage. */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>

/* A search makes a kernel this much faster, at most, than another card's winner or one of an earlier search. */
static const double AT_MOST = 0.25;
/* After a search its winner is only that much too slow. */
static const double SEARCHED = 0.03;
/* Time is worth e times as much on compositions that could be faster by this share of the best stage's time. */
static const double WORTH = 0.1;
/* Time is worth that much on a kernel of which nothing is known, not even the memory's speed: on a host. */
static const double NOTHING_KNOWN = 0.05;
/* A kernel that runs in no layout here takes no time; its refusals are stored. */
static const double NEXT_TO_NOTHING = 1e-9;

void wisp_prospects_free(wisp_prospects *p)
{
  free(p->least);
  free(p->own);
  *p = (wisp_prospects){0};
}

/* The least time for the bytes of an element, in ms; 0 where they fit the caches, or nothing is known. */
static double floor_of(const wisp_sweep *sweep, const wisp_spec *spec)
{
  const double elements = sweep->bench.problems ? (double)wisp_problems_elements(sweep->bench.problems) : 0;
  const wisp_ceilings *most = &sweep->bench.ceilings;
  wisp_work work = {0};
  if (!sweep->bench.limits->gpu || elements <= 0 || wisp_family_work(NULL, spec, elements, &work) != WISP_OK) return 0;
  if (work.bytes < 2 * (double)sweep->bench.limits->l2) return 0;
  const double gbps = work.no_read ? most->fill_gbps : most->copy_gbps;
  return gbps > 0 ? work.bytes / gbps / 1e6 / elements : 0;
}

/* One kernel in one layout: what runs there today, and how long that is expected to take. */
static wisp_status look(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, const wisp_chooser *from,
                        int kernel, int layout, wisp_prospects *out)
{
  char text[WISP_LAYOUT_TEXT];
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  wisp_choose_request request = {.spec = scope->spec, .layout = text};
  double *least = &out->least[kernel][layout], *own = &out->own[kernel][layout];
  if (sweep->preset.count) request.preset = &sweep->preset;
  if (sweep->bench.problems) request.elements = wisp_problems_elements(sweep->bench.problems);
  wisp_layout_print(&scope->layout[layout], text);
  wisp_spec_name_kernel(&request.spec, sweep->family->kernels[kernel].name);
  *least = *own = INFINITY;
  CALL(wisp_choose_if_any(err, from, &request, &stage));
  if (!stage.kernels) return WISP_OK;
  const wisp_choice *choice = stage.choice;
  *least = floor_of(sweep, &request.spec);
  /* A default that was measured here says nothing of what a search finds. */
  if (choice->trial && choice->expected > 0 && choice->trial->is_default != 1)
    *least = fmax(*least, (1 - AT_MOST) * choice->expected);
  if (choice->trial && choice->match == WISP_MATCH_EXACT) *own = choice->expected;
  return WISP_OK;
}

wisp_status wisp_prospects_find(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope, wisp_prospects *out)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  HELD(wisp_scopes_free) wisp_scopes scopes = {0};
  HELD(wisp_prospects_free) wisp_prospects made = {.layouts = scope->layouts};
  while (sweep->family->kernels[made.kernels].name) made.kernels++;
  CALL(wisp_new(err, made.kernels, sizeof *made.least, &made.least));
  CALL(wisp_new(err, made.kernels, sizeof *made.own, &made.own));
  CALL(wisp_chooser_open_store(err, sweep->strategies, sweep->request->db, false, NULL, &store));
  const wisp_chooser from = {sweep->strategies, store, sweep->bench.limits, &scopes};
  for (int k = 0; k < (int)made.kernels; k++)
    for (int l = 0; l < scope->layouts && wisp_sweep_composes(sweep, sweep->family->kernels[k].name); l++)
      CALL(look(err, sweep, scope, &from, k, l, &made));
  return GIVE(made, out);
}

void wisp_prospects_note(wisp_prospects *p, const wisp_sweep *sweep, int kernel)
{
  for (int l = 0; l < p->layouts; l++) {
    const wisp_trial *best = &sweep->best[kernel][l];
    if (!(best->ms > 0)) continue;
    const double ms = best->ms / (double)best->elements;
    p->own[kernel][l] = ms;
    if (sweep->searched) p->least[kernel][l] = (1 - SEARCHED) * ms;
  }
}

/* A composition's kernels in a layout together, those of other families aside. */
static double together(const wisp_sweep *sweep, const char *composition, double (*of)[8], int layout)
{
  double sum = 0;
  for (char name[WISP_NAME_TEXT]; wisp_composition_next(&composition, name);) {
    const wisp_kernel_decl *kernel = wisp_family_kernel(sweep->family, name);
    if (kernel) sum += of[kernel - sweep->family->kernels][layout];
  }
  return sum;
}

/* The least over the part's compositions that have the kernel, NULL: over all. */
static double least_of(const wisp_prospects *p, const wisp_sweep *sweep, const char *kernel, double (*of)[8])
{
  double least = INFINITY;
  for (const char *const *c = sweep->compositions; *c; c++) {
    if (kernel && !wisp_composition_has(*c, kernel)) continue;
    for (int l = 0; l < p->layouts; l++) least = fmin(least, together(sweep, *c, of, l));
  }
  return least;
}

/* The share of the stage's time that the kernel takes, of the stage that a solver took before; of kernels of which
 * nothing is known, a little. */
static double share_of(const wisp_prospects *p, const wisp_sweep *sweep, int kernel, double least)
{
  const wisp_stage *start = &sweep->start.stage;
  double all = 0, own = NAN;
  for (int i = 0; i < start->kernels; i++) {
    const wisp_kernel_decl *k =
        start->external_names[i] ? NULL : wisp_family_kernel(sweep->family, start->choice[i].kernel);
    double ms = INFINITY;
    for (int l = 0; k && l < p->layouts; l++) ms = fmin(ms, p->own[k - sweep->family->kernels][l]);
    if (!k || !isfinite(ms)) continue;
    if (k - sweep->family->kernels == kernel) own = ms;
    all += ms;
  }
  if (!isnan(own)) return own / all;
  return least > 0 || !start->kernels ? 1 : NOTHING_KNOWN;
}

double wisp_prospects_hopes(const wisp_prospects *p, const wisp_sweep *sweep)
{
  const double best = least_of(p, sweep, NULL, p->own);
  if (!(best > 0) || !isfinite(best)) return AT_MOST;
  return fmin(AT_MOST, fmax(0, 1 - least_of(p, sweep, NULL, p->least) / best));
}

double wisp_prospects_worth(const wisp_prospects *p, const wisp_sweep *sweep, int kernel)
{
  if (!p->kernels || !wisp_sweep_composes(sweep, sweep->family->kernels[kernel].name)) return 1;
  double own_least = INFINITY;
  for (int l = 0; l < p->layouts; l++) own_least = fmin(own_least, p->least[kernel][l]);
  if (!isfinite(own_least)) return NEXT_TO_NOTHING;
  const double best = least_of(p, sweep, NULL, p->own);
  if (!(best > 0) || !isfinite(best)) return 1;
  const double hope = least_of(p, sweep, sweep->family->kernels[kernel].name, p->least) / best;
  if (hope >= 1) return 0;
  return share_of(p, sweep, kernel, own_least) * exp(-fmax(0, hope - (1 - AT_MOST)) / WORTH);
}
