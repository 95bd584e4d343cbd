#include "rivals.h"
#include "../../runtime/batched.h"
#include "../../runtime/hdg/hdg.h"
#include "../../runtime/spmv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- condensed matrices: seven tables, a_0, a_1, a_2, G_rr, G_rs, G_ss and lambda J --- */

enum { TERMS = 7, SAMPLE = 16 };

/* S, R and K_F of a term, column by column. */
static void fill_table(const wisp_hdg_tables *t, int term, double *to)
{
  const int Np = t->Np, n = t->n, m = t->m;
  double *R = to + Np * Np, *K = R + Np * m;
  for (int q = 0; q < Np * Np; q++) to[q] = term < WISP_HDG_S ? t->S[term][q] : q % (Np + 1) == 0;
  for (int q = 0; q < Np * m && term < WISP_HDG_S; q++) {
    const int k = q / Np, i = q % Np;
    if (term >= 3 || k / n == term) R[q] = t->R[term >= 3 ? term - 2 : 0][i * m + k];
  }
  for (int q = 0; q < m * m && term < WISP_HDG_S; q++)
    K[q] = term >= 3 ? t->K[term - 3][q] : q % (m + 1) == 0 && q / m / n == term;
}

/* tau, kappa and lambda 1. */
static wisp_hdg_factors factors_at(const wisp_hdg *s, size_t e)
{
  const wisp_hdg_triangle at = wisp_hdg_triangle_at(s, e, (double[3]){1, 1, 1}, 1, 1);
  wisp_hdg_factors out;
  wisp_hdg_factors_of(&at, &out);
  return out;
}

/* The largest error of a sample's entries, over the largest of them. */
static wisp_status batched_error(wisp_error *err, const wisp_hdg *s, wisp_batched *batched, double *error)
{
  const wisp_hdg_tables *t = s->tables;
  const size_t size = (size_t)(t->m * t->m);
  OWNED(free) double *K = NULL, *load = NULL;
  OWNED(free) wisp_hdg_condensed *exact = NULL;
  size_t first = 0;
  double worst = 0, largest = 0;
  CALL(wisp_new(err, SAMPLE * size, sizeof *K, &K));
  CALL(wisp_new(err, (size_t)t->Np, sizeof *load, &load));
  CALL(wisp_new(err, 1, sizeof *exact, &exact));
  CALL(wisp_batched_run(err, batched));
  CALL(wisp_batched_last(err, batched, SAMPLE, &first, K));
  for (size_t i = 0; i < SAMPLE && first + i < s->mesh->elements; i++) {
    const wisp_hdg_factors factors = factors_at(s, first + i);
    CALL(wisp_hdg_condense(err, t, &factors, load, exact));
    for (size_t q = 0; q < size; q++) {
      const double off = fabs(K[i * size + q] - exact->K[q]);
      worst = isfinite(off) ? fmax(worst, off) : INFINITY, largest = fmax(largest, fabs(exact->K[q]));
    }
  }
  *error = worst / largest;
  return WISP_OK;
}

static void destroy_batched(void *batched)
{
  wisp_batched_destroy(batched);
}

static wisp_status condense(wisp_error *err, wisp_device *device, const wisp_hdg *s, wisp_precision precision,
                            int method, wisp_yardstick *out)
{
  const wisp_hdg_tables *t = s->tables;
  const size_t width = (size_t)(t->Np * t->Np + t->Np * t->m + t->m * t->m), elements = s->mesh->elements;
  OWNED(free) double *table = NULL, *numbers = NULL;
  OWNED(wisp_batched_destroy) wisp_batched *batched = NULL;
  double error = NAN;
  CALL(wisp_new(err, TERMS * width, sizeof *table, &table));
  CALL(wisp_new(err, TERMS * elements, sizeof *numbers, &numbers));
  for (int term = 0; term < TERMS; term++) fill_table(t, term, table + (size_t)term * width);
  for (size_t e = 0; e < elements; e++) {
    const wisp_hdg_factors f = factors_at(s, e);
    const double all[TERMS] = {f.a[0], f.a[1], f.a[2], f.G[0], f.G[1], f.G[2], f.mass};
    memcpy(numbers + TERMS * e, all, sizeof all);
  }
  const wisp_bordered matrices = {t->Np, t->m, TERMS, table, elements, numbers, precision};
  CALL(wisp_batched_create(err, device, &matrices, (wisp_batched_method)method, &batched));
  CALL(batched_error(err, s, batched, &error));
  *out = (wisp_yardstick){.run = wisp_batched_run, .destroy = destroy_batched, .context = batched, .error = error};
  snprintf(out->name, sizeof out->name, "%s", wisp_batched_name(batched));
  batched = NULL;
  return WISP_OK;
}

