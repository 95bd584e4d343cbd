/* What runs without a store, kernel by kernel: the one meaning of "default" wherever winners are compared with it. */
#include "solver.h"
#include "../../gen/family.h"

#include <stdio.h>
#include <string.h>

static bool has_kernel(const char *composition, const char *kernel)
{
  size_t length = strlen(kernel);
  for (const char *at = composition; *at; at += *at == '+') {
    size_t here = strcspn(at, "+");
    if (here == length && memcmp(at, kernel, length) == 0) return true;
    at += here;
  }
  return false;
}

/* The step of that composition, without a store. *there: it has plans here. */
static wisp_status choose(wisp_error *err, const wisp_strategies *strategies, const wisp_limits *limits,
                          const wisp_spec *spec, const char *composition, bool *there, wisp_step *out)
{
  const wisp_solver_request request = {.family = spec->family,
                                       .system = spec->system,
                                       .order = spec->order,
                                       .precision = spec->precision,
                                       .composition = composition};
  wisp_error reason = {.text = ""};
  wisp_status status = wisp_step_choose(&reason, strategies, NULL, limits, &request, out);
  *there = status == WISP_OK;
  return status == WISP_OK || status == WISP_EREFUSED ? WISP_OK : wisp_fail(err, status, "%s", reason.text);
}

/* Leaves the step that one of its kernels only. */
static void keep_kernel(wisp_step *step, const char *kernel)
{
  int kept = 0;
  for (int k = 0; k < step->kernels; k++) {
    if (kept || strcmp(step->choice[k].kernel, kernel) != 0) {
      wisp_plan_destroy(step->plan[k]);
      continue;
    }
    step->plan[0] = step->plan[k];
    step->choice[0] = step->choice[k];
    kept = 1;
  }
  step->kernels = kept;
  snprintf(step->composition, sizeof step->composition, "%s", kernel);
  if (!kept) wisp_step_free(step);
}

wisp_status wisp_step_standard(wisp_error *err, const wisp_strategies *strategies, const wisp_limits *limits,
                               const wisp_spec *spec, wisp_step *out)
{
  wisp_status status = WISP_OK;
  const wisp_family *family = wisp_family_find(spec->family);
  const char *const lone[] = {spec->kernel, NULL};
  wisp_step step = {.kernels = 0};
  bool whole = strcmp(spec->kernel, "step") == 0, there = false;
  TRY(wisp_require(err, family, WISP_EUSAGE, "there is no family '%s'", spec->family));
  if (whole) {
    TRY(choose(err, strategies, limits, spec, NULL, &there, &step));
  } else {
    const char *const *list = family->compositions[0] ? family->compositions : lone;
    for (int c = 0; list[c] && !there; c++)
      if (has_kernel(list[c], spec->kernel)) TRY(choose(err, strategies, limits, spec, list[c], &there, &step));
    if (there) keep_kernel(&step, spec->kernel);
  }
  *out = step;
  step = (wisp_step){.kernels = 0};
done:
  wisp_step_free(&step);
  return status;
}
