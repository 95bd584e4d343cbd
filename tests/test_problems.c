/* Claim: a problem that is in use stays as it is, whatever else is asked for; one that is not makes room for others;
 * lists are made for those who take them. */
#include "test.h"
#include "each_plan.h"
#include "../runtime/kernel.h"
#include "../tuner/trial/problems.h"

enum { ORDER = 2, LAYOUTS = 3 };
static const double MARK = 7;

/* A nodal update's default in each layout: a problem each. */
typedef struct plans {
  wisp_strategies *strategies;
  wisp_env *names[LAYOUTS];
  wisp_plan *plan[LAYOUTS];
} plans;

static void make_plans(const wisp_device *device, plans *p)
{
  wisp_spec spec = wisp_family_spec(wisp_family_find("nodal"), ORDER, NULL, WISP_F64);
  wisp_layout layouts[8];
  wisp_spec_name_kernel(&spec, "update");
  GOOD(wisp_strategies_load(err, &p->strategies));
  assert_int_equal(wisp_family_layouts(&spec, layouts), LAYOUTS);
  const wisp_strategy *s = wisp_strategies_find(p->strategies, "nodal", "update", "stream");
  for (int l = 0; l < LAYOUTS; l++) {
    p->names[l] = plan_names(wisp_device_limits(device), &spec, &layouts[l]);
    GOOD(wisp_plan_default(err, s, &spec, &layouts[l], p->names[l], &p->plan[l]));
  }
}

static void free_plans(plans *p)
{
  for (int l = 0; l < LAYOUTS; l++) wisp_plan_destroy(p->plan[l]), wisp_env_destroy(p->names[l]);
  wisp_strategies_free(p->strategies);
}

static wisp_problem *acquire(wisp_problems *problems, const wisp_plan *plan)
{
  wisp_problem_ref ref = {0};
  GOOD(wisp_problems_acquire(err, problems, &plan, 1, &ref));
  return ref.problem;
}

static bool is_marked(wisp_problem *problem)
{
  double number;
  GOOD(wisp_arrays_download_part(err, problem->arrays, "u", 0, 1, &number));
  return number == MARK;
}

TEST(test_problems)
{
  OWNED(wisp_device_close) wisp_device *device = open_test_device();
  const wisp_workload *workload = NULL;
  wisp_problems *problems = NULL;
  wisp_problem *held[2];
  plans p = {0};
  make_plans(device, &p);
  GOOD(wisp_workload_find(err, "nodal", "update", &workload));
  GOOD(wisp_problems_create(err, device, workload, &p.plan[0]->spec, 0, NULL, 1,
                            &problems)); /* any is more than there is room */
  for (int l = 0; l < 2; l++) {
    assert_int_equal(wisp_problems_full(problems), l > 0);
    held[l] = acquire(problems, p.plan[l]);
    assert_false(is_marked(held[l]));
    GOOD(wisp_arrays_upload_part(err, held[l]->arrays, "u", 0, 1, &MARK));
  }
  for (int l = 0; l < 2; l++) {
    assert_ptr_equal(acquire(problems, p.plan[l]), held[l]);
    assert_true(is_marked(held[l]));
    wisp_problem_ref_end(&(wisp_problem_ref){problems, held[l]});
  }
  assert_true(wisp_problems_full(problems));
  for (int l = 0; l < 2; l++) wisp_problem_ref_end(&(wisp_problem_ref){problems, held[l]});
  assert_false(wisp_problems_full(problems));
  acquire(problems, p.plan[2]);                         /* the first one goes */
  assert_true(is_marked(acquire(problems, p.plan[1]))); /* the one used last has stayed */
  assert_false(is_marked(acquire(problems, p.plan[0])));
  wisp_problems_destroy(problems);
  free_plans(&p);
}

/* --- lists --- */

static wisp_plan *plan_of(const wisp_device *device, const wisp_strategies *strategies, const char *name)
{
  wisp_spec spec = wisp_family_spec(wisp_family_find("assembly"), 1, NULL, WISP_F64);
  wisp_layout none[8];
  wisp_plan *plan = NULL;
  wisp_family_layouts(&spec, none);
  wisp_spec_name_kernel(&spec, "fill");
  OWNED(wisp_env_destroy) wisp_env *names = plan_names(wisp_device_limits(device), &spec, none);
  GOOD(wisp_plan_default(err, wisp_strategies_find(strategies, "assembly", "fill", name), &spec, none, names, &plan));
  return plan;
}

/* To time on, a problem has the lists that its plan takes and no others, and the same numbers whatever lists it has. */
TEST(test_lists)
{
  enum { FEW = 50, LOOKED_AT = 20 };
  OWNED(wisp_device_close) wisp_device *device = open_test_device();
  const wisp_mesh_source box = wisp_mesh_source_irregular();
  const wisp_workload *workload = NULL;
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  OWNED(wisp_problems_destroy) wisp_problems *problems = NULL;
  double numbers[2][LOOKED_AT];
  GOOD(wisp_strategies_load(err, &strategies));
  OWNED(wisp_plan_destroy)
  wisp_plan *rows = plan_of(device, strategies, "rows"), *nonzeros = plan_of(device, strategies, "nonzeros");
  const wisp_plan *both[] = {rows, nonzeros};
  wisp_problem_ref ref = {0};
  GOOD(wisp_workload_find(err, "assembly", "fill", &workload));
  GOOD(wisp_problems_create(err, device, workload, &rows->spec, FEW, &box, 1u << 30, &problems));
  wisp_problem *of_rows = acquire(problems, rows), *of_nonzeros = acquire(problems, nonzeros);
  GOOD(wisp_problems_acquire(err, problems, both, 2, &ref));
  wisp_problem *const all[] = {of_rows, of_nonzeros, ref.problem};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(wisp_arrays_size(all[i]->arrays, "around") > 0, i != 1);
    assert_int_equal(wisp_arrays_size(all[i]->arrays, "sources") > 0, i != 0);
    assert_int_equal(wisp_arrays_size(all[i]->arrays, "map"), 0);
    GOOD(wisp_arrays_download_part(err, all[i]->arrays, "u", 0, LOOKED_AT, numbers[i > 0]));
    assert_memory_equal(numbers[0], numbers[i > 0], sizeof *numbers);
  }
  assert_ptr_equal(acquire(problems, rows), of_rows);
}

/* Choices that differ have numbers that differ, however their values lie: none is the other's problem. */
TEST(test_fixed_numbers)
{
  static const int values[] = {1, 2, 16, 48, 64, 128, 256, 512, 768, 1024};
  enum { VALUES = sizeof values / sizeof *values };
  uint64_t number[VALUES * VALUES];
  for (int i = 0; i < VALUES * VALUES; i++) {
    wisp_fixed fixed = {0};
    wisp_fixed_ask(&fixed, "max_elements", values[i / VALUES], 0);
    wisp_fixed_ask(&fixed, "list_lanes", values[i % VALUES], 0);
    number[i] = wisp_fixed_number(&fixed);
    for (int k = 0; k < i; k++) assert_true(number[i] != number[k]);
  }
}
