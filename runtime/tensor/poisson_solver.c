#include "poisson_solver.h"
#include "cg_problem.h"
#include "hex_reference.h"
#include "../parallel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The Chebyshev interval reaches from its upper end down to a thirtieth; below it the polynomial still damps, and stays
 * positive. The upper end lies above what is seen of the largest eigenvalue. HISTORY: iterations whose scalars are
 * kept. */
enum { INTERVAL = 30, HISTORY = 1024 };
static const double above = 1.1;

/* The kernels of a stage, in the order of wisp_poisson_composition. */
typedef enum part { UPDATE, SPREAD, OPERATOR, GATHER, ADVANCE, SMOOTH } part;

void wisp_poisson_composition(const char *kernel, wisp_preconditioner preconditioner,
                              char text[WISP_POISSON_COMPOSITION])
{
  snprintf(text, WISP_POISSON_COMPOSITION, "update+spread+%s+gather+advance%s", kernel,
           preconditioner == WISP_CHEBYSHEV ? "+smooth" : "");
}

/* --- arrays --- */

/* Blocks of a kernel, each of which leaves one part of a sum; 1 for a kernel that the stage lacks. */
static int blocks(const wisp_poisson_solver *s, part kernel)
{
  unsigned grid[2] = {1, 1};
  if ((int)kernel < s->stage->kernels) wisp_plan_grid(NULL, s->stage->plan[kernel], NULL, grid);
  return (int)grid[0];
}

static bool is_wanted(const void *stage, const char *array)
{
  return wisp_stage_has(stage, array);
}

/* All that the stage's kernels take. */
static wisp_status make_arrays(wisp_error *err, wisp_device *device, wisp_precision precision, wisp_poisson_solver *s)
{
  const wisp_poisson *p = s->problem;
  const int advance = blocks(s, ADVANCE), smooth = blocks(s, SMOOTH);
  const wisp_cg_room room = {.rz_parts = (size_t)(advance > smooth ? advance : smooth),
                             .pAp_parts = (size_t)blocks(s, GATHER),
                             .iterations = HISTORY};
  wisp_discretisation d = wisp_cg_discretisation(p->copies, p->mesh->elements, p->hex->N, &room);
  CALL(wisp_problem_open(err, device, &d, precision, WISP_NARROW_GUARD, is_wanted, s->stage, &s->vectors));
  s->arrays = s->vectors->arrays;
  return WISP_OK;
}

/* A wisp_sweep over numbers. */
static void invert(void *context, size_t from, size_t to)
{
  double *diagonal = context;
  for (size_t i = from; i < to; i++) diagonal[i] = 1 / diagonal[i];
}

/* Geometry, and the inverse of the diagonal (of 1 without a preconditioner). */
static wisp_status upload(wisp_error *err, wisp_poisson_solver *s, bool diagonal)
{
  const size_t n = s->problem->copies->unknowns;
  const double one = 1;
  OWNED(free) double *inverse = NULL;
  CALL(wisp_hex_upload(err, s->problem->hex, s->problem->mesh, s->arrays));
  if (!diagonal) return wisp_arrays_repeat(err, s->arrays, "inverse", 1, &one);
  CALL(wisp_new(err, n, sizeof *inverse, &inverse));
  CALL(wisp_poisson_diagonal(err, s->problem, inverse));
  wisp_parallel_for(n, invert, inverse);
  return wisp_arrays_upload_part(err, s->arrays, "inverse", 0, n, inverse);
}

/* --- launches --- */

/* One launch more. smoothing: of the Chebyshev iteration, what it has of its own; vector: to be spread. */
static wisp_status add(wisp_error *err, wisp_poisson_solver *s, part kernel, const wisp_cg_scalars *smoothing,
                       const char *vector, wisp_launches *list)
{
  wisp_cg_scalars scalars = smoothing ? *smoothing : (wisp_cg_scalars){.keep = 0};
  wisp_binding all[WISP_CG_SCALARS + 2] = {{"lambda", 0, s->problem->lambda},
                                           {"vector", vector ? wisp_arrays_at(s->arrays, vector) : 0, 0}};
  scalars.scale = s->scale;
  scalars.polynomial = s->degree > 1;
  scalars.rr_parts = blocks(s, ADVANCE);
  scalars.rz_parts = scalars.polynomial ? blocks(s, SMOOTH) : scalars.rr_parts;
  scalars.pAp_parts = blocks(s, GATHER);
  wisp_cg_bind(&scalars, all + 2);
  return wisp_launches_add(err, list, s->kernel[kernel], all, WISP_CG_SCALARS + 2);
}

