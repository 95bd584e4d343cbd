/* What the tuner writes down for its workers: what was tried, what is about to run, how it ended. The store's only
 * writer while a sweep lasts. */
#ifndef WISP_JOURNAL_H
#define WISP_JOURNAL_H

#include "../link/link.h"

/* A candidate that was begun so often and never ended is not tried again. */
enum { WISP_MAX_BEGUN = 2 };

typedef struct wisp_keys { /* hashes of trials */
  size_t count, room;
  uint64_t *list;
} wisp_keys;

typedef struct wisp_journal {
  wisp_writer *writer; /* borrowed */
  wisp_keys tried;     /* by this sweep */
  wisp_keys suspects;  /* a worker died under them, whoever's fault that was */
} wisp_journal;
void wisp_journal_free(wisp_journal *journal);

typedef struct wisp_flight { /* what a worker is at */
  bool active;
  wisp_note_kind kind; /* COMPILE or LAUNCH */
  wisp_trial trial;
  double seconds, until; /* its limit, and when that is over */
  int begun;             /* how often, this time included */
} wisp_flight;

/* Answers WISP_NOTE_HAS. Known: what came to an end, and what was begun too often. */
wisp_status wisp_journal_look_up(wisp_error *err, wisp_journal *journal, const wisp_trial *key,
                                 wisp_answer_note *answer);

/* A worker is about to compile or to launch; a launch is on disk, as "unfinished", when this returns. */
wisp_status wisp_journal_begin(wisp_error *err, wisp_journal *journal, const wisp_note *note, wisp_flight *flight);

/* Stores a trial that has ended. */
wisp_status wisp_journal_add(wisp_error *err, wisp_journal *journal, const wisp_trial *trial);

/* A worker died under it, for the first time. */
wisp_status wisp_journal_suspect(wisp_error *err, wisp_journal *journal, const wisp_trial *trial);

#endif
