#include "plants.h"
#include "test.h"
#include "each_plan.h"
#include "../tuner/trial/at_size.h"
#include "../tuner/trial/verify.h"

static const size_t problem_bytes = (size_t)512 << 20;

/* Devices, data and problems that the plants of one list are checked on. */
typedef struct bench {
  wisp_device *device;
  wisp_verifier *verifier;
  wisp_strategies *strategies;
  wisp_problems *problems; /* of the workload of `spec` and its kernel, of so many elements; NULL: of none */
  wisp_at_size *at_size;
  wisp_spec spec;
  const wisp_workload *workload;
  long long elements; /* as asked: 0 for those to time on */
} bench;

/* A strategy's default candidate, compiled. */
typedef struct candidate {
  wisp_env *names;
  wisp_plan *plan;
  wisp_binary binary;
  wisp_kernel *kernel;
} candidate;

static void candidate_free(candidate *c)
{
  wisp_kernel_destroy(c->kernel);
  free(c->binary.data);
  wisp_plan_destroy(c->plan);
  wisp_env_destroy(c->names);
  *c = (candidate){.kernel = NULL};
}

/* Those of the family's layouts that the strategy has a candidate in, the one with most elements a group. */
static wisp_status make_candidate(wisp_error *err, const bench *b, const wisp_strategy *strategy, const wisp_spec *spec,
                                  candidate *c)
{
  const wisp_target target = wisp_limits_target(wisp_device_limits(b->device));
  wisp_status status = WISP_EREFUSED;
  wisp_layout layouts[8];
  for (int l = wisp_family_layouts(spec, layouts); status == WISP_EREFUSED && l-- > 0;) {
    wisp_env_destroy(c->names), c->names = NULL;
    CALL(wisp_names_create(err, spec, &layouts[l], &target, NULL, &c->names));
    status = wisp_plan_default(err, strategy, spec, &layouts[l], c->names, &c->plan);
  }
  CALL(status);
  CALL(wisp_plan_compile(err, c->plan, wisp_device_limits(b->device)->target, &c->binary));
  return wisp_kernel_create(err, b->device, c->plan, &c->binary, &c->kernel);
}

static void leave_problems(bench *b)
{
  wisp_at_size_destroy(b->at_size);
  wisp_problems_destroy(b->problems);
  b->at_size = NULL, b->problems = NULL;
}

/* The check of the problem that kernels are timed on, or of the one of many elements. */
static wisp_status check_at_size(wisp_error *err, bench *b, const wisp_kernel *kernel, const planted *p)
{
  const wisp_mesh_source source = wisp_mesh_source_irregular();
  const wisp_workload *workload = NULL;
  HELD(wisp_problem_ref_end) wisp_problem_ref timed = {0};
  CALL(wisp_workload_find(err, kernel->plan->spec.family, kernel->plan->spec.kernel, &workload));
  const long long elements = p->shows == ON_MANY ? wisp_workload_many(workload, &kernel->plan->spec) : p->elements;
  if (!b->problems || workload != b->workload || elements != b->elements ||
      !wisp_spec_same_element(&b->spec, &kernel->plan->spec) || b->spec.precision != kernel->plan->spec.precision) {
    leave_problems(b);
    b->spec = kernel->plan->spec, b->workload = workload, b->elements = elements;
    CALL(wisp_problems_create(err, b->device, workload, &b->spec, elements, &source, problem_bytes, &b->problems));
    CALL(wisp_at_size_create(err, b->device, workload, b->problems, &b->at_size));
  }
  CALL(wisp_problems_acquire(err, b->problems, &kernel->plan, 1, &timed));
  return wisp_at_size_check(err, b->at_size, timed.problem, kernel);
}

/* The strategy's candidate of this order, or of the next lower one that it has a candidate of on this device. */
static wisp_status make_at_order(wisp_error *err, const bench *b, const planted *p, const wisp_strategy *strategy,
                                 int order, wisp_precision precision, candidate *c)
{
  wisp_status status = WISP_EREFUSED;
  for (; status == WISP_EREFUSED && order >= 1; order--) {
    wisp_spec spec = wisp_family_spec(wisp_family_find(p->family), order, p->system, precision);
    if (p->element) wisp_spec_name_element(&spec, p->element);
    wisp_spec_name_kernel(&spec, p->kernel);
    status = make_candidate(err, b, strategy, &spec, c);
  }
  return status;
}

