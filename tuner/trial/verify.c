/* A kernel on the small problems of its workload, against the cases' references; the same for every family. */
#include "verify.h"
#include "problems.h"
#include "test_cases.h"
#include "../../gen/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORKLOADS = 16, MAX_EXAMPLES = 48, LAUNCHES = 3 };
static const size_t problem_bytes = (size_t)512 << 20;

/* A round's data on a device, in one layout. */
typedef struct example {
  wisp_setting of;
  int number;
  uint64_t seed;
  unsigned long long used;
  wisp_kept *before; /* all arrays */
} example;

/* The problems, test cases and examples of one workload, of one element and order. */
typedef struct place {
  wisp_spec spec;
  wisp_problems *problems; /* NULL: nothing yet */
  wisp_test_cases *cases;
  unsigned long long clock;
  int count;
  example examples[MAX_EXAMPLES];
} place;

struct wisp_verifier {
  wisp_device *device;
  uint64_t seed;
  place place[MAX_WORKLOADS]; /* by workload */
};

void wisp_verifier_seed(wisp_verifier *v, uint64_t seed)
{
  v->seed = seed;
}

static void leave(place *p)
{
  for (int i = 0; i < p->count; i++) wisp_kept_free(p->examples[i].before);
  wisp_test_cases_destroy(p->cases);
  wisp_problems_destroy(p->problems);
  *p = (place){.problems = NULL};
}

static wisp_status find_place(wisp_error *err, wisp_verifier *v, const wisp_spec *spec, place **out)
{
  wisp_status status = WISP_OK;
  const wisp_workload *workload = NULL;
  place *p = v->place;
  TRY(wisp_workload_find(err, spec->family, spec->kernel, &workload));
  for (size_t i = 0; wisp_workload_at(i) != workload && i < MAX_WORKLOADS - 1; i++) p++;
  *out = p;
  if (p->problems && wisp_spec_same_element(&p->spec, spec)) return WISP_OK;
  leave(p);
  TRY(wisp_problems_create(err, v->device, workload, spec, 0, NULL, problem_bytes, &p->problems));
  TRY(wisp_test_cases_create(err, workload, wisp_problems_test_mesh(p->problems), &p->cases));
  p->spec = *spec;
done:
  if (status != WISP_OK && workload) leave(p);
  return status;
}

/* --- examples --- */

static wisp_status upload(wisp_error *err, wisp_arrays *arrays, const wisp_array_decl *array, const double *values)
{
  const size_t size = wisp_arrays_size(arrays, array->name);
  OWNED(free) int *ints = NULL;
  if (!wisp_numbers[array->type].integer) return wisp_arrays_upload(err, arrays, array->name, values);
  CALL(wisp_new(err, size, sizeof *ints, &ints));
  for (size_t i = 0; i < size; i++) ints[i] = (int)values[i];
  return wisp_arrays_upload_ints(err, arrays, array->name, ints);
}

/* An array as a problem has it; NaN in what is nobody's. */
static wisp_status lay_out(wisp_error *err, wisp_problem *problem, const wisp_array_decl *array, const double *natural)
{
  const size_t size = wisp_arrays_size(problem->arrays, array->name), *from = NULL;
  OWNED(free) double *values = NULL;
  CALL(wisp_problem_origins(err, problem, array, &from));
  CALL(wisp_new(err, size, sizeof *values, &values));
  for (size_t i = 0; i < size; i++) values[i] = from[i] == WISP_NOBODY ? NAN : natural[from[i]];
  return upload(err, problem->arrays, array, values);
}

/* Arrays that the kernel does not read are NaN, fixed arrays of reals too. */
static wisp_status make_example(wisp_error *err, wisp_problem *problem, const wisp_test_case *test_case,
                                wisp_kept **kept)
{
  wisp_arrays *arrays = problem->arrays;
  size_t a = 0;
  CALL(wisp_problem_refill(err, problem));
  for (const wisp_array_decl *array = problem->d.family->arrays; array->name; array++, a++) {
    if (!wisp_arrays_size(arrays, array->name)) continue;
    if (test_case->before[a])
      CALL(lay_out(err, problem, array, test_case->before[a]));
    else if (!wisp_numbers[array->type].integer &&
             !(array->kind == WISP_FIXED && wisp_list_has(test_case->kernel->reads, array->name)))
      CALL(wisp_arrays_fill(err, arrays, array->name, 0xff));
  }
  return wisp_arrays_keep(err, arrays, NULL, kept);
}

