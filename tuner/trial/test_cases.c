#include "test_cases.h"
#include "problems.h"
#include "../../gen/random.h"
#include "../../runtime/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  uint64_t seed;
  unsigned long long used;
  double single_error; /* of sums in single precision; 0: not computed so far */
  wisp_test_case test_case;
} entry;

struct wisp_test_cases {
  const wisp_workload *workload;
  const void *test_mesh;
  wisp_discretisation discretisation; /* of this system */
  bool samples;
  wisp_discretisation narrowed; /* where it samples; empty: there is no need to */
  char system[sizeof(((wisp_spec *)NULL)->system)];
  unsigned long long clock;
  int count, most;
  entry entries[WISP_MOST_CASES];
};

wisp_status wisp_test_cases_create(wisp_error *err, const wisp_workload *workload, const void *test_mesh, int most,
                                   wisp_test_cases **out)
{
  CALL(wisp_new(err, 1, sizeof **out, out));
  **out = (wisp_test_cases){.workload = workload, .test_mesh = test_mesh, .most = most};
  return WISP_OK;
}

wisp_status wisp_test_cases_sample(wisp_error *err, const wisp_workload *workload, const void *test_mesh, int most,
                                   wisp_test_cases **out)
{
  CALL(wisp_test_cases_create(err, workload, test_mesh, most, out));
  (*out)->samples = workload->narrow;
  return WISP_OK;
}

static void free_case(wisp_test_case *r)
{
  for (int a = 0; a < WISP_MAX_ARRAYS; a++) free(r->before[a]), free(r->after[a]), free(r->size[a]);
  free(r->own);
}

/* Forgets the test cases of another system. */
static void forget(wisp_test_cases *cases)
{
  for (int i = 0; i < cases->count; i++) free_case(&cases->entries[i].test_case);
  cases->count = 0;
  wisp_discretisation_destroy(&cases->narrowed);
  wisp_discretisation_destroy(&cases->discretisation);
}

void wisp_test_cases_destroy(wisp_test_cases *cases)
{
  if (!cases) return;
  forget(cases);
  free(cases);
}

static wisp_status find_discretisation(wisp_error *err, wisp_test_cases *cases, const wisp_spec *spec)
{
  const wisp_workload *w = cases->workload;
  const wisp_fixed nothing = {0};
  uint64_t random = WISP_RANDOM_SEED;
  if (cases->discretisation.self && strcmp(cases->system, spec->system) == 0) return WISP_OK;
  forget(cases);
  CALL(w->discretise(err, cases->test_mesh, spec, NULL, &nothing, &cases->discretisation));
  if (cases->samples) CALL(w->narrow(err, &cases->discretisation, &random, &cases->narrowed));
  memcpy(cases->system, spec->system, sizeof cases->system);
  return WISP_OK;
}

/* --- one test case --- */

/* A coefficient in a case of extremes: one of those that solvers pass, or one between two of them. */
static double draw_coefficient(const wisp_passed_values *passed, uint64_t *random)
{
  const size_t draw = wisp_random_below(random, (uint64_t)passed->count + 1), count = (size_t)passed->count;
  if (draw < count) return (double)(float)passed->values[draw];
  const double low = passed->values[wisp_random_below(random, count)],
               high = passed->values[wisp_random_below(random, count)];
  return (double)(float)(low + (high - low) * fabs(wisp_random_real(random)));
}

/* Numbers that come again, as many problems' as large as those to be timed would take long to draw. */
enum { PERIOD = 65521 };
typedef struct repeating {
  const double *from; /* NULL: there are none */
  double *to;
} repeating;

/* A wisp_sweep. */
static void repeat_part(void *context, size_t from, size_t to)
{
  const repeating *r = context;
  for (size_t i = from; i < to; i++) r->to[i] = r->from[i % PERIOD];
}

static wisp_status repeat_random(wisp_error *err, wisp_array_kind kind, uint64_t *random, size_t size, double *to)
{
  OWNED(free) double *numbers = NULL;
  CALL(wisp_new(err, PERIOD, sizeof *numbers, &numbers));
  for (size_t i = 0; i < PERIOD; i++) numbers[i] = wisp_random_of(kind, random);
  wisp_parallel_numbers(size, repeat_part, &(repeating){numbers, to});
  return WISP_OK;
}

