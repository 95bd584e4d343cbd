/* Claim: the Bernstein-Bezier operators are the nodal ones in another basis, sparse as they are said to be, and every
 * way to apply them comes to the same. How exactly they agree with the nodal ones is printed: the change of basis, in
 * double and well conditioned at no high order, limits that, and nothing else. */
#include "test.h"
#include "../gen/nodal/bernstein.h"

enum { MOST = WISP_TET_MAX_NP, CONVERTED = 10 };

typedef struct pair {
  int N, Np, Nfp;
  wisp_tet *nodal, *tet;
  wisp_bernstein *b;
} pair;

/* WISP_TEST_QUICK is set where a program runs fifty times as slowly (valgrind): no code is met at high orders alone. */
static int highest(int order)
{
  return getenv("WISP_TEST_QUICK") && order > 5 ? 5 : order;
}

/* Without the tets. */
static pair make_sparse(int N)
{
  pair p = {.N = N};
  GOOD(wisp_bernstein_create(err, N, &p.b));
  p.Np = p.b->Np, p.Nfp = p.b->Nfp;
  return p;
}

static pair make(int N)
{
  pair p = make_sparse(N);
  GOOD(wisp_tet_create(err, N, &p.nodal));
  GOOD(wisp_tet_create_for(err, "bernstein-tet", true, N, &p.tet));
  return p;
}

static void discard(pair *p)
{
  wisp_tet_destroy(p->nodal);
  wisp_tet_destroy(p->tet);
  wisp_bernstein_destroy(p->b);
}

static double noise(void)
{
  return 2.0 * rand() / RAND_MAX - 1;
}

static void multiply(int rows, int columns, const double *A, const double *x, double *y)
{
  for (int i = 0; i < rows; i++) {
    y[i] = 0;
    for (int j = 0; j < columns; j++) y[i] += A[i * columns + j] * x[j];
  }
}

static double largest(int count, const double *x)
{
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* The largest difference, relative to the largest of y. */
static double distance(int count, const double *x, const double *y)
{
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most / largest(count, y);
}

static double largest_row(int n, const double *A)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(A[i * n + j]);
    most = fmax(most, sum);
  }
  return most;
}

/* --- the same operators --- */

/* A smooth field, and a rough one, in the nodes. */
static void fill(const wisp_tet *tet, bool rough, double *u)
{
  for (int i = 0; i < tet->Np; i++)
    u[i] = rough ? noise() : sin(tet->r[i] + 0.3) * cos(2 * tet->s[i]) + exp(tet->t[i] / 2);
}

static double derivative_error(const pair *p, int mu, bool rough)
{
  static double u[MOST], c[MOST], exact[MOST], got[MOST];
  fill(p->nodal, rough, u);
  memcpy(c, u, sizeof c);
  multiply(p->Np, p->Np, p->nodal->D[mu], u, exact);
  wisp_tet_from_nodes(p->tet, c);
  multiply(p->Np, p->Np, p->tet->D[mu], c, got);
  wisp_tet_to_nodes(p->tet, got);
  return distance(p->Np, got, exact);
}

/* A face's coefficients at its control points give the trace that it has in the nodes. */
static double lift_error(const pair *p, bool rough)
{
  static double u[MOST], c[MOST], f[4 * WISP_TET_MAX_NFP], exact[MOST], got[MOST];
  const int width = 4 * p->Nfp;
  fill(p->nodal, rough, u);
  memcpy(c, u, sizeof c);
  for (int q = 0; q < width; q++) f[q] = u[p->nodal->Fmask[q]];
  multiply(p->Np, width, p->nodal->LIFT, f, exact);
  wisp_tet_from_nodes(p->tet, c);
  for (int q = 0; q < width; q++) f[q] = c[p->tet->Fmask[q]];
  multiply(p->Np, width, p->tet->LIFT, f, got);
  wisp_tet_to_nodes(p->tet, got);
  return distance(p->Np, got, exact);
}

