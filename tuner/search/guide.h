/* Which candidate to try next: docs/search.md. A guide knows one target's candidates (a kernel, an order, a precision),
 * what was measured elsewhere, and what it is told. Deterministic. */
#ifndef WISP_GUIDE_H
#define WISP_GUIDE_H

#include "point.h"

typedef struct wisp_guide {
  size_t count, picks;
  bool blind; /* nothing is known from elsewhere */
  wisp_point *points;
  size_t *kind;            /* the first candidate of the same strategy */
  bool *picked, *explored; /* explored: all neighbours were picked */
  double *expected;        /* logarithm of time over the target's best, from elsewhere and from the model */
  double *near, *moved;    /* own trials near a candidate: their weight, and how they differ from what was expected */
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
/* What a picked one took; ms <= 0: it failed. */
void wisp_guide_tell(wisp_guide *guide, size_t i, double ms);

/* Is it of the same kernel, of whatever order and precision? */
bool wisp_point_helps(const wisp_point *point, const wisp_spec *spec);

/* Weighs known points for a target and scales the times of each group (order, precision, source) by its best. Leaves
 * out those too far to help; returns how many stay. */
size_t wisp_guide_weigh(size_t count, wisp_point *known, int order, wisp_precision precision);

#endif
