/* Claim: nodes of triangles are numbered once each, where they lie alike in all triangles that have them, and the
 * matrix's pattern is what a brute search finds, with as many nonzeros as the formula says, on boxes and on an
 * irregular mesh; meshes that are none are refused by name. */
#include "good.h"
#include "../gen/assembly/tri.h"
#include "../runtime/assembly/pattern.h"
#include "../runtime/mesh/source.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const wisp_fixing nothing = {.all = false}, boundary = {.all = true};

static void make(const wisp_mesh_source *source, wisp_mesh **mesh)
{
  GOOD(wisp_mesh_make(err, 3, source, mesh));
}

/* Every pair of unknowns of every element, once, in a table. */
static size_t brute(const wisp_trinodes *nodes, unsigned char *pairs)
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

static void check_pattern(const wisp_mesh *mesh, int order, const wisp_fixing *fixed)
{
  wisp_trinodes *nodes = NULL;
  wisp_pattern *p = NULL;
  GOOD(wisp_trinodes_create(err, "mesh", mesh, order, fixed, &nodes));
  GOOD(wisp_pattern_create(err, "mesh", nodes, mesh->vertices, &p));
  const size_t n = nodes->unknowns;
  unsigned char *pairs = calloc(n * n, 1);
  assert_non_null(pairs);
  assert_int_equal(p->rows, n);
  assert_int_equal(p->nonzeros, brute(nodes, pairs));
  for (size_t row = 0; row < n; row++)
    for (int32_t i = p->start[row]; i < p->start[row + 1]; i++) {
      assert_true(pairs[row * n + (size_t)p->column[i]]);
      assert_true(i == p->start[row] || p->column[i - 1] < p->column[i]);
      assert_int_equal(wisp_pattern_slot(p, (int32_t)row, p->column[i]), i - p->start[row]);
    }
  free(pairs);
  wisp_pattern_destroy(p);
  wisp_trinodes_destroy(nodes);
}

static const wisp_mesh_source irregular = {.box = {5, 4}, .jitter = 0.2, .shuffle = true, .seed = 7};

static void test_brute(void **state)
{
  const wisp_mesh_source box = {.box = {3, 4}};
  const wisp_mesh_source *const sources[] = {&box, &irregular};
  (void)state;
  for (int s = 0; s < 2; s++) {
    wisp_mesh *mesh = NULL;
    make(sources[s], &mesh);
    for (int N = 1; N <= WISP_TRI_MAX_ORDER; N++) {
      check_pattern(mesh, N, &nothing);
      check_pattern(mesh, N, &boundary);
      check_pattern(mesh, N, &(wisp_fixing){.count = 2, .tag = (const int32_t[]){1, 4}});
    }
    wisp_mesh_destroy(mesh);
  }
}

/* Nonzeros of 4 x 4 squares, counted independently; and by the formula on any mesh, of V vertices, E edges. */
static void test_counts(void **state)
{
  static const size_t of_box[] = {137, 801, 2569, 6209, 12681};
  const wisp_mesh_source box = {.box = {4, 4}};
  const wisp_mesh_source *const sources[] = {&box, &irregular};
  (void)state;
  for (int s = 0; s < 2; s++) {
    wisp_mesh *mesh = NULL;
    make(sources[s], &mesh);
    for (int N = 1; N <= WISP_TRI_MAX_ORDER; N++) {
      wisp_trinodes *nodes = NULL;
      wisp_pattern *p = NULL;
      GOOD(wisp_trinodes_create(err, "mesh", mesh, N, &nothing, &nodes));
      GOOD(wisp_pattern_create(err, "mesh", nodes, mesh->vertices, &p));
      const size_t inside = (size_t)(N - 1) * (size_t)(N - 2) / 2;
      assert_int_equal(nodes->edges, mesh->vertices + mesh->elements - 1); /* Euler */
      assert_int_equal(nodes->nodes, mesh->vertices + (size_t)(N - 1) * nodes->edges + inside * mesh->elements);
      assert_true((double)p->nonzeros == wisp_pattern_nonzeros(N, mesh->vertices, nodes->edges, mesh->elements));
      assert_true(s || p->nonzeros == of_box[N - 1]);
      wisp_pattern_destroy(p);
      wisp_trinodes_destroy(nodes);
    }
    wisp_mesh_destroy(mesh);
  }
}

