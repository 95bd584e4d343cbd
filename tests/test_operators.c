/* Claim: for every order the operators are what their names say: D differentiates, LIFT lifts face masses,
 * interpolation interpolates, exactly on polynomials of degree N; and facelist names the nodes that meet. */
#include "test.h"
#include "../gen/nodal/tet.h"

static const double corner[4][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};

/* The highest order of the nodal element: above, D of monomials is off by more than 1e-11. */
enum { HIGHEST = 10 };

/* WISP_TEST_QUICK is set where a program runs fifty times as slowly (valgrind): no code is met at high orders alone. */
static int highest_order(void)
{
  return getenv("WISP_TEST_QUICK") ? 5 : HIGHEST;
}

static wisp_tet *make(int N)
{
  wisp_tet *tet = NULL;
  GOOD(wisp_tet_create(err, N, &tet));
  return tet;
}

static void barycentric(double r, double s, double t, double lambda[4])
{
  lambda[0] = -(1 + r + s + t) / 2, lambda[1] = (1 + r) / 2, lambda[2] = (1 + s) / 2, lambda[3] = (1 + t) / 2;
}

static double power(double x, int n)
{
  double result = 1;
  while (n-- > 0) result *= x;
  return result;
}

static double dot(int n, const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double monomial(const int n[3], double r, double s, double t)
{
  return power(r, n[0]) * power(s, n[1]) * power(t, n[2]);
}

/* d/dx_c of r^n0 s^n1 t^n2. */
static double monomial_slope(const int n[3], int c, double r, double s, double t)
{
  int lower[3] = {n[0], n[1], n[2]};
  if (n[c] == 0) return 0;
  lower[c]--;
  return n[c] * monomial(lower, r, s, t);
}

static void check_monomial(const wisp_tet *tet, const int n[3], double *u)
{
  for (int i = 0; i < tet->Np; i++) u[i] = monomial(n, tet->r[i], tet->s[i], tet->t[i]);
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < tet->Np; i++) {
      double exact = monomial_slope(n, c, tet->r[i], tet->s[i], tet->t[i]);
      double off = dot(tet->Np, tet->D[c] + i * tet->Np, u) - exact;
      if (!(fabs(off) < 1e-11))
        fail_msg("N=%d, (%d,%d,%d), D[%d] at node %d: off by %g", tet->N, n[0], n[1], n[2], c, i, off);
    }
}

TEST(test_differentiation)
{
  for (int N = 1; N <= highest_order(); N++) {
    OWNED(wisp_tet_destroy) wisp_tet *tet = make(N);
    OWNED(free) double *u = zeros((size_t)tet->Np);
    for (int i = 0; i <= N; i++)
      for (int j = 0; j <= N - i; j++)
        for (int k = 0; k <= N - i - j; k++) check_monomial(tet, (const int[3]){i, j, k}, u);
  }
}

TEST(test_rows_sum_to_zero)
{
  for (int N = 1; N <= highest_order(); N++) {
    OWNED(wisp_tet_destroy) wisp_tet *tet = make(N);
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < tet->Np; i++) {
        double sum = 0;
        for (int j = 0; j < tet->Np; j++) sum += tet->D[c][i * tet->Np + j];
        assert_true(fabs(sum) < 1e-11);
      }
  }
}

/* The place of node i in the element with those vertices, x y z of each together. */
static void place(const wisp_tet *tet, int i, const double *vertices, double x[3])
{
  double lambda[4];
  barycentric(tet->r[i], tet->s[i], tet->t[i], lambda);
  for (int c = 0; c < 3; c++) {
    x[c] = 0;
    for (int v = 0; v < 4; v++) x[c] += lambda[v] * vertices[3 * v + c];
  }
}

/* Sets an element against face f of the reference tet, its face g turned so: the nodes that facelist pairs coincide. */
static void check_meeting(const wisp_tet *tet, int f, int g, int turn)
{
  double other[4][3];
  for (int v = 0; v < 4; v++)
    for (int c = 0; c < 3; c++) other[v][c] = 5 + v * c; /* the vertex that is not on the face may be anywhere */
  for (int a = 0; a < 3; a++)
    memcpy(other[wisp_tet_face_vertices[g][wisp_tet_orientations[turn][a]]], corner[wisp_tet_face_vertices[f][a]],
           sizeof other[0]);
  for (int i = 0; i < tet->Nfp; i++) {
    double ours[3], theirs[3];
    place(tet, tet->Fmask[f * tet->Nfp + i], corner[0], ours);
    place(tet, tet->facelist[(g * WISP_TET_ORIENTATIONS + turn) * tet->Nfp + i], other[0], theirs);
    for (int c = 0; c < 3; c++)
      if (!(fabs(ours[c] - theirs[c]) < 1e-13))
        fail_msg("N=%d, face %d on face %d, turn %d, node %d: %g apart", tet->N, f, g, turn, i, ours[c] - theirs[c]);
  }
}

