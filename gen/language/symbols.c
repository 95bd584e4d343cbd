#include "symbols.h"

#include <stdio.h>
#include <string.h>

/* Where the name stands, or the empty entry where it would stand; the table is never more than a third full. */
static size_t place(const wisp_symbols *symbols, const char *name)
{
  uint32_t hash = 0;
  for (const char *c = name; *c; c++) hash = 31 * hash + (unsigned char)*c;
  size_t at = (hash ^ hash >> 9) % WISP_SYMBOL_TABLE;
  while (symbols->entry[at].name[0] && strcmp(symbols->entry[at].name, name) != 0) at = (at + 1) % WISP_SYMBOL_TABLE;
  return at;
}

int wisp_symbols_find(const wisp_symbols *symbols, const char *name)
{
  size_t at = place(symbols, name);
  return symbols->entry[at].name[0] ? symbols->entry[at].slot : -1;
}

bool wisp_symbols_add(wisp_symbols *symbols, const char *name, int slot)
{
  size_t at = place(symbols, name);
  if (symbols->entry[at].name[0]) return false;
  snprintf(symbols->entry[at].name, sizeof symbols->entry[at].name, "%s", name);
  symbols->entry[at].slot = slot;
  return true;
}

bool wisp_seen_lookup(const void *context, const char *name, double *value)
{
  const wisp_seen *scope = context;
  int slot = wisp_symbols_find(scope->symbols, name);
  if (slot < 0 || slot >= scope->bound) return false;
  *value = scope->value[slot];
  return true;
}
