/* A kernel on the small problems of its workload, against the cases' references; the same for every family. */
#include "verify.h"
#include "example_cache.h"
#include "examples.h"
#include "problems.h"
#include "test_cases.h"
#include "../../gen/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORKLOADS = 16, MAX_MESHES = 7, LAUNCHES = 3, CROWDED_LAUNCHES = 5, DRAWN = 10, DRAWN_SIZES = 4 };
static const size_t problem_bytes = (size_t)512 << 20;

/* The problems, test cases and examples of one workload, of one element and order. */
typedef struct place {
  wisp_spec spec;
  wisp_problems *problems; /* NULL: nothing yet */
  wisp_test_cases *cases;
  wisp_example_cache examples;
} place;

struct wisp_verifier {
  wisp_device *device;
  uint64_t seed;
  int most_extremes;
  place place[MAX_MESHES][MAX_WORKLOADS]; /* by mesh and workload */
};

void wisp_verifier_seed(wisp_verifier *v, uint64_t seed)
{
  v->seed = seed;
}

void wisp_verifier_extremes(wisp_verifier *v, int most)
{
  v->most_extremes = most;
}

static void leave(place *p)
{
  wisp_example_cache_clear(&p->examples);
  wisp_test_cases_destroy(p->cases);
  wisp_problems_destroy(p->problems);
  *p = (place){.problems = NULL};
}

static wisp_status find_place(wisp_error *err, wisp_verifier *v, const wisp_spec *spec, int mesh, place **out)
{
  wisp_status status = WISP_OK;
  const wisp_workload *workload = NULL;
  place *p = v->place[mesh];
  TRY(wisp_workload_find(err, spec->family, spec->kernel, &workload));
  for (size_t i = 0; wisp_workload_at(i) != workload && i < MAX_WORKLOADS - 1; i++) p++;
  *out = p;
  if (p->problems && wisp_spec_same_element(&p->spec, spec)) return WISP_OK;
  leave(p);
  TRY(wisp_problems_create(err, v->device, workload, spec, mesh, NULL, problem_bytes, &p->problems));
  TRY(wisp_test_cases_create(err, workload, wisp_problems_test_mesh(p->problems), WISP_MOST_CASES, &p->cases));
  p->spec = *spec;
done:
  if (status != WISP_OK && workload) leave(p);
  return status;
}

/* --- the check --- */

/* One round at hand. */
typedef struct running_case {
  wisp_judged judged;
  const wisp_kernel *kernel;
  const wisp_plan *plan;
  const wisp_test_case *test_case;
  wisp_problem_ref ref;
  wisp_problem *problem;
  const wisp_kept *before, *others_before; /* of the case, and of all cases */
  wisp_kept *first;                        /* what the first launch has left */
  const char *writes[WISP_MAX_ARRAYS + 1];
  const char *others[WISP_MAX_ARRAYS + 1]; /* but its inputs */
  int launches;
  wisp_schedule schedule; /* of the next one */
  bool last;              /* of its mesh: guard zones are looked at */
} running_case;

static wisp_status find_case(wisp_error *err, wisp_verifier *v, const wisp_plan *plan, int mesh, int number,
                             running_case *r)
{
  const wisp_spec *spec = &plan->spec;
  place *p = NULL;
  int writes = 0, others = 0;
  CALL(find_place(err, v, spec, mesh, &p));
  CALL(wisp_problems_acquire(err, p->problems, &plan, 1, &r->ref));
  r->problem = r->ref.problem;
  CALL(wisp_test_cases_get(err, p->cases, spec, wisp_plan_rounding(plan), number, v->seed, &r->test_case));
  CALL(wisp_example_find(err, &p->examples, plan, r->problem, r->test_case, true, &r->others_before));
  CALL(wisp_example_find(err, &p->examples, plan, r->problem, r->test_case, false, &r->before));
  const wisp_array_decl *arrays = r->problem->d.family->arrays;
  for (int a = 0; arrays[a].name; a++)
    if (r->test_case->after[a]) r->writes[writes++] = arrays[a].name;
  for (int a = 0; arrays[a].name; a++)
    if (r->test_case->after[a] || !wisp_list_has(r->test_case->kernel->reads, arrays[a].name))
      r->others[others++] = arrays[a].name;
  r->plan = plan;
  return wisp_judged_fill(err, r->problem, plan, r->test_case, &r->judged);
}

