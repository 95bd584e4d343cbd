/* Claim: elements are laid out so that those that a warp reads beside its own are few and near, in whatever order a
 * file has them; fast; and nothing else changes: results, their order, and the numbers in messages are the mesh's own.
 */
#include "test.h"
#include "api_case.h"
#include "command.h"
#include "parts.h"
#include "store_fixture.h"
#include "../gen/nodal/tet.h"
#include "../runtime/assembly/pattern.h"
#include "../runtime/mesh/source.h"

#include <wisp.h>

#include <time.h>

enum { SLAB = 32 };

static wisp_mesh *shuffled(int n, wisp_ordering how)
{
  const wisp_mesh_source source = {
      .box = {n, n, n}, .jitter = 0.2, .shuffle = true, .seed = 5, .as_asked = true, .ordering = how};
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_make(err, 4, &source, &mesh));
  return mesh;
}

/* The place of each element. Fails unless that is a permutation. */
static int32_t *places(const wisp_mesh *mesh)
{
  int32_t *place = malloc(mesh->elements * sizeof *place);
  assert_non_null(place);
  for (size_t k = 0; k < mesh->elements; k++) place[k] = -1;
  for (size_t i = 0; i < mesh->elements; i++) {
    const int32_t k = wisp_mesh_at(mesh, i);
    assert_in_range(k, 0, mesh->elements - 1);
    assert_int_equal(place[k], -1);
    place[k] = (int32_t)i;
  }
  return place;
}

static int compare_sectors(const void *left, const void *right)
{
  const uint64_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* The sectors that gathering reads of other slabs, in single precision: of eight elements at one node, each counted
 * once a slab, since they stay in the cache while it is at work; per element and field. An element itself has Np / 8.
 */
static double sectors(const wisp_mesh *mesh, int order)
{
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  OWNED(free) int32_t *place = places(mesh);
  size_t total = 0;
  GOOD(wisp_tet_create(err, order, &tet));
  const size_t Nfp = (size_t)tet->Nfp;
  OWNED(free) uint64_t *read = malloc(SLAB * 4 * Nfp * sizeof *read);
  assert_non_null(read);
  for (size_t slab = 0; slab < mesh->elements; slab += SLAB) {
    size_t count = 0;
    for (size_t i = slab; i < slab + SLAB && i < mesh->elements; i++)
      for (size_t f = 0; f < 4; f++) {
        const size_t face = 4 * (size_t)wisp_mesh_at(mesh, i) + f;
        if (mesh->neighbour[face] == WISP_BOUNDARY) continue;
        const size_t there = (size_t)place[mesh->neighbour[face]];
        const size_t code = (size_t)(6 * mesh->neighbour_face[face] + mesh->neighbour_orientation[face]);
        for (size_t n = 0; n < Nfp && there / SLAB != slab / SLAB; n++)
          read[count++] = there / 8 << 16 | (uint64_t)tet->facelist[code * Nfp + n];
      }
    qsort(read, count, sizeof *read, compare_sectors);
    for (size_t r = 0; r < count; r++) total += r == 0 || read[r] != read[r - 1];
  }
  return (double)total / (double)mesh->elements;
}

/* The share of faces whose neighbour stands in the same slab. */
static double inside(const wisp_mesh *mesh)
{
  OWNED(free) int32_t *place = places(mesh);
  size_t faces = 0, same = 0;
  for (size_t f = 0; f < 4 * mesh->elements; f++) {
    if (mesh->neighbour[f] == WISP_BOUNDARY) continue;
    faces++;
    same += place[f / 4] / SLAB == place[mesh->neighbour[f]] / SLAB;
  }
  return (double)same / (double)faces;
}

/* Without an order next to no neighbour is near; in clusters two of three, and METIS does no better by more than a few
 * parts in a hundred. On an H200 the sectors tell the stage's speed: see runtime/mesh/order.c. */
TEST(test_locality)
{
  double near[WISP_ORDERINGS], read[WISP_ORDERINGS][2];
  for (int how = 0; how < WISP_ORDERINGS; how++) {
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = shuffled(14, (wisp_ordering)how);
    near[how] = inside(mesh);
    for (int o = 0; o < 2; o++) read[how][o] = sectors(mesh, 2 + o);
    print_message("%-8s %.3f of the faces inside slabs; orders 2 and 3 read %.2f and %.2f sectors an element\n",
                  wisp_ordering_names[how], near[how], read[how][0], read[how][1]);
  }
  assert_true(near[WISP_ORDER_AS_GIVEN] < 0.02);
  assert_true(near[WISP_ORDER_CURVE] > 0.64 && near[WISP_ORDER_METIS] > 0.5);
  for (int o = 0; o < 2; o++) {
    assert_true(read[WISP_ORDER_CURVE][o] < 0.26 * read[WISP_ORDER_AS_GIVEN][o]);
    assert_true(read[WISP_ORDER_CURVE][o] < 1.05 * read[WISP_ORDER_METIS][o]);
  }
}

/* The order depends on where elements are, not on how the file lists them: another shuffle reads as little. */
TEST(test_any_file)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *one = shuffled(10, WISP_ORDER_CURVE), *two = shuffled(10, WISP_ORDER_AS_GIVEN);
  GOOD(wisp_mesh_shuffle(err, two, 77));
  GOOD(wisp_mesh_order(err, two, WISP_ORDER_CURVE));
  const double a = sectors(one, 2), b = sectors(two, 2);
  assert_true(fabs(a - b) < 0.03 * a);
  OWNED(wisp_mesh_destroy) wisp_mesh *repeated = shuffled(10, WISP_ORDER_CURVE);
  assert_memory_equal(one->order, repeated->order, one->elements * sizeof *one->order);
}

