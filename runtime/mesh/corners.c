#include "source.h"

#include <stdlib.h>

enum { CORNERS = 4 };

/* How the corners come to stand: by their vertices' numbers; where that is an odd permutation, and would turn the
 * element inside out, the first two change places. */
static void turn(const int32_t *vertex, int8_t *corner)
{
  int exchanges = 0;
  for (int8_t i = 0; i < CORNERS; i++) {
    int8_t at = i;
    for (; at > 0 && vertex[corner[at - 1]] > vertex[i]; at--, exchanges++) corner[at] = corner[at - 1];
    corner[at] = i;
  }
  if (exchanges % 2 == 0) return;
  const int8_t first = corner[0];
  corner[0] = corner[1];
  corner[1] = first;
}

wisp_status wisp_mesh_sort_corners(wisp_error *err, wisp_mesh *mesh)
{
  /* The face without corner 0, 1, 2, 3; and of a face: its corner. */
  static const int face_across[CORNERS] = {2, 3, 1, 0}, corner_across[CORNERS] = {3, 2, 0, 1};
  OWNED(free) int8_t *corner = NULL;
  CALL(wisp_new(err, CORNERS * mesh->elements, sizeof *corner, &corner));
  for (size_t k = 0; k < mesh->elements; k++) {
    int8_t *to = corner + CORNERS * k;
    int32_t *vertex = mesh->tet + CORNERS * k, *tag = mesh->tag + CORNERS * k, old[2][CORNERS];
    turn(vertex, to);
    for (size_t i = 0; i < CORNERS; i++) old[0][i] = vertex[i], old[1][i] = tag[i];
    for (size_t i = 0; i < CORNERS; i++) {
      vertex[i] = old[0][to[i]];
      tag[i] = old[1][face_across[to[corner_across[i]]]];
    }
  }
  free(mesh->corner);
  mesh->corner = corner;
  corner = NULL;
  return wisp_mesh_connect(err, "turned mesh", mesh);
}