static wisp_status restore(wisp_error *err, const running_case *r, const char *const *names)
{
  CALL(wisp_arrays_restore(err, r->problem->arrays, r->others_before, names));
  return wisp_arrays_restore(err, r->problem->arrays, r->before, names);
}

static void leave_case(running_case *r)
{
  wisp_kept_free(r->first);
  wisp_problem_ref_end(&r->ref);
}

wisp_status wisp_verify_guards(wisp_error *err, wisp_arrays *arrays)
{
  bool intact = true;
  char array[32] = "";
  CALL(wisp_arrays_guards(err, arrays, &intact, array));
  return wisp_require(err, intact, WISP_EWRONG, "writes outside array %s", array);
}

/* Inputs are unchanged, and all arrays that are no outputs where zones outside arrays are checked: after the last
 * launch of a mesh, as nothing restores these in between, and in the workload's own cases. */
static wisp_status check_untouched(wisp_error *err, const running_case *r, bool outside)
{
  const bool all = outside || wisp_test_case_extreme(r->test_case) < 0;
  wisp_arrays *arrays = r->problem->arrays;
  char array[32] = "";
  size_t number = 0;
  if (outside) CALL(wisp_verify_guards(err, arrays));
  const char *const *except = all ? r->writes : r->others;
  CALL(wisp_arrays_changed(err, arrays, r->before, except, array, &number));
  if (!*array) CALL(wisp_arrays_changed(err, arrays, r->others_before, except, array, &number));
  return wisp_require(err, !*array, WISP_EWRONG, "changes number %zu of array %s, which is no output", number, array);
}

/* The same numbers as at the first launch, bit for bit. */
static wisp_status check_repeats(wisp_error *err, const running_case *r)
{
  wisp_arrays *arrays = r->problem->arrays;
  char array[32] = "";
  size_t number = 0;
  CALL(wisp_arrays_compare_begin(err, arrays));
  for (int i = 0; r->writes[i]; i++) {
    wisp_pointer mask = 0;
    CALL(wisp_problem_mask(err, r->problem, r->writes[i], &mask));
    CALL(wisp_arrays_compare(err, arrays, r->first, mask, r->writes[i], 0));
  }
  CALL(wisp_arrays_compare_end(err, arrays, array, &number));
  return wisp_require(err, !*array, WISP_EWRONG,
                      "number %zu of %s is not the same at every launch from the same data: it does not repeat", number,
                      array);
}

/* A launch on geometry of NaN: a kernel that kept some of it would be wrong from then on. */
static wisp_status launch_blind(wisp_error *err, const running_case *r)
{
  wisp_arrays *arrays = r->problem->arrays;
  CALL(restore(err, r, NULL));
  for (const wisp_array_decl *array = r->problem->d.family->arrays; array->name; array++)
    if (array->kind == WISP_FIXED && !wisp_numbers[array->type].integer && wisp_arrays_size(arrays, array->name))
      CALL(wisp_arrays_fill(err, arrays, array->name, 0xff));
  return wisp_test_case_launch(err, r->problem, r->kernel, r->test_case, WISP_SCHEDULE_USUAL);
}

static wisp_status launch(wisp_error *err, running_case *r, int number, double *error)
{
  const bool end = number == r->launches - 1, exact = !r->plan->strategy->varies;
  wisp_arrays *arrays = r->problem->arrays;
  CALL(restore(err, r, number > 0 ? r->writes : NULL));
  CALL(wisp_test_case_launch(err, r->problem, r->kernel, r->test_case, r->schedule));
  if (number == 0 || end) CALL(check_untouched(err, r, r->last && end));
  if (number == 0 || !exact) CALL(wisp_judge(err, &r->judged, SIZE_MAX, error));
  if (number > 0 && exact) CALL(check_repeats(err, r));
  if (number == 0 && !end) CALL(wisp_arrays_keep(err, arrays, r->writes, &r->first));
  return WISP_OK;
}

/* The cases of a kernel: the workload's own; extremes, until each value that solvers pass to it has come up, and some
 * more of its range; and one on each other mesh. */
typedef struct case_list {
  int own, extremes, meshes;
  bool crowded; /* the last mesh is */
} case_list;

