#include "reference.h"
#include "reference_parts.h"
#include "blocks.h"
#include "../solve/cg.h"

#include <lapacke.h>
#include <math.h>

static wisp_hdg_factors factors_at(const wisp_hdg *s, const wisp_round *r, size_t e)
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

/* `width` numbers of element e. */
static void take(const double *array, size_t width, size_t e, double *out)
{
  for (size_t i = 0; i < width; i++) out[i] = array[WISP_SLAB(width, e, i)];
}

static void give(wisp_round *r, int array, size_t width, size_t e, const double *values, const double *sizes)
{
  for (size_t i = 0; i < width; i++) wisp_hdg_leave(r, array, WISP_SLAB(width, e, i), values[i], sizes[i]);
}

/* To the slabs of element_data, or to memory of its size. */
static wisp_status condense_to(wisp_error *err, const wisp_hdg *s, const wisp_round *r, double *data, double *sizes)
{
  const size_t Np = (size_t)s->tables->Np, m = (size_t)s->tables->m, half = m * (m + 1) / 2;
  OWNED(free) wisp_hdg_condensed *of = NULL;
  double load[WISP_HDG_MAX_NP];
  CALL(wisp_new(err, 1, sizeof *of, &of));
  for (size_t e = 0; e < s->mesh->elements; e++) {
    const wisp_hdg_factors factors = factors_at(s, r, e);
    take(r->before[WISP_HDG_LOAD], Np, e, load);
    CALL(wisp_hdg_condense(err, s->tables, &factors, load, of));
    for (size_t i = 0; i < m; i++) {
      const size_t of_load = WISP_SLAB(half + m, e, half + i);
      for (size_t j = i; j < m; j++) {
        const size_t at = WISP_SLAB(half + m, e, wisp_hdg_half(m, i, j));
        data[at] = of->K[i * m + j], sizes[at] = of->K_size[i * m + j];
      }
      data[of_load] = of->b[i], sizes[of_load] = of->b_size[i];
    }
  }
  return WISP_OK;
}

static wisp_status condense(wisp_error *err, const wisp_hdg *s, wisp_round *r)
{
  return condense_to(err, s, r, r->after[WISP_HDG_ELEMENT_DATA], r->size[WISP_HDG_ELEMENT_DATA]);
}

static wisp_status assemble(wisp_error *err, const wisp_hdg *s, wisp_round *r)
{
  (void)err;
  wisp_hdg_assemble(s, r->before[WISP_HDG_ELEMENT_DATA], r->before[WISP_HDG_GIVEN], r->after[WISP_HDG_BLOCKS],
                    r->after[WISP_HDG_B], r->size[WISP_HDG_BLOCKS], r->size[WISP_HDG_B]);
  return WISP_OK;
}

/* Condensed, then assembled; sizes go the same way. */
static wisp_status build(wisp_error *err, const wisp_hdg *s, wisp_round *r)
{
  const size_t m = (size_t)s->tables->m, width = m * (m + 1) / 2 + m,
               count = width * WISP_SLAB_SLOTS(s->mesh->elements);
  const size_t numbers[2] = {r->numbers[WISP_HDG_BLOCKS], r->numbers[WISP_HDG_B]};
  OWNED(free) double *data = NULL, *sizes = NULL, *absolute = NULL, *blocks = NULL, *b = NULL, *unused = NULL;
  CALL(wisp_new(err, count, sizeof *data, &data));
  CALL(wisp_new(err, count, sizeof *sizes, &sizes));
  CALL(wisp_new(err, r->numbers[WISP_HDG_GIVEN], sizeof *absolute, &absolute));
  CALL(wisp_new(err, numbers[0], sizeof *blocks, &blocks));
  CALL(wisp_new(err, numbers[1], sizeof *b, &b));
  CALL(wisp_new(err, numbers[0] + numbers[1], sizeof *unused, &unused));
  CALL(condense_to(err, s, r, data, sizes));
  for (size_t i = 0; i < r->numbers[WISP_HDG_GIVEN]; i++) absolute[i] = fabs(r->before[WISP_HDG_GIVEN][i]);
  wisp_hdg_assemble(s, sizes, absolute, blocks, b, r->size[WISP_HDG_BLOCKS], r->size[WISP_HDG_B]);
  wisp_hdg_assemble(s, data, r->before[WISP_HDG_GIVEN], r->after[WISP_HDG_BLOCKS], r->after[WISP_HDG_B], unused,
                    unused + numbers[0]);
  return WISP_OK;
}

