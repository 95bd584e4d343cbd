/* Kernels that are no candidates, of solvers and of what is measured of a device: one text each,
 * templates/FOLDER/NAME.k, written in regions as candidates' are and put into the device's dialect. Above its text, up
 * to an empty line, stand comments, and lines
 *
 *     block  THREADS
 *     shared TYPE NAME COUNT
 *     arg    in|out|inout|alias|value TYPE NAME
 *
 * alias: an array that another argument may be as well. TYPE: real, vec (16 bytes of these), double, int, int64,
 * uint32. Parts are templates/solve/NAME.part. */
#pragma once

#include "../spec.h"
#include "../text.h"

/* The source of the kernel wisp_NAME in a dialect, behind these lines; name: "FOLDER/NAME". gpu: it is a GPU's. */
wisp_status wisp_dialect_source(wisp_error *err, const char *name, wisp_precision precision, const char *lines,
                                const char *dialect, bool gpu, wisp_text *out, size_t *shared_bytes);
