/* What a launch has left of arrays: guard zones, and what was kept of them before. */
#include "arrays_parts.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERN = 16 }; /* bytes of each pattern */

struct wisp_kept {
  wisp_device *device;
  wisp_pointer copy[WISP_MAX_ARRAYS]; /* 0: not kept */
};

static wisp_status prepare(wisp_error *err, wisp_arrays *arrays)
{
  if (!arrays->pattern) {
    CALL(wisp_device_alloc(err, arrays->device, 2 * PATTERN, &arrays->pattern));
    CALL(wisp_device_fill(err, arrays->device, arrays->pattern, 0xff, PATTERN));
    CALL(wisp_device_fill(err, arrays->device, arrays->pattern + PATTERN, 0x40, PATTERN));
  }
  if (!arrays->comparer) CALL(wisp_comparer_create(err, arrays->device, &arrays->comparer));
  return wisp_comparer_begin(err, arrays->comparer);
}

/* --- guard zones --- */

static wisp_pointer zone_of(const wisp_arrays *arrays, const wisp_entry *e, size_t side)
{
  return side ? wisp_entry_start(arrays, e) + wisp_entry_bytes(arrays, e) : e->base;
}

wisp_status wisp_arrays_guards(wisp_error *err, wisp_arrays *arrays, bool *intact, char name[32])
{
  uint64_t first[WISP_COMPARISONS];
  *intact = true;
  CALL(prepare(err, arrays));
  for (size_t i = 0; i < 2 * arrays->count; i++) {
    const wisp_entry *e = &arrays->entries[i / 2];
    const wisp_comparison zone = {.what = WISP_COMPARE_BITS,
                                  .a = zone_of(arrays, e, i % 2),
                                  .b = arrays->pattern + (wisp_entry_is_integer(e) ? 0 : PATTERN),
                                  .one = true,
                                  .count = wisp_entry_guard(arrays, e) / 4};
    CALL(wisp_comparer_add(err, arrays->comparer, i, &zone));
  }
  CALL(wisp_comparer_end(err, arrays->comparer, first));
  for (size_t i = 0; i < 2 * arrays->count; i++) {
    const wisp_entry *e = &arrays->entries[i / 2];
    if (first[i] == WISP_SAME) continue;
    *intact = false;
    memcpy(name, e->array.name, strlen(e->array.name) + 1);
    CALL(wisp_device_fill(err, arrays->device, zone_of(arrays, e, i % 2), wisp_entry_guard_byte(e),
                          wisp_entry_guard(arrays, e))); /* whole again for the next kernel */
  }
  return WISP_OK;
}

/* --- arrays as they were --- */

