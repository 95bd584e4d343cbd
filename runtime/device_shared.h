/* Device memory that several processes of one machine have: one makes it, the others attach it by its handle. */
#pragma once

#include "device.h"

enum { WISP_HANDLE_BYTES = 64 };

/* Zero: there is none. */
typedef struct wisp_shared_memory {
  wisp_pointer at;
  size_t bytes;
  bool own; /* made here, not attached */
  unsigned char handle[WISP_HANDLE_BYTES];
} wisp_shared_memory;

/* Whether a device's kind can share memory. */
bool wisp_device_shares(const wisp_device *device);

/* Makes shared memory, all zero. It has no name, and is gone when the last process that has it ends. */
wisp_status wisp_device_share(wisp_error *err, wisp_device *device, size_t bytes, wisp_shared_memory *out);
/* Attaches another process's, by its handle. */
wisp_status wisp_device_attach(wisp_error *err, wisp_device *device, const unsigned char handle[WISP_HANDLE_BYTES],
                               size_t bytes, wisp_shared_memory *out);
/* Gives either back, and nothing where it is zero. */
void wisp_device_detach(wisp_device *device, wisp_shared_memory *shared);
