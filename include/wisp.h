/* wisp: tuned, verified, persistent GPU kernels for discontinuous Galerkin methods.
 *
 * The one public header. Conventions:
 *   - every fallible function takes a wisp_error first, returns a wisp_status, and gives its outputs last;
 *   - handles are opaque, made by a *_create or *_open and given back with *_destroy or *_close (NULL is fine);
 *   - on failure the error's text says what, where and what to do, in one line, and no output is touched;
 *   - nothing here aborts, prints, or keeps state outside a handle.
 */
#ifndef WISP_H
#define WISP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WISP_VERSION "0.1.0"

typedef enum wisp_status {
  WISP_OK = 0,
  WISP_EUSAGE,   /* the request has no meaning (order 0, unknown option): exit status 2 */
  WISP_EINPUT,   /* a file or value from outside is wrong */
  WISP_EMEMORY,  /* no memory, here or on the device */
  WISP_ESYSTEM,  /* the operating system refused: open, write, fork, dlopen */
  WISP_EDEVICE,  /* a device or its driver failed or is missing */
  WISP_ECOMPILE, /* a kernel did not compile */
  WISP_EWRONG,   /* a kernel's result is not the reference's */
  WISP_ESTORE,   /* the tuning store is corrupt, foreign, newer or cannot be written */
  WISP_EREFUSED, /* a candidate does not apply here: an ordinary answer, with a reason */
  WISP_EMISSING  /* what was looked for is not there */
} wisp_status;

/* One failure: its status and one line of text. Zero-initialise it; reuse is fine. */
typedef struct wisp_error {
  wisp_status status;
  char text[1024];
} wisp_error;

typedef enum wisp_precision { WISP_F32 = 4, WISP_F64 = 8 } wisp_precision; /* the value is the size in bytes */

#ifdef __cplusplus
}
#endif
#endif
