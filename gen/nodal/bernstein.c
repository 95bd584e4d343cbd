#include "bernstein.h"
#include "tet_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static wisp_status allocate(wisp_error *err, wisp_bernstein *b)
{
  const size_t Np = (size_t)b->Np, Nfp = (size_t)b->Nfp, lower = (size_t)b->lower;
  const struct {
    size_t count;
    int **array;
  } ints[] = {{4 * Np, &b->power},
              {4 * lower, &b->up},
              {4 * Np, &b->down},
              {16 * Np, &b->column},
              {WISP_BERNSTEIN_STENCIL * Nfp, &b->L0_column},
              {Np * (size_t)b->E_width, &b->E_column},
              {4 * Np, &b->slice_point},
              {4 * Np, &b->slice_of},
              {3 * Np, &b->slice_up}};
  const struct {
    size_t count;
    double **array;
  } reals[] = {{Nfp * Nfp, &b->L0},
               {WISP_BERNSTEIN_STENCIL * Nfp, &b->L0_value},
               {Np * (size_t)b->E_width, &b->E_value},
               {3 * Np, &b->slice_weight}};
  for (size_t i = 0; i < WISP_COUNT(ints); i++) CALL(wisp_new(err, ints[i].count, sizeof(int), ints[i].array));
  for (size_t i = 0; i < WISP_COUNT(reals); i++) CALL(wisp_new(err, reals[i].count, sizeof(double), reals[i].array));
  return WISP_OK;
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
        int whole[4] = {0};
        whole[opposite[face]] = N - d;
        for (int k = 0; k < 3; k++) whole[wisp_tet_face_vertices[face][k]] = a[k];
        const int point = bern->slice_point[face * bern->Np + s] = tet_point(N, whole);
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
  CALL(wisp_require(err, N >= 1 && N <= WISP_TET_MAX_ORDER, WISP_EUSAGE,
                    "bernstein-tet: order %d is out of range: use 1 to %d", N, WISP_TET_MAX_ORDER));
  CALL(wisp_new(err, 1, sizeof *b, &b));
  b->N = N;
  b->Np = wisp_tet_size(N);
  b->Nfp = wisp_triangle_size(N);
  b->lower = wisp_tet_size(N - 1);
  b->E_width = wisp_bernstein_E_width(N);
  CALL(allocate(err, b));
  list_derivatives(b);
  list_L0(b);
  list_slices(b);
  list_reductions(b);
  return GIVE(b, out);
}

void wisp_bernstein_destroy(wisp_bernstein *b)
{
  if (!b) return;
  free(b->power), free(b->up), free(b->down), free(b->column);
  free(b->L0), free(b->L0_column), free(b->L0_value);
  free(b->E_column), free(b->E_value);
  free(b->slice_point), free(b->slice_of), free(b->slice_up), free(b->slice_weight);
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
