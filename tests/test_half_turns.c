/* Claim: seen in the classes of the tet's half turns, D_m takes class k^m to class k and LIFT each class to itself, and
 * to no other; the blocks are those of the operators, the same for the three directions in the order that third turns
 * give. */
#include "test.h"
#include "../gen/nodal/half_turns.h"

enum { HIGHEST = 10, VALGRIND = 4 };

typedef struct turned_tet {
  wisp_tet *tet;
  wisp_half_turns *t;
  int Np, Nfp, S;
} turned_tet;

static int highest(void)
{
  return getenv("WISP_TEST_QUICK") ? VALGRIND : HIGHEST;
}

static turned_tet make(int N)
{
  turned_tet p = {0};
  GOOD(wisp_tet_create(err, N, &p.tet));
  GOOD(wisp_half_turns_create(err, p.tet, &p.t));
  p.Np = p.tet->Np, p.Nfp = p.tet->Nfp, p.S = p.t->orbits;
  return p;
}

static void discard(turned_tet *p)
{
  wisp_tet_destroy(p->tet);
  wisp_half_turns_destroy(p->t);
}

/* chi_k(g), as the header writes it down. */
static const int chi[4][4] = {{1, 1, 1, 1}, {1, 1, -1, -1}, {1, -1, 1, -1}, {1, -1, -1, 1}};

/* ---- Orbits. */

static void barycentric(const wisp_tet *tet, int node, double l[4])
{
  const double r = tet->r[node], s = tet->s[node], t = tet->t[node];
  l[0] = -(1 + r + s + t) / 2, l[1] = (1 + r) / 2, l[2] = (1 + s) / 2, l[3] = (1 + t) / 2;
}

/* Whether the map that takes vertex v to vertex to[v] takes node x to node y. */
static bool maps(const wisp_tet *tet, const int to[4], int x, int y)
{
  double from[4], there[4], most = 0;
  barycentric(tet, x, from), barycentric(tet, y, there);
  for (int v = 0; v < 4; v++) most = fmax(most, fabs(from[v] - there[to[v]]));
  return most < 1e-14;
}

static const int half[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
static const int third[3][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}};

TEST(test_orbits)
{
  for (int N = 1; N <= highest(); N++) {
    turned_tet p = make(N);
    int seen[WISP_TET_MAX_NP] = {0};
    for (int o = 0; o < p.S; o++)
      for (int g = 0; g < 4; g++) {
        assert_true(maps(p.tet, half[g], p.t->node[4 * o], p.t->node[4 * o + g]));
        seen[p.t->node[4 * o + g]] = 1;
      }
    for (int x = 0; x < p.Np; x++) assert_true(seen[x]);
    for (int m = 0; m < 3; m++)
      for (int o = 0; o < p.S; o++)
        assert_true(maps(p.tet, third[m], p.t->node[4 * o], p.t->node[4 * p.t->rotated[m * p.S + o]]));
    discard(&p);
  }
}

TEST(test_face_orbits)
{
  for (int N = 1; N <= highest(); N++) {
    turned_tet p = make(N);
    const int *mask = p.tet->Fmask, *at = p.t->face_node;
    for (int j = 0; j < p.Nfp; j++) {
      for (int g = 0; g < 4; g++) {
        assert_true(maps(p.tet, half[g], mask[at[4 * j]], mask[at[4 * j + g]]));
        assert_int_equal(at[4 * j + g] / p.Nfp, at[g] / p.Nfp);
        assert_int_equal(p.t->face_orbit[at[4 * j + g]], 4 * j + g);
      }
      for (int m = 0; m < 3; m++)
        assert_true(maps(p.tet, third[m], mask[at[4 * j]], mask[at[4 * p.t->face_turned[m * p.Nfp + j]]]));
      assert_int_equal(at[4 * j], 2 * p.Nfp + j);
    }
    discard(&p);
  }
}

/* As they are known: Np / 4 each, but for orbits on the axes and the centre. */
TEST(test_class_sizes)
{
  static const int sizes[HIGHEST][2] = {{1, 1},   {4, 2},   {5, 5},   {11, 8},  {14, 14},
                                        {24, 20}, {30, 30}, {45, 40}, {55, 55}, {76, 70}};
  for (int N = 1; N <= highest(); N++) {
    turned_tet p = make(N);
    assert_int_equal(p.S, sizes[N - 1][0]);
    for (int k = 0; k < 4; k++) {
      assert_int_equal(p.t->size[k], sizes[N - 1][k > 0]);
      for (int i = 0; i < p.t->size[k]; i++) {
        const int orbit = k ? p.t->rotated[(k - 1) * p.S + i] : i;
        assert_int_equal(p.t->row[4 * orbit + k], i);
      }
    }
    discard(&p);
  }
}

