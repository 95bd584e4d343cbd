#include "workload.h"
#include "../../gen/family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(name) extern const wisp_workload wisp_workload_##name;
WISP_FAMILIES(DECLARE)
static const wisp_workload *const workloads[] = {WISP_FAMILIES(WISP_WORKLOAD_ADDRESS) NULL};

const wisp_workload *wisp_workload_at(size_t i)
{
  const wisp_workload *const *const lists[] = {workloads, wisp_own_workloads};
  for (size_t l = 0; l < WISP_COUNT(lists); l++)
    for (size_t k = 0; lists[l] && lists[l][k]; k++)
      for (const wisp_workload *w = lists[l][k]; w; w = w->more)
        if (i-- == 0) return w;
  return NULL;
}

static bool serves(const wisp_workload *w, const char *kernel)
{
  bool found = !w->kernels;
  for (int i = 0; w->kernels && w->kernels[i]; i++) found |= strcmp(w->kernels[i], kernel) == 0;
  return found;
}

wisp_status wisp_workload_find(wisp_error *err, const char *family, const char *kernel, const wisp_workload **out)
{
  const wisp_workload *w = NULL;
  for (size_t i = 0; (w = wisp_workload_at(i)); i++) {
    if (strcmp(w->family, family) != 0 || (kernel && !serves(w, kernel))) continue;
    *out = w;
    return WISP_OK;
  }
  return wisp_fail(err, WISP_EUSAGE, "the tuner has no workload for family '%s'%s%s", family, kernel ? ", kernel " : "",
                   kernel ? kernel : "");
}

bool wisp_workload_serves(const char *family, const char *kernel)
{
  const wisp_workload *workload = NULL;
  return wisp_workload_find(NULL, family, kernel, &workload) == WISP_OK;
}

/* ---- A copy of as many bytes as a kernel must move. */

typedef struct copy {
  wisp_device *device;
  wisp_pointer from, to;
  size_t bytes; /* read, and as many written */
} copy;

static wisp_status run_copy(wisp_error *err, const void *context)
{
  const copy *c = context;
  return wisp_device_copy(err, c->device, c->to, c->from, c->bytes);
}

static void destroy_copy(void *context)
{
  copy *c = context;
  if (!c) return;
  if (c->from) wisp_device_free(c->device, c->from);
  if (c->to) wisp_device_free(c->device, c->to);
  free(c);
}

wisp_status wisp_yardstick_copy(wisp_error *err, wisp_device *device, wisp_blas *blas, const wisp_spec *spec,
                                long long elements, wisp_yardstick *out)
{
  wisp_status status = WISP_OK;
  wisp_work work = {0};
  copy *c = NULL;
  (void)blas;
  TRY(wisp_family_work(err, spec, (double)elements, &work));
  TRY(wisp_new(err, 1, sizeof *c, &c));
  c->device = device;
  c->bytes = (size_t)(work.bytes / 2);
  TRY(wisp_device_alloc(err, device, c->bytes, &c->from));
  TRY(wisp_device_alloc(err, device, c->bytes, &c->to));
  TRY(wisp_device_fill(err, device, c->from, 0x5a, c->bytes));
  *out = (wisp_yardstick){.run = run_copy, .destroy = destroy_copy, .context = c, .name = "copy", .error = NAN};
done:
  if (status != WISP_OK) destroy_copy(c);
  return status;
}
