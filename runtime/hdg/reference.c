#include "reference_parts.h"
#include "../solve/cg.h"

/* An element's condensed matrix and load, or those of a continuous element, to the slabs of such data. */
static wisp_status condense_to(wisp_error *err, const wisp_hdg *s, const wisp_test_case *r, size_t e, bool continuous,
                               double *data, double *sizes)
{
  const wisp_hdg_tables *t = s->tables;
  const wisp_hdg_factors factors = wisp_hdg_factors_at(s, r, e);
  const size_t m = (size_t)(continuous ? t->around : t->m), half = m * (m + 1) / 2;
  const double *loads = r->before[continuous ? WISP_HDG_INNER_LOAD : WISP_HDG_LOAD];
  double load[WISP_HDG_MAX_NP] = {0};
  wisp_hdg_condensed of;
  if (loads) wisp_hdg_take(loads, (size_t)(continuous ? t->inside : t->Np), e, load);
  CALL((continuous ? wisp_hdg_condense_continuous : wisp_hdg_condense)(err, t, &factors, load, &of));
  for (size_t i = 0; i < m; i++) {
    const size_t of_load = WISP_SLAB(half + m, e, half + i);
    for (size_t j = i; j < m; j++) {
      const size_t at = WISP_SLAB(half + m, e, wisp_hdg_half(m, i, j));
      data[at] = of.K[i * m + j], sizes[at] = of.K_size[i * m + j];
    }
    data[of_load] = of.b[i], sizes[of_load] = of.b_size[i];
  }
  return WISP_OK;
}

static wisp_status condense(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e)
{
  return condense_to(err, s, r, e, false, r->after[WISP_HDG_ELEMENT_DATA], r->size[WISP_HDG_ELEMENT_DATA]);
}

static wisp_status condense_continuous(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e)
{
  return condense_to(err, s, r, e, true, r->after[WISP_HDG_CONTINUOUS_DATA], r->size[WISP_HDG_CONTINUOUS_DATA]);
}

static void assemble(const wisp_hdg *s, wisp_test_case *r)
{
  wisp_hdg_assemble(s, r->before[WISP_HDG_ELEMENT_DATA], r->before[WISP_HDG_GIVEN], r->after[WISP_HDG_BLOCKS],
                    r->after[WISP_HDG_B], r->size[WISP_HDG_BLOCKS], r->size[WISP_HDG_B]);
}

/* NaN in place of an element's. */
static void put_nothing(size_t m, size_t e, double *data, double *sizes)
{
  const size_t width = m * (m + 1) / 2 + m;
  for (size_t i = 0; i < width; i++) data[WISP_SLAB(width, e, i)] = sizes[WISP_SLAB(width, e, i)] = NAN;
}

/* All of element_data, with a load of 0 where there is none; the caller frees it. */
static wisp_status condense_anew(wisp_error *err, const wisp_hdg *s, const wisp_test_case *r, double **data,
                                 double **sizes)
{
  const size_t m = (size_t)s->tables->m, count = (m * (m + 1) / 2 + m) * WISP_SLAB_SLOTS(s->mesh->elements);
  CALL(wisp_new(err, count, sizeof **data, data));
  CALL(wisp_new(err, count, sizeof **sizes, sizes));
  for (size_t e = 0; e < s->mesh->elements; e++)
    if (wisp_hdg_skips(s, e))
      put_nothing(m, e, *data, *sizes);
    else
      CALL(condense_to(err, s, r, e, false, *data, *sizes));
  return WISP_OK;
}

/* Condensed, then assembled; sizes go the same way. */
static wisp_status build(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t numbers[2] = {r->numbers[WISP_HDG_BLOCKS], r->numbers[WISP_HDG_B]};
  OWNED(free) double *data = NULL, *sizes = NULL, *absolute = NULL, *blocks = NULL, *b = NULL, *unused = NULL;
  CALL(condense_anew(err, s, r, &data, &sizes));
  CALL(wisp_new(err, r->numbers[WISP_HDG_GIVEN], sizeof *absolute, &absolute));
  CALL(wisp_new(err, numbers[0], sizeof *blocks, &blocks));
  CALL(wisp_new(err, numbers[1], sizeof *b, &b));
  CALL(wisp_new(err, numbers[0] + numbers[1], sizeof *unused, &unused));
  for (size_t i = 0; i < r->numbers[WISP_HDG_GIVEN]; i++) absolute[i] = fabs(r->before[WISP_HDG_GIVEN][i]);
  wisp_hdg_assemble(s, sizes, absolute, blocks, b, r->size[WISP_HDG_BLOCKS], r->size[WISP_HDG_B]);
  wisp_hdg_assemble(s, data, r->before[WISP_HDG_GIVEN], r->after[WISP_HDG_BLOCKS], r->after[WISP_HDG_B], unused,
                    unused + numbers[0]);
  return WISP_OK;
}

