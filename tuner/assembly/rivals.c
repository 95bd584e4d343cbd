#include "rivals.h"
#include "../../runtime/assembly/assembly.h"
#include "../../runtime/spmv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void destroy_spmv(void *spmv)
{
  wisp_spmv_destroy(spmv);
}

/* The matrix' own pattern, a number a place. */
static wisp_status multiply(wisp_error *err, wisp_device *device, const wisp_pattern *p, wisp_precision precision,
                            wisp_spmv_format method, wisp_yardstick *out)
{
  const wisp_block_rows pattern = {1, p->rows, p->rows, p->start, p->column};
  OWNED(wisp_spmv_destroy) wisp_spmv *spmv = NULL;
  double error = NAN;
  CALL(wisp_spmv_create(err, device, &pattern, precision, method, &spmv));
  CALL(wisp_spmv_error(err, spmv, &pattern, &error));
  *out = (wisp_yardstick){.run = wisp_spmv_run, .destroy = destroy_spmv, .context = spmv, .error = error};
  snprintf(out->name, sizeof out->name, "%s", wisp_spmv_name(spmv));
  spmv = NULL;
  return WISP_OK;
}

wisp_status wisp_assembly_rivals(wisp_error *err, wisp_device *device, const wisp_problem *problem,
                                 const wisp_spec *spec, const wisp_left_out *left_out, wisp_yardstick *more, int *count)
{
  const wisp_assembly *s = problem->d.self;
  for (wisp_spmv_format method = WISP_SPMV_NUMBERS;
       method <= WISP_SPMV_ORDERED && strcmp(spec->kernel, "multiply") == 0; method++) {
    wisp_error why = {.text = ""};
    const wisp_status status = multiply(&why, device, s->pattern, spec->precision, method, &more[*count]);
    if (status == WISP_OK) *count += 1;
    if (status == WISP_EDEVICE) left_out->report(left_out->context, why.text);
    CALL(wisp_require(err, status == WISP_OK || status == WISP_EDEVICE || status == WISP_EREFUSED, status, "%s",
                      why.text));
  }
  return WISP_OK;
}
