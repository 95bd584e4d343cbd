/* Steps that several references share. */
#include "reference_parts.h"
#include "blocks.h"

#include <math.h>
#include <stdlib.h>

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

void wisp_hdg_leave_product(const wisp_hdg *s, wisp_test_case *r, wisp_hdg_row row_of)
{
  const double *p = r->before[WISP_HDG_P];
  double all = 0, squares = 0, size = 0;
  for (size_t row = 0; row < s->free_edges * (size_t)s->tables->n; row++) {
    const double value = row_of(s, r, row, &size);
    wisp_hdg_leave(r, WISP_HDG_AP, row, value, size);
    all += p[row] * value;
    squares += p[row] * size * p[row] * size;
  }
  wisp_hdg_leave(r, WISP_HDG_PAP_SUMS, 0, all, sqrt(squares));
}

/* A row of the edges' inverses times a vector whose numbers have these sizes. */
double wisp_hdg_times_inverse(const wisp_hdg *s, const wisp_test_case *r, const double *vector, const double *sizes,
                              size_t row, double *size)
{
  const size_t n = (size_t)s->tables->n;
  double value = 0;
  *size = 0;
  for (size_t j = 0; j < n; j++) {
    const size_t at = WISP_SLAB(n * (n + 1) / 2, row / n, wisp_hdg_half(n, row % n, j));
    value += r->before[WISP_HDG_INVERSES][at] * vector[row / n * n + j];
    *size += fabs(r->before[WISP_HDG_INVERSES][at]) * sizes[row / n * n + j];
  }
  return value;
}

void wisp_hdg_step_free(wisp_hdg_step *step)
{
  free(step->t), free(step->t_size);
}

void wisp_hdg_smooth(const wisp_hdg *s, wisp_test_case *r, wisp_hdg_step *of, size_t row, double before, double size,
                     double kept)
{
  const double gain = wisp_hdg_scalar(r, "gain"), own = r->before[WISP_HDG_RESIDUAL][row];
  double of_t = 0;
  const double step = kept + gain * wisp_hdg_times_inverse(s, r, of->t, of->t_size, row, &of_t);
  const double step_size = fabs(kept) + gain * of_t;
  wisp_hdg_leave(r, WISP_HDG_Z, row, before + step, size + step_size);
  if (wisp_hdg_scalar(r, "summed") > 0) {
    of->rz += own * (before + step);
    of->squares += own * (size + step_size) * own * (size + step_size);
    return;
  }
  wisp_hdg_leave(r, WISP_HDG_T, row, (float)of->t[row], of->t_size[row]);
  wisp_hdg_leave(r, of->d, row, (float)step, step_size);
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
