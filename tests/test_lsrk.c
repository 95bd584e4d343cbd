/* Claim: the Runge-Kutta method is of order 4, its stage times are where its stages are. */
#include "test.h"
#include "../runtime/nodal/dg.h"

enum { S = 5 };

/* The tableau of the same method: stage i is u + dt sum_j A[i][j] k_j, the step's end is row S. */
static void tableau(double A[S + 1][S])
{
  double res[S] = {0};
  for (int j = 0; j < S; j++) A[0][j] = 0;
  for (int i = 0; i < S; i++)
    for (int j = 0; j < S; j++) {
      res[j] = wisp_lsrk45.stage[i].a * res[j] + (i == j);
      A[i + 1][j] = A[i][j] + wisp_lsrk45.stage[i].b * res[j];
    }
}

/* Sums of the tableau that order 4 asks for (Hairer, Norsett & Wanner, II.1), c from the table. */
TEST(test_conditions)
{
  double A[S + 1][S], sum[8] = {0};
  assert_int_equal(wisp_lsrk45.stages, S);
  static const double expected[8] = {1, 1 / 2.0, 1 / 3.0, 1 / 6.0, 1 / 4.0, 1 / 8.0, 1 / 12.0, 1 / 24.0};
  tableau(A);
  for (int i = 0; i < S; i++) {
    double b = A[S][i], c = wisp_lsrk45.stage[i].c, row = 0, Ac = 0, Acc = 0, AAc = 0;
    for (int j = 0; j < S; j++) {
      row += A[i][j];
      Ac += A[i][j] * wisp_lsrk45.stage[j].c;
      Acc += A[i][j] * wisp_lsrk45.stage[j].c * wisp_lsrk45.stage[j].c;
      for (int k = 0; k < S; k++) AAc += A[i][j] * A[j][k] * wisp_lsrk45.stage[k].c;
      assert_true(j < i || A[i][j] == 0); /* explicit */
    }
    assert_true(fabs(row - c) < 1e-12);
    const double term[8] = {1, c, c * c, Ac, c * c * c, c * Ac, Acc, AAc};
    for (int s = 0; s < 8; s++) sum[s] += b * term[s];
  }
  for (int s = 0; s < 8; s++) assert_true(fabs(sum[s] - expected[s]) < 1e-12);
}

/* u' = -u + v cos t, v' = -v/2, forced so that stage times count: compare with a far finer integration. */
static void rate(const double u[2], double t, double out[2])
{
  out[0] = -u[0] + u[1] * cos(t);
  out[1] = -u[1] / 2;
}

static double integrate(int steps)
{
  double u[2] = {1, 2}, res[2] = {0}, k[2], dt = 2.0 / steps;
  for (int step = 0; step < steps; step++)
    for (int s = 0; s < S; s++) {
      rate(u, (step + wisp_lsrk45.stage[s].c) * dt, k);
      for (int i = 0; i < 2; i++) {
        res[i] = wisp_lsrk45.stage[s].a * res[i] + dt * k[i];
        u[i] += wisp_lsrk45.stage[s].b * res[i];
      }
    }
  return u[0];
}

/* Exact: v = 2 exp(-t/2), u = exp(-t) (1 + 2 int_0^t exp(s/2) cos s ds). */
static double exact(double t)
{
  double integral = (exp(t / 2) * (cos(t) / 2 + sin(t)) - 0.5) / 1.25;
  return exp(-t) * (1 + 2 * integral);
}

TEST(test_order)
{
  double before = 0;
  for (int steps = 4; steps <= 128; steps *= 2) {
    double error = fabs(integrate(steps) - exact(2));
    if (steps >= 16) {
      double order = log2(before / error);
      if (!(order > 3.9 && order < 4.3)) fail_msg("order %.3f from %d to %d steps", order, steps / 2, steps);
    }
    before = error;
  }
}
