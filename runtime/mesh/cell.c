#include "cell.h"

#include <string.h>

/* Faces of tets are those of gen/nodal/tet.h. Corners of hexes are in tensor order, v = vr + 2 vs + 4 vt: face 2 d +
 * side lies at that side of direction d. */
const wisp_cell wisp_cells[] = {
    [3] = {.corners = 3,
           .dimension = 2,
           .faces = 3,
           .face_corners = 2,
           .face = {{0, 1}, {1, 2}, {2, 0}},
           .across = {1, 2, 0},
           .opposite = {2, 0, 1},
           .frame = {{0, 1, 2, 1}, {1, 2, 0, 2}, {2, 0, 1, 0}},
           .frames = 1,
           .parts = 2,
           .is_connected = true,
           .split = 2,
           .most = 1 << 30,
           .vtk = 69,
           .element = "tri",
           .one = "triangle",
           .many = "triangles",
           .measure = "area",
           .face_one = "edge"},
    [4] = {.corners = 4,
           .dimension = 3,
           .faces = 4,
           .face_corners = 3,
           .face = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}},
           .across = {2, 3, 1, 0},
           .opposite = {3, 2, 0, 1},
           .frame = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 0, 1, 3}, {3, 0, 2, 1}},
           .frames = 1,
           .parts = 6,
           .is_connected = true,
           .keeps_number = true,
           .in_cubes = true,
           .split = 6,
           .most = 1 << 30,
           .vtk = 71,
           .element = "tet",
           .one = "tet",
           .many = "tets",
           .measure = "volume",
           .face_one = "face"},
    [8] = {.corners = 8,
           .dimension = 3,
           .faces = WISP_HEX_FACES,
           .face_corners = 4,
           .face = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}},
           .frame = {{0, 1, 2, 4},
                     {1, 3, 0, 5},
                     {2, 0, 3, 6},
                     {3, 2, 1, 7},
                     {4, 6, 5, 0},
                     {5, 4, 7, 1},
                     {6, 7, 4, 2},
                     {7, 5, 6, 3}},
           .frames = 8,
           .parts = 1,
           .split = 1,
           .most = 1 << 28,
           .vtk = 72,
           .element = "hex",
           .one = "hex",
           .many = "hexes",
           .measure = "volume",
           .face_one = "face"},
};

const wisp_cell *wisp_cell_find(const char *element)
{
  for (size_t i = 0; i < sizeof wisp_cells / sizeof *wisp_cells; i++)
    if (wisp_cells[i].element && strcmp(wisp_cells[i].element, element) == 0) return &wisp_cells[i];
  return NULL;
}