TEST(test_same_operators)
{
  for (int N = 1; N <= highest(CONVERTED); N++) {
    pair p = make(N);
    const double condition = largest_row(p.Np, p.tet->to_nodes) * largest_row(p.Np, p.tet->from_nodes);
    double smooth = 0, rough = 0;
    for (int mu = 0; mu < 3; mu++) {
      smooth = fmax(smooth, derivative_error(&p, mu, false));
      rough = fmax(rough, derivative_error(&p, mu, true));
    }
    const double lift = fmax(lift_error(&p, false), lift_error(&p, true));
    print_message("N = %2d: condition %.1e; derivative of a smooth field %.1e, a rough one %.1e; lift %.1e\n", N,
                  condition, smooth, rough, lift);
    assert_true(smooth < 1e-11);
    assert_true(rough < 1e-11);
    assert_true(lift < 1e-11);
    discard(&p);
  }
}

/* c to values and back; a point's value by the modes is that by the basis functions. */
TEST(test_change_of_basis)
{
  static double c[MOST], repeated[MOST], row[MOST], values[MOST];
  const double at[3] = {-0.7, -0.3, -0.2};
  for (int N = 1; N <= highest(CONVERTED + 2); N++) {
    pair p = make(N);
    const double condition = largest_row(p.Np, p.tet->to_nodes) * largest_row(p.Np, p.tet->from_nodes);
    for (int i = 0; i < p.Np; i++) c[i] = repeated[i] = noise();
    wisp_tet_to_nodes(p.tet, repeated);
    wisp_tet_from_nodes(p.tet, repeated);
    assert_true(distance(p.Np, repeated, c) < 1e-15 * condition);
    GOOD(wisp_tet_interpolation(err, p.tet, 1, &at[0], &at[1], &at[2], row));
    wisp_bernstein_values(p.b, at[0], at[1], at[2], values);
    for (int i = 0; i < p.Np; i++) assert_true(fabs(row[i] - values[i]) < 1e-12);
    discard(&p);
  }
}

/* --- the closed forms --- */

static double binomial(int n, int k)
{
  double result = 1;
  for (int i = 1; i <= k; i++) result = result * (n - k + i) / i;
  return result;
}

/* M_ab = |T| prod C(a_k + b_k, a_k) / (C(2N, N) C(2N + 3, 3)), and M = (V V^T)^-1. */
TEST(test_mass)
{
  for (int N = 1; N <= highest(CONVERTED); N++) {
    pair p = make(N);
    const double scale = 4.0 / 3 / (binomial(2 * N, N) * binomial(2 * N + 3, 3));
    double worst = 0, most = 0;
    for (int a = 0; a < p.Np; a++)
      for (int b = 0; b < p.Np; b++) {
        double mass = scale, product = 0;
        for (int k = 0; k < 4; k++)
          mass *= binomial(p.b->power[4 * a + k] + p.b->power[4 * b + k], p.b->power[4 * a + k]);
        for (int m = 0; m < p.Np; m++) product += p.tet->inverse_V[m * p.Np + a] * p.tet->inverse_V[m * p.Np + b];
        worst = fmax(worst, fabs(mass - product));
        most = fmax(most, mass);
      }
    assert_true(worst < 1e-13 * most);
    discard(&p);
  }
}

/* Each D^m has the four values b_j in row b, which add up to N: the derivative of a constant by l_m alone. In two
 * steps, by degree N-1, it is the same, exactly: all numbers are whole. */
TEST(test_sparse_derivatives)
{
  static double c[MOST], lower[MOST];
  for (int N = 1; N <= highest(WISP_TET_MAX_ORDER); N++) {
    pair p = make_sparse(N);
    for (int i = 0; i < p.Np; i++) c[i] = rand() % 2001 - 1000;
    for (int m = 0; m < 4; m++) {
      for (int a = 0; a < p.b->lower; a++) lower[a] = c[p.b->up[4 * a + m]];
      for (int b = 0; b < p.Np; b++) {
        const int *power = p.b->power + 4 * b;
        double direct = 0, stepwise = 0;
        assert_int_equal(power[0] + power[1] + power[2] + power[3], N);
        for (int j = 0; j < 4; j++) {
          assert_int_equal(p.b->down[4 * b + j] < 0, power[j] == 0);
          direct += power[j] * c[p.b->column[(m * p.Np + b) * 4 + j]];
          stepwise += power[j] ? power[j] * lower[p.b->down[4 * b + j]] : 0;
        }
        assert_true(direct == stepwise);
      }
    }
    discard(&p);
  }
}

