/* What the hdg family's kernels must leave, in double: elements by LAPACK. */
#ifndef WISP_HDG_REFERENCE_H
#define WISP_HDG_REFERENCE_H

#include "../test_case.h"

enum { WISP_HDG_ITERATIONS = 16 }; /* that history has room for */

/* Leaves what the round's kernel must. */
wisp_status wisp_hdg_reference(wisp_error *err, wisp_test_case *test_case);

#endif
