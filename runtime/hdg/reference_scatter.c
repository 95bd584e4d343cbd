/* References of assembling by elements. */
#include "blocks.h"
#include "reference.h"
#include "reference_parts.h"

#include <math.h>

/* What two elements add to; and what has no element. */
wisp_status wisp_hdg_clear_blocks(wisp_error *err, const wisp_hdg *s, wisp_round *r)
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
wisp_status wisp_hdg_scatter(wisp_error *err, const wisp_hdg *s, wisp_round *r)
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
