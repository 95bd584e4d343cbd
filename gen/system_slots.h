/* The names that flux and ghost texts may read, as slots of an array of values: a reference evaluates such texts at
 * every face node. Slots: FIELD_m, QUANTITY_m, nx ny nz, alpha, FIELD_p, QUANTITY_p, and then what the flux's
 * statements assign, in order. Hence a text sees exactly the slots below a bound. */
#pragma once

#include "system.h"

enum { WISP_MAX_SLOTS = 2 * (WISP_MAX_FIELDS + WISP_MAX_QUANTITIES) + 4 + WISP_MAX_STATEMENTS };

/* The slot of a name, or -1. */
static inline int wisp_slot_find(const wisp_env *symbols, const char *name)
{
  int64_t slot = -1;
  wisp_env_get_int(symbols, name, &slot);
  return (int)slot;
}

/* The slots of quantities inside. */
static inline int wisp_slot_medium(const wisp_system *system)
{
  return system->fields;
}

static inline int wisp_slot_normal(const wisp_system *system)
{
  return system->fields + WISP_MAX_QUANTITIES;
}

static inline int wisp_slot_outside(const wisp_system *system)
{
  return wisp_slot_normal(system) + 4;
}

/* The slots of quantities outside. */
static inline int wisp_slot_beyond(const wisp_system *system)
{
  return wisp_slot_outside(system) + system->fields;
}

static inline int wisp_slot_statement(const wisp_system *system)
{
  return wisp_slot_beyond(system) + WISP_MAX_QUANTITIES;
}
