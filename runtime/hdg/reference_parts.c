/* Steps that several references share. */
#include "reference_parts.h"

wisp_hdg_factors wisp_hdg_factors_at(const wisp_hdg *s, const wisp_test_case *r, size_t e)
{
  const double *tau = r->before[WISP_HDG_TAU], *lambda = r->before[WISP_HDG_LAMBDA];
  const double own[3] = {tau ? tau[WISP_SLAB(3, e, 0)] : 1, tau ? tau[WISP_SLAB(3, e, 1)] : 1,
                         tau ? tau[WISP_SLAB(3, e, 2)] : 1};
  const wisp_hdg_triangle triangle =
      wisp_hdg_triangle_at(s, e, own, r->before[WISP_HDG_KAPPA][e], lambda ? lambda[e] : 0);
  wisp_hdg_factors out;
  wisp_hdg_factors_of(&triangle, &out);
  return out;
}

void wisp_hdg_take(const double *array, size_t width, size_t e, double *out)
{
  for (size_t i = 0; i < width; i++) out[i] = array[WISP_SLAB(width, e, i)];
}

void wisp_hdg_leave_slab(wisp_test_case *r, int array, size_t width, size_t e, const double *values,
                         const double *sizes)
{
  for (size_t i = 0; i < width; i++) wisp_hdg_leave(r, array, WISP_SLAB(width, e, i), values[i], sizes[i]);
}

void wisp_hdg_leave_inside(const wisp_hdg *s, wisp_test_case *r, size_t e, const wisp_hdg_inside *of)
{
  const size_t Np = (size_t)s->tables->Np;
  wisp_hdg_leave_slab(r, WISP_HDG_U, Np, e, of->u, of->u_size);
  wisp_hdg_leave_slab(r, WISP_HDG_FLUX, 2 * Np, e, of->p, of->p_size);
}

wisp_hdg_sum wisp_hdg_times_inverse(const wisp_hdg *s, const wisp_test_case *r, const wisp_hdg_sum *vector, size_t row)
{
  const size_t n = (size_t)s->tables->n;
  wisp_hdg_sum sum = {0};
  for (size_t j = 0; j < n; j++) {
    const double number =
        r->before[WISP_HDG_INVERSES][WISP_SLAB(n * (n + 1) / 2, row / n, wisp_hdg_half(n, row % n, j))];
    sum.value += number * vector[row / n * n + j].value;
    sum.size += fabs(number) * vector[row / n * n + j].size;
  }
  return sum;
}

void wisp_hdg_smooth(const wisp_hdg *s, wisp_test_case *r, wisp_hdg_step *of, size_t row, wisp_hdg_sum before,
                     double kept)
{
  const double alpha = wisp_hdg_scalar(r, "gain"), own = r->before[WISP_HDG_RESIDUAL][row];
  const wisp_hdg_sum by = wisp_hdg_times_inverse(s, r, of->t, row);
  const wisp_hdg_sum step = {kept + alpha * by.value, fabs(kept) + alpha * by.size};
  const wisp_hdg_sum z = {before.value + step.value, before.size + step.size};
  wisp_hdg_leave_sum(r, WISP_HDG_Z, row, z);
  if (wisp_hdg_scalar(r, "summed") > 0) {
    wisp_total_add(&of->rz, own * z.value, own * z.size);
    return;
  }
  wisp_hdg_leave(r, WISP_HDG_T, row, (float)of->t[row].value, of->t[row].size);
  wisp_hdg_leave(r, of->d, row, (float)step.value, step.size);
}

void wisp_hdg_trace_at(const wisp_hdg *s, const wisp_test_case *r, size_t e, double *out)
{
  const size_t n = (size_t)s->tables->n;
  for (size_t q = 0; q < 3 * n; q++) {
    const int32_t edge = s->edge[3 * e + q / n];
    const bool is_free = (size_t)edge / 2 < s->free_edges;
    out[q] = wisp_hdg_sign(edge, (int)(q % n)) *
             r->before[is_free ? WISP_HDG_SOLUTION : WISP_HDG_GIVEN][(size_t)edge / 2 * n + q % n];
  }
}

/* --- rows of blocks from the elements' matrices --- */

/* An entry of an element's matrix, in the directions of the edges. */
static double entry(const wisp_hdg *s, const double *data, size_t e, size_t a, size_t b)
{
  const size_t n = (size_t)s->tables->n, m = (size_t)s->tables->m, width = m * (m + 1) / 2 + m;
  const int32_t *edge = s->edge + 3 * e;
  return wisp_hdg_sign(edge[a / n], (int)(a % n)) * wisp_hdg_sign(edge[b / n], (int)(b % n)) *
         data[WISP_SLAB(width, e, wisp_hdg_half(m, a, b))];
}

/* Row i of an edge's blocks, of one of its elements. */
static void add_element(const wisp_hdg *s, const double *data, const double *given, size_t edge, int which, size_t i,
                        double *const to[2], double *const size[2])
{
  const size_t n = (size_t)s->tables->n, m = (size_t)s->tables->m, half = m * (m + 1) / 2;
  const int32_t face = s->side[2 * edge + (size_t)which];
  if (face < 0) return;
  const size_t e = (size_t)face / 3, a = (size_t)face % 3 * n + i, row = edge * n + i;
  const double load = wisp_hdg_sign(s->edge[face], (int)i) * data[WISP_SLAB(half + m, e, half + a)];
  to[1][row] += load, size[1][row] += fabs(load);
  for (size_t t = 0; t < 3; t++) {
    const size_t other = ((size_t)face % 3 + t) % 3, there = (size_t)s->edge[3 * e + other] / 2;
    for (size_t j = 0; j < n; j++) {
      const double number = entry(s, data, e, a, other * n + j);
      const size_t at = wisp_hdg_block_at(n, edge, t ? 2 * (size_t)which + t : 0, i, j);
      if (there < s->free_edges) {
        to[0][at] += number, size[0][at] += fabs(number);
      } else {
        to[1][row] -= number * given[there * n + j];
        size[1][row] += fabs(number * given[there * n + j]);
      }
    }
  }
}

void wisp_hdg_assemble(const wisp_hdg *s, const double *data, const double *given, double *blocks, double *b,
                       double *block_sizes, double *b_sizes)
{
  const size_t n = (size_t)s->tables->n;
  double *const to[2] = {blocks, b}, *const size[2] = {block_sizes, b_sizes};
  for (size_t row = 0; row < s->free_edges * n; row++) {
    const size_t edge = row / n, i = row % n;
    b[row] = given[row], b_sizes[row] = fabs(given[row]);
    for (size_t q = 0; q < WISP_HDG_ROW * n; q++) {
      const size_t at = wisp_hdg_block_at(n, edge, q / n, i, q % n);
      blocks[at] = block_sizes[at] = 0;
    }
    for (int which = 0; which < 2; which++) add_element(s, data, given, edge, which, i, to, size);
  }
}

uint16_t wisp_hdg_half_of(double number)
{
  const float single = (float)number;
  uint32_t bits = 0;
  memcpy(&bits, &single, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

double wisp_hdg_of_half(uint16_t bits)
{
  const uint32_t all = (uint32_t)bits << 16;
  float number = 0;
  memcpy(&number, &all, sizeof number);
  return number;
}
