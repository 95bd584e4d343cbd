/* The nodal DG family in the tuner: boxes of tets to time on, steps of Runge-Kutta stages, and the vendor's product
 * beside those kernels that are one. */
#include "nodal_example.h"
#include "nodal_verify.h"
#include "rival.h"
#include "tolerance.h"
#include "workload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Timing problems, as cubes along an edge of the unit box (6 n^3 tets). On a GPU: what a kernel reads and writes is
 * larger than twice a large L2 (126 MB) even in single precision. On the host: a trial takes milliseconds. */
static const struct {
  int up_to_order, gpu, host;
} boxes[] = {{1, 48, 8}, {2, 36, 8}, {3, 28, 8}, {4, 26, 6}, {5, 22, 6},
             {6, 20, 6}, {7, 18, 5}, {8, 16, 5}, {10, 15, 5}};

static wisp_status create(wisp_error *err, wisp_device *device, int order, long long elements,
                          const wisp_mesh_source *source, void **out)
{
  wisp_status status = WISP_OK;
  const wisp_limits *limits = wisp_device_limits(device);
  bool host = strcmp(limits->kind, "host") == 0;
  wisp_mesh *mesh = NULL;
  wisp_nodal_problems *problems = NULL;
  wisp_mesh_source what = *source;
  int n = 1;
  for (size_t i = sizeof boxes / sizeof *boxes; elements <= 0 && i-- > 0;)
    if (order <= boxes[i].up_to_order) n = host ? boxes[i].host : boxes[i].gpu;
  while (6ll * n * n * n < elements) n++;
  for (int d = 0; d < 3; d++) what.box[d] = n;
  TRY(wisp_mesh_make(err, &what, &mesh));
  TRY(wisp_nodal_problems_create(err, device, mesh, limits->memory / (host ? 8 : 2), &problems));
  *out = problems;
done:
  return status;
}

static void destroy(void *problems)
{
  wisp_nodal_problems_destroy(problems);
}

static long long elements(const void *problems)
{
  return (long long)wisp_nodal_problems_mesh(problems)->elements;
}

static wisp_status get(wisp_error *err, void *problems, const wisp_plan *const *plans, int count, void **out)
{
  wisp_problem *problem = NULL;
  wisp_status status = wisp_nodal_problems_get(err, problems, plans, count, &problem);
  if (status == WISP_OK) *out = problem;
  return status;
}

static wisp_status launch(wisp_error *err, void *problem, const wisp_kernel *kernel)
{
  static const wisp_scalars steady = {.alpha = 1, .a = -0.5, .b = 0.25, .dt = 1e-10};
  return wisp_problem_launch(err, problem, kernel, &steady);
}

/* --- the timed problem as a check --- */

static wisp_arrays *arrays(void *problem)
{
  return wisp_problem_arrays(problem);
}

static wisp_status restart(wisp_error *err, void *problem, const wisp_plan *plan)
{
  return wisp_nodal_problems_restart(err, problem, plan);
}

/* A step such as a solver takes: what was and what is added are then of one size. */
static wisp_scalars usual(const wisp_problem *problem)
{
  const wisp_dg *dg = wisp_problem_dg(problem);
  const double nodes = dg->tet->N + 1;
  return (wisp_scalars){.alpha = 0.75, .a = -0.5, .b = 0.25, .dt = dg->min_length / (nodes * nodes)};
}

static wisp_status launch_once(wisp_error *err, void *problem, const wisp_kernel *kernel)
{
  const wisp_scalars scalars = usual(problem);
  return wisp_problem_launch(err, problem, kernel, &scalars);
}

static wisp_status bound(wisp_error *err, void *problems, void *problem, const wisp_plan *plan, const char *array,
                         double *out, wisp_pointer *mask)
{
  wisp_status status = WISP_OK;
  const wisp_dg *dg = wisp_problem_dg(problem);
  const wisp_spec *spec = wisp_plan_spec(plan);
  const wisp_scalars scalars = usual(problem);
  double largest[WISP_NODAL_ARRAYS];
  int a = 0;
  while (a < WISP_NODAL_ARRAYS && strcmp(wisp_nodal_names[a], array) != 0) a++;
  *out = NAN;
  if (a == WISP_NODAL_ARRAYS) goto done;
  TRY(wisp_nodal_largest(err, dg, spec->kernel, &scalars, largest));
  TRY(wisp_nodal_problems_mask(err, problems, problem, a == WISP_NODAL_FLUX, mask));
  *out = wisp_tolerance(spec, &dg->layout) * largest[a];
done:
  return status;
}

