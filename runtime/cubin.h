/* Facts of a CUBIN's code that the compiler does not report. */
#pragma once

#include <stddef.h>

/* Instructions that a warp issues from the one kernel's begin to its end; 0 where it has branches, which a count of the
 * code says nothing of, or there is not one kernel. Of sm_70 and later, whose instructions have 16 bytes. */
int wisp_cubin_issued(const char *data, size_t length);