/* --- the traces' matrix --- */

/* The pattern of its rows of blocks, columns ascending; caller's memory, five to a row. */
static void find_rows(const wisp_hdg *s, int32_t *start, int32_t *column)
{
  int32_t count = 0;
  for (size_t edge = 0; edge < s->free_edges; edge++) {
    start[edge] = count;
    for (int place = 0; place < WISP_HDG_ROW; place++) {
      const int32_t to = wisp_hdg_column(s, edge, place);
      int32_t at = count;
      if (to < 0 || (size_t)to >= s->free_edges) continue;
      for (; at > start[edge] && column[at - 1] > to; at--) column[at] = column[at - 1];
      column[at] = to, count++;
    }
  }
  start[s->free_edges] = count;
}

static void destroy_spmv(void *spmv)
{
  wisp_spmv_destroy(spmv);
}

static wisp_status multiply(wisp_error *err, wisp_device *device, const wisp_hdg *s, wisp_precision precision,
                            int method, wisp_yardstick *out)
{
  OWNED(free) int32_t *start = NULL, *column = NULL;
  OWNED(wisp_spmv_destroy) wisp_spmv *spmv = NULL;
  double error = NAN;
  CALL(wisp_new(err, s->free_edges + 1, sizeof *start, &start));
  CALL(wisp_new(err, WISP_HDG_ROW * s->free_edges, sizeof *column, &column));
  find_rows(s, start, column);
  const wisp_block_rows pattern = {s->tables->n, s->free_edges, s->free_edges, start, column};
  CALL(wisp_spmv_create(err, device, &pattern, precision, (wisp_spmv_format)method, &spmv));
  CALL(wisp_spmv_error(err, spmv, &pattern, &error));
  *out = (wisp_yardstick){.run = wisp_spmv_run, .destroy = destroy_spmv, .context = spmv, .error = error};
  snprintf(out->name, sizeof out->name, "%s", wisp_spmv_name(spmv));
  spmv = NULL;
  return WISP_OK;
}

/* --- both --- */

wisp_status wisp_hdg_rivals(wisp_error *err, wisp_device *device, const wisp_problem *problem, const wisp_spec *spec,
                            const wisp_left_out *left_out, wisp_yardstick *more, int *count)
{
  static const struct {
    const char *kernel;
    int methods;
    wisp_status (*make)(wisp_error *err, wisp_device *device, const wisp_hdg *s, wisp_precision precision, int method,
                        wisp_yardstick *out);
  } kernels[] = {{"condense", WISP_BATCHED_METHODS, condense}, {"apply", WISP_SPMV_FORMATS, multiply}};
  for (size_t k = 0; k < WISP_COUNT(kernels); k++)
    for (int method = 0; method < kernels[k].methods && strcmp(kernels[k].kernel, spec->kernel) == 0; method++) {
      wisp_error why = {.text = ""};
      const wisp_status status = kernels[k].make(&why, device, problem->d.self, spec->precision, method, &more[*count]);
      if (status == WISP_OK) *count += 1;
      if (status == WISP_EDEVICE) left_out->report(left_out->context, why.text);
      CALL(wisp_require(err, status == WISP_OK || status == WISP_EDEVICE || status == WISP_EREFUSED, status, "%s",
                        why.text));
    }
  return WISP_OK;
}