static bool same(const example *a, const example *b)
{
  return wisp_setting_same(&a->of, &b->of) && a->number == b->number && a->seed == b->seed;
}

static wisp_status find_example(wisp_error *err, place *p, const wisp_plan *plan, wisp_problem *problem,
                                const wisp_test_case *test_case, uint64_t seed, const wisp_kept **out)
{
  example key = {.of = wisp_setting_of(plan), .number = test_case->number, .seed = seed, .used = ++p->clock};
  int at = 0;
  for (int i = 0; i < p->count; i++) {
    if (same(&p->examples[i], &key)) {
      p->examples[i].used = key.used;
      *out = p->examples[i].before;
      return WISP_OK;
    }
    if (p->examples[i].used < p->examples[at].used) at = i;
  }
  const wisp_status status = make_example(err, problem, test_case, &key.before);
  if (status != WISP_OK) wisp_kept_free(key.before);
  CALL(status);
  if (p->count < MAX_EXAMPLES)
    at = p->count++;
  else
    wisp_kept_free(p->examples[at].before);
  p->examples[at] = key;
  *out = key.before;
  return WISP_OK;
}

/* --- the check --- */

/* One round at hand. */
typedef struct running_case {
  const wisp_kernel *kernel;
  const wisp_plan *plan;
  const wisp_test_case *test_case;
  wisp_problem_ref ref;
  wisp_problem *problem;
  const wisp_kept *before;
  wisp_kept *first; /* what the first launch has left */
  const char *writes[WISP_MAX_ARRAYS + 1];
  double tolerance, max_error; /* max_error: what a family promises besides, relative to the largest of all results */
  bool last;
} running_case;

static wisp_status find_case(wisp_error *err, wisp_verifier *v, const wisp_plan *plan, int number, running_case *r)
{
  const wisp_spec *spec = &plan->spec;
  place *p = NULL;
  int writes = 0;
  CALL(find_place(err, v, spec, &p));
  CALL(wisp_problems_acquire(err, p->problems, &plan, 1, &r->ref));
  r->problem = r->ref.problem;
  CALL(wisp_test_cases_get(err, p->cases, spec, plan->strategy->mixes, number, v->seed, &r->test_case));
  CALL(find_example(err, p, plan, r->problem, r->test_case, v->seed, &r->before));
  const wisp_array_decl *arrays = r->problem->d.family->arrays;
  for (int a = 0; arrays[a].name; a++)
    if (r->test_case->after[a]) r->writes[writes++] = arrays[a].name;
  CALL(wisp_tolerance(err, spec, &r->tolerance));
  r->max_error = wisp_family_find(spec->family)->max_error[spec->precision == WISP_F64];
  if (!(r->max_error > 0)) r->max_error = HUGE_VAL;
  r->plan = plan;
  return WISP_OK;
}

static void leave_case(running_case *r)
{
  wisp_kept_free(r->first);
  wisp_problem_ref_end(&r->ref);
}

static wisp_status download(wisp_error *err, wisp_arrays *arrays, const wisp_array_decl *array, double *values)
{
  const size_t size = wisp_arrays_size(arrays, array->name);
  OWNED(free) int *ints = NULL;
  if (!wisp_numbers[array->type].integer) return wisp_arrays_download(err, arrays, array->name, values);
  CALL(wisp_new(err, size, sizeof *ints, &ints));
  CALL(wisp_arrays_download_ints(err, arrays, array->name, ints));
  for (size_t i = 0; i < size; i++) values[i] = ints[i];
  return WISP_OK;
}

static wisp_status wrong(wisp_error *err, const running_case *r, const wisp_array_decl *array, size_t i, double got,
                         double expected, const char *how)
{
  char where[WISP_PLACE_TEXT];
  wisp_discretisation_place(&r->problem->d, array, i, where);
  return wisp_fail(err, WISP_EWRONG, "%s is %.9g, not %.9g, at %s: %s", array->name, isnan(got) ? (double)NAN : got,
                   expected, where, how); /* a NaN has a sign, too */
}

