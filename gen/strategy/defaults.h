/* Candidates and compositions that run where nothing has been measured: templates/FAMILY/defaults
 * (docs/reference/spaces.md). */
#pragma once

#include "strategy.h"

/* name is for messages. WISP_EINPUT with name:line. */
wisp_status wisp_defaults_parse(wisp_error *err, const char *name, const char *text, wisp_defaults **out);
void wisp_defaults_destroy(wisp_defaults *defaults);
WISP_OWNED(wisp_defaults, wisp_defaults_destroy)

/* The composition of the i-th such line, NULL behind the last. *holds: whether it counts with these names. */
const char *wisp_defaults_stage(const wisp_defaults *defaults, size_t i);
wisp_status wisp_defaults_stage_holds(wisp_error *err, const wisp_defaults *defaults, size_t i, const wisp_env *names,
                                      bool *holds);

/* The candidate of spec's kernel that runs in this layout, of those that are right on what is fixed of the
 * discretisation; reproducible: and whose results do not vary. WISP_EREFUSED with the last reason where there is none.
 */
wisp_status wisp_defaults_plan(wisp_error *err, const wisp_strategies *strategies, const wisp_spec *spec,
                               const wisp_layout *layout, const wisp_env *names, const wisp_fixed *fixed,
                               bool reproducible, wisp_plan **out);
