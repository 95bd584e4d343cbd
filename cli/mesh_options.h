/* The options that say which mesh, cli/help/mesh: the same in run, bench and tune. */
#ifndef WISP_CLI_MESH_OPTIONS_H
#define WISP_CLI_MESH_OPTIONS_H

#include "options.h"
#include "../runtime/mesh/source.h"

/* What these options say; the box is not among them. WISP_EUSAGE where they exclude each other. */
wisp_status wisp_option_mesh(wisp_error *err, const wisp_arguments *args, wisp_mesh_source *out);

/* The mesh to time on: the irregular one of wisp_mesh_source_irregular where none of them was given. */
wisp_status wisp_option_timed_mesh(wisp_error *err, const wisp_arguments *args, wisp_mesh_source *out);

#endif
