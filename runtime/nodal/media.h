/* Media of the elements of a mesh of tets, and walls of its boundary, from texts as a user gives them. */
#pragma once

#include "../../gen/system.h"
#include "../mesh/mesh.h"

/* Media from texts: for each quantity that is a coefficient a number, or an expression in x, y, z of an element's
 * middle, its region, and pi; NULL: the default of the system's file. `quantities` numbers an element, in the mesh's
 * order; the caller frees them. WISP_EUSAGE for a wrong expression, WISP_EINPUT names an element where a coefficient
 * is not positive. */
wisp_status wisp_media_create(wisp_error *err, const wisp_system *system, const wisp_mesh *mesh,
                              const char *const *texts, double **medium);

/* WISP_EUSAGE names an element with a coefficient that is not from 1e-30 to 1e30, in single precision from 1e-15 to
 * 1e15: products of such numbers and their inverses stay within the precision's range. */
wisp_status wisp_media_check(wisp_error *err, const wisp_system *system, size_t elements, const double *medium,
                             wisp_precision precision);

/* The least and the largest value of a quantity. */
void wisp_media_range(const wisp_system *system, size_t elements, const double *medium, int q, double range[2]);

/* The largest ratio of a coefficient's values that may not be 0, 1 where there is none, and which coefficient has it;
 * and the ratio up to which sums over both sides of a face keep some digits of the smaller side: 1e12, in single
 * precision 1e6. */
double wisp_media_jump(const wisp_system *system, size_t elements, const double *medium, int *quantity);
double wisp_media_resolved(wisp_precision precision);

/* ---- Walls: which of a system's boundaries each face of the mesh's boundary has. */

/* Zero-initialise: the system's first boundary everywhere. */
typedef struct wisp_walls {
  int boundary;    /* its index; -1: they differ, */
  int8_t *of_face; /* 4 x elements: then the index of each face's; else NULL */
} wisp_walls;

/* From a text: "absorbing", or by physical groups, "open=absorbing,walls=pec"; a kind without a group is that of the
 * rest, else the system's first is. Where a face is in two of the groups the last one counts. text NULL: the first
 * everywhere. mesh NULL: the kinds alone are checked. what ("option --boundary") begins messages about the text, name
 * is the mesh's. WISP_EUSAGE for a kind that the system has not, and for a group that the boundary has not. */
wisp_status wisp_walls_read(wisp_error *err, const char *what, const char *name, const wisp_system *system,
                            const wisp_mesh *mesh, const char *text, wisp_walls *out);
void wisp_walls_free(wisp_walls *walls);
