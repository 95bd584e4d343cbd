#include "integrator.h"

/* LSRK4(5), solution 3 of Carpenter & Kennedy 1994 (NASA TM 109112), as their fractions. */
static const wisp_rk_stage stages[] = {
    {0.0, 1432997174477.0 / 9575080441755.0, 0.0},
    {-567301805773.0 / 1357537059087.0, 5161836677717.0 / 13612068292357.0, 1432997174477.0 / 9575080441755.0},
    {-2404267990393.0 / 2016746695238.0, 1720146321549.0 / 2090206949498.0, 2526269341429.0 / 6820363962896.0},
    {-3550918686646.0 / 2091501179385.0, 3134564353537.0 / 4481467310338.0, 2006345519317.0 / 3224310063776.0},
    {-1275806237668.0 / 842570457699.0, 2277821191437.0 / 14882151754819.0, 2802321613138.0 / 2924317926251.0},
};

static const double nested_stages[] = {3.0 / 25, 1.0 / 4, 1.0 / 3, 1.0 / 2, 1};

_Static_assert(WISP_COUNT(nested_stages) == WISP_COUNT(stages) && WISP_COUNT(stages) <= WISP_MOST_STAGES, "one method");

const wisp_scheme wisp_lsrk45 = {.stages = WISP_COUNT(stages), .stage = stages, .nested = nested_stages};

static bool takes(const wisp_kernel *const *kernel, int kernels, const char *array)
{
  bool any = false;
  for (int i = 0; i < kernels; i++) any |= wisp_plan_takes(kernel[i]->plan, array);
  return any;
}

wisp_integrator wisp_integrator_of(wisp_problem *problem, const wisp_kernel *const *kernel, int kernels,
                                   const wisp_scheme *scheme, double alpha)
{
  const bool nested = takes(kernel, kernels, "u_n"), moves = takes(kernel, kernels, "u_next");
  return (wisp_integrator){.problem = problem,
                           .kernel = kernel,
                           .kernels = kernels,
                           .alpha = alpha,
                           .scheme = scheme,
                           .nested = nested,
                           .moves = moves,
                           .step_moves = moves && (nested || scheme->stages % 2)};
}

/* u and u_next change places: a kernel that reads u of its neighbours cannot overwrite it. */
static void move(const wisp_integrator *i)
{
  if (i->moves) wisp_arrays_swap(i->problem->arrays, "u", "u_next");
}

/* res = a res + dt L u, u += b res */
static wisp_status low_storage_stage(wisp_error *err, const wisp_integrator *i, double a, double b, double dt)
{
  const wisp_scalars scalars = {.alpha = i->alpha, .a = a, .b = b, .dt = dt};
  for (int k = 0; k < i->kernels; k++) CALL(wisp_problem_launch(err, i->problem, i->kernel[k], &scalars));
  move(i);
  return WISP_OK;
}

/* to = begun + dt L from, arrays by their names. */
static wisp_status nested_stage(wisp_error *err, const wisp_integrator *i, const char *begun, const char *from,
                                const char *to, double dt)
{
  enum { PLACES = 3 };
  const wisp_arrays *arrays = i->problem->arrays;
  wisp_binding bindings[PLACES + WISP_DG_SCALARS] = {{"u_n", wisp_arrays_at(arrays, begun), 0},
                                                     {"u", wisp_arrays_at(arrays, from), 0},
                                                     {"u_next", wisp_arrays_at(arrays, to), 0}};
  wisp_dg_bind(&(wisp_scalars){.alpha = i->alpha, .dt = dt}, bindings + PLACES);
  for (int k = 0; k < i->kernels; k++)
    CALL(wisp_problem_run(err, i->problem, i->kernel[k], bindings, WISP_COUNT(bindings)));
  return WISP_OK;
}

static wisp_status nested_step(wisp_error *err, const wisp_integrator *i, double dt)
{
  static const char *const arrays[] = {"res", "u_next"};
  const char *from = "u";
  for (int s = 0, left = i->scheme->stages; left > 0; s++, left--) { /* the last in u_next */
    CALL(nested_stage(err, i, "u", from, arrays[left % 2], i->scheme->nested[s] * dt));
    from = arrays[left % 2];
  }
  move(i);
  return WISP_OK;
}

wisp_status wisp_integrator_step(wisp_error *err, const wisp_integrator *i, double dt)
{
  if (i->nested) return nested_step(err, i, dt);
  for (int s = 0; s < i->scheme->stages; s++)
    CALL(low_storage_stage(err, i, i->scheme->stage[s].a, i->scheme->stage[s].b, dt));
  return WISP_OK;
}

/* Nested, res stays 0 and u_next takes the result. In low storage it comes to be in res, and u, left as it was, is the
 * next res: a is 0. */
wisp_status wisp_integrator_apply(wisp_error *err, const wisp_integrator *i, double dt)
{
  if (i->nested) {
    CALL(nested_stage(err, i, "res", "u", "u_next", dt));
    move(i);
    return WISP_OK;
  }
  CALL(low_storage_stage(err, i, 0, 0, dt));
  wisp_arrays_swap(i->problem->arrays, "u", "res");
  return WISP_OK;
}

/* --- the sequence: res holds u_k - u_(k-1) in low storage, u_(k-1) where nested --- */

wisp_status wisp_integrator_begin(wisp_error *err, const wisp_integrator *i)
{
  wisp_problem *p = i->problem;
  const size_t bytes = wisp_arrays_size(p->arrays, "u") * (size_t)i->kernel[0]->plan->spec.precision;
  if (!i->nested) return wisp_arrays_fill(err, p->arrays, "res", 0);
  return wisp_device_copy(err, p->device, wisp_arrays_at(p->arrays, "res"), wisp_arrays_at(p->arrays, "u"), bytes);
}

/* res = (1 + beta) u - beta res */
static wisp_status mix(wisp_error *err, const wisp_integrator *i, double beta)
{
  wisp_arrays *arrays = i->problem->arrays;
  const unsigned grid[2] = {256, 1}, block[3] = {256, 1, 1};
  wisp_pointer x = wisp_arrays_at(arrays, "u"), y = wisp_arrays_at(arrays, "res");
  long long count = (long long)wisp_arrays_size(arrays, "u");
  void *args[] = {&x, &y, &beta, &count};
  return wisp_launch(err, i->mixing, NULL, grid, block, args, WISP_COUNT(args));
}

wisp_status wisp_integrator_recur(wisp_error *err, const wisp_integrator *i, double beta, double alpha)
{
  if (!i->nested) return low_storage_stage(err, i, beta, 1, alpha);
  CALL(mix(err, i, beta));
  CALL(nested_stage(err, i, "res", "u", "u_next", alpha));
  move(i);
  wisp_arrays_swap(i->problem->arrays, "res", "u_next");
  return WISP_OK;
}
