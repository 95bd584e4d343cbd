/* The nodal family's arrays, as places in its list (templates/nodal/family). */
#pragma once

#include "../system.h"
#include "templates/nodal/family.h"

/* Numbers of an element in geo and in face_real, and of a pair of faces in pair_real: the geometry's, then the
 * quantities of the system that kernels read there. */
typedef struct wisp_records {
  int geos, face_reals, pair_reals;
} wisp_records;
wisp_records wisp_nodal_records(const wisp_system *system);
