#include "run_poisson.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const equations[3] = {
    "u = f, mass at Gauss points",
    "-laplace(u) + lambda u = f, stiffness at Gauss points",
    "-laplace(u) + lambda u = f, stiffness at the nodes",
};

static bool is_trilinear(const wisp_poisson_run *run)
{
  return wisp_stage_has(&run->stage, "vertices");
}

/* Which operator an automatic choice came to, and why it is a guess where nothing was measured. */
static void print_geometry(const wisp_poisson_request *r, const wisp_poisson_run *run)
{
  const char *way = is_trilinear(run) ? "made of the vertices" : "stored factors";
  const char *why = "";
  if (r->geometry == WISP_GEOMETRY_AUTO)
    why = wisp_run_operator(&run->stage)->match == WISP_MATCH_DEFAULT ? " (auto: nothing measured, fewer bytes)"
                                                                      : " (auto: the faster winner)";
  printf("geometry    %s%s\n", way, why);
}

static void print_text(const wisp_poisson_request *r, const wisp_poisson_run *run)
{
  const wisp_cg_report *report = &run->report;
  wisp_run_print_domain(&r->run, run->session, run->mesh->elements, "hexes", run->problem->hex->Np, run->unknowns,
                        "unknowns");
  printf("problem     %s: %s", wisp_poisson_problems[r->op], equations[r->op]);
  if (r->op != WISP_HEX_MASS) printf(", lambda %g", r->lambda);
  printf("\n");
  print_geometry(r, run);
  printf("iteration   %s\n", run->stage.composition);
  wisp_run_print_kernels(&run->stage, r->run.defaults);
  printf("solver      conjugate gradients, preconditioner %s", wisp_poisson_preconditioners[r->method.preconditioner]);
  if (r->method.preconditioner == WISP_CHEBYSHEV)
    printf(" of degree %d, eigenvalues below %.3g", r->method.degree, run->solver->bound);
  printf("\niterations  %lld, residual %.3e", report->iterations, report->residual);
  if (r->tolerance > 0) printf(" (%s %g)", report->converged ? "reached" : "not reached:", r->tolerance);
  printf("\nL2 error    %.6e\n", run->l2_error);
  if (report->iterations)
    printf("speed       %.4g ms an iteration, %.4g GDOF/s, %.3g s in all\n", report->ms_per_iteration, run->gdofs,
           report->ms_per_iteration * (double)report->iterations / 1e3);
}

static cJSON *make_json(const wisp_poisson_request *r, const wisp_poisson_run *run)
{
  cJSON *object = cJSON_CreateObject();
  const wisp_cg_report *report = &run->report;
  const wisp_json_number numbers[] = {
      {"elements", (double)run->mesh->elements},
      {"order", r->run.order},
      {"dofs", run->unknowns},
      {"lambda", r->lambda},
      {"degree", r->method.preconditioner == WISP_CHEBYSHEV ? (double)r->method.degree : NAN},
      {"eigenvalue_bound", run->solver->bound},
      {"iterations", (double)report->iterations},
      {"tolerance", r->tolerance},
      {"residual", report->residual},
      {"l2_error", run->l2_error},
      {"ms_per_iteration", report->iterations ? report->ms_per_iteration : NAN},
      {"gdofs", run->gdofs},
      {"seconds", report->ms_per_iteration * (double)report->iterations / 1e3},
  };
  cJSON_AddStringToObject(object, "system", "poisson");
  cJSON_AddStringToObject(object, "problem", wisp_poisson_problems[r->op]);
  cJSON_AddStringToObject(object, "geometry", is_trilinear(run) ? "trilinear" : "stored");
  cJSON_AddStringToObject(object, "preconditioner", wisp_poisson_preconditioners[r->method.preconditioner]);
  cJSON_AddStringToObject(object, "precision", wisp_precision_name(r->run.precision));
  cJSON_AddStringToObject(object, "device", wisp_device_limits(run->session->device)->name);
  cJSON_AddBoolToObject(object, "converged", report->converged);
  wisp_json_add_numbers(object, WISP_COUNT(numbers), numbers);
  cJSON_AddStringToObject(object, "composition", run->stage.composition);
  wisp_run_add_kernels(object, &run->stage);
  return object;
}

wisp_status wisp_run_poisson_print(wisp_error *err, const wisp_poisson_request *request, const wisp_poisson_run *run)
{
  if (request->run.json) return wisp_json_put(err, make_json(request, run));
  print_text(request, run);
  return WISP_OK;
}
