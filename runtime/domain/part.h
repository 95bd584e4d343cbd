/* A mesh in parts, one for each of the devices that solve a problem together. */
#pragma once

#include "../mesh/mesh.h"

/* Assigns each element to one of `parts` parts: by METIS, or, where that fails or parts are tiny, as pieces of memory's
 * order. With WISP_PARTITION=random: at random, the same for the same mesh. The caller frees *part_of. */
wisp_status wisp_mesh_partition(wisp_error *err, const wisp_mesh *mesh, int parts, int32_t **part_of);

/* One part as its own device sees it. Ghosts are the elements of other parts that share a face with its own. */
typedef struct wisp_mesh_part {
  int rank, count;  /* which part it is, of how many */
  int32_t *part_of; /* of each element of the mesh */
  size_t own, cut;  /* its elements; the first `cut` of them share a face with another part's */
  int32_t *element; /* of the cut, then of the interior, each in memory's order */
  size_t ghosts;
  int32_t *ghost; /* by part and then by number */
} wisp_mesh_part;

/* part_of is taken, also after a failure. */
wisp_status wisp_mesh_part_create(wisp_error *err, const wisp_mesh *mesh, int32_t *part_of, int rank, int count,
                                  wisp_mesh_part *out);
void wisp_mesh_part_free(wisp_mesh_part *part);

/* The part across a face of an element, its own part where the face is on the boundary. */
int wisp_mesh_part_across(const wisp_mesh_part *part, const wisp_mesh *mesh, int32_t element, int face);

/* Places its elements into groups of at most `size`, as wisp_mesh_group does, the cut and the interior each in groups
 * of their own, and behind them its ghosts, up to a multiple of `unit`. */
typedef struct wisp_mesh_part_slots {
  size_t cut, own, all; /* slots: of the cut, of the cut and the interior, and with ghosts */
  int32_t *slot;        /* all: an element or WISP_EMPTY */
} wisp_mesh_part_slots;
wisp_status wisp_mesh_part_group(wisp_error *err, const wisp_mesh_part *part, const wisp_mesh *mesh, wisp_grouping how,
                                 size_t size, size_t unit, wisp_mesh_part_slots *out);
