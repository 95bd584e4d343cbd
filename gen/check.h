/* The one way errors travel through wisp.
 *
 * A fallible function takes `wisp_error *err` first, and passes on what fails in it. One that holds nothing wraps every
 * fallible call in CALL, and returns there. One that has something to release declares `wisp_status status = WISP_OK;`,
 * wraps every fallible call in TRY, and ends with the label `done:` where it releases that and returns status:
 *
 *     wisp_status wisp_thing_create(wisp_error *err, int n, wisp_thing **out)
 *     {
 *       wisp_status status = WISP_OK;
 *       wisp_thing *thing = NULL;
 *       TRY(wisp_new(err, 1, sizeof *thing, &thing));
 *       TRY(wisp_require(err, n > 0, WISP_EUSAGE, "thing: n is %d, must be positive", n));
 *       *out = thing;
 *     done:
 *       if (status != WISP_OK) wisp_thing_destroy(thing);
 *       return status;
 *     }
 */
#ifndef WISP_CHECK_H
#define WISP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include "wisp.h"

/* How many entries an array of known size has. */
#define WISP_COUNT(array) (sizeof(array) / sizeof *(array))

#define CALL(call)                                  \
  do {                                              \
    const wisp_status call_status = (call);         \
    if (call_status != WISP_OK) return call_status; \
  } while (0)

#define TRY(call)                     \
  do {                                \
    status = (call);                  \
    if (status != WISP_OK) goto done; \
  } while (0)

/* Records a failure in err (which may be NULL) and returns its status. The text is one line, printf style. */
__attribute__((format(printf, 3, 4))) wisp_status wisp_fail(wisp_error *err, wisp_status status, const char *format,
                                                            ...);

/* WISP_OK where the condition holds, else wisp_fail with the rest. */
#define wisp_require(err, condition, ...) ((condition) ? WISP_OK : wisp_fail((err), __VA_ARGS__))

/* Prefixes the text already in err ("mesh.msh: " + text) and returns status unchanged. */
__attribute__((format(printf, 3, 4))) wisp_status wisp_context(wisp_error *err, wisp_status status, const char *format,
                                                               ...);

/* Zeroed memory for count items of size bytes; out is the address of an object pointer of any type, freed with free().
 * count 0 gives a valid pointer. Checks for overflow. WISP_EMEMORY when there is none. */
wisp_status wisp_new(wisp_error *err, size_t count, size_t size, void *out);

/* Room for so many items of size bytes in an array that grows: array is the address of a pointer to any type (NULL at
 * first), *room how many it has room for (0 at first); both are updated. free() it. */
wisp_status wisp_grow(wisp_error *err, void *array, size_t *room, size_t count, size_t size);

/* Asks for large pages where this memory, not touched yet, is large: they come into being 512 times less often. What
 * wisp_new gives has been asked for. */
void wisp_large_pages(void *memory, size_t bytes);

#endif
