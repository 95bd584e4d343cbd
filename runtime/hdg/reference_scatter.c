/* References of assembling by elements, and of multiplying by groups of them. */
#include "blocks.h"
#include "reference.h"
#include "reference_parts.h"

#include <math.h>

/* What two elements add to; and what has no element. */
wisp_status wisp_hdg_clear_blocks(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t n = (size_t)s->tables->n;
  (void)err;
  for (size_t row = 0; row < s->free_edges * n; row++) {
    const size_t edge = row / n;
    const double given = r->before[WISP_HDG_GIVEN][row];
    wisp_hdg_leave(r, WISP_HDG_B, row, given, fabs(given));
    for (size_t q = 0; q < WISP_HDG_ROW * n; q++)
      if (q < n || s->side[2 * edge + (q / n - 1) / 2] < 0)
        wisp_hdg_leave(r, WISP_HDG_BLOCKS, wisp_hdg_block_at(n, edge, q / n, row % n, q % n), 0, 0);
  }
  return WISP_OK;
}

/* Assembled, on top of what is there. */
wisp_status wisp_hdg_scatter(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t n = (size_t)s->tables->n;
  const double *before = r->before[WISP_HDG_BLOCKS];
  (void)err;
  wisp_hdg_assemble(s, r->before[WISP_HDG_ELEMENT_DATA], r->before[WISP_HDG_GIVEN], r->after[WISP_HDG_BLOCKS],
                    r->after[WISP_HDG_B], r->size[WISP_HDG_BLOCKS], r->size[WISP_HDG_B]);
  for (size_t row = 0; row < s->free_edges * n; row++) {
    const size_t edge = row / n;
    r->after[WISP_HDG_B][row] += r->before[WISP_HDG_B][row] - r->before[WISP_HDG_GIVEN][row];
    r->size[WISP_HDG_B][row] += fabs(r->before[WISP_HDG_B][row]);
    for (size_t q = 0; q < WISP_HDG_ROW * n; q++) {
      const size_t at = wisp_hdg_block_at(n, edge, q / n, row % n, q % n);
      const bool is_kept = q < n || s->side[2 * edge + (q / n - 1) / 2] < 0;
      if (is_kept) r->after[WISP_HDG_BLOCKS][at] += before[at], r->size[WISP_HDG_BLOCKS][at] += fabs(before[at]);
    }
  }
  return WISP_OK;
}

/* --- by groups --- */

enum { GROUP = 64 }; /* elements, as in templates/hdg/group.space */

/* Whether both elements of an edge are of one group; an edge with one element is. */
static bool is_within(const wisp_hdg *s, size_t edge)
{
  const int32_t *side = s->side + 2 * edge;
  return side[1] < 0 || side[0] / (3 * GROUP) == side[1] / (3 * GROUP);
}

/* Each element's products as multiply leaves them; where they meet in a group they are added up, and no longer there.
 */
wisp_status wisp_hdg_multiply_grouped(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t n = (size_t)s->tables->n;
  double *after = r->after[WISP_HDG_PRODUCTS], *sizes = r->size[WISP_HDG_PRODUCTS];
  OWNED(free) double *before = NULL;
  CALL(wisp_new(err, r->numbers[WISP_HDG_PRODUCTS], sizeof *before, &before));
  memcpy(before, after, r->numbers[WISP_HDG_PRODUCTS] * sizeof *before);
  CALL(wisp_hdg_multiply(err, s, r));
  for (size_t row = 0; row < s->free_edges * n; row++) {
    const int32_t *side = s->side + 2 * (row / n);
    double value = 0, size = 0;
    for (size_t k = 0; k < 2 && side[k] >= 0; k++) {
      const size_t at = (size_t)side[k] * n + row % n;
      value += after[at], size += sizes[at];
    }
    if (is_within(s, row / n)) wisp_hdg_leave(r, WISP_HDG_AP, row, value, size);
  }
  for (size_t i = 0; i < 3 * s->mesh->elements * n; i++) {
    const size_t edge = (size_t)s->edge[i / n] / 2;
    if (edge >= s->free_edges || is_within(s, edge)) wisp_hdg_leave(r, WISP_HDG_PRODUCTS, i, before[i], 0);
  }
  return WISP_OK;
}

wisp_status wisp_hdg_collect_grouped(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t n = (size_t)s->tables->n;
  const double *products = r->before[WISP_HDG_PRODUCTS], *p = r->before[WISP_HDG_P];
  double all = 0, squares = 0;
  (void)err;
  for (size_t row = 0; row < s->free_edges * n; row++) {
    const int32_t *side = s->side + 2 * (row / n);
    double value = r->before[WISP_HDG_AP][row], size = fabs(value);
    if (!is_within(s, row / n)) {
      const double one = products[(size_t)side[0] * n + row % n], two = products[(size_t)side[1] * n + row % n];
      value = one + two, size = fabs(one) + fabs(two);
      wisp_hdg_leave(r, WISP_HDG_AP, row, value, size);
    }
    all += p[row] * value;
    squares += p[row] * size * p[row] * size;
  }
  wisp_hdg_leave(r, WISP_HDG_PAP_SUMS, 0, all, sqrt(squares));
  return WISP_OK;
}

/* The trace p on an element's edges, along the element; 0 where it is given. */
static double along(const wisp_hdg *s, const double *p, size_t e, size_t q)
{
  const size_t n = (size_t)s->tables->n;
  const int32_t edge = s->edge[3 * e + q / n];
  if ((size_t)edge / 2 >= s->free_edges) return 0;
  return wisp_hdg_sign(edge, (int)(q % n)) * p[(size_t)edge / 2 * n + q % n];
}

wisp_status wisp_hdg_multiply(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t n = (size_t)s->tables->n, m = (size_t)s->tables->m, width = m * (m + 1) / 2 + m;
  (void)err;
  for (size_t i = 0; i < s->mesh->elements * m; i++) {
    const size_t e = i / m, a = i % m;
    double value = 0, size = 0;
    for (size_t b = 0; b < m; b++) {
      const double term = r->before[WISP_HDG_ELEMENT_DATA][WISP_SLAB(width, e, wisp_hdg_half(m, a, b))] *
                          along(s, r->before[WISP_HDG_P], e, b);
      value += term, size += fabs(term);
    }
    wisp_hdg_leave(r, WISP_HDG_PRODUCTS, i, wisp_hdg_sign(s->edge[3 * e + a / n], (int)(a % n)) * value, size);
  }
  return WISP_OK;
}

/* Of matrices that are made anew. */
wisp_status wisp_hdg_multiply_unstored(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  static const double no_load[WISP_HDG_MAX_NP];
  const size_t n = (size_t)s->tables->n, m = (size_t)s->tables->m;
  OWNED(free) wisp_hdg_condensed *of = NULL;
  CALL(wisp_new(err, 1, sizeof *of, &of));
  for (size_t i = 0; i < s->mesh->elements * m; i++) {
    const size_t e = i / m, a = i % m;
    const wisp_hdg_factors factors = wisp_hdg_factors_at(s, r, e);
    double value = 0, size = 0;
    if (a == 0) CALL(wisp_hdg_condense(err, s->tables, &factors, no_load, of));
    for (size_t b = 0; b < m; b++) {
      const double number = along(s, r->before[WISP_HDG_P], e, b);
      value += of->K[a * m + b] * number, size += of->K_size[a * m + b] * fabs(number);
    }
    wisp_hdg_leave(r, WISP_HDG_PRODUCTS, i, wisp_hdg_sign(s->edge[3 * e + a / n], (int)(a % n)) * value, size);
  }
  return WISP_OK;
}
