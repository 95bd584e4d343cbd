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

/* Takes the part's compositions apart. */
static wisp_status list_alternatives(wisp_error *err, wisp_sweep *sweep)
{
  size_t count = 1;
  CALL(wisp_copy_text(err, sweep->part.compositions, &sweep->part_text));
  for (const char *at = sweep->part_text; *at; at++) count += *at == '|';
  CALL(wisp_new(err, count + 1, sizeof *sweep->part_list, &sweep->part_list));
  count = 0;
  for (char *name = sweep->part_text, *next; name; name = next) {
    next = strchr(name, '|');
    if (next) *next++ = '\0';
    sweep->part_list[count++] = name;
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
  return sweep->part.compositions ? list_alternatives(err, sweep) : WISP_OK;
}

bool wisp_sweep_composes(const wisp_sweep *sweep, const char *kernel)
{
  for (const char *const *c = sweep->compositions; *c; c++)
    if (wisp_composition_has(*c, kernel)) return true;
  return false;
}

int wisp_sweep_count_parts(const wisp_sweep *sweep, const wisp_spec *spec)
{
  const wisp_workload *workload = NULL;
  wisp_part part;
  int count = 0;
  if (wisp_workload_find(NULL, sweep->family->name, NULL, &workload) != WISP_OK) return 0;
  if (!workload->part) return sweep->family->compositions[0] ? 1 : 0;
  while (workload->part(sweep->bench.limits, spec, sweep->request->elements, count, &part)) count++;
  return count;
}
