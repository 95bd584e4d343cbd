/* Names that the templates and spaces of every family see. */
#ifndef WISP_NAMES_H
#define WISP_NAMES_H

#include "family.h"

wisp_status wisp_names_sizes(wisp_error *err, wisp_env *env, const wisp_size *sizes, size_t count);

/* real_bytes, and the target's: gpu; cuda, a GPU of that kind; warp (T in nodal texts), lanes that go together; sm,
 * max_threads, max_shared, shared_per_unit, registers_per_unit. */
wisp_status wisp_names_target(wisp_error *err, wisp_env *env, wisp_precision precision, const wisp_target *target);

#endif
