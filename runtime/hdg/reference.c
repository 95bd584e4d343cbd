#include "reference_parts.h"
#include "../solve/cg.h"

#include <math.h>

/* A condensed matrix's upper half, and its load: m numbers, in the slabs of such data. */
static void put_condensed(size_t m, size_t e, const wisp_hdg_condensed *of, double *data, double *sizes)
{
  const size_t half = m * (m + 1) / 2;
  for (size_t i = 0; i < m; i++) {
    const size_t of_load = WISP_SLAB(half + m, e, half + i);
    for (size_t j = i; j < m; j++) {
      const size_t at = WISP_SLAB(half + m, e, wisp_hdg_half(m, i, j));
      data[at] = of->K[i * m + j], sizes[at] = of->K_size[i * m + j];
    }
    data[of_load] = of->b[i], sizes[of_load] = of->b_size[i];
  }
}

/* To the slabs of element_data, or to memory of its size; or of continuous elements, to those of theirs. */
static wisp_status condense_to(wisp_error *err, const wisp_hdg *s, const wisp_test_case *r, bool continuous,
                               double *data, double *sizes)
{
  const wisp_hdg_tables *t = s->tables;
  OWNED(free) wisp_hdg_condensed *of = NULL;
  double load[WISP_HDG_MAX_NP] = {0};
  CALL(wisp_new(err, 1, sizeof *of, &of));
  for (size_t e = 0; e < s->mesh->elements; e++) {
    const wisp_hdg_factors factors = wisp_hdg_factors_at(s, r, e);
    if (continuous) {
      wisp_hdg_take(r->before[WISP_HDG_INNER_LOAD], (size_t)t->inside, e, load);
      CALL(wisp_hdg_condense_continuous(err, t, &factors, load, of));
    } else {
      if (r->before[WISP_HDG_LOAD]) wisp_hdg_take(r->before[WISP_HDG_LOAD], (size_t)t->Np, e, load);
      CALL(wisp_hdg_condense(err, t, &factors, load, of));
    }
    put_condensed((size_t)(continuous ? t->around : t->m), e, of, data, sizes);
  }
  return WISP_OK;
}

static wisp_status condense(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  return condense_to(err, s, r, false, r->after[WISP_HDG_ELEMENT_DATA], r->size[WISP_HDG_ELEMENT_DATA]);
}

static wisp_status condense_continuous(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  return condense_to(err, s, r, true, r->after[WISP_HDG_CONTINUOUS_DATA], r->size[WISP_HDG_CONTINUOUS_DATA]);
}

static wisp_status assemble(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  (void)err;
  wisp_hdg_assemble(s, r->before[WISP_HDG_ELEMENT_DATA], r->before[WISP_HDG_GIVEN], r->after[WISP_HDG_BLOCKS],
                    r->after[WISP_HDG_B], r->size[WISP_HDG_BLOCKS], r->size[WISP_HDG_B]);
  return WISP_OK;
}

