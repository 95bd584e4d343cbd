/* Claim: what Gmsh itself writes is read: the four variants of one mesh agree, fill their volume, and carry the
 * physical surfaces where they are. A file written by the book is read in either byte order. Needs the command gmsh. */
#include "test.h"
#include "../gen/nodal/tet.h"
#include "../runtime/mesh/mesh.h"
#include "gmsh_writer.h"

static const char save_all[] = "Mesh.MshFileVersion = 2.2; Mesh.Binary = 0; Save \"22a.msh\";\n"
                               "Mesh.Binary = 1; Save \"22b.msh\";\n"
                               "Mesh.MshFileVersion = 4.1; Save \"41b.msh\";\n"
                               "Mesh.Binary = 0; Save \"41a.msh\";\n"
                               "Mesh.SaveParametric = 1; Save \"41p.msh\";\n"
                               "Mesh.Binary = 1; Save \"41q.msh\";\n";
static const char *const variants[6] = {"22a.msh", "22b.msh", "41a.msh", "41b.msh", "41p.msh", "41q.msh"};

static const char box_geo[] = "SetFactory(\"Built-in\");\n"
                              "Point(1) = {0, 0, 0, 0.25}; x[] = Extrude {1, 0, 0} { Point{1}; };\n"
                              "y[] = Extrude {0, 1, 0} { Curve{x[1]}; }; z[] = Extrude {0, 0, 1} { Surface{y[1]}; };\n"
                              "Physical Surface(11) = {y[1]}; Physical Surface(\"top\", 12) = {z[0]};\n"
                              "Physical Surface(\"sides\", 40) = {z[2], z[3], z[4], z[5]};\n"
                              "Physical Volume(1) = {z[1]};\nMesh.MeshSizeFactor = 1;\nMesh 3;\n";

static const char sphere_geo[] = "SetFactory(\"OpenCASCADE\");\n"
                                 "Box(1) = {-1, -1, -1, 2, 2, 2}; Sphere(2) = {0, 0, 0, 0.5};\n"
                                 "BooleanFragments { Volume{1}; Delete; } { Volume{2}; Delete; }\n"
                                 "Physical Volume(1) = Volume{:};\n"
                                 "Physical Surface(5) = Surface In BoundingBox {-2, -2, -2, 2, 2, 2};\n"
                                 "Mesh.MeshSizeMax = 0.4;\nMesh 3;\n";

