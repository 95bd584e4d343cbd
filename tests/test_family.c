/* Claim: a family is one file in gen/, one in tuner/, its templates, and a line in one list, which a program may add
 * to; a kernel of it is a declaration, a reference, a text and a space. The filter on triangles (tests/filter), which
 * the library knows nothing of, is emitted, tuned, verified, stored, found again, and launched by programs; a kernel of
 * it that is wrong at one node is caught and said in its own words. The pages about both show what stands in the
 * sources. */
#include "each_plan.h"
#include "filter/filter.h"
#include "page.h"
#include "store_fixture.h"
#include "../tuner/workers/tune.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* The line in the list. */
#define FAMILIES(EACH) EACH(filter)
WISP_OWN_FAMILIES(FAMILIES);

#define GOOD(call)                                     \
  do {                                                 \
    wisp_error error = {0};                            \
    wisp_error *const err = &error;                    \
    if ((call) != WISP_OK) fail_msg("%s", error.text); \
  } while (0)

#define FILTER "tests/filter/"

/* --- the pages about it --- */

static void test_pages(void **state)
{
  static const char *const files[] = {FILTER "family.c", FILTER "workload.c", "tests/test_family.c",
                                      FILTER "templates/filter/rest.plain.k",
                                      FILTER "templates/filter/rest.plain.space"};
  enum { FILES = sizeof files / sizeof *files };
  (void)state;
  if (access("tests/test_family.c", R_OK) != 0) skip(); /* carried without its sources */
  check_page("docs/add-a-family.md", files, FILES, 7);
  check_page("docs/add-a-kernel.md", files, FILES, 6);
}

/* How many files of a folder a pattern names. */
static size_t count_files(const char *pattern)
{
  glob_t found;
  const size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
  globfree(&found);
  return count;
}

/* What the pages count: a family's files of C, which know it alone, and two of each strategy. */
static void test_counts(void **state)
{
  (void)state;
  if (!count_files("gen/*")) skip();              /* likewise */
  assert_int_equal(count_files(FILTER "*.c"), 2); /* one as of gen/, one as of tuner/ */
  assert_int_equal(count_files(FILTER "templates/filter/*.k"), 2);
  assert_int_equal(count_files(FILTER "templates/filter/*"), 2 * 2);
  assert_int_equal(count_files("gen/nodal/nodal.c"), 1); /* each of the library's has the same */
  assert_int_equal(count_files("gen/tensor/tensor.c"), 1);
  assert_int_equal(count_files("tuner/*/workload.c"), 2 + 1); /* and the list's own in tuner/trial */
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
  static const char *const specs[] = {"filter.apply:tri:p3:none:f64", "filter.rest:tri:p3:none:f64"};
  int best[2] = {0};
  setenv("WISP_TEMPLATES", "tests/filter/templates", 1);
  tune(db, &summary);
  assert_true(summary.ok == summary.trials && summary.trials >= 2 * 4 * 4); /* two kernels, w_p of 1, 2, 4, 8 */
  GOOD(wisp_store_open(err, db, false, NULL, &store));
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    if (layer != WISP_LAYER_USER || !(t->ms > 0 && t->gdofs > 0)) continue;
    for (int k = 0; k < 2; k++) best[k] += strcmp(t->spec, specs[k]) == 0;
  }
  assert_true(best[0] >= 4 && best[1] >= 4);
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

/* Through the public door as any other: on a program's own arrays, v = F u. */
static void test_opened(void **state)
{
  enum { N = 3, NP = (N + 1) * (N + 2) / 2, ELEMENTS = 7, NUMBERS = ELEMENTS * NP };
  const wisp_session_request request = {.device = test_device_name(), .defaults_only = 1};
  const wisp_count counts[] = {{"elements", ELEMENTS}, {NULL, 0}};
  wisp_session *session = NULL;
  wisp_kernel *kernel = NULL;
  double F[NP * NP], u[NUMBERS], v[NUMBERS];
  void *on_u = NULL, *on_v = NULL;
  (void)state;
  setenv("WISP_TEMPLATES", FILTER "templates", 1);
  GOOD(filter_matrix(err, N, F));
  for (int q = 0; q < NUMBERS; q++) u[q] = (double)(q * 7919 % 1009) / 1009 - 0.5;
  GOOD(wisp_session_open(err, &request, &session));
  GOOD(wisp_kernel_open(err, session, "filter.apply:tri:p3:none:f64", NULL, &kernel));
  GOOD(wisp_memory_create(err, session, sizeof u, &on_u));
  GOOD(wisp_memory_create(err, session, sizeof v, &on_v));
  GOOD(wisp_memory_put(err, session, on_u, u, sizeof u));
  GOOD(wisp_kernel_bind(err, kernel, "u", on_u, NUMBERS));
  GOOD(wisp_kernel_bind(err, kernel, "v", on_v, NUMBERS));
  GOOD(wisp_kernel_launch(err, kernel, counts, NULL));
  GOOD(wisp_memory_get(err, session, v, on_v, sizeof v));
  for (int q = 0; q < NUMBERS; q++) {
    double sum = 0;
    for (int j = 0; j < NP; j++) sum += F[q % NP * NP + j] * u[q / NP * NP + j];
    assert_true(fabs(v[q] - sum) < 1e-13);
  }
  wisp_memory_destroy(session, on_u), wisp_memory_destroy(session, on_v);
  wisp_kernel_close(kernel);
  wisp_session_close(session);
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
      cmocka_unit_test(test_pages),
      cmocka_unit_test(test_counts),
      cmocka_unit_test(test_matrix),
      cmocka_unit_test_setup_teardown(test_tuned, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_wrong, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_opened, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
