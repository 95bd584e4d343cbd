/* The coarse space of the trace's preconditioner: continuous functions that are linear on every edge, by their values
 * at the vertices that no given edge touches. Of an edge from a to b, Lambda_0 = (v_a + v_b) / sqrt 2, Lambda_1 = (v_b
 * - v_a) / sqrt 6, and nothing else. Its matrix is I^T K I. */
#pragma once

#include "../solve/cycle.h"

struct wisp_hdg;

enum { WISP_HDG_COARSE_ENDS = 4 };

typedef struct wisp_hdg_coarse {
  const struct wisp_hdg *hdg; /* borrowed */
  size_t vertices;
  int32_t *ends; /* ENDS x free edges: the vertices where t is -1 and 1, and opposite in both elements, or -1 */
  int32_t *start, *touched; /* vertices + 1; ENDS edge + end */
  size_t touches;
  wisp_cycle *cycle;
} wisp_hdg_coarse;

/* direct: as of wisp_cycle_create. */
wisp_status wisp_hdg_coarse_create(wisp_error *err, const struct wisp_hdg *hdg, size_t direct, wisp_hdg_coarse **out);
void wisp_hdg_coarse_destroy(wisp_hdg_coarse *coarse);
WISP_OWNED(wisp_hdg_coarse, wisp_hdg_coarse_destroy)

/* Mode k of what vertex `end` of an edge, 0 or 1, gives to its trace. */
double wisp_hdg_coarse_weight(int mode, int end);