/* Each number by the tolerance and its sum of magnitudes, all by what the family promises. A number that must stay as
 * it is, NaN, must have done so. *error: the largest, over its sum of magnitudes. */
static wisp_status compare(wisp_error *err, const running_case *r, const wisp_array_decl *array, size_t a,
                           const double *got, double *error)
{
  const double *expected = r->test_case->after[a], *sizes = r->test_case->size[a];
  const size_t size = wisp_arrays_size(r->problem->arrays, array->name), *origins = NULL;
  double most = 0, worst = 0, farthest = 0;
  size_t bad = 0, far = 0;
  char how[64];
  CALL(wisp_problem_origins(err, r->problem, array, &origins));
  for (size_t i = 0; i < size; i++) {
    const size_t at = origins[i];
    if (at == WISP_NOBODY) continue;
    const double difference = fabs(got[i] - expected[at]);
    if (!isfinite(got[i]) != !isfinite(expected[at]))
      return wrong(err, r, array, i, got[i], expected[at], isfinite(got[i]) ? "not left alone" : "not finite");
    if (!isfinite(got[i])) continue;
    most = fmax(most, fabs(expected[at]));
    if (difference > farthest) farthest = difference, far = i;
    if (wisp_is_worse(difference, sizes[at], &worst)) bad = i;
  }
  *error = fmax(*error, worst);
  const bool kept = farthest <= r->max_error * most;
  if (worst <= r->tolerance && kept) return WISP_OK;
  if (kept) far = bad;
  snprintf(how, sizeof how, "error %.2e over %.2e", kept ? worst : farthest / most, kept ? r->tolerance : r->max_error);
  return wrong(err, r, array, far, got[far], expected[origins[far]], how);
}

/* A sum, left as parts by the blocks, by what the family promises, relative to the root of the sum of squares: a sum of
 * numbers of random sign is far smaller than what was added. */
static wisp_status compare_sum(wisp_error *err, const running_case *r, const wisp_array_decl *array, size_t a,
                               const double *got, double *error)
{
  const wisp_discretisation *d = &r->problem->d;
  const double expected = r->test_case->after[a][0], root = fmax(r->test_case->size[a][0], fabs(expected));
  double sum = 0, worst = 0;
  unsigned grid[2];
  CALL(wisp_plan_grid(err, r->plan, d->counts, grid));
  for (size_t i = 0; i < grid[0] && i < r->test_case->numbers[a]; i++) sum += got[i];
  wisp_is_worse(fabs(sum - expected), root, &worst);
  *error = fmax(*error, worst);
  return wisp_require(err, isfinite(sum) && worst <= r->max_error, WISP_EWRONG,
                      "%s is %.9g in all, not %.9g: error %.2e over %.2e", array->name, sum, expected, worst,
                      r->max_error);
}

static wisp_status compare_all(wisp_error *err, const running_case *r, double *error)
{
  OWNED(free) double *got = NULL;
  size_t a = 0;
  for (const wisp_array_decl *array = r->problem->d.family->arrays; array->name; array++, a++) {
    if (!r->test_case->after[a]) continue;
    CALL(wisp_new(err, wisp_arrays_size(r->problem->arrays, array->name), sizeof *got, &got));
    CALL(download(err, r->problem->arrays, array, got));
    CALL(array->kind == WISP_PARTS ? compare_sum(err, r, array, a, got, error) : compare(err, r, array, a, got, error));
    free(got);
    got = NULL;
  }
  return WISP_OK;
}

wisp_status wisp_verify_guards(wisp_error *err, wisp_arrays *arrays)
{
  bool intact = true;
  char array[32] = "";
  CALL(wisp_arrays_guards(err, arrays, &intact, array));
  return wisp_require(err, intact, WISP_EWRONG, "writes outside array %s", array);
}

/* Arrays that are no outputs are unchanged. Zones outside arrays are checked after the last launch of all: nothing
 * restores them in between. */
