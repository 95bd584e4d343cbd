/* One table of names, sizes and addresses. */
#include "arrays_parts.h"
#include "parallel.h"

#include <limits.h>

wisp_status wisp_arrays_countable(wisp_error *err, const wisp_limits *limits, const char *what, const wisp_array *list,
                                  size_t count)
{
  for (size_t i = 0; limits->gpu && i < count; i++)
    CALL(wisp_require(err, list[i].wide || list[i].size <= INT_MAX, WISP_EUSAGE,
                      "%s: array %s has %zu numbers, more than kernels can count (2.1e9): take fewer elements", what,
                      list[i].name, list[i].size));
  return WISP_OK;
}

static wisp_arrays describe_arrays(wisp_precision precision, size_t guard, const wisp_array *list, size_t count)
{
  wisp_arrays arrays = {.precision = precision, .guard = guard, .count = count};
  for (size_t i = 0; i < count; i++) arrays.entries[i].array = list[i];
  return arrays;
}

wisp_status wisp_arrays_fit(wisp_error *err, const wisp_limits *limits, wisp_precision precision, const char *what,
                            size_t guard, const wisp_array *list, size_t count, double beside)
{
  CALL(wisp_require(err, count <= WISP_MAX_ARRAYS, WISP_EUSAGE, "%s has %zu arrays, must be at most %d", what, count,
                    WISP_MAX_ARRAYS));
  const wisp_arrays arrays = describe_arrays(precision, guard, list, count);
  const double bytes = (double)wisp_arrays_bytes(&arrays) + (limits->gpu ? 0 : beside);
  CALL(wisp_require(err, bytes <= (double)limits->memory, WISP_EMEMORY,
                    "%s needs %.2f GB, %s has %.2f GB: take fewer elements or a lower order", what, bytes / 1e9,
                    limits->name, (double)limits->memory / 1e9));
  return wisp_arrays_countable(err, limits, what, list, count);
}

static wisp_status make_entry(wisp_error *err, wisp_arrays *arrays, wisp_entry *e)
{
  wisp_status status = WISP_OK;
  const size_t bytes = wisp_entry_bytes(arrays, e), front = wisp_entry_front(arrays, e);
  const unsigned char guard = wisp_entry_guard_byte(e);
  TRY(wisp_device_alloc(err, arrays->device, wisp_entry_whole(arrays, e), &e->base));
  TRY(wisp_device_fill(err, arrays->device, e->base, guard, front));
  TRY(wisp_device_fill(err, arrays->device, e->base + front + bytes, guard, wisp_entry_guard(arrays, e)));
  if (bytes) TRY(wisp_device_fill(err, arrays->device, e->base + front, 0, bytes));
done:
  if (status == WISP_EMEMORY) wisp_context(err, status, "array %s (%zu numbers): ", e->array.name, e->array.size);
  return status;
}

wisp_status wisp_arrays_create(wisp_error *err, wisp_device *device, wisp_precision precision, const char *what,
                               size_t guard, const wisp_array *list, size_t count, wisp_arrays **out)
{
  OWNED(wisp_arrays_destroy) wisp_arrays *arrays = NULL;
  CALL(wisp_arrays_fit(err, wisp_device_limits(device), precision, what, guard, list, count, 0));
  CALL(wisp_new(err, 1, sizeof *arrays, &arrays));
  *arrays = describe_arrays(precision, guard, list, count);
  arrays->device = device;
  for (size_t i = 0; i < count; i++) CALL(make_entry(err, arrays, &arrays->entries[i]));
  return GIVE(arrays, out);
}

wisp_status wisp_arrays_shift(wisp_error *err, wisp_arrays *arrays, size_t turn)
{
  for (size_t i = 0; i < arrays->count; i++) {
    wisp_entry *e = &arrays->entries[i], moved = *e;
    moved.base = 0;
    moved.shift = WISP_ALIGNMENT * (1 + (turn + i) % (WISP_LINE / WISP_ALIGNMENT - 1));
    wisp_status status = make_entry(err, arrays, &moved);
    if (status == WISP_OK)
      status = wisp_device_copy(err, arrays->device, wisp_entry_start(arrays, &moved), wisp_entry_start(arrays, e),
                                wisp_entry_bytes(arrays, e));
    if (status == WISP_OK) status = wisp_device_finish(err, arrays->device);
    wisp_device_free(arrays->device, status == WISP_OK ? e->base : moved.base);
    CALL(status);
    *e = moved;
  }
  return WISP_OK;
}

void wisp_arrays_destroy(wisp_arrays *arrays)
{
  if (!arrays) return;
  for (size_t i = 0; i < arrays->count; i++)
    if (arrays->entries[i].base) wisp_device_free(arrays->device, arrays->entries[i].base);
  wisp_arrays_end_checks(arrays);
  free(arrays);
}

size_t wisp_arrays_bytes(const wisp_arrays *arrays)
{
  size_t bytes = 0;
  for (size_t i = 0; i < arrays->count; i++) bytes += wisp_entry_whole(arrays, &arrays->entries[i]);
  return bytes;
}

