/* Claim: nodes of triangles and tets are numbered once each, where they lie alike in all triangles that have them, and
 * the matrix's pattern is what a brute search finds, with as many nonzeros as the formula says, on boxes and on an
 * irregular mesh; meshes that are none are refused by name. */
#include "test.h"
#include "parts.h"
#include "../gen/assembly/simplex.h"
#include "../runtime/assembly/assembly.h"
#include "../runtime/assembly/list_kind.h"
#include "../runtime/mesh/source.h"
#include "../runtime/mesh/mesh.h"

static const wisp_fixing nothing = {.all = false}, boundary = {.all = true};

static const wisp_mesh_source box = {.box = {3, 4}}, small = {.box = {2}},
                              irregular = {.box = {5, 4}, .jitter = 0.2, .shuffle = true, .seed = 7},
                              shuffled = {.box = {2}, .jitter = 0.2, .shuffle = true, .seed = 7};
static const struct {
  int corners;
  const wisp_mesh_source *source;
} meshes[] = {{3, &box}, {3, &irregular}, {4, &small}, {4, &shuffled}};

static wisp_mesh *make(size_t i)
{
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_make(err, meshes[i].corners, meshes[i].source, &mesh));
  GOOD(wisp_mesh_apply_order(err, mesh));
  return mesh;
}

static wisp_simplexnodes *make_nodes(const wisp_mesh *mesh, int order, const wisp_fixing *fixed)
{
  wisp_simplexnodes *nodes = NULL;
  GOOD(wisp_simplexnodes_create(err, "mesh", mesh, order, fixed, &nodes));
  return nodes;
}

/* Every pair of unknowns of every element, once, in a table. */
static size_t brute(const wisp_simplexnodes *nodes, unsigned char *pairs)
{
  const size_t Np = (size_t)nodes->Np, n = nodes->unknowns;
  size_t count = 0;
  memset(pairs, 0, n * n);
  for (size_t i = 0; i < nodes->elements * Np * Np; i++) {
    const size_t e = i / Np / Np, row = (size_t)nodes->node[e * Np + i / Np % Np],
                 column = (size_t)nodes->node[e * Np + i % Np];
    if (row >= n || column >= n) continue;
    count += !pairs[row * n + column];
    pairs[row * n + column] = 1;
  }
  return count;
}

/* Each nonzero has a place of its own, in its column, beside the same numbers of its slice's other rows; a slice is as
 * wide as its longest row, and what fills it up is nobody's. */
static void check_slices(const wisp_pattern *p)
{
  OWNED(wisp_slices_destroy) wisp_slices *slices = NULL;
  size_t filled = 0, places = 0;
  GOOD(wisp_slices_create(err, "mesh", p, &slices));
  for (size_t row = 0, longest = 0; row < p->rows; row++) {
    for (int32_t slot = 0; slot < p->start[row + 1] - p->start[row]; slot++) {
      const size_t place = (size_t)wisp_slices_position(slices, (int32_t)row, slot);
      assert_int_equal(wisp_slices_nonzero(slices, p, place), p->start[row] + slot);
      assert_int_equal(slices->column[place], p->column[p->start[row] + slot]);
      assert_int_equal(place % WISP_SLICE_ROWS, row % WISP_SLICE_ROWS);
    }
    if (p->start[row + 1] - p->start[row] > (int32_t)longest) longest = (size_t)(p->start[row + 1] - p->start[row]);
    if (row + 1 < p->rows && (row + 1) % WISP_SLICE_ROWS) continue;
    places += longest * WISP_SLICE_ROWS, longest = 0;
    assert_int_equal(slices->start[row / WISP_SLICE_ROWS + 1], places);
  }
  assert_int_equal(slices->size, places);
  for (size_t place = 0; place < places; place++) filled += wisp_slices_nonzero(slices, p, place) != SIZE_MAX;
  assert_int_equal(filled, p->nonzeros);
}

static void check_pattern(const wisp_mesh *mesh, int order, const wisp_fixing *fixed)
{
  OWNED(wisp_simplexnodes_destroy) wisp_simplexnodes *nodes = make_nodes(mesh, order, fixed);
  OWNED(wisp_pattern_destroy) wisp_pattern *p = NULL;
  GOOD(wisp_pattern_create(err, "mesh", nodes, &p));
  const size_t n = nodes->unknowns;
  OWNED(free) unsigned char *pairs = calloc(n * n, 1);
  assert_non_null(pairs);
  assert_int_equal(p->rows, n);
  assert_int_equal(p->nonzeros, brute(nodes, pairs));
  for (size_t row = 0; row < n; row++)
    for (int32_t i = p->start[row]; i < p->start[row + 1]; i++) {
      assert_true(pairs[row * n + (size_t)p->column[i]]);
      assert_true(i == p->start[row] || p->column[i - 1] < p->column[i]);
      assert_int_equal(wisp_pattern_slot(p, (int32_t)row, p->column[i]), i - p->start[row]);
    }
  check_slices(p);
}

