/* A family as one file in gen/ would say it: a modal filter on triangles, v = F u in each element, and what it takes
 * away, w = u - F u. */
#include "../../gen/names.h"
#include "filter.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

static const wisp_array_decl arrays[] = {
    {"u", WISP_REAL, WISP_FIELD, "elements*Np", "the polynomials"},
    {"v", WISP_REAL, WISP_FIELD, "elements*Np", "the same, filtered"},
    {"w", WISP_REAL, WISP_FIELD, "elements*Np", "what the filter took away"},
    {NULL, WISP_REAL, WISP_FIXED, NULL, NULL},
};

static const wisp_kernel_decl kernels[] = {
    {.name = "apply",
     .reads = "u",
     .writes = "v",
     .sum = "Np",
     .matrix = "Np",
     .numbers = "2*Np",
     .flops = "2*Np*Np",
     .dofs = "Np"},
    {.name = "rest",
     .reads = "u",
     .writes = "w",
     .sum = "Np+1",
     .matrix = "Np",
     .numbers = "2*Np",
     .flops = "2*Np*Np+Np",
     .dofs = "Np"},
    {.name = NULL},
};

static const wisp_scalar_decl scalars[] = {{"groups", "elements"}, {NULL, NULL}};

static const char *const compositions[] = {NULL};

static int nodes(int N)
{
  return (N + 1) * (N + 2) / 2;
}

/* F = V S V^-1 on equispaced nodes: V has the monomials r^a s^b, and S halves those of the highest degree. LAPACK
 * solves V^T F^T = (V S)^T, and so wants V S by rows. */
wisp_status filter_matrix(wisp_error *err, int N, double *F)
{
  double V[FILTER_MAX_NP * FILTER_MAX_NP];
  lapack_int pivots[FILTER_MAX_NP];
  const int Np = nodes(N);
  int i = 0;
  for (int y = 0; y <= N; y++)
    for (int x = 0; x + y <= N; x++, i++)
      for (int degree = 0, j = 0; degree <= N; degree++)
        for (int b = 0; b <= degree; b++, j++) {
          V[i * Np + j] = pow((double)x / N, degree - b) * pow((double)y / N, b);
          F[i * Np + j] = V[i * Np + j] * (degree == N ? 0.5 : 1);
        }
  return wisp_require(err, LAPACKE_dgesv(LAPACK_COL_MAJOR, Np, Np, V, Np, pivots, F, Np) == 0, WISP_EWRONG,
                      "the Vandermonde matrix of order %d is singular", N);
}

static wisp_status sizes(wisp_error *err, const wisp_spec *spec, wisp_env *env)
{
  return wisp_names_sizes(err, env, &(wisp_size){"Np", nodes(spec->order)}, 1);
}

static wisp_status names(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, const wisp_target *target,
                         wisp_env **out)
{
  wisp_status status = WISP_OK;
  wisp_env *env = NULL;
  double F[FILTER_MAX_NP * FILTER_MAX_NP];
  const size_t Np = (size_t)layout->Np;
  TRY(wisp_env_create(err, NULL, &env));
  TRY(sizes(err, spec, env));
  TRY(wisp_names_target(err, env, spec->precision, target));
  TRY(filter_matrix(err, spec->order, F));
  TRY(wisp_env_reals(err, env, "F", F, Np * Np));
  *out = env;
  env = NULL;
done:
  wisp_env_destroy(env);
  return status;
}

static int layouts(int order, wisp_layout out[8])
{
  out[0] = wisp_layout_padded(nodes(order), 0, 1);
  return 1;
}

const wisp_family wisp_family_filter = {.name = "filter",
                                        .element = "tri",
                                        .orders = {1, FILTER_MAX_ORDER},
                                        .arrays = arrays,
                                        .kernels = kernels,
                                        .scalars = scalars,
                                        .compositions = compositions,
                                        .default_system = "none",
                                        .names = names,
                                        .layouts = layouts,
                                        .sizes = sizes};
