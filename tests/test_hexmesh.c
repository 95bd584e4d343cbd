/* Claim: GLL nodes of a conforming hex mesh are numbered continuously at every order, however its elements are turned:
 * elements that share a node agree on its number and place, and different nodes have different numbers; what is no such
 * mesh is refused with one clear line. */
#include "test.h"
#include "bent_box.h"
#include "../runtime/mesh/hexmesh.h"
#include "../runtime/mesh/mesh.h"

static wisp_hexmesh *bent_box(int nx, int ny, int nz)
{
  const int n[3] = {nx, ny, nz};
  wisp_hexmesh *mesh = NULL;
  GOOD(wisp_mesh_grid(err, 8, n, &mesh));
  GOOD(bend_box(err, mesh, 0.05));
  return mesh;
}

/* One of a hex's 24 orientations: the same hex with other axes r, s, t. */
static void turn_hex(int32_t hex[8], size_t orientation)
{
  static const int even[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}, odd[3][3] = {{1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
  const size_t flips = orientation / 6 * 2;
  int32_t old[8];
  memcpy(old, hex, sizeof old);
  /* An even permutation of the axes goes with an even number of mirrored ones, an odd one with an odd number. */
  const int *axis = orientation % 6 < 3 ? even[orientation % 6] : odd[orientation % 6 - 3];
  int mirrored = (int)flips, parity = (mirrored & 1) ^ (mirrored >> 1 & 1) ^ (mirrored >> 2 & 1);
  if (parity != (orientation % 6 >= 3)) mirrored ^= 1;
  for (int v = 0; v < 8; v++) {
    int from = 0;
    for (int d = 0; d < 3; d++) from |= ((v >> d & 1) ^ (mirrored >> d & 1)) << axis[d];
    hex[v] = old[from];
  }
}

static void turn_elements(wisp_hexmesh *mesh)
{
  for (size_t k = 0; k < mesh->elements; k++) turn_hex(mesh->hex + 8 * k, 7 * k % 24);
  GOOD(wisp_mesh_connect(err, "turned", mesh));
}

/* The place of the node at q of an element; any points symmetric in [-1, 1] do. */
static void place(const wisp_hexmesh *mesh, size_t k, size_t Nq, size_t q, double x[3])
{
  const double N = (double)Nq - 1;
  const size_t p[3] = {q % Nq, q / Nq % Nq, q / Nq / Nq};
  x[0] = x[1] = x[2] = 0;
  for (size_t v = 0; v < 8; v++) {
    double weight = 1;
    for (size_t d = 0; d < 3; d++) {
      double r = (1 - cos(acos(-1) * (double)p[d] / N)) / 2;
      weight *= v >> d & 1 ? r : 1 - r;
    }
    for (size_t c = 0; c < 3; c++) x[c] += weight * mesh->xyz[3 * (size_t)mesh->hex[8 * k + v] + c];
  }
}

static int compare_places(const void *left, const void *right)
{
  const double *a = left, *b = right;
  for (int c = 0; c < 3; c++)
    if (fabs(a[c] - b[c]) > 1e-9) return a[c] < b[c] ? -1 : 1;
  return 0;
}

/* Same number, same place; and no two numbers at one place. */
static void check_nodes(const wisp_hexmesh *mesh, const wisp_hexnodes *nodes)
{
  const size_t Nq = (size_t)nodes->Nq, Np = Nq * Nq * Nq;
  double *at = allocate(nodes->nodes * 3, sizeof *at), x[3];
  for (size_t i = 0; i < 3 * nodes->nodes; i++) at[i] = NAN;
  for (size_t l = 0; l < mesh->elements * Np; l++) {
    double *known = at + 3 * (size_t)nodes->global[l];
    assert_true(nodes->global[l] >= 0 && (size_t)nodes->global[l] < nodes->nodes);
    place(mesh, l / Np, Nq, l % Np, x);
    for (size_t c = 0; c < 3; c++) {
      if (isnan(known[c])) known[c] = x[c];
      assert_true(fabs(known[c] - x[c]) < 1e-13);
    }
  }
  for (size_t i = 0; i < 3 * nodes->nodes; i++) assert_true(!isnan(at[i]));
  qsort(at, nodes->nodes, 3 * sizeof *at, compare_places);
  for (size_t i = 1; i < nodes->nodes; i++) assert_true(compare_places(at + 3 * i - 3, at + 3 * i) < 0);
  free(at);
}

/* ((Nq - 1) nx + 1) ((Nq - 1) ny + 1) ((Nq - 1) nz + 1) nodes, of which those on the sides are outside. */
TEST(test_count)
{
  for (int N = 1; N <= 15; N++) {
    const int n[3] = {3, 2, 1 + N % 2};
    OWNED(wisp_mesh_destroy) wisp_hexmesh *mesh = bent_box(n[0], n[1], n[2]);
    OWNED(wisp_hexnodes_destroy) wisp_hexnodes *nodes = NULL;
    size_t all = 1, inside = 1, outside = 0;
    turn_elements(mesh);
    GOOD(wisp_hexnodes_create(err, "box", mesh, N, &nodes));
    for (int d = 0; d < 3; d++) all *= (size_t)(N * n[d] + 1), inside *= (size_t)(N * n[d] - 1);
    assert_int_equal(nodes->nodes, all);
    for (size_t g = 0; g < nodes->nodes; g++) outside += nodes->outside[g];
    assert_int_equal(outside, all - inside);
  }
}

TEST(test_places)
{
  for (int N = 1; N <= 6; N++) {
    OWNED(wisp_mesh_destroy) wisp_hexmesh *mesh = bent_box(4, 3, 5);
    OWNED(wisp_hexnodes_destroy) wisp_hexnodes *nodes = NULL;
    turn_elements(mesh);
    GOOD(wisp_hexnodes_create(err, "box", mesh, N, &nodes));
    check_nodes(mesh, nodes);
  }
}

/* The place where the short form finds copy i of an unknown; -1: nowhere. */
static int32_t short_place(const wisp_hexnodes *nodes, const wisp_hexcopies *copies, size_t g, int32_t i)
{
  const size_t Nq = (size_t)nodes->Nq, n = Nq - 2, own = n * n * n, q = g % own;
  if (g < copies->within)
    return i ? -1 : (int32_t)(g / own * Nq * Nq * Nq + ((q / n / n + 1) * Nq + q / n % n + 1) * Nq + q % n + 1);
  const int32_t two = copies->two[g - copies->within];
  if (i == 0) return copies->one[g - copies->within];
  if (two >= 0) return i == 1 ? two : -1;
  return i <= copies->more[-1 - two] ? copies->more[-1 - two + i] : -1;
}

/* The short form says the same as the long one. */
static void check_short_lists(const wisp_hexnodes *nodes, const wisp_hexcopies *copies)
{
  assert_int_equal(copies->within, nodes->elements * 8);
  for (size_t g = 0; g < copies->unknowns; g++) {
    const int32_t count = copies->start[g + 1] - copies->start[g];
    for (int32_t i = 0; i < count; i++)
      assert_int_equal(short_place(nodes, copies, g, i), copies->copy[copies->start[g] + i]);
    assert_int_equal(short_place(nodes, copies, g, count), -1);
  }
}

/* Nodes on the elements' surfaces, in order, are all but those within. */
static void check_surfaces(const wisp_hexnodes *nodes, const wisp_hexcopies *copies)
{
  size_t next = 0;
  for (size_t l = 0; l < nodes->elements * 64; l++) {
    const int32_t g = copies->unknown[nodes->global[l]];
    if (g < 0 || (size_t)g >= copies->within) assert_int_equal(copies->surface[next++], g);
  }
  assert_int_equal(next, copies->surfaces);
}

/* The lists of copies hold every local node of an unknown once, ascending, and no other. */
TEST(test_copies)
{
  for (int inside_only = 0; inside_only < 2; inside_only++) {
    OWNED(wisp_mesh_destroy) wisp_hexmesh *mesh = bent_box(3, 4, 2);
    OWNED(wisp_hexnodes_destroy) wisp_hexnodes *nodes = NULL;
    OWNED(wisp_hexcopies_destroy) wisp_hexcopies *copies = NULL;
    size_t seen = 0, free_locals = 0;
    GOOD(wisp_hexnodes_create(err, "box", mesh, 3, &nodes));
    GOOD(wisp_hexcopies_create(err, nodes, inside_only, &copies));
    assert_int_equal(copies->unknowns, inside_only ? 8 * 11 * 5 : 10 * 13 * 7);
    for (size_t l = 0; l < 24 * 64; l++) free_locals += copies->unknown[nodes->global[l]] >= 0;
    for (size_t g = 0; g < copies->unknowns; g++)
      for (int32_t c = copies->start[g]; c < copies->start[g + 1]; c++, seen++) {
        assert_int_equal(copies->unknown[nodes->global[copies->copy[c]]], g);
        assert_true(c == copies->start[g] || copies->copy[c - 1] < copies->copy[c]);
      }
    assert_int_equal(seen, free_locals);
    assert_int_equal(copies->copies, free_locals);
    check_short_lists(nodes, copies);
    check_surfaces(nodes, copies);
    for (size_t n = 0; n < nodes->nodes; n++)
      assert_int_equal(copies->unknown[n] < 0, inside_only && nodes->outside[n]);
  }
}

/* A quadrilateral of unstructured, recombined elements, extruded; saved in both versions, as text and binary. */
static const char prism_geo[] =
    "General.NumThreads = 1;\nPoint(1) = {0, 0, 0, 0.4}; Point(2) = {1, 0, 0, 0.4}; Point(3) = {1.5, 1, 0, 0.2};\n"
    "Point(4) = {0, 1, 0, 0.4};\nLine(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};\n"
    "Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};\nMesh.RecombinationAlgorithm = 2; Recombine Surface {1};\n"
    "out[] = Extrude {0, 0, 1} { Surface{1}; Layers{3}; Recombine; };\nPhysical Volume(1) = {out[1]};\nMesh 3;\n"
    "Mesh.MshFileVersion = 2.2; Mesh.Binary = 0; Save \"22a.msh\";\nMesh.Binary = 1; Save \"22b.msh\";\n"
    "Mesh.MshFileVersion = 4.1; Mesh.Binary = 0; Save \"41a.msh\";\nMesh.Binary = 1; Save \"41b.msh\";\n";
static const char *const variants[4] = {"22a.msh", "22b.msh", "41a.msh", "41b.msh"};

TEST(test_gmsh)
{
  char folder[] = "/tmp/wisp_hexmesh_XXXXXX", command[256], path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/it.geo", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(prism_geo, file);
  assert_int_equal(fclose(file), 0);
  snprintf(command, sizeof command, "cd %s && gmsh it.geo -v 1 -nt 1 - >log 2>&1", folder);
  if (system(command) != 0) fail_msg("the command gmsh failed or is missing; see %s/log", folder);
  size_t elements = 0;
  for (int i = 0; i < 4; i++) {
    OWNED(wisp_mesh_destroy) wisp_hexmesh *mesh = NULL;
    OWNED(wisp_hexnodes_destroy) wisp_hexnodes *nodes = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, variants[i]);
    GOOD(wisp_mesh_read(err, 8, 0, path, &mesh));
    assert_true(mesh->elements > 30 && mesh->elements % 3 == 0);
    if (i) assert_int_equal(mesh->elements, elements);
    elements = mesh->elements;
    GOOD(wisp_hexnodes_create(err, path, mesh, 4, &nodes));
    check_nodes(mesh, nodes);
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

#define NODES                                                                                                \
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n" \
  "7 1 1 1\n8 0 1 1\n9 0 0 2\n10 1 0 2\n11 1 1 2\n12 0 1 2\n$EndNodes\n"
#define ELEMENTS(count, lines) NODES "$Elements\n" count "\n" lines "$EndElements\n"
#define HEX "1 5 2 0 1 1 2 3 4 5 6 7 8\n"

TEST(test_bad_files)
{
  static const struct {
    const char *text, *why;
  } bad[] = {
      {ELEMENTS("1", "1 4 2 0 1 1 2 3 5\n"), "only straight hexahedra"},
      {ELEMENTS("2", HEX "2 6 2 0 1 5 6 7 9 10 11\n"), "bad.msh:22: a prism"},
      {ELEMENTS("1", "1 2 2 0 1 1 2 3\n"), "no hexes"},
      {ELEMENTS("1", "1 5 2 0 1 1 2 3 4 5 6 7 20\n"), "hex 0 uses node 20, which $Nodes does not have"},
      {ELEMENTS("1", "1 5 2 0 1 1 2 3 4 5 6 7 7\n"), "degenerate: vertex 6 is two of its corners"},
      {ELEMENTS("1", "1 5 2 0 1 1 2 4 3 5 6 7 8\n"), "degenerate: its Jacobian is positive at"},
      {ELEMENTS("1", "1 5 2 0 1 1 2 3\n"), "expected an integer"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    wisp_error reason = {0};
    wisp_hexmesh *mesh = NULL;
    if (wisp_mesh_parse(&reason, 8, 0, "bad.msh", bad[i].text, strlen(bad[i].text), &mesh) != WISP_EINPUT)
      fail_msg("not refused: %s", bad[i].why);
    assert_null(mesh);
    if (!strstr(reason.text, bad[i].why) || strchr(reason.text, '\n'))
      fail_msg("'%s' not in: %s", bad[i].why, reason.text);
  }
  wisp_error reason = {0};
  wisp_mesh *tets = NULL;
  assert_int_equal(wisp_mesh_parse(&reason, 4, 0, "bad.msh", ELEMENTS("1", HEX), strlen(ELEMENTS("1", HEX)), &tets),
                   WISP_EINPUT);
  assert_non_null(strstr(reason.text, "only straight tetrahedra"));
}

static void refuse_numbering(wisp_hexmesh *mesh, int order, wisp_status expected, const char *why)
{
  wisp_error reason = {0};
  wisp_hexnodes *nodes = NULL;
  assert_int_equal(wisp_hexnodes_create(&reason, "bad", mesh, order, &nodes), expected);
  assert_null(nodes);
  if (!strstr(reason.text, why)) fail_msg("'%s' not in: %s", why, reason.text);
}

TEST(test_bad_numbering)
{
  OWNED(wisp_mesh_destroy) wisp_hexmesh *mesh = bent_box(2, 1, 1);
  const int none[3] = {2, 0, 2};
  OWNED(wisp_mesh_destroy) wisp_hexmesh *box = NULL;
  assert_int_equal(wisp_mesh_grid(NULL, 8, none, &box), WISP_EUSAGE);
  refuse_numbering(mesh, 0, WISP_EUSAGE, "use 1 to 15");
  refuse_numbering(mesh, 16, WISP_EUSAGE, "use 1 to 15");
  memcpy(mesh->hex + 8, mesh->hex, 8 * sizeof *mesh->hex); /* one element twice: nothing shared but all */
  GOOD(wisp_mesh_create(err, 8, mesh->vertices, 3, &box));
  memcpy(box->xyz, mesh->xyz, 3 * mesh->vertices * sizeof *mesh->xyz);
  for (size_t k = 0; k < 3; k++) memcpy(box->hex + 8 * k, mesh->hex, 8 * sizeof *mesh->hex);
  refuse_numbering(box, 2, WISP_EINPUT, "was one element saved twice?");
}

/* The unit cube and another hex on its face z = 0 that reaches to this z. */
static wisp_hexmesh *two_on_a_face(double z)
{
  wisp_hexmesh *mesh = NULL;
  GOOD(wisp_mesh_create(err, 8, 12, 2, &mesh));
  for (int v = 0; v < 12; v++) {
    const double x[3] = {v & 1, v >> 1 & 1, v < 8 ? v >> 2 : z};
    memcpy(mesh->xyz + 3 * v, x, sizeof x);
    if (v < 8) mesh->hex[v] = v;
  }
  for (int v = 0; v < 8; v++) mesh->hex[8 + v] = (v < 4) == (z < 0) ? 8 + v % 4 : v % 4;
  return mesh;
}

/* Two hexes on one side of a face are refused however they are turned, be they one hex saved twice or not; on two sides
 * they are neighbours. */
TEST(test_overlaps)
{
  static const int32_t repeated[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (size_t orientation = 0; orientation < 24 * 24; orientation++)
    for (int which = 0; which < 3; which++) {
      OWNED(wisp_mesh_destroy) wisp_hexmesh *mesh = two_on_a_face(which ? 0.5 : -0.5);
      if (which == 2) memcpy(mesh->hex + 8, repeated, sizeof repeated);
      turn_hex(mesh->hex, orientation % 24);
      turn_hex(mesh->hex + 8, orientation / 24);
      GOOD(wisp_mesh_connect(err, "two", mesh)); /* each is good by itself */
      if (which) {
        refuse_numbering(mesh, 2, WISP_EINPUT, "hexes 0 and 1 overlap: both lie on one side of face");
      } else {
        OWNED(wisp_hexnodes_destroy) wisp_hexnodes *nodes = NULL;
        GOOD(wisp_hexnodes_create(err, "two", mesh, 2, &nodes));
        assert_int_equal(nodes->nodes, 3 * 3 * 5);
      }
    }
}