TEST(test_brute)
{
  for (size_t i = 0; i < WISP_COUNT(meshes); i++) {
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = make(i);
    for (int N = 1; N <= (mesh->corners == 3 ? WISP_SIMPLEX_MAX_ORDER : 4); N++) {
      check_pattern(mesh, N, &nothing);
      if (N < 4 || mesh->corners == 3) check_pattern(mesh, N, &boundary);
      if (mesh->corners == 3) check_pattern(mesh, N, &(wisp_fixing){.count = 2, .tag = (const int32_t[]){1, 4}});
    }
  }
}

/* The size of a matrix follows from the mesh alone: nonzeros are those that it would have, and it is refused where they
 * are more than memory holds, the device's or the host's. */
TEST(test_room)
{
  for (size_t i = 0; i < WISP_COUNT(meshes); i++) {
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = make(i);
    OWNED(wisp_simplexnodes_destroy) wisp_simplexnodes *nodes = make_nodes(mesh, 3, &nothing);
    wisp_limits host = {.kind = "host"}, card = {.kind = "cuda", .gpu = true, .memory = SIZE_MAX};
    wisp_error refused = {.text = ""};
    size_t count[4];
    wisp_pattern_count(mesh, count);
    for (int k = 0; k < 4; k++) assert_int_equal(count[k], nodes->count[k]);
    host.memory = (size_t)(16 * wisp_pattern_nonzeros(3, count));
    GOOD(wisp_pattern_check(err, "mesh", 3, count, WISP_F64, &host));
    host.memory--;
    assert_int_equal(wisp_pattern_check(&refused, "mesh", 3, count, WISP_F64, &host), WISP_EUSAGE);
    assert_non_null(strstr(refused.text, "mesh of order 3: the matrix alone takes"));
    host.gpu = true, host.memory = (size_t)(8 * wisp_pattern_nonzeros(3, count)) - 1;
    assert_int_equal(wisp_pattern_check(&refused, "mesh", 3, count, WISP_F32, &host), WISP_EUSAGE);
    GOOD(wisp_pattern_check(err, "mesh", 3, count, WISP_F64, &card));
    for (int k = 0; k < 4; k++) count[k] *= 100000000;
    assert_int_equal(wisp_pattern_check(&refused, "mesh", 3, count, WISP_F64, &card), WISP_EUSAGE);
    assert_non_null(strstr(refused.text, "nonzeros, more than 2^31 - 1"));
  }
}

static void count_nonzeros(const wisp_mesh *mesh, int N, size_t expected)
{
  int inside[4], pairs[4];
  OWNED(wisp_simplexnodes_destroy) wisp_simplexnodes *nodes = make_nodes(mesh, N, &nothing);
  OWNED(wisp_pattern_destroy) wisp_pattern *p = NULL;
  GOOD(wisp_pattern_create(err, "mesh", nodes, &p));
  const size_t *n = nodes->count;
  assert_int_equal(n[0] + n[2], n[1] + n[3] + 1); /* Euler */
  wisp_simplex_own(N, inside, pairs);
  size_t all = 0;
  for (int k = 0; k < 4; k++) all += n[k] * (size_t)inside[k];
  assert_int_equal(nodes->nodes, all);
  assert_true((double)p->nonzeros == wisp_pattern_nonzeros(N, n));
  assert_true(!expected || p->nonzeros == expected);
}

/* Nonzeros of 4 x 4 squares and 4^3 cubes, counted independently; and by the formula on any mesh. */
TEST(test_counts)
{
  static const size_t of_box[2][5] = {{137, 801, 2569, 6209, 12681}, {1333, 17025, 91429, 327073, 919221}};
  wisp_mesh *mesh = NULL;
  for (int corners = 3; corners <= 4; corners++) {
    mesh = make_grid(corners, 4, 4, 4);
    for (int N = 1; N <= WISP_SIMPLEX_MAX_ORDER; N++) count_nonzeros(mesh, N, of_box[corners - 3][N - 1]);
    wisp_mesh_destroy(mesh);
  }
  for (size_t i = 0; i < WISP_COUNT(meshes); i++) {
    mesh = make(i);
    for (int N = 1; N <= WISP_SIMPLEX_MAX_ORDER; N++) count_nonzeros(mesh, N, 0);
    wisp_mesh_destroy(mesh);
  }
}