/* Random where the kernel reads; a copy to be changed where it writes, NaN so far where it does not read. */
static wisp_status make_array(wisp_error *err, wisp_test_case *r, const wisp_array_decl *array, size_t a,
                              uint64_t *random)
{
  const size_t size = r->numbers[a];
  const bool reads = wisp_list_has(r->kernel->reads, array->name);
  if (reads || array->kind == WISP_STATE) CALL(wisp_new(err, size, sizeof **r->before, &r->before[a]));
  const bool extreme = wisp_test_case_extreme(r) >= 0, coefficient = extreme && array->passed.count;
  const double scale =
      array->kind == WISP_FIELD ? wisp_test_case_passed(r, &r->discretisation->family->magnitudes, 1) : 1;
  const bool repeats = wisp_test_case_plain(r);
  if (repeats && r->before[a]) CALL(repeat_random(err, array->kind, random, size, r->before[a]));
  for (size_t i = 0; !repeats && r->before[a] && i < size; i++)
    r->before[a][i] =
        coefficient ? draw_coefficient(&array->passed, random) : scale * wisp_random_of(array->kind, random);
  if (!wisp_list_has(r->kernel->writes, array->name)) return WISP_OK;
  CALL(wisp_new(err, size, sizeof **r->after, &r->after[a]));
  return wisp_new(err, size, sizeof **r->size, &r->size[a]);
}

static bool leaves_sums(const wisp_test_case *r)
{
  bool sums = false;
  size_t a = 0;
  for (const wisp_array_decl *array = r->discretisation->family->arrays; array->name; array++, a++)
    sums |= r->after[a] && array->kind == WISP_PARTS;
  return sums;
}

bool wisp_test_case_knows(const wisp_test_case *r, size_t array, size_t number)
{
  const double *before = r->before[array], after = r->after[array][number];
  const bool computed = r->size[array][number] > 0 || !before || after < before[number] || after > before[number];
  return !r->sampled || (isfinite(after) && computed);
}

/* The family computes the outputs, perhaps of a sample. */
static wisp_status compute_outputs(wisp_error *err, const wisp_test_cases *cases, wisp_test_case *r)
{
  const wisp_discretisation *all = r->discretisation;
  r->sampled = cases->narrowed.self && !leaves_sums(r);
  if (r->sampled) r->discretisation = &cases->narrowed;
  const wisp_status status = cases->workload->reference(err, r);
  r->discretisation = all;
  return status;
}

/* A wisp_sweep: an output before the launch. */
static void begin_part(void *context, size_t from, size_t to)
{
  const repeating *r = context;
  for (size_t i = from; i < to; i++) r->to[i] = r->from ? r->from[i] : NAN;
}

/* The family shapes the inputs and computes the outputs. */
static wisp_status make_case(wisp_error *err, const wisp_test_cases *cases, const wisp_spec *spec, uint64_t seed,
                             wisp_test_case *r)
{
  const wisp_family *family = cases->discretisation.family;
  size_t a = 0;
  r->discretisation = &cases->discretisation;
  r->kernel = wisp_family_kernel(family, spec->kernel);
  r->seed = seed;
  r->random = wisp_random_from(seed + (uint64_t)r->number);
  for (const wisp_array_decl *array = family->arrays; array->name; array++, a++)
    if (array->kind != WISP_FIXED && wisp_discretisation_size(r->discretisation, array, &r->numbers[a]))
      CALL(make_array(err, r, array, a, &r->random));
  CALL(cases->workload->fill_inputs(err, r));
  for (a = 0; a < WISP_MAX_ARRAYS; a++)
    if (r->after[a]) wisp_parallel_numbers(r->numbers[a], begin_part, &(repeating){r->before[a], r->after[a]});
  return compute_outputs(err, cases, r);
}

unsigned wisp_plan_rounding(const wisp_plan *plan)
{
  const bool cut = plan->strategy->exponent && plan->spec.precision == WISP_F32;
  return (plan->strategy->mixes ? WISP_MIXES : 0) | (cut ? WISP_ONE_EXPONENT : 0);
}