/* As float, which they are in either precision. */
static wisp_status invert(wisp_error *err, const wisp_hdg *s, wisp_round *r)
{
  const size_t n = (size_t)s->tables->n;
  const double *blocks = r->before[WISP_HDG_BLOCKS];
  double A[WISP_HDG_MAX_N * WISP_HDG_MAX_N];
  for (size_t edge = 0; edge < s->free_edges; edge++) {
    for (size_t i = 0; i < n * n; i++) A[i] = blocks[wisp_hdg_block_at(n, edge, 0, i / n, i % n)];
    for (size_t i = 0; i < n; i++) {
      const double over = (float)(1 / A[i * n + i]);
      wisp_hdg_leave(r, WISP_HDG_INVERSE, edge * n + i, over, over);
    }
    const int info = (int)LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', (int)n, A, (int)n);
    CALL(wisp_require(err, info == 0, WISP_EWRONG, "edge %zu's block has no inverse (info %d)", edge, info));
    LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'U', (int)n, A, (int)n);
    for (size_t i = 0; i < n; i++)
      for (size_t j = i; j < n; j++)
        wisp_hdg_leave(r, WISP_HDG_INVERSES, WISP_SLAB(n * (n + 1) / 2, edge, wisp_hdg_half(n, i, j)),
                       (float)A[i * n + j], sqrt(A[i * n + i] * A[j * n + j]));
  }
  return WISP_OK;
}

/* A row of the blocks times a vector, and of the magnitudes. */
static double times(const wisp_hdg *s, const double *blocks, const double *vector, size_t row, double *size)
{
  const size_t n = (size_t)s->tables->n;
  double value = 0;
  *size = 0;
  for (int place = 0; place < WISP_HDG_ROW; place++) {
    const int32_t to = wisp_hdg_column(s, row / n, place);
    const size_t other = to >= 0 && (size_t)to < s->free_edges ? (size_t)to : row / n; /* as in `columns` */
    for (size_t j = 0; j < n; j++) {
      const double term = blocks[wisp_hdg_block_at(n, row / n, (size_t)place, row % n, j)] * vector[other * n + j];
      value += term, *size += fabs(term);
    }
  }
  return value;
}

static wisp_status apply(wisp_error *err, const wisp_hdg *s, wisp_round *r)
{
  const double *p = r->before[WISP_HDG_P];
  double all = 0, squares = 0, size = 0;
  (void)err;
  for (size_t row = 0; row < s->free_edges * (size_t)s->tables->n; row++) {
    const double value = times(s, r->before[WISP_HDG_BLOCKS], p, row, &size);
    wisp_hdg_leave(r, WISP_HDG_AP, row, value, size);
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

static wisp_status multiply(wisp_error *err, const wisp_hdg *s, wisp_round *r)
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
    wisp_hdg_leave(r, WISP_HDG_PRODUCTS, WISP_SLAB(m, e, a),
                   wisp_hdg_sign(s->edge[3 * e + a / n], (int)(a % n)) * value, size);
  }
  return WISP_OK;
}

static wisp_status collect(wisp_error *err, const wisp_hdg *s, wisp_round *r)
{
  const size_t n = (size_t)s->tables->n, m = (size_t)s->tables->m;
  const double *products = r->before[WISP_HDG_PRODUCTS], *p = r->before[WISP_HDG_P];
  double all = 0, squares = 0;
  (void)err;
  for (size_t row = 0; row < s->free_edges * n; row++) {
    double value = 0, size = 0;
    for (size_t k = 0; k < 2; k++) {
      const int32_t face = s->side[2 * (row / n) + k];
      if (face < 0) continue;
      const double term = products[WISP_SLAB(m, (size_t)face / 3, (size_t)face % 3 * n + row % n)];
      value += term, size += fabs(term);
    }
    wisp_hdg_leave(r, WISP_HDG_AP, row, value, size);
    all += p[row] * value;
    squares += p[row] * size * p[row] * size;
  }
  wisp_hdg_leave(r, WISP_HDG_PAP_SUMS, 0, all, sqrt(squares));
  return WISP_OK;
}

