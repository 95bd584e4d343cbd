/* A trilinear hex: x is the sum over its corners of their place times three factors (1 +- r)/2. */
#include "hex_reference.h"
#include "../../gen/wide.h"
#include "../parallel.h"

#include <float.h>

static const double *points_of(const wisp_hex *hex, wisp_hex_points points, const double **weights, size_t *count)
{
  *weights = points == WISP_HEX_GLL ? hex->gll_weights : hex->gauss_weights;
  *count = (size_t)(points == WISP_HEX_GLL ? hex->Nq : hex->Gl);
  return points == WISP_HEX_GLL ? hex->gll_points : hex->gauss_points;
}

void wisp_hex_vertices(const wisp_hexmesh *mesh, const wisp_frame *frame, size_t from, size_t count, double *vertices)
{
  for (size_t k = from; k < from + count; k++)
    for (size_t d = 0; d < 3; d++)
      for (size_t v = 0; v < 8; v++) *vertices++ = wisp_frame_vertex(frame, mesh, mesh->hex[8 * k + v], d);
}

enum { MOST = WISP_HEX_MAX_ORDER + 2, ROOM = (MOST + 7) / 8 * 8 };

/* The share of an edge, 0 to 1, at each point. */
typedef struct shares {
  double high[ROOM];
} shares;

