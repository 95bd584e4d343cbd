/* Points in the elements of a discretisation. */
#pragma once

#include "dg.h"

#define WISP_ELSEWHERE SIZE_MAX

/* A point: the slot of its element, of several that meet there the first of the mesh, and its place in the reference
 * element. The slot is WISP_ELSEWHERE where another domain has the element. */
typedef struct wisp_located {
  size_t slot;
  double r, s, t;
} wisp_located;

/* All domains make this call. WISP_EUSAGE, after what ("option --probe"), for a point that no element holds. */
wisp_status wisp_dg_locate(wisp_error *err, const char *what, const wisp_dg *dg, const double at[3], wisp_located *out);

/* Reads "x,y,z", in brackets or not. WISP_EUSAGE where it is none. */
wisp_status wisp_point_read(wisp_error *err, const char *what, const char *text, double at[3]);
