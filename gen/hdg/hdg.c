/* The hybridized discontinuous Galerkin method on triangles (docs/hdg.md): -div(kappa grad u) + lambda u = f, reduced
 * to traces on edges. Element matrices are factored and condensed, assembled to blocks, solved for by conjugate
 * gradients, and u and p recovered. */
#include "hdg.h"
#include "tables.h"
#include "../family.h"

#include <string.h>

static const wisp_array_decl arrays[] = {
    [WISP_HDG_VERTICES] = {"vertices", WISP_REAL, WISP_FIXED, "2*vertex_count", "x and y of each vertex together"},
    [WISP_HDG_CORNERS] = {"corners", WISP_INT, WISP_FIXED, "3*slots",
                          "vertices of each element, counterclockwise, in slabs: corner i of element e at (e/32*3 + "
                          "i)*32 + e%32"},
    [WISP_HDG_EDGES] =
        {"edges", WISP_INT, WISP_FIXED, "3*slots",
         "in slabs, 2 edge + falling of each element's edge l, from corner l to l + 1; falling: the edge's "
         "own direction is the other one"},
    [WISP_HDG_TAU] = {"tau", WISP_REAL, WISP_POSITIVE, "3*slots",
                      "in slabs, the stabilisation on each edge of an element"},
    [WISP_HDG_KAPPA] = {"kappa", WISP_REAL, WISP_POSITIVE, "elements", "the conductivity in each element"},
    [WISP_HDG_LAMBDA] = {"lambda", WISP_REAL, WISP_POSITIVE, "elements", "the reaction in each element, or 0"},
    [WISP_HDG_LOAD] = {"load", WISP_REAL, WISP_FIELD, "Np*slots", "in slabs, f times each mode, integrated"},
    [WISP_HDG_GIVEN] =
        {"given", WISP_REAL, WISP_FIELD, "n*edge_count",
         "mode i of edge E at E n + i: of those that are given the trace, of all others the flux times the "
         "mode, integrated"},
    [WISP_HDG_ELEMENT_DATA] = {"element_data", WISP_REAL, WISP_FIELD, "(m*(m+1)/2+m)*slots",
                               "in slabs, the upper half of each element's condensed matrix by rows, then its load"},
    [WISP_HDG_SIDES] = {"sides", WISP_INT, WISP_FIXED, "2*edge_slots",
                        "in slabs, 3 element + its edge on either side, -1 behind the boundary"},
    [WISP_HDG_COLUMNS] = {"columns", WISP_INT, WISP_FIXED, "4*edge_slots",
                          "in slabs, the edges that blocks 1 to 4 lead to; an edge's own where there is none"},
    [WISP_HDG_BLOCKS] = {"blocks", WISP_REAL, WISP_FIELD, "5*n*n*edge_slots",
                         "in slabs, entry (i, j) of block c of an edge's row as number (c n + i) n + j"},
    [WISP_HDG_B] = {"b", WISP_REAL, WISP_FIELD, "padded", "the right-hand side, 0 behind the unknowns"},
    [WISP_HDG_INVERSES] = {"inverses", WISP_SINGLE, WISP_FIELD, "n*(n+1)/2*edge_slots",
                           "in slabs, the upper half of the inverse of each edge's own block"},
    [WISP_HDG_INVERSE] = {"inverse", WISP_SINGLE, WISP_POSITIVE, "padded", "one over the diagonal"},
    [WISP_HDG_SOLUTION] = {"solution", WISP_REAL, WISP_FIELD, "padded",
                           "the trace where it is not given: mode i of edge E at E n + i"},
    [WISP_HDG_P] = {"p", WISP_REAL, WISP_FIELD, "padded", "the search direction, 0 behind the unknowns"},
    [WISP_HDG_Z] = {"z", WISP_REAL, WISP_FIELD, "padded", "the preconditioned residual, 0 behind the unknowns"},
    [WISP_HDG_RESIDUAL] = {"r", WISP_REAL, WISP_FIELD, "padded", "the residual, 0 behind the unknowns"},
    [WISP_HDG_AP] = {"Ap", WISP_REAL, WISP_FIELD, "padded", "the matrix times p, 0 behind the unknowns"},
    [WISP_HDG_PRODUCTS] = {"products", WISP_REAL, WISP_FIELD, "m*slots",
                           "in slabs, each element's matrix times p on its edges, in the edges' own directions"},
    [WISP_HDG_RZ_SUMS] = {"rz_sums", WISP_REAL, WISP_PARTS, "rz_room", "parts of r . z, one a block"},
    [WISP_HDG_RR_SUMS] = {"rr_sums", WISP_REAL, WISP_PARTS, "rz_room", "parts of r . r, one a block"},
    [WISP_HDG_PAP_SUMS] = {"pAp_sums", WISP_REAL, WISP_PARTS, "pAp_room", "parts of p . Ap, one a block"},
    [WISP_HDG_STATE] = {"state", WISP_REAL, WISP_STATE, "states", "as of conjugate gradients on hexes"},
    [WISP_HDG_HISTORY] = {"history", WISP_REAL, WISP_STATE, "3*history_room", "likewise"},
    [WISP_HDG_LEFT] = {"left", WISP_INT, WISP_STATE, "solves", "iterations that are left"},
    [WISP_HDG_U] = {"u", WISP_REAL, WISP_FIELD, "Np*slots", "in slabs, the modes of u"},
    [WISP_HDG_FLUX] = {"flux", WISP_REAL, WISP_FIELD, "2*Np*slots", "in slabs, the modes of kappa grad u: x, then y"},
    [WISP_HDG_USTAR] = {"ustar", WISP_REAL, WISP_FIELD, "Ns*slots", "in slabs, the modes of u*, of one degree more"},
    [WISP_HDG_ARRAYS] = {NULL, WISP_REAL, WISP_FIXED, NULL, NULL},
};