/* All that a trial is checked by, as far as the plant needs it. */
static wisp_status check(wisp_error *err, bench *b, const planted *p, const char *name, int order,
                         wisp_precision precision)
{
  const wisp_strategy *strategy = wisp_strategies_find(b->strategies, p->family, p->kernel, name);
  HELD(candidate_free) candidate c = {.kernel = NULL};
  double error = 0;
  if (!strategy) fail_msg("%s.%s: no strategy %s", p->family, p->kernel, name);
  CALL(make_at_order(err, b, p, strategy, order, precision, &c));
  CALL(wisp_verifier_check(err, b->verifier, c.kernel, &error));
  return p->shows == ON_SMALL ? WISP_OK : check_at_size(err, b, c.kernel, p);
}

static void plant_name(const planted *p, size_t i, char name[64])
{
  snprintf(name, 64, "plant-%zu-%s", i, p->name);
}

void plants_write(const char *folder, const planted_list *list)
{
  char name[64];
  for (size_t i = 0; i < list->count; i++) {
    const planted *p = &list->first[i];
    plant_name(p, i, name);
    plant_edited(folder, p->family, p->kernel, p->base, name, p->edits, MOST_EDITS);
  }
}

/* One of some stands for the others, unless shares of all are asked for; those of a number of elements need each other.
 */
static bool plant_has_turn(const planted *p, size_t i)
{
  const size_t some = getenv("WISP_TEST_COARSE") ? 9 : 3;
  const char *name = getenv("WISP_TEST_PLANT");
  if (name) return strcmp(p->name, name) == 0;
  return walks_in_full() || p->elements || (getenv("WISP_TEST_SHARE") ? share_has_turn(i) : i % some == 0);
}

static int plant_order(const planted_list *list, size_t i)
{
  const planted *p = &list->first[i];
  const char *of_all = getenv("WISP_TEST_ORDER");
  return p->order ? p->order : of_all ? atoi(of_all) : list->orders[i / 6 % PLANT_ORDERS];
}

static wisp_precision plant_precision(const planted_list *list, size_t i)
{
  const planted *p = &list->first[i];
  return p->single || (i % 2 == 0 && !p->only_double) ? WISP_F32 : WISP_F64;
}

/* False, and a line, where the plant is not found wrong, or a shipped kernel is. */
static bool plant_is_caught(bench *b, const planted_list *list, size_t i)
{
  char name[64];
  wisp_error err = {0};
  const planted *p = &list->first[i];
  const int order = plant_order(list, i);
  const bool right = !p->edits[0].from;
  plant_name(p, i, name);
  const wisp_status status = check(&err, b, p, name, order, plant_precision(list, i));
  if (status == (right ? WISP_OK : WISP_EWRONG)) return true;
  print_error("%s, %s.%s, order %d, '%s': status %d: %s\n", p->name, p->kernel, p->base, order,
              right ? "" : p->edits[0].to, (int)status, err.text);
  return false;
}

/* Those of an order and precision. Neighbours share a problem then. */
static int count_missed(bench *b, const planted_list *list, int order, wisp_precision precision)
{
  int missed = 0;
  for (size_t i = 0; i < list->count; i++) {
    const planted *p = &list->first[i];
    if (plant_order(list, i) != order || plant_precision(list, i) != precision) continue;
    if (!plant_has_turn(p, i) || (p->host && !test_device_is_host())) continue;
    missed += !plant_is_caught(b, list, i);
  }
  return missed;
}

void plants_check(const char *folder, const planted_list *list)
{
  enum { HIGHEST = 15 };
  bench b = {.device = open_test_device()};
  int missed = 0;
  plants_write(folder, list);
  setenv("WISP_TEMPLATES", folder, 1);
  GOOD(wisp_strategies_load(err, &b.strategies));
  GOOD(wisp_verifier_create(err, b.device, &b.verifier));
  for (int order = 1; order <= HIGHEST; order++)
    for (int precision = 0; precision < 2; precision++)
      missed += count_missed(&b, list, order, precision ? WISP_F64 : WISP_F32);
  leave_problems(&b);
  wisp_verifier_destroy(b.verifier);
  wisp_strategies_free(b.strategies);
  wisp_device_close(b.device);
  unsetenv("WISP_TEMPLATES");
  assert_int_equal(missed, 0);
}