static shares make_shares(const double *at, size_t n)
{
  shares w = {{0}};
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
void wisp_hex_coordinates(const wisp_hex *hex, wisp_hex_points points, const double vertices[24], double *xyz)
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

/* dx_c/dr_d of one element at [d][c][e][f]: it does not change along r_d itself, so that points e and f of the two
 * other directions are all that it depends on. r is the faster of them where it is one: points in line along r are
 * worked on eight at a time, and there is capacity for whole eights. */
typedef struct slopes {
  double x[3][3][MOST][ROOM];
} slopes;

/* Half the edges along d, and what lies between them. */
static void make_slopes(const double vertices[24], const shares *w, size_t n, slopes *out)
{
  static const int others[3][2] = {{1, 2}, {2, 0}, {1, 0}};
  for (int d = 0; d < 3; d++)
    for (int c = 0; c < 3; c++) {
      double edge[4];
      for (int v = 0; v < 4; v++) {
        const int corner = (v & 1) << others[d][0] | (v >> 1) << others[d][1];
        edge[v] = (vertices[8 * c + (corner | 1 << d)] - vertices[8 * c + corner]) / 2;
      }
      for (size_t e = 0; e < n; e++)
        for (size_t f = 0; f < (n + 7) / 8 * 8; f++) out->x[d][c][e][f] = between(w, e, f, edge);
    }
}

/* Eight points in line along r: dx_c/dr_d, and the products of their weights. */
typedef struct line {
  wisp_eight x[3][3], weight;
} line;

static inline void cross(const wisp_eight a[3], const wisp_eight b[3], wisp_eight out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void dot(const wisp_eight a[3], const wisp_eight b[3], wisp_eight *out)
{
  *out = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The seven factors at eight points, or the last alone, and the Jacobian J; the cofactors J dr_d/dx are the products of
 * the two other slopes. */
static inline void find_factors(const line *at, bool last_alone, wisp_eight *J, wisp_eight factors[WISP_HEX_FACTORS])
{
  wisp_eight cofactor[3][3];
  int next = 0;
  cross(at->x[1], at->x[2], cofactor[0]);
  dot(at->x[0], cofactor[0], J);
  if (!last_alone) {
    cross(at->x[2], at->x[0], cofactor[1]);
    cross(at->x[0], at->x[1], cofactor[2]);
    const wisp_eight scale = at->weight / *J;
    for (int a = 0; a < 3; a++)
      for (int b = a; b < 3; b++, next++) {
        dot(cofactor[a], cofactor[b], &factors[next]);
        factors[next] *= scale;
      }
  }
  factors[next] = at->weight * *J;
}

/* Makes one element's factors, in arrays of n^3 each, or the last alone. Returns the first point whose Jacobian is no
 * positive number, and that Jacobian; n^3: there is none. */
WISP_WIDE static size_t make_factors(const slopes *all, const double *weights, size_t n, bool last_alone,
                                     double *factors, double *bad)
{
  const size_t arrays = last_alone ? 1 : WISP_HEX_FACTORS;
  for (size_t row = 0; row < n * n; row++)
    for (size_t i = 0; i < n; i += 8) {
      const size_t first = row * n + i, count = n - i < 8 ? n - i : 8, j = row % n, k = row / n;
      wisp_eight J, all_factors[WISP_HEX_FACTORS];
      line at = {.weight = *(const wisp_eight *)&weights[i] * weights[j] * weights[k]};
      for (int c = 0; c < 3; c++) {
        at.x[0][c] = all->x[0][c][j][k] - (wisp_eight){0};
        at.x[1][c] = *(const wisp_eight *)&all->x[1][c][k][i];
        at.x[2][c] = *(const wisp_eight *)&all->x[2][c][j][i];
      }
      find_factors(&at, last_alone, &J, all_factors);
      for (size_t a = 0; a < arrays; a++)
        memcpy(&factors[a * n * n * n + first], &all_factors[a], count * sizeof *factors);
      for (size_t l = 0; l < count; l++) {
        if (J[l] > 0 && J[l] <= DBL_MAX) continue;
        *bad = J[l];
        return first + l;
      }
    }
  return n * n * n;
}

/* One element's factors; messages call it `element`. */
static wisp_status element_factors(wisp_error *err, const wisp_hex *hex, wisp_hex_points points,
                                   const double vertices[24], size_t element, bool last_alone, double *factors)
{
  const double *weights;
  double padded[ROOM] = {0}, J = 0;
  slopes all;
  size_t n;
  const double *at = points_of(hex, points, &weights, &n);
  const shares w = make_shares(at, n);
  memcpy(padded, weights, n * sizeof *weights);
  make_slopes(vertices, &w, n, &all);
  const size_t q = make_factors(&all, padded, n, last_alone, factors, &J);
  return wisp_require(err, q == n * n * n, WISP_EINPUT,
                      "hex %zu is degenerate: its Jacobian is %g at (%.3f, %.3f, %.3f) inside; remesh there", element,
                      J, at[q % n], at[q / n % n], at[q / n / n % n]);
}

wisp_status wisp_hex_factors(wisp_error *err, const wisp_hex *hex, wisp_hex_points points, const double *vertices,
                             size_t first, size_t count, double *factors)
{
  const size_t own = WISP_HEX_FACTORS * (size_t)(points == WISP_HEX_GLL ? hex->Np : hex->glNp);
  for (size_t k = 0; k < count; k++)
    CALL(element_factors(err, hex, points, vertices + 24 * k, first + k, false, factors + k * own));
  return WISP_OK;
}

wisp_status wisp_hex_masses(wisp_error *err, const wisp_hex *hex, wisp_hex_points points, const double vertices[24],
                            size_t element, double *masses)
{
  return element_factors(err, hex, points, vertices, element, true, masses);
}

/* Geometry of a part of the elements, as one of the family's arrays has it. */
typedef struct geometry {
  const wisp_hex *hex;
  const wisp_hexmesh *mesh;
  const wisp_frame *frame;
  wisp_hex_points points;
  bool mass_alone; /* gauss_mass: the last of the seven factors */
  size_t first;    /* element of the part */
  double *out;
} geometry;

static size_t numbers(const geometry *g)
{
  const size_t points = (size_t)(g->points == WISP_HEX_GAUSS ? g->hex->glNp : g->hex->Np);
  return g->mass_alone ? points : WISP_HEX_FACTORS * points;
}

/* A wisp_range over the part's elements. */
static wisp_status fill_factors(wisp_error *err, void *context, size_t from, size_t to)
{
  const geometry *g = context;
  double vertices[24];
  for (size_t k = from; k < to; k++) {
    wisp_hex_vertices(g->mesh, g->frame, g->first + k, 1, vertices);
    CALL(element_factors(err, g->hex, g->points, vertices, wisp_mesh_number(g->mesh, g->first + k), g->mass_alone,
                         g->out + k * numbers(g)));
  }
  return WISP_OK;
}

/* A part at a time: all of a large problem's factors in double could need more memory than the machine has. */
static wisp_status upload_factors(wisp_error *err, wisp_arrays *arrays, const char *array, geometry g)
{
  enum { PART_BYTES = 1 << 26 };
  const size_t elements = g.mesh->elements, own = numbers(&g);
  const size_t fit = PART_BYTES / (own * sizeof *g.out), part = fit ? fit : 1;
  if (!wisp_arrays_size(arrays, array)) return WISP_OK;
  OWNED(free) double *capacity = NULL;
  CALL(wisp_new(err, part * own, sizeof *capacity, &capacity));
  g.out = capacity;
  for (; g.first < elements; g.first += part) {
    const size_t count = elements - g.first < part ? elements - g.first : part;
    CALL(wisp_parallel(err, count, fill_factors, &g));
    CALL(wisp_arrays_upload_part(err, arrays, array, g.first * own, count * own, g.out));
  }
  return WISP_OK;
}

wisp_status wisp_hex_upload(wisp_error *err, const wisp_hex *hex, const wisp_hexmesh *mesh, const wisp_frame *frame,
                            wisp_arrays *arrays)
{
  const geometry gll = {.hex = hex, .mesh = mesh, .frame = frame, .points = WISP_HEX_GLL};
  geometry gauss = {.hex = hex, .mesh = mesh, .frame = frame, .points = WISP_HEX_GAUSS};
  CALL(upload_factors(err, arrays, "gll_factors", gll));
  CALL(upload_factors(err, arrays, "gauss_factors", gauss));
  gauss.mass_alone = true;
  CALL(upload_factors(err, arrays, "gauss_mass", gauss));
  if (!wisp_arrays_size(arrays, "vertices")) return WISP_OK;
  OWNED(free) double *vertices = NULL;
  CALL(wisp_new(err, mesh->elements, 24 * sizeof *vertices, &vertices));
  wisp_hex_vertices(mesh, frame, 0, mesh->elements, vertices);
  return wisp_arrays_upload(err, arrays, "vertices", vertices);
}
