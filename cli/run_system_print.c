#include "run_system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where composition and layout come from; what the kernels themselves run with is another matter. */
static void print_origin(const wisp_system_request *request, const wisp_stage *stage)
{
  printf("chosen by   ");
  if (stage->whole.match != WISP_MATCH_DEFAULT)
    printf("step record: %s, %s layer%s\n", wisp_match_name(stage->whole.match), wisp_layer_name(stage->whole.layer),
           stage->whole.stale ? "; stale: its kernels have changed since" : "");
  else if (request->kernels.composition || request->kernels.layout)
    printf("the request\n");
  else
    printf("default: %s\n", request->run.defaults ? "as asked" : "the store has no record of a step on this device");
}

/* The least and the largest value of a quantity. */
static void range_of(const wisp_system_run *run, int q, double range[2])
{
  const size_t n = (size_t)run->system->quantities;
  range[0] = range[1] = run->medium[q];
  for (size_t e = 0; e < run->mesh->elements; e++) {
    range[0] = fmin(range[0], run->medium[e * n + (size_t)q]);
    range[1] = fmax(range[1], run->medium[e * n + (size_t)q]);
  }
}

static void print_coefficients(const wisp_system_run *run)
{
  const char *before = "medium      ";
  double range[2];
  for (int q = 0; q < run->system->quantities; q++) {
    if (run->system->quantity[q].expression) continue;
    range_of(run, q, range);
    printf("%s%s %g", before, run->system->quantity[q].name, range[0]);
    if (range[1] > range[0]) printf(" to %g", range[1]);
    before = ", ";
  }
  if (run->system->quantities) printf("\n");
}

static const char *name_walls(const wisp_system_request *request, const wisp_system_run *run)
{
  return run->walls.of_face ? request->boundary : run->system->boundary[run->walls.boundary].name;
}

static void print_text(const wisp_system_request *request, const wisp_system_run *run)
{
  const wisp_stage *stage = &run->stage;
  char layout[WISP_LAYOUT_TEXT];
  wisp_layout_print(&stage->layout, layout);
  wisp_run_print_domain(&request->run, run->session, run->mesh->elements, "elements", run->tet->Np, run->dofs, "DOFs");
  printf("basis       %s%s%s\n", run->basis.name, *run->basis.reason ? ": " : "", run->basis.reason);
  print_coefficients(run);
  const double *at = run->start.surroundings.middle;
  printf("start       %s", run->start.text);
  if (run->start.state->walls < 0) printf(" at (%g, %g, %g)", at[0], at[1], at[2]);
  printf(", walls %s, alpha %g\n", name_walls(request, run), request->alpha);
  printf("steps       %lld of %.6g to time %.6g; ", run->steps, run->dt, run->dt * (double)run->steps);
  if (run->measured)
    printf("stable up to %.4g, cfl %.3g\n", run->limit, run->dt / run->limit);
  else
    printf("%s: to measure the longest stable one would take longer than the run\n",
           isnan(request->dt) ? "safe without a measurement" : "as asked");
  printf("stage       %s in %s\n", stage->composition, layout);
  printf("method      LSRK4(5), %s\n", run->solver->integrator.nested
                                           ? "nested: the same step, as the equations are linear, in three words a DOF "
                                             "and stage in place of four"
                                           : "in low storage: four words a DOF and stage");
  print_origin(request, stage);
  wisp_run_print_kernels(stage, request->run.defaults);
  wisp_run_print_tuning(&request->run, 1, &stage);
  if (run->known)
    printf("L2 error    %.6e\n", run->l2_error);
  else
    printf("L2 error    not known: no closed solution for this domain, medium, start and walls\n");
  if (run->measured)
    printf("time error  %.1e estimated, of the steps alone; it falls with the fourth power of --cfl\n",
           run->time_error);
  printf("energy      %.9g at the start, %.9g at the end\n", run->energy_initial, run->energy_final);
  if (run->steps)
    printf("speed       %.4g ms a stage, %.4g GDOF/s, %.3g s in all, %.3g s a unit of time\n", run->ms_per_stage,
           run->gdofs, run->seconds, run->seconds / (run->dt * (double)run->steps));
  if (request->output) printf("output      %s\n", request->output);
}