static wisp_status check_untouched(wisp_error *err, const running_case *r, bool outside)
{
  wisp_arrays *arrays = r->problem->arrays;
  char array[32] = "";
  size_t number = 0;
  if (outside) CALL(wisp_verify_guards(err, arrays));
  CALL(wisp_arrays_changed(err, arrays, r->before, r->writes, array, &number));
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

static wisp_status launch(wisp_error *err, running_case *r, int number, double *error)
{
  const bool end = number == LAUNCHES - 1, exact = !r->plan->strategy->varies;
  wisp_arrays *arrays = r->problem->arrays;
  CALL(wisp_arrays_restore(err, arrays, r->before, number > 0 ? r->writes : NULL));
  CALL(wisp_test_case_launch(err, r->problem, r->kernel, r->test_case));
  if (number == 0 || end) CALL(check_untouched(err, r, r->last && end));
  if (number == 0 || !exact) CALL(compare_all(err, r, error));
  if (number > 0 && exact) CALL(check_repeats(err, r));
  if (number == 0) CALL(wisp_arrays_keep(err, arrays, r->writes, &r->first));
  return WISP_OK;
}

static wisp_status count_cases(wisp_error *err, const wisp_spec *spec, const wisp_workload **workload, int *cases)
{
  CALL(wisp_workload_find(err, spec->family, spec->kernel, workload));
  *cases = (*workload)->cases ? (*workload)->cases(spec->kernel) : 2;
  return wisp_require(err, *cases > 0, WISP_EUSAGE, "no reference for kernel '%s'", spec->kernel);
}

wisp_status wisp_verifier_prepare(wisp_error *err, wisp_verifier *v, const wisp_plan *plan)
{
  const wisp_workload *workload = NULL;
  int cases = 0;
  CALL(count_cases(err, &plan->spec, &workload, &cases));
  for (int i = 0; i < cases; i++) {
    HELD(leave_case) running_case r = {.last = false};
    CALL(find_case(err, v, plan, i, &r));
  }
  return WISP_OK;
}

wisp_status wisp_verifier_check(wisp_error *err, wisp_verifier *v, const wisp_kernel *kernel, double *error)
{
  const wisp_workload *workload = NULL;
  int cases = 0;
  *error = 0;
  CALL(count_cases(err, &kernel->plan->spec, &workload, &cases));
  for (int i = 0; i < cases; i++) {
    HELD(leave_case) running_case r = {.kernel = kernel, .last = i == cases - 1};
    CALL(find_case(err, v, kernel->plan, i, &r));
    if (i == 0 && workload->lists) CALL(workload->lists(err, r.problem, kernel->plan));
    for (int k = 0; k < LAUNCHES; k++) CALL(launch(err, &r, k, error));
  }
  return WISP_OK;
}

wisp_status wisp_verifier_create(wisp_error *err, wisp_device *device, wisp_verifier **out)
{
  CALL(wisp_new(err, 1, sizeof **out, out));
  (*out)->device = device;
  (*out)->seed = WISP_RANDOM_SEED;
  return WISP_OK;
}

void wisp_verifier_destroy(wisp_verifier *v)
{
  if (!v) return;
  for (int i = 0; i < MAX_WORKLOADS; i++) leave(&v->place[i]);
  free(v);
}

/* --- beside sums in single precision --- */

/* Fetches an array after a launch, in the order of `after`. */
static wisp_status fetch(wisp_error *err, const running_case *r, const wisp_array_decl *array, double *out)
{
  const size_t size = wisp_arrays_size(r->problem->arrays, array->name), *origins = NULL;
  OWNED(free) double *got = NULL;
  CALL(wisp_new(err, size, sizeof *got, &got));
  CALL(download(err, r->problem->arrays, array, got));
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
  CALL(find_case(err, v, kernel->plan, (int)data, r));
  CALL(wisp_results_create(err, r->test_case, own));
  CALL(wisp_arrays_restore(err, r->problem->arrays, r->before, NULL));
  CALL(wisp_test_case_launch(err, r->problem, kernel, r->test_case));
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
  CALL(find_place(err, v, spec, &p));
  CALL(run_case(err, v, kernel, data, &r, &own));
  CALL(wisp_test_cases_single_error(err, p->cases, r.test_case, single));
  *error = wisp_results_error(&own, r.test_case);
  return WISP_OK;
}
