/* References of assembling by elements, and of multiplying by groups of them. */
#include "reference_parts.h"

/* Zeroes the blocks that two elements add to, and those without an element. */
static void clear_blocks(const wisp_hdg *s, wisp_test_case *r)
{
  const size_t n = (size_t)s->tables->n;
  for (size_t row = 0; row < s->free_edges * n; row++) {
    const size_t edge = row / n;
    const double given = r->before[WISP_HDG_GIVEN][row];
    wisp_hdg_leave(r, WISP_HDG_B, row, given, fabs(given));
    for (size_t q = 0; q < WISP_HDG_ROW * n; q++)
      if (q < n || s->side[2 * edge + (q / n - 1) / 2] < 0)
        wisp_hdg_leave(r, WISP_HDG_BLOCKS, wisp_hdg_block_at(n, edge, q / n, row % n, q % n), 0, 0);
  }
}

/* Assembled, on top of what is there. */
static void scatter(const wisp_hdg *s, wisp_test_case *r)
{
  const size_t n = (size_t)s->tables->n;
  const double *before = r->before[WISP_HDG_BLOCKS];
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
}

/* --- by elements --- */

/* The trace p on an element's edges, along the element; 0 where it is given. */
static double along(const wisp_hdg *s, const double *p, size_t e, size_t q)
{
  const size_t n = (size_t)s->tables->n;
  const int32_t edge = s->edge[3 * e + q / n];
  if ((size_t)edge / 2 >= s->free_edges) return 0;
  return wisp_hdg_sign(edge, (int)(q % n)) * p[(size_t)edge / 2 * n + q % n];
}

void wisp_hdg_multiply(const wisp_hdg *s, wisp_test_case *r, const double *data, const double *sizes)
{
  const size_t n = (size_t)s->tables->n, m = (size_t)s->tables->m, width = m * (m + 1) / 2 + m;
  for (size_t i = 0; i < s->mesh->elements * m; i++) {
    const size_t e = i / m, a = i % m;
    double value = 0, size = 0;
    for (size_t b = 0; b < m; b++) {
      const size_t at = WISP_SLAB(width, e, wisp_hdg_half(m, a, b));
      const double number = along(s, r->before[WISP_HDG_P], e, b);
      value += data[at] * number, size += (sizes ? sizes[at] : fabs(data[at])) * fabs(number);
    }
    wisp_hdg_leave(r, WISP_HDG_PRODUCTS, i, wisp_hdg_sign(s->edge[3 * e + a / n], (int)(a % n)) * value, size);
  }
}

static void multiply(const wisp_hdg *s, wisp_test_case *r)
{
  wisp_hdg_multiply(s, r, r->before[WISP_HDG_ELEMENT_DATA], NULL);
}

/* --- by groups --- */

enum { GROUP = 64 }; /* elements, as in templates/hdg/group.space */

/* Whether both elements of an edge are of one group; an edge with one element is. */
static bool is_within(const wisp_hdg *s, size_t edge)
{
  const int32_t *side = s->side + 2 * edge;
  return side[1] < 0 || side[0] / (3 * GROUP) == side[1] / (3 * GROUP);
}

/* Each element's products as multiply leaves them; those that meet in a group are added up, and not left. */
static wisp_status multiply_grouped(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t n = (size_t)s->tables->n;
  double *after = r->after[WISP_HDG_PRODUCTS], *sizes = r->size[WISP_HDG_PRODUCTS];
  OWNED(free) double *before = NULL;
  CALL(wisp_new(err, r->numbers[WISP_HDG_PRODUCTS], sizeof *before, &before));
  memcpy(before, after, r->numbers[WISP_HDG_PRODUCTS] * sizeof *before);
  wisp_hdg_multiply(s, r, r->before[WISP_HDG_ELEMENT_DATA], NULL);
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

/* Adds up the products of an edge's elements. */
static wisp_hdg_sum collect_row(const wisp_hdg *s, const wisp_test_case *r, size_t row)
{
  const size_t n = (size_t)s->tables->n;
  const int32_t *face = s->side + 2 * (row / n);
  wisp_hdg_sum sum = {0};
  for (int k = 0; k < 2; k++)
    if (face[k] >= 0) wisp_hdg_add(&sum, r->before[WISP_HDG_PRODUCTS][(size_t)face[k] * n + row % n]);
  return sum;
}

static wisp_hdg_sum collect_grouped_row(const wisp_hdg *s, const wisp_test_case *r, size_t row)
{
  wisp_hdg_sum sum = {0};
  if (!is_within(s, row / (size_t)s->tables->n)) return collect_row(s, r, row);
  wisp_hdg_add(&sum, r->before[WISP_HDG_AP][row]);
  return sum;
}

const wisp_hdg_kernel_reference wisp_hdg_scatter_references[] = {{"clear_blocks", .leave = clear_blocks},
                                                                 {"scatter", .leave = scatter},
                                                                 {"multiply", .leave = multiply},
                                                                 {"multiply_grouped", .compute = multiply_grouped},
                                                                 {"collect", .row = collect_row},
                                                                 {"collect_grouped", .row = collect_grouped_row},
                                                                 {.kernel = NULL}};
