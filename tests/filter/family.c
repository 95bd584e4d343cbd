/* A family as one file in gen/ would say it: a modal filter on the elements of a strip, triangles or quads, v = F u in
 * each that is troubled, what it takes away, w = u - F u, and means, collected on the edges between elements. What it
 * declares stands beside its templates. */
#include "../../gen/family.h"
#include "filter.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* The last node of row y, and likewise the highest power of r beside s^y. */
static int last(const wisp_spec *spec, int y)
{
  return strcmp(spec->element, "quad") == 0 ? spec->order : spec->order - y;
}

int filter_nodes(const wisp_spec *spec)
{
  int nodes = 0;
  for (int y = 0; y <= spec->order; y++) nodes += last(spec, y) + 1;
  return nodes;
}

/* F = V S V^-1 on equispaced nodes: V has the monomials r^a s^b, and S halves those of the highest degree. LAPACK
 * solves V^T F^T = (V S)^T, and so wants V S by rows. */
wisp_status filter_matrix(wisp_error *err, const wisp_spec *spec, double *F)
{
  double V[FILTER_MAX_NP * FILTER_MAX_NP];
  lapack_int pivots[FILTER_MAX_NP];
  const int N = spec->order, Np = filter_nodes(spec);
  int i = 0;
  for (int y = 0; y <= N; y++)
    for (int x = 0; x <= last(spec, y); x++, i++)
      for (int b = 0, j = 0; b <= N; b++)
        for (int a = 0; a <= last(spec, b); a++, j++) {
          V[i * Np + j] = pow((double)x / N, a) * pow((double)y / N, b);
          F[i * Np + j] = V[i * Np + j] * (a == last(spec, b) || b == N ? 0.5 : 1);
        }
  return wisp_require(err, LAPACKE_dgesv(LAPACK_COL_MAJOR, Np, Np, V, Np, pivots, F, Np) == 0, WISP_EWRONG,
                      "the Vandermonde matrix of order %d is singular", N);
}

static wisp_status names(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, wisp_env *env)
{
  double F[FILTER_MAX_NP * FILTER_MAX_NP];
  const size_t Np = (size_t)filter_nodes(spec);
  (void)layout; /* it lays nothing out */
  CALL(wisp_env_int(err, env, "Np", (int64_t)Np));
  CALL(filter_matrix(err, spec, F));
  return wisp_env_reals(err, env, "F", F, Np * Np);
}

const wisp_family wisp_family_filter = {WISP_DECLARED_FILTER, .names = names};
