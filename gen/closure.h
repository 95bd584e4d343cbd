/* What a kernel is made from, as a number: while it stays the same, so does the kernel's source, and what was measured
 * of it counts. */
#ifndef WISP_CLOSURE_H
#define WISP_CLOSURE_H

#include "check.h"
#include "embedded.h"

#include <stdint.h>

/* A hash over a strategy's space and text, the dialects, and the parts of its family that any of these inserts
 * ({{>name}}), itself or through other parts, whether or not the branch is taken. files: what travels inside the
 * library. A part that is not among them is no error here but the expander's, when it gets there. */
wisp_status wisp_closure_hash(wisp_error *err, const wisp_embedded *files, size_t count, const char *family,
                              const char *space, const char *text, uint64_t *hash);

/* Such a hash with a system's text added; as it was where no file describes a system of that name. */
uint64_t wisp_closure_add_system(uint64_t hash, const wisp_embedded *files, size_t count, const char *system);

#endif
