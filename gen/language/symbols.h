/* The names that flux and ghost texts may read, as a hash table from name to slot of an array of values: a reference
 * evaluates such texts at every face node. Slots, for n fields: FIELD_m 0.., nx ny nz n.., alpha n+3, FIELD_p n+4..,
 * and from 2n+4 on what the flux's statements assign, in order. Hence a text sees exactly the slots below a bound. */
#ifndef WISP_SYMBOLS_H
#define WISP_SYMBOLS_H

#include "../system.h"

enum { WISP_MAX_SYMBOLS = 2 * WISP_MAX_FIELDS + 4 + WISP_MAX_STATEMENTS, WISP_SYMBOL_TABLE = 512 };

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
