#include "bernstein.h"
#include "tet_internal.h"

/* The vertex opposite each face. */
static const int opposite[WISP_TET_FACES] = {3, 2, 0, 1};

/* Number of the point of a triangle of degree d with exponents a: the second fastest. */
static int triangle_point(int d, const int a[3])
{
  return wisp_triangle_size(d) - wisp_triangle_size(d - a[2]) + a[1];
}

static int tet_point(int d, const int a[4])
{
  return wisp_tet_node(d, a[1], a[2], a[3]);
}

/* Steps to the next point of a triangle, or tet, in the order of their numbers. Begins with all of the degree in a[0].
 */
static void next_point(int corners, int *a)
{
  int c = 1;
  while (a[0] == 0 && c < corners - 1) {
    a[0] += a[c];
    a[c++] = 0;
  }
  a[0]--, a[c]++;
}

static double binomial(int n, int k)
{
  double result = 1;
  for (int i = 1; i <= k; i++) result = result * (n - k + i) / i;
  return result;
}

void wisp_bernstein_tables(wisp_bernstein *b, wisp_bernstein_table out[WISP_BERNSTEIN_TABLES])
{
  const size_t Np = (size_t)b->Np, Nfp = (size_t)b->Nfp, width = (size_t)b->E_width;
  const wisp_bernstein_table all[WISP_BERNSTEIN_TABLES] = {
      {"power", 4 * Np, .ints = &b->power},
      {"up", 4 * (size_t)b->lower, .ints = &b->up},
      {"down", 4 * Np, .ints = &b->down},
      {"D_column", 16 * Np, .ints = &b->column},
      {"L0_column", WISP_BERNSTEIN_STENCIL * Nfp, .ints = &b->L0_column},
      {"E_column", Np * width, .ints = &b->E_column},
      {"slice_point", 4 * Np, .ints = &b->slice_point},
      {"slice_of", 4 * Np, .ints = &b->slice_of},
      {"slice_up", 3 * Np, .ints = &b->slice_up},
      {"L0", Nfp * Nfp, .reals = &b->L0},
      {"L0_value", WISP_BERNSTEIN_STENCIL * Nfp, .reals = &b->L0_value},
      {"E_value", Np * width, .reals = &b->E_value},
      {"slice_weight", 3 * Np, .reals = &b->slice_weight},
  };
  memcpy(out, all, sizeof all);
}

/* power, down and column; up, from the lattice of degree N-1. */
static void list_derivatives(wisp_bernstein *bern)
{
  const int N = bern->N, Np = bern->Np;
  int b[4] = {N}, c[4] = {N - 1};
  for (int at = 0; at < Np; at++, next_point(4, b))
    for (int j = 0; j < 4; j++) {
      bern->power[4 * at + j] = b[j];
      b[j]--;
      bern->down[4 * at + j] = b[j] < 0 ? -1 : tet_point(N - 1, b);
      for (int m = 0; m < 4; m++) {
        b[m]++;
        bern->column[(m * Np + at) * 4 + j] = b[j] < (m == j) ? at : tet_point(N, b);
        b[m]--;
      }
      b[j]++;
    }
  for (int at = 0; at < bern->lower; at++, next_point(4, c))
    for (int m = 0; m < 4; m++) {
      c[m]++;
      bern->up[4 * at + m] = tet_point(N, c);
      c[m]--;
    }
}

/* (N+1)^2/2 E^T E with E the elevation from degree N to N+1: row c has the sum of (c_k + 1)^2 / 2 on the diagonal and
 * (c_k + 1) c_l / 2 at c + e_k - e_l. */
static void list_L0(wisp_bernstein *bern)
{
  const int Nfp = bern->Nfp;
  int c[3] = {bern->N};
  for (int row = 0; row < Nfp; row++, next_point(3, c)) {
    int *column = bern->L0_column + row * WISP_BERNSTEIN_STENCIL, at = 1;
    double *value = bern->L0_value + row * WISP_BERNSTEIN_STENCIL;
    for (int q = 0; q < WISP_BERNSTEIN_STENCIL; q++) column[q] = row;
    for (int k = 0; k < 3; k++) value[0] += (c[k] + 1) * (c[k] + 1) / 2.0;
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < 3; l++) {
        if (l == k || c[l] == 0) continue;
        value[at] = (c[k] + 1) * c[l] / 2.0;
        c[k]++, c[l]--;
        column[at++] = triangle_point(bern->N, c);
        c[k]--, c[l]++;
      }
    for (int q = 0; q < WISP_BERNSTEIN_STENCIL; q++) bern->L0[row * Nfp + column[q]] += value[q];
  }
}

