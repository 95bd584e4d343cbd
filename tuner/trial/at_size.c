#include "at_size.h"
#include "../../gen/random.h"
#include "../../runtime/parallel.h"
#include "../../runtime/process.h"
#include "examples.h"
#include "test_cases.h"
#include "verify.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Arrays of more numbers than SHORT are compared on the device. Beyond a sample sums of magnitudes may be LARGER times
 * those in it. */
enum { MOST_KEPT = 6, MOST_CASES = 2, SHORT = 4096, LARGER = 64 };

/* Arrays by name, with what their numbers may be off by: at most `bound`, and `relative` to each number's size. */
typedef struct named_arrays {
  const char *names[WISP_MAX_ARRAYS + 1]; /* ends with NULL */
  double bound[WISP_MAX_ARRAYS], relative;
  bool parts[WISP_MAX_ARRAYS];         /* of a sum, which each strategy cuts in its own way */
  wisp_pointer known[WISP_MAX_ARRAYS]; /* of a sample: a byte a number, 0 where none is known */
  int count;
} named_arrays;

/* One launch: what it starts from, and what must come of it. */
typedef struct launch_data {
  wisp_setting of;
  unsigned rounding;
  unsigned long long used;
  wisp_test_case test_case;  /* without its numbers; no kernel: this problem has nothing for it to do */
  named_arrays out;          /* outputs that are there */
  wisp_kept *before, *after; /* arrays that it reads or writes, and its outputs as they must be */
  wisp_kept *every;          /* where these are a sample's: all that a kernel left which was right there, or NULL */
} launch_data;

struct wisp_at_size {
  wisp_device *device;
  const wisp_workload *workload;
  const wisp_problems *problems;
  wisp_test_cases *cases;
  wisp_test_cases *complete; /* where those are samples, and kernels differ elsewhere; NULL: not so far */
  unsigned long long clock;
  int count;
  launch_data kept[MOST_KEPT];
};

wisp_status wisp_at_size_create(wisp_error *err, wisp_device *device, const wisp_workload *workload,
                                const wisp_problems *problems, wisp_at_size **out)
{
  OWNED(wisp_at_size_destroy) wisp_at_size *made = NULL;
  CALL(wisp_new(err, 1, sizeof *made, &made));
  *made = (wisp_at_size){.device = device, .workload = workload, .problems = problems};
  CALL(wisp_test_cases_sample(err, workload, wisp_problems_test_mesh(problems), MOST_CASES, &made->cases));
  return GIVE(made, out);
}

static void free_data(const wisp_at_size *s, launch_data *data)
{
  for (int i = 0; i < data->out.count; i++)
    if (data->out.known[i]) wisp_device_free(s->device, data->out.known[i]);
  wisp_kept_free(data->every);
  wisp_kept_free(data->before);
  wisp_kept_free(data->after);
}

void wisp_at_size_destroy(wisp_at_size *at_size)
{
  if (!at_size) return;
  for (int i = 0; i < at_size->count; i++) free_data(at_size, &at_size->kept[i]);
  wisp_test_cases_destroy(at_size->complete);
  wisp_test_cases_destroy(at_size->cases);
  free(at_size);
}

/* --- what is kept of a launch --- */

/* Lays the inputs out, NaN where a kernel only writes, and keeps them. */
static wisp_status keep_inputs(wisp_error *err, wisp_problem *problem, const wisp_test_case *r, launch_data *data)
{
  named_arrays moved = {.count = 0};
  size_t a = 0;
  for (const wisp_array_decl *array = problem->d.family->arrays; array->name; array++, a++) {
    if (!wisp_arrays_size(problem->arrays, array->name) || !(r->before[a] || r->after[a])) continue;
    moved.names[moved.count++] = array->name;
    if (r->before[a])
      CALL(wisp_example_put(err, problem, array, r->before[a]));
    else
      CALL(wisp_arrays_fill(err, problem->arrays, array->name, 0xff));
  }
  return wisp_arrays_keep(err, problem->arrays, moved.names, &data->before);
}

/* An output's numbers as they lie: whether each is known, and its size, rounded up. */
typedef struct noting {
  const wisp_test_case *r;
  size_t array;
  const size_t *origins;
  unsigned char *known;
  float *sizes;
} noting;

