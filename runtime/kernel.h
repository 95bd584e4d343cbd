/* A plan made runnable: source, binary, loaded module, operand arrays on the device; launched with arguments bound by
 * name. */
#ifndef WISP_KERNEL_H
#define WISP_KERNEL_H

#include "../gen/family.h"
#include "device.h"

/* What templates and spaces see of a device. */
wisp_target wisp_limits_target(const wisp_limits *limits);

/* Source and binary of a plan for a target (dialect: host for "host", cuda for sm_*). Thread-safe. */
wisp_status wisp_plan_compile(wisp_error *err, const wisp_plan *plan, const char *target, wisp_binary *out);

/* The plan's operand argument i as it lies on a device, in the plan's precision. Caller frees *data. */
wisp_status wisp_plan_pack(wisp_error *err, const wisp_plan *plan, int i, void **data, size_t *bytes);

/* plan is borrowed and must outlive the kernel; binary is not kept. Uploads operands in the plan's precision. */
wisp_status wisp_kernel_create(wisp_error *err, wisp_device *device, const wisp_plan *plan, const wisp_binary *binary,
                               wisp_kernel **out);
void wisp_kernel_destroy(wisp_kernel *kernel);
WISP_OWNED(wisp_kernel, wisp_kernel_destroy)
const wisp_plan *wisp_kernel_plan(const wisp_kernel *kernel);

/* What an argument name stands for: an array's address, or a scalar (values are converted to the argument's type). */
typedef struct wisp_binding {
  const char *name;
  wisp_pointer pointer;
  double value;
} wisp_binding;

/* One launch. An argument without a binding is an error that names it, as is a count that the grid asks for. Of several
 * with one name the first counts. */
enum { WISP_MAX_BINDINGS = 96 };
wisp_status wisp_kernel_run(wisp_error *err, const wisp_kernel *kernel, const wisp_binding *bindings, size_t count);

#endif
