/* Claim: every grouping puts each element in one slot and no more than the limit in a group; greedy and METIS keep more
 * faces inside groups than the order of an unstructured mesh does, and greedy groups are connected but for leftovers.
 */
#include "test.h"
#include "../runtime/mesh/mesh.h"

#include <time.h>

static uint64_t next_random(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

/* A box whose elements stand in random order: as bad an order as an unstructured mesh can have. */
static wisp_mesh *shuffled_box(int n)
{
  wisp_mesh *mesh = NULL;
  uint64_t seed = 7;
  GOOD(wisp_mesh_box(err, n, &mesh));
  for (size_t k = mesh->elements - 1; k > 0; k--) {
    size_t other = next_random(&seed) % (k + 1);
    for (size_t v = 0; v < 4; v++) {
      int32_t kept = mesh->tet[4 * k + v];
      mesh->tet[4 * k + v] = mesh->tet[4 * other + v];
      mesh->tet[4 * other + v] = kept;
    }
  }
  GOOD(wisp_mesh_connect(err, "shuffled", mesh));
  return mesh;
}

/* Groups the mesh, checks the contract, and gives the group of each element. */
static int32_t *group(const wisp_mesh *mesh, wisp_grouping how, size_t size)
{
  size_t slots = 0;
  int32_t *slot = NULL, *of = allocate(mesh->elements, sizeof *of);
  for (size_t k = 0; k < mesh->elements; k++) of[k] = -1;
  GOOD(wisp_mesh_group(err, mesh, how, size, &slots, &slot));
  assert_int_equal(slots % size, 0);
  assert_int_equal(slots / size, (mesh->elements + size - 1) / size);
  for (size_t i = 0; i < slots; i++) {
    if (slot[i] == WISP_EMPTY) {
      assert_true((i + 1) % size == 0 || slot[i + 1] == WISP_EMPTY);
      continue;
    }
    assert_in_range(slot[i], 0, mesh->elements - 1);
    assert_int_equal(of[slot[i]], -1);
    of[slot[i]] = (int32_t)(i / size);
  }
  for (size_t k = 0; k < mesh->elements; k++) assert_int_not_equal(of[k], -1);
  free(slot);
  return of;
}

/* Face pairs inside groups. */
static size_t inner_pairs(const wisp_mesh *mesh, wisp_grouping how, size_t size)
{
  OWNED(free) int32_t *of = group(mesh, how, size);
  size_t faces = 0;
  for (size_t f = 0; f < 4 * mesh->elements; f++)
    faces += mesh->neighbour[f] != WISP_BOUNDARY && of[mesh->neighbour[f]] == of[f / 4];
  return faces / 2;
}

TEST(test_contract)
{
  static const size_t sizes[] = {1, 2, 3, 7, 10, 16, 33, 161, 162, 163, 1000, 100000};
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = shuffled_box(3);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    free(group(mesh, WISP_GROUP_NATURAL, sizes[i]));
    free(group(mesh, WISP_GROUP_GREEDY, sizes[i]));
    if (sizes[i] >= 10) free(group(mesh, WISP_GROUP_METIS, sizes[i]));
  }
}

TEST(test_natural)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = shuffled_box(2);
  OWNED(free) int32_t *of = group(mesh, WISP_GROUP_NATURAL, 5);
  for (size_t k = 0; k < mesh->elements; k++) assert_int_equal(of[k], k / 5);
}

/* A group of l elements that hang together has at least l - 1 inner pairs: 15 of 16 is the mark of a tree. */
TEST(test_inner_faces)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = shuffled_box(12);
  size_t groups = mesh->elements / 16, natural = inner_pairs(mesh, WISP_GROUP_NATURAL, 16);
  size_t greedy = inner_pairs(mesh, WISP_GROUP_GREEDY, 16), metis = inner_pairs(mesh, WISP_GROUP_METIS, 16);
  print_message("inner pairs a group of 16: natural %.2f, greedy %.2f, metis %.2f\n", (double)natural / (double)groups,
                (double)greedy / (double)groups, (double)metis / (double)groups);
  assert_true(natural < groups);
  assert_true(greedy > 15 * groups);
  assert_true(metis > 15 * groups);
}

/* Elements of element k's group that can be reached from k through faces inside the group. */
static size_t reach(const wisp_mesh *mesh, const int32_t *of, size_t k, int32_t *stack, char *seen)
{
  size_t top = 0, count = 0;
  stack[top++] = (int32_t)k;
  seen[k] = 1;
  while (top) {
    size_t e = (size_t)stack[--top];
    count++;
    for (size_t f = 0; f < 4; f++) {
      int32_t other = mesh->neighbour[4 * e + f];
      if (other == WISP_BOUNDARY || of[other] != of[k] || seen[other]) continue;
      seen[other] = 1;
      stack[top++] = other;
    }
  }
  return count;
}

/* Three groups of four hang together; the rest take up what lies scattered (in natural order none does). */
TEST(test_greedy_is_connected)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = shuffled_box(10);
  OWNED(free) int32_t *of = group(mesh, WISP_GROUP_GREEDY, 8), *stack = allocate(mesh->elements, sizeof *stack);
  OWNED(free) char *seen = calloc(mesh->elements, 1);
  size_t whole = 0;
  assert_true(stack && seen);
  for (size_t k = 0; k < mesh->elements; k++)
    if (!seen[k]) whole += reach(mesh, of, k, stack, seen) == 8;
  print_message("connected groups of 8: %zu of %zu\n", whole, mesh->elements / 8);
  assert_true(4 * whole >= 3 * (mesh->elements / 8));
}

TEST(test_refusals)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = shuffled_box(2);
  wisp_error err = {0};
  size_t slots = 99;
  int32_t *slot = NULL;
  for (size_t size = 1; size < 10; size++) {
    assert_int_equal(wisp_mesh_group(&err, mesh, WISP_GROUP_METIS, size, &slots, &slot), WISP_EREFUSED);
    assert_non_null(strstr(err.text, "too few"));
  }
  assert_int_equal(wisp_mesh_group(&err, mesh, WISP_GROUP_GREEDY, 0, &slots, &slot), WISP_EUSAGE);
  assert_int_equal(wisp_mesh_group(&err, mesh, (wisp_grouping)17, 4, &slots, &slot), WISP_EUSAGE);
  assert_int_equal(slots, 99);
  assert_null(slot);
}

/* Greedy is near linear: ten seconds is far above its time and far below a quadratic one (1.6e5 elements). */
TEST(test_greedy_is_fast)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = shuffled_box(30);
  static const size_t sizes[] = {4, 64, 20000};
  for (size_t i = 0; i < 3; i++) {
    clock_t start = clock();
    free(group(mesh, WISP_GROUP_GREEDY, sizes[i]));
    assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
  }
}
