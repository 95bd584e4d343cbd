/* Checks of arrays after a launch: guard zones, and comparisons with copies from before it. */
#include "arrays_parts.h"

enum { PATTERN = 16 }; /* bytes of each pattern */

struct wisp_kept {
  wisp_device *device;
  size_t bytes;
  struct kept_array {
    bool kept;
    wisp_pointer copy;
    size_t count;           /* numbers of it; 0: none is known */
    wisp_pointer positions; /* of the array's numbers that it is of; 0: of all */
    wisp_pointer sizes;     /* floats that bounds are relative to; 0: none */
  } of[WISP_MAX_ARRAYS];
};

/* --- comparing --- */

/* Comparisons at a time, each with a place for what it finds: the first number that differs, or SAME. */
enum { COMPARISONS = 128, BLOCK = 256, MOST_BLOCKS = 2048 };
#define SAME UINT64_MAX

/* One comparison of `count` numbers at a with those at b, or each with the one number there. */
typedef struct comparison {
  wisp_compared what;
  wisp_pointer a, b;
  bool one;               /* b is one number */
  wisp_pointer mask;      /* a byte a number, 0: not compared; 0: all are */
  wisp_pointer sizes;     /* a float a number, which the bound is relative to; 0: none */
  wisp_pointer positions; /* of the numbers in a; 0: one after the other */
  size_t count;
  double bound; /* of |a - b|; NaN is as far from numbers as can be. Bits are equal or not. */
} comparison;

/* Forgets what was found. */
wisp_status wisp_arrays_compare_begin(wisp_error *err, wisp_arrays *arrays)
{
  wisp_device *device = arrays->device;
  if (!arrays->check.pattern) {
    CALL(wisp_device_alloc(err, device, 2 * PATTERN, &arrays->check.pattern));
    CALL(wisp_device_fill(err, device, arrays->check.pattern, 0xff, PATTERN));
    CALL(wisp_device_fill(err, device, arrays->check.pattern + PATTERN, 0x40, PATTERN));
  }
  if (!arrays->check.first) CALL(wisp_device_alloc(err, device, COMPARISONS * sizeof(uint64_t), &arrays->check.first));
  return wisp_device_fill(err, device, arrays->check.first, 0xff, COMPARISONS * sizeof(uint64_t));
}

typedef union argument {
  wisp_pointer pointer;
  long long integer;
  double real;
} argument;

static wisp_status add_comparison(wisp_error *err, wisp_arrays *arrays, size_t place, const comparison *c)
{
  static const char *const types[WISP_COMPARE_KINDS] = {"unsigned", "unsigned char", "unsigned short", "float",
                                                        "double"};
  const size_t blocks = (c->count + BLOCK - 1) / BLOCK;
  const unsigned grid[2] = {(unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), 1}, block[3] = {BLOCK, 1, 1};
  wisp_module **module = &arrays->check.module[c->what];
  argument values[] = {{.pointer = c->a},
                       {.pointer = c->b},
                       {.pointer = c->mask},
                       {.pointer = c->sizes},
                       {.pointer = c->positions},
                       {.integer = (long long)c->count},
                       {.integer = c->one ? 0 : -1},
                       {.real = c->what < WISP_COMPARE_FLOATS ? -1 : c->bound},
                       {.pointer = arrays->check.first + place * sizeof(uint64_t)},
                       {.integer = grid[0]}};
  char lines[48];
  enum { ARGUMENTS = WISP_COUNT(values) };
  void *arguments[ARGUMENTS];
  if (!c->count) return WISP_OK;
  snprintf(lines, sizeof lines, "#define NUMBER %s\n", types[c->what]);
  if (!*module) CALL(wisp_dialect_module(err, arrays->device, "checks/compare", WISP_F64, lines, module));
  for (int i = 0; i < ARGUMENTS; i++) arguments[i] = &values[i];
  return wisp_launch(err, *module, NULL, grid, block, arguments, ARGUMENTS);
}

/* Waits; what was found at each place. */
static wisp_status end_comparisons(wisp_error *err, wisp_arrays *arrays, uint64_t first[COMPARISONS])
{
  CALL(wisp_device_finish(err, arrays->device));
  return wisp_device_download(err, arrays->device, first, arrays->check.first, COMPARISONS * sizeof *first);
}

void wisp_arrays_end_checks(wisp_arrays *arrays)
{
  for (int i = 0; i < WISP_COMPARE_KINDS; i++) wisp_module_unload(arrays->check.module[i]);
  wisp_device_free(arrays->device, arrays->check.first);
  wisp_device_free(arrays->device, arrays->check.pattern);
}

/* --- guard zones --- */

static size_t zone_bytes(const wisp_arrays *arrays, const wisp_entry *e, size_t side)
{
  return side ? wisp_entry_guard(arrays, e) : wisp_entry_front(arrays, e);
}

