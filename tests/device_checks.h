/* The contract of every kind of device, as one list of checks over the device that a test opened. */
#pragma once

#include "../runtime/device.h"

/* y += a x over n values, as kernel text for a kind of device. Its symbol is wisp_axpy; its arguments n (int), a
 * (double), x, y; a block is 128 values wide. */
const char *axpy_source(const char *kind);

/* The kernel text of the loops that are checked, wisp_count. */
const char *count_source(const char *kind);

/* Runs them all with cmocka's asserts. */
void check_device(wisp_device *device);

/* The same of a device that is made of this GPU's context and stream; both are there as before when that is closed. */
void check_adopted(wisp_device *gpu);

/* Compiles in eight threads at once, beginning with an empty cache: one(number), with 0 to 7, must hold in each. */
void check_threads(bool (*one)(int number));

/* Points $WISP_CACHE_DIR at a fresh folder, so that nothing is found there; gives its path. The folder goes with the
 * next one, and with drop_cache at the end (a cmocka teardown). */
const char *fresh_cache(void);
int drop_cache(void **state);
