/* Claim: a device's measured ceilings are those of a machine (copying is faster than a disk and slower than a cache,
 * single precision is not slower than double by much), and are remembered. */
#include "test.h"
#include "device_checks.h"

/* Could they be those of one machine? */
static bool hang_together(const wisp_ceilings *c)
{
  return c->copy_gbps > 0.5 && c->copy_gbps < 50000 && c->fma_gflops_f64 > 0.05 &&
         c->fma_gflops_f32 > 0.5 * c->fma_gflops_f64 && c->fill_gbps > 0.2 * c->copy_gbps &&
         c->fill_gbps < 8 * c->copy_gbps && c->add_gops_f32 > 1e-4 && c->add_gops_f64 > 1e-4 &&
         c->add_gops_f64 < c->fill_gbps;
}

/* Measured anew; once more where others were busy during a part of it. */
static void measure(const char *name, wisp_device **device, wisp_ceilings *out)
{
  enum { TIMES = 10 };
  for (int i = 0; i < TIMES; i++) {
    const double start = clock_now();
    fresh_cache();
    GOOD(wisp_device_open(err, name, device));
    GOOD(wisp_device_ceilings(err, *device, out));
    print_message("%s: copy %.1f GB/s, fill %.1f, FMA %.0f GFLOP/s f32, %.0f f64, measured in %.2f s\n",
                  wisp_device_limits(*device)->name, out->copy_gbps, out->fill_gbps, out->fma_gflops_f32,
                  out->fma_gflops_f64, clock_now() - start);
    if (hang_together(out)) return;
    wisp_device_close(*device);
  }
  fail_msg("none of %d measurements is one machine's", TIMES);
}

TEST(ceilings_are_a_machines)
{
  OWNED(wisp_device_close) wisp_device *device = NULL;
  wisp_ceilings first = {0}, repeated = {0}, reopened = {0};
  const char *set = getenv("WISP_TEST_DEVICE"), *name = set ? set : "host";
  measure(name, &device, &first);
  GOOD(wisp_device_ceilings(err, device, &repeated));
  assert_memory_equal(&first, &repeated, sizeof first);
  wisp_device_close(device);

  /* Another process reads them from disk: the same to the last bit, which no second measurement would be. */
  GOOD(wisp_device_open(err, name, &device));
  GOOD(wisp_device_ceilings(err, device, &reopened));
  assert_memory_equal(&first, &reopened, sizeof first);
}

GROUP(NULL, drop_cache)
