/* Claim: a sweep that is shared out over two workers tries what one worker would, nothing twice, each order and
 * precision on one of them, and both have their share; a device that cannot be opened is named, and the others do its
 * work; where none can be, and for a list that makes no sense, the sweep fails. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "tuning.h"

enum { MAX_TRIALS = 512, ORDERS = 2, WORKERS = 2 };

typedef struct seen {
  bool rounds; /* a unit may go to another worker in the next */
  size_t count, warned, devices;
  char key[MAX_TRIALS][400];
  ptrdiff_t worker[ORDERS + 1][WISP_F64 + 1]; /* by order and precision: 1 more than who tried the first; 0: nobody */
  long long of_worker[WORKERS], of_device[WORKERS];
  double device_seconds;
  char warning[1024];
} seen;

static void on_progress(void *context, const wisp_tune_progress *p)
{
  seen *s = context;
  wisp_spec spec;
  GOOD(wisp_spec_parse(err, p->spec, &spec));
  assert_true(s->count < MAX_TRIALS && p->worker < WORKERS);
  snprintf(s->key[s->count++], sizeof s->key[0], "%s %s %s %s", p->spec, p->layout, p->last->strategy, p->last->params);
  ptrdiff_t *worker = &s->worker[spec.order][spec.precision];
  if (!*worker) *worker = p->worker + 1;
  assert_true(s->rounds || *worker == p->worker + 1);
  s->of_worker[p->worker]++;
  assert_int_equal(p->done, s->count);
  assert_true(p->total >= p->done);
}

static void on_warning(void *context, const char *text)
{
  seen *s = context;
  s->warned++;
  snprintf(s->warning, sizeof s->warning, "%s", text);
}

static void on_device(void *context, const char *device, const wisp_tune_summary *part)
{
  seen *s = context;
  assert_true(*device && s->devices < WORKERS);
  s->of_device[s->devices++] = part->trials;
  s->device_seconds += part->seconds;
}

static wisp_status tune(wisp_error *err, const char *devices, const char *db, double budget, seen *s,
                        wisp_tune_summary *summary)
{
  static const int orders[ORDERS] = {1, 2};
  static const wisp_precision precisions[] = {WISP_F32, WISP_F64};
  wisp_tune_request r = tune_request("nodal", "trace", db);
  r.orders = orders, r.order_count = ORDERS, r.precisions = precisions, r.precision_count = 2;
  if (getenv("WISP_TEST_COARSE")) r.layout = "slab-km32"; /* sanitized, for all */
  r.budget_seconds = budget, r.elements = 384;
  r.progress = on_progress, r.warn = on_warning, r.device_done = on_device, r.context = s;
  *s = (seen){.rounds = budget > 0};
  return wisp_tune(err, devices, &r, summary);
}

static const char *twice(void)
{
  static char list[64];
  snprintf(list, sizeof list, "%s,%s", test_device_name(), test_device_name());
  return list;
}

static int by_text(const void *a, const void *b)
{
  return strcmp(a, b);
}

static seen one; /* the sweep by one worker, which test_same_trials makes */

TEST_IN_FOLDER(test_same_trials)
{
  static seen two;
  const char *folder = *state;
  wisp_error err = {0};
  wisp_tune_summary summary;
  if (tune(&err, test_device_name(), fixture_path(folder, "one.db"), 0, &one, &summary)) fail_msg("%s", err.text);
  assert_int_equal(one.devices, 1);
  if (tune(&err, twice(), fixture_path(folder, "two.db"), 0, &two, &summary)) fail_msg("%s", err.text);
  assert_int_equal(two.count, one.count);
  qsort(one.key, one.count, sizeof one.key[0], by_text);
  qsort(two.key, two.count, sizeof two.key[0], by_text);
  for (size_t i = 0; i < one.count; i++) {
    assert_string_equal(two.key[i], one.key[i]);
    if (i) assert_string_not_equal(one.key[i], one.key[i - 1]);
  }
  assert_int_equal(fixture_count(fixture_path(folder, "two.db")), fixture_count(fixture_path(folder, "one.db")));
  assert_int_equal(two.devices, WORKERS);
  assert_int_equal(summary.trials, two.count);
  for (int w = 0; w < WORKERS; w++) {
    assert_true(two.of_worker[w] > 0);
    assert_int_equal(two.of_device[w], two.of_worker[w]);
  }
  assert_true(summary.device_seconds > 0 && summary.device_seconds <= WORKERS * summary.seconds);
  assert_true(two.device_seconds > 0.999 * summary.device_seconds &&
              two.device_seconds < 1.001 * summary.device_seconds);
  assert_int_equal(two.warned, 1); /* that they share a device */
  if (tune(&err, twice(), fixture_path(folder, "two.db"), 0, &two, &summary)) fail_msg("%s", err.text);
  assert_int_equal(summary.trials, 0);
  assert_int_equal(summary.known, one.count);
}

