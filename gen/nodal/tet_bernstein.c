/* The nodal tet in the Bernstein-Bezier basis: the same polynomials, nodes and faces, other coefficients. */
#include "bernstein.h"
#include "tet_internal.h"

#include <stdlib.h>
#include <string.h>

/* V = B^-1 V_nodal takes modes to coefficients, its inverse is V_nodal^-1 B: so energies and interpolation, which go
 * through the modes, need not know of the basis. */
static wisp_status change_modes(wisp_error *err, wisp_tet *tet)
{
  const size_t Np = (size_t)tet->Np, bytes = Np * Np * sizeof(double);
  OWNED(free) double *product = NULL;
  CALL(wisp_new(err, Np * Np, sizeof *product, &product));
  wisp_tet_multiply(tet->Np, tet->Np, tet->from_nodes, tet->V, product);
  memcpy(tet->V, product, bytes);
  wisp_tet_multiply(tet->Np, tet->Np, tet->inverse_V, tet->to_nodes, product);
  memcpy(tet->inverse_V, product, bytes);
  return WISP_OK;
}

/* B_ij, the j-th function in the i-th node, and its inverse. */
static wisp_status change_basis(wisp_error *err, wisp_tet *tet)
{
  const size_t Np = (size_t)tet->Np;
  OWNED(wisp_bernstein_destroy) wisp_bernstein *bernstein = NULL;
  CALL(wisp_bernstein_create(err, tet->N, &bernstein));
  CALL(wisp_new(err, Np * Np, sizeof *tet->to_nodes, &tet->to_nodes));
  CALL(wisp_new(err, Np * Np, sizeof *tet->from_nodes, &tet->from_nodes));
  for (size_t i = 0; i < Np; i++)
    wisp_bernstein_values(bernstein, tet->r[i], tet->s[i], tet->t[i], tet->to_nodes + i * Np);
  memcpy(tet->from_nodes, tet->to_nodes, Np * Np * sizeof *tet->from_nodes);
  return wisp_tet_invert(err, "change of basis", tet->Np, tet->from_nodes);
}

wisp_status wisp_tet_make_bernstein_operators(wisp_error *err, wisp_tet *tet)
{
  const size_t Np = (size_t)tet->Np;
  OWNED(wisp_bernstein_destroy) wisp_bernstein *bernstein = NULL;
  CALL(wisp_bernstein_create(err, tet->N, &bernstein));
  for (int mu = 0; mu < 3; mu++) CALL(wisp_new(err, Np * Np, sizeof(double), &tet->D_size[mu]));
  wisp_bernstein_dense(bernstein, tet->D, tet->D_size, tet->LIFT);
  return WISP_OK;
}

wisp_status wisp_tet_make_bernstein(wisp_error *err, wisp_tet *tet)
{
  CALL(wisp_tet_vandermonde(err, tet, NULL));
  CALL(change_basis(err, tet));
  CALL(change_modes(err, tet));
  return wisp_tet_make_bernstein_operators(err, tet);
}