static int most(int a, const wisp_passed_values *passed)
{
  return a > passed->count ? a : passed->count;
}

/* Fewer are drawn for a kernel that reads no scalar and no coefficient. */
static wisp_status list_cases(wisp_error *err, const wisp_verifier *v, const wisp_plan *plan, case_list *out)
{
  int passed = 0;
  const wisp_workload *workload = NULL;
  const wisp_spec *spec = &plan->spec;
  const wisp_strategy *s = plan->strategy;
  const wisp_family *family = wisp_family_find(spec->family);
  const wisp_kernel_decl *kernel = wisp_family_kernel(family, spec->kernel);
  CALL(wisp_workload_find(err, spec->family, spec->kernel, &workload));
  *out = (case_list){.own = workload->cases ? workload->cases(spec->kernel) : 2,
                     .meshes = workload->other_meshes - (spec->precision == WISP_F32 ? workload->double_meshes : 0),
                     .crowded = s->varies && workload->crowded_mesh};
  out->meshes += out->crowded;
  for (const wisp_arg *arg = s->arg; arg < s->arg + s->args; arg++) {
    const wisp_scalar_decl *scalar = wisp_family_scalar(family, arg->name);
    if (arg->kind == WISP_ARG_VALUE && scalar) passed = most(passed, &scalar->passed);
  }
  for (const wisp_array_decl *array = family->arrays; array->name; array++)
    if (wisp_list_has(kernel->reads, array->name)) passed = most(passed, &array->passed);
  out->extremes = most(passed, &family->magnitudes) + (passed ? DRAWN : DRAWN_SIZES);
  if (out->extremes > v->most_extremes) out->extremes = v->most_extremes;
  return wisp_require(err, out->own > 0, WISP_EUSAGE, "no reference for kernel '%s'", spec->kernel);
}

static int count_cases(const case_list *list)
{
  return list->own + list->extremes + list->meshes;
}

/* The i-th case: its mesh, and its number in wisp_test_inputs. */
static int find_number(const case_list *list, int i, int *mesh)
{
  *mesh = i < list->own + list->extremes ? 0 : i - list->own - list->extremes + 1;
  return *mesh ? WISP_PLAIN : i < list->own ? i : WISP_EXTREMES + i - list->own;
}

/* A mesh of few elements may leave nothing to compute, or more in a list than the kernel has room for. */
static bool mesh_is_unfit(int mesh, wisp_status status)
{
  return mesh && (status == WISP_EREFUSED || status == WISP_EUSAGE);
}

wisp_status wisp_verifier_prepare(wisp_error *err, wisp_verifier *v, const wisp_plan *plan)
{
  case_list list = {0};
  CALL(list_cases(err, v, plan, &list));
  for (int i = 0; i < count_cases(&list); i++) {
    HELD(leave_case) running_case r = {.last = false};
    int mesh = 0;
    const int number = find_number(&list, i, &mesh);
    const wisp_status found = find_case(err, v, plan, mesh, number, &r);
    if (!mesh_is_unfit(mesh, found)) CALL(found);
  }
  return WISP_OK;
}

/* A small mesh may have none of what a kernel works on. */
static wisp_status check_arrays(wisp_error *err, const running_case *r)
{
  const wisp_strategy *s = r->plan->strategy;
  for (const wisp_arg *arg = s->arg; arg < s->arg + s->args; arg++) {
    const bool there = wisp_arrays_at(r->problem->arrays, arg->name),
               other = r->test_case->as && strcmp(r->test_case->as, arg->name) == 0;
    CALL(wisp_require(err, there || other || arg->kind == WISP_ARG_VALUE || arg->kind == WISP_ARG_OPERAND,
                      WISP_EREFUSED, "this mesh has no %s", arg->name));
  }
  return WISP_OK;
}

/* Launch number k where elements meet: by threads at once, then interrupted as it writes one array or another. */
static void disturb(running_case *r, int k)
{
  const wisp_arrays *arrays = r->problem->arrays;
  int outputs = 0;
  while (r->writes[outputs]) outputs++;
  const char *array = r->writes[k % outputs];
  r->schedule = k == 0 ? WISP_SCHEDULE_SINGLE : WISP_SCHEDULE_INTERRUPTED;
  wisp_device_interrupt_at(r->kernel->device, wisp_arrays_at(arrays, array), wisp_arrays_bytes_of(arrays, array));
}

