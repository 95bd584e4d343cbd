/* A process beside the tuner that outlives it: when the tuner is killed, it ends the workers and all that these have
 * started, compilers above all, and removes their temporary folders. */
#ifndef WISP_WARDEN_H
#define WISP_WARDEN_H

#include "../../gen/check.h"

#include <sys/types.h>

typedef struct wisp_warden { /* zero-initialise */
  pid_t pid;                 /* 0: there is none */
  int pipe;                  /* that ends with the tuner */
} wisp_warden;

wisp_status wisp_warden_start(wisp_error *err, wisp_warden *out);
/* A worker was started, or is gone. Its process leads a session of its own. */
void wisp_warden_tell(const wisp_warden *warden, pid_t worker, bool there);
/* The tuner is through, and its workers are gone. */
void wisp_warden_dismiss(wisp_warden *warden);

#endif
