/* A store in memory, as store.c fills it and answer.c asks it. */
#pragma once

#include "reader.h"
#include "store.h"

/* A trial by its candidate: a hash of spec, layout, strategy, parameters, texts and mesh. */
typedef struct wisp_by_candidate {
  uint64_t candidate;
  size_t trial;
} wisp_by_candidate;

struct wisp_store {
  wisp_trials all;                   /* user's, then the site's, then the shipped ones */
  size_t first[WISP_LAYER_NONE + 1]; /* where each layer begins; the last entry is the end */
  /* Trials by their specs: a list for each remainder of a spec's hash, in the order of the layers. Numbers of trials
   * begin with 1; 0 ends a list. */
  size_t lists, *head, *next;
  wisp_equal_system equal; /* NULL: specs are equal if their texts are */
  const void *equal_context;
  wisp_by_candidate *index; /* of all trials, sorted */
};

/* The candidate's hash. */
uint64_t wisp_trial_candidate(const wisp_trial *trial);
/* The first entry of the index that is of the candidate, or would be; the others follow it. */
size_t wisp_store_index_at(const wisp_store *store, uint64_t candidate);
