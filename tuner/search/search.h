/* Candidates of one spec over all layouts and strategies, and the order in which they are tried. */
#pragma once

#include "guide.h"

/* An order, precision and device: the names that its strategies see, in every layout. */
typedef struct wisp_scope {
  const wisp_family *family;
  wisp_spec spec; /* kernel set by wisp_search_create */
  int layouts;
  wisp_layout layout[8];
  wisp_env *names[8];
} wisp_scope;

/* only: the layout to keep, as text; NULL: all. WISP_EUSAGE where none is left. */
wisp_status wisp_scope_layouts(wisp_error *err, const wisp_spec *spec, const char *only, wisp_layout out[8], int *kept);
wisp_status wisp_scope_create(wisp_error *err, const wisp_family *family, const wisp_spec *spec,
                              const wisp_target *target, const char *only, wisp_scope *out);
void wisp_scope_free(wisp_scope *scope);

typedef struct wisp_candidate {
  const wisp_strategy *strategy;
  int layout; /* index into the scope */
  int values[WISP_MAX_PARAMS];
  bool is_default;
  uint64_t setting;        /* a hash of the layout and of what the discretisation fixes */
  int problem;             /* candidates of one setting have the same number, and are measured on the same problem */
  uint64_t priority, rank; /* of the problem; of the candidate on it */
} wisp_candidate;

typedef struct wisp_refusal { /* why candidates of a strategy do not apply: one entry for each reason */
  const wisp_strategy *strategy;
  int layout;
  long long count;
  char reason[200];
} wisp_refusal;

typedef struct wisp_search {
  const wisp_scope *scope;
  int problems;
  size_t count, capacity, next, end; /* end: of this problem's candidates */
  size_t begin;                      /* of them, where guided: `next` then only counts */
  bool guided;
  wisp_guide guide; /* of the candidates as they are listed */
  wisp_candidate *candidates;
  size_t refusals, refusal_capacity;
  wisp_refusal *refusal;
} wisp_search;

/* Lists every candidate of a kernel (strategy NULL: of all), legal or refused, problem by problem: first problems with
 * a default candidate, layout by layout; all kernels of an order begin with the same layout, so that a short budget
 * ends with kernels that work together. The rest is in random order; on each problem defaults come first. scope
 * outlives the search. */
wisp_status wisp_search_create(wisp_error *err, const wisp_strategies *strategies, const wisp_scope *scope,
                               const char *strategy, uint64_t seed, wisp_search *out);
void wisp_search_free(wisp_search *search);

/* Lets a guide pick from here on (docs/reference/search.md): of each layout the most promising problem, then the others
 * by promise. Where nothing is known from elsewhere, problems stay as listed but for those without a default candidate,
 * and each begins with its most promising default. known: weighed seeds. */
wisp_status wisp_search_guide(wisp_error *err, wisp_search *search, const wisp_target *target, size_t known_count,
                              const wisp_point *known);
/* Reports a candidate's time to the guide, which learns nothing of others. */
void wisp_search_report(wisp_search *search, const wisp_trial *trial);

/* Goes on to the next problem, leaving out what is left on this one; false after the last. */
bool wisp_search_next_problem(wisp_search *search);
/* The next candidate on this problem, or NULL. */
const wisp_candidate *wisp_search_next(wisp_search *search);
/* The share of the time left that this problem should take: more, the more it promises over those to come. */
double wisp_search_share(const wisp_search *search);

wisp_status wisp_candidate_plan(wisp_error *err, const wisp_scope *scope, const wisp_candidate *candidate,
                                wisp_plan **out);

/* ---- What the store and this sweep know that helps elsewhere: other orders, the other precision, other cards. */

typedef struct wisp_seeds {
  char device[128];
  bool gpu; /* GPUs tell nothing about a host, nor hosts about a GPU */
  size_t count, capacity;
  wisp_point *list;
} wisp_seeds;

/* Those of all layers of the store; db NULL: the user's own. A store that cannot be read gives none of its own. */
wisp_status wisp_seeds_load(wisp_error *err, const char *db, const char *device, const char *target, wisp_seeds *out);
void wisp_seeds_free(wisp_seeds *seeds);

/* A trial that was run; one without a time is left out. */
wisp_status wisp_seeds_add(wisp_error *err, wisp_seeds *seeds, const wisp_trial *trial);

/* Those that help a spec, weighed. Caller frees *known. */
wisp_status wisp_seeds_for(wisp_error *err, const wisp_seeds *seeds, const wisp_spec *spec, size_t *count,
                           wisp_point **known);