/* A wisp_sweep. */
static void note_part(void *context, size_t from, size_t to)
{
  const noting *n = context;
  for (size_t i = from; i < to; i++) {
    const size_t at = n->origins[i];
    const double size = at == WISP_NOBODY ? 0 : fmin(n->r->size[n->array][at], FLT_MAX);
    n->sizes[i] = size > 0 ? nextafterf((float)size, INFINITY) : 0;
    n->known[i] = at != WISP_NOBODY && wisp_test_case_knows(n->r, n->array, at);
  }
}

/* Keeps the sizes, and which are known where that is a sample. */
static wisp_status keep_notes(wisp_error *err, wisp_problem *problem, const wisp_test_case *r, size_t a,
                              launch_data *data, wisp_pointer *known)
{
  const wisp_array_decl *array = &problem->d.family->arrays[a];
  const size_t count = wisp_arrays_size(problem->arrays, array->name);
  OWNED(free) unsigned char *bytes = NULL;
  OWNED(free) float *sizes = NULL;
  noting n = {.r = r, .array = a};
  CALL(wisp_problem_origins(err, problem, array, &n.origins));
  CALL(wisp_new(err, count, 1, &bytes));
  CALL(wisp_new(err, count, sizeof *sizes, &sizes));
  n.known = bytes, n.sizes = sizes;
  wisp_parallel_numbers(count, note_part, &n);
  CALL(wisp_arrays_keep_sizes(err, problem->arrays, array->name, sizes, data->after));
  if (!r->sampled) return WISP_OK;
  CALL(wisp_device_alloc(err, problem->device, count, known));
  return wisp_device_upload(err, problem->device, *known, bytes, count);
}

/* Lays the right outputs out, notes what each may be off by, and keeps them. */
static wisp_status keep_outputs(wisp_error *err, wisp_problem *problem, const wisp_plan *plan, const wisp_test_case *r,
                                launch_data *data)
{
  const wisp_array_decl *arrays = problem->d.family->arrays;
  double tolerance = 0;
  size_t a = 0;
  CALL(wisp_tolerance_on(err, &plan->spec, &problem->d, &tolerance));
  data->out.relative = 2 * tolerance;
  for (const wisp_array_decl *array = arrays; array->name; array++, a++) {
    double most = 0;
    if (!wisp_arrays_size(problem->arrays, array->name) || !r->after[a]) continue;
    for (size_t i = 0; i < r->numbers[a]; i++) most = fmax(most, r->size[a][i]);
    data->out.bound[data->out.count] = 2 * tolerance * most;
    data->out.parts[data->out.count] = array->kind == WISP_PARTS;
    data->out.names[data->out.count++] = array->name;
    if (array->kind != WISP_PARTS) CALL(wisp_example_put(err, problem, array, r->after[a]));
  }
  CALL(wisp_arrays_keep(err, problem->arrays, data->out.names, &data->after));
  for (int i = 0; i < data->out.count; i++) {
    for (a = 0; strcmp(arrays[a].name, data->out.names[i]) != 0;) a++;
    if (!data->out.parts[i]) CALL(keep_notes(err, problem, r, a, data, &data->out.known[i]));
  }
  return WISP_OK;
}

static wisp_status make_data(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_plan *plan,
                             launch_data *data)
{
  const wisp_test_case *r = NULL;
  CALL(wisp_test_cases_get(err, s->cases, &plan->spec, data->rounding, WISP_PLAIN, WISP_RANDOM_SEED, &r));
  CALL(keep_inputs(err, problem, r, data));
  CALL(keep_outputs(err, problem, plan, r, data));
  data->test_case = *r;
  for (int a = 0; a < WISP_MAX_ARRAYS; a++)
    data->test_case.before[a] = data->test_case.after[a] = data->test_case.size[a] = NULL;
  data->test_case.own = NULL;
  return WISP_OK;
}

static wisp_status find_data(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_plan *plan,
                             launch_data **out)
{
  launch_data key = {.of = wisp_setting_of(plan), .rounding = wisp_plan_rounding(plan), .used = ++s->clock};
  int at = 0;
  for (int i = 0; i < s->count; i++) {
    if (wisp_setting_same(&s->kept[i].of, &key.of) && s->kept[i].rounding == key.rounding) {
      s->kept[i].used = key.used;
      *out = &s->kept[i];
      return WISP_OK;
    }
    if (s->kept[i].used < s->kept[at].used) at = i;
  }
  if (s->count < MOST_KEPT)
    at = s->count;
  else
    free_data(s, &s->kept[at]), s->kept[at] = s->kept[--s->count], at = s->count;
  wisp_error reason = {0};
  const wisp_status status = make_data(&reason, s, problem, plan, &key);
  if (status != WISP_OK)
    free_data(s, &key), key = (launch_data){.of = key.of, .rounding = key.rounding, .used = key.used};
  CALL(wisp_require(err, status == WISP_OK || status == WISP_EREFUSED, status, "%s", reason.text));
  s->kept[at] = key;
  s->count++;
  *out = &s->kept[at];
  return WISP_OK;
}

