#include "multigrid.h"
#include "cg_problem.h"
#include "vertex_matrix.h"

/* An order's problem and its kernels. */
typedef struct level {
  wisp_poisson problem; /* without a right-hand side */
  bool owns;            /* its nodes and numbering: all but the finest */
  wisp_stage *stage;
  wisp_poisson_solver *solver; /* of Jacobi's iteration, which finds the bound */
  double bound;
} level;

struct wisp_multigrid {
  int degree, levels;
  level level[WISP_MULTIGRID_ORDERS];
  wisp_aggregation *aggregation; /* NULL: the coarsest order is smoothed alone */
  wisp_launches launches;
};

int wisp_multigrid_orders(int order, int orders[WISP_MULTIGRID_ORDERS])
{
  int count = 0;
  for (; order; order /= 2) orders[count++] = order;
  return count;
}

void wisp_multigrid_composition(const char *kernel, int order, bool finest, char text[WISP_MULTIGRID_COMPOSITION])
{
  snprintf(text, WISP_MULTIGRID_COMPOSITION, "update+spread+%s+gather+advance+smooth%s+defect%s", kernel,
           finest ? "" : "+begin", order > 1 ? "+restrict+prolong+correct" : "");
}

/* --- making it --- */

static void release_level(level *l)
{
  wisp_poisson_solver_destroy(l->solver);
  if (!l->owns) return;
  wisp_hexcopies_destroy(l->problem.copies);
  wisp_hexnodes_destroy(l->problem.nodes);
  wisp_hex_destroy(l->problem.hex);
}

void wisp_multigrid_destroy(wisp_multigrid *m)
{
  if (!m) return;
  wisp_launches_free(&m->launches);
  wisp_aggregation_destroy(m->aggregation);
  for (level *l = m->level; l < m->level + WISP_MULTIGRID_ORDERS; l++) release_level(l);
  free(m);
}

/* The same problem on another order; it may have no unknown. */
static wisp_status number_order(wisp_error *err, const wisp_poisson *finest, int order, level *l)
{
  l->problem = *finest;
  l->problem.b = NULL;
  l->owns = order != finest->hex->N;
  if (!l->owns) return WISP_OK;
  l->problem.op = WISP_HEX_COLLOCATED;
  l->problem.hex = NULL, l->problem.nodes = NULL, l->problem.copies = NULL;
  CALL(wisp_hex_create(err, order, &l->problem.hex));
  CALL(wisp_hexnodes_create(err, "mesh", finest->mesh, order, &l->problem.nodes));
  return wisp_hexcopies_create(err, l->problem.nodes, true, &l->problem.copies);
}

/* The largest eigenvalue of A / diagonal lies below what is seen of it times this. */
static const double above = 1.1;

static wisp_status open_level(wisp_error *err, wisp_device *device, level *l)
{
  const wisp_poisson_method method = {.precision = WISP_F32, .preconditioner = WISP_JACOBI, .degree = 1};
  CALL(wisp_poisson_solver_create(err, device, &l->problem, l->stage, &method, &l->solver));
  CALL(wisp_cg_largest(err, l->solver->cg, &l->bound));
  l->bound *= above;
  return WISP_OK;
}

/* Below order 1. Its kernels keep the order's z where they leave their x. */
static wisp_status aggregate(wisp_error *err, wisp_device *device, wisp_stage *stage, wisp_multigrid *m)
{
  const wisp_poisson *lowest = &m->level[m->levels - 1].problem;
  HELD(wisp_sparse_free) wisp_sparse pattern = {.rows = 0};
  OWNED(free) double *values = NULL;
  if (lowest->hex->N != 1) return WISP_OK;
  CALL(wisp_vertex_pattern(err, lowest, &pattern));
  CALL(wisp_new(err, (size_t)pattern.start[pattern.rows], sizeof *values, &values));
  CALL(wisp_vertex_values(err, lowest, &pattern, values));
  CALL(wisp_aggregation_create(err, device, stage, WISP_F32, &pattern, values, true, &m->aggregation));
  return wisp_aggregation_set(err, m->aggregation, values);
}

/* --- launches --- */

/* One launch more; kernel NULL: the operator. */
static wisp_status add(wisp_error *err, const level *l, const char *kernel, const wisp_cg_scalars *scalars,
                       const wisp_binding *own, size_t count, wisp_launches *to)
{
  enum { MOST = 4 };
  static const wisp_cg_scalars none = {.beta = 0};
  wisp_binding all[MOST + 1 + WISP_CG_SCALARS];
  const wisp_kernel *found = kernel ? wisp_stage_kernel(l->stage, kernel) : wisp_poisson_operator(l->stage);
  for (size_t i = 0; i < count; i++) all[i] = own[i];
  all[count++] = (wisp_binding){"lambda", 0, l->problem.lambda};
  wisp_cg_bind(scalars ? scalars : &none, all + count);
  return wisp_launches_add_on(err, to, l->solver->vectors, found, all, count + WISP_CG_SCALARS);
}

static wisp_pointer find(const level *l, const char *array)
{
  return wisp_arrays_at(l->solver->arrays, array);
}

/* Order 1 keeps z where the cycle of aggregation has its x. */
static wisp_binding bind_z(const wisp_multigrid *m, const level *l, const char *as)
{
  const bool shared = m->aggregation && l == &m->level[m->levels - 1];
  return (wisp_binding){as, shared ? wisp_aggregation_x(m->aggregation) : find(l, "z"), 0};
}