/* Points of a grid that is a power of two wide: the curve passes from each to one beside it. */
TEST(test_curve)
{
  enum { SIDE = 16, POINTS = SIDE * SIDE * SIDE };
  OWNED(free) double *xyz = zeros(3 * POINTS);
  int32_t order[POINTS];
  for (int i = 0; i < POINTS; i++) {
    const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    for (int d = 0; d < 3; d++) xyz[3 * i + d] = at[d];
  }
  GOOD(wisp_curve(err, POINTS, xyz, order));
  for (int i = 1; i < POINTS; i++) {
    double steps = 0;
    for (int d = 0; d < 3; d++) steps += fabs(xyz[3 * order[i] + d] - xyz[3 * order[i - 1] + d]);
    assert_true(steps == 1);
  }
}

/* --- from level to level --- */

/* Lines of 128 bytes that a warp reads, a row a lane, of coordinates in double: those of every row's first column
 * together, then of the second, and so on. */
static double lines(const wisp_mesh *mesh)
{
  enum { IN_LINE = 8 };
  const wisp_fixing none = {.count = 0};
  OWNED(wisp_simplexnodes_destroy) wisp_simplexnodes *nodes = NULL;
  OWNED(wisp_pattern_destroy) wisp_pattern *p = NULL;
  size_t total = 0, warps = 0;
  GOOD(wisp_simplexnodes_create(err, "mesh", mesh, 1, &none, &nodes));
  GOOD(wisp_pattern_create(err, "mesh", nodes, &p));
  for (size_t row = 0; row + SLAB <= p->rows; row += SLAB, warps++)
    for (int32_t slot = 0, longest = 1; slot < longest; slot++) {
      uint64_t read[SLAB];
      size_t count = 0;
      for (size_t x = row; x < row + SLAB; x++) {
        const int32_t length = p->start[x + 1] - p->start[x];
        if (length > longest) longest = length;
        if (slot < length) read[count++] = (uint64_t)p->column[p->start[x] + slot] / IN_LINE;
      }
      qsort(read, count, sizeof *read, compare_sectors);
      for (size_t r = 0; r < count; r++) total += r == 0 || read[r] != read[r - 1];
    }
  return (double)total / (double)warps;
}

