/* The one way errors travel through wisp.
 *
 * A fallible function takes `wisp_error *err` first, wraps every fallible call in CALL, and returns what fails there.
 * It declares a variable with the function that releases it (HELD, OWNED). GIVE empties a variable that it gives away:
 *
 *     wisp_status wisp_thing_create(wisp_error *err, int n, wisp_thing **out)
 *     {
 *       OWNED(wisp_thing_destroy) wisp_thing *thing = NULL;
 *       CALL(wisp_require(err, n > 0, WISP_EUSAGE, "thing: n is %d, must be positive", n));
 *       CALL(wisp_new(err, 1, sizeof *thing, &thing));
 *       return GIVE(thing, out);
 *     }
 *
 * Where releasing is more than a call, or the status itself is asked for, it declares `wisp_status status = WISP_OK;`,
 * wraps every fallible call in TRY, and ends with the label `done:`, where it releases the rest and returns status.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "wisp.h"

/* Entries of an array of known size. */
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

/* Before the declaration of a local variable: HELD(release) calls release(&variable) where its block is left,
 * OWNED(release) calls release(variable), a pointer, unless it is NULL by then. The last one declared is released
 * first. OWNED takes `free` and what WISP_OWNED, after a release function's prototype, has named. */
#define HELD(release) __attribute__((cleanup(release)))
#define OWNED(release) __attribute__((cleanup(release##_owned)))
#define WISP_OWNED(type, release)                      \
  static inline void release##_owned(type *const *own) \
  {                                                    \
    if (*own) release(*own);                           \
  }

/* Gives to *out what a variable holds, which is zero from there on: nothing is left to release. WISP_OK. */
#define GIVE(held, out) (*(out) = (held), (held) = (__typeof__(held)){0}, WISP_OK)

static inline void free_owned(void *own)
{
  void *memory = NULL;
  memcpy(&memory, own, sizeof memory);
  free(memory);
}

/* Frees each of some pointers, which may be NULL. */
#define WISP_FREE(...) wisp_free_each(sizeof((void *[]){__VA_ARGS__}) / sizeof(void *), (void *[]){__VA_ARGS__})
static inline void wisp_free_each(size_t count, void *const *pointers)
{
  for (size_t i = 0; i < count; i++) free(pointers[i]);
}

/* Records a failure in err (which may be NULL) and returns its status. The text is one line, printf style. */
__attribute__((format(printf, 3, 4))) wisp_status wisp_fail(wisp_error *err, wisp_status status, const char *format,
                                                            ...);

/* Marks a literal that becomes a message elsewhere, for scripts/list-messages. */
#define WISP_MESSAGE(text) text

/* WISP_OK where the condition holds, else wisp_fail with the rest. */
#define wisp_require(err, condition, ...) ((condition) ? WISP_OK : wisp_fail((err), __VA_ARGS__))

/* Prefixes the text already in err ("mesh.msh: " + text) and returns status unchanged. */
__attribute__((format(printf, 3, 4))) wisp_status wisp_context(wisp_error *err, wisp_status status, const char *format,
                                                               ...);

/* Zeroed memory for count items of size bytes; out is the address of an object pointer of any type, freed with free().
 * count 0 gives a valid pointer. Checks for overflow. WISP_EMEMORY when there is none. */
wisp_status wisp_new(wisp_error *err, size_t count, size_t size, void *out);

/* A copy of some bytes with a NUL behind them, of NULL none; free() it. out is the address of a pointer, as above. */
wisp_status wisp_copy(wisp_error *err, const void *from, size_t bytes, void *out);
/* The same of a text. */
wisp_status wisp_copy_text(wisp_error *err, const char *text, char **out);

/* Room for so many items of size bytes in an array that grows: array is the address of a pointer to any type (NULL at
 * first), *capacity how many it has room for (0 at first); both are updated. free() it. */
wisp_status wisp_grow(wisp_error *err, void *array, size_t *capacity, size_t count, size_t size);

/* Asks for large pages where this memory, not touched yet, is large: they come into being 512 times less often.
 * wisp_new asks for its own. */
void wisp_large_pages(void *memory, size_t bytes);
