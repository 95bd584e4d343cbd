/* Memory that a matrix takes of a device, by the number of simplices; and kernels whose lists fit the mesh. */
#include "assembly.h"
#include "../../gen/layout.h"
#include "../solve/cg.h"
#include "../solve/choose.h"

/* Nodes of a mesh of order N, and how many of them may be fixed: all on the boundary. Its facets are those that no two
 * elements share; the boundary is taken for closed lines, or for one closed surface. */
static void count_nodes(int corners, int order, const size_t count[4], double *nodes, double *fixed)
{
  const int dimension = wisp_cells[corners].dimension;
  const bool flat = dimension == 2;
  const double facets = 2 * (double)count[dimension - 1] - corners * (double)count[dimension];
  const double boundary[3] = {flat ? facets : facets / 2 + 2, flat ? facets : 1.5 * facets, flat ? 0 : facets};
  int own[4], pairs[4];
  wisp_simplex_own(order, own, pairs);
  *nodes = *fixed = 0;
  for (int k = 0; k < 4; k++) *nodes += (double)count[k] * own[k];
  for (int k = 0; k < 3; k++) *fixed += boundary[k] * own[k];
}

/* Counts for so many simplices of each dimension. beside: bytes on the host, of mesh, nodes, points and pattern. */
static wisp_discretisation describe(int corners, int order, const size_t count[4], double *beside)
{
  const int dimension = wisp_cells[corners].dimension;
  const size_t elements = count[dimension], Np = (size_t)wisp_simplex_size(dimension, order);
  double nodes, fixed;
  count_nodes(corners, order, count, &nodes, &fixed);
  const double share = nodes > fixed ? (nodes - fixed) / nodes : 0; /* of all nodes so many, at least, are unknowns */
  const double nonzeros = share * share * wisp_pattern_nonzeros(order, count), number = sizeof(int32_t);
  const double locals = (double)elements * (double)Np, incidences = share * locals;
  const size_t unknowns = (size_t)(nodes * share);
  *beside = (double)elements * 80 + nodes * 5 * sizeof(double) + (locals + nonzeros + incidences) * number;
  return (wisp_discretisation){.family = wisp_family_find("assembly"),
                               .counts = {{"elements", elements},
                                          {"kappa_width", 1},
                                          {"slots", WISP_SLAB_SLOTS(elements)},
                                          {"dimension", (size_t)dimension},
                                          {"vertex_count", count[0]},
                                          {"stride", dimension == 2 ? 2 : 4},
                                          {"corner_count", (size_t)corners},
                                          {"node_count", (size_t)nodes},
                                          {"unknowns", unknowns},
                                          {"padded", unknowns},
                                          {"nonzeros", (size_t)nonzeros},
                                          {"incidences", (size_t)incidences},
                                          {"contributions", (size_t)(share * incidences) * (Np + 1)},
                                          {"Np", Np},
                                          {"data_width", Np + Np * (Np + 1) / 2},
                                          {"states", WISP_CG_STATE},
                                          {"solves", 1}}};
}

wisp_status wisp_assembly_fits(wisp_error *err, const wisp_limits *limits, int corners, int order,
                               const size_t count[4], wisp_precision precision, wisp_array_filter wanted,
                               const void *context)
{
  double beside = 0;
  const wisp_discretisation d = describe(corners, order, count, &beside);
  return wisp_problem_fits(err, limits, &d, precision, WISP_NARROW_GUARD, wanted, context, beside);
}

/* --- kernels that fit --- */

/* A wisp_plan_fits: the lists of this plan alone are made, and thrown away. */
static wisp_status lists_fit(wisp_error *err, const void *assembly, const wisp_plan *plan)
{
  static const wisp_cg_capacity capacity = {.pAp_parts = 1};
  const wisp_assembly *s = assembly;
  HELD(wisp_discretisation_destroy) wisp_discretisation d = {.family = NULL};
  wisp_fixed fixed = {.made = true};
  wisp_fixed_add(&fixed, plan);
  return wisp_assembly_discretise(err, s, s->form->name, &fixed, &capacity, &d);
}

wisp_status wisp_assembly_fit_stage(wisp_error *err, const wisp_assembly *assembly, wisp_stage *stage)
{
  for (int i = 0; i < stage->kernels; i++) CALL(wisp_stage_make_fit(err, stage, i, lists_fit, assembly));
  return WISP_OK;
}
