/* References of the paper's batches: what of an element is kept in memory, and what is made of it. */
#include "reference_parts.h"

enum { NP = WISP_HDG_MAX_NP, M = WISP_HDG_MAX_M };

/* The upper half of a matrix of size Np that is an element's, both ways round. */
static void take_half(const double *array, size_t Np, size_t e, double *out)
{
  for (size_t q = 0; q < Np * Np; q++)
    out[q] = array[WISP_SLAB(Np * (Np + 1) / 2, e, wisp_hdg_half(Np, q / Np, q % Np))];
}

static void give_half(wisp_test_case *r, int array, size_t Np, size_t e, const double *values, const double *sizes)
{
  for (size_t i = 0; i < Np; i++)
    for (size_t j = i; j < Np; j++)
      wisp_hdg_leave(r, array, WISP_SLAB(Np * (Np + 1) / 2, e, wisp_hdg_half(Np, i, j)), values[i * Np + j],
                     sizes[i * Np + j]);
}

static wisp_status build_inside(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e)
{
  const size_t Np = (size_t)s->tables->Np;
  const wisp_hdg_factors factors = wisp_hdg_factors_at(s, r, e);
  wisp_hdg_bordered of[2];
  (void)err;
  wisp_hdg_border(s->tables, &factors, of);
  give_half(r, WISP_HDG_INSIDE_MATRIX, Np, e, of[0].S, of[1].S);
  wisp_hdg_leave_slab(r, WISP_HDG_INSIDE_BORDER, Np * (size_t)s->tables->m, e, of[0].R, of[1].R);
  return WISP_OK;
}

/* |A| |B| |A|, of which A is symmetric. */
static void size_between(size_t n, const double *A, const double *B, double *out)
{
  double half[NP * NP];
  for (size_t q = 0; q < n * n; q++) {
    half[q] = 0;
    for (size_t k = 0; k < n; k++) half[q] += fabs(A[q / n * n + k] * B[k * n + q % n]);
  }
  for (size_t q = 0; q < n * n; q++) {
    out[q] = 0;
    for (size_t k = 0; k < n; k++) out[q] += half[q / n * n + k] * fabs(A[k * n + q % n]);
  }
}

/* An element's matrix S, and L^T of S = L L^T in the upper half of U. */
static wisp_status factor(wisp_error *err, const wisp_test_case *r, int Np, size_t e, double *S, double *U,
                          const wisp_lapack **lapack)
{
  take_half(r->before[WISP_HDG_INSIDE_MATRIX], (size_t)Np, e, S);
  memcpy(U, S, (size_t)(Np * Np) * sizeof *U);
  CALL(wisp_lapack_load(err, lapack));
  const int info = (int)(*lapack)->dpotrf(LAPACK_ROW_MAJOR, 'U', Np, U, Np);
  return wisp_require(err, info == 0, WISP_EWRONG, "element %zu's matrix has no factor (info %d)", e, info);
}

static wisp_status invert_inside(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e)
{
  const int Np = s->tables->Np;
  const wisp_lapack *lapack = NULL;
  double S[NP * NP], Z[NP * NP], sizes[NP * NP];
  CALL(factor(err, r, Np, e, S, Z, &lapack));
  lapack->dpotri(LAPACK_ROW_MAJOR, 'U', Np, Z, Np);
  for (int q = 0; q < Np * Np; q++)
    if (q / Np > q % Np) Z[q] = Z[q % Np * Np + q / Np];
  size_between((size_t)Np, Z, S, sizes);
  give_half(r, WISP_HDG_INSIDE_INVERSE, (size_t)Np, e, Z, sizes);
  return WISP_OK;
}

/* The kept form: one over the diagonal. An entry of L^T goes by what was taken off S's, over its row's root. */
static wisp_status factor_inside(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e)
{
  const int Np = s->tables->Np;
  const wisp_lapack *lapack = NULL;
  double S[NP * NP], U[NP * NP], sizes[NP * NP];
  CALL(factor(err, r, Np, e, S, U, &lapack));
  for (int i = 0; i < Np; i++)
    for (int j = i; j < Np; j++) {
      double sum = fabs(S[i * Np + j]);
      for (int k = 0; k < i; k++) sum += fabs(U[k * Np + i] * U[k * Np + j]);
      sizes[i * Np + j] =
          sum / U[i * Np + i] + (i < j ? fabs(U[i * Np + j]) * S[i * Np + i] / U[i * Np + i] / U[i * Np + i] : 0);
    }
  for (int i = 0; i < Np; i++) {
    const double over = 1 / U[i * Np + i];
    sizes[i * Np + i] *= over * over;
    U[i * Np + i] = over;
  }
  give_half(r, WISP_HDG_INSIDE_FACTOR, (size_t)Np, e, U, sizes);
  return WISP_OK;
}

