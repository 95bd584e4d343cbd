/* A trilinear hex: x is the sum over its corners of their place times three factors (1 +- r)/2. */
#include "hex_reference.h"

#include <math.h>
#include <string.h>

static const double *points_of(const wisp_hex *hex, wisp_hex_points points, const double **weights, size_t *count)
{
  *weights = points == WISP_HEX_GLL ? hex->gll_weights : hex->gauss_weights;
  *count = (size_t)(points == WISP_HEX_GLL ? hex->Nq : hex->Gl);
  return points == WISP_HEX_GLL ? hex->gll_points : hex->gauss_points;
}

void wisp_hex_vertices(const wisp_hexmesh *mesh, size_t from, size_t count, double *vertices)
{
  for (size_t k = from; k < from + count; k++)
    for (size_t d = 0; d < 3; d++)
      for (size_t v = 0; v < 8; v++) *vertices++ = mesh->xyz[3 * (size_t)mesh->hex[8 * k + v] + d];
}

/* The factor of corner v in direction d, and its derivative. */
static double factor(int v, int d, double r)
{
  return v >> d & 1 ? (1 + r) / 2 : (1 - r) / 2;
}

static double slope(int v, int d)
{
  return v >> d & 1 ? 0.5 : -0.5;
}

enum { MOST = WISP_HEX_MAX_ORDER + 2 };

void wisp_hex_places(const wisp_hex *hex, wisp_hex_points points, const double vertices[24], double *xyz)
{
  const double *weights;
  size_t n;
  const double *at = points_of(hex, points, &weights, &n);
  double low[MOST], high[MOST];
  for (size_t i = 0; i < n; i++) low[i] = (1 - at[i]) / 2, high[i] = (1 + at[i]) / 2;
  for (size_t k = 0; k < n; k++)
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++, xyz += 3) {
        const double a[2] = {low[i], high[i]}, b[2] = {low[j], high[j]}, c[2] = {low[k], high[k]};
        double x = 0, y = 0, z = 0;
        for (int v = 0; v < 8; v++) {
          const double shape = a[v & 1] * b[v >> 1 & 1] * c[v >> 2];
          x += shape * vertices[v];
          y += shape * vertices[8 + v];
          z += shape * vertices[16 + v];
        }
        xyz[0] = x, xyz[1] = y, xyz[2] = z;
      }
}

/* dx_c/dr_d of one element at [d][e][f][c]: it does not change along r_d itself, so that points e and f of the two
 * directions that follow d, cyclically, are all that it depends on. */
typedef struct slopes {
  double x[3][MOST][MOST][3];
} slopes;

static void make_slopes(const double vertices[24], const double *at, size_t n, slopes *out)
{
  for (int d = 0; d < 3; d++)
    for (size_t e = 0; e < n; e++)
      for (size_t f = 0; f < n; f++) {
        double *x = out->x[d][e][f];
        x[0] = x[1] = x[2] = 0;
        for (int v = 0; v < 8; v++) {
          const double shape = slope(v, d) * factor(v, (d + 1) % 3, at[e]) * factor(v, (d + 2) % 3, at[f]);
          for (int c = 0; c < 3; c++) x[c] += shape * vertices[8 * c + v];
        }
      }
}

/* dx_c/dr_d at [c][d] in point p. */
static void tangents(const slopes *all, const size_t p[3], double x[3][3])
{
  for (int d = 0; d < 3; d++)
    for (int c = 0; c < 3; c++) x[c][d] = all->x[d][p[(d + 1) % 3]][p[(d + 2) % 3]][c];
}

/* The Jacobian J, and the cofactors J dr_d/dx_c at [d][c], by cyclic indices. */
static double cofactors(double x[3][3], double r[3][3])
{
  for (int d = 0; d < 3; d++)
    for (int c = 0; c < 3; c++) {
      const int e = (c + 1) % 3, f = (c + 2) % 3, g = (d + 1) % 3, h = (d + 2) % 3;
      r[d][c] = x[e][g] * x[f][h] - x[e][h] * x[f][g];
    }
  return x[0][0] * r[0][0] + x[1][0] * r[0][1] + x[2][0] * r[0][2];
}

/* The seven factors at point p, of weight w; stride is from one factor to the next. Returns the Jacobian. */
static double point_factors(const slopes *all, const size_t p[3], double w, size_t stride, double *factors)
{
  static const int pair[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
  double x[3][3], cofactor[3][3];
  tangents(all, p, x);
  const double J = cofactors(x, cofactor);
  for (size_t c = 0; c < 6; c++) {
    const double *a = cofactor[pair[c][0]], *b = cofactor[pair[c][1]];
    factors[c * stride] = w / J * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
  }
  factors[6 * stride] = w * J;
  return J;
}

/* The first direction fastest. */
static void next_point(size_t p[3], size_t n)
{
  for (int d = 0; d < 3 && ++p[d] == n; d++) p[d] = 0;
}

wisp_status wisp_hex_factors(wisp_error *err, const wisp_hex *hex, wisp_hex_points points, const double *vertices,
                             size_t first, size_t count, double *factors)
{
  const double *weights;
  size_t n;
  const double *at = points_of(hex, points, &weights, &n);
  slopes all;
  for (size_t k = 0; k < count; k++, vertices += 24, factors += WISP_HEX_FACTORS * n * n * n) {
    make_slopes(vertices, at, n, &all);
    size_t p[3] = {0, 0, 0};
    for (size_t q = 0; q < n * n * n; q++, next_point(p, n)) {
      const double w = weights[p[0]] * weights[p[1]] * weights[p[2]];
      const double J = point_factors(&all, p, w, n * n * n, factors + q);
      if (!(J > 0) || !isfinite(J))
        return wisp_fail(err, WISP_EINPUT,
                         "hex %zu is degenerate: its Jacobian is %g at (%.3f, %.3f, %.3f) inside; remesh there",
                         first + k, J, at[p[0]], at[p[1]], at[p[2]]);
    }
  }
  return WISP_OK;
}
