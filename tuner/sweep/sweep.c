/* A worker's side of a sweep: the orders and precisions that it is given, in each the kernels (sweep_kernel.c) and
 * whole stages (stages.c). */
#include "sweep.h"
#include "../../runtime/compilers.h"
#include "../../runtime/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Orders and precisions. */

/* A candidate this much slower than the best is dropped after its first samples. */
static const double DROP_BUDGET = 1.25, DROP_EXHAUSTIVE = 1.5;

static bool has_compositions(const wisp_sweep *sweep)
{
  return sweep->family->compositions[0];
}

/* Starts a unit from what the store knows now, other workers' trials included. */
static wisp_status begin_unit(wisp_error *err, wisp_sweep *sweep)
{
  const wisp_tune_request *request = sweep->request;
  const wisp_limits *limits = sweep->bench.limits;
  int kernels = 0;
  while (sweep->family->kernels[kernels].name) kernels++;
  CALL(wisp_require(err, kernels <= WISP_MAX_KERNELS, WISP_EUSAGE, "family %s has %d kernels, must be at most %d",
                    sweep->family->name, kernels, WISP_MAX_KERNELS));
  memset(sweep->best, 0, WISP_MAX_KERNELS * sizeof *sweep->best);
  sweep->changed = false;
  sweep->began = wisp_seconds();
  sweep->until = sweep->unit.until;
  sweep->here = 0;
  sweep->part_until = sweep->unit.until;
  sweep->preset = (wisp_fixed){.count = 0};
  wisp_sweep_drop_part(sweep);
  wisp_chosen_free(&sweep->start);
  sweep->start_ms = 0;
  sweep->parts_done = sweep->left = 0;
  sweep->parts = has_compositions(sweep);
  for (int k = 0; sweep->family->kernels[k].name; k++) sweep->parts += wisp_sweep_wants(sweep, k);
  if (isfinite(sweep->deadline)) {
    wisp_seeds_free(&sweep->seeds);
    CALL(wisp_seeds_load(err, request->db, limits->name, limits->target, &sweep->seeds));
  }
  return WISP_OK;
}

wisp_spec wisp_sweep_spec(const wisp_sweep *sweep, int order, wisp_precision precision)
{
  wisp_spec spec = wisp_family_spec(sweep->family, order, sweep->request->system, precision);
  if (sweep->request->element) wisp_spec_name_element(&spec, sweep->request->element);
  return spec;
}

/* Sets the end of the search: what it took to verify the part as it was, or to hold a final round, is kept. A part
 * that has begun has three times as long for its search, whatever its share is; a first look as long, or a quarter. */
static void set_until(wisp_sweep *sweep, double begun)
{
  static const double MOST_KEPT = 0.35, SEARCH = 3, LEAST_KEPT = 0.1, LOOK = 1, LEAST_LOOK = 0.25;
  const double now = wisp_seconds(), took = now - begun;
  sweep->until = sweep->part_until;
  if (!sweep->by_stage) return;
  if (sweep->unit.first_look) {
    const double until = fmax(fmin(sweep->part_until, now + LOOK * took), now + LEAST_LOOK * took);
    sweep->until = fmin(sweep->deadline, until);
    return;
  }
  const double end = fmin(sweep->deadline, fmax(sweep->part_until, now + SEARCH * took)), left = fmax(end - now, 0);
  sweep->until = end - fmin(MOST_KEPT * left, fmax(fmax(took, sweep->round), LEAST_KEPT * left));
}

/* The worth of whole stages, beside a kernel of the best one. */
static const double STAGES_WORTH = 0.5;

/* The kernel that is worth most of those that are left, and its share of the time that is left; -1: none is worth any.
 */
static int next_kernel(wisp_sweep *sweep, const wisp_prospects *p, const bool *done)
{
  int next = -1;
  double most = 0, all = has_compositions(sweep) && !sweep->by_stage ? STAGES_WORTH : 0;
  for (int k = 0; sweep->family->kernels[k].name; k++) {
    if (done[k] || !wisp_sweep_wants(sweep, k)) continue;
    if (sweep->by_stage && sweep->compositions[0] && !wisp_sweep_composes(sweep, sweep->family->kernels[k].name))
      continue;
    const double worth = wisp_prospects_worth(p, sweep, k);
    all += worth;
    if (worth > most) next = k, most = worth;
  }
  sweep->share = most / all;
  return next;
}