static wisp_mesh *simplices(int corners, bool shuffle, wisp_ordering how)
{
  const int side = corners == 3 ? 100 : 24;
  const wisp_mesh_source source = {
      .box = {side, side}, .jitter = 0.2, .shuffle = shuffle, .seed = 5, .as_asked = true, .ordering = how};
  wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_make(err, corners, &source, &mesh));
  GOOD(wisp_mesh_apply_order(err, mesh));
  return mesh;
}

/* Lanes side by side have neighbours side by side, as on the box and unlike along the curve. */
TEST(test_levels)
{
  static const struct {
    bool shuffle;
    wisp_ordering how;
  } meshes[] = {{false, WISP_ORDER_AS_GIVEN}, {true, WISP_ORDER_LEVELS}, {true, WISP_ORDER_CURVE}};
  double read[3];
  for (int corners = 3; corners <= 4; corners++) {
    for (size_t i = 0; i < 3; i++) {
      OWNED(wisp_mesh_destroy) wisp_mesh *mesh = simplices(corners, meshes[i].shuffle, meshes[i].how);
      read[i] = lines(mesh);
    }
    print_message("%.1f lines a warp on the box, %.1f from level to level, %.1f along the curve\n", read[0], read[1],
                  read[2]);
    assert_true(read[1] < 1.15 * read[0] && read[1] < 0.8 * read[2]);
  }
}

/* Parts that share nothing are ordered all the same: two tets apart, and each element once. */
TEST(test_levels_apart)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  GOOD(wisp_mesh_create(err, 4, 8, 2, &mesh));
  for (size_t v = 0; v < 8; v++) {
    for (size_t d = 0; d < 3; d++) mesh->xyz[3 * v + d] = (v % 4 == d + 1) + 5 * (double)(v / 4);
    mesh->cell[v] = (int32_t)v;
  }
  connect_mesh(mesh);
  GOOD(wisp_mesh_order(err, mesh, WISP_ORDER_LEVELS));
  free(places(mesh));
}

/* A million tets have ten seconds on two cores, 162 000 a sixth of that, and valgrind or sanitizers all of it. */
TEST(test_fast)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = shuffled(30, WISP_ORDER_AS_GIVEN);
  const clock_t start = clock();
  GOOD(wisp_mesh_order(err, mesh, WISP_ORDER_CURVE));
  print_message("%zu tets in %.2f s\n", mesh->elements, (double)(clock() - start) / CLOCKS_PER_SEC);
  assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
}

/* A file without locality: nodes and fields are those of the file's elements, in its order. */
TEST_IN_FOLDER(test_the_files_own_order)
{
  const char *path = fixture_path(*state, "shuffled.msh");
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = shuffled(3, WISP_ORDER_AS_GIVEN);
  api_solve s;
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  print_mesh(path, mesh);
  api_open(&s, &(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 3, .mesh = path});
  const size_t K = s.K, Np = s.Np, n = s.n;
  assert_int_equal(K, mesh->elements);
  OWNED(free) double *xyz = zeros(3 * K * Np), *u = zeros(n * K * Np);
  GOOD(wisp_solver_nodes(err, s.solver, xyz));
  GOOD(wisp_tet_create(err, 3, &tet));
  for (size_t i = 0; i < 3 * K * Np; i++) { /* where they are in an element with the file's corners */
    const double *x = mesh->xyz + i % 3, r = tet->r[i / 3 % Np], s_ = tet->s[i / 3 % Np], t = tet->t[i / 3 % Np];
    const double weight[4] = {-(1 + r + s_ + t) / 2, (1 + r) / 2, (1 + s_) / 2, (1 + t) / 2};
    double expected = 0;
    for (size_t v = 0; v < 4; v++) expected += weight[v] * x[3 * (size_t)mesh->tet[i / 3 / Np * 4 + v]];
    assert_true(fabs(xyz[i] - expected) < 1e-14);
  }
  for (size_t q = 0; q < n * K * Np; q++) u[q] = (double)q;
  GOOD(wisp_solver_set(err, s.solver, NULL, u));
  memset(u, 0, n * K * Np * sizeof *u);
  GOOD(wisp_solver_get(err, s.solver, u));
  for (size_t q = 0; q < n * K * Np; q++) assert_true(u[q] == (double)q);
  api_close(&s);
}

