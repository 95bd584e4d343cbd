#include "scale.h"

enum { BLOCKS = 256, LANES = 256 };

struct wisp_scaler {
  wisp_device *device;
  wisp_module *module;
  wisp_pointer sums; /* of each block, in double */
};

wisp_status wisp_scaler_create(wisp_error *err, wisp_device *device, wisp_precision precision, wisp_scaler **out)
{
  OWNED(wisp_scaler_destroy) wisp_scaler *s = NULL;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  s->device = device;
  CALL(wisp_dialect_module(err, device, "solve/scale", precision, "", &s->module));
  CALL(wisp_device_alloc(err, device, BLOCKS * sizeof(double), &s->sums));
  return GIVE(s, out);
}

void wisp_scaler_destroy(wisp_scaler *s)
{
  if (!s) return;
  if (s->module) wisp_module_unload(s->module);
  if (s->sums) wisp_device_free(s->device, s->sums);
  free(s);
}

wisp_status wisp_scale(wisp_error *err, wisp_scaler *s, wisp_pointer from, wisp_pointer to, double factor, size_t count,
                       double *squares)
{
  const unsigned grid[2] = {BLOCKS, 1}, block[3] = {LANES, 1, 1};
  long long numbers = (long long)count;
  double parts[BLOCKS];
  void *args[] = {&from, &to, &factor, &s->sums, &numbers};
  CALL(wisp_launch(err, s->module, NULL, grid, block, args, WISP_COUNT(args)));
  if (!squares) return WISP_OK;
  CALL(wisp_device_download(err, s->device, parts, s->sums, sizeof parts));
  *squares = 0;
  for (int i = 0; i < BLOCKS; i++) *squares += parts[i];
  return WISP_OK;
}
