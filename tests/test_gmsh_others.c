/* Claim: files that other programs read are read here too: elements whose orientation is reversed, partitioned meshes,
 * formats 2.0 and 2.1, straight elements of order 2, standard input. What is refused is refused with what helps. Needs
 * the command gmsh. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../runtime/mesh/mesh.h"

static wisp_mesh *parse(int corners, const char *text)
{
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_parse(err, corners, 0, "it", text, strlen(text), &mesh));
  return mesh;
}

/* Volume, or area, of all elements; each is positive. */
static double measure(const wisp_mesh *mesh)
{
  const int(*frame)[4] = wisp_mesh_cell(mesh)->frame;
  double sum = 0;
  for (size_t k = 0; k < mesh->elements; k++)
    for (int i = 0; i < (mesh->corners == 8 ? 8 : 1); i++) {
      const double corner = wisp_mesh_corner(mesh, k, frame[i], NULL);
      assert_true(corner > 0);
      sum += corner / (mesh->corners == 3 ? 2 : mesh->corners == 4 ? 6 : 8);
    }
  return sum;
}

/* --- elements that are turned inside out --- */

#define FORMAT_2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define CUBE "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n$EndNodes\n"
static const struct mirrored {
  int corners;
  const char *elements, *problem, *note;
  double volume;
} mirrored[] = {
    {3, "2\n1 2 2 1 1 1 2 3\n2 2 2 1 1 1 4 3\n", "heat",
     "1 of 2 triangles had negative area: their orientation is reversed", 1},
    {3, "2\n1 2 2 1 1 1 3 2\n2 2 2 1 1 1 4 3\n", "helmholtz", "2 of 2 triangles had negative area", 1},
    {4, "2\n1 4 2 1 1 1 3 2 6\n2 4 2 1 1 1 6 3 8\n", "maxwell", "1 of 2 tets had negative volume", 1. / 6 + 1. / 3},
    {8, "1\n1 5 2 1 1 5 6 7 8 1 2 3 4\n", "poisson", "1 of 1 hexes had negative volume", 1},
};

TEST_IN_FOLDER(test_reversed)
{
  char text[1024], line[256];
  for (size_t i = 0; i < sizeof mirrored / sizeof *mirrored; i++) {
    snprintf(text, sizeof text, FORMAT_2 CUBE "$Elements\n%s$EndElements\n", mirrored[i].elements);
    wisp_mesh *mesh = parse(mirrored[i].corners, text);
    assert_true(fabs(measure(mesh) - mirrored[i].volume) < 1e-14);
    wisp_mesh_destroy(mesh);
    fixture_write(fixture_path(*state, "turned.msh"), text, strlen(text));
    snprintf(line, sizeof line, "run %s --default -d host -n 2 --mesh %s %s", mirrored[i].problem,
             fixture_path(*state, "turned.msh"), mirrored[i].corners == 4 ? "--steps 2" : "");
    HELD(forget) outcome o = run_in(*state, "", line);
    if (o.status != 0 || !strstr(o.err, mirrored[i].note)) fail_msg("wisp %s: status %d: %s", line, o.status, o.err);
  }
}

/* --- what Gmsh makes --- */

/* Runs a geometry in the folder. */
static void run_gmsh(const char *folder, const char *geo)
{
  char command[256];
  fixture_write(fixture_path(folder, "it.geo"), geo, strlen(geo));
  snprintf(command, sizeof command, "cd %s && gmsh it.geo -v 1 -nt 1 - >log 2>&1", folder);
  if (system(command) != 0) fail_msg("the command gmsh failed or is missing; see %s/log", folder);
}

static wisp_mesh *read_mesh(const char *folder, int corners, const char *name)
{
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_read(err, corners, 0, fixture_path(folder, name), &mesh));
  return mesh;
}

/* The volume, and the number of faces of the boundary, that are in a group. */
static double volume_in(const wisp_mesh *mesh, int32_t number)
{
  double sum = 0;
  for (size_t k = 0; k < mesh->elements; k++)
    if (wisp_groups_have(&mesh->groups, mesh->region[k], number))
      sum += wisp_mesh_corner(mesh, k, wisp_cells[4].frame[0], NULL) / 6;
  return sum;
}

static size_t faces_in(const wisp_mesh *mesh, int32_t number)
{
  size_t count = 0;
  for (size_t f = 0; f < 4 * mesh->elements; f++)
    count += mesh->neighbour[f] == WISP_BOUNDARY && wisp_groups_have(&mesh->groups, mesh->tag[f], number);
  return count;
}

