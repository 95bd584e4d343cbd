#include "moved.h"
#include "test.h"
#include "bent_box.h"
#include "store_fixture.h"
#include "../runtime/mesh/source.h"

#define AS_IT_IS          \
  {                       \
    {1, 0, 0}, {0, 1, 0}, \
    {                     \
      0, 0, 1             \
    }                     \
  }
#define STRAIGHT                                                                                              \
  {"as it is", 1, {0, 0, 0}, AS_IT_IS}, {"moved by (1e4, 9e4)", 1, {1e4, 9e4, 7}, AS_IT_IS},                  \
      {"moved by (5e5, 4.5e6)", 1, {5e5, 4.5e6, 7}, AS_IT_IS}, {"scaled by 1e-9", 1e-9, {0, 0, 0}, AS_IT_IS}, \
      {"scaled by 1e-4", 1e-4, {0, 0, 0}, AS_IT_IS},                                                          \
  {                                                                                                           \
    "scaled by 1e6", 1e6, {0, 0, 0}, AS_IT_IS                                                                 \
  }

/* Quaternions (2, 0, 0, 1) and (4, 1, 2, 2), whose squares are 5 and 25. */
const motion motions_of_planes[MOTIONS] = {STRAIGHT,
                                           {"turned", 1, {0, 0, 0}, {{0.6, -0.8, 0}, {0.8, 0.6, 0}, {0, 0, 1}}}};
const motion motions_in_space[MOTIONS] = {
    STRAIGHT, {"turned", 1, {0, 0, 0}, {{0.36, -0.48, 0.8}, {0.8, 0.6, 0}, {-0.48, 0.64, 0.6}}}};

void move_back(const motion *m, const double x[3], double out[3])
{
  for (int d = 0; d < 3; d++) {
    out[d] = 0;
    for (int c = 0; c < 3; c++) out[d] += m->turn[c][d] * (x[c] - m->shift[c]) / m->scale;
  }
}

static void move(const motion *m, const double x[3], double out[3])
{
  for (int d = 0; d < 3; d++) {
    out[d] = m->shift[d];
    for (int c = 0; c < 3; c++) out[d] += m->scale * m->turn[d][c] * x[c];
  }
}

wisp_mesh *moved(const wisp_mesh *mesh, const motion *m)
{
  const size_t corners = (size_t)mesh->corners, faces = corners * mesh->elements;
  wisp_mesh *out = NULL;
  GOOD(wisp_mesh_create(err, mesh->corners, mesh->vertices, mesh->elements, &out));
  memcpy(out->cell, mesh->cell, corners * mesh->elements * sizeof *out->cell);
  for (size_t v = 0; v < mesh->vertices; v++) move(m, mesh->xyz + 3 * v, out->xyz + 3 * v);
  GOOD(wisp_mesh_connect(err, m->name, out));
  if (corners == 8) return out;
  memcpy(out->tag, mesh->tag, faces * sizeof *out->tag);
  memcpy(out->region, mesh->region, mesh->elements * sizeof *out->region);
  return out;
}

/* Made in a fresh folder, or, where there is no Gmsh, as `make bundle` made it. */
static wisp_mesh *by_gmsh(int corners)
{
  const char *const geo = corners == 3 ? "plate" : "unstructured", *const file = corners == 3 ? "plate0" : "0";
  char folder[64], command[512], path[128];
  wisp_mesh *mesh = NULL;
  fixture_folder(folder);
  snprintf(command, sizeof command, "cp tests/meshes/%s.geo %s && cd %s && gmsh %s.geo -v 1 -nt 1 - >log 2>&1", geo,
           folder, folder, geo);
  snprintf(path, sizeof path, "%s/%s.msh", folder, file);
  if (system("command -v gmsh >/dev/null") == 0 && system(command) != 0) fail_msg("gmsh failed; see %s/log", folder);
  if (access(path, R_OK) != 0) snprintf(path, sizeof path, "tests/meshes/%s.msh", file);
  GOOD(wisp_mesh_read(err, corners, 0, path, &mesh));
  fixture_remove(folder);
  return mesh;
}

void make_test_meshes(int corners, wisp_mesh *out[TEST_MESHES])
{
  wisp_mesh_source source = {.box = {4, 4, corners == 3 ? 0 : 4}};
  if (corners == 4) source.box[0] = source.box[1] = source.box[2] = 2;
  GOOD(wisp_mesh_make(err, corners, &source, &out[0]));
  source.jitter = 0.2, source.shuffle = true, source.seed = 5;
  GOOD(wisp_mesh_make(err, corners, &source, &out[1]));
  if (corners < 8) out[2] = by_gmsh(corners);
  if (corners == 8) GOOD(wisp_mesh_grid(err, 8, (const int[]){3, 4, 3}, &out[2]));
  if (corners == 8) GOOD(bend_box(err, out[2], 0.05));
  for (int i = 0; i < TEST_MESHES && corners == 4; i++) GOOD(wisp_mesh_tag_sides(err, out[i]));
}