/* The weakest match of a kernel; and the record that named composition and layout, or null. */
static void add_origin(cJSON *object, const wisp_stage *stage)
{
  wisp_match weakest = WISP_MATCH_EXACT;
  for (int i = 0; i < stage->kernels; i++)
    if (stage->choice[i].match > weakest) weakest = stage->choice[i].match;
  cJSON_AddStringToObject(object, "composition", stage->composition);
  cJSON_AddStringToObject(object, "match", wisp_match_name(weakest));
  if (stage->whole.match == WISP_MATCH_DEFAULT) {
    cJSON_AddNullToObject(object, "step_record");
    return;
  }
  cJSON *record = cJSON_AddObjectToObject(object, "step_record");
  cJSON_AddStringToObject(record, "match", wisp_match_name(stage->whole.match));
  cJSON_AddStringToObject(record, "layer", wisp_layer_name(stage->whole.layer));
  cJSON_AddBoolToObject(record, "stale", stage->whole.stale);
}

/* Of each coefficient its least and its largest value. */
static void add_coefficients(cJSON *object, const wisp_system_run *run)
{
  cJSON *all = run->system->quantities ? cJSON_AddObjectToObject(object, "coefficients") : NULL;
  double range[2];
  for (int q = 0; q < run->system->quantities; q++) {
    if (run->system->quantity[q].expression) continue;
    range_of(run, q, range);
    cJSON_AddItemToObject(all, run->system->quantity[q].name, cJSON_CreateDoubleArray(range, 2));
  }
}

static cJSON *make_json(const wisp_system_request *request, const wisp_system_run *run)
{
  cJSON *object = cJSON_CreateObject();
  const wisp_json_number numbers[] = {
      {"elements", (double)run->mesh->elements},
      {"order", request->run.order},
      {"dofs", run->dofs},
      {"alpha", request->alpha},
      {"steps", (double)run->steps},
      {"dt", run->dt},
      {"dt_limit", run->limit},
      {"cfl", run->dt / run->limit},
      {"time", run->dt * (double)run->steps},
      {"l2_error", run->l2_error},
      {"time_error", run->time_error},
      {"start_misfit", run->misfit},
      {"energy_initial", run->energy_initial},
      {"energy_final", run->energy_final},
      {"ms_per_stage", run->steps ? run->ms_per_stage : NAN},
      {"gdofs", run->gdofs},
      {"seconds", run->seconds},
      {"seconds_per_time", run->steps ? run->seconds / (run->dt * (double)run->steps) : NAN},
  };
  cJSON_AddStringToObject(object, "system", run->system->name);
  cJSON_AddStringToObject(object, "basis", run->basis.name);
  cJSON_AddStringToObject(object, "basis_reason", run->basis.reason);
  cJSON_AddStringToObject(object, "precision", wisp_precision_name(request->run.precision));
  cJSON_AddStringToObject(object, "device", wisp_device_limits(run->session->device)->name);
  cJSON_AddStringToObject(object, "start", run->start.text);
  cJSON_AddItemToObject(object, "start_middle", cJSON_CreateDoubleArray(run->start.surroundings.middle, 3));
  cJSON_AddBoolToObject(object, "nested", run->solver->integrator.nested);
  cJSON_AddStringToObject(object, "boundary", name_walls(request, run));
  wisp_json_add_numbers(object, WISP_COUNT(numbers), numbers);
  add_coefficients(object, run);
  add_origin(object, &run->stage);
  wisp_run_add_kernels(object, &run->stage);
  wisp_json_add_notes(object, &run->mesh->notes);
  return object;
}

wisp_status wisp_run_system_print(wisp_error *err, const wisp_system_request *request, const wisp_system_run *run)
{
  if (request->run.json) return wisp_json_put(err, make_json(request, run));
  print_text(request, run);
  return WISP_OK;
}