static const char parts_geo[] =
    "SetFactory(\"Built-in\");\nPoint(1) = {0, 0, 0, 0.3}; x[] = Extrude {1, 0, 0} { Point{1}; };\n"
    "y[] = Extrude {0, 1, 0} { Curve{x[1]}; }; z[] = Extrude {0, 0, 1} { Surface{y[1]}; };\n"
    "Physical Surface(\"floor\", 11) = {y[1]}; Physical Surface(\"level\", 12) = {y[1], z[0]};\n"
    "Physical Volume(\"some\", 1) = {z[1]}; Physical Volume(\"all\", 12) = {z[1]};\nMesh 3;\n"
    "Mesh.MshFileVersion = 4.1; Save \"whole.msh\";\nPartitionMesh 3; Save \"41a.msh\"; Mesh.Binary = 1; Save "
    "\"41b.msh\";\n"
    "Mesh.PartitionCreateGhostCells = 1; PartitionMesh 2; Save \"ghosts.msh\"; Mesh.Binary = 0;\n"
    "Mesh.MshFileVersion = 2.2; Save \"22a.msh\"; Mesh.Binary = 1; Save \"22b.msh\";\n";

/* Whatever the parts, the mesh is the one that was not cut, its groups too; nothing between two parts is a surface. */
TEST_IN_FOLDER(test_parts)
{
  static const char *const names[] = {"whole.msh", "41a.msh", "41b.msh", "ghosts.msh", "22a.msh", "22b.msh"};
  size_t elements = 0, floor = 0;
  run_gmsh(*state, parts_geo);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = read_mesh(*state, 4, names[i]);
    if (!i) elements = mesh->elements, floor = faces_in(mesh, 11);
    assert_true(mesh->elements == elements && elements > 50 && floor > 10);
    assert_true(fabs(measure(mesh) - 1) < 1e-9);
    assert_true(fabs(volume_in(mesh, 1) - 1) < 1e-9 && fabs(volume_in(mesh, 12) - 1) < 1e-9);
    assert_true(faces_in(mesh, 11) == floor && faces_in(mesh, 12) >= 2 * floor - 8 && faces_in(mesh, 1) == 0);
  }
}

/* By the book: two triangles, parts 5 and 6 of the surface 1, whose group the first does not repeat; curve 7 is a part
 * of curve 1, in group 3; curve 8 lies between the parts and has numbers of the surface's. */
TEST(test_parents)
{
  static const char text[] =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 4 \"plate\"\n$EndPhysicalNames\n"
      "$Entities\n0 1 1 0\n1 0 0 0 1 0 0 1 3 0\n1 0 0 0 1 1 0 1 4 0\n$EndEntities\n"
      "$PartitionedEntities\n2\n1\n9 1\n0 2 2 0\n7 1 1 1 1 0 0 0 1 0 0 0 0\n8 2 1 2 1 2 0 0 0 1 1 0 1 4 0\n"
      "5 2 1 1 1 0 0 0 1 1 0 0 0\n6 2 1 1 2 0 0 0 1 1 0 2 4 5 0\n$EndPartitionedEntities\n"
      "$Nodes\n1 4 1 4\n2 5 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n"
      "$Elements\n4 4 1 4\n1 7 1 1\n1 1 2\n1 8 1 1\n2 1 3\n2 5 2 1\n3 1 2 3\n2 6 2 1\n4 1 3 4\n$EndElements\n";
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = parse(3, text);
  assert_int_equal(mesh->elements, 2);
  for (int k = 0; k < 2; k++) {
    assert_true(wisp_groups_have(&mesh->groups, mesh->region[k], 4));
    assert_true(wisp_groups_have(&mesh->groups, mesh->region[k], 5) == (k == 1));
  }
  assert_true(wisp_groups_have(&mesh->groups, mesh->tag[0], 3));
  for (int f = 1; f < 6; f++) assert_int_equal(mesh->tag[f], 0);
  for (size_t i = 0; i < mesh->groups.count; i++)
    assert_true(mesh->groups.list[i].dimension == 2 || mesh->groups.list[i].number == 3);
}

static const char second_geo[] =
    "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 2, 3}; Physical Volume(1) = {1}; Physical Surface(7) = "
    "{1:6};\n"
    "Mesh.MeshSizeMax = 0.9; Mesh 3; Save \"one.msh\"; SetOrder 2; Save \"two.msh\"; Mesh.MshFileVersion = 2.2;\n"
    "Mesh.Binary = 1; Save \"binary.msh\"; SetOrder 3; Save \"three.msh\";\n";
