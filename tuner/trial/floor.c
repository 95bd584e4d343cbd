#include "floor.h"

/* In 10^9 operations a second; 0: it is not known. */
static double peak_of(const wisp_ceilings *ceilings, wisp_exec_unit unit, wisp_precision precision)
{
  if (unit != WISP_UNIT_FMA) return 0;
  return precision == WISP_F32 ? ceilings->fma_gflops_f32 : ceilings->fma_gflops_f64;
}

static void raise(wisp_floor *floor, double ms, const char *by)
{
  if (!(ms > floor->ms)) return;
  floor->ms = ms;
  floor->by = by;
}

wisp_status wisp_floor_find(wisp_error *err, const wisp_ceilings *ceilings, const wisp_spec *spec,
                            const wisp_work *work, double elements, const wisp_plan *plan, wisp_floor *out)
{
  const double gbps = work->no_read ? ceilings->fill_gbps : ceilings->copy_gbps;
  const double adds = spec->precision == WISP_F32 ? ceilings->add_gops_f32 : ceilings->add_gops_f64;
  wisp_floor floor = {.bytes_ms = work->bytes / gbps / 1e6, .by = "bytes"};
  floor.ms = floor.bytes_ms;
  raise(&floor, work->adds / adds / 1e6, "adds");
  for (int u = 0; plan && u < WISP_UNITS; u++) {
    const double peak = peak_of(ceilings, (wisp_exec_unit)u, spec->precision);
    double executed = 0;
    CALL(wisp_plan_executed(err, plan, (wisp_exec_unit)u, elements, work->flops, &executed));
    if (peak > 0) raise(&floor, executed / peak / 1e6, wisp_unit_names[u]);
  }
  *out = floor;
  return WISP_OK;
}
