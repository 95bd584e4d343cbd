/* Named arrays on a device, in one precision, with guard zones around each. A problem is a list of them (problem.h). */
#pragma once

#include "kernel.h"

typedef struct wisp_array {
  const char *name; /* a constant: it is kept */
  wisp_number_type type;
  size_t size; /* numbers; 0 is fine */
  bool wide;   /* kernels on a GPU address it in 64 bits, not in 31 */
} wisp_array;

typedef struct wisp_arrays wisp_arrays;

/* WISP_EUSAGE where a GPU with these limits cannot count the numbers of an array, in 31 bits unless it is wide. */
wisp_status wisp_arrays_countable(wisp_error *err, const wisp_limits *limits, const char *what, const wisp_array *list,
                                  size_t count);

/* guard: numbers before and after each array; narrow for kernels that are known to be right. */
enum { WISP_MAX_ARRAYS = 64, WISP_NARROW_GUARD = 256, WISP_WIDE_GUARD = 102400 };

/* Whether such arrays fit a device with these limits. WISP_EMEMORY says how much `what` ("a problem of 157 elements")
 * needs and how much there is, WISP_EUSAGE which array is too long for kernels to count, or that there are more than
 * WISP_MAX_ARRAYS. beside: bytes that the host needs besides, which count where it is the device. */
wisp_status wisp_arrays_fit(wisp_error *err, const wisp_limits *limits, wisp_precision precision, const char *what,
                            size_t guard, const wisp_array *list, size_t count, double beside);

/* All zero. device is borrowed. Errors of wisp_arrays_fit. */
wisp_status wisp_arrays_create(wisp_error *err, wisp_device *device, wisp_precision precision, const char *what,
                               size_t guard, const wisp_array *list, size_t count, wisp_arrays **out);
/* Moves the arrays, to lie as a program's may (wisp.h): each begins 16, 32 or 48 bytes behind a multiple of 64, in
 * three turns once each, and not all begin alike. Their addresses of before are no longer valid. */
enum { WISP_ALIGNMENT = 16, WISP_LINE = 64 };
wisp_status wisp_arrays_shift(wisp_error *err, wisp_arrays *arrays, size_t turn);
/* Exchanges the memory of a's arrays with that of b's shorter ones of the same names, with whatever lies there: b's are
 * then at a's addresses, and a's must not be used until a second exchange. */
void wisp_arrays_exchange(wisp_arrays *a, wisp_arrays *b);
void wisp_arrays_destroy(wisp_arrays *arrays);
WISP_OWNED(wisp_arrays, wisp_arrays_destroy)

size_t wisp_arrays_bytes(const wisp_arrays *arrays);                       /* of device memory, guard zones included */
size_t wisp_arrays_size(const wisp_arrays *arrays, const char *array);     /* numbers; 0 for an unknown name */
size_t wisp_arrays_bytes_of(const wisp_arrays *arrays, const char *array); /* of its numbers, no guards */

/* Moves an array of reals between the host (double) and the device (its precision, or float): all of it, or `count`
 * numbers from number `from` on. WISP_EUSAGE where there is no such array of reals, or the part is not within it. */
wisp_status wisp_arrays_upload(wisp_error *err, wisp_arrays *arrays, const char *array, const double *values);
wisp_status wisp_arrays_upload_part(wisp_error *err, wisp_arrays *arrays, const char *array, size_t from, size_t count,
                                    const double *values);
wisp_status wisp_arrays_download(wisp_error *err, wisp_arrays *arrays, const char *array, double *values);
wisp_status wisp_arrays_download_part(wisp_error *err, wisp_arrays *arrays, const char *array, size_t from,
                                      size_t count, double *values);
wisp_status wisp_arrays_fill(wisp_error *err, wisp_arrays *arrays, const char *array,
                             unsigned char byte); /* 0xff: NaN */
/* Fills an array of reals with these numbers, count >= 1, over and over. */
wisp_status wisp_arrays_repeat(wisp_error *err, wisp_arrays *arrays, const char *array, size_t count,
                               const double *values);
/* Likewise of integers, of whatever width: WISP_EUSAGE names the first that does not fit. */
wisp_status wisp_arrays_upload_ints(wisp_error *err, wisp_arrays *arrays, const char *array, const int *values);
wisp_status wisp_arrays_upload_bytes(wisp_error *err, wisp_arrays *arrays, const char *array,
                                     const unsigned char *values); /* of integers of 8 bits */
wisp_status wisp_arrays_download_ints(wisp_error *err, wisp_arrays *arrays, const char *array, int *values);

/* The device address of an array's first number, until it is swapped; 0 for an unknown name. */
wisp_pointer wisp_arrays_at(const wisp_arrays *arrays, const char *array);

/* Waits for the launches. False, and the array's name, where a guard zone was overwritten; it is made whole again. */
wisp_status wisp_arrays_guards(wisp_error *err, wisp_arrays *arrays, bool *intact, char array[32]);

/* A copy of the arrays on the device: of all, or of those in a list that ends with NULL. *out: NULL, or an earlier
 * copy, which the caller frees, also after a failure. It serves any set of arrays that is made alike. */
typedef struct wisp_kept wisp_kept;
wisp_status wisp_arrays_keep(wisp_error *err, wisp_arrays *arrays, const char *const *names, wisp_kept **out);
void wisp_kept_free(wisp_kept *kept);
WISP_OWNED(wisp_kept, wisp_kept_free)
/* Enqueues copying it back: all, or those in a list. */
wisp_status wisp_arrays_restore(wisp_error *err, wisp_arrays *arrays, const wisp_kept *kept, const char *const *names);
/* Waits. The first array, but for those in `except`, that differs from its copy in a bit, and where; empty: none. */
wisp_status wisp_arrays_changed(wisp_error *err, wisp_arrays *arrays, const wisp_kept *kept, const char *const *except,
                                char array[32], size_t *number);
/* Keeps these numbers in place of some of an array, or of all: their positions there, which ascend, and their sizes. */
typedef struct wisp_some_numbers {
  size_t count;
  const uint64_t *positions;
  const double *values;
  const float *sizes;
} wisp_some_numbers;
wisp_status wisp_arrays_keep_some(wisp_error *err, wisp_arrays *arrays, const char *array,
                                  const wisp_some_numbers *some, wisp_kept **out);
size_t wisp_kept_bytes(const wisp_kept *kept); /* of device memory */
/* Compares arrays with their copies, within bound, or bound times each number's size where sizes were kept: enqueued
 * between begin and end, which waits and names the first number that was farther off. mask: a byte a number on the
 * device, 0 for those that are not compared; 0: all are. */
wisp_status wisp_arrays_compare_begin(wisp_error *err, wisp_arrays *arrays);
wisp_status wisp_arrays_compare(wisp_error *err, wisp_arrays *arrays, const wisp_kept *kept, wisp_pointer mask,
                                const char *array, double bound);
wisp_status wisp_arrays_compare_end(wisp_error *err, wisp_arrays *arrays, char array[32], size_t *number);

/* Lets two arrays of one size change places (their addresses). */
void wisp_arrays_swap(wisp_arrays *arrays, const char *one, const char *other);

/* Launches a kernel on the arrays by their names, with these bindings besides: scalars, counts, aliases of arrays. */
wisp_status wisp_arrays_launch(wisp_error *err, wisp_arrays *arrays, const wisp_kernel *kernel,
                               const wisp_binding *others, size_t count);
