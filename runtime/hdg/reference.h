/* References of the hdg family's kernels, in double: elements by LAPACK. */
#pragma once

#include "../test_case.h"

enum { WISP_HDG_ITERATIONS = 16 }; /* that history has room for */

/* Leaves what the round's kernel must. */
wisp_status wisp_hdg_reference(wisp_error *err, wisp_test_case *test_case);