/* As float, which they are in either precision. */
static wisp_status invert(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t n = (size_t)s->tables->n;
  const double *blocks = r->before[WISP_HDG_BLOCKS];
  double A[WISP_HDG_MAX_N * WISP_HDG_MAX_N];
  const wisp_lapack *lapack = NULL;
  CALL(wisp_lapack_load(err, &lapack));
  for (size_t edge = 0; edge < s->free_edges; edge++) {
    for (size_t i = 0; i < n * n; i++) A[i] = blocks[wisp_hdg_block_at(n, edge, 0, i / n, i % n)];
    for (size_t i = 0; i < n; i++) {
      const double over = (float)(1 / A[i * n + i]);
      wisp_hdg_leave(r, WISP_HDG_INVERSE, edge * n + i, over, over);
    }
    const int info = (int)lapack->dpotrf(LAPACK_ROW_MAJOR, 'U', (int)n, A, (int)n);
    CALL(wisp_require(err, info == 0, WISP_EWRONG, "edge %zu's block has no inverse (info %d)", edge, info));
    lapack->dpotri(LAPACK_ROW_MAJOR, 'U', (int)n, A, (int)n);
    for (size_t i = 0; i < n; i++)
      for (size_t j = i; j < n; j++)
        wisp_hdg_leave(r, WISP_HDG_INVERSES, WISP_SLAB(n * (n + 1) / 2, edge, wisp_hdg_half(n, i, j)),
                       (float)A[i * n + j], sqrt(A[i * n + i] * A[j * n + j]));
  }
  return WISP_OK;
}

/* A row of the blocks times a vector. */
static wisp_hdg_sum times(const wisp_hdg *s, const double *blocks, bool bfloat, const double *vector, size_t row)
{
  const size_t n = (size_t)s->tables->n;
  wisp_hdg_sum sum = {0};
  for (int place = 0; place < WISP_HDG_ROW; place++) {
    const size_t other = wisp_hdg_free_column(s, row / n, place);
    for (size_t j = 0; j < n; j++) {
      const double kept = blocks[wisp_hdg_block_at(n, row / n, (size_t)place, row % n, j)];
      wisp_hdg_add(&sum, (bfloat ? wisp_hdg_of_half((uint16_t)kept) : kept) * vector[other * n + j]);
    }
  }
  return sum;
}

static wisp_hdg_sum apply_row(const wisp_hdg *s, const wisp_test_case *r, size_t row)
{
  return times(s, r->before[WISP_HDG_BLOCKS], false, r->before[WISP_HDG_P], row);
}

static void advance_state(wisp_test_case *r, double alpha)
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

static wisp_status precondition(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t rows = s->free_edges * (size_t)s->tables->n, parts = (size_t)wisp_hdg_scalar(r, "pAp_parts");
  const double *state = r->before[WISP_HDG_STATE], weight = wisp_hdg_scalar(r, "gain");
  const bool smoothed = wisp_hdg_scalar(r, "smoothed") > 0;
  OWNED(free) wisp_hdg_sum *own = NULL;
  wisp_total rz = {0}, rr = {0};
  double pAp = 0;
  CALL(wisp_new(err, rows, sizeof *own, &own));
  for (size_t i = 0; i < parts; i++) pAp += r->before[WISP_HDG_PAP_SUMS][i];
  const double alpha = state[WISP_CG_AT_RUNNING] > 0 && pAp > 0 ? state[WISP_CG_AT_RZ] / pAp : 0;
  for (size_t row = 0; row < rows; row++) {
    wisp_hdg_add(&own[row], r->before[WISP_HDG_RESIDUAL][row]);
    wisp_hdg_add(&own[row], -alpha * r->before[WISP_HDG_AP][row]);
    wisp_hdg_leave_sum(r, WISP_HDG_RESIDUAL, row, own[row]);
  }
  for (size_t row = 0; row < rows; row++) {
    const wisp_hdg_sum by = wisp_hdg_times_inverse(s, r, own, row), z = {weight * by.value, weight * by.size};
    wisp_hdg_leave(r, smoothed ? WISP_HDG_D : WISP_HDG_Z, row, smoothed ? (float)z.value : z.value, z.size);
    wisp_total_add(&rz, own[row].value * z.value, own[row].size * z.size);
    wisp_total_add(&rr, own[row].value * own[row].value, own[row].size * own[row].size);
  }
  wisp_hdg_leave_total(r, WISP_HDG_RZ_SUMS, &rz);
  wisp_hdg_leave_total(r, WISP_HDG_RR_SUMS, &rr);
  advance_state(r, alpha);
  return WISP_OK;
}