static bool listed(const char *const *names, const char *name)
{
  for (; *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

wisp_status wisp_arrays_keep(wisp_error *err, wisp_arrays *arrays, const char *const *names, wisp_kept **out)
{
  wisp_status status = WISP_OK;
  wisp_kept *kept = *out;
  if (!kept) TRY(wisp_new(err, 1, sizeof *kept, &kept));
  kept->device = arrays->device;
  for (size_t i = 0; i < arrays->count; i++) {
    const wisp_entry *e = &arrays->entries[i];
    const size_t bytes = wisp_entry_bytes(arrays, e);
    if (!bytes || (names && !listed(names, e->array.name))) continue;
    if (!kept->copy[i]) TRY(wisp_device_alloc(err, arrays->device, bytes, &kept->copy[i]));
    TRY(wisp_device_copy(err, arrays->device, kept->copy[i], wisp_entry_start(arrays, e), bytes));
  }
  *out = kept;
  kept = NULL;
done:
  if (!*out) wisp_kept_free(kept);
  return status;
}

void wisp_kept_free(wisp_kept *kept)
{
  if (!kept) return;
  for (size_t i = 0; i < WISP_MAX_ARRAYS; i++)
    if (kept->copy[i]) wisp_device_free(kept->device, kept->copy[i]);
  free(kept);
}

wisp_status wisp_arrays_restore(wisp_error *err, wisp_arrays *arrays, const wisp_kept *kept, const char *const *names)
{
  for (size_t i = 0; i < arrays->count; i++) {
    const wisp_entry *e = &arrays->entries[i];
    if (kept->copy[i] && (!names || listed(names, e->array.name)))
      CALL(wisp_device_copy(err, arrays->device, wisp_entry_start(arrays, e), kept->copy[i],
                            wisp_entry_bytes(arrays, e)));
  }
  return WISP_OK;
}

wisp_status wisp_arrays_changed(wisp_error *err, wisp_arrays *arrays, const wisp_kept *kept, const char *const *except,
                                char name[32], size_t *number)
{
  uint64_t first[WISP_COMPARISONS];
  *name = '\0';
  CALL(prepare(err, arrays));
  for (size_t i = 0; i < arrays->count; i++) {
    const wisp_entry *e = &arrays->entries[i];
    const wisp_comparison same = {.what = WISP_COMPARE_BITS,
                                  .a = wisp_entry_start(arrays, e),
                                  .b = kept->copy[i],
                                  .count = wisp_entry_bytes(arrays, e) / 4};
    if (kept->copy[i] && !listed(except, e->array.name)) CALL(wisp_comparer_add(err, arrays->comparer, i, &same));
  }
  CALL(wisp_comparer_end(err, arrays->comparer, first));
  for (size_t i = 0; i < arrays->count && !*name; i++) {
    const wisp_entry *e = &arrays->entries[i];
    if (first[i] == WISP_SAME) continue;
    memcpy(name, e->array.name, strlen(e->array.name) + 1);
    *number = (size_t)first[i] * 4 / wisp_entry_number(arrays, e);
  }
  return WISP_OK;
}

/* --- results beside others --- */

wisp_status wisp_arrays_compare_begin(wisp_error *err, wisp_arrays *arrays)
{
  return prepare(err, arrays);
}

static wisp_compared compared_as(const wisp_arrays *arrays, const wisp_entry *e)
{
  if (!wisp_entry_is_integer(e)) return wisp_entry_is_float(arrays, e) ? WISP_COMPARE_FLOATS : WISP_COMPARE_DOUBLES;
  const size_t bytes = wisp_entry_number(arrays, e);
  return bytes == 1 ? WISP_COMPARE_BYTES : bytes == 2 ? WISP_COMPARE_SHORTS : WISP_COMPARE_BITS;
}

wisp_status wisp_arrays_compare(wisp_error *err, wisp_arrays *arrays, const wisp_kept *kept, wisp_pointer mask,
                                const char *name, double bound)
{
  size_t i = 0;
  while (i < arrays->count && strcmp(arrays->entries[i].array.name, name) != 0) i++;
  CALL(wisp_require(err, i < arrays->count && kept->copy[i], WISP_EUSAGE, "array '%s' was not kept", name));
  const wisp_entry *e = &arrays->entries[i];
  const wisp_comparison results = {.what = compared_as(arrays, e),
                                   .a = wisp_entry_start(arrays, e),
                                   .b = kept->copy[i],
                                   .mask = mask,
                                   .count = e->array.size,
                                   .bound = bound};
  return wisp_comparer_add(err, arrays->comparer, i, &results);
}

wisp_status wisp_arrays_compare_end(wisp_error *err, wisp_arrays *arrays, char name[32], size_t *number)
{
  uint64_t first[WISP_COMPARISONS];
  *name = '\0';
  CALL(wisp_comparer_end(err, arrays->comparer, first));
  for (size_t i = 0; i < arrays->count && !*name; i++) {
    if (first[i] == WISP_SAME) continue;
    memcpy(name, arrays->entries[i].array.name, strlen(arrays->entries[i].array.name) + 1);
    *number = (size_t)first[i];
  }
  return WISP_OK;
}
