/* The queue of units, and the tuner's journal.
 *
 * A unit is an order and a precision. The workers of one kind of card share the units; a free worker takes the next.
 * All kernels of a unit are measured on one card, since the whole stage is made of their winners. */
#pragma once

#include "../link/link.h"

typedef struct wisp_queue wisp_queue;

/* Every order in every precision, each once. deadline: seconds of the monotonic clock, INFINITY: none. by_gain: its
 * time goes where the most is expected to be gained. Free with wisp_queue_destroy. */
wisp_status wisp_queue_create(wisp_error *err, const int *orders, size_t order_count, const wisp_precision *precisions,
                              size_t precision_count, double deadline, bool by_gain, wisp_queue **out);
void wisp_queue_destroy(wisp_queue *queue);
WISP_OWNED(wisp_queue, wisp_queue_destroy)

/* Takes the heaviest free unit: highest order, then double precision, so that no long one is left for the end. All have
 * their first round, late or not; before the deadline, further rounds go to units that gained something in the last.
 * The time left is shared evenly among the units of a round. False: there is none.
 *
 * by_gain the lightest come first, so that as many as possible have their first round, a look where others wait.
 * Further rounds go to the unit that is expected to gain most: its gain in the last, or its hopes, halved for each that
 * found nothing. Its share of the time left is that of its expected gain, but as long as its first round at least. */
bool wisp_queue_take(wisp_queue *queue, int workers, double now, wisp_unit *out);
/* Whether there is something to take. */
bool wisp_queue_has(const wisp_queue *queue, double now);
/* A unit that was taken is through, now, with its report; gained: there were new trials. */
void wisp_queue_finish(wisp_queue *queue, const wisp_unit *unit, double now, bool gained);
/* Whoever took it is gone for good: it is for another. */
void wisp_queue_put_back(wisp_queue *queue, const wisp_unit *unit);

/* Counts the units that wait for their first round, that had it, and all; the rest are in it. */
void wisp_queue_count(const wisp_queue *queue, size_t *waiting, size_t *finished, size_t *all);

/* ---- What the tuner writes down for its workers: what was tried, what is about to run, how it ended. The store's only
 * writer while a sweep lasts. */

/* A candidate that was begun so often and never ended is not tried again. */
enum { WISP_MAX_BEGUN = 2 };

typedef struct wisp_keys { /* hashes of trials */
  size_t count, capacity;
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

/* Adds a trial, once: to the suspects where a worker died under it for the first time. */
wisp_status wisp_keys_add(wisp_error *err, wisp_keys *keys, const wisp_trial *trial);