static const wisp_scalar_decl scalars[] = {
    {"elements", "triangles"},
    {"free_edges", "edges whose trace is not given, which come first"},
    {"padded", "unknowns, rounded up to whole vectors of either precision"},
    {"pAp_parts", "parts of p . Ap"},
    {"history_room", "iterations that history has room for"},
    {NULL, NULL},
};

/* Numbers are those of `per` elements of a large mesh, and of `own` edges that belong to them. */
#define TRIANGLES "vertices corners tau kappa lambda load"
static const wisp_kernel_decl kernels[] = {
    {.name = "condense",
     .reads = TRIANGLES,
     .writes = "element_data",
     .sum = "16*Np",
     .numbers = "inputs+per*data",
     .words = "per*3",
     .flops = "per*condense",
     .dofs = "per*data"},
    {.name = "assemble",
     .reads = "element_data edges sides given",
     .writes = "blocks b",
     .sum = "2*n+3",
     .numbers = "per*data+own*(row+2*n)",
     .words = "per*3+own*2",
     .flops = "own*(n*n+4*n)",
     .dofs = "own*row"},
    {.name = "build",
     .reads = TRIANGLES " edges sides given",
     .writes = "blocks b",
     .sum = "16*Np+4*n+3",
     .numbers = "inputs+own*(row+2*n)",
     .words = "per*6+own*2",
     .flops = "per*condense+own*(n*n+4*n)",
     .dofs = "own*row"},
    {.name = "invert",
     .reads = "blocks",
     .writes = "inverses inverse",
     .sum = "4*n",
     .numbers = "own*half",
     .words = "own*(half+n)",
     .flops = "own*n*n*n",
     .dofs = "own*n"},
    {.name = "apply",
     .reads = "blocks columns p",
     .writes = "Ap pAp_sums",
     .sum = "5*n",
     .numbers = "own*(row+2*n)",
     .words = "own*4",
     .flops = "own*2*(row+n)",
     .dofs = "own*n"},
    {.name = "multiply",
     .reads = "element_data edges p",
     .writes = "products",
     .sum = "m",
     .numbers = "per*data+own*n",
     .words = "per*3",
     .flops = "per*2*m*m",
     .dofs = "own*n"},
    {.name = "collect",
     .reads = "products sides p",
     .writes = "Ap pAp_sums",
     .sum = "2",
     .numbers = "per*m+own*2*n",
     .words = "own*2",
     .flops = "own*3*n",
     .dofs = "own*n"},
    {.name = "precondition",
     .reads = "r Ap inverses pAp_sums state history left",
     .writes = "r z rz_sums rr_sums state history left",
     .sum = "300+n",
     .numbers = "own*4*n",
     .words = "own*half",
     .flops = "own*(2*n*n+6*n)",
     .dofs = "own*n"},
    {.name = "recover",
     .reads = TRIANGLES " edges given solution",
     .writes = "u flux",
     .sum = "16*Np",
     .numbers = "inputs+own*n+per*3*Np",
     .words = "per*6",
     .flops = "per*recover",
     .dofs = "per*3*Np"},
    {.name = "postprocess",
     .reads = "vertices corners kappa u flux",
     .writes = "ustar",
     .sum = "16*Ns",
     .numbers = "2+per*(1+2*Np+1+Ns)",
     .words = "per*3",
     .flops = "per*postprocess",
     .dofs = "per*Ns"},
    {.name = NULL},
};

static const wisp_element elements[] = {{"tri", {1, WISP_HDG_MAX_ORDER}}, {NULL, {0, 0}}};

static const char *const compositions[] = {"condense+assemble", "build", NULL};

/* An iteration with each preconditioner, and what follows a solve. */
static const char *const chains[] = {"invert+apply+tensor.advance+tensor.update",
                                     "invert+apply+precondition+tensor.update",
                                     "invert+multiply+collect+tensor.advance+tensor.update",
                                     "invert+multiply+collect+precondition+tensor.update",
                                     "recover+postprocess",
                                     NULL};

static bool knows_system(const char *name)
{
  return strcmp(name, "helmholtz") == 0;
}

/* Cholesky's elimination of a matrix of size n with c columns beside it. */
static int elimination(int n, int c)
{
  return n * n * n / 3 + n * n * c;
}

