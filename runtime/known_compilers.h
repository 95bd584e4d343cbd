/* The compilers whose kernels lie in the cache, the latest first: a machine without one, such as a cluster's node, runs
 * what was compiled elsewhere for the same processor with the same options. */
#pragma once

#include "cache_folder.h"
#include "device_kind.h"

/* The kind's options for a target; "" where it has none. */
wisp_status wisp_compiler_options(wisp_error *err, const wisp_device_kind *kind, const char *target, wisp_text *out);

/* Which compiler is here, by this function of the named kind; else the one that compiled last; else its error. */
typedef wisp_status wisp_compiler_of(wisp_error *err, const char *target, wisp_text *out);
wisp_status wisp_known_compiler(wisp_error *err, const char *kind, wisp_compiler_of *compiler, const char *target,
                                wisp_text *out);

/* wisp_compile by a kind's compiler. */
wisp_status wisp_compile_by(wisp_error *err, const wisp_device_kind *kind, const char *target, const char *name,
                            const char *source, wisp_binary *out);