/* One case. Lists are looked at once a mesh. */
static wisp_status check_case(wisp_error *err, wisp_verifier *v, const wisp_kernel *kernel, const case_list *list,
                              int i, double *error)
{
  int mesh = 0;
  const int number = find_number(list, i, &mesh);
  const bool crowded = list->crowded && mesh == list->meshes;
  HELD(leave_case)
  running_case r = {.kernel = kernel, .launches = crowded ? CROWDED_LAUNCHES : i < list->own ? LAUNCHES : 1};
  const wisp_workload *workload = NULL;
  r.last = i + 1 == list->own || i + 1 == list->own + list->extremes || mesh;
  CALL(wisp_workload_find(err, kernel->plan->spec.family, kernel->plan->spec.kernel, &workload));
  CALL(find_case(err, v, kernel->plan, mesh, number, &r));
  if (mesh) CALL(check_arrays(err, &r));
  if ((i == 0 || mesh) && workload->lists) CALL(workload->lists(err, r.problem, kernel->plan));
  if (i == 0) CALL(launch_blind(err, &r));
  for (int k = 0; k < r.launches; k++) {
    r.schedule = (wisp_schedule)((i + k) % WISP_SCHEDULES);
    if (crowded) disturb(&r, k);
    const wisp_status status = launch(err, &r, k, error);
    if (status == WISP_EWRONG) wisp_verify_guards(NULL, r.problem->arrays); /* whole again for the next kernel */
    CALL(status);
  }
  return WISP_OK;
}

/* The case on the first other mesh that is fit for the kernel; out->problem is NULL without any. */
static wisp_status find_other(wisp_error *err, wisp_verifier *v, const case_list *list, running_case *out)
{
  const running_case empty = *out;
  for (int mesh = 1; mesh <= list->meshes; mesh++) {
    wisp_error reason = {0};
    wisp_status status = find_case(&reason, v, out->kernel->plan, mesh, WISP_PLAIN, out);
    if (status == WISP_OK) status = check_arrays(&reason, out);
    if (status == WISP_OK) return WISP_OK;
    leave_case(out);
    *out = empty;
    CALL(wisp_require(err, mesh_is_unfit(mesh, status), status, "%s", reason.text));
  }
  return WISP_OK;
}

/* Two problems in turn, of which the second lies where the first one did: a kernel keeps nothing by its address. */
static wisp_status check_in_turn(wisp_error *err, wisp_verifier *v, const wisp_kernel *kernel, const case_list *list,
                                 double *error)
{
  HELD(leave_case) running_case first = {.kernel = kernel, .launches = 1};
  HELD(leave_case) running_case other = {.kernel = kernel, .launches = 1};
  CALL(find_case(err, v, kernel->plan, 0, 0, &first));
  CALL(find_other(err, v, list, &other));
  if (!other.problem) return WISP_OK;
  CALL(wisp_context(err, launch(err, &first, 0, error), "in turn: "));
  wisp_arrays_exchange(first.problem->arrays, other.problem->arrays);
  const wisp_status status = launch(err, &other, 0, error);
  wisp_arrays_exchange(first.problem->arrays, other.problem->arrays);
  CALL(wisp_context(err, status, "of another problem at the same addresses: "));
  return wisp_context(err, launch(err, &first, 0, error), "in turn: ");
}

wisp_status wisp_verifier_check(wisp_error *err, wisp_verifier *v, const wisp_kernel *kernel, double *error)
{
  case_list list = {0};
  *error = 0;
  CALL(list_cases(err, v, kernel->plan, &list));
  for (int i = 0; i < count_cases(&list); i++) {
    wisp_error reason = {0};
    const wisp_status status = check_case(&reason, v, kernel, &list, i, error);
    if (!mesh_is_unfit(i >= list.own + list.extremes, status))
      CALL(wisp_require(err, status == WISP_OK, status, "%s", reason.text));
  }
  return check_in_turn(err, v, kernel, &list, error);
}

