/* States the floors of stored trials anew: refloor COPY FMA32 FMA64 FILE
 *
 * Reads trials in the shipped text form from FILE and prints them with the rates, floor and efficiency that today's
 * declared work of their kernels and today's spaces give, at a copy bandwidth of COPY GB/s and peaks of FMA32 and FMA64
 * GFLOP/s. Times stay. A trial of a problem with sizes of its own keeps the bytes and operations that it was stored
 * with; one that atomic additions bound, or that reads nothing, keeps its efficiency.
 */
#include "../cache/columns.h"
#include "../gen/family.h"
#include "../runtime/kernel.h"
#include "../tuner/trial/trial.h"
#include "../tuner/trial/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of a spec in a layout, for as long as trials of the same follow. */
typedef struct scope {
  char spec[sizeof((wisp_trial *)0)->spec], layout[sizeof((wisp_trial *)0)->layout];
  wisp_env *names;
} scope;

static void close_scope(scope *s)
{
  wisp_env_destroy(s->names);
  *s = (scope){.names = NULL};
}

static wisp_status open_scope(wisp_error *err, const wisp_trial *t, const wisp_spec *spec, const wisp_layout *layout,
                              scope *s)
{
  wisp_limits limits;
  if (s->names && strcmp(s->spec, t->spec) == 0 && strcmp(s->layout, t->layout) == 0) return WISP_OK;
  close_scope(s);
  CALL(wisp_target_limits(err, t->target, &limits));
  limits.units = t->units;
  const wisp_target target = wisp_limits_target(&limits);
  CALL(wisp_family_names(err, spec, &target, 1, layout, &s->names));
  snprintf(s->spec, sizeof s->spec, "%s", t->spec);
  snprintf(s->layout, sizeof s->layout, "%s", t->layout);
  return WISP_OK;
}

static wisp_status find_layout(wisp_error *err, const wisp_trial *t, const wisp_spec *spec, wisp_layout *out)
{
  wisp_layout all[8];
  char text[WISP_LAYOUT_TEXT];
  for (int i = wisp_family_layouts(spec, all); i-- > 0;) {
    wisp_layout_print(&all[i], text);
    *out = all[i];
    if (strcmp(text, t->layout) == 0) return WISP_OK;
  }
  return wisp_fail(err, WISP_EINPUT, "%s: there is no layout %s", t->spec, t->layout);
}

/* The trial's plan; NULL for a whole stage, and for what is legal here no more. */
static wisp_status plan_of(wisp_error *err, const wisp_strategies *all, const wisp_trial *t, const wisp_spec *spec,
                           scope *s, wisp_plan **out)
{
  const wisp_strategy *strategy = wisp_strategies_find(all, spec->family, spec->kernel, t->strategy);
  wisp_layout layout;
  if (!strategy) return WISP_OK;
  CALL(find_layout(err, t, spec, &layout));
  CALL(open_scope(err, t, spec, &layout, s));
  const wisp_status status = wisp_plan_from_text(NULL, strategy, spec, &layout, s->names, t->params, out);
  if (status != WISP_OK) fprintf(stderr, "refloor: %s %s %s has no plan\n", t->spec, t->strategy, t->params);
  return WISP_OK;
}

static wisp_status work_of(wisp_error *err, const wisp_trial *t, const wisp_spec *spec, wisp_work *out)
{
  const wisp_workload *workload = NULL;
  CALL(wisp_workload_find(err, spec->family, wisp_spec_is_composition(spec) ? NULL : spec->kernel, &workload));
  CALL(wisp_family_work(err, spec, (double)t->elements, out));
  if (!workload->own_sizes) return WISP_OK;
  out->bytes = t->gbps * t->ms * 1e6;
  out->flops = t->gflops * t->ms * 1e6;
  return WISP_OK;
}

static wisp_status restate(wisp_error *err, const wisp_strategies *all, const wisp_ceilings *ceilings, scope *s,
                           wisp_trial *t)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  wisp_spec spec;
  wisp_work work;
  wisp_floor floor;
  wisp_limits limits;
  if (!(t->ms > 0) || wisp_spec_parse(NULL, t->spec, &spec) != WISP_OK) return WISP_OK;
  CALL(work_of(err, t, &spec, &work));
  const bool additions = work.adds > 0 && t->efficiency > 1.02 * t->gbps / ceilings->copy_gbps;
  snprintf(t->floor, sizeof t->floor, "%s", additions ? "adds" : "bytes");
  if (additions || work.no_read) return WISP_OK;
  if (!wisp_spec_is_composition(&spec)) CALL(plan_of(err, all, t, &spec, s, &plan));
  work.adds = 0;
  CALL(wisp_floor_find(err, ceilings, &spec, &work, (double)t->elements, plan, &floor));
  t->gbps = work.bytes / t->ms / 1e6;
  t->gflops = work.flops / t->ms / 1e6;
  CALL(wisp_target_limits(err, t->target, &limits));
  wisp_trial_compare(t, &limits, work.bytes, &floor);
  return WISP_OK;
}

static wisp_status read_all(wisp_error *err, const char *path, char **out)
{
  FILE *file = fopen(path, "r");
  size_t length = 0;
  CALL(wisp_require(err, file, WISP_EMISSING, "%s cannot be read", path));
  const ssize_t got = getdelim(out, &length, '\0', file);
  fclose(file);
  return wisp_require(err, got > 0, WISP_EINPUT, "%s is empty", path);
}

static wisp_status refloor(wisp_error *err, const wisp_ceilings *ceilings, const char *path)
{
  HELD(close_scope) scope s = {.names = NULL};
  HELD(wisp_trials_free) wisp_trials list = {0};
  HELD(wisp_text_free) wisp_text out = {0}, warning = {0};
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  OWNED(free) char *text = NULL;
  CALL(read_all(err, path, &text));
  CALL(wisp_shipped_parse(err, path, text, &warning, &list));
  CALL(wisp_require(err, !warning.length, WISP_EINPUT, "%s", warning.data));
  CALL(wisp_strategies_load(err, &all));
  for (size_t i = 0; i < list.count; i++) {
    CALL(restate(err, all, ceilings, &s, &list.trials[i]));
    CALL(wisp_shipped_print(err, &list.trials[i], &out));
  }
  fputs(out.data, stdout);
  return WISP_OK;
}

int main(int argc, char **argv)
{
  wisp_error err = {.text = ""};
  if (argc != 5) {
    fprintf(stderr, "usage: refloor COPY FMA32 FMA64 FILE\n");
    return 2;
  }
  const wisp_ceilings ceilings = {.copy_gbps = strtod(argv[1], NULL),
                                  .fma_gflops_f32 = strtod(argv[2], NULL),
                                  .fma_gflops_f64 = strtod(argv[3], NULL)};
  if (refloor(&err, &ceilings, argv[4]) == WISP_OK) return 0;
  fprintf(stderr, "refloor: %s\n", err.text);
  return 1;
}
