/* The operators, all three as one: values B u and derivatives along r, s, t at the points, weighted with the factors,
 * and back by the transposes. B is I at Gauss points, the identity at the nodes. */
#include "hex_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = WISP_HEX_MAX_ORDER + 2, MAX_ENTRIES = MAX_POINTS * MAX_POINTS };

/* What one element's work needs: matrices n x Nq from nodes to points, and arrays of at most n^3. */
typedef struct workplace {
  int Nq, n;                                /* nodes and points a direction */
  size_t Np, points;                        /* in all */
  double B[MAX_ENTRIES], C[MAX_ENTRIES];    /* values and derivatives */
  double *memory;                           /* of all that follows */
  double *factors, *half[2], *at[4], *back; /* at: the value and three derivatives at the points */
} workplace;

bool wisp_hex_operator_find(const char *kernel, wisp_hex_operator *out)
{
  static const char *const names[] = {"mass", "stiffness", "collocated"};
  for (int i = 0; i < 3; i++) {
    size_t length = strlen(names[i]);
    if (strncmp(kernel, names[i], length) != 0 || (kernel[length] && strcmp(kernel + length, "_trilinear") != 0))
      continue;
    *out = (wisp_hex_operator)i;
    return true;
  }
  return false;
}

wisp_hex_points wisp_hex_operator_points(wisp_hex_operator op)
{
  return op == WISP_HEX_COLLOCATED ? WISP_HEX_GLL : WISP_HEX_GAUSS;
}

/* B and C: at Gauss points I and glD I, at the nodes the identity and D. */
static void make_matrices(const wisp_hex *hex, wisp_hex_points points, workplace *w)
{
  for (int m = 0; m < w->n; m++)
    for (int i = 0; i < w->Nq; i++) {
      double *B = &w->B[m * w->Nq + i], *C = &w->C[m * w->Nq + i];
      *B = points == WISP_HEX_GAUSS ? hex->I[m * w->Nq + i] : m == i;
      *C = points == WISP_HEX_GAUSS ? 0 : hex->D[m * w->Nq + i];
      for (int l = 0; points == WISP_HEX_GAUSS && l < w->n; l++) *C += hex->glD[m * w->n + l] * hex->I[l * w->Nq + i];
    }
}

static wisp_status open(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, workplace *w)
{
  wisp_status status = WISP_OK;
  const wisp_hex_points points = wisp_hex_operator_points(op);
  w->Nq = hex->Nq;
  w->n = points == WISP_HEX_GAUSS ? hex->Gl : hex->Nq;
  w->Np = (size_t)hex->Np;
  w->points = (size_t)(w->n * w->n * w->n);
  TRY(wisp_new(err, (WISP_HEX_FACTORS + 7) * w->points, sizeof *w->memory, &w->memory));
  w->factors = w->memory;
  double *next = w->memory + WISP_HEX_FACTORS * w->points;
  for (int i = 0; i < 2; i++, next += w->points) w->half[i] = next;
  for (int i = 0; i < 4; i++, next += w->points) w->at[i] = next;
  w->back = next;
  make_matrices(hex, points, w);
done:
  return status;
}

/* out = A in along direction d of a box of numbers, whose length there becomes rows; A is rows x columns, or its
 * transpose is stored. */
static void along(int d, const double *A, int rows, int columns, bool transposed, int size[3], const double *in,
                  double *out)
{
  int before = 1, after = 1;
  for (int i = 0; i < d; i++) before *= size[i];
  for (int i = d + 1; i < 3; i++) after *= size[i];
  for (int a = 0; a < after; a++)
    for (int m = 0; m < rows; m++)
      for (int b = 0; b < before; b++) {
        double sum = 0;
        for (int l = 0; l < columns; l++)
          sum += (transposed ? A[l * rows + m] : A[m * columns + l]) * in[(a * columns + l) * before + b];
        out[(a * rows + m) * before + b] = sum;
      }
  size[d] = rows;
}

