/* Messages of a worker, which tries candidates, to the tuner, which owns the store and outlives it: notes, each with an
 * answer, over a pair of sockets. Both ends are one program, so that structures travel as they are. */
#pragma once

#include "request.h"

typedef enum wisp_note_kind {
  WISP_NOTE_NEXT,    /* has its device open, and is through with its unit if it had one: what is next? */
  WISP_NOTE_HAS,     /* does the store know this trial? */
  WISP_NOTE_PUT,     /* store it: it stands for candidates that are not tried */
  WISP_NOTE_COMPILE, /* waits for this candidate's compilation, for so many seconds at most */
  WISP_NOTE_COMPILED,
  WISP_NOTE_LAUNCH,  /* is about to run this candidate */
  WISP_NOTE_RAN,     /* has run one that is known already, and nothing bad came of it */
  WISP_NOTE_ADD,     /* has tried it: store it, tell the caller */
  WISP_NOTE_FINISH,  /* its search is over: it compares the stages of before and after */
  WISP_NOTE_SKIP,    /* could not compile a candidate, which is not to blame: error says why */
  WISP_NOTE_RESTART, /* wants to be replaced: the device is lost, or memory may be damaged */
  WISP_NOTE_END      /* is through; status and error say how */
} wisp_note_kind;

typedef struct wisp_note {
  wisp_note_kind kind;
  double seconds;
  wisp_trial trial, best; /* best.ms 0: none */
  long long left;         /* estimate: trials to come in this unit */
  wisp_unit unit;         /* that it is through with */
  wisp_tune_summary summary;
  wisp_status status;
  wisp_error error;
} wisp_note;

typedef struct wisp_answer_note {
  wisp_status status; /* of what was asked for */
  wisp_error error;
  bool found, tried; /* tried: since the sweep began, whichever worker did */
  wisp_trial trial;
  wisp_unit unit;            /* the next, where one was found */
  wisp_tune_summary summary; /* what this device's workers have come to so far */
} wisp_answer_note;

typedef struct wisp_link {
  int socket;
  const char *device; /* the worker's */
} wisp_link;

/* Whole structures; false where the other end is gone (errno is 0), or says no more for too long (EAGAIN). */
bool wisp_link_send(int socket, const void *data, size_t size);
bool wisp_link_receive(int socket, void *data, size_t size);

/* The worker's side: each waits for the answer, which nobody may want to read (NULL). */
/* Asks for the next unit, and reports the gain and hopes of the one before; false in *there: none is left. summary:
 * this worker's counts; the answer goes on from them. */
wisp_status wisp_link_next(wisp_error *err, const wisp_link *link, wisp_tune_summary *summary, wisp_unit *unit,
                           bool *there);
wisp_status wisp_link_ask(wisp_error *err, const wisp_link *link, const wisp_note *note, wisp_answer_note *answer);
wisp_status wisp_link_has(wisp_error *err, const wisp_link *link, const wisp_trial *key, bool *found, bool *tried,
                          wisp_trial *trial);
wisp_status wisp_link_put(wisp_error *err, const wisp_link *link, const wisp_trial *trial);
wisp_status wisp_link_begin(wisp_error *err, const wisp_link *link, wisp_note_kind kind, const wisp_trial *trial,
                            double seconds);
