/* Comparing arrays where they lie, by a kernel of this library's own (templates/checks): what a launch must have left
 * as it was, or must have made again, without moving it to the host. */
#ifndef WISP_COMPARER_H
#define WISP_COMPARER_H

#include "device.h"

typedef struct wisp_comparer wisp_comparer;

/* device is borrowed. Kernels are compiled and loaded at first need. */
wisp_status wisp_comparer_create(wisp_error *err, wisp_device *device, wisp_comparer **out);
void wisp_comparer_destroy(wisp_comparer *comparer);
WISP_OWNED(wisp_comparer, wisp_comparer_destroy)

/* What is compared: numbers of 4, 1 and 2 bytes by their bits, floats or doubles by their values. */
typedef enum wisp_compared {
  WISP_COMPARE_BITS,
  WISP_COMPARE_BYTES,
  WISP_COMPARE_SHORTS,
  WISP_COMPARE_FLOATS,
  WISP_COMPARE_DOUBLES,
  WISP_COMPARE_KINDS
} wisp_compared;

/* One comparison of `count` numbers at a with those at b, or each with the one number there. */
typedef struct wisp_comparison {
  wisp_compared what;
  wisp_pointer a, b;
  bool one;          /* b is one number */
  wisp_pointer mask; /* a byte a number, 0: not compared; 0: all are */
  size_t count;
  double bound; /* of |a - b|; NaN is as far from numbers as can be. Bits are equal or not. */
} wisp_comparison;

/* Forgets what was found. */
enum { WISP_COMPARISONS = 128 };
wisp_status wisp_comparer_begin(wisp_error *err, wisp_comparer *comparer);
/* Enqueues a comparison, whose result goes to `place`, below WISP_COMPARISONS: several may share one. */
wisp_status wisp_comparer_add(wisp_error *err, wisp_comparer *comparer, size_t place,
                              const wisp_comparison *comparison);
/* Waits. first[place]: the first number that differs, of all comparisons that share the place; WISP_SAME: none. */
#define WISP_SAME UINT64_MAX
wisp_status wisp_comparer_end(wisp_error *err, wisp_comparer *comparer, uint64_t first[WISP_COMPARISONS]);

#endif