wisp_status wisp_at_size_prepare(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_plan *plan)
{
  launch_data *data = NULL;
  return find_data(err, s, problem, plan, &data);
}

/* --- candidates --- */

static wisp_status launch(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel, const launch_data *data,
                          wisp_schedule schedule)
{
  CALL(wisp_arrays_restore(err, problem->arrays, data->before, NULL));
  return wisp_test_case_launch(err, problem, kernel, &data->test_case, schedule);
}

/* An output's numbers have the same bits as those kept, or are within so many times the largest bound. */
typedef enum exactness { SAME_BITS = 0, WITHIN_LARGEST = 1, FAR_WITHIN = LARGER } exactness;

/* Enqueues comparing known outputs of more than so many numbers with the right ones, each within its own bound. */
static wisp_status compare_known(wisp_error *err, wisp_problem *problem, const launch_data *data)
{
  const named_arrays *out = &data->out;
  for (int i = 0; i < out->count; i++) {
    wisp_pointer mask = out->known[i];
    if (out->parts[i] || wisp_arrays_size(problem->arrays, out->names[i]) <= (mask ? 0 : SHORT)) continue;
    if (!mask) CALL(wisp_problem_mask(err, problem, out->names[i], &mask));
    CALL(wisp_arrays_compare(err, problem->arrays, data->after, mask, out->names[i], out->relative));
  }
  return WISP_OK;
}

/* Enqueues comparing all outputs with what was kept. */
static wisp_status compare(wisp_error *err, wisp_problem *problem, const named_arrays *out, const wisp_kept *kept,
                           exactness how)
{
  for (int i = 0; i < out->count; i++) {
    wisp_pointer mask = 0;
    if (how != SAME_BITS && out->parts[i]) continue;
    CALL(wisp_problem_mask(err, problem, out->names[i], &mask));
    CALL(wisp_arrays_compare(err, problem->arrays, kept, mask, out->names[i], how * out->bound[i]));
  }
  return WISP_OK;
}

/* Compares what it has left, in arrays of at most so many numbers, with the right numbers one by one. */
static wisp_status judge(wisp_error *err, wisp_test_cases *cases, wisp_problem *problem, const wisp_kernel *kernel,
                         size_t most)
{
  const wisp_test_case *r = NULL;
  const wisp_plan *plan = kernel->plan;
  wisp_judged judged;
  double error = 0;
  CALL(wisp_test_cases_get(err, cases, &plan->spec, wisp_plan_rounding(plan), WISP_PLAIN, WISP_RANDOM_SEED, &r));
  CALL(wisp_judged_fill(err, problem, plan, r, &judged));
  return wisp_context(err, wisp_judge(err, &judged, most, &error), "on the timed problem: ");
}

/* Two kernels differ outside of the sample: the whole reference, computed once in a long while, says whether the one at
 * hand is wrong. */
static wisp_status judge_whole(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_kernel *kernel)
{
  if (!s->complete)
    CALL(wisp_test_cases_create(err, s->workload, wisp_problems_test_mesh(s->problems), 1, &s->complete));
  return judge(err, s->complete, problem, kernel, SIZE_MAX);
}

/* Outside of the sample: as a kernel before it left it. */
static wisp_status check_rest(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_kernel *kernel,
                              launch_data *data)
{
  wisp_arrays *arrays = problem->arrays;
  char array[32] = "";
  size_t number = 0;
  if (data->every) {
    CALL(wisp_arrays_compare_begin(err, arrays));
    CALL(compare(err, problem, &data->out, data->every, FAR_WITHIN));
    CALL(wisp_arrays_compare_end(err, arrays, array, &number));
    if (!*array) return WISP_OK;
    CALL(judge_whole(err, s, problem, kernel));
    wisp_kept_free(data->every);
    data->every = NULL;
  }
  return wisp_arrays_keep(err, arrays, data->out.names, &data->every);
}

/* Additions that any order is right for: a launch for each output, whose blocks are interrupted as they write there,
 * leaves what the launch before did. */