static wisp_status tune_kernels(wisp_error *err, wisp_sweep *sweep, wisp_scope *scope)
{
  HELD(wisp_prospects_free) wisp_prospects found = {0};
  bool done[WISP_MAX_KERNELS] = {false};
  const wisp_tune_request *r = sweep->request;
  /* All of the order is looked for, so that what no stage needs can be left aside. */
  const bool all = sweep->compositions[0] && !r->kernel && !r->strategy && !r->defaults_only;
  const double begun = wisp_seconds();
  if (all) CALL(wisp_sweep_start(err, sweep, scope));
  set_until(sweep, begun);
  if (all && isfinite(sweep->deadline)) CALL(wisp_prospects_find(err, sweep, scope, &found));
  if (sweep->by_stage) sweep->part_hopes = wisp_prospects_hopes(&found, sweep);
  if (sweep->by_stage && !wisp_sweep_fits(sweep, sweep->until)) return WISP_OK;
  for (int k; (k = next_kernel(sweep, &found, done)) >= 0; done[k] = true) {
    wisp_spec_name_kernel(&scope->spec, sweep->family->kernels[k].name);
    CALL(wisp_bench_set_problem(err, &sweep->bench, &scope->spec, sweep->request->elements));
    CALL(wisp_sweep_kernel(err, sweep, scope, k));
    if (found.kernels) wisp_prospects_note(&found, sweep, k);
    if (sweep->by_stage) sweep->part_hopes = wisp_prospects_hopes(&found, sweep);
    sweep->parts_done++;
  }
  return WISP_OK;
}

/* Each part has a line in the summary, time or not. */
static wisp_status name_parts(wisp_error *err, wisp_sweep *sweep, const wisp_scope *scope)
{
  bool there = true;
  for (int i = 0; there; i++) {
    CALL(wisp_sweep_set_part(err, sweep, &scope->spec, i, &there));
    if (there) (void)wisp_sweep_tuned(sweep);
  }
  return WISP_OK;
}

/* Each part of the solver as a whole, in its share of the time that is left. */
static wisp_status tune_parts(wisp_error *err, wisp_sweep *sweep, wisp_scope *scope)
{
  bool there = false;
  int shares = 1, all_shares = 1;
  const int parts = wisp_sweep_count_parts(sweep, &scope->spec, 0, &all_shares);
  CALL(name_parts(err, sweep, scope));
  for (int i = 0; i < parts; i++) {
    const double now = wisp_seconds();
    (void)wisp_sweep_count_parts(sweep, &scope->spec, i, &shares);
    CALL(wisp_sweep_set_part(err, sweep, &scope->spec, i, &there));
    const double share = fmax(sweep->part.share, 1);
    sweep->part_until = now + (sweep->unit.until - now) * share / shares;
    sweep->part_saved = sweep->part_hopes = 0;
    if (!wisp_sweep_fits(sweep, sweep->deadline)) continue;
    CALL(tune_kernels(err, sweep, scope));
    CALL(wisp_sweep_finish(err, sweep, scope));
    sweep->unit.saved += sweep->part_saved * share / all_shares;
    sweep->unit.hopes += sweep->part_hopes * share / all_shares;
    if (i + 1 < parts) CALL(wisp_sweep_follow(err, sweep, scope));
    wisp_sweep_note_time(sweep);
  }
  return parts ? WISP_OK : tune_kernels(err, sweep, scope);
}