/* sum over k of A_ik B_kj of `count` terms. */
static wisp_hdg_sum product(const double *A, const double *B, size_t step, size_t count)
{
  wisp_hdg_sum sum = {0};
  for (size_t k = 0; k < count; k++) wisp_hdg_add(&sum, A[k] * B[k * step]);
  return sum;
}

static wisp_status multiply_inside(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e)
{
  const size_t Np = (size_t)s->tables->Np, m = (size_t)s->tables->m, width = m * (m + 1) / 2 + m;
  const wisp_hdg_factors factors = wisp_hdg_factors_at(s, r, e);
  double Z[NP * NP], R[NP * M];
  wisp_hdg_sum U[NP * M];
  wisp_hdg_bordered of[2];
  (void)err;
  wisp_hdg_border(s->tables, &factors, of);
  take_half(r->before[WISP_HDG_INSIDE_INVERSE], Np, e, Z);
  wisp_hdg_take(r->before[WISP_HDG_INSIDE_BORDER], Np * m, e, R);
  for (size_t q = 0; q < Np * m; q++) {
    U[q] = product(Z + q / m * Np, R + q % m, m, Np);
    wisp_hdg_leave_sum(r, WISP_HDG_INSIDE_SOLVED, WISP_SLAB(Np * m, e, q), U[q]);
  }
  for (size_t i = 0; i < m; i++) {
    wisp_hdg_sum right = {0};
    for (size_t k = 0; k < Np; k++) {
      const double f = r->before[WISP_HDG_LOAD][WISP_SLAB(Np, e, k)];
      right.value += U[k * m + i].value * f, right.size += U[k * m + i].size * fabs(f);
    }
    wisp_hdg_leave_sum(r, WISP_HDG_ELEMENT_DATA, WISP_SLAB(width, e, width - m + i), right);
    for (size_t j = i; j < m; j++) {
      wisp_hdg_sum entry = {of[0].K[i * m + j], of[1].K[i * m + j]};
      for (size_t k = 0; k < Np; k++) {
        entry.value -= R[k * m + i] * U[k * m + j].value;
        entry.size += fabs(R[k * m + i]) * U[k * m + j].size;
      }
      wisp_hdg_leave_sum(r, WISP_HDG_ELEMENT_DATA, WISP_SLAB(width, e, wisp_hdg_half(m, i, j)), entry);
    }
  }
  return WISP_OK;
}

/* --- recovered of it --- */

static wisp_status recover_stored(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e)
{
  const size_t Np = (size_t)s->tables->Np, m = (size_t)s->tables->m;
  const wisp_hdg_factors factors = wisp_hdg_factors_at(s, r, e);
  double Z[NP * NP], t[M];
  wisp_hdg_inside of = {.u = {0}};
  (void)err;
  take_half(r->before[WISP_HDG_INSIDE_INVERSE], Np, e, Z);
  wisp_hdg_trace_at(s, r, e, t);
  for (size_t i = 0; i < Np; i++)
    for (size_t k = 0; k < Np + m; k++) {
      const double term = k < Np ? Z[i * Np + k] * r->before[WISP_HDG_LOAD][WISP_SLAB(Np, e, k)]
                                 : r->before[WISP_HDG_INSIDE_SOLVED][WISP_SLAB(Np * m, e, i * m + k - Np)] * t[k - Np];
      of.u[i] += term, of.u_size[i] += fabs(term);
    }
  wisp_hdg_flux(s->tables, &factors, t, &of);
  wisp_hdg_leave_inside(s, r, e, &of);
  return WISP_OK;
}