/* --- two levels --- */

/* The residual behind the last step, of each row; the caller frees it. */
static wisp_status make_residual(wisp_error *err, const wisp_hdg *s, const wisp_test_case *r, wisp_hdg_sum **out)
{
  const size_t rows = s->free_edges * (size_t)s->tables->n;
  const double *own = r->before[wisp_hdg_scalar(r, "first_step") > 0 ? WISP_HDG_RESIDUAL : WISP_HDG_T];
  CALL(wisp_new(err, rows, sizeof **out, out));
  for (size_t row = 0; row < rows; row++) {
    const wisp_hdg_sum Kd = times(s, r->before[WISP_HDG_BLOCKS_HALF], true, r->before[WISP_HDG_D], row);
    (*out)[row] = (wisp_hdg_sum){own[row] - Kd.value, Kd.size + fabs(own[row])};
  }
  return WISP_OK;
}

/* An edge's part of the coarse right-hand side at one of its ends: r by the coarse function, less by K times that z. */
static void leave_end(const wisp_hdg *s, wisp_test_case *r, size_t edge, size_t end)
{
  const size_t n = (size_t)s->tables->n, width = WISP_HDG_COARSE_ENDS;
  const double *z = r->before[wisp_hdg_scalar(r, "first_step") > 0 ? WISP_HDG_D : WISP_HDG_Z];
  wisp_hdg_sum sum = {0};
  for (size_t i = 0; i < n; i++) {
    if (end < 2 && i < 2)
      wisp_hdg_add(&sum, wisp_hdg_coarse_weight((int)i, (int)end) * r->before[WISP_HDG_RESIDUAL][edge * n + i]);
    wisp_hdg_add(&sum, -r->before[WISP_HDG_LINES][WISP_SLAB(width * n, edge, i * width + end)] * z[edge * n + i]);
  }
  wisp_hdg_leave_sum(r, WISP_HDG_END_PARTS, WISP_SLAB(width, edge, end), sum);
}

static wisp_status residual(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  OWNED(free) wisp_hdg_sum *t = NULL;
  CALL(make_residual(err, s, r, &t));
  for (size_t row = 0; row < s->free_edges * (size_t)s->tables->n; row++)
    wisp_hdg_leave(r, WISP_HDG_T, row, (float)t[row].value, t[row].size);
  for (size_t i = 0; i < s->free_edges * WISP_HDG_COARSE_ENDS; i++)
    leave_end(s, r, i / WISP_HDG_COARSE_ENDS, i % WISP_HDG_COARSE_ENDS);
  return WISP_OK;
}

static wisp_status smooth(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const double keep = wisp_hdg_scalar(r, "keep"), *d = r->before[WISP_HDG_D];
  const double *z = wisp_hdg_scalar(r, "first_step") > 0 ? d : r->before[WISP_HDG_Z];
  OWNED(free) wisp_hdg_sum *t = NULL;
  CALL(make_residual(err, s, r, &t));
  wisp_hdg_step step = {.t = t, .d = WISP_HDG_D_NEXT};
  for (size_t row = 0; row < s->free_edges * (size_t)s->tables->n; row++)
    wisp_hdg_smooth(s, r, &step, row, (wisp_hdg_sum){z[row], fabs(z[row])}, keep * d[row]);
  wisp_hdg_leave_total(r, WISP_HDG_RZ_SUMS, &step.rz);
  return WISP_OK;
}