/* With time to spare, a budget is as good as none; and each unit has trials where there is little. */
TEST_IN_FOLDER(test_budget)
{
  static seen s;
  const char *folder = *state;
  wisp_error err = {0};
  wisp_tune_summary summary;
  if (tune(&err, twice(), fixture_path(folder, "tune.db"), 0.5, &s, &summary)) fail_msg("%s", err.text);
  if (tune(&err, twice(), fixture_path(folder, "tune.db"), 300, &s, &summary)) fail_msg("%s", err.text);
  assert_true(summary.seconds < 300);
  if (tune(&err, test_device_name(), fixture_path(folder, "tune.db"), 0, &s, &summary)) fail_msg("%s", err.text);
  assert_int_equal(summary.trials, 0);
}

/* No machine has so many GPUs. */
TEST_IN_FOLDER(test_missing_device)
{
  static seen s;
  char list[64];
  const char *folder = *state;
  wisp_error err = {0};
  wisp_tune_summary summary;
  snprintf(list, sizeof list, "cuda:999,%s", test_device_name());
  if (tune(&err, list, fixture_path(folder, "two.db"), 0, &s, &summary)) fail_msg("%s", err.text);
  assert_int_equal(s.count, one.count);
  assert_int_equal(s.of_device[0], 0);
  assert_int_equal(s.warned, 1);
  if (!strstr(s.warning, "cuda:999")) fail_msg("%s", s.warning);
  assert_int_equal(tune(&err, "cuda:999,cuda:998", fixture_path(folder, "two.db"), 0, &s, &summary), WISP_EDEVICE);
  assert_int_equal(s.warned, 0);
  if (!strstr(err.text, "device cuda:99")) fail_msg("%s", err.text);
}

TEST_IN_FOLDER(test_lists)
{
  static const struct {
    const char *text, *words;
  } bad[] = {{"", "empty"},         {"host,", "empty"}, {",host", "empty"},       {"cuda:0,,", "empty"},
             {"host,gpu", "'gpu'"}, {"cuda:", "cuda:"}, {"cuda:-1", "'cuda:-1'"}, {"host, cuda", "' cuda'"},
             {"host,all", "'all'"}};
  static seen s;
  const char *folder = *state;
  wisp_error err = {0};
  wisp_tune_summary summary;
  size_t count = 0;
  char **names = NULL;
  const char *db = fixture_path(folder, "none.db");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(tune(&err, bad[i].text, db, 0, &s, &summary), WISP_EUSAGE);
    if (!strstr(err.text, bad[i].words)) fail_msg("'%s': %s", bad[i].text, err.text);
  }
  FILE *made = fopen(db, "r");
  assert_null(made);
  if (wisp_devices_read(&err, "host,cuda:1", &count, &names) != WISP_OK) fail_msg("%s", err.text);
  assert_int_equal(count, 2);
  assert_string_equal(names[0], "host");
  assert_string_equal(names[1], "cuda:1");
  wisp_devices_free(count, names);
}

/* All GPUs, or else the host. (Last: this process lists devices itself, and no worker may come after that.) */
TEST(test_all)
{
  size_t count = 0;
  char **names = NULL;
  HELD(wisp_text_free) wisp_text here = {0}, all = {0};
  GOOD(wisp_devices_read(err, "all", &count, &names));
  GOOD(wisp_device_list(err, false, &here));
  for (size_t i = 0; i < count; i++) GOOD(wisp_text_print(err, &all, "%s%s", i ? "," : "", names[i]));
  if (strcmp(all.data, "host") != 0) GOOD(wisp_text_print(err, &all, ",host"));
  assert_string_equal(all.data, here.data);
  wisp_devices_free(count, names);
}