static bool writes_next(const wisp_plan *plan)
{
  const wisp_arg *args = NULL;
  int count = wisp_plan_args(plan, &args);
  for (int i = 0; i < count; i++)
    if (strcmp(args[i].name, "u_next") == 0) return true;
  return false;
}

/* A time step so small that the fields stay as they are. */
static wisp_status launch_step(wisp_error *err, void *problem, const wisp_kernel *const *kernels, int count)
{
  wisp_status status = WISP_OK;
  bool swaps = false;
  for (int i = 0; i < count; i++) swaps |= writes_next(wisp_kernel_plan(kernels[i]));
  for (int stage = 0; stage < WISP_RK_STAGES; stage++) {
    const wisp_scalars scalars = {.alpha = 1, .a = wisp_lsrk45[stage].a, .b = wisp_lsrk45[stage].b, .dt = 1e-10};
    for (int i = 0; i < count; i++) TRY(wisp_problem_launch(err, problem, kernels[i], &scalars));
    if (swaps) wisp_problem_swap(problem);
  }
done:
  return status;
}

static void destroy_rival(void *rival)
{
  wisp_rival_destroy(rival);
}

/* The fastest of the library's ways to the same product. */
static wisp_status yardstick(wisp_error *err, wisp_device *device, wisp_blas *blas, const wisp_spec *spec,
                             long long count, wisp_yardstick *out)
{
  wisp_status status = WISP_OK;
  wisp_system *system = NULL;
  wisp_tet *tet = NULL;
  wisp_rival *rival = NULL;
  if (!blas || !wisp_rival_exists(spec->kernel)) return WISP_OK;
  TRY(wisp_system_load(err, spec->system, &system));
  TRY(wisp_tet_create(err, spec->order, &tet));
  TRY(wisp_rival_create(err, device, blas, tet, spec->kernel, spec->precision, (size_t)count * (size_t)system->fields,
                        &rival));
  TRY(wisp_rival_choose(err, rival));
  *out = (wisp_yardstick){
      .run = wisp_rival_run, .destroy = destroy_rival, .context = rival, .error = wisp_rival_error(rival)};
  snprintf(out->name, sizeof out->name, "%s", wisp_rival_name(rival));
  rival = NULL;
done:
  wisp_rival_destroy(rival);
  wisp_tet_destroy(tet);
  wisp_system_destroy(system);
  return status;
}

static wisp_status verifier_create(wisp_error *err, wisp_device *device, void **out)
{
  wisp_nodal_verifier *verifier = NULL;
  wisp_status status = wisp_nodal_verifier_create(err, device, &verifier);
  if (status == WISP_OK) *out = verifier;
  return status;
}

static void verifier_destroy(void *verifier)
{
  wisp_nodal_verifier_destroy(verifier);
}

static wisp_status prepare(wisp_error *err, void *verifier, const wisp_plan *plan, uint64_t seed)
{
  return wisp_nodal_verifier_prepare(err, verifier, plan, seed);
}

static wisp_status check(wisp_error *err, void *verifier, const wisp_kernel *kernel, uint64_t seed, double *error)
{
  return wisp_nodal_verifier_check(err, verifier, kernel, seed, error);
}

const wisp_workload wisp_workload_nodal = {
    .family = "nodal",
    .create = create,
    .destroy = destroy,
    .elements = elements,
    .get = get,
    .launch = launch,
    .arrays = arrays,
    .restart = restart,
    .launch_once = launch_once,
    .bound = bound,
    .stages = WISP_RK_STAGES,
    .launch_step = launch_step,
    .yardstick = yardstick,
    .published = 6ll * 26 * 26 * 26,
    .verifier_create = verifier_create,
    .verifier_destroy = verifier_destroy,
    .prepare = prepare,
    .check = check,
};