/* A vector's image in the elements, as y. */
static wisp_status apply(wisp_error *err, wisp_poisson_solver *s, const char *vector, wisp_launches *list)
{
  CALL(add(err, s, SPREAD, NULL, vector, list));
  return add(err, s, OPERATOR, NULL, NULL, list);
}

/* z = r / diagonal by advance, then the Chebyshev iteration for A z = r (Saad 2003, Algorithm 12.1), whose interval has
 * the middle theta and half the width delta. */
static wisp_status precondition(wisp_error *err, wisp_poisson_solver *s, wisp_launches *list)
{
  const double theta = s->bound * (1 + 1.0 / INTERVAL) / 2, delta = s->bound * (1 - 1.0 / INTERVAL) / 2;
  double rho = delta / theta;
  CALL(add(err, s, ADVANCE, NULL, NULL, list));
  for (int k = 1; k < s->degree; k++) {
    const double next = 1 / (2 * theta / delta - rho);
    CALL(apply(err, s, "z", list));
    const wisp_cg_scalars smoothing = {.first_step = k == 1, .keep = next * rho, .gain = 2 * next / delta};
    CALL(add(err, s, SMOOTH, &smoothing, NULL, list));
    rho = next;
  }
  return WISP_OK;
}

/* The iteration with the polynomial at hand. */
static wisp_status make_cg(wisp_error *err, wisp_device *device, wisp_poisson_solver *s)
{
  HELD(wisp_cg_system_free)
  wisp_cg_system system = {.device = device, .problem = s->vectors, .unknowns = s->problem->copies->unknowns};
  CALL(apply(err, s, "p", &system.apply));
  CALL(add(err, s, GATHER, NULL, NULL, &system.apply));
  CALL(precondition(err, s, &system.precondition));
  CALL(add(err, s, UPDATE, NULL, NULL, &system.update));
  wisp_cg_destroy(s->cg);
  s->cg = NULL;
  return wisp_cg_create(err, &system, &s->cg);
}

/* Jacobi's iteration shows what the polynomial needs. */
static wisp_status make_chebyshev(wisp_error *err, wisp_device *device, int degree, wisp_poisson_solver *s)
{
  double largest = 0;
  const wisp_status status = wisp_cg_largest(err, s->cg, &largest);
  if (status != WISP_OK) return wisp_context(err, status, "the Chebyshev preconditioner (jacobi needs no bound): ");
  s->bound = above * largest;
  s->degree = degree;
  s->scale = 2 / (s->bound * (1 + 1.0 / INTERVAL));
  return make_cg(err, device, s);
}

/* --- the solver --- */

wisp_status wisp_poisson_solver_create(wisp_error *err, wisp_device *device, const wisp_poisson *problem,
                                       wisp_stage *stage, const wisp_poisson_method *method, wisp_poisson_solver **out)
{
  OWNED(wisp_poisson_solver_destroy) wisp_poisson_solver *s = NULL;
  CALL(wisp_require(err, method->degree >= 1, WISP_EUSAGE, "a Chebyshev polynomial of degree %d: must be 1 or more",
                    method->degree));
  CALL(wisp_new(err, 1, sizeof *s, &s));
  *s = (wisp_poisson_solver){.problem = problem, .stage = stage, .degree = 1, .scale = 1, .bound = NAN};
  CALL(wisp_new(err, (size_t)stage->kernels, sizeof *s->kernel, &s->kernel));
  CALL(wisp_stage_load(err, device, stage, s->kernel));
  CALL(make_arrays(err, device, method->precision, s));
  CALL(upload(err, s, method->preconditioner != WISP_NO_PRECONDITIONER));
  CALL(make_cg(err, device, s));
  if (method->preconditioner == WISP_CHEBYSHEV) CALL(make_chebyshev(err, device, method->degree, s));
  return GIVE(s, out);
}

void wisp_poisson_solver_destroy(wisp_poisson_solver *s)
{
  if (!s) return;
  wisp_cg_destroy(s->cg);
  for (int i = 0; s->kernel && i < s->stage->kernels; i++) wisp_kernel_destroy(s->kernel[i]);
  free(s->kernel);
  wisp_problem_destroy(s->vectors);
  free(s);
}