static const char second_hex_geo[] =
    "Mesh.SecondOrderIncomplete = %d;\nPoint(1) = {0, 0, 0, 0.5}; x[] = Extrude {1, 0, 0} { Point{1}; Layers{2}; };\n"
    "y[] = Extrude {0, 1, 0.2} { Curve{x[1]}; Layers{2}; Recombine; };\n"
    "z[] = Extrude {0.3, 0, 1} { Surface{y[1]}; Layers{2}; Recombine; };\nPhysical Volume(1) = {z[1]};\n"
    "Mesh 3; SetOrder 2; Save \"hex%d.msh\";\n";
static const char ball_geo[] = "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 1}; Physical Volume(1) = {1};\n"
                               "Mesh.MeshSizeMax = 0.8; Mesh 3; SetOrder 2; Save \"ball.msh\";\n";

/* Straight elements of order 2 are those of order 1, and what is curved is not taken for them. */
TEST_IN_FOLDER(test_second_order)
{
  static const char *const names[] = {"one.msh", "two.msh", "binary.msh"};
  static const char *const refused[] = {"ball.msh", "three.msh"};
  size_t elements = 0, faces = 0;
  run_gmsh(*state, second_geo);
  run_gmsh(*state, ball_geo);
  for (int i = 0; i < 3; i++) {
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = read_mesh(*state, 4, names[i]);
    if (!i) elements = mesh->elements, faces = faces_in(mesh, 7);
    assert_true(mesh->elements == elements && faces_in(mesh, 7) == faces && faces > 50);
    assert_true(fabs(measure(mesh) - 6) < 1e-8);
  }
  for (int i = 0; i < 2; i++) {
    wisp_error why = {.text = ""};
    wisp_mesh *mesh = NULL;
    assert_int_equal(wisp_mesh_read(&why, 4, 0, fixture_path(*state, refused[i]), &mesh), WISP_EINPUT);
    assert_non_null(strstr(why.text, i ? "a tetrahedron of order 3" : "is curved"));
    assert_non_null(strstr(why.text, "SetOrder 1"));
  }
}

TEST_IN_FOLDER(test_second_order_hexes)
{
  for (int incomplete = 0; incomplete < 2; incomplete++) {
    char geo[1024], name[32];
    snprintf(geo, sizeof geo, second_hex_geo, incomplete, incomplete);
    snprintf(name, sizeof name, "hex%d.msh", incomplete);
    run_gmsh(*state, geo);
    size_t length = 0;
    char *text = fixture_read(fixture_path(*state, name), &length);
    assert_non_null(strstr(text, incomplete ? "\n3 1 17 8\n" : "\n3 1 12 8\n"));
    free(text);
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = read_mesh(*state, 8, name);
    assert_true(mesh->elements == 8 && mesh->vertices == 27 && fabs(measure(mesh) - 1) < 1e-12);
  }
}

/* --- formats --- */

#define BODY                                                                                                \
  "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n2\n1 2 3 7 1 0 1 2 3\n2 4 3 5 1 0 " \
  "1 2 3 4\n$EndElements\n"

TEST(test_formats)
{
  static const char *const names[] = {
      "$MeshFormat\n2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n7 \"floor\"\n5 \"air\"\n$EndPhysicalNames\n" BODY,
      "$MeshFormat\n2.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"floor\"\n3 5 \"air\"\n$EndPhysicalNames\n" BODY};
  for (int i = 0; i < 2; i++) {
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = parse(4, names[i]);
    assert_true(mesh->elements == 1 && mesh->region[0] == 5);
    assert_true(faces_in(mesh, 7) == 1);
    assert_int_equal(mesh->groups.count, 2);
    for (size_t g = 0; g < 2; g++) {
      assert_int_equal(mesh->groups.list[g].dimension, g ? 3 : 2);
      assert_string_equal(mesh->groups.list[g].name, g ? "air" : "floor");
    }
  }
}

