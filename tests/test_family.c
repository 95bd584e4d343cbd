/* Claim: a family is one file in gen/, one in tuner/, its templates, and a line in a list, which a program may add to.
 * The filter on triangles (tests/filter), which the library knows nothing of, is emitted, tuned, verified, stored, and
 * found again; a kernel of it that is wrong at one node is caught and said in its own words. */
#include "each_plan.h"
#include "filter/filter.h"
#include "page.h"
#include "store_fixture.h"
#include "../tuner/workers/tune.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

/* The line in each list. */
const wisp_family *const wisp_own_families[] = {&filter_family, NULL};
const wisp_workload *const wisp_own_workloads[] = {&filter_workload, NULL};

#define GOOD(call)                                     \
  do {                                                 \
    wisp_error error = {0};                            \
    wisp_error *const err = &error;                    \
    if ((call) != WISP_OK) fail_msg("%s", error.text); \
  } while (0)

/* --- the page about it --- */

/* What docs/add-a-family.md shows stands in the files that it is about. */
static void test_page(void **state)
{
  static const char *const files[] = {"tests/filter/family.c", "tests/filter/workload.c", "tests/test_family.c"};
  (void)state;
  check_page("docs/add-a-family.md", files, sizeof files / sizeof *files, 7);
}

/* --- the filter --- */

/* Polynomials of a lower degree pass unchanged, those of the highest are halved. */
static void test_matrix(void **state)
{
  (void)state;
  for (int N = 1; N <= FILTER_MAX_ORDER; N++) {
    const int Np = (N + 1) * (N + 2) / 2;
    double F[FILTER_MAX_NP * FILTER_MAX_NP];
    GOOD(filter_matrix(err, N, F));
    for (int degree = 0; degree <= N; degree++)
      for (int i = 0; i < Np; i++) {
        double sum = 0, own = 0;
        int j = 0;
        for (int y = 0; y <= N; y++)
          for (int x = 0; x + y <= N; x++, j++) {
            const double value = pow((double)x / N, degree);
            sum += F[i * Np + j] * value;
            if (j == i) own = value * (degree == N ? 0.5 : 1);
          }
        assert_true(fabs(sum - own) < 1e-9);
      }
  }
}

static void tune(const char *db, wisp_tune_summary *summary)
{
  static const int orders[] = {2, 3};
  static const wisp_precision precisions[] = {WISP_F32, WISP_F64};
  const wisp_tune_request request = {.family = "filter",
                                     .orders = orders,
                                     .order_count = 2,
                                     .precisions = precisions,
                                     .precision_count = 2,
                                     .elements = 1000,
                                     .db = db};
  GOOD(wisp_tune(err, test_device_name(), &request, summary));
}

static void test_tuned(void **state)
{
  const char *db = fixture_path(*state, "filter.db");
  wisp_tune_summary summary = {0};
  wisp_store *store = NULL;
  int best = 0;
  setenv("WISP_TEMPLATES", "tests/filter/templates", 1);
  tune(db, &summary);
  assert_true(summary.ok == summary.trials && summary.trials >= 4 * 4); /* w_p of 1, 2, 4, 8 */
  GOOD(wisp_store_open(err, db, false, NULL, &store));
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    best +=
        layer == WISP_LAYER_USER && strcmp(t->spec, "filter.apply:tri:p3:none:f64") == 0 && t->ms > 0 && t->gdofs > 0;
  }
  assert_true(best >= 4);
  wisp_store_close(store);
}

/* A copy of the kernel with one statement more. */
static void plant(const char *folder)
{
  char path[256], *text = NULL, *space = NULL, wrong[2048];
  size_t length;
  GOOD(wisp_read_file(err, "tests/filter/templates/filter/apply.plain.k", &text, &length));
  GOOD(wisp_read_file(err, "tests/filter/templates/filter/apply.plain.space", &space, &length));
  char *end = strstr(text, "      v[e");
  assert_non_null(end);
  snprintf(wrong, sizeof wrong, "%.*s      if (e == 7 && x == 2) sum += (real)0.01;\n%s", (int)(end - text), text, end);
  snprintf(path, sizeof path, "%s/filter", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(path, sizeof path, "%s/filter/apply.wrong.k", folder);
  fixture_write(path, wrong, strlen(wrong));
  snprintf(path, sizeof path, "%s/filter/apply.wrong.space", folder);
  fixture_write(path, space, strlen(space));
  free(text), free(space);
  setenv("WISP_TEMPLATES", folder, 1);
}

static void test_wrong(void **state)
{
  const char *db = fixture_path(*state, "wrong.db");
  wisp_tune_summary summary = {0};
  plant(*state);
  tune(db, &summary);
  assert_int_equal(summary.ok, 0);
  assert_true(summary.failed > 0);
  if (!strstr(summary.why, "at triangle 7, node 2")) fail_msg("%s", summary.why);
}

static int set_up(void **state)
{
  static char folder[64];
  fixture_folder(folder);
  *state = folder;
  return 0;
}

static int tear_down(void **state)
{
  unsetenv("WISP_TEMPLATES");
  fixture_remove(*state);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_page),
      cmocka_unit_test(test_matrix),
      cmocka_unit_test_setup_teardown(test_tuned, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_wrong, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
