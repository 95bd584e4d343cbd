/* The parts of a solver that are tuned as wholes: a stage, a set-up, an iteration. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

void wisp_sweep_drop_part(wisp_sweep *sweep)
{
  free(sweep->part_text);
  free(sweep->part_list);
  sweep->part_text = NULL, sweep->part_list = NULL;
  sweep->compositions = sweep->family->compositions;
  sweep->part = (wisp_part){.name = ""};
}

/* Adds a composition that the spec's system has. */
static void add(wisp_sweep *sweep, const wisp_spec *spec, const char *composition, size_t *count)
{
  const wisp_family *family = sweep->family;
  if (family->suits && family->suits(NULL, spec, composition) != WISP_OK) return;
  sweep->part_list[(*count)++] = composition;
}

/* Lists the part's compositions: its own, or the family's. */
static wisp_status list_compositions(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec)
{
  const char *own = sweep->part.compositions, *const *all = sweep->family->compositions;
  size_t most = 1, count = 0;
  if (own) CALL(wisp_copy_text(err, own, &sweep->part_text));
  for (const char *at = own ? own : ""; *at; at++) most += *at == '|';
  for (size_t i = 0; !own && all[i]; i++) most++;
  CALL(wisp_new(err, most + 1, sizeof *sweep->part_list, &sweep->part_list));
  for (size_t i = 0; !own && all[i]; i++) add(sweep, spec, all[i], &count);
  for (char *name = sweep->part_text, *next; name; name = next) {
    next = strchr(name, '|');
    if (next) *next++ = '\0';
    add(sweep, spec, name, &count);
  }
  sweep->compositions = sweep->part_list;
  return WISP_OK;
}

wisp_status wisp_sweep_set_part(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, int i, bool *there)
{
  const wisp_workload *workload = NULL;
  wisp_sweep_drop_part(sweep);
  CALL(wisp_workload_find(err, sweep->family->name, NULL, &workload));
  *there = workload->part ? workload->part(sweep->bench.limits, spec, sweep->request->elements, i, &sweep->part)
                          : i == 0 && sweep->family->compositions[0];
  if (!*there) return WISP_OK;
  for (int k = 0; k < sweep->part.preset.count; k++)
    wisp_fixed_ask(&sweep->preset, sweep->part.preset.of[k].param, sweep->part.preset.of[k].value,
                   sweep->part.preset.of[k].otherwise);
  return list_compositions(err, sweep, spec);
}

bool wisp_sweep_composes(const wisp_sweep *sweep, const char *kernel)
{
  for (const char *const *c = sweep->compositions; *c; c++)
    if (wisp_composition_has(*c, kernel)) return true;
  return false;
}

int wisp_sweep_count_parts(const wisp_sweep *sweep, const wisp_spec *spec, int from, int *shares)
{
  const wisp_workload *workload = NULL;
  wisp_part part = {.share = 1};
  int count = 0;
  *shares = 1;
  if (wisp_workload_find(NULL, sweep->family->name, NULL, &workload) != WISP_OK) return 0;
  if (!workload->part) return sweep->family->compositions[0] ? 1 : 0;
  for (*shares = 0; workload->part(sweep->bench.limits, spec, sweep->request->elements, count, &part); count++)
    if (count >= from) *shares += part.share > 0 ? part.share : 1;
  return count;
}
