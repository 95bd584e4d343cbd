/* One of several devices that solve a problem together: the ranks, and its part of the mesh. */
#pragma once

#include "part.h"
#include "ranks.h"

typedef struct wisp_domain {
  wisp_ranks *ranks; /* borrowed; NULL: this process is alone with all of the mesh */
  wisp_mesh_part part;
} wisp_domain;