TEST(test_faces_meet)
{
  for (int N = 1; N <= highest_order(); N++) {
    OWNED(wisp_tet_destroy) wisp_tet *tet = make(N);
    for (int f = 0; f < WISP_TET_FACES; f++) {
      for (int g = 0; g < WISP_TET_FACES; g++)
        for (int turn = 0; turn < WISP_TET_ORIENTATIONS; turn++) check_meeting(tet, f, g, turn);
      assert_memory_equal(tet->facelist + f * WISP_TET_ORIENTATIONS * tet->Nfp, tet->Fmask + f * tet->Nfp,
                          (size_t)tet->Nfp * sizeof(int));
    }
  }
}

/* The Bernstein polynomial N!/(n0! n1! n2! n3!) lambda^n, between 0 and 1 on the tet. */
static double bernstein(const int n[4], const double lambda[4])
{
  int N = n[0] + n[1] + n[2] + n[3];
  double result = tgamma(N + 1.0);
  for (int v = 0; v < 4; v++) result *= power(lambda[v], n[v]) / tgamma(n[v] + 1.0);
  return result;
}

/* The integral of two of them over the face opposite vertex v, in coordinates of the bi-unit triangle (area 2): that of
 * lambda^e over a triangle is 2 area e0! e1! e2! / (e0+e1+e2+2)!. */
static double face_integral(const int n[4], const int m[4], int v)
{
  if (n[v] || m[v]) return 0;
  int N = n[0] + n[1] + n[2] + n[3];
  double result = 4 * tgamma(N + 1.0) * tgamma(N + 1.0) / tgamma(2 * N + 3.0);
  for (int a = 0; a < 4; a++) result *= tgamma(n[a] + m[a] + 1.0) / (tgamma(n[a] + 1.0) * tgamma(m[a] + 1.0));
  return result;
}

/* moments[i] = integral of test function n times the nodal basis function i, by quadrature: (M applied to n)_i. */
static void moments(const wisp_tet *tet, const wisp_quadrature *rule, const double *I, const int n[4], double *out)
{
  for (int i = 0; i < tet->Np; i++) out[i] = 0;
  for (size_t p = 0; p < rule->count; p++) {
    double lambda[4];
    barycentric(rule->r[p], rule->s[p], rule->t[p], lambda);
    double weighted = rule->w[p] * bernstein(n, lambda);
    for (int i = 0; i < tet->Np; i++) out[i] += weighted * I[p * (size_t)tet->Np + (size_t)i];
  }
}

/* Exponents of the Bernstein polynomials of face f, numbered like the face's nodes. */
static void face_exponents(const wisp_tet *tet, int f, int q, int m[4])
{
  const int *vertex = wisp_tet_face_vertices[f];
  int j = 0;
  for (; q > tet->N - j; j++) q -= tet->N - j + 1;
  memset(m, 0, 4 * sizeof *m);
  m[vertex[0]] = tet->N - q - j, m[vertex[1]] = q, m[vertex[2]] = j;
}

/* g[(f*Nfp + m)*Nfp + q]: the m-th Bernstein polynomial of face f at the face's node q. */
static double *face_polynomials(const wisp_tet *tet)
{
  double *g = zeros((size_t)(WISP_TET_FACES * tet->Nfp * tet->Nfp));
  for (int row = 0; row < WISP_TET_FACES * tet->Nfp; row++)
    for (int q = 0; q < tet->Nfp; q++) {
      int m[4], f = row / tet->Nfp, node = tet->Fmask[f * tet->Nfp + q];
      double lambda[4];
      face_exponents(tet, f, row % tet->Nfp, m);
      barycentric(tet->r[node], tet->s[node], tet->t[node], lambda);
      g[row * tet->Nfp + q] = bernstein(m, lambda);
    }
  return g;
}

