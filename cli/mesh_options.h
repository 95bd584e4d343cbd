/* The options that say which mesh: the same in run, bench and tune. */
#ifndef WISP_CLI_MESH_OPTIONS_H
#define WISP_CLI_MESH_OPTIONS_H

#include "options.h"
#include "../runtime/mesh/source.h"

/* Lines of a table of options; elements: "tets" or "hexes". */
#define WISP_MESH_OPTIONS(elements)                                                                               \
  {"mesh", 0, "FILE", "a Gmsh file (.msh, 2.2 or 4.1) of " elements " in place of the box"},                      \
      {"jitter", 0, "A", "move the box's vertices by up to A of their shortest edge, 0 to 0.5 (0)"},              \
      {"shuffle", 0, "SEED", "put the box's elements, vertices and corners into random order"},                   \
  {                                                                                                               \
    "order", 0, "HOW", "of elements in memory: as-given, curve or metis (curve; a box in its own order as given)" \
  }

/* What these options say; the box is not among them. WISP_EUSAGE where they exclude each other. */
wisp_status wisp_option_mesh(wisp_error *err, const wisp_arguments *args, wisp_mesh_source *out);

/* The mesh to time on: the irregular one of wisp_mesh_source_irregular where none of them was given. */
wisp_status wisp_option_timed_mesh(wisp_error *err, const wisp_arguments *args, wisp_mesh_source *out);

#endif