/* All of element_data, with a load of 0 where there is none; the caller frees it. */
static wisp_status condense_anew(wisp_error *err, const wisp_hdg *s, const wisp_test_case *r, double **data,
                                 double **sizes)
{
  const size_t m = (size_t)s->tables->m, count = (m * (m + 1) / 2 + m) * WISP_SLAB_SLOTS(s->mesh->elements);
  CALL(wisp_new(err, count, sizeof **data, data));
  CALL(wisp_new(err, count, sizeof **sizes, sizes));
  return condense_to(err, s, r, false, *data, *sizes);
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

/* A row of the blocks times a vector, and of the magnitudes. */
static double times(const wisp_hdg *s, const double *blocks, bool bfloat, const double *vector, size_t row,
                    double *size)
{
  const size_t n = (size_t)s->tables->n;
  double value = 0;
  *size = 0;
  for (int place = 0; place < WISP_HDG_ROW; place++) {
    const size_t other = wisp_hdg_free_column(s, row / n, place);
    for (size_t j = 0; j < n; j++) {
      const double kept = blocks[wisp_hdg_block_at(n, row / n, (size_t)place, row % n, j)];
      const double term = (bfloat ? wisp_hdg_of_half((uint16_t)kept) : kept) * vector[other * n + j];
      value += term, *size += fabs(term);
    }
  }
  return value;
}

static double apply_row(const wisp_hdg *s, const wisp_test_case *r, size_t row, double *size)
{
  return times(s, r->before[WISP_HDG_BLOCKS], false, r->before[WISP_HDG_P], row, size);
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
  const size_t parts = (size_t)wisp_hdg_scalar(r, "pAp_parts");
  const double *Ap = r->before[WISP_HDG_AP], *before = r->before[WISP_HDG_RESIDUAL];
  const double *state = r->before[WISP_HDG_STATE], weight = wisp_hdg_scalar(r, "gain");
  const double *own = r->after[WISP_HDG_RESIDUAL], *own_size = r->size[WISP_HDG_RESIDUAL];
  double pAp = 0, rz = 0, rr = 0, rz_squares = 0, rr_squares = 0, size = 0;
  (void)err;
  for (size_t i = 0; i < parts; i++) pAp += r->before[WISP_HDG_PAP_SUMS][i];
  const double alpha = state[WISP_CG_AT_RUNNING] > 0 && pAp > 0 ? state[WISP_CG_AT_RZ] / pAp : 0;
  for (size_t row = 0; row < s->free_edges * (size_t)s->tables->n; row++)
    wisp_hdg_leave(r, WISP_HDG_RESIDUAL, row, before[row] - alpha * Ap[row], fabs(before[row]) + fabs(alpha * Ap[row]));
  for (size_t row = 0; row < s->free_edges * (size_t)s->tables->n; row++) {
    const double value = weight * wisp_hdg_times_inverse(s, r, own, own_size, row, &size);
    size *= weight;
    if (wisp_hdg_scalar(r, "smoothed") > 0)
      wisp_hdg_leave(r, WISP_HDG_D, row, (float)value, size);
    else
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

/* The residual behind the last step, and its sizes. */
static wisp_status leave_residual(wisp_error *err, const wisp_hdg *s, const wisp_test_case *r, wisp_hdg_step *out)
{
  const size_t rows = s->free_edges * (size_t)s->tables->n;
  const double *own = r->before[wisp_hdg_scalar(r, "first_step") > 0 ? WISP_HDG_RESIDUAL : WISP_HDG_T];
  CALL(wisp_new(err, rows, sizeof *out->t, &out->t));
  CALL(wisp_new(err, rows, sizeof *out->t_size, &out->t_size));
  for (size_t row = 0; row < rows; row++) {
    out->t[row] =
        own[row] - times(s, r->before[WISP_HDG_BLOCKS_HALF], true, r->before[WISP_HDG_D], row, &out->t_size[row]);
    out->t_size[row] += fabs(own[row]);
  }
  return WISP_OK;
}

/* An edge's part of the coarse right-hand side at one of its ends: r by the coarse function, less by K times that z. */
static void leave_end(const wisp_hdg *s, wisp_test_case *r, size_t edge, size_t end)
{
  const size_t n = (size_t)s->tables->n, width = WISP_HDG_COARSE_ENDS;
  const double *z = r->before[wisp_hdg_scalar(r, "first_step") > 0 ? WISP_HDG_D : WISP_HDG_Z];
  double value = 0, size = 0;
  for (size_t i = 0; i < n; i++) {
    const double own =
        end < 2 && i < 2 ? wisp_hdg_coarse_weight((int)i, (int)end) * r->before[WISP_HDG_RESIDUAL][edge * n + i] : 0;
    const double term = r->before[WISP_HDG_LINES][WISP_SLAB(width * n, edge, i * width + end)] * z[edge * n + i];
    value += own - term, size += fabs(own) + fabs(term);
  }
  wisp_hdg_leave(r, WISP_HDG_END_PARTS, WISP_SLAB(width, edge, end), value, size);
}

static wisp_status residual(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  HELD(wisp_hdg_step_free) wisp_hdg_step step = {.t = NULL};
  CALL(leave_residual(err, s, r, &step));
  for (size_t row = 0; row < s->free_edges * (size_t)s->tables->n; row++)
    wisp_hdg_leave(r, WISP_HDG_T, row, (float)step.t[row], step.t_size[row]);
  for (size_t i = 0; i < s->free_edges * WISP_HDG_COARSE_ENDS; i++)
    leave_end(s, r, i / WISP_HDG_COARSE_ENDS, i % WISP_HDG_COARSE_ENDS);
  return WISP_OK;
}

static wisp_status smooth(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const double keep = wisp_hdg_scalar(r, "keep"), *d = r->before[WISP_HDG_D];
  const double *z = wisp_hdg_scalar(r, "first_step") > 0 ? d : r->before[WISP_HDG_Z];
  HELD(wisp_hdg_step_free) wisp_hdg_step step = {.d = WISP_HDG_D_NEXT};
  CALL(leave_residual(err, s, r, &step));
  for (size_t row = 0; row < s->free_edges * (size_t)s->tables->n; row++)
    wisp_hdg_smooth(s, r, &step, row, z[row], fabs(z[row]), keep * d[row]);
  wisp_hdg_leave(r, WISP_HDG_RZ_SUMS, 0, step.rz, sqrt(step.squares));
  return WISP_OK;
}

static wisp_status postprocess(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t Np = (size_t)s->tables->Np, Ns = (size_t)s->tables->Ns;
  double u[WISP_HDG_MAX_NP], p[2 * WISP_HDG_MAX_NP], ustar[WISP_HDG_MAX_NS], size[WISP_HDG_MAX_NS];
  for (size_t e = 0; e < s->mesh->elements; e++) {
    const wisp_hdg_factors factors = wisp_hdg_factors_at(s, r, e);
    wisp_hdg_take(r->before[WISP_HDG_U], Np, e, u);
    wisp_hdg_take(r->before[WISP_HDG_FLUX], 2 * Np, e, p);
    CALL(wisp_hdg_postprocess(err, s->tables, &factors, u, p, ustar, size));
    wisp_hdg_leave_slab(r, WISP_HDG_USTAR, Ns, e, ustar, size);
  }
  return WISP_OK;
}

/* u and its flux, and with `star` u*, whose sizes go by those of p. */
static wisp_status recover_fields(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, bool star)
{
  const wisp_hdg_tables *t = s->tables;
  double load[WISP_HDG_MAX_NP], trace[WISP_HDG_MAX_M];
  double ustar[WISP_HDG_MAX_NS], above[WISP_HDG_MAX_NS], size[WISP_HDG_MAX_NS];
  wisp_hdg_inside of;
  for (size_t e = 0; e < s->mesh->elements; e++) {
    const wisp_hdg_factors factors = wisp_hdg_factors_at(s, r, e);
    wisp_hdg_take(r->before[WISP_HDG_LOAD], (size_t)t->Np, e, load);
    wisp_hdg_trace_at(s, r, e, trace);
    CALL(wisp_hdg_recover(err, t, &factors, load, trace, &of));
    wisp_hdg_leave_inside(s, r, e, &of);
    if (!star) continue;
    CALL(wisp_hdg_postprocess(err, t, &factors, of.u_size, of.p_size, above, size));
    CALL(wisp_hdg_postprocess(err, t, &factors, of.u, of.p, ustar, above));
    wisp_hdg_leave_slab(r, WISP_HDG_USTAR, (size_t)t->Ns, e, ustar, size);
  }
  return WISP_OK;
}

static wisp_status recover(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  return recover_fields(err, s, r, false);
}

static wisp_status recover_star(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  return recover_fields(err, s, r, true);
}

/* b = given - (p . n - tau u) of both sides. */
static wisp_status outflow(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t Np = (size_t)s->tables->Np, n = (size_t)s->tables->n;
  const double *u = r->before[WISP_HDG_U], *flux = r->before[WISP_HDG_FLUX];
  (void)err;
  for (size_t row = 0; row < s->free_edges * n; row++) {
    const size_t edge = row / n, k = row % n;
    double value = r->before[WISP_HDG_GIVEN][row], size = fabs(value);
    for (size_t side = 0; side < 2; side++) {
      const int32_t face = s->side[2 * edge + side];
      if (face < 0) continue;
      const size_t e = (size_t)face / 3, l = (size_t)face % 3;
      const double tau[3] = {1, 1, 1};
      const wisp_hdg_triangle at = wisp_hdg_triangle_at(s, e, tau, 1, 0);
      const double *from = at.xy[l], *to = at.xy[(l + 1) % 3];
      const double a = r->before[WISP_HDG_TAU][WISP_SLAB(3, e, l)] * wisp_hdg_length(&at, (int)l) / 2;
      for (size_t i = 0; i < Np; i++) {
        const double mode = wisp_hdg_sign(s->edge[face], (int)k) * s->tables->F[l][i * n + k];
        const double terms[3] = {mode * (to[1] - from[1]) / 2 * flux[WISP_SLAB(2 * Np, e, i)],
                                 -mode * (to[0] - from[0]) / 2 * flux[WISP_SLAB(2 * Np, e, Np + i)],
                                 -mode * a * u[WISP_SLAB(Np, e, i)]};
        for (int c = 0; c < 3; c++) value -= terms[c], size += fabs(terms[c]);
      }
    }
    wisp_hdg_leave(r, WISP_HDG_B, row, value, size);
  }
  return WISP_OK;
}

/* By matrices that are made anew. */
static wisp_status multiply_unstored(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  OWNED(free) double *data = NULL, *sizes = NULL;
  CALL(condense_anew(err, s, r, &data, &sizes));
  wisp_hdg_multiply(s, r, data, sizes);
  return WISP_OK;
}

static const wisp_hdg_kernel_reference kernels[] = {{"condense", condense, NULL},
                                                    {"condense_continuous", condense_continuous, NULL},
                                                    {"assemble", assemble, NULL},
                                                    {"build", build, NULL},
                                                    {"invert", invert, NULL},
                                                    {"multiply_unstored", multiply_unstored, NULL},
                                                    {"apply", NULL, apply_row},
                                                    {"recover", recover, NULL},
                                                    {"recover_star", recover_star, NULL},
                                                    {"outflow", outflow, NULL},
                                                    {"residual", residual, NULL},
                                                    {"postprocess", postprocess, NULL},
                                                    {"precondition", precondition, NULL},
                                                    {"smooth", smooth, NULL}};

wisp_status wisp_hdg_reference(wisp_error *err, wisp_test_case *r)
{
  static const wisp_hdg_kernel_references own = {WISP_COUNT(kernels), kernels};
  static const wisp_hdg_kernel_references *const lists[] = {&own, &wisp_hdg_scatter_references,
                                                            &wisp_hdg_inside_references, &wisp_hdg_coarse_references};
  const wisp_hdg *s = r->discretisation->self;
  for (size_t i = 0; i < WISP_COUNT(lists); i++)
    for (const wisp_hdg_kernel_reference *of = lists[i]->list; of < lists[i]->list + lists[i]->count; of++) {
      if (strcmp(of->kernel, r->kernel->name) != 0) continue;
      if (of->compute) return of->compute(err, s, r);
      wisp_hdg_leave_product(s, r, of->row);
      return WISP_OK;
    }
  return wisp_fail(err, WISP_EUSAGE, "no reference for kernel '%s'", r->kernel->name);
}
