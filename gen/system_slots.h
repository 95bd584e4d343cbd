/* The names that flux and ghost texts may read, as slots of an array of values: a reference evaluates such texts at
 * every face node. Slots, for n fields: FIELD_m 0.., nx ny nz n.., alpha n+3, FIELD_p n+4.., and from 2n+4 on what the
 * flux's statements assign, in order. Hence a text sees exactly the slots below a bound. */
#ifndef WISP_SYSTEM_SLOTS_H
#define WISP_SYSTEM_SLOTS_H

#include "system.h"

enum { WISP_MAX_SLOTS = 2 * WISP_MAX_FIELDS + 4 + WISP_MAX_STATEMENTS };

/* The slot of a name, or -1. */
static inline int wisp_slot_find(const wisp_env *symbols, const char *name)
{
  int64_t slot = -1;
  wisp_env_get_int(symbols, name, &slot);
  return (int)slot;
}

static inline int wisp_slot_normal(const wisp_system *system)
{
  return system->fields;
}

static inline int wisp_slot_outside(const wisp_system *system)
{
  return system->fields + 4;
}

static inline int wisp_slot_statement(const wisp_system *system)
{
  return 2 * system->fields + 4;
}

#endif
