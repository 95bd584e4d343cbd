/* Sends each candidate to its workload. */
#include "verify.h"
#include "../gen/random.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WORKLOADS = 16 };

struct wisp_verifier {
  wisp_device *device;
  uint64_t seed;
  void *own[MAX_WORKLOADS]; /* by workload; NULL: not needed yet */
};

static wisp_status find(wisp_error *err, wisp_verifier *v, const wisp_plan *plan, const wisp_workload **workload,
                        void **own)
{
  wisp_status status = WISP_OK;
  int i = 0;
  const wisp_spec *spec = wisp_plan_spec(plan);
  TRY(wisp_workload_find(err, spec->family, spec->kernel, workload));
  while (wisp_workloads[i] != *workload) i++;
  if (!v->own[i]) TRY((*workload)->verifier_create(err, v->device, &v->own[i]));
  *own = v->own[i];
done:
  return status;
}

void wisp_verifier_seed(wisp_verifier *v, uint64_t seed)
{
  v->seed = seed;
}

wisp_status wisp_verifier_prepare(wisp_error *err, wisp_verifier *v, const wisp_plan *plan)
{
  const wisp_workload *workload = NULL;
  void *own = NULL;
  wisp_status status = find(err, v, plan, &workload, &own);
  return status == WISP_OK ? workload->prepare(err, own, plan, v->seed) : status;
}

wisp_status wisp_verifier_check(wisp_error *err, wisp_verifier *v, const wisp_kernel *kernel, double *error)
{
  const wisp_workload *workload = NULL;
  void *own = NULL;
  wisp_status status = find(err, v, wisp_kernel_plan(kernel), &workload, &own);
  return status == WISP_OK ? workload->check(err, own, kernel, v->seed, error) : status;
}

wisp_status wisp_verify_untouched(wisp_error *err, wisp_arrays *arrays, const wisp_kept *before,
                                  const char *const *writes)
{
  wisp_status status = WISP_OK;
  bool intact = true;
  char array[32] = "";
  size_t number = 0;
  TRY(wisp_arrays_guards(err, arrays, &intact, array));
  TRY(wisp_require(err, intact, WISP_EWRONG, "writes outside array %s", array));
  TRY(wisp_arrays_changed(err, arrays, before, writes, array, &number));
  TRY(wisp_require(err, !*array, WISP_EWRONG, "changes number %zu of array %s, which is no output", number, array));
done:
  return status;
}

wisp_status wisp_verify_guards(wisp_error *err, wisp_device *device, wisp_arrays *arrays)
{
  wisp_status status = WISP_OK;
  bool intact = true;
  char array[32] = "";
  TRY(wisp_device_finish(err, device));
  TRY(wisp_arrays_guards(err, arrays, &intact, array));
  TRY(wisp_require(err, intact, WISP_EWRONG, "writes outside array %s", array));
done:
  return status;
}

wisp_status wisp_verifier_create(wisp_error *err, wisp_device *device, wisp_verifier **out)
{
  wisp_verifier *v = NULL;
  wisp_status status = wisp_new(err, 1, sizeof *v, &v);
  if (status != WISP_OK) return status;
  v->device = device;
  v->seed = WISP_RANDOM_SEED;
  *out = v;
  return WISP_OK;
}

void wisp_verifier_destroy(wisp_verifier *v)
{
  if (!v) return;
  for (int i = 0; wisp_workloads[i]; i++) wisp_workloads[i]->verifier_destroy(v->own[i]);
  free(v);
}
