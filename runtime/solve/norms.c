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

/* Coordinates are linear, so that they can be interpolated like any field: I times the nodes'. Squared distance of u
 * and exact over one element, without its Jacobian. */
static double element_error(const wisp_dg *dg, const wisp_quadrature *quadrature, const double *I, const double *own,
                            const double *xyz, wisp_function exact, const void *context, double t)
{
  int n = dg->system->fields, Np = dg->tet->Np;
  double sum = 0, value[WISP_MAX_FIELDS], wanted[WISP_MAX_FIELDS];
  for (size_t q = 0; q < quadrature->count; q++) {
    const double *row = I + q * (size_t)Np;
    double x[3] = {0}, square = 0;
    for (int f = 0; f < n; f++) value[f] = 0;
    for (int i = 0; i < Np; i++) {
      for (int f = 0; f < n; f++) value[f] += row[i] * own[i * n + f];
      for (int c = 0; c < 3; c++) x[c] += row[i] * xyz[3 * i + c];
    }
    exact(context, x, t, wanted);
    for (int f = 0; f < n; f++) square += (value[f] - wanted[f]) * (value[f] - wanted[f]);
    sum += quadrature->w[q] * square;
  }
  return sum;
}

wisp_status wisp_dg_l2_error(wisp_error *err, const wisp_dg *dg, const double *u, wisp_function exact,
                             const void *context, double t, double *out)
{
  wisp_status status = WISP_OK;
  const wisp_tet *tet = dg->tet;
  wisp_quadrature quadrature = {0};
  double *I = NULL, own[WISP_MAX_NP * WISP_MAX_FIELDS], xyz[3 * WISP_MAX_NP], sum = 0;
  TRY(wisp_tet_quadrature(err, 2 * tet->N + 2, &quadrature));
  TRY(wisp_new(err, quadrature.count * (size_t)tet->Np, sizeof *I, &I));
  TRY(wisp_tet_interpolation(err, tet, quadrature.count, quadrature.r, quadrature.s, quadrature.t, I));
  for (size_t k = 0; k < dg->slots; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    fetch(dg, k, u, own);
    wisp_dg_nodes(dg, k, xyz);
    sum += dg->jacobian[k] * element_error(dg, &quadrature, I, own, xyz, exact, context, t);
  }
  *out = sqrt(sum);
done:
  free(I);
  wisp_quadrature_free(&quadrature);
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
