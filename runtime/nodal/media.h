/* Media of the elements of a mesh of tets, from texts as a user gives them. */
#ifndef WISP_MEDIA_H
#define WISP_MEDIA_H

#include "../../gen/system.h"
#include "../mesh/mesh.h"

/* Of each quantity of the system that is a coefficient a number or an expression in x, y, z, where an element's middle
 * is, its region, and pi; NULL: what the system's file gives. `quantities` numbers an element, in the mesh's order; the
 * caller frees them. WISP_EUSAGE for an expression that is none, WISP_EINPUT names an element where a coefficient is
 * not positive. */
wisp_status wisp_media_create(wisp_error *err, const wisp_system *system, const wisp_mesh *mesh,
                              const char *const *texts, double **medium);

#endif
