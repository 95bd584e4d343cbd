/* The main function of every test program: runs the cases that TEST has enlisted. */
#include "test.h"

enum { MOST_CASES = 64 };

static struct CMUnitTest cases[MOST_CASES];
static int lines[MOST_CASES];
static size_t count;
static CMFixtureFunction set_up_all, tear_down_all;

void enlist(const struct CMUnitTest *test, int line)
{
  size_t at = count++;
  if (count > MOST_CASES) abort();
  for (; at > 0 && lines[at - 1] > line; at--) cases[at] = cases[at - 1], lines[at] = lines[at - 1];
  cases[at] = *test, lines[at] = line;
}

void enlist_fixtures(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
  set_up_all = set_up, tear_down_all = tear_down;
}

/* The user's stores and texts have no effect on tests. $WISP_TEST_ONLY, "test_levels" or "test_bad_*": these cases
 * alone. */
int main(void)
{
  const char *only = getenv("WISP_TEST_ONLY");
  unsetenv("WISP_SITE_DB");
  unsetenv("WISP_SHIPPED");
  unsetenv("WISP_TEMPLATES");
  if (only && *only) cmocka_set_test_filter(only);
  return _cmocka_run_group_tests("tests", cases, count, set_up_all, tear_down_all);
}