/* Layer by layer, from degree 0 to N. */
static void list_slices(wisp_bernstein *bern)
{
  const int N = bern->N;
  for (int d = 0, s = 0; d <= N; d++) {
    int a[3] = {d};
    for (int c = 0; c < wisp_triangle_size(d); c++, s++, next_point(3, a)) {
      for (int face = 0; face < WISP_TET_FACES; face++) {
        int powers[4] = {0};
        powers[opposite[face]] = N - d;
        for (int k = 0; k < 3; k++) powers[wisp_tet_face_vertices[face][k]] = a[k];
        const int point = bern->slice_point[face * bern->Np + s] = tet_point(N, powers);
        bern->slice_of[4 * point + face] = s;
      }
      for (int k = 0; k < 3; k++) {
        bern->slice_weight[3 * s + k] = -(a[k] + 1.0) / (N - d + 1);
        a[k]++;
        bern->slice_up[3 * s + k] = d < N ? triangle_point(d + 1, a) : 0;
        a[k]--;
      }
    }
  }
}

/* In row b, for the face opposite v: entries (-1)^i / (1+i) times the product of C(c_k, b_k), i = b_v, at the points c
 * = b + d of the face, |d| = i. */
static void list_reductions(wisp_bernstein *bern)
{
  const int N = bern->N, width = bern->E_width;
  for (int b = 0; b < bern->Np; b++) {
    int *column = bern->E_column + b * width, at = 0;
    double *value = bern->E_value + b * width;
    for (int face = 0; face < WISP_TET_FACES; face++) {
      const int i = bern->power[4 * b + opposite[face]];
      int d[3] = {i}, c[3];
      for (int q = 0; q < wisp_triangle_size(i); q++, next_point(3, d)) {
        double product = (i % 2 ? -1.0 : 1.0) / (1 + i);
        for (int k = 0; k < 3; k++) {
          const int own = bern->power[4 * b + wisp_tet_face_vertices[face][k]];
          c[k] = own + d[k];
          product *= binomial(c[k], own);
        }
        column[at] = face * bern->Nfp + triangle_point(N, c);
        value[at++] = product;
      }
    }
  }
}

int wisp_bernstein_E_width(int N)
{
  return wisp_triangle_size(N) + 3;
}

wisp_status wisp_bernstein_create(wisp_error *err, int N, wisp_bernstein **out)
{
  OWNED(wisp_bernstein_destroy) wisp_bernstein *b = NULL;
  wisp_bernstein_table table[WISP_BERNSTEIN_TABLES];
  CALL(wisp_require(err, N >= 1 && N <= WISP_TET_MAX_ORDER, WISP_EUSAGE,
                    "bernstein-tet: order %d is out of range: use 1 to %d", N, WISP_TET_MAX_ORDER));
  CALL(wisp_new(err, 1, sizeof *b, &b));
  b->N = N;
  b->Np = wisp_tet_size(N);
  b->Nfp = wisp_triangle_size(N);
  b->lower = wisp_tet_size(N - 1);
  b->E_width = wisp_bernstein_E_width(N);
  wisp_bernstein_tables(b, table);
  for (const wisp_bernstein_table *t = table; t < table + WISP_BERNSTEIN_TABLES; t++)
    CALL(t->ints ? wisp_new(err, t->count, sizeof(int), t->ints) : wisp_new(err, t->count, sizeof(double), t->reals));
  list_derivatives(b);
  list_L0(b);
  list_slices(b);
  list_reductions(b);
  return GIVE(b, out);
}

void wisp_bernstein_destroy(wisp_bernstein *b)
{
  if (!b) return;
  wisp_bernstein_table table[WISP_BERNSTEIN_TABLES];
  wisp_bernstein_tables(b, table);
  for (int i = 0; i < WISP_BERNSTEIN_TABLES; i++) table[i].ints ? free(*table[i].ints) : free(*table[i].reals);
  free(b);
}

