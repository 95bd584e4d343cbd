/* The compilers whose kernels lie in the cache, the latest first: a machine without one, such as a cluster's node, runs
 * what was compiled elsewhere for the same processor with the same options. */
#ifndef WISP_KNOWN_COMPILERS_H
#define WISP_KNOWN_COMPILERS_H

#include "cache_folder.h"
#include "device_kind.h"

/* The kind's options for a target; "" where it has none. */
wisp_status wisp_compiler_options(wisp_error *err, const wisp_device_kind *kind, const char *target, wisp_text *out);

/* Which compiler is here, else the one that compiled last. The error is the kind's own where there is neither. */
wisp_status wisp_known_compiler(wisp_error *err, const wisp_device_kind *kind, const char *target, wisp_text *out);

/* A kernel's entry, by the key of which its compiler would be the last text, of whichever of them compiled it last. */
bool wisp_known_binary(const wisp_device_kind *kind, const wisp_cache_key *key, wisp_binary *out);

/* Puts a compiler in the first place. */
void wisp_remember_compiler(const wisp_device_kind *kind, const char *compiler);

#endif
