/* The nodal family's arrays, as places in its list (gen/nodal/nodal.c). */
#ifndef WISP_NODAL_H
#define WISP_NODAL_H

#include "../system.h"

enum {
  WISP_NODAL_U,
  WISP_NODAL_U_NEXT,
  WISP_NODAL_U_N,
  WISP_NODAL_RHS,
  WISP_NODAL_LIFTED,
  WISP_NODAL_RES,
  WISP_NODAL_FLUX,
  WISP_NODAL_DUX,
  WISP_NODAL_DUY,
  WISP_NODAL_DUZ,
  WISP_NODAL_GEO,
  WISP_NODAL_FACE_INT,
  WISP_NODAL_FACE_REAL,
  WISP_NODAL_PAIR_BLOCK,
  WISP_NODAL_PAIR_INT,
  WISP_NODAL_PAIR_REAL,
  WISP_NODAL_ARRAYS
};

/* Numbers of an element in geo and in face_real, and of a pair of faces in pair_real: the geometry's, then the
 * quantities of the system that kernels read there. */
typedef struct wisp_records {
  int geos, face_reals, pair_reals;
} wisp_records;
wisp_records wisp_nodal_records(const wisp_system *system);

#endif