static wisp_pointer zone_of(const wisp_arrays *arrays, const wisp_entry *e, size_t side)
{
  return side ? wisp_entry_start(arrays, e) + wisp_entry_bytes(arrays, e) : e->base;
}

wisp_status wisp_arrays_guards(wisp_error *err, wisp_arrays *arrays, bool *intact, char name[32])
{
  uint64_t first[COMPARISONS];
  *intact = true;
  CALL(wisp_arrays_compare_begin(err, arrays));
  for (size_t i = 0; i < 2 * arrays->count; i++) {
    const wisp_entry *e = &arrays->entries[i / 2];
    const comparison zone = {.what = WISP_COMPARE_BITS,
                             .a = zone_of(arrays, e, i % 2),
                             .b = arrays->check.pattern + (wisp_entry_is_integer(e) ? 0 : PATTERN),
                             .one = true,
                             .count = zone_bytes(arrays, e, i % 2) / 4};
    CALL(add_comparison(err, arrays, i, &zone));
  }
  CALL(end_comparisons(err, arrays, first));
  for (size_t i = 0; i < 2 * arrays->count; i++) {
    const wisp_entry *e = &arrays->entries[i / 2];
    if (first[i] == SAME) continue;
    *intact = false;
    memcpy(name, e->array.name, strlen(e->array.name) + 1);
    CALL(wisp_device_fill(err, arrays->device, zone_of(arrays, e, i % 2), wisp_entry_guard_byte(e),
                          zone_bytes(arrays, e, i % 2))); /* whole again for the next kernel */
  }
  return WISP_OK;
}

/* --- arrays as they were --- */