static wisp_status check_interrupted(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                                     const launch_data *data)
{
  wisp_arrays *arrays = problem->arrays;
  OWNED(wisp_kept_free) wisp_kept *before = NULL;
  char wrong[32] = "";
  size_t number = 0;
  if (!kernel->plan->strategy->varies || wisp_device_limits(kernel->device)->gpu) return WISP_OK;
  CALL(wisp_arrays_keep(err, arrays, data->out.names, &before));
  for (int i = 0; i < data->out.count; i++) {
    const char *array = data->out.names[i];
    wisp_device_interrupt_at(kernel->device, wisp_arrays_at(arrays, array), wisp_arrays_bytes_of(arrays, array));
    CALL(launch(err, problem, kernel, data, WISP_SCHEDULE_INTERRUPTED));
    CALL(wisp_arrays_compare_begin(err, arrays));
    CALL(compare(err, problem, &data->out, before, WITHIN_LARGEST));
    CALL(wisp_arrays_compare_end(err, arrays, wrong, &number));
    CALL(wisp_require(err, !*wrong, WISP_EWRONG,
                      "number %zu of %s is not the same at every launch, where blocks interrupt each other", number,
                      wrong));
  }
  return WISP_OK;
}

wisp_status wisp_at_size_check(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_kernel *kernel)
{
  wisp_arrays *arrays = problem->arrays;
  launch_data *data = NULL;
  char array[32] = "";
  size_t number = 0;
  CALL(find_data(err, s, problem, kernel->plan, &data));
  if (!data->test_case.kernel) return wisp_verify_guards(err, arrays);
  CALL(launch(err, problem, kernel, data, WISP_SCHEDULE_SINGLE));
  CALL(wisp_arrays_compare_begin(err, arrays));
  CALL(compare_known(err, problem, data));
  CALL(wisp_arrays_compare_end(err, arrays, array, &number));
  CALL(wisp_require(err, !*array, WISP_EWRONG, "on the timed problem: number %zu of %s is not the reference's", number,
                    array));
  CALL(data->test_case.sampled ? check_rest(err, s, problem, kernel, data)
                               : judge(err, s->cases, problem, kernel, SHORT));
  CALL(check_interrupted(err, problem, kernel, data));
  return wisp_verify_guards(err, arrays);
}

/* Some launches, of which each is compared with the first; `quickly`: the last one alone, in the usual schedule. */
static wisp_status repeat_some(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                               const launch_data *data, const wisp_kept *first, int count, bool quickly)
{
  static const wisp_schedule schedules[] = {WISP_SCHEDULE_SINGLE, WISP_SCHEDULE_REVERSED, WISP_SCHEDULE_SINGLE,
                                            WISP_SCHEDULE_MANY, WISP_SCHEDULE_USUAL};
  const bool exact = !kernel->plan->strategy->varies;
  for (int i = 0; i < count; i++) {
    const bool last = i + 1 == count;
    CALL(launch(err, problem, kernel, data, quickly ? WISP_SCHEDULE_USUAL : schedules[i % (int)WISP_COUNT(schedules)]));
    if (last || !quickly) CALL(compare(err, problem, &data->out, first, exact ? SAME_BITS : WITHIN_LARGEST));
  }
  return WISP_OK;
}

wisp_status wisp_at_size_repeat(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_kernel *kernel,
                                double seconds, int *left, int *thorough)
{
  enum { AT_A_TIME = 5, QUICKLY = 25 };
  wisp_arrays *arrays = problem->arrays;
  OWNED(wisp_kept_free) wisp_kept *first = NULL;
  launch_data *data = NULL;
  char array[32] = "";
  size_t number = 0;
  CALL(find_data(err, s, problem, kernel->plan, &data));
  if (!data->test_case.kernel) return WISP_OK;
  if (kernel->plan->strategy->varies) seconds *= 4; /* additions that meet show more rarely */
  CALL(launch(err, problem, kernel, data, WISP_SCHEDULE_USUAL));
  CALL(wisp_arrays_keep(err, arrays, data->out.names, &first));
  const double begin = wisp_seconds();
  while (*left > 0 && !*array && wisp_seconds() - begin < seconds) {
    const int some = *thorough > 0 ? AT_A_TIME : QUICKLY, now = *left < some ? *left : some;
    CALL(wisp_arrays_compare_begin(err, arrays));
    CALL(repeat_some(err, problem, kernel, data, first, now, *thorough <= 0));
    CALL(wisp_arrays_compare_end(err, arrays, array, &number));
    *left -= now, *thorough -= now;
  }
  return wisp_require(err, !*array, WISP_EWRONG,
                      "number %zu of %s is not the same at every launch, from the same inputs", number, array);
}
