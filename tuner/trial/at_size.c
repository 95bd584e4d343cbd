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
 * those in it. What is kept takes 1 / SHARE of the device's memory, or is of FEWEST settings. */
enum { MOST_KEPT = 32, FEWEST = 6, SHARE = 16, MOST_CASES = 4, ROUNDINGS = 4, SHORT = 4096, LARGER = 64 };

/* Arrays by name, with what their numbers may be off by: at most `bound`, and `relative` to each number's size. */
typedef struct named_arrays {
  const char *names[WISP_MAX_ARRAYS + 1]; /* ends with NULL */
  double bound[WISP_MAX_ARRAYS], relative;
  bool parts[WISP_MAX_ARRAYS]; /* of a sum, which each strategy cuts in its own way */
  int count;
} named_arrays;

/* The right outputs of a launch, for strategies of one rounding. */
typedef struct right_outputs {
  bool made;
  named_arrays out; /* those that are there */
  wisp_kept *known; /* their numbers as they must be, perhaps of a sample alone */
  wisp_kept *every; /* where that is a sample: all that a kernel left which was right there, or NULL */
} right_outputs;

/* One launch: what it starts from, and what must come of it. */
typedef struct launch_data {
  wisp_setting of;
  int number; /* WISP_PLAIN, or WISP_LAST */
  unsigned long long used;
  bool made;
  wisp_test_case test_case; /* without its numbers; no kernel: this problem has nothing for it to do */
  wisp_kept *before;        /* arrays that it reads or writes */
  right_outputs right[ROUNDINGS];
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

static void free_data(launch_data *data)
{
  for (right_outputs *right = data->right; right < data->right + ROUNDINGS; right++) {
    wisp_kept_free(right->known);
    wisp_kept_free(right->every);
  }
  wisp_kept_free(data->before);
}

void wisp_at_size_destroy(wisp_at_size *at_size)
{
  if (!at_size) return;
  for (int i = 0; i < at_size->count; i++) free_data(&at_size->kept[i]);
  wisp_test_cases_destroy(at_size->complete);
  wisp_test_cases_destroy(at_size->cases);
  free(at_size);
}

static size_t kept_bytes(const wisp_at_size *s)
{
  size_t bytes = 0;
  for (const launch_data *data = s->kept; data < s->kept + s->count; data++) {
    bytes += wisp_kept_bytes(data->before);
    for (int i = 0; i < ROUNDINGS; i++)
      bytes += wisp_kept_bytes(data->right[i].known) + wisp_kept_bytes(data->right[i].every);
  }
  return bytes;
}

/* Makes room for one more: the oldest go. */
static void free_oldest(wisp_at_size *s)
{
  const size_t most = wisp_device_limits(s->device)->memory / SHARE;
  while (s->count >= MOST_KEPT || (s->count >= FEWEST && kept_bytes(s) > most)) {
    launch_data *oldest = s->kept;
    for (launch_data *data = s->kept; data < s->kept + s->count; data++)
      if (data->used < oldest->used) oldest = data;
    free_data(oldest);
    *oldest = s->kept[--s->count];
  }
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

/* An output's numbers as they lie, of which those that are known are looked for, then taken. */
typedef struct taking {
  const wisp_test_case *r;
  size_t array;
  const size_t *origins;
  unsigned char *known;
  uint64_t *positions;
  double *values;
  float *sizes;
} taking;

/* A wisp_sweep over all. */
static void mark_part(void *context, size_t from, size_t to)
{
  const taking *t = context;
  for (size_t i = from; i < to; i++)
    t->known[i] = t->origins[i] != WISP_NOBODY && wisp_test_case_knows(t->r, t->array, t->origins[i]);
}

/* A wisp_sweep over those that are known: each number, and its size, rounded up. */
static void take_part(void *context, size_t from, size_t to)
{
  const taking *t = context;
  for (size_t i = from; i < to; i++) {
    const size_t at = t->origins[t->positions[i]];
    const double size = fmin(t->r->size[t->array][at], FLT_MAX);
    t->values[i] = t->r->after[t->array][at];
    t->sizes[i] = size > 0 ? nextafterf((float)size, INFINITY) : 0;
  }
}

static size_t count_marks(const unsigned char *marks, size_t count)
{
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += marks[i];
  return sum;
}

static void list_marks(const unsigned char *marks, size_t count, uint64_t *positions)
{
  const unsigned char *mark = marks;
  while ((mark = memchr(mark, 1, count - (size_t)(mark - marks))) != NULL) *positions++ = (uint64_t)(mark++ - marks);
}

/* Keeps the known numbers of an output with their sizes. *most: the largest size, no smaller than it was. */
static wisp_status keep_known(wisp_error *err, wisp_problem *problem, const wisp_test_case *r, size_t a,
                              wisp_kept **kept, double *most)
{
  const wisp_array_decl *array = &problem->d.family->arrays[a];
  const size_t size = wisp_arrays_size(problem->arrays, array->name);
  OWNED(free) unsigned char *known = NULL;
  OWNED(free) uint64_t *positions = NULL;
  OWNED(free) double *values = NULL;
  OWNED(free) float *sizes = NULL;
  taking t = {.r = r, .array = a};
  CALL(wisp_problem_origins(err, problem, array, &t.origins));
  CALL(wisp_new(err, size, 1, &known));
  t.known = known;
  wisp_parallel_numbers(size, mark_part, &t);
  const size_t count = count_marks(known, size);
  CALL(wisp_new(err, count, sizeof *positions, &positions));
  CALL(wisp_new(err, count, sizeof *values, &values));
  CALL(wisp_new(err, count, sizeof *sizes, &sizes));
  list_marks(known, size, positions);
  t.positions = positions, t.values = values, t.sizes = sizes;
  wisp_parallel_numbers(count, take_part, &t);
  for (size_t i = 0; i < count; i++) *most = fmax(*most, (double)sizes[i]);
  return wisp_arrays_keep_some(err, problem->arrays, array->name, &(wisp_some_numbers){count, positions, values, sizes},
                               kept);
}

/* Notes what each output may be off by, and keeps the right numbers. */
static wisp_status keep_outputs(wisp_error *err, wisp_problem *problem, const wisp_plan *plan, const wisp_test_case *r,
                                right_outputs *right)
{
  named_arrays *out = &right->out;
  double tolerance = 0;
  size_t a = 0;
  CALL(wisp_tolerance_on(err, &plan->spec, &problem->d, &tolerance));
  out->relative = 2 * tolerance;
  for (const wisp_array_decl *array = problem->d.family->arrays; array->name; array++, a++) {
    double most = 0;
    if (!wisp_arrays_size(problem->arrays, array->name) || !r->after[a]) continue;
    out->parts[out->count] = array->kind == WISP_PARTS;
    if (array->kind != WISP_PARTS) CALL(keep_known(err, problem, r, a, &right->known, &most));
    out->bound[out->count] = 2 * tolerance * most;
    out->names[out->count++] = array->name;
  }
  right->made = true;
  return WISP_OK;
}

/* Makes what is not there: the inputs, and the outputs for the plan's rounding. */
static wisp_status make_data(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_plan *plan,
                             launch_data *data)
{
  const unsigned rounding = wisp_plan_rounding(plan);
  const wisp_test_case *r = NULL;
  CALL(wisp_test_cases_get(err, s->cases, &plan->spec, rounding, data->number, WISP_RANDOM_SEED, &r));
  if (!data->made) {
    CALL(keep_inputs(err, problem, r, data));
    data->test_case = *r;
    for (int a = 0; a < WISP_MAX_ARRAYS; a++)
      data->test_case.before[a] = data->test_case.after[a] = data->test_case.size[a] = NULL;
    data->test_case.own = NULL;
    data->made = true;
  }
  return keep_outputs(err, problem, plan, r, &data->right[rounding]);
}

/* The data of launches like the plan's; empty where there is none so far. */
static launch_data *find_kept(wisp_at_size *s, const wisp_plan *plan, int number)
{
  const wisp_setting of = wisp_setting_of(plan);
  for (launch_data *data = s->kept; data < s->kept + s->count; data++)
    if (data->number == number && wisp_setting_same(&data->of, &of)) return data;
  free_oldest(s);
  s->kept[s->count] = (launch_data){.of = of, .number = number};
  return &s->kept[s->count++];
}

/* A problem that leaves a kernel nothing to compute is kept as such. */
static wisp_status find_data(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_plan *plan, int number,
                             launch_data **out)
{
  wisp_error reason = {0};
  launch_data *data = find_kept(s, plan, number);
  data->used = ++s->clock;
  *out = data;
  if (data->right[wisp_plan_rounding(plan)].made || (data->made && !data->test_case.kernel)) return WISP_OK;
  const wisp_status status = make_data(&reason, s, problem, plan, data);
  if (status == WISP_OK) return WISP_OK;
  free_data(data);
  *data = (launch_data){.of = data->of, .number = number, .used = data->used, .made = true};
  if (status == WISP_EREFUSED) return WISP_OK;
  *data = s->kept[--s->count];
  return wisp_fail(err, status, "%s", reason.text);
}

/* The last of the plan's launches that are checked. */
static int last_number(const wisp_at_size *s, const wisp_plan *plan)
{
  return s->workload->last && wisp_plan_takes(plan, s->workload->last) ? WISP_LAST : WISP_PLAIN;
}

wisp_status wisp_at_size_prepare(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_plan *plan)
{
  launch_data *data = NULL;
  for (int number = WISP_PLAIN; number <= last_number(s, plan); number++)
    CALL(find_data(err, s, problem, plan, number, &data));
  return WISP_OK;
}

/* --- candidates --- */

static const named_arrays *outputs_of(const launch_data *data, const wisp_kernel *kernel)
{
  return &data->right[wisp_plan_rounding(kernel->plan)].out;
}

static wisp_status launch(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel, const launch_data *data,
                          wisp_schedule schedule)
{
  CALL(wisp_arrays_restore(err, problem->arrays, data->before, NULL));
  return wisp_test_case_launch(err, problem, kernel, &data->test_case, schedule);
}

/* An output's numbers have the same bits as those kept, or are within so many times the largest bound. */
typedef enum exactness { SAME_BITS = 0, WITHIN_LARGEST = 1, FAR_WITHIN = LARGER } exactness;

/* Enqueues comparing known outputs of more than so many numbers with the right ones, each within its own bound. */
static wisp_status compare_known(wisp_error *err, wisp_problem *problem, const right_outputs *right, size_t more_than)
{
  const named_arrays *out = &right->out;
  for (int i = 0; i < out->count; i++)
    if (!out->parts[i] && wisp_arrays_size(problem->arrays, out->names[i]) > more_than)
      CALL(wisp_arrays_compare(err, problem->arrays, right->known, 0, out->names[i], out->relative));
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
                         int number, size_t most)
{
  const wisp_test_case *r = NULL;
  const wisp_plan *plan = kernel->plan;
  wisp_judged judged;
  double error = 0;
  CALL(wisp_test_cases_get(err, cases, &plan->spec, wisp_plan_rounding(plan), number, WISP_RANDOM_SEED, &r));
  CALL(wisp_judged_fill(err, problem, plan, r, &judged));
  return wisp_context(err, wisp_judge(err, &judged, most, &error), "on the timed problem: ");
}

/* Two kernels differ outside of the sample: the whole reference, computed once in a long while, says whether the one at
 * hand is wrong. */
static wisp_status judge_whole(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_kernel *kernel,
                               int number)
{
  if (!s->complete)
    CALL(wisp_test_cases_create(err, s->workload, wisp_problems_test_mesh(s->problems), 1, &s->complete));
  return judge(err, s->complete, problem, kernel, number, SIZE_MAX);
}

/* Outside of the sample: as a kernel before it left it. */
static wisp_status check_rest(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_kernel *kernel,
                              int number, right_outputs *right)
{
  wisp_arrays *arrays = problem->arrays;
  char array[32] = "";
  size_t at = 0;
  if (right->every) {
    CALL(wisp_arrays_compare_begin(err, arrays));
    CALL(compare(err, problem, &right->out, right->every, FAR_WITHIN));
    CALL(wisp_arrays_compare_end(err, arrays, array, &at));
    if (!*array) return WISP_OK;
    CALL(judge_whole(err, s, problem, kernel, number));
    wisp_kept_free(right->every);
    right->every = NULL;
  }
  return wisp_arrays_keep(err, arrays, right->out.names, &right->every);
}

/* Additions that any order is right for: a launch for each output, whose blocks are interrupted as they write there,
 * leaves what the launch before did. */
static wisp_status check_interrupted(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                                     const launch_data *data)
{
  const named_arrays *out = outputs_of(data, kernel);
  wisp_arrays *arrays = problem->arrays;
  OWNED(wisp_kept_free) wisp_kept *before = NULL;
  char wrong[32] = "";
  size_t number = 0;
  if (!kernel->plan->strategy->varies || wisp_device_limits(kernel->device)->gpu) return WISP_OK;
  CALL(wisp_arrays_keep(err, arrays, out->names, &before));
  for (int i = 0; i < out->count; i++) {
    const char *array = out->names[i];
    wisp_device_interrupt_at(kernel->device, wisp_arrays_at(arrays, array), wisp_arrays_bytes_of(arrays, array));
    CALL(launch(err, problem, kernel, data, WISP_SCHEDULE_INTERRUPTED));
    CALL(wisp_arrays_compare_begin(err, arrays));
    CALL(compare(err, problem, out, before, WITHIN_LARGEST));
    CALL(wisp_arrays_compare_end(err, arrays, wrong, &number));
    CALL(wisp_require(err, !*wrong, WISP_EWRONG,
                      "number %zu of %s is not the same at every launch, where blocks interrupt each other", number,
                      wrong));
  }
  return WISP_OK;
}

static wisp_status check_one(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_kernel *kernel,
                             int number)
{
  wisp_arrays *arrays = problem->arrays;
  launch_data *data = NULL;
  char array[32] = "";
  size_t at = 0;
  CALL(find_data(err, s, problem, kernel->plan, number, &data));
  const bool sampled = data->test_case.sampled;
  right_outputs *right = &data->right[wisp_plan_rounding(kernel->plan)];
  if (!data->test_case.kernel) return wisp_verify_guards(err, arrays);
  CALL(launch(err, problem, kernel, data, WISP_SCHEDULE_SINGLE));
  CALL(wisp_arrays_compare_begin(err, arrays));
  CALL(compare_known(err, problem, right, sampled ? 0 : SHORT));
  CALL(wisp_arrays_compare_end(err, arrays, array, &at));
  CALL(wisp_require(err, !*array, WISP_EWRONG, "on the timed problem: number %zu of %s is not the reference's", at,
                    array));
  CALL(sampled ? check_rest(err, s, problem, kernel, number, right)
               : judge(err, s->cases, problem, kernel, number, SHORT));
  CALL(check_interrupted(err, problem, kernel, data));
  return wisp_verify_guards(err, arrays);
}

wisp_status wisp_at_size_check(wisp_error *err, wisp_at_size *s, wisp_problem *problem, const wisp_kernel *kernel)
{
  for (int number = WISP_PLAIN; number <= last_number(s, kernel->plan); number++)
    CALL(check_one(err, s, problem, kernel, number));
  return WISP_OK;
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
    if (last || !quickly)
      CALL(compare(err, problem, outputs_of(data, kernel), first, exact ? SAME_BITS : WITHIN_LARGEST));
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
  CALL(find_data(err, s, problem, kernel->plan, WISP_PLAIN, &data));
  if (!data->test_case.kernel) return WISP_OK;
  if (kernel->plan->strategy->varies) seconds *= 4; /* additions that meet show more rarely */
  CALL(launch(err, problem, kernel, data, WISP_SCHEDULE_USUAL));
  CALL(wisp_arrays_keep(err, arrays, outputs_of(data, kernel)->names, &first));
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