/* out = (A[2] (x) A[1] (x) A[0]) u from nodes to points. */
static void to_points(const workplace *w, const double *const A[3], const double *u, double *out)
{
  int size[3] = {w->Nq, w->Nq, w->Nq};
  along(0, A[0], w->n, w->Nq, false, size, u, w->half[0]);
  along(1, A[1], w->n, w->Nq, false, size, w->half[0], w->half[1]);
  along(2, A[2], w->n, w->Nq, false, size, w->half[1], out);
}

/* y += scale (A[2] (x) A[1] (x) A[0])^T in, from points to nodes. */
static void add_to_nodes(const workplace *w, const double *const A[3], double scale, const double *in, double *y)
{
  int size[3] = {w->n, w->n, w->n};
  along(0, A[0], w->Nq, w->n, true, size, in, w->half[0]);
  along(1, A[1], w->Nq, w->n, true, size, w->half[0], w->half[1]);
  along(2, A[2], w->Nq, w->n, true, size, w->half[1], w->back);
  for (size_t i = 0; i < w->Np; i++) y[i] += scale * w->back[i];
}

/* The factor of the product of derivatives a and b. */
static const int pair[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

static void apply_element(const workplace *w, wisp_hex_operator op, double lambda, const double *u, double *y)
{
  const double *values[3] = {w->B, w->B, w->B}, *wJ = w->factors + 6 * w->points;
  const double reaction = op == WISP_HEX_MASS ? 1 : lambda;
  memset(y, 0, w->Np * sizeof *y);
  to_points(w, values, u, w->at[3]);
  for (size_t q = 0; q < w->points; q++) w->at[3][q] *= wJ[q];
  add_to_nodes(w, values, reaction, w->at[3], y);
  if (op == WISP_HEX_MASS) return;
  for (int d = 0; d < 3; d++) {
    const double *derivative[3] = {w->B, w->B, w->B};
    derivative[d] = w->C;
    to_points(w, derivative, u, w->at[d]);
  }
  for (size_t q = 0; q < w->points; q++) {
    const double slope[3] = {w->at[0][q], w->at[1][q], w->at[2][q]};
    for (int a = 0; a < 3; a++) {
      double flux = 0;
      for (int b = 0; b < 3; b++) flux += w->factors[(size_t)pair[a][b] * w->points + q] * slope[b];
      w->at[a][q] = flux;
    }
  }
  for (int d = 0; d < 3; d++) {
    const double *derivative[3] = {w->B, w->B, w->B};
    derivative[d] = w->C;
    add_to_nodes(w, derivative, 1, w->at[d], y);
  }
}

/* Without signs; and each entry with its mirror image, since halves of a matrix add and subtract the two. */
static void drop_signs(const workplace *w, double *A)
{
  double both[MAX_ENTRIES];
  for (int m = 0; m < w->n; m++)
    for (int i = 0; i < w->Nq; i++) both[m * w->Nq + i] = fabs(A[m * w->Nq + i]) + fabs(A[m * w->Nq + w->Nq - 1 - i]);
  memcpy(A, both, sizeof *both * (size_t)(w->n * w->Nq));
}

wisp_status wisp_hex_apply_sizes(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, const double *vertices,
                                 size_t count, double lambda, const double *u, double *sizes)
{
  wisp_status status = WISP_OK;
  workplace w = {.memory = NULL};
  double *magnitudes = NULL;
  TRY(open(err, hex, op, &w));
  TRY(wisp_new(err, w.Np, sizeof *magnitudes, &magnitudes));
  drop_signs(&w, w.B);
  drop_signs(&w, w.C);
  for (size_t k = 0; k < count; k++) {
    TRY(wisp_hex_factors(err, hex, wisp_hex_operator_points(op), vertices + 24 * k, k, 1, w.factors));
    for (size_t q = 0; q < WISP_HEX_FACTORS * w.points; q++) w.factors[q] = fabs(w.factors[q]);
    for (size_t i = 0; i < w.Np; i++) magnitudes[i] = fabs(u[k * w.Np + i]);
    apply_element(&w, op, fabs(lambda), magnitudes, sizes + k * w.Np);
  }
done:
  free(magnitudes);
  free(w.memory);
  return status;
}

wisp_status wisp_hex_apply(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, const double *vertices,
                           size_t count, double lambda, const double *u, double *y)
{
  wisp_status status = WISP_OK;
  workplace w = {.memory = NULL};
  TRY(open(err, hex, op, &w));
  for (size_t k = 0; k < count; k++) {
    TRY(wisp_hex_factors(err, hex, wisp_hex_operator_points(op), vertices + 24 * k, k, 1, w.factors));
    apply_element(&w, op, lambda, u + k * w.Np, y + k * w.Np);
  }
done:
  free(w.memory);
  return status;
}

/* Entry (i, i) is a sum over points of products of two entries of B and C in each direction: tensor products again, of
 * the matrices of those products. */
static void diagonal_element(const workplace *w, wisp_hex_operator op, double lambda, double *diagonal)
{
  double BB[MAX_ENTRIES], BC[MAX_ENTRIES], CC[MAX_ENTRIES];
  for (int i = 0; i < w->n * w->Nq; i++) {
    BB[i] = w->B[i] * w->B[i];
    BC[i] = w->B[i] * w->C[i];
    CC[i] = w->C[i] * w->C[i];
  }
  const double *values[3] = {BB, BB, BB};
  memset(diagonal, 0, w->Np * sizeof *diagonal);
  add_to_nodes(w, values, op == WISP_HEX_MASS ? 1 : lambda, w->factors + 6 * w->points, diagonal);
  for (int a = 0; op != WISP_HEX_MASS && a < 3; a++)
    for (int b = a; b < 3; b++) {
      const double *product[3] = {BB, BB, BB};
      product[a] = a == b ? CC : BC;
      product[b] = a == b ? CC : BC;
      add_to_nodes(w, product, a == b ? 1 : 2, w->factors + (size_t)pair[a][b] * w->points, diagonal);
    }
}

wisp_status wisp_hex_diagonal(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, const double *vertices,
                              size_t count, double lambda, double *diagonal)
{
  wisp_status status = WISP_OK;
  workplace w = {.memory = NULL};
  TRY(open(err, hex, op, &w));
  for (size_t k = 0; k < count; k++) {
    TRY(wisp_hex_factors(err, hex, wisp_hex_operator_points(op), vertices + 24 * k, k, 1, w.factors));
    diagonal_element(&w, op, lambda, diagonal + k * w.Np);
  }
done:
  free(w.memory);
  return status;
}

wisp_status wisp_hex_load(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, const double vertices[24],
                          size_t element, const double *f, double *b)
{
  wisp_status status = WISP_OK;
  workplace w = {.memory = NULL};
  TRY(open(err, hex, op, &w));
  const double *values[3] = {w.B, w.B, w.B}, *wJ = w.factors + 6 * w.points;
  TRY(wisp_hex_factors(err, hex, wisp_hex_operator_points(op), vertices, element, 1, w.factors));
  for (size_t q = 0; q < w.points; q++) w.at[3][q] = wJ[q] * f[q];
  memset(b, 0, w.Np * sizeof *b);
  add_to_nodes(&w, values, 1, w.at[3], b);
done:
  free(w.memory);
  return status;
}

wisp_status wisp_hex_distance(wisp_error *err, const wisp_hex *hex, const double vertices[24], const double *u,
                              const double *f, double *square)
{
  wisp_status status = WISP_OK;
  workplace w = {.memory = NULL};
  double sum = 0;
  TRY(open(err, hex, WISP_HEX_MASS, &w));
  const double *values[3] = {w.B, w.B, w.B}, *wJ = w.factors + 6 * w.points;
  TRY(wisp_hex_factors(err, hex, WISP_HEX_GAUSS, vertices, 0, 1, w.factors));
  to_points(&w, values, u, w.at[0]);
  for (size_t q = 0; q < w.points; q++) sum += wJ[q] * (w.at[0][q] - f[q]) * (w.at[0][q] - f[q]);
  *square = sum;
done:
  free(w.memory);
  return status;
}
