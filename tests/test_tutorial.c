/* Claim: docs/add-a-strategy.md is true: the strategy that it writes is listed, expanded, verified, timed and stored as
 * the page says, its commands succeed as they stand, and what they print is there. Runs in the root of the tree. */
#include "store_fixture.h"
#include "../gen/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

static const char page[] = "docs/add-a-strategy.md";

static char *read_text(const char *path)
{
  size_t length = 0;
  char *bytes = fixture_read(path, &length), *text = malloc(length + 1);
  assert_non_null(text);
  memcpy(text, bytes, length);
  text[length] = '\0';
  free(bytes);
  return text;
}

/* Takes the next line of a text, without its end; false behind the last. */
static bool next_line(const char **at, char line[512])
{
  const size_t length = strcspn(*at, "\n");
  if (!**at) return false;
  assert_true(length < 512);
  memcpy(line, *at, length);
  line[length] = '\0';
  *at += length + ((*at)[length] == '\n');
  return true;
}

static bool is_code(const char *line)
{
  return strncmp(line, "    ", 4) == 0;
}

/* Writes the block that follows "`mine/nodal/NAME`:" into folder. */
static void write_file(const char *folder, const char *text, const char *name)
{
  char heading[128], line[512];
  wisp_text block = {0};
  snprintf(heading, sizeof heading, "`mine/nodal/%s`:\n\n", name);
  const char *at = strstr(text, heading);
  if (!at) fail_msg("%s does not show %s", page, name);
  at += strlen(heading);
  while (next_line(&at, line) && is_code(line)) wisp_text_print(NULL, &block, "%s\n", line + 4);
  fixture_write(fixture_path(folder, name), block.data, block.length);
  wisp_text_free(&block);
}

/* Everything that the page's commands print, run one after the other; a budget of seconds is a test's. */
static char *run_commands(const char *folder, const char *text)
{
  char line[512], command[128], *output = NULL;
  const char *at = text;
  wisp_text script = {0};
  snprintf(command, sizeof command, "%s", getenv("WISP_COMMAND"));
  wisp_text_print(NULL, &script, "set -e; PATH=%s:$PATH; cd %s\nmkdir mine; mkdir mine/nodal; mv update.* mine/nodal\n",
                  (*strrchr(command, '/') = '\0', command), folder);
  while (next_line(&at, line)) {
    if (strncmp(line, "    wisp ", 9) != 0 && strncmp(line, "    export ", 11) != 0) continue;
    char *budget = strstr(line, "--budget 20s");
    if (budget) memcpy(budget, "--budget  4s", 12);
    wisp_text_print(NULL, &script, "%s%s\n", line, strstr(line, "wisp tune") ? " --box 3 --strategy by-group" : "");
  }
  fixture_write(fixture_path(folder, "script"), script.data, script.length);
  wisp_text_free(&script);
  char run[256];
  snprintf(run, sizeof run, "sh %s/script >%s/output 2>&1", folder, folder);
  const int status = system(run);
  output = read_text(fixture_path(folder, "output"));
  if (status != 0) fail_msg("status %d: %s", status, output);
  return output;
}

/* What the page shows as printed: indented, between "## 2. See it" and "## 3.", no command. Blanks at the ends of a
 * line do not count. */
static void check_shown(const char *text, const char *output)
{
  char line[512];
  int shown = 0;
  const char *at = strstr(text, "## 2."), *end = strstr(text, "## 3.");
  assert_true(at && end);
  while (at < end && next_line(&at, line)) {
    const char *own = line + strspn(line, " ");
    if (!is_code(line) || strncmp(own, "wisp ", 5) == 0 || strncmp(own, "export ", 7) == 0 || strcmp(own, "...") == 0)
      continue;
    if (!strstr(output, own)) fail_msg("'%s' is not in: %s", own, output);
    shown++;
  }
  assert_true(shown >= 10);
}

/* A folder with the page's two files. */
static void write_files(char folder[64], const char *text)
{
  fixture_folder(folder);
  write_file(folder, text, "update.by-group.k");
  write_file(folder, text, "update.by-group.space");
}

static void test_page(void **state)
{
  char folder[64], *text = read_text(page);
  (void)state;
  write_files(folder, text);
  char *output = run_commands(folder, text);
  check_shown(text, output);
  assert_non_null(strstr(output, "\n2 f64  update ")); /* tune's table of winners */
  assert_non_null(strstr(output, "outcome=ok"));
  assert_null(strstr(output, "outcome=wrong"));
  free(output);
  free(text);
  fixture_remove(folder);
}

/* With a wrong sign it is caught, and the store tells why. */
static void test_wrong_sign(void **state)
{
  char folder[64], command[512], *text = read_text(page), *sign = strstr(text, "rhs[at] + lifted[at]");
  const char *wisp = getenv("WISP_COMMAND");
  (void)state;
  assert_non_null(sign);
  sign[8] = '-';
  write_files(folder, text);
  snprintf(command, sizeof command,
           "cd %s && mkdir -p mine/nodal && mv update.* mine/nodal && export WISP_TEMPLATES=$PWD/mine && "
           "{ '%s' tune -n 2 -p f64 --kernel update --strategy by-group --box 3 --db try.db --budget 3s; "
           "'%s' db export --db try.db --format text; } >output 2>&1",
           folder, wisp, wisp);
  assert_int_equal(system(command), 0);
  char *output = read_text(fixture_path(folder, "output"));
  if (!strstr(output, "outcome=wrong reason=\"u is ")) fail_msg("%s", output);
  free(output);
  free(text);
  fixture_remove(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_page), cmocka_unit_test(test_wrong_sign)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
