/* Which edges of the boundary hold u, from a list of those that hold the flux. */
#ifndef WISP_HDG_BOUNDARY_H
#define WISP_HDG_BOUNDARY_H

#include "../mesh/simplexnodes.h"

/* neumann: "3,outlet", tags or names of the boundary's parts; NULL: none. *tags: what the fixing goes by, caller's to
 * free. what begins messages about the list ("option --neumann"), name is the mesh's. WISP_EUSAGE for what the boundary
 * has not. */
wisp_status wisp_hdg_dirichlet(wisp_error *err, const char *what, const char *name, const wisp_mesh *mesh,
                               const char *neumann, int32_t **tags, wisp_fixing *out);

#endif