static const wisp_entry *find_entry(const wisp_arrays *arrays, const char *name)
{
  for (size_t i = 0; i < arrays->count; i++)
    if (strcmp(arrays->entries[i].array.name, name) == 0) return &arrays->entries[i];
  return NULL;
}

size_t wisp_arrays_size(const wisp_arrays *arrays, const char *name)
{
  const wisp_entry *e = find_entry(arrays, name);
  return e ? e->array.size : 0;
}

size_t wisp_arrays_bytes_of(const wisp_arrays *arrays, const char *array)
{
  const wisp_entry *e = find_entry(arrays, array);
  return e ? e->array.size * wisp_entry_number(arrays, e) : 0;
}

static void swap_memory(wisp_entry *a, wisp_entry *b)
{
  const wisp_entry before = *a;
  a->base = b->base, a->shift = b->shift;
  b->base = before.base, b->shift = before.shift;
}

void wisp_arrays_swap(wisp_arrays *arrays, const char *one, const char *other)
{
  swap_memory((wisp_entry *)find_entry(arrays, one), (wisp_entry *)find_entry(arrays, other));
}

void wisp_arrays_exchange(wisp_arrays *a, wisp_arrays *b)
{
  for (size_t i = 0; i < b->count; i++) {
    wisp_entry *from = (wisp_entry *)find_entry(a, b->entries[i].array.name);
    if (from && from->array.size >= b->entries[i].array.size) swap_memory(from, &b->entries[i]);
  }
}

static wisp_status find_reals(wisp_error *err, const wisp_arrays *arrays, const char *name, const wisp_entry **out)
{
  *out = find_entry(arrays, name);
  return wisp_require(err, *out && !wisp_entry_is_integer(*out), WISP_EUSAGE, "the problem has no array of reals '%s'",
                      name);
}

enum { CHUNK = 1 << 23 }; /* numbers converted at a time: fields of gigabytes need no second copy on the host */

/* Numbers in both precisions, of which one side is made from the other. */
typedef struct conversion {
  float *single;
  const double *from; /* NULL: from single into `to` */
  double *to;
} conversion;

/* A wisp_sweep. */
static void convert_part(void *context, size_t from, size_t to)
{
  const conversion *c = context;
  if (c->from)
    for (size_t i = from; i < to; i++) c->single[i] = (float)c->from[i];
  else
    for (size_t i = from; i < to; i++) c->to[i] = (double)c->single[i];
}

/* A part of an array of reals: from values to the device, or, where there are none, from there to `out`. */
static wisp_status move_part(wisp_error *err, wisp_arrays *arrays, const char *name, size_t from, size_t count,
                             const double *values, double *out)
{
  const wisp_entry *e = NULL;
  OWNED(free) float *chunk = NULL;
  CALL(find_reals(err, arrays, name, &e));
  CALL(wisp_require(err, from <= e->array.size && count <= e->array.size - from, WISP_EUSAGE,
                    "array %s: %zu numbers from %zu on, and it has %zu", name, count, from, e->array.size));
  if (!count) return WISP_OK;
  const wisp_pointer start = wisp_entry_start(arrays, e) + from * wisp_entry_number(arrays, e);
  if (!wisp_entry_is_float(arrays, e))
    return values ? wisp_device_upload(err, arrays->device, start, values, count * sizeof *values)
                  : wisp_device_download(err, arrays->device, out, start, count * sizeof *out);
  CALL(wisp_new(err, count < CHUNK ? count : CHUNK, sizeof *chunk, &chunk));
  for (size_t at = 0; at < count; at += CHUNK) {
    const size_t part = count - at < CHUNK ? count - at : CHUNK, bytes = part * sizeof *chunk;
    const wisp_pointer there = start + at * sizeof *chunk;
    if (values) wisp_parallel_numbers(part, convert_part, &(conversion){.single = chunk, .from = values + at});
    CALL(values ? wisp_device_upload(err, arrays->device, there, chunk, bytes)
                : wisp_device_download(err, arrays->device, chunk, there, bytes));
    if (!values) wisp_parallel_numbers(part, convert_part, &(conversion){.single = chunk, .to = out + at});
  }
  return WISP_OK;
}

wisp_status wisp_arrays_upload_part(wisp_error *err, wisp_arrays *arrays, const char *name, size_t from, size_t count,
                                    const double *values)
{
  return move_part(err, arrays, name, from, count, values, NULL);
}

wisp_status wisp_arrays_upload(wisp_error *err, wisp_arrays *arrays, const char *name, const double *values)
{
  return move_part(err, arrays, name, 0, wisp_arrays_size(arrays, name), values, NULL);
}

wisp_status wisp_arrays_download_part(wisp_error *err, wisp_arrays *arrays, const char *name, size_t from, size_t count,
                                      double *values)
{
  return move_part(err, arrays, name, from, count, NULL, values);
}

wisp_status wisp_arrays_download(wisp_error *err, wisp_arrays *arrays, const char *name, double *values)
{
  return move_part(err, arrays, name, 0, wisp_arrays_size(arrays, name), NULL, values);
}