void wisp_bernstein_dense(const wisp_bernstein *bern, double *const D[3], double *const D_size[3], double *LIFT)
{
  const int Np = bern->Np, Nfp = bern->Nfp, width = WISP_TET_FACES * Nfp;
  for (int mu = 0; mu < 3; mu++) {
    memset(D[mu], 0, (size_t)Np * (size_t)Np * sizeof *D[mu]);
    memset(D_size[mu], 0, (size_t)Np * (size_t)Np * sizeof *D_size[mu]);
    for (int b = 0; b < Np; b++)
      for (int j = 0; j < 4; j++) {
        const double half = bern->power[4 * b + j] / 2.0;
        const int plus = b * Np + bern->column[((mu + 1) * Np + b) * 4 + j], minus = b * Np + bern->column[b * 4 + j];
        D[mu][plus] += half, D_size[mu][plus] += half;
        D[mu][minus] -= half, D_size[mu][minus] += half;
      }
  }
  memset(LIFT, 0, (size_t)Np * (size_t)width * sizeof *LIFT);
  for (int b = 0; b < Np; b++)
    for (int q = 0; q < bern->E_width; q++) {
      const int column = bern->E_column[b * bern->E_width + q], face = column / Nfp, row = column % Nfp;
      for (int j = 0; j < WISP_BERNSTEIN_STENCIL; j++) {
        const int at = row * WISP_BERNSTEIN_STENCIL + j;
        LIFT[b * width + face * Nfp + bern->L0_column[at]] += bern->E_value[b * bern->E_width + q] * bern->L0_value[at];
      }
    }
}

void wisp_bernstein_values(const wisp_bernstein *bern, double r, double s, double t, double *values)
{
  const double l[4] = {-(1 + r + s + t) / 2, (1 + r) / 2, (1 + s) / 2, (1 + t) / 2};
  for (int b = 0; b < bern->Np; b++) {
    int left = bern->N;
    values[b] = 1;
    for (int j = 0; j < 4; j++) {
      const int a = bern->power[4 * b + j];
      values[b] *= binomial(left, a);
      for (int i = 0; i < a; i++) values[b] *= l[j];
      left -= a;
    }
  }
}

/* ---- The nodal tet in this basis: the same polynomials, nodes and faces, other coefficients. */

/* V = B^-1 V_nodal takes modes to coefficients, its inverse is V_nodal^-1 B: so energies and interpolation, which go
 * through the modes, need not know of the basis. */
static wisp_status change_modes(wisp_error *err, wisp_tet *tet)
{
  const size_t Np = (size_t)tet->Np, bytes = Np * Np * sizeof(double);
  OWNED(free) double *product = NULL;
  CALL(wisp_new(err, Np * Np, sizeof *product, &product));
  wisp_tet_multiply(tet->Np, tet->Np, tet->from_nodes, tet->V, product);
  memcpy(tet->V, product, bytes);
  wisp_tet_multiply(tet->Np, tet->Np, tet->inverse_V, tet->to_nodes, product);
  memcpy(tet->inverse_V, product, bytes);
  return WISP_OK;
}

/* B_ij, the j-th function in the i-th node, and its inverse. */
static wisp_status change_basis(wisp_error *err, const wisp_bernstein *bernstein, wisp_tet *tet)
{
  const size_t Np = (size_t)tet->Np;
  CALL(wisp_new(err, Np * Np, sizeof *tet->to_nodes, &tet->to_nodes));
  CALL(wisp_new(err, Np * Np, sizeof *tet->from_nodes, &tet->from_nodes));
  for (size_t i = 0; i < Np; i++)
    wisp_bernstein_values(bernstein, tet->r[i], tet->s[i], tet->t[i], tet->to_nodes + i * Np);
  memcpy(tet->from_nodes, tet->to_nodes, Np * Np * sizeof *tet->from_nodes);
  return wisp_tet_invert(err, "change of basis", tet->Np, tet->from_nodes);
}

wisp_status wisp_tet_make_bernstein(wisp_error *err, wisp_tet *tet, bool with_modes)
{
  const size_t Np = (size_t)tet->Np;
  OWNED(wisp_bernstein_destroy) wisp_bernstein *bernstein = NULL;
  CALL(wisp_bernstein_create(err, tet->N, &bernstein));
  if (with_modes) {
    CALL(wisp_tet_vandermonde(err, tet, NULL));
    CALL(change_basis(err, bernstein, tet));
    CALL(change_modes(err, tet));
  }
  for (int mu = 0; mu < 3; mu++) CALL(wisp_new(err, Np * Np, sizeof(double), &tet->D_size[mu]));
  wisp_bernstein_dense(bernstein, tet->D, tet->D_size, tet->LIFT);
  return WISP_OK;
}