/* y = A z. */
static wisp_status apply(wisp_error *err, const wisp_multigrid *m, const level *l, wisp_launches *to)
{
  const wisp_binding z = bind_z(m, l, "vector");
  CALL(add(err, l, "spread", NULL, &z, 1, to));
  return add(err, l, NULL, NULL, NULL, 0, to);
}

/* The first step's share of r / diagonal. */
static double first_share(const level *l)
{
  return 4 / (3 * l->bound);
}

/* Chebyshev's iteration of the fourth kind; from_zero: z is its first step already. */
static wisp_status smooth(wisp_error *err, const wisp_multigrid *m, const level *l, bool from_zero, wisp_launches *to)
{
  const wisp_binding z = bind_z(m, l, "z");
  for (int k = from_zero; k < m->degree; k++) {
    const wisp_cg_scalars step = {.first_step = k == 1 && from_zero,
                                  .beta = k ? (2 * k - 1) / (2 * k + 3.0) : 0,
                                  .alpha = k ? (8 * k + 4) / ((2 * k + 3) * l->bound) : first_share(l)};
    CALL(apply(err, m, l, to));
    CALL(add(err, l, "smooth", &step, &z, 1, to));
  }
  return WISP_OK;
}

static wisp_status add_level(wisp_error *err, const wisp_multigrid *m, int i, wisp_launches *to);

/* The correction by order N/2. */
static wisp_status correct_by_order(wisp_error *err, const wisp_multigrid *m, int i, wisp_launches *to)
{
  const level *l = &m->level[i], *next = l + 1;
  const wisp_cg_scalars averaged = {.averaged = 1}, scaled = {.scale = first_share(next)};
  const wisp_binding defect = {"vector", find(l, "d"), 0}, down = {"coarse_y", find(next, "y"), 0};
  const wisp_binding next_z = bind_z(m, next, "z"), spread = bind_z(m, next, "vector"),
                     up = {"coarse_u", find(next, "u"), 0};
  CALL(apply(err, m, l, to));
  CALL(add(err, l, "defect", &averaged, NULL, 0, to));
  CALL(add(err, l, "spread", NULL, &defect, 1, to));
  CALL(add(err, l, "restrict", NULL, &down, 1, to));
  CALL(add(err, next, "begin", &scaled, &next_z, 1, to));
  CALL(add_level(err, m, i + 1, to));
  CALL(add(err, next, "spread", NULL, &spread, 1, to));
  CALL(add(err, l, "prolong", NULL, &up, 1, to));
  return add(err, l, "correct", NULL, NULL, 0, to);
}

/* The correction by aggregates, from order 1 on. */
static wisp_status correct_by_aggregates(wisp_error *err, const wisp_multigrid *m, const level *l, wisp_launches *to)
{
  const wisp_binding b = {"d", wisp_aggregation_b(m->aggregation), 0};
  CALL(apply(err, m, l, to));
  CALL(add(err, l, "defect", NULL, &b, 1, to));
  return wisp_aggregation_add(err, m->aggregation, to);
}

/* Smoothing, correction, smoothing, for r in the level's array and z its first step. */
static wisp_status add_level(wisp_error *err, const wisp_multigrid *m, int i, wisp_launches *to)
{
  const level *l = &m->level[i];
  CALL(smooth(err, m, l, true, to));
  if (i + 1 < m->levels)
    CALL(correct_by_order(err, m, i, to));
  else if (m->aggregation)
    CALL(correct_by_aggregates(err, m, l, to));
  return smooth(err, m, l, false, to);
}

wisp_status wisp_multigrid_create(wisp_error *err, wisp_device *device, const wisp_poisson *problem, wisp_stage *stage,
                                  int degree, wisp_multigrid **out)
{
  OWNED(wisp_multigrid_destroy) wisp_multigrid *m = NULL;
  int orders[WISP_MULTIGRID_ORDERS];
  const int count = wisp_multigrid_orders(problem->hex->N, orders);
  CALL(wisp_new(err, 1, sizeof *m, &m));
  m->degree = degree;
  for (int i = 0; i < count; i++) {
    level *l = &m->level[i];
    l->stage = &stage[i];
    CALL(number_order(err, problem, orders[i], l));
    if (!l->problem.copies->unknowns) break; /* all of its nodes lie on the boundary */
    m->levels++;
    CALL(open_level(err, device, l));
  }
  CALL(aggregate(err, device, &stage[count], m));
  CALL(add_level(err, m, 0, &m->launches));
  return GIVE(m, out);
}

/* --- asking --- */

wisp_poisson_cycle wisp_multigrid_cycle(const wisp_multigrid *m)
{
  return (wisp_poisson_cycle){&m->launches, find(m->level, "r"), bind_z(m, m->level, "z").pointer,
                              first_share(m->level)};
}

void wisp_multigrid_watch(wisp_multigrid *m, const wisp_launch_watch *watch)
{
  for (int i = 0; i < m->levels; i++) m->level[i].solver->vectors->watch = watch;
}

const wisp_poisson *wisp_multigrid_problem(const wisp_multigrid *m, const wisp_problem *vectors)
{
  for (int i = 0; i < m->levels; i++)
    if (m->level[i].solver->vectors == vectors) return &m->level[i].problem;
  return NULL;
}

wisp_multigrid_info wisp_multigrid_describe(const wisp_multigrid *m)
{
  wisp_multigrid_info info = {.orders = m->levels,
                              .aggregations = m->aggregation ? m->aggregation->cycle->coarsenings : 0};
  for (int i = 0; i < m->levels; i++) info.order[i] = m->level[i].problem.hex->N, info.bound[i] = m->level[i].bound;
  return info;
}