/* Copies the beginning behind itself, twice as much each time. */
wisp_status wisp_arrays_repeat(wisp_error *err, wisp_arrays *arrays, const char *name, size_t count,
                               const double *values)
{
  const wisp_entry *e = NULL;
  CALL(find_reals(err, arrays, name, &e));
  size_t size = e->array.size, number = wisp_entry_number(arrays, e), part = count < size ? count : size;
  CALL(wisp_arrays_upload_part(err, arrays, name, 0, part, values));
  for (size_t have = part; have < size; have += part) {
    part = have < size - have ? have : size - have;
    CALL(wisp_device_copy(err, arrays->device, wisp_entry_start(arrays, e) + have * number, wisp_entry_start(arrays, e),
                          part * number));
  }
  return WISP_OK;
}

static wisp_status find_ints(wisp_error *err, const wisp_arrays *arrays, const char *name, const wisp_entry **out)
{
  *out = find_entry(arrays, name);
  return wisp_require(err, *out && wisp_entry_is_integer(*out), WISP_EUSAGE,
                      "the problem has no array of integers '%s'", name);
}

/* An integer's low bytes come first, on all that this runs on: of fewer bits they are the whole. */
wisp_status wisp_arrays_upload_ints(wisp_error *err, wisp_arrays *arrays, const char *name, const int *values)
{
  const wisp_entry *e = NULL;
  OWNED(free) unsigned char *bytes = NULL;
  CALL(find_ints(err, arrays, name, &e));
  const size_t size = e->array.size, number = wisp_entry_number(arrays, e);
  const wisp_pointer start = wisp_entry_start(arrays, e);
  if (!size) return WISP_OK;
  CALL(wisp_require(err, values, WISP_EUSAGE, "array %s: there are no numbers for it", name));
  if (number == sizeof *values) return wisp_device_upload(err, arrays->device, start, values, size * number);
  CALL(wisp_new(err, size, number, &bytes));
  for (size_t i = 0; i < size; i++) {
    if (values[i] < 0 || values[i] >> 8 * number)
      return wisp_fail(err, WISP_EUSAGE, "array %s: number %zu is %d, which does not fit %zu bits", name, i, values[i],
                       8 * number);
    memcpy(bytes + i * number, values + i, number);
  }
  return wisp_device_upload(err, arrays->device, start, bytes, size * number);
}

wisp_status wisp_arrays_upload_bytes(wisp_error *err, wisp_arrays *arrays, const char *name,
                                     const unsigned char *values)
{
  const wisp_entry *e = NULL;
  CALL(find_ints(err, arrays, name, &e));
  CALL(wisp_require(err, wisp_entry_number(arrays, e) == 1, WISP_EUSAGE, "array %s has no integers of 8 bits", name));
  return wisp_device_upload(err, arrays->device, wisp_entry_start(arrays, e), values, e->array.size);
}

wisp_status wisp_arrays_download_ints(wisp_error *err, wisp_arrays *arrays, const char *name, int *values)
{
  const wisp_entry *e = NULL;
  OWNED(free) unsigned char *bytes = NULL;
  CALL(find_ints(err, arrays, name, &e));
  const size_t size = e->array.size, number = wisp_entry_number(arrays, e);
  if (!size) return WISP_OK;
  CALL(wisp_new(err, size, number, &bytes));
  CALL(wisp_device_download(err, arrays->device, bytes, wisp_entry_start(arrays, e), size * number));
  memset(values, 0, size * sizeof *values);
  for (size_t i = 0; i < size; i++) memcpy(values + i, bytes + i * number, number);
  return WISP_OK;
}

wisp_pointer wisp_arrays_at(const wisp_arrays *arrays, const char *name)
{
  const wisp_entry *e = find_entry(arrays, name);
  return e ? wisp_entry_start(arrays, e) : 0;
}

wisp_status wisp_arrays_fill(wisp_error *err, wisp_arrays *arrays, const char *name, unsigned char byte)
{
  const wisp_entry *e = NULL;
  CALL(find_reals(err, arrays, name, &e));
  return wisp_device_fill(err, arrays->device, wisp_entry_start(arrays, e), byte, wisp_entry_bytes(arrays, e));
}

wisp_status wisp_arrays_launch(wisp_error *err, wisp_arrays *arrays, const wisp_kernel *kernel,
                               const wisp_binding *others, size_t count)
{
  wisp_binding bindings[WISP_MAX_BINDINGS];
  size_t n = 0;
  CALL(wisp_require(err, arrays->count + count <= WISP_MAX_BINDINGS, WISP_EUSAGE,
                    "%zu bindings beside the arrays, must be at most %zu", count, WISP_MAX_BINDINGS - arrays->count));
  for (size_t i = 0; i < count; i++) bindings[n++] = others[i];
  for (size_t i = 0; i < arrays->count; i++)
    bindings[n++] = (wisp_binding){arrays->entries[i].array.name, wisp_entry_start(arrays, &arrays->entries[i]), 0};
  return wisp_kernel_run(err, kernel, bindings, n);
}
