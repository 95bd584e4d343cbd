#include "examples.h"
#include "../../runtime/parallel.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- numbers of a test case in a problem's arrays --- */

typedef struct laying {
  const size_t *from;
  const double *natural;
  double *values;
} laying;

/* A wisp_sweep. NaN in what is nobody's. */
static void lay_part(void *context, size_t from, size_t to)
{
  const laying *l = context;
  for (size_t i = from; i < to; i++) l->values[i] = l->from[i] == WISP_NOBODY ? NAN : l->natural[l->from[i]];
}

static wisp_status put_ints(wisp_error *err, wisp_arrays *arrays, const char *array, const laying *l)
{
  const size_t size = wisp_arrays_size(arrays, array);
  OWNED(free) int *ints = NULL;
  CALL(wisp_new(err, size, sizeof *ints, &ints));
  for (size_t i = 0; i < size; i++) ints[i] = l->from[i] == WISP_NOBODY ? 0 : (int)l->natural[l->from[i]];
  return wisp_arrays_upload_ints(err, arrays, array, ints);
}

/* In pieces, whose memory serves again: fresh pages cost more than the numbers in them. */
static wisp_status put_reals(wisp_error *err, wisp_arrays *arrays, const char *array, const laying *l)
{
  enum { PIECE = 1 << 21 };
  const size_t size = wisp_arrays_size(arrays, array);
  OWNED(free) double *values = NULL;
  CALL(wisp_new(err, size < PIECE ? size : PIECE, sizeof *values, &values));
  for (size_t at = 0; at < size; at += PIECE) {
    const size_t count = size - at < PIECE ? size - at : PIECE;
    wisp_parallel_numbers(count, lay_part, &(laying){l->from + at, l->natural, values});
    CALL(wisp_arrays_upload_part(err, arrays, array, at, count, values));
  }
  return WISP_OK;
}

wisp_status wisp_example_put(wisp_error *err, wisp_problem *problem, const wisp_array_decl *array,
                             const double *natural)
{
  laying l = {.natural = natural};
  CALL(wisp_problem_origins(err, problem, array, &l.from));
  return wisp_numbers[array->type].integer ? put_ints(err, problem->arrays, array->name, &l)
                                           : put_reals(err, problem->arrays, array->name, &l);
}

/* --- results held against the right ones --- */

wisp_status wisp_judged_fill(wisp_error *err, wisp_problem *problem, const wisp_plan *plan,
                             const wisp_test_case *test_case, wisp_judged *out)
{
  const wisp_spec *spec = &plan->spec;
  const double largest = problem->d.family->max_error[spec->precision == WISP_F64];
  *out = (wisp_judged){.problem = problem, .plan = plan, .test_case = test_case, .sum_error = largest};
  if (!(largest > 0)) out->sum_error = HUGE_VAL;
  out->max_error = test_case->number < WISP_EXTREMES ? out->sum_error : HUGE_VAL;
  return wisp_tolerance_on(err, spec, &problem->d, &out->tolerance);
}

wisp_status wisp_example_download(wisp_error *err, wisp_arrays *arrays, const wisp_array_decl *array, double *values)
{
  const size_t size = wisp_arrays_size(arrays, array->name);
  OWNED(free) int *ints = NULL;
  if (!wisp_numbers[array->type].integer) return wisp_arrays_download(err, arrays, array->name, values);
  CALL(wisp_new(err, size, sizeof *ints, &ints));
  CALL(wisp_arrays_download_ints(err, arrays, array->name, ints));
  for (size_t i = 0; i < size; i++) values[i] = ints[i];
  return WISP_OK;
}

static wisp_status wrong(wisp_error *err, const wisp_judged *j, const wisp_array_decl *array, size_t i, double got,
                         double expected, const char *how)
{
  char where[WISP_PLACE_TEXT];
  wisp_discretisation_place(&j->problem->d, array, i, where);
  return wisp_fail(err, WISP_EWRONG, "%s is %.9g, not %.9g, at %s: %s", array->name, isnan(got) ? (double)NAN : got,
                   expected, where, how); /* a NaN has a sign, too */
}

/* Each number by the tolerance and its sum of magnitudes, all by what the family promises. A number that must stay as
 * it is, NaN, must have done so. *error: the largest, over its sum of magnitudes. */
static wisp_status compare(wisp_error *err, const wisp_judged *j, const wisp_array_decl *array, size_t a,
                           const double *got, double *error)
{
  const double *expected = j->test_case->after[a], *sizes = j->test_case->size[a];
  const size_t size = wisp_arrays_size(j->problem->arrays, array->name), *origins = NULL;
  double most = 0, worst = 0, farthest = 0;
  size_t bad = 0, far = 0;
  char how[64];
  CALL(wisp_problem_origins(err, j->problem, array, &origins));
  for (size_t i = 0; i < size; i++) {
    const size_t at = origins[i];
    if (at == WISP_NOBODY) continue;
    const double difference = fabs(got[i] - expected[at]);
    if (!isfinite(got[i]) != !isfinite(expected[at]))
      return wrong(err, j, array, i, got[i], expected[at], isfinite(got[i]) ? "not left alone" : "not finite");
    if (!isfinite(got[i])) continue;
    most = fmax(most, fabs(expected[at]));
    if (difference > farthest) farthest = difference, far = i;
    if (wisp_is_worse(difference, sizes[at], &worst)) bad = i;
  }
  *error = fmax(*error, worst);
  const bool kept = !(farthest > j->max_error * most);
  if (worst <= j->tolerance && kept) return WISP_OK;
  if (kept) far = bad;
  snprintf(how, sizeof how, "error %.2e over %.2e", kept ? worst : farthest / most, kept ? j->tolerance : j->max_error);
  return wrong(err, j, array, far, got[far], expected[origins[far]], how);
}

/* A sum, left as parts by the blocks, by what the family promises, relative to the root of the sum of squares: a sum of
 * numbers of random sign is far smaller than what was added. */
static wisp_status compare_sum(wisp_error *err, const wisp_judged *j, const wisp_array_decl *array, size_t a,
                               const double *got, double *error)
{
  const wisp_discretisation *d = &j->problem->d;
  const double expected = j->test_case->after[a][0], root = fmax(j->test_case->size[a][0], fabs(expected));
  double sum = 0, worst = 0;
  unsigned grid[2];
  CALL(wisp_plan_grid(err, j->plan, d->counts, grid));
  for (size_t i = 0; i < grid[0] && i < j->test_case->numbers[a]; i++) sum += got[i];
  wisp_is_worse(fabs(sum - expected), root, &worst);
  *error = fmax(*error, worst);
  return wisp_require(err, isfinite(sum) && worst <= j->sum_error, WISP_EWRONG,
                      "%s is %.9g in all, not %.9g: error %.2e over %.2e", array->name, sum, expected, worst,
                      j->sum_error);
}

wisp_status wisp_judge(wisp_error *err, const wisp_judged *j, size_t most, double *error)
{
  OWNED(free) double *got = NULL;
  size_t a = 0;
  for (const wisp_array_decl *array = j->problem->d.family->arrays; array->name; array++, a++) {
    const size_t size = wisp_arrays_size(j->problem->arrays, array->name);
    if (!j->test_case->after[a] || !size) continue;
    if (size > most && array->kind != WISP_PARTS) continue;
    CALL(wisp_new(err, size, sizeof *got, &got));
    CALL(wisp_example_download(err, j->problem->arrays, array, got));
    CALL(array->kind == WISP_PARTS ? compare_sum(err, j, array, a, got, error) : compare(err, j, array, a, got, error));
    free(got);
    got = NULL;
  }
  return WISP_OK;
}
