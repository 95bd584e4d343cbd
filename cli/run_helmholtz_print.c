#include "run_helmholtz.h"

#include <math.h>
#include <stdio.h>

static double unknowns(const wisp_helmholtz_run *run)
{
  return (double)run->problem->hdg->free_edges * run->problem->hdg->tables->n;
}

/* The least and the greatest tau of all triangles, in the mesh's units. */
static void find_tau(const wisp_helmholtz_wishes *r, const wisp_helmholtz_run *run, double tau[2])
{
  const double *values = run->problem->tau, L = run->problem->hdg->frame.length;
  tau[0] = INFINITY, tau[1] = 0;
  for (size_t e = 0; e < run->mesh->elements; e++) {
    const double own = r->data.tau > 0 ? r->data.tau : values[WISP_SLAB(3, e, 0)] / L;
    tau[0] = fmin(tau[0], own), tau[1] = fmax(tau[1], own);
  }
}

static void print_text(const wisp_helmholtz_wishes *r, const wisp_helmholtz_run *run)
{
  static const char *const parts[] = {"set-up", "iteration", "fields"};
  const wisp_helmholtz_outcome *report = &run->report;
  const wisp_helmholtz_errors *e = &run->errors;
  const char *known = r->data.solution;
  char range[64];
  double tau[2];
  find_tau(r, run, tau);
  snprintf(range, sizeof range, tau[0] < tau[1] ? "%g to %g" : "%g", tau[0], tau[1]);
  wisp_run_print_domain(&r->run, run->session, run->mesh->elements, "triangles", run->problem->hdg->tables->Np,
                        unknowns(run), "unknowns");
  printf("problem     -div(kappa grad u) + lambda u = f, kappa = %s, lambda = %s, tau = %s, %s %s\n", r->data.kappa,
         r->data.lambda, range, known ? "u =" : "f =",
         known            ? known
         : r->data.source ? r->data.source
                          : "0");
  const wisp_stage *stages[WISP_HELMHOLTZ_AGAIN];
  for (int part = 0; part < WISP_HELMHOLTZ_AGAIN; part++) {
    stages[part] = &run->stage[part];
    printf("%-11s %s\n", parts[part], run->stage[part].composition);
    wisp_run_print_kernels(&run->stage[part], r->run.defaults);
  }
  wisp_run_print_tuning(&r->run, WISP_HELMHOLTZ_AGAIN, stages);
  printf("solve       %lld iterations of conjugate gradients, preconditioner %s, residual %.2e, %.4f ms each\n",
         report->cg.iterations, wisp_trace_preconditioners[r->method.preconditioner], report->cg.residual,
         report->cg.ms_per_iteration);
  if (known) printf("L2 error    u %.6e, p %.6e, u* %.6e\n", e->l2_u, e->l2_p, e->l2_ustar);
  if (known) printf("Linf error  u %.6e\n", e->linf_u);
  printf("memory      %.3f GB on the device: %.3f set-up, %.3f more for iterations, %.3f for fields\n",
         (double)report->bytes / 1e9, (double)report->part_bytes[WISP_HELMHOLTZ_SETUP] / 1e9,
         (double)report->part_bytes[WISP_HELMHOLTZ_ITERATION] / 1e9,
         (double)report->part_bytes[WISP_HELMHOLTZ_FIELDS] / 1e9);
  printf("seconds     %.3g on the host before, of that %.3g edges and coarse levels\n", run->seconds_setup,
         run->problem->hdg->seconds);
  printf("            %.3g set-up, %.3g preconditioner, %.3g iterations, %.3g fields, %.3g in all\n",
         report->seconds[WISP_HELMHOLTZ_SETUP], report->seconds_numbers, report->seconds[WISP_HELMHOLTZ_ITERATION],
         report->seconds[WISP_HELMHOLTZ_FIELDS], run->seconds);
}

static cJSON *make_json(const wisp_helmholtz_wishes *r, const wisp_helmholtz_run *run)
{
  cJSON *object = cJSON_CreateObject();
  const wisp_helmholtz_outcome *report = &run->report;
  double tau[2];
  find_tau(r, run, tau);
  const wisp_json_number numbers[] = {
      {"elements", (double)run->mesh->elements},
      {"edges", (double)run->problem->hdg->edges},
      {"order", r->run.order},
      {"unknowns", unknowns(run)},
      {"tau", tau[1]},
      {"iterations", (double)report->cg.iterations},
      {"residual", report->cg.residual},
      {"ms_per_iteration", report->cg.ms_per_iteration},
      {"l2_u", run->errors.l2_u},
      {"l2_p", run->errors.l2_p},
      {"l2_ustar", run->errors.l2_ustar},
      {"linf_u", run->errors.linf_u},
      {"bytes", (double)report->bytes},
      {"bytes_setup", (double)report->part_bytes[WISP_HELMHOLTZ_SETUP]},
      {"bytes_iterations", (double)report->part_bytes[WISP_HELMHOLTZ_ITERATION]},
      {"bytes_fields", (double)report->part_bytes[WISP_HELMHOLTZ_FIELDS]},
      {"seconds_before", run->seconds_setup},
      {"seconds_setup", report->seconds[WISP_HELMHOLTZ_SETUP]},
      {"seconds_mesh", run->problem->hdg->seconds},
      {"seconds_preconditioner", report->seconds_numbers},
      {"seconds_iterations", report->seconds[WISP_HELMHOLTZ_ITERATION]},
      {"seconds_fields", report->seconds[WISP_HELMHOLTZ_FIELDS]},
      {"seconds", run->seconds},
  };
  cJSON_AddStringToObject(object, "system", "helmholtz");
  cJSON_AddStringToObject(object, "element", "tri");
  cJSON_AddStringToObject(object, "kappa", r->data.kappa);
  cJSON_AddStringToObject(object, "lambda", r->data.lambda);
  cJSON_AddStringToObject(object, "precision", wisp_precision_name(r->method.precision));
  cJSON_AddStringToObject(object, "device", wisp_device_limits(run->session->device)->name);
  cJSON_AddStringToObject(object, "preconditioner", wisp_trace_preconditioners[r->method.preconditioner]);
  cJSON_AddBoolToObject(object, "converged", report->cg.converged);
  wisp_json_add_numbers(object, WISP_COUNT(numbers), numbers);
  cJSON_AddStringToObject(object, "setup", run->stage[WISP_HELMHOLTZ_SETUP].composition);
  wisp_run_add_kernels(object, &run->stage[WISP_HELMHOLTZ_SETUP]);
  wisp_json_add_notes(object, &run->mesh->notes);
  return object;
}

wisp_status wisp_run_helmholtz_print(wisp_error *err, const wisp_helmholtz_wishes *request,
                                     const wisp_helmholtz_run *run)
{
  if (request->run.json) return wisp_json_put(err, make_json(request, run));
  print_text(request, run);
  return WISP_OK;
}