/* (n, LIFT g) over the tet equals the integral of n g over the face, for every Bernstein polynomial g on each face. */
static void check_lift(const wisp_tet *tet, const double *g, const int n[4], const double *moment, double *column)
{
  static const int opposite[WISP_TET_FACES] = {3, 2, 0, 1};
  int width = WISP_TET_FACES * tet->Nfp;
  for (int q = 0; q < width; q++) column[q] = 0; /* moment^T LIFT */
  for (int i = 0; i < tet->Np; i++)
    for (int q = 0; q < width; q++) column[q] += moment[i] * tet->LIFT[i * width + q];
  for (int row = 0; row < width; row++) {
    int m[4], f = row / tet->Nfp;
    face_exponents(tet, f, row % tet->Nfp, m);
    double off = dot(tet->Nfp, column + f * tet->Nfp, g + row * tet->Nfp) - face_integral(n, m, opposite[f]);
    if (!(fabs(off) < 1e-12)) fail_msg("N=%d, face %d, polynomial %d: off by %g", tet->N, f, row % tet->Nfp, off);
  }
}

static void check_lift_of_order(int N)
{
  OWNED(wisp_tet_destroy) wisp_tet *tet = make(N);
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  GOOD(wisp_tet_quadrature(err, 2 * N, &rule));
  OWNED(free) double *I = zeros(rule.count * (size_t)tet->Np), *moment = zeros((size_t)tet->Np);
  OWNED(free) double *g = face_polynomials(tet), *column = zeros((size_t)(WISP_TET_FACES * tet->Nfp));
  GOOD(wisp_tet_interpolation(err, tet, rule.count, rule.r, rule.s, rule.t, I));
  for (int i = 0; i <= N; i++)
    for (int j = 0; j <= N - i; j++)
      for (int k = 0; k <= N - i - j; k++) {
        const int n[4] = {i, j, k, N - i - j - k};
        moments(tet, &rule, I, n, moment);
        check_lift(tet, g, n, moment, column);
      }
}

TEST(test_lift)
{
  for (int N = 1; N <= highest_order(); N++) check_lift_of_order(N);
}

/* At points inside, and at the four vertices, where the collapsed coordinates of the modes have no value. */
TEST(test_interpolation)
{
  const double r[] = {-1, 1, -1, -1, -0.5, -0.9, 0.3, -1, -1, 0}, s[] = {-1, -1, 1, -1, -0.5, 0.7, -0.8, 0, 0.25, -1};
  const double t[] = {-1, -1, -1, 1, -0.5, -0.85, -0.7, 0, -0.25, 0};
  enum { POINTS = sizeof r / sizeof *r };
  for (int N = 1; N <= highest_order(); N++) {
    OWNED(wisp_tet_destroy) wisp_tet *tet = make(N);
    OWNED(free) double *I = zeros(POINTS * (size_t)tet->Np), *u = zeros((size_t)tet->Np);
    GOOD(wisp_tet_interpolation(err, tet, POINTS, r, s, t, I));
    for (int i = 0; i <= N; i++)
      for (int j = 0; j <= N - i; j++)
        for (int k = 0; k <= N - i - j; k++) {
          const int n[3] = {i, j, k};
          for (int q = 0; q < tet->Np; q++) u[q] = monomial(n, tet->r[q], tet->s[q], tet->t[q]);
          for (int p = 0; p < POINTS; p++)
            assert_true(fabs(dot(tet->Np, I + p * tet->Np, u) - monomial(n, r[p], s[p], t[p])) < 1e-12);
        }
  }
}

/* At the nodes themselves interpolation is the identity. */
TEST(test_interpolation_at_nodes)
{
  for (int N = 1; N <= highest_order(); N++) {
    OWNED(wisp_tet_destroy) wisp_tet *tet = make(N);
    size_t Np = (size_t)tet->Np;
    OWNED(free) double *I = zeros(Np * Np);
    GOOD(wisp_tet_interpolation(err, tet, Np, tet->r, tet->s, tet->t, I));
    for (size_t i = 0; i < Np * Np; i++) assert_true(fabs(I[i] - (i % (Np + 1) == 0)) < 1e-12);
  }
}

TEST(test_order_range)
{
  const int bad[] = {0, WISP_TET_MAX_ORDER + 1, -3, 1 << 30};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    wisp_error err = {0};
    wisp_tet *tet = NULL;
    assert_int_equal(wisp_tet_create(&err, bad[i], &tet), WISP_EUSAGE);
    assert_int_equal(err.status, WISP_EUSAGE);
    assert_non_null(strstr(err.text, "1 to 15"));
    assert_null(strchr(err.text, '\n'));
    assert_null(tet);
  }
  wisp_tet_destroy(NULL);
}
