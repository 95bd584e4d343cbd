/* Vectors on a device times a number: y = factor x, and the sum of the squares of y. */
#pragma once

#include "../device.h"

typedef struct wisp_scaler wisp_scaler;

wisp_status wisp_scaler_create(wisp_error *err, wisp_device *device, wisp_precision precision, wisp_scaler **out);
void wisp_scaler_destroy(wisp_scaler *scaler); /* NULL is fine */
WISP_OWNED(wisp_scaler, wisp_scaler_destroy)

/* Enqueues it; from and to may be the same vector. squares (may be NULL): waits for the sum, in double. */
wisp_status wisp_scale(wisp_error *err, wisp_scaler *scaler, wisp_pointer from, wisp_pointer to, double factor,
                       size_t count, double *squares);
