#include "comparer.h"
#include "embedded_module.h"

#include <stdlib.h>

struct wisp_comparer {
  wisp_device *device;
  wisp_module *modules[WISP_COMPARE_KINDS];
  wisp_pointer first; /* WISP_COMPARISONS places */
};

enum { BLOCK = 256, MOST_BLOCKS = 2048 };
static const char *const number_types[WISP_COMPARE_KINDS] = {"unsigned", "unsigned char", "unsigned short", "float",
                                                             "double"};

wisp_status wisp_comparer_create(wisp_error *err, wisp_device *device, wisp_comparer **out)
{
  OWNED(wisp_comparer_destroy) wisp_comparer *c = NULL;
  CALL(wisp_new(err, 1, sizeof *c, &c));
  c->device = device;
  CALL(wisp_device_alloc(err, device, WISP_COMPARISONS * sizeof(uint64_t), &c->first));
  return GIVE(c, out);
}

void wisp_comparer_destroy(wisp_comparer *c)
{
  if (!c) return;
  for (int i = 0; i < WISP_COMPARE_KINDS; i++) wisp_module_unload(c->modules[i]);
  if (c->first) wisp_device_free(c->device, c->first);
  free(c);
}

wisp_status wisp_comparer_begin(wisp_error *err, wisp_comparer *c)
{
  return wisp_device_fill(err, c->device, c->first, 0xff, WISP_COMPARISONS * sizeof(uint64_t));
}

/* The argument values of a launch. */
typedef union argument {
  wisp_pointer pointer;
  long long integer;
  double real;
} argument;

wisp_status wisp_comparer_add(wisp_error *err, wisp_comparer *c, size_t place, const wisp_comparison *what)
{
  const size_t blocks = (what->count + BLOCK - 1) / BLOCK;
  const unsigned grid[2] = {(unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), 1}, block[3] = {BLOCK, 1, 1};
  argument values[] = {{.pointer = what->a},
                       {.pointer = what->b},
                       {.pointer = what->mask},
                       {.integer = (long long)what->count},
                       {.integer = what->one ? 0 : -1},
                       {.real = what->what < WISP_COMPARE_FLOATS ? -1 : what->bound},
                       {.pointer = c->first + place * sizeof(uint64_t)}};
  enum { ARGUMENTS = WISP_COUNT(values) };
  void *arguments[ARGUMENTS];
  if (!what->count) return WISP_OK;
  if (!c->modules[what->what])
    CALL(wisp_embedded_module(err, c->device, "checks", "compare", number_types[what->what], &c->modules[what->what]));
  for (int i = 0; i < ARGUMENTS; i++) arguments[i] = &values[i];
  return wisp_launch(err, c->modules[what->what], grid, block, arguments, ARGUMENTS);
}

wisp_status wisp_comparer_end(wisp_error *err, wisp_comparer *c, uint64_t first[WISP_COMPARISONS])
{
  CALL(wisp_device_finish(err, c->device));
  return wisp_device_download(err, c->device, first, c->first, WISP_COMPARISONS * sizeof *first);
}
