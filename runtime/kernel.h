/* A plan made runnable: binary, loaded module, operand arrays on the device; arguments are bound by name. */
#pragma once

#include "../gen/family.h"
#include "device.h"

/* The limits of a device that templates and spaces see. */
wisp_target wisp_limits_target(const wisp_limits *limits);

/* Source and binary of a plan for a target (dialect: host for "host", cuda for sm_*). Thread-safe. */
wisp_status wisp_plan_compile(wisp_error *err, const wisp_plan *plan, const char *target, wisp_binary *out);

/* The plan's operand argument i as it lies on a device, in the plan's precision. Caller frees *data. */
wisp_status wisp_plan_pack(wisp_error *err, const wisp_plan *plan, int i, void **data, size_t *bytes);

struct wisp_kernel {
  wisp_device *device;
  const wisp_plan *plan;
  wisp_module *module;
  int args;
  const wisp_arg *arg;
  const wisp_scalar_decl *scalar[WISP_MAX_ARGS]; /* its declaration; NULL: it has none, or is an array */
  wisp_pointer operand[WISP_MAX_ARGS];           /* 0 where the argument is no operand */
  struct wisp_opened *opened;                    /* what the interface knows of it; NULL: it was not opened there */
};

/* plan is borrowed and must outlive the kernel; binary is not kept. Uploads operands in the plan's precision. */
wisp_status wisp_kernel_create(wisp_error *err, wisp_device *device, const wisp_plan *plan, const wisp_binary *binary,
                               wisp_kernel **out);
void wisp_kernel_destroy(wisp_kernel *kernel);
WISP_OWNED(wisp_kernel, wisp_kernel_destroy)

/* Gives back what it has on the device, and leaves it empty. */
void wisp_kernel_unload(wisp_kernel *kernel);

/* The value of one argument, in the type that the kernel takes it in; 8 bytes, as wisp_launch wants them. */
typedef union wisp_passed {
  wisp_pointer pointer;
  int integer;
  float single;
  double real;
} wisp_passed;

/* A scalar as argument i takes it. WISP_EUSAGE where the argument's type is too narrow for it, or it is outside the
 * range that its family declares. */
wisp_status wisp_passed_scalar(wisp_error *err, const wisp_kernel *kernel, int i, double value, wisp_passed *out);

/* The value of an argument name: an array's address, or a scalar (which is converted to the argument's type). */
typedef struct wisp_binding {
  const char *name;
  wisp_pointer pointer;
  double value;
} wisp_binding;

/* One launch. A missing binding, or count of the grid, is an error that names it. The first of one name counts. */
enum { WISP_MAX_BINDINGS = 128 };
wisp_status wisp_kernel_run(wisp_error *err, const wisp_kernel *kernel, const wisp_binding *bindings, size_t count);

/* Blocks of its launches, of which each leaves a part of a sum; 1 where it is NULL, or they follow from counts. */
int wisp_kernel_blocks(const wisp_kernel *kernel);
