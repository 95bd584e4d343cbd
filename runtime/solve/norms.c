/* Functions into fields, and fields into numbers. */
#include "dg_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void wisp_dg_fill(const wisp_dg *dg, wisp_function function, const void *context, double t, double *u)
{
  double xyz[3 * WISP_MAX_NP], values[WISP_MAX_FIELDS];
  int n = dg->system->fields;
  memset(u, 0, wisp_dg_volume_size(dg) * sizeof *u);
  for (size_t k = 0; k < dg->slots; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    wisp_dg_nodes(dg, k, xyz);
    for (int i = 0; i < dg->tet->Np; i++) {
      function(context, xyz + 3 * i, t, values);
      for (int f = 0; f < n; f++) u[wisp_layout_volume(&dg->layout, n, f, k, (size_t)i)] = values[f];
    }
  }
}

/* All fields of the element in slot k, own[node * n + field]. */
static void fetch(const wisp_dg *dg, size_t k, const double *u, double *own)
{
  int n = dg->system->fields;
  for (int i = 0; i < dg->tet->Np; i++)
    for (int f = 0; f < n; f++) own[i * n + f] = u[wisp_layout_volume(&dg->layout, n, f, k, (size_t)i)];
}

/* Columns that are interpolated at once, a fixed number so that the compiler makes vectors of them: fields and
 * coordinates of as many elements as fit. Coordinates are linear, so that they are interpolated like any field. */
enum { COLUMNS = 32 };

/* Columns `first`.. of columns[node * COLUMNS + column]: the fields of the element in slot k, then x y z. */
static void fill_columns(const wisp_dg *dg, size_t k, const double *u, int first, double *columns)
{
  double own[WISP_MAX_NP * WISP_MAX_FIELDS], xyz[3 * WISP_MAX_NP];
  int n = dg->system->fields;
  fetch(dg, k, u, own);
  wisp_dg_nodes(dg, k, xyz);
  for (int i = 0; i < dg->tet->Np; i++) {
    double *row = columns + i * COLUMNS + first;
    for (int f = 0; f < n; f++) row[f] = own[i * n + f];
    for (int c = 0; c < 3; c++) row[n + c] = xyz[3 * i + c];
  }
}

/* One row of I times the columns. */
static void interpolate(int Np, const double *row, const double *columns, double out[COLUMNS])
{
  double sum[COLUMNS] = {0};
  for (int i = 0; i < Np; i++)
    for (int c = 0; c < COLUMNS; c++) sum[c] += row[i] * columns[i * COLUMNS + c];
  memcpy(out, sum, sizeof sum);
}

/* What an L2 error is measured with. */
typedef struct measure {
  const wisp_dg *dg;
  wisp_function exact;
  const void *context;
  double t;
  wisp_quadrature quadrature;
  double *I, *columns;
} measure;

/* Squared distance from the exact fields, over the elements in slots k[0..count-1] that fill the columns. */
static double block_error(const measure *m, int count, const size_t *k)
{
  int n = m->dg->system->fields, Np = m->dg->tet->Np;
  double sum = 0, values[COLUMNS], wanted[WISP_MAX_FIELDS];
  for (size_t q = 0; q < m->quadrature.count; q++) {
    interpolate(Np, m->I + q * (size_t)Np, m->columns, values);
    for (int e = 0; e < count; e++) {
      const double *value = values + e * (n + 3);
      double square = 0;
      m->exact(m->context, value + n, m->t, wanted);
      for (int f = 0; f < n; f++) square += (value[f] - wanted[f]) * (value[f] - wanted[f]);
      sum += m->dg->jacobian[k[e]] * m->quadrature.w[q] * square;
    }
  }
  return sum;
}

wisp_status wisp_dg_l2_error(wisp_error *err, const wisp_dg *dg, const double *u, wisp_function exact,
                             const void *context, double t, double *out)
{
  wisp_status status = WISP_OK;
  const wisp_tet *tet = dg->tet;
  measure m = {.dg = dg, .exact = exact, .context = context, .t = t};
  wisp_quadrature *q = &m.quadrature;
  size_t slot[COLUMNS], Np = (size_t)tet->Np;
  int count = 0, columns = dg->system->fields + 3;
  double sum = 0;
  TRY(wisp_tet_quadrature(err, 2 * tet->N + 2, q));
  TRY(wisp_new(err, q->count * Np, sizeof *m.I, &m.I));
  TRY(wisp_new(err, COLUMNS * Np, sizeof *m.columns, &m.columns));
  TRY(wisp_tet_interpolation(err, tet, q->count, q->r, q->s, q->t, m.I));
  for (size_t k = 0; k < dg->slots; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    fill_columns(dg, k, u, count * columns, m.columns);
    slot[count++] = k;
    if ((count + 1) * columns <= COLUMNS) continue;
    sum += block_error(&m, count, slot);
    count = 0;
  }
  *out = sqrt(sum + block_error(&m, count, slot));
done:
  free(m.I);
  free(m.columns);
  wisp_quadrature_free(q);
  return status;
}

/* M = (V V^T)^-1, so that u^T M u is the sum of the squares of the modes V^-1 u. */
wisp_status wisp_dg_energy(wisp_error *err, const wisp_dg *dg, const double *u, double *out)
{
  int n = dg->system->fields, Np = dg->tet->Np;
  double own[WISP_MAX_NP * WISP_MAX_FIELDS], mode[WISP_MAX_FIELDS], sum = 0;
  (void)err;
  for (size_t k = 0; k < dg->slots; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    fetch(dg, k, u, own);
    for (int m = 0; m < Np; m++) {
      for (int f = 0; f < n; f++) mode[f] = 0;
      for (int i = 0; i < Np; i++)
        for (int f = 0; f < n; f++) mode[f] += dg->tet->inverse_V[m * Np + i] * own[i * n + f];
      for (int f = 0; f < n; f++) sum += dg->jacobian[k] * dg->system->energy[f] * mode[f] * mode[f];
    }
  }
  *out = sum;
  return WISP_OK;
}
