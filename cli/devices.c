/* wisp devices: what is here, with measured ceilings. */
#include "cli.h"
#include "print.h"

static void print_text(const char *name, const wisp_limits *l, const wisp_ceilings *c)
{
  printf("%-8s %s\n", name, l->name);
  printf("  target %s, compiler %s%s%s\n", l->target, l->compiler, *l->driver ? ", driver " : "", l->driver);
  printf("  %d %s, %.1f GB, L2 %.1f MB; a block: to %d threads, %.0f KB shared memory\n", l->units,
         l->sm ? "multiprocessors" : "cores", (double)l->memory / 1e9, (double)l->l2 / 1e6, l->max_threads,
         l->max_shared / 1024.0);
  if (isnan(c->copy_gbps))
    printf("  copy bandwidth and peaks cannot be measured\n");
  else
    printf("  copy %.0f GB/s (read and written), f32 %.0f GFLOP/s, f64 %.0f GFLOP/s\n"
           "  fill %.0f GB/s, atomic additions f32 %.3g, f64 %.3g 10^9/s\n",
           c->copy_gbps, c->fma_gflops_f32, c->fma_gflops_f64, c->fill_gbps, c->add_gops_f32, c->add_gops_f64);
}

static cJSON *to_json(const char *name, const wisp_limits *l, const wisp_ceilings *c)
{
  const wisp_json_text texts[] = {{"device", name},      {"kind", l->kind},     {"name", l->name},
                                  {"target", l->target}, {"driver", l->driver}, {"compiler", l->compiler}};
  const wisp_json_number numbers[] = {{"sm", l->sm},
                                      {"units", l->units},
                                      {"max_threads", l->max_threads},
                                      {"max_shared", l->max_shared},
                                      {"shared_per_unit", l->shared_per_unit},
                                      {"registers_per_unit", l->registers_per_unit},
                                      {"l2", (double)l->l2},
                                      {"memory", (double)l->memory},
                                      {"copy_gbps", c->copy_gbps},
                                      {"fma_gflops_f32", c->fma_gflops_f32},
                                      {"fma_gflops_f64", c->fma_gflops_f64},
                                      {"fill_gbps", c->fill_gbps},
                                      {"add_gops_f32", c->add_gops_f32},
                                      {"add_gops_f64", c->add_gops_f64}};
  cJSON *object = cJSON_CreateObject();
  for (size_t i = 0; i < WISP_COUNT(texts); i++) cJSON_AddStringToObject(object, texts[i].name, texts[i].value);
  wisp_json_add_numbers(object, WISP_COUNT(numbers), numbers);
  return object;
}

/* A device that nothing can be measured on, for want of a compiler, is listed all the same. */
static wisp_status show(wisp_error *err, const char *name, cJSON *list)
{
  OWNED(wisp_device_close) wisp_device *device = NULL;
  wisp_ceilings ceilings = {0};
  CALL(wisp_device_open(err, name, &device));
  const wisp_status status = wisp_device_ceilings(err, device, &ceilings);
  if (status != WISP_OK) ceilings = (wisp_ceilings){NAN, NAN, NAN, NAN, NAN, NAN};
  if (list)
    cJSON_AddItemToArray(list, to_json(name, wisp_device_limits(device), &ceilings));
  else
    print_text(name, wisp_device_limits(device), &ceilings);
  return status;
}

/* All of them, also where one fails; the first failure is the command's. */
static wisp_status devices(wisp_error *err, wisp_arguments *args)
{
  wisp_status first = WISP_OK;
  HELD(wisp_text_free) wisp_text names = {0};
  char *rest = NULL;
  CALL(wisp_device_list(err, false, &names));
  cJSON *list = wisp_option_given(args, "json") ? cJSON_CreateArray() : NULL;
  for (char *name = strtok_r(names.data, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    const wisp_status status = show(first == WISP_OK ? err : NULL, name, list);
    if (first == WISP_OK) first = status;
  }
  if (list) wisp_json_put(NULL, list);
  return first;
}

const wisp_syntax wisp_devices_syntax = {.page = "devices", .act = devices};
