/* The connected pieces of a mesh, and those of them in which u is known up to a constant alone: no edge is given there,
 * and lambda is 0. There it is the one of mean 0, and exists where source and flux balance. */
#ifndef WISP_HDG_PIECES_H
#define WISP_HDG_PIECES_H

#include "hdg.h"

typedef struct wisp_hdg_pieces {
  const wisp_hdg *hdg; /* borrowed */
  size_t count;
  int32_t *piece; /* elements */
  bool *floats;   /* pieces: known up to a constant */
  double *area;
} wisp_hdg_pieces;

/* lambda: of each element. */
wisp_status wisp_hdg_pieces_create(wisp_error *err, const wisp_hdg *hdg, const double *lambda, wisp_hdg_pieces **out);
void wisp_hdg_pieces_destroy(wisp_hdg_pieces *pieces);
WISP_OWNED(wisp_hdg_pieces, wisp_hdg_pieces_destroy)

/* given and load are the family's arrays. Where a piece floats what quadrature leaves of the balance is taken off the
 * load; WISP_EUSAGE, with the imbalance, where it is more than 1e-6 of what flows. */
wisp_status wisp_hdg_pieces_balance(wisp_error *err, const wisp_hdg_pieces *pieces, const char *name,
                                    const double *given, double *load);

/* Takes the mean off a field of so many modes an element, in slabs, where a piece floats. */
wisp_status wisp_hdg_pieces_center(wisp_error *err, const wisp_hdg_pieces *pieces, size_t modes, double *field);

#endif
