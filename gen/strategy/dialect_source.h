/* Kernels of solvers and of measurements of a device: templates/FOLDER/NAME.k (docs/reference/spaces.md). */
#pragma once

#include "../language/expr.h"
#include "../spec.h"

/* The source of the kernel wisp_NAME in a dialect, behind these lines; name: "FOLDER/NAME". gpu: it is a GPU's. */
wisp_status wisp_dialect_source(wisp_error *err, const char *name, wisp_precision precision, const char *lines,
                                const char *dialect, bool gpu, wisp_text *out, size_t *shared_bytes);

/* ---- Names of a dialect's wrapper, for sources of all kinds. */

wisp_status wisp_source_argument(wisp_error *err, wisp_env *env, const char *name, const char *type, bool value,
                                 bool constant);
wisp_status wisp_source_shared(wisp_error *err, wisp_env *env, const char *name, const char *type, int64_t count,
                               size_t offset);
/* Pairs of a name and its text; the block's size; the bytes of shared memory. */
wisp_status wisp_source_texts(wisp_error *err, wisp_env *env, size_t count, const char *const (*texts)[2],
                              const unsigned block[3], size_t shared);
