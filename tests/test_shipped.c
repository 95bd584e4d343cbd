/* The shipped text form: what is printed reads back bit for bit; a bad line costs only itself and is named. */
#include "store_fixture.h"
#include "../cache/shipped.h"
#include "../gen/embedded.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static void test_round_trip(void **state)
{
  (void)state;
  wisp_text text = {0};
  wisp_error err = {0};
  size_t count = 0;
  wisp_trial *trials = NULL;
  for (int i = 0; i < 50; i++) {
    wisp_trial trial = fixture_trial(i);
    assert_int_equal(wisp_shipped_print(&err, &trial, &text), WISP_OK);
  }
  assert_int_equal(wisp_trials_parse_shipped(&err, "x.txt", text.data, &count, &trials), WISP_OK);
  assert_string_equal(err.text, "");
  assert_int_equal(count, 50);
  for (int i = 0; i < 50; i++) {
    wisp_trial expected = fixture_trial(i);
    assert_true(fixture_same(&trials[i], &expected));
  }
  free(trials);
  wisp_text_free(&text);
}

#define GOOD "spec=a.b:tet:p1:s:f64 strategy=x outcome=ok"
static void test_bad_lines(void **state)
{
  (void)state;
  static const char *const bad[] = {
      "nonsense",
      GOOD " colour=red",
      GOOD " ms=fast",
      GOOD " params=\"open",
      GOOD " params=\"a\\q\"",
      GOOD " params=\"\\",
      "strategy=x",
      "=",
      GOOD " units=1e9",
      GOOD " samples=[1,2",
      GOOD " samples=[",
      GOOD " params=\"a\"b",
      GOOD " units=99999999999",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    wisp_text text = {0}, warning = {0};
    wisp_trials list = {0};
    wisp_text_print(NULL, &text, "# winners\n\n%s ms=1.5\n%s\r\n\t%s ms=2.5 params=\"p=1\"", GOOD, bad[i], GOOD);
    assert_int_equal(wisp_shipped_parse(NULL, "w.txt", text.data, &warning, &list), WISP_OK);
    assert_int_equal(list.count, 2);
    assert_true(list.trials[1].ms == 2.5);
    assert_string_equal(list.trials[1].params, "p=1");
    assert_ptr_equal(strstr(warning.data, "w.txt:4: "), warning.data);
    assert_null(strchr(warning.data, '\n'));
    free(list.trials);
    wisp_text_free(&text);
    wisp_text_free(&warning);
  }
}

/* What was printed before a column was there reads as if nothing were known of it. */
static void test_older_text(void **state)
{
  (void)state;
  wisp_trials list = {0};
  assert_int_equal(wisp_shipped_parse(NULL, "x", GOOD " ms=1.5\n" GOOD " ms=2 tie=chosen\n", NULL, &list), WISP_OK);
  assert_int_equal(list.count, 2);
  assert_string_equal(list.trials[0].tie, "");
  assert_string_equal(list.trials[1].tie, WISP_TIE_CHOSEN);
  free(list.trials);
}

static void test_winners_only(void **state)
{
  (void)state;
  char folder[64];
  fixture_folder(folder);
  const char *path = fixture_path(folder, "wisp.db");
  wisp_text text = {0};
  wisp_trial *trials = NULL;
  size_t count = 0;
  fixture_fill(path, 0, 36); /* trials n, n + 18 compete: the first is the faster; every fifth is a default; n % 7 == 3
                                is refused; n % 11 == 4 or 5 is in a tie */
  assert_int_equal(wisp_store_print_shipped(NULL, path, true, &text), WISP_OK);
  assert_int_equal(wisp_trials_parse_shipped(NULL, "x", text.data, &count, &trials), WISP_OK);
  size_t expected = 0;
  for (int n = 0; n < 36; n++) {
    bool winner = n < 18 || (n - 18) % 7 == 3;
    expected += n % 7 != 3 && (winner || n % 5 == 0 || n % 11 == 4 || n % 11 == 5);
  }
  assert_int_equal(count, expected);
  for (size_t i = 0; i < count; i++) assert_string_equal(trials[i].outcome, "ok");
  free(trials);
  wisp_text_free(&text);
  fixture_remove(folder);
}

/* What ships with this build has no bad line. */
static void test_shipped_files_are_good(void **state)
{
  (void)state;
  for (size_t i = 0; i < wisp_embedded_count; i++) {
    if (strncmp(wisp_embedded_files[i].path, "cache/shipped/", 14) != 0) continue;
    wisp_text warning = {0};
    wisp_trials list = {0};
    assert_int_equal(
        wisp_shipped_parse(NULL, wisp_embedded_files[i].path, wisp_embedded_files[i].text, &warning, &list), WISP_OK);
    if (warning.length) fail_msg("%s", warning.data);
    free(list.trials);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_bad_lines),
      cmocka_unit_test(test_older_text),
      cmocka_unit_test(test_winners_only),
      cmocka_unit_test(test_shipped_files_are_good),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
