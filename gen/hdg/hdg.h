/* The hdg family's arrays, as places in its list (gen/hdg/hdg.c). */
#ifndef WISP_HDG_H
#define WISP_HDG_H

#include "../slab.h"
#include "../spec.h"

enum {
  WISP_HDG_VERTICES,
  WISP_HDG_CORNERS,
  WISP_HDG_EDGES,
  WISP_HDG_TAU,
  WISP_HDG_KAPPA,
  WISP_HDG_LAMBDA,
  WISP_HDG_LOAD,
  WISP_HDG_GIVEN,
  WISP_HDG_ELEMENT_DATA,
  WISP_HDG_SIDES,
  WISP_HDG_COLUMNS,
  WISP_HDG_BLOCKS,
  WISP_HDG_B,
  WISP_HDG_INVERSES,
  WISP_HDG_INVERSE,
  WISP_HDG_SOLUTION,
  WISP_HDG_P,
  WISP_HDG_Z,
  WISP_HDG_RESIDUAL,
  WISP_HDG_AP,
  WISP_HDG_PRODUCTS,
  WISP_HDG_RZ_SUMS,
  WISP_HDG_RR_SUMS,
  WISP_HDG_PAP_SUMS,
  WISP_HDG_STATE,
  WISP_HDG_HISTORY,
  WISP_HDG_LEFT,
  WISP_HDG_U,
  WISP_HDG_FLUX,
  WISP_HDG_USTAR,
  WISP_HDG_ARRAYS
};

/* Blocks in an edge's row: its own, and two of each element. */
enum { WISP_HDG_ROW = 5 };

#endif