wisp_status wisp_verifier_create(wisp_error *err, wisp_device *device, wisp_verifier **out)
{
  CALL(wisp_new(err, 1, sizeof **out, out));
  (*out)->device = device;
  (*out)->seed = WISP_RANDOM_SEED;
  (*out)->most_extremes = WISP_PLAIN - WISP_EXTREMES;
  return WISP_OK;
}

void wisp_verifier_destroy(wisp_verifier *v)
{
  if (!v) return;
  for (int m = 0; m < MAX_MESHES; m++)
    for (int i = 0; i < MAX_WORKLOADS; i++) leave(&v->place[m][i]);
  free(v);
}

/* --- beside sums in single precision --- */

/* Fetches an array after a launch, in the order of `after`. */
static wisp_status fetch(wisp_error *err, const running_case *r, const wisp_array_decl *array, double *out)
{
  const size_t size = wisp_arrays_size(r->problem->arrays, array->name), *origins = NULL;
  OWNED(free) double *got = NULL;
  CALL(wisp_new(err, size, sizeof *got, &got));
  CALL(wisp_example_download(err, r->problem->arrays, array, got));
  CALL(wisp_problem_origins(err, r->problem, array, &origins));
  for (size_t i = 0; i < size; i++)
    if (origins[i] != WISP_NOBODY) out[origins[i]] = got[i];
  return WISP_OK;
}

/* A round's results; both are the caller's, zeroed before. */
static wisp_status run_case(wisp_error *err, wisp_verifier *v, const wisp_kernel *kernel, wisp_test_inputs data,
                            running_case *r, wisp_results *own)
{
  r->kernel = kernel;
  CALL(find_case(err, v, kernel->plan, 0, (int)data, r));
  CALL(wisp_results_create(err, r->test_case, own));
  CALL(restore(err, r, NULL));
  CALL(wisp_test_case_launch(err, r->problem, kernel, r->test_case, WISP_SCHEDULE_USUAL));
  for (int a = 0; a < WISP_MAX_ARRAYS; a++)
    if (own->of[a]) CALL(fetch(err, r, &r->problem->d.family->arrays[a], own->of[a]));
  return WISP_OK;
}

static bool all_finite(const double *number, size_t count)
{
  bool finite = true;
  for (size_t i = 0; i < count; i++) finite &= isfinite(number[i]) != 0;
  return finite;
}

wisp_status wisp_verifier_unbounded(wisp_error *err, wisp_verifier *v, const wisp_kernel *kernel)
{
  HELD(leave_case) running_case r = {.last = false};
  HELD(wisp_results_free) wisp_results own = {{NULL}};
  CALL(run_case(err, v, kernel, WISP_UNBOUNDED, &r, &own));
  for (int a = 0; a < WISP_MAX_ARRAYS; a++)
    for (size_t q = 0; own.of[a] && q < r.test_case->numbers[a]; q += r.test_case->together) {
      const bool got = all_finite(own.of[a] + q, r.test_case->together),
                 expected = all_finite(r.test_case->after[a] + q, r.test_case->together);
      CALL(wisp_require(err, got == expected, WISP_EWRONG, "element %zu: %s is%s finite, and should%s be",
                        q / r.test_case->together, r.problem->d.family->arrays[a].name, got ? "" : " not",
                        expected ? "" : " not"));
    }
  return WISP_OK;
}

wisp_status wisp_verifier_compare_single(wisp_error *err, wisp_verifier *v, const wisp_kernel *kernel,
                                         wisp_test_inputs data, double *error, double *single)
{
  const wisp_spec *spec = &kernel->plan->spec;
  const wisp_workload *workload = NULL;
  place *p = NULL;
  HELD(leave_case) running_case r = {.last = false};
  HELD(wisp_results_free) wisp_results own = {{NULL}};
  double length = 0, matrix = 0;
  *error = *single = 0;
  CALL(wisp_workload_find(err, spec->family, spec->kernel, &workload));
  CALL(wisp_family_sums(err, spec, &length, &matrix));
  if (!workload->single_sums || !(matrix > 0) || spec->precision != WISP_F32) return WISP_OK;
  CALL(find_place(err, v, spec, 0, &p));
  CALL(run_case(err, v, kernel, data, &r, &own));
  CALL(wisp_test_cases_single_error(err, p->cases, r.test_case, single));
  *error = wisp_results_error(&own, r.test_case);
  return WISP_OK;
}