/* A node's place is the same, seen from each triangle that has it; no two nodes share one; fixed ones lie outside. */
static void test_places(void **state)
{
  wisp_mesh *mesh = NULL;
  (void)state;
  make(&irregular, &mesh);
  for (int N = 1; N <= WISP_TRI_MAX_ORDER; N++) {
    wisp_trinodes *nodes = NULL;
    GOOD(wisp_trinodes_create(err, "mesh", mesh, N, &boundary, &nodes));
    double *xy = calloc(2 * nodes->nodes, sizeof *xy), *again = calloc(2 * nodes->nodes, sizeof *again);
    GOOD(wisp_trinodes_places(err, nodes, mesh, xy));
    for (size_t i = 0; i < nodes->nodes; i++) {
      const double *p = xy + 2 * i;
      const bool outside = fmin(fmin(p[0], 1 - p[0]), fmin(p[1], 1 - p[1])) < 1e-12;
      assert_int_equal(outside, i >= nodes->unknowns);
      for (size_t j = 0; j < i; j++) assert_true(hypot(p[0] - xy[2 * j], p[1] - xy[2 * j + 1]) > 1e-3);
    }
    for (size_t k = mesh->elements; k-- > 0;) { /* the other triangle's view of a shared node is the same */
      wisp_trinodes one = *nodes;
      one.elements = 1, one.node = nodes->node + k * (size_t)nodes->Np;
      wisp_mesh alone = *mesh;
      alone.tri = mesh->tri + 3 * k;
      GOOD(wisp_trinodes_places(err, &one, &alone, again));
      for (int a = 0; a < nodes->Np; a++)
        for (size_t d = 0; d < 2; d++)
          assert_true(fabs(again[2 * (size_t)one.node[a] + d] - xy[2 * (size_t)one.node[a] + d]) < 1e-14);
    }
    free(xy), free(again);
    wisp_trinodes_destroy(nodes);
  }
  wisp_mesh_destroy(mesh);
}

/* --- what is refused --- */

/* Four vertices of a square and these triangles. */
static void expect_refused(size_t vertices, size_t elements, const int32_t *corners, const char *why)
{
  static const double at[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0}};
  wisp_error refused = {.text = ""};
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_create(err, 3, vertices, elements, &mesh));
  for (size_t v = 0; v < 2 * vertices; v++) mesh->xyz[v / 2 * 3 + v % 2] = at[v / 2][v % 2];
  memcpy(mesh->tri, corners, 3 * elements * sizeof *corners);
  assert_int_equal(wisp_mesh_connect(&refused, "mesh", mesh), WISP_EINPUT);
  if (!strstr(refused.text, why)) fail_msg("%s", refused.text);
  wisp_mesh_destroy(mesh);
}

static void test_bad_meshes(void **state)
{
  (void)state;
  expect_refused(4, 2, (const int32_t[]){0, 1, 2, 0, 3, 2},
                 "1 of 2 triangles are inverted (negative area), the first is triangle 1");
  expect_refused(5, 1, (const int32_t[]){0, 4, 1}, "triangle 0 (vertices 0 4 1) is degenerate");
  expect_refused(4, 3, (const int32_t[]){0, 1, 2, 0, 2, 3, 1, 2, 0}, "triangles 0 and 2 overlap");
  expect_refused(5, 3, (const int32_t[]){0, 1, 2, 0, 2, 3, 0, 2, 3}, "belongs to no triangle");
  expect_refused(5, 3, (const int32_t[]){0, 1, 2, 0, 2, 3, 0, 4, 2}, "shared by 3 triangles");
  expect_refused(4, 1, (const int32_t[]){0, 1, 7}, "has vertex 7 of a mesh with 4");
  expect_refused(3, 0, (const int32_t[]){0}, "no triangles");
}

static void test_bad_numberings(void **state)
{
  static const int32_t tags[] = {2, 9};
  const wisp_mesh_source box = {.box = {1, 1}};
  const wisp_fixing unknown = {.count = 2, .tag = tags};
  wisp_error refused = {.text = ""};
  wisp_mesh *mesh = NULL;
  wisp_trinodes *nodes = NULL,
                many = {.N = 5, .Np = 21, .elements = 6000000, .edges = 9000000, .nodes = 1, .unknowns = 1};
  wisp_pattern *pattern = NULL;
  (void)state;
  make(&box, &mesh);
  assert_int_equal(wisp_trinodes_create(&refused, "mesh", mesh, 6, &boundary, &nodes), WISP_EUSAGE);
  assert_string_equal(refused.text, "order 6: triangles have orders 1 to 5");
  assert_int_equal(wisp_trinodes_create(&refused, "mesh", mesh, 1, &unknown, &nodes), WISP_EUSAGE);
  assert_string_equal(refused.text, "mesh: no edge of the boundary has the tag 9");
  GOOD(wisp_trinodes_create(err, "mesh", mesh, 1, &boundary, &nodes));
  assert_int_equal(wisp_pattern_create(&refused, "mesh", nodes, 4, &pattern), WISP_EUSAGE);
  assert_non_null(strstr(refused.text, "all 4 nodes are fixed"));
  assert_int_equal(wisp_pattern_create(&refused, "mesh", &many, 3000000, &pattern), WISP_EUSAGE);
  assert_non_null(strstr(refused.text, "on 6000000 triangles has 2.325e+09 nonzeros, more than 2^31 - 1"));
  wisp_trinodes_destroy(nodes);
  wisp_mesh_destroy(mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_brute),      cmocka_unit_test(test_counts),         cmocka_unit_test(test_places),
      cmocka_unit_test(test_bad_meshes), cmocka_unit_test(test_bad_numberings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