/* Moved by the same seed, a box is solved alike however its elements lie and its corners are turned: the energy is the
 * same. So is the error where corners are turned alike; else the quadrature that it is taken by tells them apart. The
 * step is given, as its limit is an estimate of some per mille. */
TEST_IN_FOLDER(test_results_do_not_change)
{
  static const char *const options[] = {
      "", "--shuffle 0 --order as-given", "--order curve", "--order metis", "--shuffle 0", "--order levels"};
  enum { RUNS = sizeof options / sizeof *options };
  double energy[RUNS], error[RUNS];
  for (size_t i = 0; i < RUNS; i++) {
    cJSON *json =
        solve_json(*state, "maxwell", "-n 3 --box 3 --jitter 0.2 --steps 20 --dt 0.02 --default %s", options[i]);
    energy[i] = json_number(json, "energy_final"), error[i] = json_number(json, "l2_error");
    cJSON_Delete(json);
    assert_true(error[i] > 0 && error[i] < 0.1 && energy[i] > 0.1);
    assert_true(fabs(energy[i] - energy[0]) < 1e-12 * energy[0]);
  }
  assert_true(fabs(error[1] - error[0]) < 1e-4 * error[0]);
  assert_true(fabs(error[3] - error[2]) < 1e-9 * error[2]);
}

TEST_IN_FOLDER(test_hexes)
{
  static const char *const orders[] = {"--shuffle 0", "--shuffle 0 --order as-given", "--order curve",
                                       "--order levels"};
  const double expected = solve_number(*state, "l2_error", "poisson", "-n 3 --box 4 --jitter 0.2 --default");
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    const double error =
        solve_number(*state, "l2_error", "poisson", "-n 3 --box 4 --jitter 0.2 --default %s", orders[i]);
    assert_true(fabs(error - expected) < 1e-4 * expected);
  }
  OWNED(wisp_mesh_destroy) wisp_hexmesh *mesh = make_grid(8, 4, 4, 4);
  wisp_error err = {0};
  assert_int_equal(wisp_mesh_shuffle(NULL, mesh, 2), WISP_OK);
  OWNED(free) int32_t *hex = malloc(8 * mesh->elements * sizeof *hex);
  assert_non_null(hex);
  memcpy(hex, mesh->hex, 8 * mesh->elements * sizeof *hex);
  assert_int_equal(wisp_mesh_order(NULL, mesh, WISP_ORDER_CURVE), WISP_OK);
  for (size_t k = 0; k < mesh->elements; k++) {
    assert_memory_equal(mesh->hex + 8 * k, hex + 8 * wisp_mesh_number(mesh, k), 8 * sizeof *hex);
    for (size_t v = 0, shared = 0; v < 64 && k; v++) { /* each hex lies beside the one before */
      shared += mesh->hex[8 * k + v / 8] == mesh->hex[8 * (k - 1) + v % 8];
      if (v == 63) assert_int_equal(shared, 4);
    }
  }
  assert_int_equal(wisp_mesh_order(&err, mesh, WISP_ORDER_METIS), WISP_EUSAGE);
}

/* The options, and what they do not go with. */
TEST_IN_FOLDER(test_options)
{
  static const struct {
    const char *arguments, *says;
  } bad[] = {
      {"run maxwell --order 3", "as-given, curve, metis, levels (how elements lie in memory): did you mean -n 3?"},
      {"tune --order 1-4,7", "did you mean -n 1-4,7?"},
      {"bench -n 1 --order wave", "must be one of as-given, curve, metis, levels"},
      {"emit --order 3", "did you mean --orders?"},
      {"run maxwell -n 1 --jitter 0.7", "--jitter"},
      {"run maxwell -n 1 --mesh a.msh --shuffle 1", "--shuffle"},
      {"run poisson -n 1 --order metis --box 2", "tets"},
      {"bench --shuffle x", "--shuffle"},
      {"tune --mesh a.msh --box 4", "leave one out"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) run_expect(*state, "", 2, bad[i].says, "%s", bad[i].arguments);
}