/* ---- Operators. */

/* Class k of rows of A, width columns, at the nodes of an orbit. */
static double row_class(const double *A, int width, const int node[4], int k, int column)
{
  double sum = 0;
  for (int g = 0; g < 4; g++) sum += chi[k][g] * A[node[g] * width + column];
  return sum;
}

/* The share of a quarter of class `to` at one orbit from a unit of class `from` at another, each orbit's node once. */
static double block_entry(const double *A, int width, const int row[4], const int column[4], int to, int from)
{
  double sum = 0;
  for (int h = 0; h < 4; h++) {
    bool repeated = false;
    for (int g = 0; g < h; g++) repeated = repeated || column[g] == column[h];
    if (!repeated) sum += chi[from][h] * row_class(A, width, row, to, column[h]) / 4;
  }
  return sum / 4;
}

/* The largest entry between two classes outside the block that stands there, if one does. */
static double derivative_error(const turned_tet *p, const double *D, int m, int to, int from)
{
  double most = 0;
  for (int i = 0; i < p->S; i++)
    for (int j = 0; j < p->S; j++) {
      const int row = p->t->row[4 * i + to], column = p->t->row[4 * j + from];
      if (row < 0 || column < 0) continue;
      const double exact = block_entry(D, p->Np, p->t->node + 4 * i, p->t->node + 4 * j, to, from);
      const double block = from == (to ^ (m + 1)) ? p->t->D[((m * 4 + to) * p->S + row) * p->S + column] : 0;
      most = fmax(most, fabs(exact - block));
    }
  return most;
}

static double lift_error(const turned_tet *p, int to, int from)
{
  double most = 0;
  for (int i = 0; i < p->S; i++)
    for (int j = 0; j < p->Nfp; j++) {
      const int row = p->t->row[4 * i + to];
      if (row < 0) continue;
      const double exact = block_entry(p->tet->LIFT, 4 * p->Nfp, p->t->node + 4 * i, p->t->face_node + 4 * j, to, from);
      const double block = from == to ? p->t->LIFT[(to * p->S + row) * p->Nfp + j] : 0;
      most = fmax(most, fabs(exact - block));
    }
  return most;
}

static double largest(size_t count, const double *x)
{
  double most = 0;
  for (size_t q = 0; q < count; q++) most = fmax(most, fabs(x[q]));
  return most;
}

/* D_m, from what the header says of Dr, Ds and Dt. */
static void along_axis(const turned_tet *p, int m, double *D)
{
  for (int q = 0; q < p->Np * p->Np; q++) {
    const double r = p->tet->D[0][q], s = p->tet->D[1][q], t = p->tet->D[2][q];
    D[q] = m == 0 ? (r - s - t) / 2 : m == 1 ? (s - r - t) / 2 : (t - r - s) / 2;
  }
}

TEST(test_blocks)
{
  static double D[286 * 286];
  for (int N = 1; N <= highest(); N++) {
    turned_tet p = make(N);
    double worst[2][2] = {{0}}; /* of D and of LIFT, beside and in the blocks */
    for (int m = 0; m < 3; m++) {
      along_axis(&p, m, D);
      for (int to = 0; to < 4; to++)
        for (int from = 0; from < 4; from++) {
          double *most = &worst[0][from == (to ^ (m + 1))];
          *most = fmax(*most, derivative_error(&p, D, m, to, from) / largest((size_t)(p.Np * p.Np), D));
        }
    }
    for (int to = 0; to < 4; to++)
      for (int from = 0; from < 4; from++) {
        double *most = &worst[1][from == to];
        *most = fmax(*most, lift_error(&p, to, from) / largest((size_t)(p.Np * 4 * p.Nfp), p.tet->LIFT));
      }
    print_message("N = %2d: D %.1e in blocks, %.1e beside; LIFT %.1e, %.1e\n", N, worst[0][1], worst[0][0], worst[1][1],
                  worst[1][0]);
    for (int i = 0; i < 2; i++) {
      assert_true(worst[i][1] < 1e-13);
      assert_true(worst[i][0] < 1e-12);
    }
    discard(&p);
  }
}

/* ---- Equal in every bit. */

/* Swapping two vertices, from which all permutations come, takes D and LIFT to themselves: by 12 and by 23 Dr, Ds and
 * Dt to one another, by 01 Dr to its negative. */