static wisp_status postprocess(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e)
{
  const size_t Np = (size_t)s->tables->Np, Ns = (size_t)s->tables->Ns;
  const wisp_hdg_factors factors = wisp_hdg_factors_at(s, r, e);
  double u[WISP_HDG_MAX_NP], p[2 * WISP_HDG_MAX_NP], ustar[WISP_HDG_MAX_NS], size[WISP_HDG_MAX_NS];
  wisp_hdg_take(r->before[WISP_HDG_U], Np, e, u);
  wisp_hdg_take(r->before[WISP_HDG_FLUX], 2 * Np, e, p);
  CALL(wisp_hdg_postprocess(err, s->tables, &factors, u, p, ustar, size));
  wisp_hdg_leave_slab(r, WISP_HDG_USTAR, Ns, e, ustar, size);
  return WISP_OK;
}

/* Leaves u and its flux, and gives them. */
static wisp_status recover_inside(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e,
                                  const wisp_hdg_factors *factors, wisp_hdg_inside *of)
{
  double load[WISP_HDG_MAX_NP], trace[WISP_HDG_MAX_M];
  wisp_hdg_take(r->before[WISP_HDG_LOAD], (size_t)s->tables->Np, e, load);
  wisp_hdg_trace_at(s, r, e, trace);
  CALL(wisp_hdg_recover(err, s->tables, factors, load, trace, of));
  wisp_hdg_leave_inside(s, r, e, of);
  return WISP_OK;
}

static wisp_status recover(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e)
{
  const wisp_hdg_factors factors = wisp_hdg_factors_at(s, r, e);
  wisp_hdg_inside of;
  return recover_inside(err, s, r, e, &factors, &of);
}

/* The same and u*, whose sizes go by those of p. */
static wisp_status recover_star(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e)
{
  const wisp_hdg_factors factors = wisp_hdg_factors_at(s, r, e);
  double ustar[WISP_HDG_MAX_NS], above[WISP_HDG_MAX_NS], size[WISP_HDG_MAX_NS];
  wisp_hdg_inside of;
  CALL(recover_inside(err, s, r, e, &factors, &of));
  CALL(wisp_hdg_postprocess(err, s->tables, &factors, of.u_size, of.p_size, above, size));
  CALL(wisp_hdg_postprocess(err, s->tables, &factors, of.u, of.p, ustar, above));
  wisp_hdg_leave_slab(r, WISP_HDG_USTAR, (size_t)s->tables->Ns, e, ustar, size);
  return WISP_OK;
}

/* b = given - (p . n - tau u) of both sides. */
static void outflow(const wisp_hdg *s, wisp_test_case *r)
{
  static const double tau[3] = {1, 1, 1};
  const size_t Np = (size_t)s->tables->Np, n = (size_t)s->tables->n;
  const double *u = r->before[WISP_HDG_U], *flux = r->before[WISP_HDG_FLUX];
  for (size_t row = 0; row < s->free_edges * n; row++) {
    const size_t k = row % n;
    wisp_hdg_sum sum = {0};
    wisp_hdg_add(&sum, r->before[WISP_HDG_GIVEN][row]);
    for (size_t side = 0; side < 2; side++) {
      const int32_t face = s->side[2 * (row / n) + side];
      if (face < 0) continue;
      const size_t e = (size_t)face / 3, l = (size_t)face % 3;
      const wisp_hdg_triangle at = wisp_hdg_triangle_at(s, e, tau, 1, 0);
      const double *from = at.xy[l], *to = at.xy[(l + 1) % 3];
      const double a = r->before[WISP_HDG_TAU][WISP_SLAB(3, e, l)] * wisp_hdg_length(&at, (int)l) / 2;
      for (size_t i = 0; i < Np; i++) {
        const double mode = wisp_hdg_sign(s->edge[face], (int)k) * s->tables->F[l][i * n + k];
        wisp_hdg_add(&sum, -mode * (to[1] - from[1]) / 2 * flux[WISP_SLAB(2 * Np, e, i)]);
        wisp_hdg_add(&sum, mode * (to[0] - from[0]) / 2 * flux[WISP_SLAB(2 * Np, e, Np + i)]);
        wisp_hdg_add(&sum, mode * a * u[WISP_SLAB(Np, e, i)]);
      }
    }
    wisp_hdg_leave_sum(r, WISP_HDG_B, row, sum);
  }
}

