/* A system as numbers: one for each name by which templates read it, so that a kernel's hash takes those that it reads.
 */
#include "system.h"

const char *const wisp_system_symbols[WISP_SYSTEM_SYMBOLS] = {
    "n",          "fields",       "terms",      "max_terms",  "parts", "fields_per_part",
    "part_list",  "part_outputs", "flux",       "inner",      "outer", "either_side",
    "boundaries", "geos",         "face_reals", "pair_reals", "local", "max_locals"};

/* A wisp_name_hash: a name stands for itself. */
static uint64_t hash_name(const void *context, const char *name)
{
  (void)context;
  return wisp_hash_text(WISP_HASH_SEED, name);
}

static uint64_t add_statements(uint64_t hash, const wisp_statements *statements)
{
  hash = wisp_hash_number(hash, statements->count);
  for (size_t i = 0; i < statements->count; i++) {
    hash = wisp_hash_text(hash, statements->names[i]);
    hash = wisp_hash_number(hash, wisp_expr_hash(statements->expressions[i], hash_name, NULL));
  }
  return hash;
}

static uint64_t hash_fields(const wisp_system *system)
{
  uint64_t hash = wisp_hash_number(WISP_HASH_SEED, (uint64_t)system->fields);
  for (int f = 0; f < system->fields; f++) hash = wisp_hash_text(hash, system->field[f]);
  return hash;
}

/* Names of the quantities with such a reader; their values are data. */
static uint64_t hash_quantities(const wisp_system *system, wisp_reader_of reader)
{
  int list[WISP_MAX_QUANTITIES];
  const int count = wisp_system_reads(system, reader, list);
  uint64_t hash = wisp_hash_number(WISP_HASH_SEED, (uint64_t)count);
  for (int i = 0; i < count; i++) hash = wisp_hash_text(hash, system->quantity[list[i]].name);
  return hash;
}

static uint64_t hash_terms(const wisp_system *system, size_t terms, const wisp_term *list)
{
  uint64_t hash = hash_quantities(system, WISP_RATES);
  for (size_t t = 0; t < terms; t++) {
    const wisp_term *term = &list[t];
    uint64_t coefficient = 0;
    memcpy(&coefficient, &term->coefficient, sizeof coefficient);
    const uint64_t numbers[] = {(uint64_t)term->out, (uint64_t)term->in, (uint64_t)term->axis, coefficient};
    for (size_t i = 0; i < WISP_COUNT(numbers); i++) hash = wisp_hash_number(hash, numbers[i]);
    if (term->quantity >= 0) hash = wisp_hash_text(hash, system->quantity[term->quantity].name);
  }
  return wisp_hash_number(hash, (uint64_t)system->fields);
}

static uint64_t hash_boundaries(const wisp_system *system)
{
  uint64_t hash = wisp_hash_number(WISP_HASH_SEED, (uint64_t)system->boundaries);
  for (int b = 0; b < system->boundaries; b++)
    hash = add_statements(wisp_hash_text(hash, system->boundary[b].name), &system->boundary[b].ghost);
  return hash;
}

static uint64_t hash_count(const wisp_system *system, wisp_reader_of a, wisp_reader_of b)
{
  int list[WISP_MAX_QUANTITIES];
  const uint64_t first = wisp_hash_number(WISP_HASH_SEED, (uint64_t)wisp_system_reads(system, a, list));
  return wisp_hash_number(first, (uint64_t)wisp_system_reads(system, b, list));
}

void wisp_system_hash_symbols(const wisp_system *system, uint64_t hash[WISP_SYSTEM_SYMBOLS])
{
  int first[WISP_MAX_FIELDS];
  const uint64_t parts = (uint64_t)wisp_system_parts(system, first), n = (uint64_t)system->fields;
  const uint64_t terms = hash_terms(system, system->terms, system->term);
  const uint64_t local = hash_terms(system, system->locals, system->local);
  const uint64_t all[WISP_SYSTEM_SYMBOLS] = {
      wisp_hash_number(WISP_HASH_SEED, n),
      hash_fields(system),
      terms,
      terms,
      wisp_hash_number(WISP_HASH_SEED, parts),
      wisp_hash_number(WISP_HASH_SEED, n / parts),
      terms,
      terms,
      add_statements(WISP_HASH_SEED, &system->flux),
      hash_quantities(system, WISP_INSIDE),
      hash_quantities(system, WISP_OUTSIDE),
      hash_quantities(system, WISP_EITHER_SIDE),
      hash_boundaries(system),
      hash_count(system, WISP_RATES, WISP_RATES),
      hash_count(system, WISP_INSIDE, WISP_OUTSIDE),
      hash_count(system, WISP_EITHER_SIDE, WISP_EITHER_SIDE),
      local,
      local,
  };
  memcpy(hash, all, sizeof all);
}