/* Meshes a geometry in a fresh folder and reads all variants; without the command gmsh this fails. */
static void make(const char *geo, wisp_mesh *mesh[6])
{
  char folder[] = "/tmp/wisp_gmsh_XXXXXX", command[256], path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/it.geo", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "General.NumThreads = 1;\n%s%s", geo, save_all);
  assert_int_equal(fclose(file), 0);
  snprintf(command, sizeof command, "cd %s && gmsh it.geo -v 1 -nt 1 - >log 2>&1", folder);
  if (system(command) != 0) fail_msg("the command gmsh failed or is missing; see %s/log", folder);
  for (int i = 0; i < 6; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, variants[i]);
    GOOD(wisp_mesh_read(err, 4, 0, path, &mesh[i]));
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static double volume(const wisp_mesh *mesh)
{
  double sum = 0;
  for (size_t k = 0; k < mesh->elements; k++) {
    const double *p[4], *o = mesh->xyz + 3 * (size_t)mesh->tet[4 * k];
    double e[4][3];
    for (size_t i = 1; i < 4; i++) {
      p[i] = mesh->xyz + 3 * (size_t)mesh->tet[4 * k + i];
      for (size_t c = 0; c < 3; c++) e[i][c] = p[i][c] - o[c];
    }
    sum += (e[1][0] * (e[2][1] * e[3][2] - e[2][2] * e[3][1]) - e[1][1] * (e[2][0] * e[3][2] - e[2][2] * e[3][0]) +
            e[1][2] * (e[2][0] * e[3][1] - e[2][1] * e[3][0])) /
           6;
  }
  return sum;
}

/* The same tets in the same order, whatever the variant; places agree to the digits of text. */
static void compare(const wisp_mesh *a, const wisp_mesh *b)
{
  assert_int_equal(a->elements, b->elements);
  assert_int_equal(a->vertices, b->vertices);
  for (size_t i = 0; i < 4 * a->elements; i++) {
    for (size_t c = 0; c < 3; c++)
      assert_true(fabs(a->xyz[3 * (size_t)a->tet[i] + c] - b->xyz[3 * (size_t)b->tet[i] + c]) < 1e-14);
    assert_int_equal(a->tag[i], b->tag[i]);
    assert_int_equal(a->neighbour[i], b->neighbour[i]);
    assert_int_equal(a->neighbour_face[i], b->neighbour_face[i]);
    assert_int_equal(a->neighbour_orientation[i], b->neighbour_orientation[i]);
  }
}

static void compare_and_destroy(wisp_mesh *mesh[6])
{
  for (int i = 1; i < 6; i++) compare(mesh[0], mesh[i]);
  for (int i = 0; i < 6; i++) wisp_mesh_destroy(mesh[i]);
}

/* Each boundary face of the box carries the tag of the side it lies on. */
TEST(test_box)
{
  wisp_mesh *mesh[6];
  size_t boundary = 0;
  make(box_geo, mesh);
  assert_true(mesh[0]->elements > 100);
  assert_true(fabs(volume(mesh[0]) - 1) < 1e-12);
  for (size_t f = 0; f < 4 * mesh[0]->elements; f++) {
    double z = 0;
    for (int a = 0; a < 3; a++)
      z += mesh[0]->xyz[3 * (size_t)mesh[0]->tet[f / 4 * 4 + (size_t)wisp_tet_face_vertices[f % 4][a]] + 2] / 3;
    int expected = mesh[0]->neighbour[f] != WISP_BOUNDARY ? 0 : z < 1e-12 ? 11 : z > 1 - 1e-12 ? 12 : 40;
    assert_int_equal(mesh[0]->tag[f], expected);
    boundary += mesh[0]->neighbour[f] == WISP_BOUNDARY;
  }
  assert_true(boundary >= 6 * 2 * 16);
  compare_and_destroy(mesh);
}

/* A sphere inside a box: its surface is an interface, not a boundary, so that its physical surface tags nothing. */
TEST(test_sphere_in_box)
{
  wisp_mesh *mesh[6];
  make(sphere_geo, mesh);
  assert_true(fabs(volume(mesh[0]) - 8) < 1e-11);
  for (size_t f = 0; f < 4 * mesh[0]->elements; f++)
    assert_int_equal(mesh[0]->tag[f], mesh[0]->neighbour[f] == WISP_BOUNDARY ? 5 : 0);
  compare_and_destroy(mesh);
}

/* Both versions, as text and as binary of both byte orders, with sparse numbers, reversed surfaces and a lone node. */
TEST(test_by_the_book)
{
  static const int tags[8] = {7, 9, 0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 6; i++) {
    gmsh_writer w = write_gmsh(i < 3 ? 2 : 4, i % 3);
    wisp_mesh *mesh = NULL;
    wisp_error err = {0};
    if (wisp_mesh_parse(&err, 4, 0, "book", w.text.data, w.text.length, &mesh) != WISP_OK)
      fail_msg("variant %d: %s", i, err.text);
    assert_int_equal(mesh->elements, 2);
    assert_int_equal(mesh->vertices, 5);
    assert_true(fabs(volume(mesh) - 0.5) < 1e-15);
    for (int f = 0; f < 8; f++) assert_int_equal(mesh->tag[f], tags[f]);
    for (int k = 0; k < 2; k++) assert_int_equal(mesh->region[k], 1);
    assert_int_equal(mesh->neighbour[2], 1);
    assert_int_equal(mesh->neighbour[4], 0);
    wisp_mesh_destroy(mesh);
    wisp_text_free(&w.text);
  }
}
