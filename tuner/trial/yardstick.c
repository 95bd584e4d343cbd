/* Yardsticks of several families: a copy of the bytes that a kernel must move, and the vendor's sparse product. */
#include "workload.h"
#include "../../gen/family.h"

#include <math.h>
#include <stdio.h>
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

wisp_status wisp_yardstick_copy(wisp_error *err, wisp_device *device, const wisp_spec *spec, long long elements,
                                wisp_yardstick *out)
{
  wisp_status status = WISP_OK;
  wisp_work work = {0};
  copy *c = NULL;
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

static void destroy_spmv(void *spmv)
{
  wisp_spmv_destroy(spmv);
}

wisp_status wisp_yardstick_spmv(wisp_error *err, wisp_device *device, const wisp_block_rows *pattern,
                                wisp_precision precision, wisp_spmv_format format, wisp_yardstick *out)
{
  OWNED(wisp_spmv_destroy) wisp_spmv *spmv = NULL;
  double error = NAN;
  CALL(wisp_spmv_create(err, device, pattern, precision, format, &spmv));
  CALL(wisp_spmv_error(err, spmv, pattern, &error));
  *out = (wisp_yardstick){.run = wisp_spmv_run, .destroy = destroy_spmv, .context = spmv, .error = error};
  snprintf(out->name, sizeof out->name, "%s", wisp_spmv_name(spmv));
  spmv = NULL;
  return WISP_OK;
}