/* The first element's view of a shared node is the last one's: as if elements came the other way round. */
static void check_views(const wisp_mesh *mesh, const wisp_simplexnodes *nodes, const double *at, double *repeated)
{
  const size_t K = mesh->elements, Np = (size_t)nodes->Np, corners = (size_t)mesh->corners;
  wisp_simplexnodes other = *nodes;
  wisp_mesh reversed = *mesh;
  other.node = calloc(K * Np, sizeof *other.node), reversed.cell = calloc(K * corners, sizeof *reversed.cell);
  for (size_t k = 0; k < K; k++) {
    memcpy(other.node + k * Np, nodes->node + (K - 1 - k) * Np, Np * sizeof *other.node);
    memcpy(reversed.cell + k * corners, mesh->cell + (K - 1 - k) * corners, corners * sizeof *reversed.cell);
  }
  GOOD(wisp_simplexnodes_points(err, &other, &reversed, &wisp_frame_none, repeated));
  for (size_t i = 0; i < 3 * nodes->nodes; i++) assert_true(fabs(repeated[i] - at[i]) < 1e-14);
  free(other.node), free(reversed.cell);
}

/* A node's place is the same, seen from each element that has it; no two nodes share one; fixed ones lie outside. */
static void check_places(const wisp_mesh *mesh, int N)
{
  OWNED(wisp_simplexnodes_destroy) wisp_simplexnodes *nodes = make_nodes(mesh, N, &boundary);
  OWNED(free) double *at = zeros(3 * nodes->nodes), *repeated = zeros(3 * nodes->nodes);
  GOOD(wisp_simplexnodes_points(err, nodes, mesh, &wisp_frame_none, at));
  for (size_t i = 0; i < nodes->nodes; i++) {
    const double *p = at + 3 * i;
    bool outside = false;
    for (int d = 0; d < nodes->dimension; d++) outside |= fmin(p[d], 1 - p[d]) < 1e-12;
    assert_int_equal(outside, i >= nodes->unknowns);
    for (size_t j = 0; j < i; j++)
      assert_true(hypot(hypot(p[0] - at[3 * j], p[1] - at[3 * j + 1]), p[2] - at[3 * j + 2]) > 1e-3);
  }
  check_views(mesh, nodes, at, repeated);
}

TEST(test_places)
{
  for (size_t i = 1; i < WISP_COUNT(meshes); i += 2) {
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = make(i);
    for (int N = 1; N <= WISP_SIMPLEX_MAX_ORDER; N++) check_places(mesh, N);
  }
}

extern const wisp_list_kind wisp_list_column_blocks;

static wisp_status make_column_blocks(wisp_error *err, wisp_assembly *s, int span, wisp_index_list *list)
{
  wisp_fixed fixed = {.made = false};
  wisp_fixed_ask(&fixed, "tile_nonzeros", span, 0);
  return wisp_list_column_blocks.make(err, s, &fixed, list);
}

/* Rows and nonzeros stand in one block each, in order; a block has each of its columns once; slots lead to them. */
static void check_blocks(wisp_assembly *s, int span)
{
  enum { HEAD = 4 };
  const wisp_pattern *p = s->pattern;
  wisp_index_list made = {.shared = false};
  GOOD(make_column_blocks(err, s, span, &made));
  const int32_t *head = made.array[0].ints, *column = made.array[1].ints, *slot = made.array[2].ints;
  const size_t blocks = made.count[0].value;
  assert_int_equal(head[0] + head[1] + head[2], 0);
  for (size_t b = 0; b < blocks; b++) {
    const int32_t *const at = head + HEAD * b, *const next = at + HEAD;
    assert_true(next[0] > at[0] && next[0] - at[0] <= span / 4);
    assert_true(next[1] - at[1] <= span && next[2] - at[2] <= span / 4);
    assert_int_equal(at[1], p->start[at[0]]);
    for (int32_t i = at[2] + 1; i < next[2]; i++) assert_true(column[i] > column[i - 1]);
    for (int32_t i = at[1]; i < next[1]; i++) {
      assert_true(slot[i] < next[2] - at[2]);
      assert_int_equal(column[at[2] + slot[i]], p->column[i]);
    }
  }
  const int32_t *const end = head + HEAD * blocks;
  assert_true((size_t)end[0] == p->rows && (size_t)end[1] == p->nonzeros && (size_t)end[2] == made.count[2].value);
  for (int i = 0; i < 3; i++) free(made.array[i].ints);
}

TEST(test_blocks)
{
  for (int i = 0; i < 6; i++) {
    const wisp_mesh_source source = {.box = {i % 2 ? 3 : 12, 7}, .jitter = 0.2, .shuffle = true, .seed = 9};
    wisp_error refused = {.text = ""};
    wisp_index_list none = {.shared = false};
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
    OWNED(wisp_assembly_destroy) wisp_assembly *s = NULL;
    GOOD(wisp_mesh_make(err, i % 2 ? 4 : 3, &source, &mesh));
    GOOD(wisp_assembly_create(err, "mesh", mesh, 1 + i / 2, &boundary, &s));
    check_blocks(s, i == 5 ? 4096 : 256);
    assert_int_equal(make_column_blocks(&refused, s, 8, &none), WISP_EREFUSED);
    assert_non_null(strstr(refused.text, "more than a block of rows"));
    for (int k = 0; k < 3; k++) free(none.array[k].ints);
  }
}

