/* Messages between a rank and the process that forked it, by a socket: a head, and then so many bytes. The answer to a
 * gathering is the count + 1 numbers of `begin`, and then the data. */
#pragma once

#include "ranks.h"

#include <stdint.h>
#include <sys/types.h>

enum { WISP_MOST_RANKS = 64 };

typedef enum wisp_ranks_word { WISP_RANKS_TO_ROOT, WISP_RANKS_TO_ALL, WISP_RANKS_FAILED } wisp_ranks_word;

typedef struct wisp_ranks_head {
  uint64_t bytes;
  uint32_t word;
  int32_t status; /* of a failure, whose bytes are its text */
} wisp_ranks_head;

struct wisp_ranks {
  int own, count;
  int socket;
};

/* A rank, as the process that watches has it. */
typedef struct wisp_rank_watched {
  pid_t pid;
  int socket; /* -1: closed */
  char *data; /* what it has sent so far, of the head as well */
  size_t got, capacity;
  double stopped; /* since when; 0: it runs */
  bool ended;
  int exit_status;
} wisp_rank_watched;

/* Answers the ranks until all have ended; frees nothing. */
wisp_status wisp_ranks_watch(wisp_error *err, int count, wisp_ranks_signal signal, void *context,
                             wisp_rank_watched *rank);