static void advance_state(wisp_round *r, double alpha)
{
  double *state = r->after[WISP_HDG_STATE];
  const double iteration = state[WISP_CG_AT_ITERATION];
  if (iteration < WISP_HDG_ITERATIONS)
    wisp_hdg_leave(r, WISP_HDG_HISTORY, 3 * (size_t)iteration + 2, alpha, fabs(alpha));
  wisp_hdg_leave(r, WISP_HDG_STATE, WISP_CG_AT_RZ_BEFORE, state[WISP_CG_AT_RZ], fabs(state[WISP_CG_AT_RZ]));
  wisp_hdg_leave(r, WISP_HDG_STATE, WISP_CG_AT_ALPHA, alpha, fabs(alpha));
  if (state[WISP_CG_AT_RUNNING] <= 0) return;
  wisp_hdg_leave(r, WISP_HDG_STATE, WISP_CG_AT_ITERATION, iteration + 1, iteration + 1);
  r->after[WISP_HDG_LEFT][0]--;
}

/* A row of the edges' inverses times a vector whose numbers have these sizes. */
static double times_inverse(const wisp_hdg *s, const wisp_round *r, const double *vector, const double *sizes,
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

static wisp_status precondition(wisp_error *err, const wisp_hdg *s, wisp_round *r)
{
  const size_t parts = (size_t)wisp_hdg_scalar(r, "pAp_parts");
  const double *Ap = r->before[WISP_HDG_AP], *before = r->before[WISP_HDG_RESIDUAL];
  const double *state = r->before[WISP_HDG_STATE], gain = wisp_hdg_scalar(r, "gain");
  const double *own = r->after[WISP_HDG_RESIDUAL], *own_size = r->size[WISP_HDG_RESIDUAL];
  double pAp = 0, rz = 0, rr = 0, rz_squares = 0, rr_squares = 0, size = 0;
  (void)err;
  for (size_t i = 0; i < parts; i++) pAp += r->before[WISP_HDG_PAP_SUMS][i];
  const double alpha = state[WISP_CG_AT_RUNNING] > 0 && pAp > 0 ? state[WISP_CG_AT_RZ] / pAp : 0;
  for (size_t row = 0; row < s->free_edges * (size_t)s->tables->n; row++)
    wisp_hdg_leave(r, WISP_HDG_RESIDUAL, row, before[row] - alpha * Ap[row], fabs(before[row]) + fabs(alpha * Ap[row]));
  for (size_t row = 0; row < s->free_edges * (size_t)s->tables->n; row++) {
    const double value = gain * times_inverse(s, r, own, own_size, row, &size);
    size *= gain;
    wisp_hdg_leave(r, WISP_HDG_Z, row, value, size);
    rz += own[row] * value, rz_squares += own_size[row] * size * own_size[row] * size;
    rr += own[row] * own[row], rr_squares += own_size[row] * own_size[row] * own_size[row] * own_size[row];
  }
  wisp_hdg_leave(r, WISP_HDG_RZ_SUMS, 0, rz, sqrt(rz_squares));
  wisp_hdg_leave(r, WISP_HDG_RR_SUMS, 0, rr, sqrt(rr_squares));
  advance_state(r, alpha);
  return WISP_OK;
}

/* --- two levels --- */

static wisp_status residual(wisp_error *err, const wisp_hdg *s, wisp_round *r)
{
  const double *own = r->before[WISP_HDG_RESIDUAL];
  double size = 0;
  (void)err;
  for (size_t row = 0; row < s->free_edges * (size_t)s->tables->n; row++) {
    const double value = times(s, r->before[WISP_HDG_BLOCKS_SINGLE], r->before[WISP_HDG_Z], row, &size);
    wisp_hdg_leave(r, WISP_HDG_T, row, own[row] - value, fabs(own[row]) + size);
  }
  return WISP_OK;
}

static wisp_status smooth(wisp_error *err, const wisp_hdg *s, wisp_round *r)
{
  const double keep = wisp_hdg_scalar(r, "keep"), gain = wisp_hdg_scalar(r, "gain"), *z = r->before[WISP_HDG_Z];
  const double *last = wisp_hdg_scalar(r, "first_step") > 0 ? z : r->before[WISP_HDG_D], *t = r->before[WISP_HDG_T];
  OWNED(free) double *t_size = NULL;
  double rz = 0, squares = 0, size = 0;
  CALL(wisp_new(err, r->numbers[WISP_HDG_T], sizeof *t_size, &t_size));
  for (size_t i = 0; i < r->numbers[WISP_HDG_T]; i++) t_size[i] = fabs(t[i]);
  for (size_t row = 0; row < s->free_edges * (size_t)s->tables->n; row++) {
    const double step = keep * last[row] + gain * times_inverse(s, r, t, t_size, row, &size);
    const double step_size = keep * fabs(last[row]) + gain * size, own = r->before[WISP_HDG_RESIDUAL][row];
    if (wisp_hdg_scalar(r, "more") > 0) wisp_hdg_leave(r, WISP_HDG_D, row, step, step_size);
    wisp_hdg_leave(r, WISP_HDG_Z, row, z[row] + step, fabs(z[row]) + step_size);
    if (wisp_hdg_scalar(r, "summed") == 0) continue;
    rz += own * (z[row] + step);
    squares += own * (fabs(z[row]) + step_size) * own * (fabs(z[row]) + step_size);
  }
  wisp_hdg_leave(r, WISP_HDG_RZ_SUMS, 0, rz, sqrt(squares));
  return WISP_OK;
}

/* The trace on an element's edges, along the element. */
static void take_trace(const wisp_hdg *s, const wisp_round *r, size_t e, double *out)
{
  const size_t n = (size_t)s->tables->n;
  for (size_t q = 0; q < 3 * n; q++) {
    const int32_t edge = s->edge[3 * e + q / n];
    const bool is_free = (size_t)edge / 2 < s->free_edges;
    out[q] = wisp_hdg_sign(edge, (int)(q % n)) *
             r->before[is_free ? WISP_HDG_SOLUTION : WISP_HDG_GIVEN][(size_t)edge / 2 * n + q % n];
  }
}

static wisp_status recover(wisp_error *err, const wisp_hdg *s, wisp_round *r)
{
  const size_t Np = (size_t)s->tables->Np;
  double load[WISP_HDG_MAX_NP], trace[WISP_HDG_MAX_M];
  wisp_hdg_inside of;
  for (size_t e = 0; e < s->mesh->elements; e++) {
    const wisp_hdg_factors factors = factors_at(s, r, e);
    take(r->before[WISP_HDG_LOAD], Np, e, load);
    take_trace(s, r, e, trace);
    CALL(wisp_hdg_recover(err, s->tables, &factors, load, trace, &of));
    give(r, WISP_HDG_U, Np, e, of.u, of.u_size);
    give(r, WISP_HDG_FLUX, 2 * Np, e, of.p, of.p_size);
  }
  return WISP_OK;
}

static wisp_status postprocess(wisp_error *err, const wisp_hdg *s, wisp_round *r)
{
  const size_t Np = (size_t)s->tables->Np, Ns = (size_t)s->tables->Ns;
  double u[WISP_HDG_MAX_NP], p[2 * WISP_HDG_MAX_NP], ustar[WISP_HDG_MAX_NS], size[WISP_HDG_MAX_NS];
  for (size_t e = 0; e < s->mesh->elements; e++) {
    const wisp_hdg_factors factors = factors_at(s, r, e);
    take(r->before[WISP_HDG_U], Np, e, u);
    take(r->before[WISP_HDG_FLUX], 2 * Np, e, p);
    CALL(wisp_hdg_postprocess(err, s->tables, &factors, u, p, ustar, size));
    give(r, WISP_HDG_USTAR, Ns, e, ustar, size);
  }
  return WISP_OK;
}

wisp_status wisp_hdg_solve(wisp_error *err, wisp_round *r)
{
  static const struct {
    const char *kernel;
    wisp_status (*compute)(wisp_error *err, const wisp_hdg *s, wisp_round *r);
  } kernels[] = {{"condense", condense},
                 {"assemble", assemble},
                 {"build", build},
                 {"invert", invert},
                 {"multiply", multiply},
                 {"collect", collect},
                 {"apply", apply},
                 {"recover", recover},
                 {"residual", residual},
                 {"postprocess", postprocess},
                 {"precondition", precondition},
                 {"smooth", smooth}};
  for (size_t k = 0; k < WISP_COUNT(kernels); k++)
    if (strcmp(kernels[k].kernel, r->kernel->name) == 0) return kernels[k].compute(err, r->plain->self, r);
  return wisp_hdg_solve_coarse(err, r);
}