/* Quadrangles of orders 3 to 5 are mere faces of hexahedra. */
TEST(test_facets)
{
  static const int nodes[3] = {16, 25, 36};
  for (int i = 0; i < 3; i++) {
    HELD(wisp_text_free) wisp_text text = {0};
    GOOD(wisp_text_print(err, &text, FORMAT_2 CUBE "$Elements\n2\n1 %d 2 9 1", 36 + i));
    for (int n = 0; n < nodes[i]; n++) GOOD(wisp_text_print(err, &text, " %d", n % 8 + 1));
    GOOD(wisp_text_print(err, &text, "\n2 5 2 1 1 1 2 3 4 5 6 7 8\n$EndElements\n"));
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = parse(8, text.data);
    assert_int_equal(mesh->elements, 1);
  }
}

/* --- standard input --- */

/* The command's output, with the file as its standard input. */
static char *run_piped(const char *folder, const char *name, const char *arguments)
{
  const char *command = getenv("WISP_COMMAND");
  char line[1024], path[256];
  size_t length = 0;
  fixture_fill(fixture_path(folder, "user.db"), 0, 0);
  snprintf(path, sizeof path, "%s/out", folder);
  snprintf(line, sizeof line, "cat %s/%s | WISP_DB=%s/user.db %s %s >%s 2>%s/err", folder, name, folder,
           command && *command ? command : "build/wisp", arguments, path, folder);
  if (system(line) != 0) fail_msg("%s: %s", line, fixture_read(fixture_path(folder, "err"), &length));
  return fixture_read(path, &length);
}

/* A run makes the mesh once; a bench makes it for each precision. */
TEST_IN_FOLDER(test_input)
{
  static const char two[] = FORMAT_2 CUBE "$Elements\n2\n1 4 2 1 1 1 2 3 6\n2 4 2 1 1 1 6 3 8\n$EndElements\n";
  static const char *const commands[] = {
      "run maxwell --default -n 1 --steps 2 --json -q -d host --mesh -",
      "bench -f nodal -n 1 -p f32,f64 -k update --elements 96 --json -q -d host --mesh -", "mesh - --json -q"};
  fixture_write(fixture_path(*state, "two.msh"), two, strlen(two));
  for (int i = 0; i < 3; i++) {
    const bool rows = i == 1;
    OWNED(free) char *out = run_piped(*state, "two.msh", commands[i]);
    OWNED(cJSON_Delete) cJSON *json = cJSON_Parse(out);
    if (rows) assert_int_equal(cJSON_GetArraySize(json), 2);
    for (int r = 0; r <= rows; r++)
      assert_true(json_number(rows ? cJSON_GetArrayItem(json, r) : json, rows ? "mesh_elements" : "elements") == 2);
  }
}

/* --- what helps --- */

TEST_IN_FOLDER(test_remedies)
{
  static const struct {
    const char *name, *text, *problem, *remedy;
  } bad[] = {
      {"a.geo", "Point(1) = {0, 0, 0};\n", "maxwell", "gmsh -3 FILE"},
      {"a.step", "ISO-10303-21;\n", "heat", "gmsh -2 FILE"},
      {"a.msh", "\x1f\x8b\x08", "maxwell", "gunzip FILE"},
      {"a.msh.xz",
       "\xfd"
       "7zXZ",
       "maxwell", "unxz FILE"},
      {"a.vtk", "# vtk DataFile Version 3.0\n", "maxwell", "gmsh FILE -save -o new.msh"},
      {"quads.msh", FORMAT_2 CUBE "$Elements\n1\n1 3 2 1 1 1 2 3 4\n$EndElements\n", "heat", "mesh without Recombine"},
      {"hexes.msh", FORMAT_2 CUBE "$Elements\n1\n1 5 2 1 1 1 2 3 4 5 6 7 8\n$EndElements\n", "maxwell",
       "without Recombine"},
      {"tets.msh", FORMAT_2 CUBE "$Elements\n1\n1 4 2 1 1 1 2 3 6\n$EndElements\n", "helmholtz", "gmsh -2"},
      {"tets.msh", FORMAT_2 CUBE "$Elements\n1\n1 4 2 1 1 1 2 3 6\n$EndElements\n", "poisson", "transfinite"},
      {"old.msh", "$NOD\n1\n1 0 0 0\n", "maxwell", "-format msh41"},
      {"surface.msh", FORMAT_2 CUBE "$Elements\n2\n1 2 2 1 1 1 2 3\n2 2 2 1 1 2 3 6\n$EndElements\n", "heat",
       "gmsh -3"},
  };
  for (size_t i = 0; i < WISP_COUNT(bad); i++)
    run_expect(*state, "", 1, bad[i].remedy, "run %s -n 1 -d host --mesh %s", bad[i].problem,
               fixture_text(*state, bad[i].name, bad[i].text));
}
