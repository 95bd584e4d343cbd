/* A plan's source is compiled for a target, loaded, and launched with arguments bound by name. */
#include "kernel.h"

#include <limits.h>

wisp_target wisp_limits_target(const wisp_limits *limits)
{
  return (wisp_target){.gpu = limits->gpu,
                       .sm = limits->sm,
                       .units = limits->units,
                       .max_threads = limits->max_threads,
                       .max_shared = limits->max_shared,
                       .shared_per_unit = limits->shared_per_unit,
                       .registers_per_unit = limits->registers_per_unit};
}

wisp_status wisp_plan_compile(wisp_error *err, const wisp_plan *plan, const char *target, wisp_binary *out)
{
  HELD(wisp_text_free) wisp_text source = {0};
  CALL(wisp_plan_source(err, plan, wisp_target_dialect(target), &source));
  return wisp_compile(err, target, plan->symbol, source.data, out);
}

wisp_status wisp_plan_pack(wisp_error *err, const wisp_plan *plan, int i, void **data, size_t *bytes)
{
  size_t count = 0;
  double *reals = NULL;
  int *ints = NULL;
  CALL(wisp_plan_operand(err, plan, i, &count, &reals, &ints));
  /* In place: doubles become the plan's reals, front first, so that none is overwritten before it is read. */
  for (size_t r = 0; reals && plan->spec.precision == WISP_F32 && r < count; r++) {
    const float value = (float)reals[r];
    memcpy((char *)reals + r * sizeof value, &value, sizeof value);
  }
  *bytes = count * (reals ? (size_t)plan->spec.precision : sizeof *ints);
  *data = reals ? (void *)reals : ints;
  return WISP_OK;
}

wisp_status wisp_kernel_create(wisp_error *err, wisp_device *device, const wisp_plan *plan, const wisp_binary *binary,
                               wisp_kernel **out)
{
  OWNED(wisp_kernel_destroy) wisp_kernel *kernel = NULL;
  const wisp_family *family = wisp_family_find(plan->spec.family);
  int64_t cluster = 1;
  CALL(wisp_new(err, 1, sizeof *kernel, &kernel));
  kernel->device = device;
  kernel->plan = plan;
  kernel->args = plan->strategy->args;
  kernel->arg = plan->strategy->arg;
  CALL(wisp_module_load(err, device, binary, plan->symbol, plan->shared, &kernel->module));
  if (wisp_env_get_int(plan->env, "cluster", &cluster) && cluster > 1)
    CALL(wisp_module_cluster(err, kernel->module, (int)cluster));
  for (int i = 0; i < kernel->args; i++) {
    size_t bytes = 0;
    OWNED(free) void *data = NULL;
    if (kernel->arg[i].kind == WISP_ARG_VALUE) kernel->scalar[i] = wisp_family_scalar(family, kernel->arg[i].name);
    if (kernel->arg[i].kind != WISP_ARG_OPERAND) continue;
    CALL(wisp_plan_pack(err, plan, i, &data, &bytes));
    CALL(wisp_device_alloc(err, device, bytes, &kernel->operand[i]));
    CALL(wisp_device_upload(err, device, kernel->operand[i], data, bytes));
  }
  return GIVE(kernel, out);
}

void wisp_kernel_unload(wisp_kernel *kernel)
{
  for (int i = 0; i < kernel->args; i++)
    if (kernel->operand[i]) wisp_device_free(kernel->device, kernel->operand[i]);
  wisp_module_unload(kernel->module);
  kernel->args = 0;
  kernel->module = NULL;
}

void wisp_kernel_destroy(wisp_kernel *kernel)
{
  if (kernel) wisp_kernel_unload(kernel);
  free(kernel);
}

/* NaN is outside every range. */
static wisp_status check_range(wisp_error *err, const wisp_kernel *kernel, int i, double value)
{
  const wisp_scalar_decl *s = kernel->scalar[i];
  if (!s || !s->passed.count || (value >= s->passed.least && value <= s->passed.most)) return WISP_OK;
  return wisp_fail(err, WISP_EUSAGE,
                   "argument %s: %g is outside the range that kernels are verified for, %g to %g (%s)", s->name, value,
                   s->passed.least, s->passed.most, s->meaning);
}

wisp_status wisp_passed_scalar(wisp_error *err, const wisp_kernel *kernel, int i, double value, wisp_passed *out)
{
  const wisp_arg *arg = &kernel->arg[i];
  if (arg->type == WISP_INT && !(value >= INT_MIN && value <= INT_MAX))
    return wisp_fail(err, WISP_EUSAGE, "argument %s: %g does not fit an int", arg->name, value);
  CALL(check_range(err, kernel, i, value));
  if (arg->type == WISP_INT)
    out->integer = (int)value;
  else if (kernel->plan->spec.precision == WISP_F32)
    out->single = (float)value;
  else
    out->real = value;
  return WISP_OK;
}

static wisp_status bind_argument(wisp_error *err, const wisp_kernel *kernel, int i, const wisp_binding *bindings,
                                 size_t count, wisp_passed *out)
{
  const wisp_arg *arg = &kernel->arg[i];
  out->pointer = kernel->operand[i];
  if (arg->kind == WISP_ARG_OPERAND) return WISP_OK;
  for (size_t b = 0; b < count; b++) {
    if (strcmp(bindings[b].name, arg->name) != 0) continue;
    out->pointer = bindings[b].pointer;
    if (arg->kind != WISP_ARG_VALUE) return WISP_OK;
    return wisp_passed_scalar(err, kernel, i, bindings[b].value, out);
  }
  return wisp_fail(err, WISP_EUSAGE, "%s (%s): nothing is bound to its argument '%s'", kernel->plan->symbol,
                   kernel->plan->strategy->name, arg->name);
}

wisp_status wisp_kernel_run(wisp_error *err, const wisp_kernel *kernel, const wisp_binding *bindings, size_t count)
{
  wisp_passed values[WISP_MAX_ARGS] = {{0}};
  void *args[WISP_MAX_ARGS];
  wisp_count counts[WISP_MAX_BINDINGS + 1]; /* the bindings that are whole numbers: a grid is made of them */
  size_t n = 0;
  unsigned grid[2] = {1, 1};
  CALL(wisp_require(err, count <= WISP_MAX_BINDINGS, WISP_EUSAGE, "%zu bindings, must be at most %d", count,
                    WISP_MAX_BINDINGS));
  for (int i = 0; i < kernel->args; i++) {
    CALL(bind_argument(err, kernel, i, bindings, count, &values[i]));
    args[i] = &values[i];
  }
  for (size_t i = 0; i < count; i++)
    if (!bindings[i].pointer && bindings[i].value >= 0 && bindings[i].value < 0x1p53)
      counts[n++] = (wisp_count){bindings[i].name, (size_t)bindings[i].value};
  counts[n].name = NULL;
  CALL(wisp_plan_grid(err, kernel->plan, counts, grid));
  return wisp_launch(err, kernel->module, NULL, grid, kernel->plan->block, args, kernel->args);
}

int wisp_kernel_blocks(const wisp_kernel *kernel)
{
  unsigned grid[2] = {1, 1};
  if (kernel) wisp_plan_grid(NULL, kernel->plan, NULL, grid);
  return (int)grid[0];
}
