/* The arrays of test cases as they lie on a device, kept for the next candidates. */
#pragma once

#include "problems.h"
#include "workload.h"

/* A case's data in one layout: the arrays that differ from case to case; or, of the number -1, all others, which are
 * the same for all cases of a kernel. */
typedef struct wisp_example {
  wisp_setting of;
  int number;
  uint64_t seed;
  unsigned long long used;
  wisp_kept *before;
} wisp_example;

/* Those of one workload on one mesh. Empty: all zeros. As many are kept as a layout's cases need, and beyond it while
 * they take less than WISP_EXAMPLE_BYTES of device memory. */
enum { WISP_MOST_EXAMPLES = 640, WISP_FEWEST_EXAMPLES = 48, WISP_EXAMPLE_BYTES = 1 << 27 };
typedef struct wisp_example_cache {
  unsigned long long clock;
  size_t bytes;
  int count;
  wisp_example *list;
} wisp_example_cache;

void wisp_example_cache_clear(wisp_example_cache *cache);

/* Finds what the arrays of a problem must hold before a launch of this case: those with numbers of it; or (of_all) the
 * others, of which those of reals that the kernel does not read are NaN. Made, which changes the arrays, where it is
 * not kept. Valid until as many others were asked for. */
wisp_status wisp_example_find(wisp_error *err, wisp_example_cache *cache, const wisp_plan *plan, wisp_problem *problem,
                              const wisp_test_case *test_case, bool of_all, const wisp_kept **out);
