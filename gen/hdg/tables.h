/* The reference triangle of the hybridized discontinuous Galerkin method: integrals that element matrices are sums of.
 *
 * Inside are the orthonormal PKDO modes phi_i of degree P on the bi-unit triangle, of Jacobian J = area / 2; on edge l,
 * from vertex l to l + 1 mod 3, psi_k(t) = sqrt((2 k + 1) / 2) P_k(t), t from -1 to 1. n = P + 1, Np = (P + 1)(P + 2) /
 * 2, m = 3 n. An affine triangle is seven numbers: a_l = tau_l h_l / 2; G_rr, G_rs, G_ss = kappa J grad r . grad r and
 * so on; and lambda J. */
#pragma once

#include "../check.h"

enum { WISP_HDG_MAX_ORDER = 9 };
enum { WISP_HDG_MAX_N = 10, WISP_HDG_MAX_NP = 55, WISP_HDG_MAX_M = 30, WISP_HDG_MAX_NS = 66 }; /* of that order */
enum { WISP_HDG_S = 6, WISP_HDG_R = 4, WISP_HDG_K = 3 };                                       /* terms of an entry */

/* Row major, double. The bordered matrix of an element:
 *   S = lambda J I + sum over c of (a_0, a_1, a_2, G_rr, G_rs, G_ss)_c S[c],
 *   R_ij = sum over c of (a_l, G_rr, G_rs, G_ss)_c R[c]_ij, column j of edge l = j / n,
 *   K_F = sum over c of (G_rr, G_rs, G_ss)_c K[c], and a_l more on the diagonal. */
typedef struct wisp_hdg_tables {
  int N, n, Np, m, Ns;      /* P; n; Np; m; modes of degree P + 1 */
  double *D[2];             /* (phi_i, d phi_j / dr) and / ds: Np x Np */
  double *F[3];             /* int phi_i psi_k dt along each edge: Np x n */
  double *S[WISP_HDG_S];    /* Np x Np each */
  double *R[WISP_HDG_R];    /* Np x m each */
  double *K[WISP_HDG_K];    /* m x m each */
  double *slope[2];         /* (phi_i, d phi*_j / dr) and / ds, phi* the modes of degree P + 1: Np x Ns */
  double *post[WISP_HDG_K]; /* of (G_rr, G_rs, G_ss), without kappa: the stiffness of the modes phi*: Ns x Ns */
  /* Continuous elements: modes inside, orthonormal, then those of the boundary, orthogonal to them: of edge l its
   * vertex l and n - 2 bubbles. Without any inside there is one that touches no other. */
  int inside, around;
  double *continuous[4];       /* of (G_rr, G_rs, G_ss, lambda J): (inside + around)^2 each */
  int nested[WISP_HDG_MAX_NP]; /* mode phi_i among the modes phi* */
} wisp_hdg_tables;

/* The sizes of that order, without tables. */
wisp_hdg_tables wisp_hdg_sizes(int order);

/* Order P, 1..9 (WISP_EUSAGE otherwise). */
wisp_status wisp_hdg_tables_create(wisp_error *err, int order, wisp_hdg_tables **out);
void wisp_hdg_tables_destroy(wisp_hdg_tables *tables);
WISP_OWNED(wisp_hdg_tables, wisp_hdg_tables_destroy)

/* The edge modes psi_0 .. psi_N at t, caller's memory. */
void wisp_hdg_edge_modes(int N, double t, double *psi);

/* The place of t of edge l, from its first vertex to its last, on the reference triangle. */
void wisp_hdg_on_edge(int edge, double t, double *r, double *s);
