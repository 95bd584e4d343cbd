/* The parts of wisp_dg_create: each fills its arrays of a dg whose slots and sizes are set. */
#ifndef WISP_DG_PARTS_H
#define WISP_DG_PARTS_H

#include "dg.h"

/* jacobian, geo, face_real, min_length. */
wisp_status wisp_dg_geometry(wisp_error *err, wisp_dg *dg);

/* face_int; and the normals of a face's two sides made one. where[e] is the slot of element e. After geometry. */
wisp_status wisp_dg_faces(wisp_error *err, wisp_dg *dg, const int32_t *where, int boundary);

/* turnlist. */
wisp_status wisp_dg_turns(wisp_error *err, wisp_dg *dg);

/* The slot of each element; the caller frees it. */
wisp_status wisp_dg_where(wisp_error *err, const wisp_dg *dg, int32_t **where);

/* Component c of C of slot k in a per-element array. */
static inline size_t wisp_dg_at(const wisp_dg *dg, int C, int c, size_t k)
{
  return wisp_layout_element(&dg->layout, C, c, k);
}

#endif
