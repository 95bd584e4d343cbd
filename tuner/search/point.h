/* Candidates as points that can be compared: what the search knows of one, whether it was measured at this order on
 * this card, elsewhere, or not yet. */
#ifndef WISP_POINT_H
#define WISP_POINT_H

#include "../../cache/store.h"
#include "../../gen/family.h"

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
/* A candidate that is not measured. The model also sees its block and its shared memory. */
wisp_status wisp_point_from_plan(wisp_error *err, const wisp_plan *plan, const wisp_target *target, wisp_point *out);

/* How far apart two candidates of one strategy are, in doublings of a parameter; INFINITY for two strategies. */
double wisp_point_distance(const wisp_point *a, const wisp_point *b);
/* One parameter changed by one step, or another layout. */
bool wisp_point_neighbours(const wisp_point *a, const wisp_point *b);

#endif