/* A large mesh has one vertex and three edges for two elements. */
static wisp_status sizes(wisp_error *err, const wisp_spec *spec, wisp_env *env)
{
  const int N = spec->order, n = N + 1, Np = n * (n + 1) / 2, m = 3 * n, Ns = (n + 1) * (n + 2) / 2, per = 2;
  const int build = 6 * Np * (Np + 1) + 6 * Np * m;
  const wisp_size all[] = {{"n", n},
                           {"Np", Np},
                           {"m", m},
                           {"Ns", Ns},
                           {"per", per},
                           {"own", 3},
                           {"data", m * (m + 1) / 2 + m},
                           {"row", 5 * n * n},
                           {"half", n * (n + 1) / 2},
                           {"inputs", 2 + per * (5 + Np)},
                           {"condense", elimination(Np, m + 1) + Np * m * (m + 1) + build + 3 * m * (m + 1) / 2},
                           {"recover", elimination(Np, 2) + build + 2 * Np * m + 4 * Np * (Np + n)},
                           {"postprocess", elimination(Ns, 2) + 3 * Ns * (Ns + 1) + 4 * Np * Ns}};
  return wisp_names_sizes(err, env, all, WISP_COUNT(all));
}

/* --- names --- */

/* B: the columns of S and R together, a table for each of the seven numbers of an element but the last, lambda J, which
 * is on the diagonal of S alone. */
static wisp_status add_border(wisp_error *err, wisp_env *env, const wisp_hdg_tables *t)
{
  OWNED(free) double *B = NULL;
  const int columns = t->Np + t->m, size = t->Np * columns;
  CALL(wisp_new(err, (size_t)(WISP_HDG_S * size), sizeof *B, &B));
  for (int c = 0; c < WISP_HDG_S; c++)
    for (int q = 0; q < size; q++) {
      const int i = q / columns, j = q % columns, k = j - t->Np;
      if (k < 0)
        B[c * size + q] = t->S[c][i * t->Np + j];
      else if (c >= 3)
        B[c * size + q] = t->R[c - 2][i * t->m + k];
      else if (k / t->n == c)
        B[c * size + q] = t->R[0][i * t->m + k];
    }
  return wisp_env_reals(err, env, "B", B, (size_t)(WISP_HDG_S * size));
}

/* Tables of one size, one after the other. */
static wisp_status add_tables(wisp_error *err, wisp_env *env, const char *name, int count, double *const *table,
                              int size)
{
  OWNED(free) double *all = NULL;
  CALL(wisp_new(err, (size_t)(count * size), sizeof *all, &all));
  for (int c = 0; c < count; c++) memcpy(all + c * size, table[c], (size_t)size * sizeof *all);
  return wisp_env_reals(err, env, name, all, (size_t)(count * size));
}

/* Row and column of each number of the upper half of a matrix of size m, by these names. */
static wisp_status add_places(wisp_error *err, wisp_env *env, const char *rows, const char *columns, int m)
{
  int row[WISP_HDG_MAX_M * (WISP_HDG_MAX_M + 1) / 2], column[WISP_HDG_MAX_M * (WISP_HDG_MAX_M + 1) / 2], count = 0;
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++, count++) row[count] = i, column[count] = j;
  CALL(wisp_env_ints(err, env, rows, row, (size_t)count));
  return wisp_env_ints(err, env, columns, column, (size_t)count);
}

static wisp_status names(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, const wisp_target *target,
                         wisp_env **out)
{
  OWNED(wisp_hdg_tables_destroy) wisp_hdg_tables *t = NULL;
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  (void)layout; /* it lays nothing out */
  CALL(wisp_hdg_tables_create(err, spec->order, &t));
  CALL(wisp_env_create(err, NULL, &env));
  const wisp_size all[] = {{"N", t->N}, {"n", t->n},   {"Np", t->Np},
                           {"m", t->m}, {"Ns", t->Ns}, {"data", t->m * (t->m + 1) / 2 + t->m}};
  CALL(wisp_names_sizes(err, env, all, WISP_COUNT(all)));
  CALL(wisp_names_target(err, env, spec->precision, target));
  CALL(add_border(err, env, t));
  CALL(add_tables(err, env, "KF", WISP_HDG_K, t->K, t->m * t->m));
  CALL(add_tables(err, env, "F", 3, t->F, t->Np * t->n));
  CALL(add_tables(err, env, "D", 2, t->D, t->Np * t->Np));
  CALL(add_tables(err, env, "A", WISP_HDG_K, t->post, t->Ns * t->Ns));
  CALL(add_tables(err, env, "E", 2, t->slope, t->Np * t->Ns));
  CALL(add_places(err, env, "entry_row", "entry_column", t->m));
  CALL(add_places(err, env, "tile_row", "tile_column", t->n));
  return GIVE(env, out);
}

const wisp_family wisp_family_hdg = {.name = "hdg",
                                     .elements = elements,
                                     .arrays = arrays,
                                     .kernels = kernels,
                                     .scalars = scalars,
                                     .whole = "build",
                                     .promise = {1e-5, 1e-13},
                                     .compositions = compositions,
                                     .chains = chains,
                                     .default_system = "helmholtz",
                                     .knows_system = knows_system,
                                     .names = names,
                                     .sizes = sizes};
