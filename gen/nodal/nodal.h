/* The nodal family's arrays, as places in its list (templates/nodal/family). */
#pragma once

#include "../family.h"
#include "templates/nodal/family.h"

/* Numbers of an element in geo and in face_real, and of a pair of faces in pair_real: the geometry's, then the
 * quantities of the system that kernels read there. */
typedef struct wisp_records {
  int geos, face_reals, pair_reals;
} wisp_records;
wisp_records wisp_nodal_records(const wisp_system *system);

/* The dense product that the spec's kernel stands for: [Dr; Ds; Dt] U for volume and derivative, LIFT F for lift; a
 * column for each field of an element, nodes fastest. For other kernels out stays as it is. */
wisp_status wisp_nodal_dense(wisp_error *err, const wisp_spec *spec, wisp_dense *out);
