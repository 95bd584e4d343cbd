/* Claim: a .vtu file holds the points and fields that were given, in VTK's order of the points of a Lagrange tet; where
 * it cannot be written there is one line of reason and no file. */
#include "test.h"
#include "store_fixture.h"
#include "../gen/text.h"
#include "../runtime/mesh/vtu.h"

#include <signal.h>
#include <sys/resource.h>

enum { MOST = 286 };

static int points_of(int N)
{
  return (N + 1) * (N + 2) * (N + 3) / 6;
}

/* Every lattice point has one place; the lattice fills the bi-unit tet, r fastest. */
TEST(test_bijection)
{
  for (int N = 1; N <= 10; N++) {
    int point[MOST], seen[MOST] = {0}, at = 0;
    double r[MOST], s[MOST], t[MOST];
    GOOD(wisp_vtu_order(err, 4, N, point));
    GOOD(wisp_vtu_lattice(err, N, r, s, t));
    for (int v = 0; v < points_of(N); v++) {
      assert_in_range(point[v], 0, points_of(N) - 1);
      assert_int_equal(seen[point[v]]++, 0);
    }
    for (int k = 0; k <= N; k++)
      for (int j = 0; j + k <= N; j++)
        for (int i = 0; i + j + k <= N; i++, at++) {
          assert_true(fabs(r[at] + 1 - 2.0 * i / N) < 1e-15);
          assert_true(fabs(s[at] + 1 - 2.0 * j / N) < 1e-15 && fabs(t[at] + 1 - 2.0 * k / N) < 1e-15);
        }
    assert_int_equal(at, points_of(N));
  }
}

/* Vertices, then edges 01 12 20 03 13 23, each from its first vertex to its second. */
TEST(test_vertices_and_edges)
{
  static const double corner[4][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (int N = 1; N <= 10; N++) {
    int point[MOST];
    double x[3][MOST];
    GOOD(wisp_vtu_order(err, 4, N, point));
    GOOD(wisp_vtu_lattice(err, N, x[0], x[1], x[2]));
    for (int v = 0; v < 4; v++)
      for (int c = 0; c < 3; c++) assert_true(fabs(x[c][point[v]] - corner[v][c]) < 1e-14);
    for (int e = 0; e < 6; e++)
      for (int i = 1; i < N; i++)
        for (int c = 0; c < 3; c++) {
          const double *a = corner[edges[e][0]], *b = corner[edges[e][1]];
          double expected = a[c] + (b[c] - a[c]) * i / N;
          assert_true(fabs(x[c][point[4 + e * (N - 1) + i - 1]] - expected) < 1e-14);
        }
  }
}

/* Faces 013, 231, 032, 021 follow the edges, then the inside; order 4 by vtkLagrangeTetra of VTK 9, in steps of r, s,
 * t. */
TEST(test_faces_of_order_4)
{
  static const int expected[13][3] = {{1, 0, 1}, {2, 0, 1}, {1, 0, 2}, {1, 2, 1}, {1, 1, 2}, {2, 1, 1}, {0, 1, 1},
                                      {0, 1, 2}, {0, 2, 1}, {1, 1, 0}, {1, 2, 0}, {2, 1, 0}, {1, 1, 1}};
  int point[MOST];
  double x[3][MOST];
  GOOD(wisp_vtu_order(err, 4, 4, point));
  GOOD(wisp_vtu_lattice(err, 4, x[0], x[1], x[2]));
  for (int v = 0; v < 13; v++)
    for (int c = 0; c < 3; c++) assert_true(fabs(2 * (x[c][point[22 + v]] + 1) - expected[v][c]) < 1e-14);
}

/* A hex's corners turn around its lower face, then its upper one; its edges likewise, then the upright ones; the faces
 * across r, s and t, the lower first, and the middle: order 2 by vtkLagrangeHexahedron of VTK 9, in steps of r, s, t.
 */
TEST(test_hexes)
{
  static const int expected[27][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2},
                                      {0, 2, 2}, {1, 0, 0}, {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2},
                                      {1, 2, 2}, {0, 1, 2}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}, {0, 1, 1},
                                      {2, 1, 1}, {1, 0, 1}, {1, 2, 1}, {1, 1, 0}, {1, 1, 2}, {1, 1, 1}};
  int point[11 * 11 * 11];
  GOOD(wisp_vtu_order(err, 8, 2, point));
  for (int v = 0; v < 27; v++) assert_int_equal(point[v], expected[v][0] + 3 * (expected[v][1] + 3 * expected[v][2]));
  for (int N = 1; N <= 10; N++) {
    const int points = (N + 1) * (N + 1) * (N + 1);
    int seen[11 * 11 * 11] = {0};
    GOOD(wisp_vtu_order(err, 8, N, point));
    for (int v = 0; v < points; v++) {
      assert_in_range(point[v], 0, points - 1);
      assert_int_equal(seen[point[v]]++, 0);
    }
  }
}

/* Two tets of order 3 and two fields whose values tell element and lattice point. */
enum { N3 = 3, NP3 = 20, ELEMENTS = 2 };
static const char *names[2] = {"Ex", "a<b & \"c\""};

