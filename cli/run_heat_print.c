#include "run_heat.h"

#include <math.h>
#include <stdio.h>

const char *wisp_run_heat_cells(const wisp_heat_request *r)
{
  return r->dimension == 2 ? "triangles" : "tets";
}

static void describe_field(const wisp_heat_run *run, double *low, double *high, double *mean)
{
  const double *u = run->u;
  const size_t nodes = run->heat->assembly->nodes->nodes;
  *low = INFINITY, *high = -INFINITY, *mean = 0;
  for (size_t i = 0; i < nodes; i++) *low = fmin(*low, u[i]), *high = fmax(*high, u[i]), *mean += u[i] / (double)nodes;
}

static void print_text(const wisp_heat_request *r, const wisp_heat_run *run)
{
  const wisp_heat_report *report = wisp_heat_solver_report(run->solver);
  const wisp_assembly *s = run->heat->assembly;
  wisp_run_print_domain(&r->run, run->session, run->mesh->elements, wisp_run_heat_cells(r), s->nodes->Np,
                        (double)s->pattern->rows, "unknowns");
  printf("matrix      %zu nonzeros%s\n", s->pattern->nonzeros, r->sliced ? ", in slices of 32 rows" : "");
  const double *k = r->kappa.number;
  printf("problem     c u_t = div(kappa(u) grad u) + f, c = %g, kappa = ", r->capacity);
  if (r->kappa.text)
    printf("%s\n", r->kappa.text);
  else
    printf("%g + %g u + %g u^2\n", k[0], k[1], k[2]);
  printf("assembly    %s\n", run->assembly.composition);
  wisp_run_print_kernels(&run->assembly, r->run.defaults);
  printf("iteration   %s\n", run->iteration.composition);
  wisp_run_print_kernels(&run->iteration, r->run.defaults);
  wisp_run_print_tuning(&r->run, 2, (const wisp_stage *const[]){&run->assembly, &run->iteration});
  if (r->capacity > 0)
    printf("steps       %d of backward Euler to t = %g\n", report->steps, report->t);
  else
    printf("steps       steady\n");
  printf("solves      %d assemblies, %lld iterations of conjugate gradients with Jacobi's preconditioner\n",
         report->assemblies, report->iterations);
  double low, high, mean;
  describe_field(run, &low, &high, &mean);
  printf("u           %.9g to %.9g, %.9g on average of the nodes\n", low, high, mean);
  if (!r->fix) printf("L2 error    %.6e\n", run->l2_error);
  printf("seconds     %.3g setup, %.3g assemblies, %.3g starts of solves, %.3g iterations, %.3g all steps\n",
         run->seconds_setup, report->seconds_assembling, report->seconds_aiming, report->seconds_iterating,
         run->seconds);
}

static cJSON *make_json(const wisp_heat_request *r, const wisp_heat_run *run)
{
  cJSON *object = cJSON_CreateObject();
  const wisp_heat_report *report = wisp_heat_solver_report(run->solver);
  const wisp_pattern *pattern = run->heat->assembly->pattern;
  double low, high, mean;
  describe_field(run, &low, &high, &mean);
  const wisp_json_number numbers[] = {
      {"elements", (double)run->mesh->elements},
      {"order", r->run.order},
      {"unknowns", (double)pattern->rows},
      {"nonzeros", (double)pattern->nonzeros},
      {"capacity", r->capacity},
      {"steps", report->steps},
      {"time", report->t},
      {"assemblies", report->assemblies},
      {"iterations", (double)report->iterations},
      {"residual", report->residual},
      {"change", report->change},
      {"l2_error", run->l2_error},
      {"u_lowest", low},
      {"u_highest", high},
      {"u_mean", mean},
      {"seconds_setup", run->seconds_setup},
      {"seconds_assemblies", report->seconds_assembling},
      {"seconds_starts", report->seconds_aiming},
      {"seconds_iterations", report->seconds_iterating},
      {"seconds", run->seconds},
  };
  cJSON_AddStringToObject(object, "system", "heat");
  cJSON_AddStringToObject(object, "matrix", r->sliced ? "sliced-ell" : "csr");
  cJSON_AddStringToObject(object, "element", r->dimension == 2 ? "tri" : "tet");
  cJSON_AddStringToObject(object, "precision", wisp_precision_name(r->method.precision));
  cJSON_AddStringToObject(object, "device", wisp_device_limits(run->session->device)->name);
  cJSON_AddBoolToObject(object, "converged", report->converged);
  wisp_json_add_numbers(object, WISP_COUNT(numbers), numbers);
  cJSON_AddStringToObject(object, "assembly", run->assembly.composition);
  wisp_run_add_kernels(object, &run->assembly);
  wisp_json_add_notes(object, &run->mesh->notes);
  return object;
}

wisp_status wisp_run_heat_print(wisp_error *err, const wisp_heat_request *request, const wisp_heat_run *run)
{
  if (request->run.json) return wisp_json_put(err, make_json(request, run));
  print_text(request, run);
  return WISP_OK;
}