static bool is_listed(const char *const *names, const char *name)
{
  for (; *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

/* Device memory of what is kept. */
static wisp_status allocate(wisp_error *err, wisp_kept *kept, size_t bytes, wisp_pointer *out)
{
  if (*out) return WISP_OK;
  CALL(wisp_device_alloc(err, kept->device, bytes, out));
  kept->bytes += bytes;
  return WISP_OK;
}

static wisp_status begin_keeping(wisp_error *err, const wisp_arrays *arrays, wisp_kept **kept)
{
  if (!*kept) CALL(wisp_new(err, 1, sizeof **kept, kept));
  (*kept)->device = arrays->device;
  return WISP_OK;
}

wisp_status wisp_arrays_keep(wisp_error *err, wisp_arrays *arrays, const char *const *names, wisp_kept **out)
{
  CALL(begin_keeping(err, arrays, out));
  for (size_t i = 0; i < arrays->count; i++) {
    const wisp_entry *e = &arrays->entries[i];
    const size_t bytes = wisp_entry_bytes(arrays, e);
    struct kept_array *k = &(*out)->of[i];
    if (!bytes || (names && !is_listed(names, e->array.name))) continue;
    CALL(allocate(err, *out, bytes, &k->copy));
    k->kept = true, k->count = e->array.size;
    CALL(wisp_device_copy(err, arrays->device, k->copy, wisp_entry_start(arrays, e), bytes));
  }
  return WISP_OK;
}

static size_t find_entry(const wisp_arrays *arrays, const char *name)
{
  size_t i = 0;
  while (i < arrays->count && strcmp(arrays->entries[i].array.name, name) != 0) i++;
  return i;
}

/* Numbers as they lie in an array. */
static void pack_numbers(const wisp_arrays *arrays, const wisp_entry *e, const double *values, size_t count,
                         unsigned char *to)
{
  const size_t number = wisp_entry_number(arrays, e);
  for (size_t i = 0; i < count; i++) {
    const int integer = wisp_entry_is_integer(e) ? (int)values[i] : 0;
    const float single = (float)values[i];
    const void *from = wisp_entry_is_integer(e)         ? (const void *)&integer
                       : wisp_entry_is_float(arrays, e) ? (const void *)&single
                                                        : (const void *)&values[i];
    memcpy(to + i * number, from, number);
  }
}

wisp_status wisp_arrays_keep_some(wisp_error *err, wisp_arrays *arrays, const char *name, const wisp_some_numbers *some,
                                  wisp_kept **out)
{
  const size_t i = find_entry(arrays, name), count = some->count;
  OWNED(free) unsigned char *packed = NULL;
  CALL(begin_keeping(err, arrays, out));
  CALL(wisp_require(err, i < arrays->count && !(*out)->of[i].kept, WISP_EUSAGE, "array '%s' cannot be kept", name));
  const wisp_entry *e = &arrays->entries[i];
  const size_t number = wisp_entry_number(arrays, e);
  struct kept_array *k = &(*out)->of[i];
  k->kept = true, k->count = count;
  if (!count) return WISP_OK;
  CALL(wisp_new(err, count, number, &packed));
  pack_numbers(arrays, e, some->values, count, packed);
  CALL(allocate(err, *out, count * number, &k->copy));
  CALL(wisp_device_upload(err, arrays->device, k->copy, packed, count * number));
  CALL(allocate(err, *out, count * sizeof *some->sizes, &k->sizes));
  CALL(wisp_device_upload(err, arrays->device, k->sizes, some->sizes, count * sizeof *some->sizes));
  if (count == e->array.size) return WISP_OK;
  CALL(allocate(err, *out, count * sizeof *some->positions, &k->positions));
  return wisp_device_upload(err, arrays->device, k->positions, some->positions, count * sizeof *some->positions);
}

size_t wisp_kept_bytes(const wisp_kept *kept)
{
  return kept ? kept->bytes : 0;
}

void wisp_kept_free(wisp_kept *kept)
{
  if (!kept) return;
  for (struct kept_array *k = kept->of; k < kept->of + WISP_MAX_ARRAYS; k++) {
    if (k->copy) wisp_device_free(kept->device, k->copy);
    if (k->positions) wisp_device_free(kept->device, k->positions);
    if (k->sizes) wisp_device_free(kept->device, k->sizes);
  }
  free(kept);
}

wisp_status wisp_arrays_restore(wisp_error *err, wisp_arrays *arrays, const wisp_kept *kept, const char *const *names)
{
  for (size_t i = 0; i < arrays->count; i++) {
    const wisp_entry *e = &arrays->entries[i];
    if (kept->of[i].copy && (!names || is_listed(names, e->array.name)))
      CALL(wisp_device_copy(err, arrays->device, wisp_entry_start(arrays, e), kept->of[i].copy,
                            wisp_entry_bytes(arrays, e)));
  }
  return WISP_OK;
}

wisp_status wisp_arrays_changed(wisp_error *err, wisp_arrays *arrays, const wisp_kept *kept, const char *const *except,
                                char name[32], size_t *number)
{
  uint64_t first[COMPARISONS];
  *name = '\0';
  CALL(wisp_arrays_compare_begin(err, arrays));
  for (size_t i = 0; i < arrays->count; i++) {
    const wisp_entry *e = &arrays->entries[i];
    const comparison same = {.what = WISP_COMPARE_BITS,
                             .a = wisp_entry_start(arrays, e),
                             .b = kept->of[i].copy,
                             .count = wisp_entry_bytes(arrays, e) / 4};
    if (kept->of[i].copy && !is_listed(except, e->array.name)) CALL(add_comparison(err, arrays, i, &same));
  }
  CALL(end_comparisons(err, arrays, first));
  for (size_t i = 0; i < arrays->count && !*name; i++) {
    const wisp_entry *e = &arrays->entries[i];
    if (first[i] == SAME) continue;
    memcpy(name, e->array.name, strlen(e->array.name) + 1);
    *number = (size_t)first[i] * 4 / wisp_entry_number(arrays, e);
  }
  return WISP_OK;
}

/* --- results beside others --- */

wisp_status wisp_arrays_compare(wisp_error *err, wisp_arrays *arrays, const wisp_kept *kept, wisp_pointer mask,
                                const char *name, double bound)
{
  static const wisp_compared integers[] = {
      [1] = WISP_COMPARE_BYTES, [2] = WISP_COMPARE_SHORTS, [4] = WISP_COMPARE_BITS};
  const size_t i = find_entry(arrays, name);
  CALL(wisp_require(err, i < arrays->count && kept->of[i].kept, WISP_EUSAGE, "array '%s' was not kept", name));
  const wisp_entry *e = &arrays->entries[i];
  const struct kept_array *k = &kept->of[i];
  const wisp_compared reals = wisp_entry_is_float(arrays, e) ? WISP_COMPARE_FLOATS : WISP_COMPARE_DOUBLES;
  const comparison results = {.what = wisp_entry_is_integer(e) ? integers[wisp_entry_number(arrays, e)] : reals,
                              .a = wisp_entry_start(arrays, e),
                              .b = k->copy,
                              .mask = mask,
                              .sizes = wisp_entry_is_integer(e) ? 0 : k->sizes,
                              .positions = k->positions,
                              .count = k->count,
                              .bound = bound};
  return add_comparison(err, arrays, i, &results);
}

wisp_status wisp_arrays_compare_end(wisp_error *err, wisp_arrays *arrays, char name[32], size_t *number)
{
  uint64_t first[COMPARISONS];
  *name = '\0';
  CALL(end_comparisons(err, arrays, first));
  for (size_t i = 0; i < arrays->count && !*name; i++) {
    if (first[i] == SAME) continue;
    memcpy(name, arrays->entries[i].array.name, strlen(arrays->entries[i].array.name) + 1);
    *number = (size_t)first[i];
  }
  return WISP_OK;
}