/* x = L^-T L^-1 x, of L^T that has one over its diagonal there; sizes go through the same with magnitudes added. */
static void substitute(size_t Np, const double *factor, double *x, double *size)
{
  for (size_t i = 0; i < Np; i++) {
    for (size_t k = 0; k < i; k++) {
      x[i] -= factor[k * Np + i] * x[k];
      size[i] += fabs(factor[k * Np + i]) * size[k];
    }
    x[i] *= factor[i * Np + i], size[i] *= fabs(factor[i * Np + i]);
  }
  for (size_t i = Np; i-- > 0;) {
    for (size_t k = i + 1; k < Np; k++) {
      x[i] -= factor[i * Np + k] * x[k];
      size[i] += fabs(factor[i * Np + k]) * size[k];
    }
    x[i] *= factor[i * Np + i], size[i] *= fabs(factor[i * Np + i]);
  }
}

static wisp_status recover_factored(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e)
{
  const size_t Np = (size_t)s->tables->Np, m = (size_t)s->tables->m;
  const wisp_hdg_factors factors = wisp_hdg_factors_at(s, r, e);
  double L[NP * NP], t[M];
  wisp_hdg_bordered of[2];
  wisp_hdg_inside fields = {.u = {0}};
  (void)err;
  wisp_hdg_border(s->tables, &factors, of);
  take_half(r->before[WISP_HDG_INSIDE_FACTOR], Np, e, L);
  wisp_hdg_trace_at(s, r, e, t);
  for (size_t i = 0; i < Np; i++) {
    const double load = r->before[WISP_HDG_LOAD][WISP_SLAB(Np, e, i)];
    fields.u[i] = load + product(of[0].R + i * m, t, 1, m).value;
    fields.u_size[i] = fabs(load) + product(of[1].R + i * m, t, 1, m).size;
  }
  substitute(Np, L, fields.u, fields.u_size);
  wisp_hdg_flux(s->tables, &factors, t, &fields);
  wisp_hdg_leave_inside(s, r, e, &fields);
  return WISP_OK;
}

/* --- the paper's matrix of numbers --- */

/* The blocks', number by number. */
static wisp_status assemble_scalar(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t n = (size_t)s->tables->n, width = WISP_HDG_ROW * n;
  const size_t numbers = width * n * WISP_SLAB_SLOTS(s->free_edges);
  OWNED(free) double *blocks = NULL, *sizes = NULL;
  CALL(wisp_new(err, numbers, sizeof *blocks, &blocks));
  CALL(wisp_new(err, numbers, sizeof *sizes, &sizes));
  wisp_hdg_assemble(s, r->before[WISP_HDG_ELEMENT_DATA], r->before[WISP_HDG_GIVEN], blocks, r->after[WISP_HDG_B], sizes,
                    r->size[WISP_HDG_B]);
  for (size_t i = 0; i < width * n * s->free_edges; i++) {
    const size_t row = i / width, place = i % width;
    const size_t from = wisp_hdg_block_at(n, row / n, place / n, row % n, place % n);
    wisp_hdg_leave(r, WISP_HDG_SCALAR_ROWS, WISP_SLAB(width, row, place), blocks[from], sizes[from]);
  }
  return WISP_OK;
}

static wisp_hdg_sum apply_scalar_row(const wisp_hdg *s, const wisp_test_case *r, size_t row)
{
  const size_t n = (size_t)s->tables->n, width = WISP_HDG_ROW * n;
  wisp_hdg_sum sum = {0};
  for (size_t place = 0; place < width; place++) {
    const size_t other = wisp_hdg_free_column(s, row / n, (int)(place / n));
    wisp_hdg_add(&sum, r->before[WISP_HDG_SCALAR_ROWS][WISP_SLAB(width, row, place)] *
                           r->before[WISP_HDG_P][other * n + place % n]);
  }
  return sum;
}

const wisp_hdg_kernel_reference wisp_hdg_inside_references[] = {{"build_inside", .element = build_inside},
                                                                {"invert_inside", .element = invert_inside},
                                                                {"factor_inside", .element = factor_inside},
                                                                {"multiply_inside", .element = multiply_inside},
                                                                {"recover_stored", .element = recover_stored},
                                                                {"recover_factored", .element = recover_factored},
                                                                {"assemble_scalar", .compute = assemble_scalar},
                                                                {"apply_scalar", .row = apply_scalar_row},
                                                                {.kernel = NULL}};