/* Triangles in parts by METIS are the same triangles. */
TEST(test_metis)
{
  const wisp_mesh_source source = {.box = {9, 8}, .shuffle = true, .as_asked = true, .ordering = WISP_ORDER_METIS};
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_make(err, 3, &source, &mesh));
  assert_int_equal(mesh->elements, 144);
  for (int N = 1; N <= 3; N++) count_nonzeros(mesh, N, 0);
  check_pattern(mesh, 2, &(wisp_fixing){.count = 2, .tag = (const int32_t[]){1, 4}});
}

/* --- what is refused --- */

/* Four vertices of a square and these triangles. */
static void expect_refused(size_t vertices, size_t elements, const int32_t *corners, const char *why)
{
  static const double at[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0}};
  wisp_error refused = {.text = ""};
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_create(err, 3, vertices, elements, &mesh));
  for (size_t v = 0; v < 2 * vertices; v++) mesh->xyz[v / 2 * 3 + v % 2] = at[v / 2][v % 2];
  memcpy(mesh->tri, corners, 3 * elements * sizeof *corners);
  assert_int_equal(wisp_mesh_connect(&refused, "mesh", mesh), WISP_EINPUT);
  if (!strstr(refused.text, why)) fail_msg("%s", refused.text);
}

TEST(test_bad_meshes)
{
  expect_refused(4, 2, (const int32_t[]){0, 1, 2, 0, 3, 2},
                 "1 of 2 triangles are inverted (negative area), the first is triangle 1");
  expect_refused(5, 1, (const int32_t[]){0, 4, 1}, "triangle 0 (vertices 0 4 1) is degenerate");
  expect_refused(4, 3, (const int32_t[]){0, 1, 2, 0, 2, 3, 1, 2, 0}, "triangles 0 and 2 overlap");
  expect_refused(5, 3, (const int32_t[]){0, 1, 2, 0, 2, 3, 0, 2, 3}, "belongs to no triangle");
  expect_refused(5, 3, (const int32_t[]){0, 1, 2, 0, 2, 3, 0, 4, 2}, "shared by 3 triangles");
  expect_refused(4, 1, (const int32_t[]){0, 1, 7}, "has vertex 7 of a mesh with 4");
  expect_refused(3, 0, (const int32_t[]){0}, "no triangles");
}

TEST(test_bad_numberings)
{
  static const int32_t tags[] = {2, 9};
  const wisp_fixing unknown = {.count = 2, .tag = tags};
  wisp_error refused = {.text = ""};
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = make_grid(3, 1, 1, 1);
  wisp_simplexnodes *nodes = NULL, many = {.N = 5, .elements = 6000000, .count = {3000000, 9000000, 6000000}};
  wisp_pattern *pattern = NULL;
  assert_int_equal(wisp_simplexnodes_create(&refused, "mesh", mesh, 6, &boundary, &nodes), WISP_EUSAGE);
  assert_string_equal(refused.text, "continuous triangles and tets: order 6 is out of range: use 1 to 5");
  assert_int_equal(wisp_simplexnodes_create(&refused, "mesh", mesh, 1, &unknown, &nodes), WISP_EUSAGE);
  assert_string_equal(refused.text, "mesh: no edge of the boundary has the tag 9: there are 1, 2, 3, 4");
  GOOD(wisp_simplexnodes_create(err, "mesh", mesh, 1, &boundary, &nodes));
  assert_int_equal(wisp_pattern_create(&refused, "mesh", nodes, &pattern), WISP_EUSAGE);
  assert_non_null(strstr(refused.text, "all 4 nodes are fixed"));
  assert_int_equal(wisp_pattern_create(&refused, "mesh", &many, &pattern), WISP_EUSAGE);
  assert_non_null(strstr(refused.text, "on 6000000 elements has 2.325e+09 nonzeros, more than 2^31 - 1"));
  wisp_simplexnodes_destroy(nodes);
}

/* Hexes have no neighbours in the mesh: their edges and faces are not counted. */
TEST(test_hexes)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = make_grid(8, 2, 3, 4);
  size_t count[4] = {1, 1, 1, 1};
  wisp_pattern_count(mesh, count);
  assert_true(count[0] == 3 * 4 * 5 && count[1] == 0 && count[2] == 0 && count[3] == 2 * 3 * 4);
}
