/* Running a program without a shell, with a time limit; ending programs; temporary files; the clock of limits. */
#pragma once

#include "../gen/text.h"

#include <sys/types.h>

/* The time of the monotonic clock. */
double wisp_seconds(void);

typedef enum wisp_ending {
  WISP_RAN,       /* it ended by itself; code is its exit status */
  WISP_KILLED,    /* a signal ended it; code is the signal */
  WISP_TIMEOUT,   /* it ran over the limit and was ended, with everything that it started */
  WISP_NO_PROGRAM /* it is not there or cannot be executed; code is the errno */
} wisp_ending;

/* Runs argv (ends with NULL; argv[0] looked for in PATH): both outputs go to the file log, temporary files to folder;
 * no input, messages in English. WISP_ESYSTEM where the system refuses; every ending of the program is WISP_OK. */
wisp_status wisp_process_run(wisp_error *err, char *const *argv, const char *folder, const char *log, double seconds,
                             wisp_ending *ending, int *code);

/* Calls this, from whichever thread, for each program that starts, by its process, the leader of a group of its own,
 * and once it has ended. NULL: nothing is called. */
void wisp_process_watch(void (*report)(pid_t leader, bool there));

/* A child's end, as waitpid tells it: within so many seconds by itself, else it is ended. */
int wisp_process_await(pid_t pid, double seconds);
/* Ends every process of the session that this one led, itself too, whatever groups they are in. */
void wisp_session_end(pid_t leader);
/* Ends the groups of all programs that process `owner` ran by wisp_process_run, whether or not it still runs. */
void wisp_programs_end(pid_t owner);

/* A fresh folder for temporary files under $TMPDIR or /tmp, whose name shows its process; its removal with the files in
 * it, for HELD of a `char folder[SIZE] = ""`; and the removal of those whose processes are gone, which the first folder
 * of a process brings. */
wisp_status wisp_scratch_create(wisp_error *err, char *path, size_t size);
void wisp_scratch_remove(const void *path); /* a text; empty: none was made */
void wisp_scratch_sweep(void);

/* ---- Stores that are packed by gzip, NAME.gz, as sweeps are kept: read from an unpacked copy, never written. */

enum { WISP_PACKED_FOLDER = 256 };

/* The path to read: path itself, or that of a copy in a folder of its own where path ends in .gz. The caller declares
 * HELD(wisp_scratch_remove) char folder[WISP_PACKED_FOLDER] = "", which then goes. WISP_ESTORE where gunzip fails. */
wisp_status wisp_unpack(wisp_error *err, const char *path, char folder[WISP_PACKED_FOLDER], wisp_text *out);

/* WISP_EUSAGE, with what to do, where path, which is to be written, ends in .gz. */
wisp_status wisp_refuse_packed(wisp_error *err, const char *path);