static wisp_status write_two(wisp_error *err, const char *path)
{
  double xyz[ELEMENTS * NP3 * 3], first[ELEMENTS * NP3], second[ELEMENTS * NP3];
  for (int i = 0; i < ELEMENTS * NP3; i++) {
    first[i] = i;
    second[i] = -i;
    for (int c = 0; c < 3; c++) xyz[3 * i + c] = 1000 * i + c;
  }
  const wisp_fields fields = {4, N3, NULL, ELEMENTS, NP3, 2, names, xyz, (double *[]){first, second}, 0};
  return wisp_vtu_write(err, &fields, path);
}

/* The bytes of the array of that name in the appended data, after their count has been checked. */
static const char *find_array(const wisp_text *file, const char *name, size_t bytes)
{
  char mark[64];
  uint64_t count;
  size_t start = 0;
  snprintf(mark, sizeof mark, "Name=\"%s\"", name);
  const char *xml = strstr(file->data, mark), *offset = xml ? strstr(xml, "offset=\"") : NULL;
  const char *data = strstr(file->data, "<AppendedData encoding=\"raw\">\n_");
  assert_true(offset && data);
  assert_int_equal(sscanf(offset, "offset=\"%zu\"", &start), 1);
  data += strlen("<AppendedData encoding=\"raw\">\n_") + start;
  memcpy(&count, data, sizeof count);
  assert_int_equal(count, bytes);
  return data + sizeof count;
}

static void check_values(const wisp_text *file, const char *name, int components, double factor, double step)
{
  int point[MOST];
  const char *data = find_array(file, name, ELEMENTS * NP3 * (size_t)components * sizeof(double));
  GOOD(wisp_vtu_order(err, 4, N3, point));
  for (int k = 0; k < ELEMENTS; k++)
    for (int v = 0; v < NP3; v++)
      for (int c = 0; c < components; c++) {
        double value;
        memcpy(&value, data + sizeof value * (size_t)((k * NP3 + v) * components + c), sizeof value);
        assert_true(value == factor * (k * NP3 + point[v]) + step * c);
      }
}

TEST(test_file)
{
  char folder[64];
  wisp_text file = {0};
  fixture_folder(folder);
  const char *path = fixture_path(folder, "it.vtu");
  for (int twice = 0; twice < 2; twice++) GOOD(write_two(err, path)); /* over an old file */
  GOOD(wisp_read_file(err, path, &file.data, &file.length));
  assert_non_null(strstr(file.data, "NumberOfPoints=\"40\" NumberOfCells=\"2\""));
  check_values(&file, "Points", 3, 1000, 1);
  check_values(&file, "Ex", 1, 1, 0);
  check_values(&file, "a&lt;b &amp; &quot;c&quot;", 1, -1, 0);
  const char *types = find_array(&file, "types", 2), *ends = find_array(&file, "offsets", 16);
  const char *connectivity = find_array(&file, "connectivity", 40 * 8);
  assert_true(types[0] == 71 && types[1] == 71);
  for (int64_t i = 0, value; i < 40; i++) {
    memcpy(&value, connectivity + 8 * i, 8);
    assert_int_equal(value, i);
    if (i < 2) memcpy(&value, ends + 8 * i, 8);
    assert_int_equal(value, i < 2 ? 20 * (i + 1) : i);
  }
  wisp_text_free(&file);
  unlink(path);
  assert_int_equal(rmdir(folder), 0); /* nothing else was left there */
}

TEST(test_refusals)
{
  double r[MOST], s[MOST], t[MOST];
  int point[MOST];
  wisp_error err = {0};
  for (int N = 0; N <= 11; N += 11) {
    assert_int_equal(wisp_vtu_lattice(&err, N, r, s, t), WISP_EUSAGE);
    assert_int_equal(wisp_vtu_order(&err, 4, N, point), WISP_EUSAGE);
    assert_int_equal(wisp_vtu_write(&err, &(const wisp_fields){.corners = 4, .order = N}, "/tmp/never.vtu"),
                     WISP_EUSAGE);
  }
  assert_int_equal(write_two(&err, "/dev/null/it.vtu"), WISP_ESYSTEM);
  assert_non_null(strstr(err.text, "/dev/null/it.vtu: cannot be written"));
}

/* A limit on file size stands for a full disk: the reason is told, and neither the file nor its beginning is left. */
TEST(test_full_disk)
{
  char folder[64];
  struct rlimit old, small;
  wisp_error err = {0};
  fixture_folder(folder);
  const char *path = fixture_path(folder, "it.vtu");
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  small = old;
  for (rlim_t limit = 0; limit <= 2000; limit += 500) {
    small.rlim_cur = limit;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    wisp_status status = write_two(&err, path);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, WISP_ESYSTEM);
    assert_non_null(strstr(err.text, "it.vtu: cannot be written: File too large"));
  }
  assert_int_equal(rmdir(folder), 0);
}

/* Corners first, then along the edges, then inside: of the triangle of order 3, whose lattice has four points a side.
 */
TEST(test_triangle)
{
  static const int expected[] = {0, 3, 9, 1, 2, 6, 8, 7, 4, 5};
  int point[286];
  GOOD(wisp_vtu_order(err, 3, 3, point));
  assert_memory_equal(point, expected, sizeof expected);
}
