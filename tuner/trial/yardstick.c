/* A copy of as many bytes as a kernel must move. */
#include "workload.h"
#include "../../gen/family.h"

#include <math.h>
#include <stdlib.h>

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
