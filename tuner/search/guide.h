/* Which candidate to try next: docs/reference/search.md. A guide knows the candidates of one target (a kernel, an
 * order, a precision), what was measured elsewhere, and what it is told. Deterministic. */
#pragma once

#include "../../cache/store.h"
#include "../../gen/family.h"

/* ---- Candidates as points that can be compared: what the search knows of one, whether it was measured at this order
 * on this card, elsewhere, or not yet. */

typedef struct wisp_point {
  char strategy[WISP_STRATEGY_TEXT], layout[WISP_LAYOUT_TEXT], params[WISP_PARAMS_TEXT];
  wisp_spec spec;
  bool is_default;
  int role;                       /* of the layout, alike in every order: 0 slab, 1 one element a group, 2 several */
  int count;                      /* parameters */
  uint64_t name[WISP_MAX_PARAMS]; /* their names, hashed */
  double step[WISP_MAX_PARAMS];   /* their values, counted in doublings; -1 for 0 */
  double cost;                    /* the model's, a logarithm: waste and lack of occupancy */
  double ms;                      /* <= 0: not measured */
  uint64_t source;                /* device and size that it was measured on */
  bool sister;                    /* on another card than the one that is tuned */
  double weight;                  /* of what is known from elsewhere */
} wisp_point;

/* From what a trial's texts say; the model knows its layout's padding only. False where the spec cannot be read. */
bool wisp_point_from_trial(const wisp_trial *trial, wisp_point *out);
/* Operations a byte of the minimal work of a spec's kernel; 0: not known. */
double wisp_spec_intensity(const wisp_spec *spec);
/* A candidate that is not measured, of a kernel with so many operations a byte. The model also sees its block and its
 * shared memory. */
wisp_status wisp_point_from_plan(wisp_error *err, const wisp_plan *plan, const wisp_target *target, double intensity,
                                 wisp_point *out);

typedef struct wisp_guide {
  size_t count, picks;
  bool blind; /* nothing is known from elsewhere */
  wisp_point *points;
  struct {
    size_t kind;           /* the first candidate of the same strategy */
    bool picked, explored; /* explored: all neighbours were picked */
    double expected;       /* logarithm of time over the target's best, from elsewhere and from the model */
    double near, moved;    /* own trials near it: their weight, and how they differ from what was expected */
  } * state;               /* of each candidate */
  double log_best, offset; /* of own trials: the best one's logarithm; the target's, on the scale of `expected` */
  double offset_weight;
} wisp_guide;

/* points: the candidates, copied. known: trials of this kernel at other orders, precisions or cards, with weights; ms
 * is relative to the best of theirs (1: the best). */
wisp_status wisp_guide_create(wisp_error *err, size_t count, const wisp_point *points, size_t known_count,
                              const wisp_point *known, wisp_guide *out);
void wisp_guide_free(wisp_guide *guide);

/* The next of those from..to-1 that were not picked; to where there is none. fresh: the first of several on a problem,
 * which is a default where there is one. */
size_t wisp_guide_pick(wisp_guide *guide, size_t from, size_t to, bool fresh);
/* Reports the time of a picked candidate; ms <= 0: it failed. */
void wisp_guide_report(wisp_guide *guide, size_t i, double ms);

/* Is it of the same kernel, of whatever order, precision, system of equations and element? */
bool wisp_point_helps(const wisp_point *point, const wisp_spec *spec);

/* Weighs known points for a target and scales the times of each group (order, precision, system, element, source) by
 * its best. Leaves out those too far to help; returns how many stay. */
size_t wisp_guide_weigh(size_t count, wisp_point *known, const wisp_spec *spec);
