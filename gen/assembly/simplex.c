#include "simplex.h"
#include "../nodal/tet_internal.h"
#include "../wide.h"

const int wisp_simplex_pairs[WISP_SIMPLEX_DIRECTIONS][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}};

int wisp_simplex_size(int dimension, int N)
{
  return dimension == 2 ? wisp_triangle_size(N) : wisp_tet_size(N);
}

void wisp_simplex_steps(int dimension, int N, int (*step)[4])
{
  for (int k = 0; k <= (dimension == 2 ? 0 : N); k++)
    for (int j = 0; j <= N - k; j++)
      for (int i = 0; i <= N - k - j; i++, step++)
        (*step)[0] = N - i - j - k, (*step)[1] = i, (*step)[2] = j, (*step)[3] = k;
}

static int factorial(int n)
{
  return n < 2 ? 1 : n * factorial(n - 1);
}

int wisp_orientations(int dimension)
{
  return factorial(dimension + 1);
}

/* Digits in the factorials' system choose among the corners that are left. */
static void corners_of(int dimension, int turn, int corner[4])
{
  int left[4] = {0, 1, 2, 3};
  for (int c = 0; c <= dimension; c++) {
    const int weight = factorial(dimension - c), digit = turn / weight;
    turn %= weight;
    corner[c] = left[digit];
    for (int i = digit; i < dimension - c; i++) left[i] = left[i + 1];
  }
}

int wisp_orientation_number(int dimension, const int corner[4])
{
  int turn = 0;
  for (int c = 0; c <= dimension; c++) {
    int digit = 0;
    for (int i = c + 1; i <= dimension; i++) digit += corner[i] < corner[c];
    turn += digit * factorial(dimension - c);
  }
  return turn;
}

void wisp_orientation_nodes(int dimension, int N, int turn, int *node)
{
  int step[WISP_SIMPLEX_MAX_NP][4], corner[4];
  const int Np = wisp_simplex_size(dimension, N);
  wisp_simplex_steps(dimension, N, step);
  corners_of(dimension, turn, corner);
  for (int b = 0; b < Np; b++)
    for (int own = 0; own < Np; own++) {
      bool same = true;
      for (int c = 0; c <= dimension; c++) same &= step[own][corner[c]] == step[b][c];
      if (same) node[b] = own;
    }
}

void wisp_orientation_inside(int dimension, int N, int *node, int first[5])
{
  int step[WISP_SIMPLEX_MAX_NP][4], count = 0;
  const int Np = wisp_simplex_size(dimension, N);
  wisp_simplex_steps(dimension, N, step);
  for (int k = 0; k <= dimension; k++) {
    first[k] = count;
    for (int a = 0; a < Np; a++) {
      bool inside = true;
      for (int c = 0; c <= dimension; c++) inside &= (step[a][c] > 0) == (c <= k);
      if (inside) node[count++] = a;
    }
  }
  first[dimension + 1] = count;
}

int wisp_orientation_slots(int dimension, int N, int k)
{
  return dimension == 3 && ((k == 0 && N >= 3) || (k == 1 && N >= 5)) ? 2 : 4;
}

void wisp_simplex_own(int N, int nodes[4], int pairs[4])
{
  static const int parts[4][3] = {{0}, {2}, {3, 3}, {4, 6, 4}}; /* of each lower dimension */
  const int all[4] = {1, N + 1, wisp_triangle_size(N), wisp_tet_size(N)};
  for (int k = 0; k < 4; k++) {
    nodes[k] = all[k], pairs[k] = all[k] * all[k];
    for (int j = 0; j < k; j++) nodes[k] -= parts[k][j] * nodes[j], pairs[k] -= parts[k][j] * pairs[j];
  }
}

static void modes(const wisp_simplex *s, const double point[3], double *psi, double *gradient)
{
  if (s->dimension == 2)
    wisp_triangle_modes(s->N, point[0], point[1], psi, gradient);
  else
    wisp_tet_modes(s->N, point[0], point[1], point[2], psi, gradient);
}

void wisp_simplex_at(const wisp_simplex *s, const double point[3], double *phi, double *const *slopes)
{
  double psi[WISP_SIMPLEX_MAX_NP], gradient[3 * WISP_SIMPLEX_MAX_NP];
  const int Np = s->Np, derivatives = slopes ? s->dimension : 0;
  modes(s, point, psi, gradient);
  for (int a = 0; a < Np; a++) {
    phi[a] = 0;
    for (int c = 0; c < derivatives; c++) slopes[c][a] = 0;
    for (int m = 0; m < Np; m++) {
      const double of_mode = s->inverse_V[m * Np + a];
      phi[a] += psi[m] * of_mode;
      for (int c = 0; c < derivatives; c++) slopes[c][a] += gradient[c * Np + m] * of_mode;
    }
  }
}

/* Kernels keep the upper half alone: the lower one becomes equal in every bit. */
static void mirror(double *table, int Np)
{
  wisp_drop_noise(1e-13, table, (size_t)(Np * Np));
  for (int i = 0; i < Np * Np; i++)
    if (i / Np > i % Np) table[i] = table[i % Np * Np + i / Np];
}

/* The mass of two nodes is that of the first pair which is the same in another order of the corners. */
static void make_alike(const wisp_simplex *s, double *table)
{
  const int Np = s->Np, orientations = wisp_orientations(s->dimension);
  int node[WISP_ORIENTATIONS_MOST][WISP_SIMPLEX_MAX_NP];
  for (int o = 0; o < orientations; o++) wisp_orientation_nodes(s->dimension, s->N, o, node[o]);
  for (int i = 0; i < Np * Np; i++) {
    int first = i;
    for (int o = 0; o < orientations; o++) {
      const int a = node[o][i / Np], b = node[o][i % Np], other = a < b ? a * Np + b : b * Np + a;
      first = other < first ? other : first;
    }
    table[i] = table[first];
  }
}