wisp_status wisp_test_cases_get(wisp_error *err, wisp_test_cases *cases, const wisp_spec *spec, unsigned rounding,
                                int number, uint64_t seed, const wisp_test_case **out)
{
  entry made = {.seed = seed, .used = ++cases->clock, .test_case = {.number = number, .rounding = rounding}};
  int at = 0;
  CALL(find_discretisation(err, cases, spec));
  for (int i = 0; i < cases->count; i++) {
    entry *e = &cases->entries[i];
    if (strcmp(e->test_case.kernel->name, spec->kernel) == 0 && e->test_case.number == number && e->seed == seed &&
        e->test_case.rounding == rounding) {
      e->used = made.used;
      *out = &e->test_case;
      return WISP_OK;
    }
    if (e->used < cases->entries[at].used) at = i;
  }
  const wisp_status status = make_case(err, cases, spec, seed, &made.test_case);
  if (status != WISP_OK) free_case(&made.test_case);
  CALL(status);
  if (cases->count < cases->most)
    at = cases->count++;
  else
    free_case(&cases->entries[at].test_case);
  cases->entries[at] = made;
  *out = &cases->entries[at].test_case;
  return WISP_OK;
}

/* --- beside plain sums --- */

wisp_status wisp_results_create(wisp_error *err, const wisp_test_case *test_case, wisp_results *out)
{
  HELD(wisp_results_free) wisp_results made = {{NULL}};
  for (int a = 0; a < WISP_MAX_ARRAYS; a++)
    if (test_case->after[a]) CALL(wisp_new(err, test_case->numbers[a], sizeof *made.of[a], &made.of[a]));
  return GIVE(made, out);
}

void wisp_results_free(wisp_results *results)
{
  for (int a = 0; a < WISP_MAX_ARRAYS; a++) free(results->of[a]);
}

/* The error of one element: numbers [from, to). */
static double element_error(const double *got, const double *expected, size_t from, size_t to)
{
  double error = 0, most = 0;
  for (size_t q = from; q < to; q++) {
    if (!isfinite(expected[q])) continue;
    error = fmax(error, fabs(got[q] - expected[q]));
    most = fmax(most, fabs(expected[q]));
  }
  return most > 0 ? error / most : 0;
}

double wisp_results_error(const wisp_results *results, const wisp_test_case *test_case)
{
  double worst = 0;
  for (int a = 0; a < WISP_MAX_ARRAYS; a++)
    for (size_t q = 0; results->of[a] && q < test_case->numbers[a]; q += test_case->together) {
      const size_t end =
          q + test_case->together < test_case->numbers[a] ? q + test_case->together : test_case->numbers[a];
      worst = fmax(worst, element_error(results->of[a], test_case->after[a], q, end));
    }
  return worst;
}

wisp_status wisp_test_cases_single_error(wisp_error *err, wisp_test_cases *cases, const wisp_test_case *test_case,
                                         double *error)
{
  int at = 0;
  while (&cases->entries[at].test_case != test_case) at++;
  if (!(cases->entries[at].single_error > 0)) {
    HELD(wisp_results_free) wisp_results sums = {{NULL}};
    CALL(wisp_results_create(err, test_case, &sums));
    CALL(cases->workload->single_sums(err, test_case, sums.of));
    cases->entries[at].single_error = wisp_results_error(&sums, test_case);
  }
  *error = cases->entries[at].single_error;
  return WISP_OK;
}

wisp_status wisp_test_case_launch(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                                  const wisp_test_case *test_case, wisp_schedule schedule)
{
  wisp_scalar_list all = test_case->scalars;
  if (test_case->as)
    all.of[all.count++] = (wisp_binding){test_case->as, wisp_arrays_at(problem->arrays, test_case->is), 0};
  wisp_device_schedule(kernel->device, schedule);
  const wisp_status status = wisp_problem_run(err, problem, kernel, all.of, all.count);
  wisp_device_schedule(kernel->device, WISP_SCHEDULE_USUAL);
  return status;
}
