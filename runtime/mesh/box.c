#include "mesh.h"
#include "../../gen/nodal/tet.h"

#include <math.h>

enum { LARGEST_BOX = 400 };

/* The paths along the edges of a cube from corner 000 to corner 111, one for each order of the axes (Kuhn 1960): each
 * is a tet. Corners are bits, 1 for x, 2 for y, 4 for z; the middle two stand so that the volume is positive. */
static const int kuhn[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}};

/* The points of a grid of n^3 cubes, x fastest. */
static void place_vertices(wisp_mesh *mesh, int n)
{
  double *at = mesh->xyz;
  for (int k = 0; k <= n; k++)
    for (int j = 0; j <= n; j++)
      for (int i = 0; i <= n; i++) {
        *at++ = (double)i / n;
        *at++ = (double)j / n;
        *at++ = (double)k / n;
      }
}

/* Six tets for each cube, cube after cube. Every cube is cut alike, so that the diagonals of shared squares agree. */
static void cut_cubes(wisp_mesh *mesh, int n)
{
  const int32_t line = n + 1, plane = line * line;
  int32_t *tet = mesh->tet;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        for (int path = 0; path < 6; path++)
          for (int v = 0; v < 4; v++) {
            int corner = kuhn[path][v];
            *tet++ = i + (corner & 1) + line * (j + (corner >> 1 & 1)) + plane * (k + (corner >> 2));
          }
}

wisp_status wisp_mesh_box(wisp_error *err, int n, wisp_mesh **out)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  CALL(wisp_require(err, n >= 1 && n <= LARGEST_BOX, WISP_EUSAGE, "box: %d cubes a side, must be 1 to %d", n,
                    LARGEST_BOX));
  size_t line = (size_t)n + 1, cubes = (size_t)n * (size_t)n * (size_t)n;
  CALL(wisp_mesh_create(err, 4, line * line * line, 6 * cubes, &mesh));
  place_vertices(mesh, n);
  cut_cubes(mesh, n);
  CALL(wisp_mesh_connect(err, "box", mesh));
  return GIVE(mesh, out);
}

void wisp_mesh_tag_sides(wisp_mesh *mesh)
{
  double end[2][3];
  wisp_mesh_extent(mesh, end[0], end[1]);
  for (size_t f = 0; f < 4 * mesh->elements; f++)
    for (int side = 0; side < 6 && mesh->neighbour[f] == WISP_BOUNDARY; side++) {
      int there = 0;
      for (int a = 0; a < 3; a++) {
        const size_t v = (size_t)mesh->tet[f / 4 * 4 + (size_t)wisp_tet_face_vertices[f % 4][a]];
        there += fabs(mesh->xyz[3 * v + (size_t)side / 2] - end[side % 2][side / 2]) <= 0;
      }
      if (there == 3) mesh->tag[f] = side + 1;
    }
}
