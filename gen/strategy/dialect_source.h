/* Kernels of solvers and of measurements of a device: templates/FOLDER/NAME.k (docs/reference/spaces.md). */
#pragma once

#include "../spec.h"
#include "../text.h"

/* The source of the kernel wisp_NAME in a dialect, behind these lines; name: "FOLDER/NAME". gpu: it is a GPU's. */
wisp_status wisp_dialect_source(wisp_error *err, const char *name, wisp_precision precision, const char *lines,
                                const char *dialect, bool gpu, wisp_text *out, size_t *shared_bytes);