static wisp_status tune_unit(wisp_error *err, wisp_sweep *sweep, const wisp_unit *given)
{
  wisp_status status = WISP_OK;
  const wisp_tune_request *request = sweep->request;
  wisp_target target = wisp_limits_target(sweep->bench.limits);
  const wisp_spec spec = wisp_sweep_spec(sweep, given->order, given->precision);
  HELD(wisp_scope_free) wisp_scope scope = {0};
  sweep->unit = *given;
  const bool late = sweep->by_stage && !wisp_sweep_fits(sweep, sweep->deadline);
  bool there = true;
  if (late && !given->resumed) return WISP_OK; /* it stays as it is */
  TRY(begin_unit(err, sweep));
  TRY(wisp_scope_create(err, sweep->family, &spec, &target, request->layout, &scope));
  if (late) { /* the worker before may have stored new winners */
    TRY(wisp_sweep_set_part(err, sweep, &spec, 0, &there));
    TRY(wisp_sweep_store_taken(err, sweep, &scope));
    goto done;
  }
  TRY((sweep->by_stage ? tune_parts : tune_kernels)(err, sweep, &scope));
  /* A step of some kernels only would hide the one of all. */
  const bool all = !request->kernel || wisp_sweep_compositions_alone(sweep);
  if (!sweep->by_stage && all && !request->strategy) {
    TRY(wisp_sweep_compositions(err, sweep, &scope));
    TRY(wisp_sweep_store_taken(err, sweep, &scope));
  }
done:
  wisp_sweep_note_time(sweep);
  wisp_chosen_free(&sweep->start);
  wisp_sweep_drop_part(sweep);
  wisp_pipeline_drop(sweep->pipeline); /* its plans use the scope's names */
  return status;
}

/* Says at once what making the problems would find out in the end: those of some order do not fit the device. */
static wisp_status check_sizes(wisp_error *err, const wisp_sweep *sweep, const wisp_limits *limits)
{
  const wisp_tune_request *request = sweep->request;
  for (size_t i = 0; i < request->order_count * request->precision_count; i++) {
    wisp_spec spec = wisp_sweep_spec(sweep, request->orders[i % request->order_count],
                                     request->precisions[i / request->order_count]);
    for (int k = 0; sweep->family->kernels[k].name; k++) {
      if (!wisp_sweep_wants(sweep, k)) continue;
      wisp_spec_name_kernel(&spec, sweep->family->kernels[k].name);
      CALL(wisp_bench_fits(err, limits, request->source, &spec, request->elements));
    }
  }
  return WISP_OK;
}

wisp_status wisp_sweep_work(wisp_error *err, void *context, const wisp_link *link)
{
  wisp_status status = WISP_OK;
  wisp_sweep *sweep = context;
  OWNED(wisp_device_close) wisp_device *device = NULL;
  wisp_unit given = {.order = 0};
  bool there = false;
  const long cores = sweep->request->jobs > 0 ? sweep->request->jobs : sysconf(_SC_NPROCESSORS_ONLN);
  const long each = cores / (long)sweep->workers;
  sweep->link = link;
  TRY(wisp_new(err, WISP_MAX_KERNELS, sizeof *sweep->best, &sweep->best));
  TRY(wisp_device_open(err, link->device, &device));
  sweep->summary.limits = *wisp_device_limits(device);
  TRY(check_sizes(err, sweep, &sweep->summary.limits));
  TRY(wisp_compiler_probe(err, sweep->summary.limits.target)); /* else each candidate would seem to be at fault */
  TRY(wisp_bench_create(err, device, isfinite(sweep->deadline) ? DROP_BUDGET : DROP_EXHAUSTIVE, &sweep->bench));
  sweep->bench.source = sweep->request->source ? *sweep->request->source : wisp_mesh_source_irregular();
  sweep->bench.link = link;
  /* The cores compile for all workers of this host. Far ahead only where the order is fixed, and not where the cores
   * that compile are those that are timed. */
  TRY(wisp_pipeline_create(err, sweep->bench.limits->target, each > 1 ? (int)each : 1,
                           !sweep->bench.limits->gpu || isfinite(sweep->deadline) ? 1 : 3, &sweep->pipeline));
  TRY(wisp_link_next(err, link, &sweep->summary, &given, &there));
  while (there) {
    TRY(tune_unit(err, sweep, &given));
    given = sweep->unit;
    wisp_profile_flush(&sweep->bench.profile, sweep->summary.spent);
    TRY(wisp_link_next(err, link, &sweep->summary, &given, &there));
  }
done:
  wisp_pipeline_destroy(sweep->pipeline);
  wisp_bench_free(&sweep->bench);
  wisp_seeds_free(&sweep->seeds);
  free(sweep->best);
  return status;
}