TEST(test_sparsity)
{
  for (int N = 1; N <= highest(WISP_TET_MAX_ORDER); N++) {
    pair p = make_sparse(N);
    int widest = 0, most = 0;
    for (int i = 0; i < p.Nfp; i++) {
      int count = 0;
      for (int j = 0; j < p.Nfp; j++) {
        count += p.b->L0[i * p.Nfp + j] != 0;
        assert_true(p.b->L0[i * p.Nfp + j] == p.b->L0[j * p.Nfp + i]);
      }
      widest = count > widest ? count : widest;
    }
    assert_true(widest <= WISP_BERNSTEIN_STENCIL && (N < 3 || widest == WISP_BERNSTEIN_STENCIL));
    for (int b = 0; b < p.Np; b++) {
      int count = 0;
      for (int q = 0; q < p.b->E_width; q++) count += p.b->E_value[b * p.b->E_width + q] != 0;
      most = count > most ? count : most;
    }
    assert_int_equal(most, p.b->E_width);
    discard(&p);
  }
}

/* --- ways to lift --- */

static void lift_dense(const pair *p, const double *f, double *out)
{
  double Q[4 * WISP_TET_MAX_NFP];
  for (int face = 0; face < 4; face++) multiply(p->Nfp, p->Nfp, p->b->L0, f + face * p->Nfp, Q + face * p->Nfp);
  for (int b = 0; b < p->Np; b++) {
    out[b] = 0;
    for (int q = b * p->b->E_width; q < (b + 1) * p->b->E_width; q++) out[b] += p->b->E_value[q] * Q[p->b->E_column[q]];
  }
}

static void lift_by_slices(const pair *p, const double *f, double *out)
{
  double P[MOST];
  memset(out, 0, (size_t)p->Np * sizeof *out);
  for (int face = 0; face < 4; face++) {
    const int top = p->Np - p->Nfp; /* where the face's own layer begins */
    for (int i = 0; i < p->Nfp; i++) {
      P[top + i] = 0;
      for (int j = 0; j < WISP_BERNSTEIN_STENCIL; j++) {
        const int at = i * WISP_BERNSTEIN_STENCIL + j;
        P[top + i] += p->b->L0_value[at] * f[face * p->Nfp + p->b->L0_column[at]];
      }
    }
    for (int d = p->N; d >= 0; d--)
      for (int s = d * (d + 1) * (d + 2) / 6, end = s + (d + 1) * (d + 2) / 2, above = end; s < end; s++) {
        if (d < p->N) P[s] = 0;
        for (int k = 0; k < 3 && d < p->N; k++)
          P[s] += p->b->slice_weight[3 * s + k] * P[above + p->b->slice_up[3 * s + k]];
        const int point = p->b->slice_point[face * p->Np + s];
        assert_int_equal(p->b->slice_of[4 * point + face], s);
        out[point] += P[s];
      }
  }
}

TEST(test_ways_to_lift)
{
  static double f[4 * WISP_TET_MAX_NFP], dense[MOST], matrix[MOST], slices[MOST];
  static double D[6][MOST * MOST], LIFT[MOST * 4 * WISP_TET_MAX_NFP];
  double *const into[6] = {D[0], D[1], D[2], D[3], D[4], D[5]};
  for (int N = 1; N <= highest(WISP_TET_MAX_ORDER); N++) {
    pair p = make_sparse(N);
    for (int q = 0; q < 4 * p.Nfp; q++) f[q] = noise();
    wisp_bernstein_dense(p.b, into, into + 3, LIFT);
    multiply(p.Np, 4 * p.Nfp, LIFT, f, dense);
    lift_dense(&p, f, matrix);
    lift_by_slices(&p, f, slices);
    assert_true(distance(p.Np, matrix, dense) < 1e-14);
    assert_true(distance(p.Np, slices, dense) < 1e-14);
    discard(&p);
  }
}

TEST(test_bad_requests)
{
  wisp_bernstein *b = NULL;
  wisp_tet *tet = NULL;
  wisp_error err = {0};
  assert_int_equal(wisp_bernstein_create(NULL, 0, &b), WISP_EUSAGE);
  assert_int_equal(wisp_bernstein_create(NULL, WISP_TET_MAX_ORDER + 1, &b), WISP_EUSAGE);
  assert_int_equal(wisp_tet_create_for(&err, "bezier-tet", true, 2, &tet), WISP_EUSAGE);
  assert_string_equal(err.text, "tet: there is no element 'bezier-tet'");
  assert_null(b);
  assert_null(tet);
}