static wisp_status make_mass(wisp_error *err, wisp_simplex *s)
{
  const int Np = s->Np;
  for (int i = 0; i < Np; i++)
    modes(s, (const double[3]){s->node[0][i], s->node[1][i], s->node[2][i]}, s->inverse_V + i * Np, NULL);
  for (int i = 0; i < Np * Np; i++)
    for (int m = 0; m < Np; m++) s->mass[i] += s->inverse_V[i / Np * Np + m] * s->inverse_V[i % Np * Np + m];
  CALL(wisp_tet_invert(err, "mass", Np, s->mass));
  mirror(s->mass, Np);
  make_alike(s, s->mass);
  return wisp_tet_invert(err, "Vandermonde", Np, s->inverse_V);
}

/* Adds the terms' upper half, times each factor, to a table. */
WISP_UNCHECKED WISP_WIDE static void add_weighted_terms(size_t Np, const double *term, const double *factor,
                                                        double *table)
{
  for (size_t m = 0; m < Np; m++)
    for (size_t a = 0; a < Np; a++) {
      const double *from = term + a * Np;
      double *to = table + (m * Np + a) * Np;
      size_t b = a;
      for (; b + 8 <= Np; b += 8) *(wisp_eight *)(to + b) += factor[m] * *(const wisp_eight *)(from + b);
      for (; b < Np; b++) to[b] += factor[m] * from[b];
    }
}

/* Adds a quadrature point of weight w to the upper halves of the tables. */
static void add_point(wisp_simplex *s, double w, const double *phi, double *const *slopes)
{
  const size_t Np = (size_t)s->Np;
  double term[WISP_SIMPLEX_MAX_NP * WISP_SIMPLEX_MAX_NP];
  for (int d = 0; d < s->directions; d++) {
    const double *p = slopes[wisp_simplex_pairs[d][0]], *q = slopes[wisp_simplex_pairs[d][1]];
    for (size_t a = 0; a < Np; a++)
      for (size_t b = a; b < Np; b++) {
        term[a * Np + b] = w * (p == q ? p[a] * q[b] : p[a] * q[b] + q[a] * p[b]);
        s->stiffness[d][a * Np + b] += term[a * Np + b];
      }
    add_weighted_terms(Np, term, phi, s->interpolated[d]);
  }
}

/* Two slopes and a coefficient have degree 3 N - 2 together. */
static wisp_status make_stiffness(wisp_error *err, wisp_simplex *s)
{
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  double phi[WISP_SIMPLEX_MAX_NP], of[3][WISP_SIMPLEX_MAX_NP], *const slopes[3] = {of[0], of[1], of[2]};
  CALL((s->dimension == 2 ? wisp_triangle_quadrature : wisp_tet_quadrature)(err, 3 * s->N - 2, &rule));
  for (size_t q = 0; q < rule.count; q++) {
    wisp_simplex_at(s, (const double[3]){rule.r[q], rule.s[q], rule.t[q]}, phi, slopes);
    add_point(s, rule.w[q], phi, slopes);
  }
  for (int d = 0; d < s->directions; d++) {
    mirror(s->stiffness[d], s->Np);
    for (int m = 0; m < s->Np; m++) mirror(s->interpolated[d] + m * s->Np * s->Np, s->Np);
  }
  return WISP_OK;
}

wisp_status wisp_simplex_nodes(wisp_error *err, int dimension, int N, double *r, double *s, double *t)
{
  return dimension == 2 ? wisp_triangle_nodes(err, N, r, s) : wisp_tet_nodes(err, N, r, s, t);
}

wisp_status wisp_simplex_create(wisp_error *err, int dimension, int N, wisp_simplex **out)
{
  OWNED(wisp_simplex_destroy) wisp_simplex *s = NULL;
  CALL(wisp_require(err, dimension == 2 || dimension == 3, WISP_EUSAGE, "simplex: dimension %d must be 2 or 3",
                    dimension));
  CALL(wisp_require(err, N >= 1 && N <= WISP_SIMPLEX_MAX_ORDER, WISP_EUSAGE,
                    "simplex: order %d is out of range: use 1 to %d", N, WISP_SIMPLEX_MAX_ORDER));
  CALL(wisp_new(err, 1, sizeof *s, &s));
  *s = (wisp_simplex){.dimension = dimension, .N = N, .directions = dimension * (dimension + 1) / 2};
  s->Np = wisp_simplex_size(dimension, N);
  const size_t Np = (size_t)s->Np;
  for (int d = 0; d < 3; d++) CALL(wisp_new(err, Np, sizeof **s->node, &s->node[d]));
  CALL(wisp_new(err, Np * Np, sizeof *s->inverse_V, &s->inverse_V));
  CALL(wisp_new(err, Np * Np, sizeof *s->mass, &s->mass));
  for (int d = 0; d < s->directions; d++) {
    CALL(wisp_new(err, Np * Np, sizeof **s->stiffness, &s->stiffness[d]));
    CALL(wisp_new(err, Np * Np * Np, sizeof **s->interpolated, &s->interpolated[d]));
  }
  CALL(wisp_simplex_nodes(err, dimension, N, s->node[0], s->node[1], s->node[2]));
  CALL(make_mass(err, s));
  CALL(make_stiffness(err, s));
  return GIVE(s, out);
}

void wisp_simplex_destroy(wisp_simplex *s)
{
  if (!s) return;
  for (int d = 0; d < 3; d++) free(s->node[d]);
  for (int d = 0; d < s->directions; d++) free(s->stiffness[d]), free(s->interpolated[d]);
  free(s->inverse_V), free(s->mass);
  free(s);
}
