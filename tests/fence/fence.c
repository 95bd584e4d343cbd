/* "fence": the host, but every array ends where memory ends, so that a kernel that goes past it is stopped there. All
 * that it does not say itself is the host's. */
#include "fence.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, ALIGNED = 64 };

/* ---- Memory: a page that says how long the mapping is, the array at the end of its pages, a page that nobody may
 * touch. */

static wisp_status fence_alloc(wisp_error *err, wisp_device *device, size_t bytes, wisp_pointer *out)
{
  const size_t rounded = (bytes + ALIGNED - 1) / ALIGNED * ALIGNED, pages = (rounded + PAGE - 1) / PAGE;
  const size_t length = (pages + 2) * PAGE;
  char *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || bytes > device->limits.memory)
    return wisp_fail(err, WISP_EMEMORY, "%s: no memory for %zu bytes", device->limits.name, bytes);
  *(size_t *)(void *)memory = length;
  mprotect(memory, PAGE, PROT_READ);
  mprotect(memory + length - PAGE, PAGE, PROT_NONE);
  *out = (wisp_pointer)(uintptr_t)(memory + length - PAGE - rounded);
  return WISP_OK;
}

static void fence_free(wisp_device *device, wisp_pointer pointer)
{
  size_t *memory = (size_t *)(uintptr_t)(pointer / PAGE * PAGE - PAGE); /* an array begins in the first of its pages */
  (void)device;
  munmap(memory, *memory);
}

/* ---- The kind. */

static wisp_status fence_count(wisp_error *err, int *out)
{
  (void)err;
  *out = 1;
  return WISP_OK;
}

static void fence_close(wisp_device *device)
{
  wisp_device_kind *own = (wisp_device_kind *)(uintptr_t)device->kind;
  wisp_host_kind.close(device);
  free(own);
}

/* A device of the host's, whose functions are the host's but for these. */
static wisp_status fence_open(wisp_error *err, int index, wisp_device **out)
{
  wisp_status status = WISP_OK;
  wisp_device_kind *own = NULL;
  wisp_device *device = NULL;
  TRY(wisp_new(err, 1, sizeof *own, &own));
  TRY(wisp_host_kind.open(err, index, &device));
  *own = wisp_host_kind;
  own->name = wisp_kind_fence.name;
  own->alloc = fence_alloc;
  own->free = fence_free;
  own->close = fence_close;
  snprintf(device->limits.name, sizeof device->limits.name, "fenced host");
  device->kind = own;
  *out = device;
  own = NULL;
done:
  free(own);
  return status;
}

/* It compiles for the host's target, which is the host's to answer for. */
static bool fence_has_target(const char *target)
{
  (void)target;
  return false;
}

const wisp_device_kind wisp_kind_fence = {
    .name = "fence", .count = fence_count, .open = fence_open, .has_target = fence_has_target};
