/* The true residual of a Helmholtz solve: of the traces, element by element, by the reference; in single precision by
 * the rows that were assembled, in double. */
#include "../solve/residual.h"
#include "helmholtz_solver.h"
#include "reference_parts.h"

#include <math.h>
#include <string.h>

/* --- the reference's elements --- */

typedef struct solved {
  const wisp_helmholtz_problem *problem;
  const double *load, *given, *x; /* the solve's own */
  bool single;                    /* vertices as its kernels have them, for a thin element is another then */
} solved;

static size_t find_place(const void *context, size_t row, size_t k)
{
  const wisp_hdg *s = ((const solved *)context)->problem->hdg;
  const size_t n = (size_t)s->tables->n;
  const int32_t face = k < 2 ? s->side[2 * (row / n) + k] : -1;
  return face < 0 ? SIZE_MAX : (size_t)face * n + row % n;
}

/* The traces on an element's edges along the element, those of unknowns and those that are given apart. */
static void take_traces(const solved *s, size_t e, double *unknown, double *given)
{
  const wisp_hdg *hdg = s->problem->hdg;
  const size_t n = (size_t)hdg->tables->n;
  for (size_t q = 0; q < 3 * n; q++) {
    const int32_t edge = hdg->edge[3 * e + q / n];
    const size_t row = (size_t)edge / 2 * n + q % n;
    const bool is_free = (size_t)edge / 2 < hdg->free_edges;
    unknown[q] = is_free ? wisp_hdg_sign(edge, (int)(q % n)) * s->x[row] : 0;
    given[q] = is_free ? 0 : wisp_hdg_sign(edge, (int)(q % n)) * s->given[row];
  }
}

static wisp_status apply(wisp_error *err, const void *context, size_t count, const int32_t *element,
                         wisp_residual_term *out)
{
  const solved *s = context;
  const wisp_helmholtz_problem *p = s->problem;
  const wisp_hdg *hdg = p->hdg;
  const size_t m = (size_t)hdg->tables->m, n = (size_t)hdg->tables->n;
  double load[WISP_HDG_MAX_NP], unknown[WISP_HDG_MAX_M], given[WISP_HDG_MAX_M];
  OWNED(free) wisp_hdg_condensed *of = NULL;
  CALL(wisp_new(err, 1, sizeof *of, &of));
  for (size_t k = 0; k < count; k++) {
    const size_t e = (size_t)element[k];
    double tau[3];
    wisp_hdg_factors factors;
    wisp_hdg_take(p->tau, 3, e, tau);
    wisp_hdg_triangle triangle = wisp_hdg_triangle_at(hdg, e, tau, p->kappa[e], p->lambda[e]);
    for (int i = 0; s->single && i < 6; i++) triangle.xy[i / 2][i % 2] = (float)triangle.xy[i / 2][i % 2];
    wisp_hdg_factors_of(&triangle, &factors);
    wisp_hdg_take(s->load, (size_t)hdg->tables->Np, e, load);
    CALL(wisp_hdg_condense(err, hdg->tables, &factors, load, of));
    take_traces(s, e, unknown, given);
    for (size_t a = 0; a < m; a++) {
      const double sign = wisp_hdg_sign(hdg->edge[3 * e + a / n], (int)(a % n));
      wisp_residual_term *term = &out[k * m + a];
      term->right = sign * of->b[a];
      for (size_t b = 0; b < m; b++) {
        term->right -= sign * of->K[a * m + b] * given[b];
        term->product += sign * of->K[a * m + b] * unknown[b];
        term->size += of->K_size[a * m + b] * fabs(unknown[b]);
      }
    }
  }
  return WISP_OK;
}

/* --- the rows of blocks --- */

typedef struct rows {
  const wisp_hdg *hdg;
  const double *blocks, *b, *x;
} rows;

static void add_row(const void *context, size_t row, wisp_residual_term *out)
{
  const rows *r = context;
  const size_t n = (size_t)r->hdg->tables->n;
  out->right = r->b[row];
  for (int place = 0; place < WISP_HDG_ROW; place++) {
    const size_t other = wisp_hdg_free_column(r->hdg, row / n, place);
    for (size_t j = 0; j < n; j++) {
      const double term = r->blocks[wisp_hdg_block_at(n, row / n, (size_t)place, row % n, j)] * r->x[other * n + j];
      out->product += term, out->size += fabs(term);
    }
  }
}

/* --- the solve's numbers --- */

static wisp_status download(wisp_error *err, wisp_arrays *arrays, const char *array, double **out)
{
  CALL(wisp_new(err, wisp_arrays_size(arrays, array), sizeof **out, out));
  return wisp_arrays_download(err, arrays, array, *out);
}

wisp_status wisp_helmholtz_residual(wisp_error *err, const wisp_helmholtz_problem *problem, wisp_arrays *arrays,
                                    wisp_precision precision, wisp_true_residual *out)
{
  const wisp_hdg *hdg = problem->hdg;
  OWNED(free) double *x = NULL, *one = NULL, *other = NULL;
  const size_t unknowns = hdg->free_edges * (size_t)hdg->tables->n;
  const bool by_rows = precision == WISP_F32 && wisp_arrays_size(arrays, "blocks") && unknowns <= WISP_RESIDUAL_ROWS;
  wisp_residual_system system = {.rows = unknowns,
                                 .precision = precision,
                                 .elements = hdg->mesh->elements,
                                 .width = (size_t)hdg->tables->m,
                                 .place = find_place,
                                 .apply = apply};
  CALL(download(err, arrays, "solution", &x));
  CALL(download(err, arrays, by_rows ? "blocks" : "load", &one));
  CALL(download(err, arrays, by_rows ? "b" : "given", &other));
  const rows of_rows = {hdg, one, other, x};
  const solved of_elements = {problem, one, other, x, precision == WISP_F32};
  system.context = by_rows ? (const void *)&of_rows : &of_elements;
  system.row = by_rows ? add_row : NULL;
  system.b = other; /* fluxes that are given */
  return wisp_true_residual_find(err, &system, out);
}
