#include "parts.h"
#include "test.h"

wisp_mesh *make_grid(int corners, int x, int y, int z)
{
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_grid(err, corners, (const int[]){x, y, z}, &mesh));
  return mesh;
}

void connect_mesh(wisp_mesh *mesh)
{
  GOOD(wisp_mesh_connect(err, "made", mesh));
}

wisp_mesh *explode_mesh(wisp_mesh *mesh)
{
  const size_t corners = (size_t)mesh->corners;
  wisp_mesh *parts = NULL;
  GOOD(wisp_mesh_create(err, mesh->corners, corners * mesh->elements, mesh->elements, &parts));
  for (size_t i = 0; i < corners * mesh->elements; i++) {
    parts->cell[i] = (int32_t)i;
    memcpy(parts->xyz + 3 * i, mesh->xyz + 3 * (size_t)mesh->cell[i], 3 * sizeof *mesh->xyz);
  }
  wisp_mesh_destroy(mesh);
  connect_mesh(parts);
  return parts;
}

wisp_mesh *put_beside(wisp_mesh *a, wisp_mesh *b, double dx, double dy, double dz)
{
  const double by[3] = {dx, dy, dz};
  const size_t corners = (size_t)a->corners;
  wisp_mesh *both = NULL;
  GOOD(wisp_mesh_create(err, a->corners, a->vertices + b->vertices, a->elements + b->elements, &both));
  memcpy(both->xyz, a->xyz, 3 * a->vertices * sizeof *a->xyz);
  for (size_t i = 0; i < 3 * b->vertices; i++) both->xyz[3 * a->vertices + i] = b->xyz[i] + by[i % 3];
  memcpy(both->cell, a->cell, corners * a->elements * sizeof *a->cell);
  for (size_t i = 0; i < corners * b->elements; i++)
    both->cell[corners * a->elements + i] = b->cell[i] + (int32_t)a->vertices;
  wisp_mesh_destroy(a);
  wisp_mesh_destroy(b);
  connect_mesh(both);
  return both;
}

void print_mesh(const char *path, const wisp_mesh *mesh)
{
  static const int around[8] = {0, 1, 3, 2, 4, 5, 7, 6}; /* Gmsh goes round the squares of a hex */
  const int type = mesh->corners == 3 ? 2 : mesh->corners == 4 ? 4 : 5;
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", mesh->vertices);
  for (size_t v = 0; v < mesh->vertices; v++)
    fprintf(file, "%zu %.17g %.17g %.17g\n", v + 1, mesh->xyz[3 * v], mesh->xyz[3 * v + 1], mesh->xyz[3 * v + 2]);
  fprintf(file, "$EndNodes\n$Elements\n%zu\n", mesh->elements);
  for (size_t k = 0; k < mesh->elements; k++) {
    fprintf(file, "%zu %d 2 %d 1", k + 1, type, mesh->corners != 8 && mesh->region[k] ? mesh->region[k] : 1);
    for (int i = 0; i < mesh->corners; i++)
      fprintf(file, " %d", mesh->cell[(size_t)mesh->corners * k + (size_t)(mesh->corners == 8 ? around[i] : i)] + 1);
    fprintf(file, "\n");
  }
  fprintf(file, "$EndElements\n");
  assert_int_equal(fclose(file), 0);
}

void write_mesh(const char *path, wisp_mesh *mesh)
{
  print_mesh(path, mesh);
  wisp_mesh_destroy(mesh);
}

wisp_mesh *make_fan(int around)
{
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_create(err, 3, (size_t)around + 1, (size_t)around, &mesh));
  for (int i = 0; i < around; i++) {
    mesh->xyz[3 * (i + 1)] = cos(2 * M_PI * i / around), mesh->xyz[3 * (i + 1) + 1] = sin(2 * M_PI * i / around);
    mesh->tri[3 * i + 1] = i + 1, mesh->tri[3 * i + 2] = (i + 1) % around + 1;
  }
  return mesh;
}
