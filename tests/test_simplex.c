/* Claim: the operators of the reference triangle and tet are right: Frobenius norms of mass and stiffness, closed forms
 * at order 1, no stiffness of constants, the area, coefficients that add up to one, and nodes that meet on edges. */
#include "test.h"
#include "../gen/assembly/simplex.h"

static const double tight = 1e-12;

static double norm(const double *A, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++) sum += A[i] * A[i];
  return sqrt(sum);
}

TEST(test_norms)
{
  /* of M, S_00 and S_01 + S_10: their squares are known in closed form at order 1 */
  static const double of[2][WISP_SIMPLEX_MAX_ORDER][3] = {
      {{0.7071067811865, 1.0000000000000, 1.5811388300842},
       {0.7712423839590, 3.3499585403736, 4.7434164902526},
       {0.7270746633858, 7.3260148667035, 9.9426193235156},
       {0.6371792050063, 12.555854982939, 16.874238346767},
       {0.5645239955364, 19.288493418214, 25.884828283367}},
      {{0.3527668414753, 0.6666666666667, 1.0540925533895},
       {0.3766422844435, 1.8903262505010, 2.8110891523077},
       {0.3741295120183, 3.9476634050137, 5.6022057258466},
       {0.3335625863894, 6.8227972844048, 9.4269650118298},
       {0.3018468063153, 10.890256741855, 14.846612268565}},
  };
  for (int i = 0; i < 2 * WISP_SIMPLEX_MAX_ORDER; i++) {
    const int dimension = 2 + i / WISP_SIMPLEX_MAX_ORDER, N = 1 + i % WISP_SIMPLEX_MAX_ORDER;
    OWNED(wisp_simplex_destroy) wisp_simplex *s = NULL;
    GOOD(wisp_simplex_create(err, dimension, N, &s));
    const double *const tables[3] = {s->mass, s->stiffness[0], s->stiffness[1]};
    for (int t = 0; t < 3; t++)
      if (!(fabs(norm(tables[t], s->Np * s->Np) / of[dimension - 2][N - 1][t] - 1) < tight))
        fail_msg("dimension %d, order %d, table %d: %.15g", dimension, N, t, norm(tables[t], s->Np * s->Np));
  }
}

/* Constants have no slope; coefficients in the nodes add up to one. */
static void check_rows(const wisp_simplex *s, int d)
{
  const int Np = s->Np;
  for (int a = 0; a < Np; a++) {
    double row = 0;
    for (int b = 0; b < Np; b++) {
      double sum = 0;
      row += s->stiffness[d][a * Np + b];
      for (int m = 0; m < Np; m++) sum += s->interpolated[d][(m * Np + a) * Np + b];
      assert_true(fabs(sum - s->stiffness[d][a * Np + b]) < 1e2 * tight);
      assert_true(fabs(s->stiffness[d][a * Np + b] - s->stiffness[d][b * Np + a]) < 1e2 * tight);
    }
    assert_true(fabs(row) < 1e2 * tight);
  }
}

TEST(test_sums)
{
  for (int i = 0; i < 2 * WISP_SIMPLEX_MAX_ORDER; i++) {
    OWNED(wisp_simplex_destroy) wisp_simplex *s = NULL;
    double volume = 0;
    GOOD(wisp_simplex_create(err, 2 + i / WISP_SIMPLEX_MAX_ORDER, 1 + i % WISP_SIMPLEX_MAX_ORDER, &s));
    for (int k = 0; k < s->Np * s->Np; k++) volume += s->mass[k];
    assert_true(fabs(volume - (s->dimension == 2 ? 2 : 4.0 / 3)) < tight);
    for (int d = 0; d < s->directions; d++) check_rows(s, d);
  }
}

/* On the bi-unit triangle, whose gradients at order 1 are (-1,-1)/2, (1,0)/2 and (0,1)/2. */
TEST(test_closed_forms)
{
  static const double slope[3][2] = {{-0.5, -0.5}, {0.5, 0}, {0, 0.5}};
  OWNED(wisp_simplex_destroy) wisp_simplex *tri = NULL;
  GOOD(wisp_simplex_create(err, 2, 1, &tri));
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
}

/* Nodes with the same steps towards the corners that they are a mean of lie alike on any edge or face. */
static void check_surfaces(const wisp_simplex *s)
{
  int step[WISP_SIMPLEX_MAX_NP][4];
  double share[WISP_SIMPLEX_MAX_NP][4];
  wisp_simplex_steps(s->dimension, s->N, step);
  for (int a = 0; a < s->Np; a++) {
    share[a][0] = 1;
    for (int v = 1; v < 4; v++) share[a][v] = (1 + s->node[v - 1][a]) / 2 * (v <= s->dimension);
    for (int v = 1; v < 4; v++) share[a][0] -= share[a][v];
    for (int v = 0; v < 4; v++) assert_true(step[a][v] > 0 || fabs(share[a][v]) < tight);
  }
  for (int a = 0; a < s->Np; a++)
    for (int b = 0; b < s->Np; b++) {
      int sorted[2][4], order[2][4];
      for (int i = 0; i < 2; i++)
        for (int v = 0; v < 4; v++) {
          int at = v;
          for (; at && sorted[i][at - 1] > step[i ? b : a][v]; at--)
            sorted[i][at] = sorted[i][at - 1], order[i][at] = order[i][at - 1];
          sorted[i][at] = step[i ? b : a][v], order[i][at] = v;
        }
      if (memcmp(sorted[0], sorted[1], sizeof sorted[0]) != 0) continue;
      for (int v = 0; v < 4; v++) assert_true(fabs(share[a][order[0][v]] - share[b][order[1][v]]) < tight);
    }
}

/* Each polynomial is 1 at its node and 0 at the others. */
TEST(test_nodes)
{
  for (int i = 0; i < 2 * WISP_SIMPLEX_MAX_ORDER; i++) {
    OWNED(wisp_simplex_destroy) wisp_simplex *s = NULL;
    double phi[WISP_SIMPLEX_MAX_NP];
    GOOD(wisp_simplex_create(err, 2 + i / WISP_SIMPLEX_MAX_ORDER, 1 + i % WISP_SIMPLEX_MAX_ORDER, &s));
    for (int a = 0; a < s->Np; a++) {
      wisp_simplex_at(s, (const double[3]){s->node[0][a], s->node[1][a], s->node[2][a]}, phi, NULL);
      for (int b = 0; b < s->Np; b++) assert_true(fabs(phi[b] - (a == b)) < 10 * tight);
    }
    check_surfaces(s);
  }
}

TEST(test_refused)
{
  static const int wrong[][2] = {{2, 0}, {2, 6}, {3, 0}, {3, 6}, {1, 2}, {4, 2}};
  for (size_t i = 0; i < WISP_COUNT(wrong); i++) {
    wisp_error err = {.text = ""};
    wisp_simplex *s = NULL;
    assert_int_equal(wisp_simplex_create(&err, wrong[i][0], wrong[i][1], &s), WISP_EUSAGE);
    assert_non_null(strstr(err.text, i < 4 ? "1 to 5" : "must be 2 or 3"));
  }
}