TEST(test_operators)
{
  static const int swap[3][4] = {{1, 0, 2, 3}, {0, 2, 1, 3}, {0, 1, 3, 2}};
  static const int direction[3][3] = {{0, -1, -1}, {1, 0, 2}, {0, 2, 1}}, opposite[4] = {3, 2, 0, 1};
  for (int N = 1; N <= highest(); N++) {
    turned_tet p = make(N);
    const int Np = p.Np, width = 4 * p.Nfp, *mask = p.tet->Fmask;
    for (int w = 0; w < 3; w++) {
      int to[WISP_TET_MAX_NP], face_to[4 * WISP_TET_MAX_NFP];
      for (int x = 0; x < Np; x++)
        for (to[x] = 0; !maps(p.tet, swap[w], x, to[x]);) to[x]++;
      for (int q = 0; q < width; q++)
        for (face_to[q] = 0;
             mask[face_to[q]] != to[mask[q]] || opposite[face_to[q] / p.Nfp] != swap[w][opposite[q / p.Nfp]];)
          face_to[q]++;
      for (int x = 0; x < Np; x++) {
        for (int c = 0; c < 3; c++)
          for (int y = 0; y < Np && direction[w][c] >= 0; y++)
            assert_true(p.tet->D[c][x * Np + y] == (w ? 1 : -1) * p.tet->D[direction[w][c]][to[x] * Np + to[y]]);
        for (int q = 0; q < width; q++)
          assert_true(p.tet->LIFT[x * width + q] == p.tet->LIFT[to[x] * width + face_to[q]]);
      }
    }
    discard(&p);
  }
}

static void expect_turned_D(const turned_tet *p, int m)
{
  const int S = p->S, *R = p->t->rotated + m * S;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < p->t->size[k]; i++)
      for (int j = 0; j < p->t->size[k ^ 1]; j++) {
        const int to = k ? (k - 1 + m) % 3 + 1 : 0, row = k == 0 ? R[i] : i, column = k == 1 ? R[j] : j;
        assert_true(p->t->D[(k * S + i) * S + j] == p->t->D[((m * 4 + to) * S + row) * S + column]);
      }
}

static void expect_turned_LIFT(const turned_tet *p, int m)
{
  const int S = p->S, *R = p->t->rotated + m * S, *F = p->t->face_turned + m * p->Nfp;
  for (int j = 0; j < p->Nfp; j++) {
    for (int i = 0; i < p->t->size[1]; i++)
      assert_true(p->t->LIFT[(S + i) * p->Nfp + j] == p->t->LIFT[((1 + m) * S + i) * p->Nfp + F[j]]);
    for (int i = 0; i < S; i++) assert_true(p->t->LIFT[i * p->Nfp + j] == p->t->LIFT[R[i] * p->Nfp + F[j]]);
  }
}

TEST(test_turned_blocks)
{
  for (int N = 1; N <= highest(); N++) {
    turned_tet p = make(N);
    for (int m = 0; m < 3; m++) {
      expect_turned_D(&p, m);
      expect_turned_LIFT(&p, m);
    }
    discard(&p);
  }
}

/* ---- What is added up. */

/* The sum that gives a node's rate if all inputs are 1 or -1: four class values, times blocks. */
static double by_classes(const turned_tet *p, const double *blocks, int orbit, int columns)
{
  double sum = 0;
  for (int k = 0; k < 4; k++)
    for (int j = 0, i = p->t->row[4 * orbit + k]; j < columns && i >= 0; j++)
      sum += 4 * fabs(blocks[(k * p->S + i) * columns + j]);
  return sum;
}

/* Each row's sizes, together, are no less than what blocks add up: of D_2 and D_3 for Dr, and so forth. */
TEST(test_sizes)
{
  for (int N = 1; N <= highest(); N++) {
    turned_tet p = make(N);
    OWNED(free) double *sizes = NULL;
    const int Np = p.Np, width = 4 * p.Nfp;
    GOOD(wisp_half_turns_sizes(err, p.tet, &sizes));
    for (int o = 0; o < p.S; o++) {
      const int x = p.t->node[4 * o];
      double given[4] = {0}, needed[3];
      for (int mu = 0; mu < 3; mu++) {
        for (int j = 0; j < Np; j++) given[mu] += sizes[(mu * Np + x) * Np + j];
        needed[mu] = by_classes(&p, p.t->D + mu * 4 * p.S * p.S, o, p.S);
      }
      for (int q = 0; q < width; q++) given[3] += sizes[3 * Np * Np + x * width + q];
      for (int mu = 0; mu < 3; mu++)
        assert_true(given[mu] > (1 - 1e-12) * (needed[(mu + 1) % 3] + needed[(mu + 2) % 3]));
      assert_true(given[3] > (1 - 1e-12) * by_classes(&p, p.t->LIFT, o, p.Nfp));
    }
    for (int q = 0; q < Np * width; q++) assert_true(sizes[3 * Np * Np + q] >= fabs(p.tet->LIFT[q]));
    discard(&p);
  }
}
