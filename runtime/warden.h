/* A process beside a command that outlives it: when the command ends, however it does, the warden ends what was started
 * for it and still runs, workers and compilers above all, and removes temporary folders whose processes are gone. */
#pragma once

#include "../gen/check.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct wisp_warden { /* zero-initialise */
  pid_t pid;                 /* 0: there is none */
  int socket;                /* the command's end, which closes with it */
} wisp_warden;

/* Before files are open and threads run: the warden keeps what is open. */
wisp_status wisp_warden_start(wisp_error *err, wisp_warden *out);
/* A process that leads a session or a group of its own was started, or is gone. */
void wisp_warden_report(const wisp_warden *warden, pid_t leader, bool there);
/* Nothing is left to be ended. */
void wisp_warden_dismiss(wisp_warden *warden);

/* Reports what wisp_process_run starts to this warden, from here on; NULL: to none. Before threads run. */
void wisp_warden_watch(const wisp_warden *warden);
