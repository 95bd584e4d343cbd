/* The unit box, or square, as a grid of cells that are cut into elements. */
#include "mesh.h"
#include "../../gen/nodal/tet.h"

/* Elements of a cell: their corners as bits, 1 for x, 2 for y, 4 for z. Every cell is cut alike, so that the diagonals
 * of shared squares agree. Tets are the paths along the edges of a cube from corner 000 to corner 111, one for each
 * order of the axes (Kuhn 1960); the middle two corners stand so that the volume is positive. */
typedef struct cut {
  int corners, falls, most;  /* falls: along the other diagonal; most: cells a side */
  size_t half_cubes, inside; /* faces: of each square of the grid, and inside each cube */
  const char *cells;
  int corner[6][8];
} cut;

static const cut cuts[] = {
    {4, 0, 400, 2, 6, "cubes", {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}}},
    {8, 0, 400, 1, 0, "hexes", {{0, 1, 2, 3, 4, 5, 6, 7}}},
    {3, 0, 16384, 2, 0, "squares", {{0, 1, 3}, {0, 3, 2}}},
    {3, 1, 16384, 2, 0, "squares", {{0, 1, 2}, {1, 3, 2}}},
};

/* The sides are physical groups without names. */
static wisp_status list_sides(wisp_error *err, wisp_mesh *mesh)
{
  const int dimension = wisp_mesh_dimension(mesh);
  for (int side = 1; side <= 2 * dimension; side++)
    CALL(wisp_groups_add(err, &mesh->groups, dimension - 1, side, NULL, 0));
  wisp_groups_sort(&mesh->groups);
  return WISP_OK;
}

wisp_status wisp_mesh_cut(wisp_error *err, int corners, bool falls, const int *n, wisp_mesh **out)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  const wisp_cell *cell = &wisp_cells[corners];
  const int directions = cell->dimension;
  const cut *c = cuts;
  size_t side[3] = {1, 1, 1}, points[3] = {1, 1, 1};
  while (c->corners != corners || c->falls != (int)falls) c++;
  for (int d = 0; d < directions; d++) {
    CALL(wisp_require(err, n[d] >= 1 && n[d] <= c->most, WISP_EUSAGE, "box: %d %s a side, must be 1 to %d", n[d],
                      c->cells, c->most));
    side[d] = (size_t)n[d];
    points[d] = side[d] + 1;
  }
  const size_t line = points[0], plane = line * points[1], cells = side[0] * side[1] * side[2];
  CALL(wisp_mesh_create(err, corners, plane * points[2], (size_t)cell->split * cells, &mesh));
  for (size_t v = 0; v < mesh->vertices; v++) {
    const size_t at[3] = {v % line, v % plane / line, v / plane};
    for (int d = 0; d < directions; d++) mesh->xyz[3 * v + (size_t)d] = (double)at[d] / n[d];
  }
  int32_t *vertex = mesh->cell;
  for (size_t q = 0; q < cells; q++) {
    const size_t low = q % side[0] + line * (q / side[0] % side[1]) + plane * (q / side[0] / side[1]);
    for (int i = 0; i < cell->split * corners; i++) {
      const size_t bits = (size_t)c->corner[i / corners][i % corners];
      *vertex++ = (int32_t)(low + (bits & 1) + line * (bits >> 1 & 1) + plane * (bits >> 2));
    }
  }
  /* The left, right, lower and upper sides of the square are tagged 1 to 4. A cell's two triangles have six edges. */
  const size_t left = falls ? 2 : 5, right = falls ? 3 : 1, nx = side[0], ny = directions == 2 ? side[1] : 0;
  for (size_t i = 0; ny && i < nx; i++) mesh->tag[6 * i] = 3, mesh->tag[6 * (nx * (ny - 1) + i) + 4] = 4;
  for (size_t j = 0; j < ny; j++) mesh->tag[6 * nx * j + left] = 1, mesh->tag[6 * (nx * j + nx - 1) + right] = 2;
  if (directions == 2) CALL(list_sides(err, mesh));
  if (cell->is_connected) CALL(wisp_mesh_connect(err, "box", mesh));
  return GIVE(mesh, out);
}

/* Faces of tets are half_cubes of the cubes' squares, and six inside each cube; edges follow from Euler's formula. */
bool wisp_mesh_grid_count(int corners, const int *n, size_t count[4])
{
  const wisp_cell *cell = &wisp_cells[corners];
  const int directions = cell->dimension;
  const cut *c = cuts;
  while (c->corners != corners) c++;
  for (int d = 0; d < directions; d++)
    if (n[d] < 1 || n[d] > c->most) return false;
  const size_t x = (size_t)n[0], y = (size_t)n[1], z = directions == 3 ? (size_t)n[2] : 0;
  const size_t squares = x * y * (z + 1) + x * (y + 1) * z + (x + 1) * y * z, cubes = x * y * z;
  count[0] = (x + 1) * (y + 1) * (z + 1);
  count[2] = c->half_cubes * squares + c->inside * cubes;
  count[3] = (size_t)cell->split * cubes;
  count[1] = count[0] + count[2] - count[3] - 1;
  return true;
}

wisp_status wisp_mesh_grid(wisp_error *err, int corners, const int *n, wisp_mesh **out)
{
  return wisp_mesh_cut(err, corners, false, n, out);
}

wisp_status wisp_mesh_tag_sides(wisp_error *err, wisp_mesh *mesh)
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
  return list_sides(err, mesh);
}
