/* A trilinear hex: x is the sum over its corners of their place times three factors (1 +- r)/2. */
#include "hex_reference.h"

#include <math.h>

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

enum { MOST = WISP_HEX_MAX_ORDER + 2 };

/* How far along an edge each point lies, 0 to 1. */
typedef struct shares {
  double high[MOST];
} shares;

static shares make_shares(const double *at, size_t n)
{
  shares w;
  for (size_t i = 0; i < n; i++) w.high[i] = (1 + at[i]) / 2;
  return w;
}

/* Between two values, and between four at (e, f) of the points: corners in the order of v, e's direction first. What
 * all corners share stays the same to the last bit. */
static double mix(double share, double low, double high)
{
  return low + share * (high - low);
}

static double between(const shares *w, size_t e, size_t f, const double value[4])
{
  return mix(w->high[f], mix(w->high[e], value[0], value[1]), mix(w->high[e], value[2], value[3]));
}

/* Along r a place is linear between its ends on two opposite faces. */
void wisp_hex_places(const wisp_hex *hex, wisp_hex_points points, const double vertices[24], double *xyz)
{
  const double *weights;
  size_t n;
  const double *at = points_of(hex, points, &weights, &n);
  const shares w = make_shares(at, n);
  for (size_t k = 0; k < n; k++)
    for (size_t j = 0; j < n; j++) {
      double low[3], high[3];
      for (int c = 0; c < 3; c++) {
        const double *v = vertices + 8 * c;
        low[c] = between(&w, j, k, (const double[4]){v[0], v[2], v[4], v[6]});
        high[c] = between(&w, j, k, (const double[4]){v[1], v[3], v[5], v[7]});
      }
      for (size_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) *xyz++ = mix(w.high[i], low[c], high[c]);
    }
}

/* dx/dr_d of one element at [d][e][f]: it does not change along r_d itself, so that points e and f of the two
 * directions that follow d, cyclically, are all that it depends on. */
typedef struct slopes {
  double x[3][MOST][MOST][3];
} slopes;

/* Half the edges along d, and what lies between them. */
static void make_slopes(const double vertices[24], const double *at, size_t n, slopes *out)
{
  const shares w = make_shares(at, n);
  for (int d = 0; d < 3; d++) {
    double edge[3][4];
    for (int c = 0; c < 3; c++)
      for (int v = 0; v < 4; v++) {
        const int corner = (v & 1) << (d + 1) % 3 | (v >> 1) << (d + 2) % 3;
        edge[c][v] = (vertices[8 * c + (corner | 1 << d)] - vertices[8 * c + corner]) / 2;
      }
    for (size_t e = 0; e < n; e++)
      for (size_t f = 0; f < n; f++)
        for (int c = 0; c < 3; c++) out->x[d][e][f][c] = between(&w, e, f, edge[c]);
  }
}

static void cross(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The seven factors at a point of weight w, or the last alone; stride is from one to the next. x: dx/dr_d. Returns the
 * Jacobian J; the cofactors J dr_d/dx are the products of the two other slopes. */
static double point_factors(const double *const x[3], double w, bool last_alone, size_t stride, double *factors)
{
  double cofactor[3][3];
  cross(x[1], x[2], cofactor[0]);
  const double J = dot(x[0], cofactor[0]);
  if (last_alone) {
    *factors = w * J;
    return J;
  }
  cross(x[2], x[0], cofactor[1]);
  cross(x[0], x[1], cofactor[2]);
  const double scale = w / J;
  size_t c = 0;
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++) factors[stride * c++] = scale * dot(cofactor[a], cofactor[b]);
  factors[stride * c] = w * J;
  return J;
}

/* Of one element, which messages call `element`. */
static wisp_status make_factors(wisp_error *err, const wisp_hex *hex, wisp_hex_points points, const double vertices[24],
                                size_t element, bool last_alone, double *factors)
{
  const double *weights;
  size_t n;
  const double *at = points_of(hex, points, &weights, &n);
  slopes all;
  make_slopes(vertices, at, n, &all);
  for (size_t k = 0; k < n; k++)
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++, factors++) {
        const double *const x[3] = {all.x[0][j][k], all.x[1][k][i], all.x[2][i][j]};
        const double J = point_factors(x, weights[i] * weights[j] * weights[k], last_alone, n * n * n, factors);
        if (!(J > 0) || !isfinite(J))
          return wisp_fail(err, WISP_EINPUT,
                           "hex %zu is degenerate: its Jacobian is %g at (%.3f, %.3f, %.3f) inside; remesh there",
                           element, J, at[i], at[j], at[k]);
      }
  return WISP_OK;
}

wisp_status wisp_hex_factors(wisp_error *err, const wisp_hex *hex, wisp_hex_points points, const double *vertices,
                             size_t first, size_t count, double *factors)
{
  const size_t own = WISP_HEX_FACTORS * (size_t)(points == WISP_HEX_GLL ? hex->Np : hex->glNp);
  for (size_t k = 0; k < count; k++)
    CALL(make_factors(err, hex, points, vertices + 24 * k, first + k, false, factors + k * own));
  return WISP_OK;
}

wisp_status wisp_hex_masses(wisp_error *err, const wisp_hex *hex, wisp_hex_points points, const double vertices[24],
                            size_t element, double *masses)
{
  return make_factors(err, hex, points, vertices, element, true, masses);
}