/* --- assembling by elements, and multiplying by groups of them --- */

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

/* The trace p on an element's edges, along the element; 0 where it is given. */
static double along(const wisp_hdg *s, const double *p, size_t e, size_t q)
{
  const size_t n = (size_t)s->tables->n;
  const int32_t edge = s->edge[3 * e + q / n];
  if ((size_t)edge / 2 >= s->free_edges) return 0;
  return wisp_hdg_sign(edge, (int)(q % n)) * p[(size_t)edge / 2 * n + q % n];
}

/* Products of all elements by their matrices, upper halves in slabs, and the sizes of these; NULL: their magnitudes. */
static void multiply_by(const wisp_hdg *s, wisp_test_case *r, const double *data, const double *sizes)
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
  multiply_by(s, r, r->before[WISP_HDG_ELEMENT_DATA], NULL);
}

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
  multiply_by(s, r, r->before[WISP_HDG_ELEMENT_DATA], NULL);
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

/* By matrices that are made anew. */
static wisp_status multiply_unstored(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  OWNED(free) double *data = NULL, *sizes = NULL;
  CALL(condense_anew(err, s, r, &data, &sizes));
  multiply_by(s, r, data, sizes);
  return WISP_OK;
}

static const wisp_hdg_kernel_reference kernels[] = {{"condense", .element = condense},
                                                    {"condense_continuous", .element = condense_continuous},
                                                    {"assemble", .leave = assemble},
                                                    {"build", .compute = build},
                                                    {"invert", .compute = invert},
                                                    {"multiply_unstored", .compute = multiply_unstored},
                                                    {"apply", .row = apply_row},
                                                    {"recover", .element = recover},
                                                    {"recover_star", .element = recover_star},
                                                    {"outflow", .leave = outflow},
                                                    {"residual", .compute = residual},
                                                    {"postprocess", .element = postprocess},
                                                    {"precondition", .compute = precondition},
                                                    {"smooth", .compute = smooth},
                                                    {"clear_blocks", .leave = clear_blocks},
                                                    {"scatter", .leave = scatter},
                                                    {"multiply", .leave = multiply},
                                                    {"multiply_grouped", .compute = multiply_grouped},
                                                    {"collect", .row = collect_row},
                                                    {"collect_grouped", .row = collect_grouped_row},
                                                    {.kernel = NULL}};

static const wisp_hdg_kernel_reference *find_reference(const char *kernel)
{
  static const wisp_hdg_kernel_reference *const lists[] = {kernels, wisp_hdg_inside_references,
                                                           wisp_hdg_coarse_references};
  for (size_t i = 0; i < WISP_COUNT(lists); i++)
    for (const wisp_hdg_kernel_reference *of = lists[i]; of->kernel; of++)
      if (strcmp(of->kernel, kernel) == 0) return of;
  return NULL;
}

wisp_status wisp_hdg_reference(wisp_error *err, wisp_test_case *r)
{
  const wisp_hdg *s = r->discretisation->self;
  const wisp_hdg_kernel_reference *of = find_reference(r->kernel->name);
  wisp_total pAp = {0};
  CALL(wisp_require(err, of, WISP_EUSAGE, "no reference for kernel '%s'", r->kernel->name));
  if (of->compute) return of->compute(err, s, r);
  if (of->leave) of->leave(s, r);
  for (size_t e = 0; of->element && e < s->mesh->elements; e++)
    if (!wisp_hdg_skips(s, e)) CALL(of->element(err, s, r, e));
  for (size_t row = 0; of->row && row < s->free_edges * (size_t)s->tables->n; row++) {
    const wisp_hdg_sum Ap = of->row(s, r, row);
    const double p = r->before[WISP_HDG_P][row];
    wisp_hdg_leave_sum(r, WISP_HDG_AP, row, Ap);
    wisp_total_add(&pAp, p * Ap.value, p * Ap.size);
  }
  if (of->row) wisp_hdg_leave_total(r, WISP_HDG_PAP_SUMS, &pAp);
  return WISP_OK;
}
