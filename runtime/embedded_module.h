/* Kernels that are no candidates: one plain text for each kind of device, templates/FOLDER/NAME.KIND.k. */
#ifndef WISP_EMBEDDED_MODULE_H
#define WISP_EMBEDDED_MODULE_H

#include "device.h"

/* Loads the kernel wisp_NAME, with `real` in its text meaning the type given. */
wisp_status wisp_embedded_module(wisp_error *err, wisp_device *device, const char *folder, const char *name,
                                 const char *real, wisp_module **out);

#endif
