/* The names that flux and ghost texts may read, as a hash table from name to slot of an array of values: a reference
 * evaluates such texts at every face node. Slots: FIELD_m, QUANTITY_m, nx ny nz, alpha, FIELD_p, QUANTITY_p, and then
 * what the flux's statements assign, in order. Hence a text sees exactly the slots below a bound. */
#ifndef WISP_SYMBOLS_H
#define WISP_SYMBOLS_H

#include "../system.h"

enum {
  WISP_MAX_SYMBOLS = 2 * (WISP_MAX_FIELDS + WISP_MAX_QUANTITIES) + 4 + WISP_MAX_STATEMENTS,
  WISP_SYMBOL_TABLE = 1024
};

struct wisp_symbols {
  struct {
    char name[32];
    int slot;
  } entry[WISP_SYMBOL_TABLE]; /* empty where the name is */
};

/* The slot of a name, or -1. */
int wisp_symbols_find(const wisp_symbols *symbols, const char *name);

/* False where the name is taken. At most WISP_MAX_SYMBOLS names of at most 31 characters. */
bool wisp_symbols_add(wisp_symbols *symbols, const char *name, int slot);

/* What a text sees while it is evaluated; wisp_seen_lookup is a wisp_lookup, its context a wisp_seen. */
typedef struct wisp_seen {
  const wisp_symbols *symbols;
  const double *value;
  int bound;
} wisp_seen;

bool wisp_seen_lookup(const void *scope, const char *name, double *value);

/* Of quantities inside. */
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

/* Of quantities outside. */
static inline int wisp_slot_beyond(const wisp_system *system)
{
  return wisp_slot_outside(system) + system->fields;
}

static inline int wisp_slot_statement(const wisp_system *system)
{
  return wisp_slot_beyond(system) + WISP_MAX_QUANTITIES;
}

#endif
