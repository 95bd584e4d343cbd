/* Names that the templates and spaces of every family see. */
#ifndef WISP_NAMES_H
#define WISP_NAMES_H

#include "family.h"

typedef struct wisp_size {
  const char *name;
  int value;
} wisp_size;

wisp_status wisp_names_sizes(wisp_error *err, wisp_env *env, const wisp_size *sizes, size_t count);

/* real_bytes, T (threads of a warp), and the target's: cuda, sm, max_threads, max_shared, shared_per_unit,
 * registers_per_unit. */
wisp_status wisp_names_target(wisp_error *err, wisp_env *env, wisp_precision precision, const wisp_target *target);

#endif
