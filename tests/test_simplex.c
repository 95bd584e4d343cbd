/* Claim: the operators of the reference triangle are right: Frobenius norms of mass and stiffness, closed forms at
 * order 1, no stiffness of constants, the area, coefficients that add up to one, and nodes that meet on edges. */
#include "good.h"
#include "../gen/assembly/tri.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const double tight = 1e-12;

static double norm(const double *A, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++) sum += A[i] * A[i];
  return sqrt(sum);
}

static void test_norms(void **state)
{
  /* of M, S_00 and S_01 + S_10: their squares are known in closed form at order 1 */
  static const double of[WISP_TRI_MAX_ORDER][3] = {
      {0.7071067811865, 1.0000000000000, 1.5811388300842}, {0.7712423839590, 3.3499585403736, 4.7434164902526},
      {0.7270746633858, 7.3260148667035, 9.9426193235156}, {0.6371792050063, 12.555854982939, 16.874238346767},
      {0.5645239955364, 19.288493418214, 25.884828283367},
  };
  (void)state;
  for (int N = 1; N <= WISP_TRI_MAX_ORDER; N++) {
    wisp_tri *tri = NULL;
    GOOD(wisp_tri_create(err, N, &tri));
    const int all = tri->Np * tri->Np;
    const double *const tables[3] = {tri->mass, tri->stiffness[0], tri->stiffness[1]};
    for (int i = 0; i < 3; i++)
      if (!(fabs(norm(tables[i], all) / of[N - 1][i] - 1) < tight))
        fail_msg("order %d, table %d: %.15g", N, i, norm(tables[i], all));
    wisp_tri_destroy(tri);
  }
}

static void test_sums(void **state)
{
  (void)state;
  for (int N = 1; N <= WISP_TRI_MAX_ORDER; N++) {
    wisp_tri *tri = NULL;
    GOOD(wisp_tri_create(err, N, &tri));
    const int Np = tri->Np;
    double area = 0;
    for (int i = 0; i < Np * Np; i++) area += tri->mass[i];
    assert_true(fabs(area - 2) < tight);
    for (int d = 0; d < WISP_TRI_DIRECTIONS; d++)
      for (int a = 0; a < Np; a++) {
        double row = 0;
        for (int b = 0; b < Np; b++) {
          double sum = 0;
          row += tri->stiffness[d][a * Np + b];
          for (int m = 0; m < Np; m++) sum += tri->interpolated[d][(m * Np + a) * Np + b];
          assert_true(fabs(sum - tri->stiffness[d][a * Np + b]) < 1e2 * tight);
          assert_true(fabs(tri->stiffness[d][a * Np + b] - tri->stiffness[d][b * Np + a]) < 1e2 * tight);
        }
        assert_true(fabs(row) < 1e2 * tight);
      }
    wisp_tri_destroy(tri);
  }
}

/* On the bi-unit triangle, whose gradients at order 1 are (-1,-1)/2, (1,0)/2 and (0,1)/2. */
static void test_closed_forms(void **state)
{
  static const double slope[3][2] = {{-0.5, -0.5}, {0.5, 0}, {0, 0.5}};
  wisp_tri *tri = NULL;
  (void)state;
  GOOD(wisp_tri_create(err, 1, &tri));
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      const double *p = slope[a], *q = slope[b];
      const double cross = 2 * (p[0] * q[1] + p[1] * q[0]);
      assert_true(fabs(tri->mass[3 * a + b] - (a == b ? 2 : 1) / 6.0) < tight);
      assert_true(fabs(tri->stiffness[0][3 * a + b] - 2 * p[0] * q[0]) < tight);
      assert_true(fabs(tri->stiffness[1][3 * a + b] - cross) < tight);
      assert_true(fabs(tri->stiffness[2][3 * a + b] - 2 * p[1] * q[1]) < tight);
      for (int m = 0; m < 3; m++) assert_true(fabs(tri->interpolated[1][9 * m + 3 * a + b] - cross / 3) < tight);
    }
  wisp_tri_destroy(tri);
}

static void check_edges(const wisp_tri *tri)
{
  static const double vertex[3][2] = {{-1, -1}, {1, -1}, {-1, 1}};
  for (int edge = 0; edge < 3; edge++)
    for (int i = 0; i <= tri->N; i++) {
      const int node = wisp_tri_edge_node(tri->N, edge, i), along = wisp_tri_edge_node(tri->N, 0, i);
      const double share = (1 + tri->r[along]) / 2, *from = vertex[edge], *to = vertex[(edge + 1) % 3];
      assert_true(fabs(tri->r[node] - from[0] - share * (to[0] - from[0])) < tight);
      assert_true(fabs(tri->s[node] - from[1] - share * (to[1] - from[1])) < tight);
    }
}

/* Each polynomial is 1 at its node and 0 at the others, and edges have the same nodes from either end. */
static void test_nodes(void **state)
{
  (void)state;
  for (int N = 1; N <= WISP_TRI_MAX_ORDER; N++) {
    wisp_tri *tri = NULL;
    double phi[21];
    GOOD(wisp_tri_create(err, N, &tri));
    for (int i = 0; i < tri->Np; i++) {
      wisp_tri_at(tri, tri->r[i], tri->s[i], phi, NULL);
      for (int j = 0; j < tri->Np; j++) assert_true(fabs(phi[j] - (i == j)) < 10 * tight);
    }
    check_edges(tri);
    wisp_tri_destroy(tri);
  }
}

static void test_refused(void **state)
{
  (void)state;
  for (int N = 0; N <= WISP_TRI_MAX_ORDER + 1; N += WISP_TRI_MAX_ORDER + 1) {
    wisp_error err = {.text = ""};
    wisp_tri *tri = NULL;
    assert_int_equal(wisp_tri_create(&err, N, &tri), WISP_EUSAGE);
    assert_non_null(strstr(err.text, "1 to 5"));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_norms), cmocka_unit_test(test_sums),    cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_nodes), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
