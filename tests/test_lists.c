/* Claim: the tuner lets nothing win that goes by wrong lists. Lists are spoiled on their way into a problem, a source
 * that is missing for another that counts twice, or two colours in one launch; then every candidate of the strategies
 * that go by them is stored as wrong, and with the lists as they are made they are right. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../runtime/arrays.h"
#include "../runtime/assembly/assembly.h"
#include "tuning.h"

#include <dlfcn.h>

/* --- between what makes lists and what takes them: these stand before the library's --- */

static const char *spoiled; /* the array; NULL: none */

/* In the middle, where numbers of 64 bits are two; of words by entity, of which not all are always read, among the
 * first group's corners. */
static size_t first_wrong(const char *array, const int *values, size_t size)
{
  if (strcmp(array, "entity_words") == 0) return 8 + (size_t)values[3];
  return strcmp(array, "gather_words") == 0 ? 8 : size / 4 * 2;
}

wisp_status wisp_arrays_upload_ints(wisp_error *err, wisp_arrays *arrays, const char *array, const int *values)
{
  wisp_status (*library)(wisp_error *, wisp_arrays *, const char *, const int *) = NULL;
  *(void **)&library = dlsym(RTLD_NEXT, "wisp_arrays_upload_ints");
  if (!spoiled || strcmp(spoiled, array) != 0 || strcmp(array, "pass_words") == 0)
    return library(err, arrays, array, values);
  const size_t size = wisp_arrays_size(arrays, array);
  if (size <= 64) return library(err, arrays, array, values); /* of a mesh of few elements */
  OWNED(free) int *wrong = allocate(size, sizeof *wrong);
  size_t at = first_wrong(array, values, size);
  assert_true(wrong && size > 2);
  memcpy(wrong, values, size * sizeof *wrong);
  while (at + 4 < size && (wrong[at] <= 0 || wrong[at + 2] <= 0 || wrong[at] == wrong[at + 2])) at += 2;
  wrong[at] = wrong[at + 2];
  return library(err, arrays, array, wrong);
}

/* Makes one of two colours of the first group. */
static void merge_colours(const wisp_index_list *colouring)
{
  enum { HEAD = 4 };
  int32_t *head = colouring->array[1].ints, *start = head + HEAD;
  if (head[2] < 2) return; /* of a mesh of few elements */
  start[1] = start[2];
}

/* Both colours in the first's launch, all elements still once. */
wisp_status wisp_assembly_discretise(wisp_error *err, const wisp_assembly *s, const char *form, const wisp_fixed *fixed,
                                     const wisp_cg_capacity *capacity, wisp_discretisation *out)
{
  wisp_status (*library)(wisp_error *, const wisp_assembly *, const char *, const wisp_fixed *,
                         const wisp_cg_capacity *, wisp_discretisation *) = NULL;
  *(void **)&library = dlsym(RTLD_NEXT, "wisp_assembly_discretise");
  CALL(library(err, s, form, fixed, capacity, out));
  wisp_assembly *view = (wisp_assembly *)(uintptr_t)out->self;
  if (spoiled && strcmp(spoiled, "pass_words") == 0 && wisp_assembly_list(view, "batch_lists"))
    merge_colours(wisp_assembly_list(view, "batch_lists"));
  if (!spoiled || strcmp(spoiled, "coloured") != 0 || view->colours < 2) return WISP_OK;
  view->colour[0].count += view->colour[1].count;
  view->colour[1].first += view->colour[1].count, view->colour[1].count = 0;
  return WISP_OK;
}

/* --- sweeps --- */

static const struct {
  const char *kernel, *strategy, *array, *reason;
} plants[] = {
    {"add", "coloured", "coloured", "two elements of colour 0 have node"},
    {"add_stored", "coloured", "coloured", "two elements of colour 0 have node"},
    {"fill", "shared-elements", "pass_words", "two elements of colour 0 of group 0"},
    {"scatter", "atomic", "map", " is "},
    {"reduce", "list", "sources", " is "},
    {"reduce", "permuted", "wide_sources", " is "},
    {"multiply", "shared-columns", "near_slots", " is "},
    {"multiply", "shared-columns", "near_columns", " is "},
    {"fill", "rows", "around", " is "},
    {"fill", "nonzeros", "sources", " is "},
    {"fill", "shared-nonzeros", "codes", " is "},
    {"fill", "scatter-reduction", "reduction_array", " is "},
    {"fill", "entity-rows", "entity_words", " is "},
    {"fill", "gathered-products", "gather_words", " is "},
    {"fill", "shared-rows", "around_local", " is "},
    {"fill", "slices", "around", " is "},
};

static void sweep(const char *folder, size_t i, bool wrong)
{
  static const int order = 2;
  char db[128];
  snprintf(db, sizeof db, "%s/%zu-%d.db", folder, i, wrong);
  wisp_tune_request r = tune_request("assembly", plants[i].kernel, db);
  r.orders = &order, r.strategy = plants[i].strategy, r.elements = 200, r.defaults_only = true;
  int seen = 0;
  char refused[512] = "no trial";
  spoiled = wrong ? plants[i].array : NULL;
  const wisp_tune_summary summary = run_tune(&r);
  if (summary.stopped) fail_msg("%s by %s: stopped by signal %d", r.kernel, r.strategy, summary.stopped);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  size_t at = 0;
  for (const wisp_trial *trial; (trial = fixture_next(store, &at));) {
    const wisp_outcome outcome = wisp_trial_outcome(trial);
    if (strcmp(trial->strategy, plants[i].strategy) != 0) continue;
    if (outcome == WISP_TRIAL_REFUSED) snprintf(refused, sizeof refused, "%s", trial->reason);
    if (outcome == WISP_TRIAL_REFUSED) continue;
    seen++;
    if (wrong ? outcome == WISP_TRIAL_WRONG && strstr(trial->reason, plants[i].reason)
              : outcome == WISP_TRIAL_OK || outcome == WISP_TRIAL_SLOW)
      continue;
    fail_msg("%s by %s, %s %s: %s %s", plants[i].kernel, trial->strategy, plants[i].array, wrong ? "spoiled" : "sound",
             trial->outcome, trial->reason);
  }
  if (!seen)
    fail_msg("%s by %s: %s; %lld not compiled, %s", plants[i].kernel, plants[i].strategy, refused, summary.skipped,
             summary.why);
}

/* Sanitized, every third list stands for the others. */
TEST(test_lists)
{
  const size_t some = getenv("WISP_TEST_COARSE") ? 3 : 1;
  for (size_t i = 0; i < sizeof plants / sizeof *plants; i += some)
    for (int wrong = 0; wrong < 2 && share_has_turn(i); wrong++) sweep(*state, i, wrong);
}

GROUP(fixture_set_up, fixture_tear_down)
