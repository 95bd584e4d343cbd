/* Claim: docs/guide/add-a-strategy.md is true: the strategy that it writes is listed, expanded, verified, timed and
 * stored as the page says, its commands succeed as they stand, and what they print is there. Runs in the root of the
 * tree. */
#include "test.h"
#include "page.h"
#include "store_fixture.h"

static const char path[] = "docs/guide/add-a-strategy.md", *const files[] = {"mine/nodal/update.by-group.k",
                                                                             "mine/nodal/update.by-group.space"};

static page open_page(char folder[64])
{
  fixture_folder(folder);
  return page_read(path);
}

static void write_files(const page *p, const char *folder)
{
  for (int i = 0; i < 2; i++) page_write_file(p, folder, files[i]);
}

TEST(test_page)
{
  char folder[64];
  HELD(page_free) page p = open_page(folder);
  write_files(&p, folder);
  OWNED(free) char *output = page_run(&p, folder, " --box 3 --strategy by-group");
  page_check_shown(&p, "## 2. See it", "## 3.", output, 10);
  assert_non_null(strstr(output, "\n2 f64  update ")); /* tune's table of winners */
  assert_non_null(strstr(output, "outcome=ok"));
  assert_null(strstr(output, "outcome=wrong"));
  fixture_remove(folder);
}

/* With a wrong sign it is caught, and the store tells why. */
TEST(test_wrong_sign)
{
  char folder[64];
  HELD(page_free) page p = open_page(folder);
  strstr(page_find(&p, "rhs[at] + lifted[at]"), "+")[0] = '-';
  write_files(&p, folder);
  HELD(page_free)
  page wrong = {"", strdup("    export WISP_TEMPLATES=$PWD/mine\n"
                           "    wisp tune -n 2 -p f64 --kernel update --db try.db --budget 20s\n"
                           "    wisp db export --db try.db --format text\n")};
  OWNED(free) char *output = page_run(&wrong, folder, " --box 3 --strategy by-group || true"); /* no trial is right */
  if (!strstr(output, "outcome=wrong reason=\"u is ")) fail_msg("%s", output);
  fixture_remove(folder);
}
