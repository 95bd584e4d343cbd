/* Inside a kernel: what kernel.c makes and launches by names, and the public door (door/kernel.c) binds once. */
#ifndef WISP_KERNEL_PARTS_H
#define WISP_KERNEL_PARTS_H

#include "kernel.h"

struct wisp_kernel {
  wisp_device *device;
  const wisp_plan *plan;
  wisp_module *module;
  int args;
  const wisp_arg *arg;
  wisp_pointer operand[WISP_MAX_ARGS]; /* 0 where the argument is no operand */
  struct wisp_opened *opened;          /* what the door knows of it; NULL: it was not opened there */
};

/* Gives back what it has on the device, and leaves it empty. */
void wisp_kernel_unload(wisp_kernel *kernel);

/* The value of one argument, in the type that the kernel takes it in; 8 bytes, as wisp_launch wants them. */
typedef union wisp_passed {
  wisp_pointer pointer;
  int integer;
  float single;
  double real;
} wisp_passed;

/* A scalar as the argument takes it. WISP_EUSAGE where an int is too narrow for it. */
wisp_status wisp_passed_scalar(wisp_error *err, const wisp_arg *arg, double value, wisp_precision precision,
                               wisp_passed *out);

#endif
