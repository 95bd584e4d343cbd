#include "vertex_matrix.h"
#include "../parallel.h"

enum { CORNERS = WISP_HEX_VERTICES, SQUARE = CORNERS * CORNERS };

/* --- the pattern --- */

/* A wisp_sparse_row: the unknowns of the elements around. */
static size_t list_row(const void *context, size_t row, int32_t *columns)
{
  const wisp_poisson *p = context;
  size_t count = 0;
  for (int32_t c = p->copies->start[row]; c < p->copies->start[row + 1]; c++)
    for (int v = 0; v < CORNERS; v++) {
      const int32_t unknown = p->copies->unknown[p->nodes->global[p->copies->copy[c] / CORNERS * CORNERS + v]];
      if (unknown >= 0) columns[count++] = unknown;
    }
  return count;
}

wisp_status wisp_vertex_pattern(wisp_error *err, const wisp_poisson *p, wisp_sparse *out)
{
  const wisp_hexcopies *c = p->copies;
  int32_t most = 0;
  for (size_t g = 0; g < c->unknowns; g++)
    if (c->start[g + 1] - c->start[g] > most) most = c->start[g + 1] - c->start[g];
  return wisp_sparse_make(err, c->unknowns, c->unknowns, (size_t)most * CORNERS, list_row, p, out);
}

/* --- the numbers --- */

typedef struct making {
  const wisp_poisson *problem;
  const wisp_sparse *pattern;
  double *elements; /* SQUARE each */
  double *values;
} making;

/* At vertex q the derivative in direction d is half the difference of the two vertices on the edge there. */
static void add_vertex(const double *factors, int q, double lambda, double K[SQUARE])
{
  static const int of[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int d = 0; d < 3; d++)
    for (int e = 0; e < 3; e++) {
      const double G = factors[of[d][e] * CORNERS + q] / 4;
      for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
          const int row = (q & ~(1 << d)) | a << d, column = (q & ~(1 << e)) | b << e;
          K[row * CORNERS + column] += a == b ? G : -G;
        }
    }
  K[q * CORNERS + q] += lambda * factors[6 * CORNERS + q];
}

/* A wisp_range over elements. */
static wisp_status make_elements(wisp_error *err, void *context, size_t from, size_t to)
{
  const making *m = context;
  const wisp_poisson *p = m->problem;
  double vertices[3 * CORNERS], factors[WISP_HEX_FACTORS * CORNERS];
  for (size_t e = from; e < to; e++) {
    wisp_hex_vertices(p->mesh, &p->frame, e, 1, vertices);
    CALL(wisp_hex_factors(err, p->hex, WISP_HEX_GLL, vertices, wisp_mesh_number(p->mesh, e), 1, factors));
    for (int q = 0; q < CORNERS; q++) add_vertex(factors, q, p->lambda, m->elements + e * SQUARE);
  }
  return WISP_OK;
}

/* A wisp_sweep over rows. */
static void add_up_rows(void *context, size_t from, size_t to)
{
  const making *m = context;
  const wisp_poisson *p = m->problem;
  for (size_t row = from; row < to; row++)
    for (int32_t c = p->copies->start[row]; c < p->copies->start[row + 1]; c++) {
      const size_t at = (size_t)p->copies->copy[c], e = at / CORNERS;
      for (size_t v = 0; v < CORNERS; v++) {
        const int32_t unknown = p->copies->unknown[p->nodes->global[e * CORNERS + v]];
        if (unknown < 0) continue;
        const wisp_sparse *A = m->pattern;
        const int32_t place = wisp_sparse_find(A->column, A->start[row], A->start[row + 1], unknown);
        m->values[place] += m->elements[e * SQUARE + at % CORNERS * CORNERS + v];
      }
    }
}

wisp_status wisp_vertex_values(wisp_error *err, const wisp_poisson *p, const wisp_sparse *pattern, double *values)
{
  OWNED(free) double *elements = NULL;
  CALL(wisp_new(err, p->mesh->elements * SQUARE, sizeof *elements, &elements));
  making m = {.problem = p, .pattern = pattern, .elements = elements, .values = values};
  CALL(wisp_parallel(err, p->mesh->elements, make_elements, &m));
  memset(values, 0, (size_t)pattern->start[pattern->rows] * sizeof *values);
  wisp_parallel_for(pattern->rows, add_up_rows, &m);
  return WISP_OK;
}
