/* Claim: docs/reference/refusals.md has a row for each message of the library and the command that a user can meet,
 * with what to do, and none for a message that is no more; tests/internal.list says why others cannot be met. The
 * messages are those of scripts/list-messages, which finds a new one wherever it stands. Runs in the root of the tree.
 */
#include "test.h"
#include "page.h"
#include "store_fixture.h"
#include "../gen/text.h"

#include <ctype.h>

/* ---- How a row's message is compared with one of the sources. */

static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";

/* "..." stands for any text, a word in capitals for what printf fills in, or for itself. */
static bool covers(const char *pattern, const char *message)
{
  if (strncmp(pattern, "...", 3) == 0) {
    for (; !covers(pattern + 3, message); message++)
      if (!*message) return false;
    return true;
  }
  const size_t word = strspn(pattern, capitals);
  if (word && *message == '%' && covers(pattern + word, message + 1)) return true;
  return *pattern == *message && (!*pattern || covers(pattern + 1, message + 1));
}

TEST(test_patterns)
{
  static const struct {
    const char *pattern, *message;
    bool covers;
  } cases[] = {{"order N is out of range: use 1 to N", "order % is out of range: use 1 to %", true},
               {"...: use 1 to N", "hexes: order % is out of range: use 1 to %", true},
               {"...: use 1 to N", "order % is out of range: use 0 to %", false},
               {"set WISP_DB", "set WISP_DB", true},
               {"set WISP_DB", "set WISP_CC", false},
               {"NAME is held", "% is held: wait", false},
               {"NAME is held...", "% is held: wait", true},
               {"N % of the energy", "% % of the energy", true},
               {"NAMEs have parts", "%s have parts", true},
               {"N elements", "many elements", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (covers(cases[i].pattern, cases[i].message) != cases[i].covers) fail_msg("%s", cases[i].message);
}

/* ---- Messages and patterns. */

typedef struct line {
  char *text; /* a message, or a pattern */
  char where[64];
  bool met;
} line;

typedef struct lines {
  line *list;
  size_t count, capacity;
} lines;

static void add(lines *to, const char *where, const char *text, size_t length)
{
  GOOD(wisp_grow(err, &to->list, &to->capacity, to->count + 1, sizeof *to->list));
  line *last = &to->list[to->count++];
  *last = (line){.text = strndup(text, length)};
  assert_non_null(last->text);
  snprintf(last->where, sizeof last->where, "%s", where);
}

static void free_lines(lines *of)
{
  for (size_t i = 0; i < of->count; i++) free(of->list[i].text);
  free(of->list);
}

/* The output of scripts/list-messages. */
static lines list_messages(const char *folders)
{
  lines out = {0};
  char command[128], text[4096];
  snprintf(command, sizeof command, "scripts/list-messages %s", folders);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  while (fgets(text, sizeof text, pipe)) {
    char *tab = strchr(text, '\t');
    assert_non_null(tab);
    *tab++ = '\0';
    add(&out, text, tab, strcspn(tab, "\n"));
  }
  assert_int_equal(pclose(pipe), 0);
  return out;
}

/* A row of a table: patterns in backticks in its first cell, and what to do in its last. */
static void read_row(const char *row, const char *end, const char *where, lines *out)
{
  const char *cell = memchr(row + 1, '|', (size_t)(end - row - 1)), *last = end - 1;
  while (cell && last > cell && last[-1] != '|') last--;
  if (!cell || end - last < 6) fail_msg("%s: a row does not say what to do", where);
  for (const char *at = row, *close; (at = memchr(at, '`', (size_t)(cell - at))); at = close + 1) {
    close = memchr(at + 1, '`', (size_t)(cell - at - 1));
    assert_non_null(close);
    add(out, where, at + 1, (size_t)(close - at - 1));
  }
}

/* The patterns of the page, which stand in rows, and of the list, a line each behind "# why". */
static lines read_patterns(void)
{
  static const char *const paths[] = {"docs/reference/refusals.md", "tests/internal.list"};
  lines out = {0};
  for (int i = 0; i < 2; i++) {
    HELD(page_free) page p = page_read(paths[i]);
    bool explained = false;
    int number = 1;
    for (const char *at = p.text, *end; *at; at = end + 1, number++) {
      char where[64];
      end = at + strcspn(at, "\n");
      snprintf(where, sizeof where, "%s:%d", paths[i], number);
      if (i == 0 && strncmp(at, "| `", 3) == 0) read_row(at, end, where, &out);
      if (i == 0) continue;
      explained = *at == '#' || (explained && end > at);
      if (!explained && end > at) fail_msg("%s: say why no user meets this: # WHY", where);
      if (*at != '#' && end > at) add(&out, where, at, (size_t)(end - at));
    }
  }
  return out;
}

TEST(test_whole)
{
  if (access("scripts/list-messages", X_OK) != 0) skip(); /* carried without the tree */
  lines messages = list_messages(""), patterns = read_patterns();
  size_t missing = 0, dead = 0;
  for (size_t i = 0; i < messages.count; i++)
    for (size_t k = 0; k < patterns.count; k++)
      if (covers(patterns.list[k].text, messages.list[i].text)) messages.list[i].met = patterns.list[k].met = true;
  for (size_t i = 0; i < messages.count; i++)
    if (!messages.list[i].met && ++missing)
      print_error("%s: no row of docs/reference/refusals.md has: %s\n", messages.list[i].where, messages.list[i].text);
  for (size_t k = 0; k < patterns.count; k++)
    if (!patterns.list[k].met && ++dead)
      print_error("%s: there is no such message: %s\n", patterns.list[k].where, patterns.list[k].text);
  assert_true(messages.count > 700 && patterns.count > 400);
  if (missing || dead) fail_msg("%zu messages have no row, %zu patterns no message", missing, dead);
  free_lines(&messages), free_lines(&patterns);
}

/* A pattern that says little would hide new messages. */
TEST(test_strict)
{
  if (access("docs/reference/refusals.md", R_OK) != 0) skip();
  lines patterns = read_patterns();
  for (size_t k = 0; k < patterns.count; k++) {
    int letters = 0;
    for (const char *at = patterns.list[k].text; *at; at++) letters += islower((unsigned char)*at) != 0;
    if (letters < 2) fail_msg("%s: says too little: %s", patterns.list[k].where, patterns.list[k].text);
  }
  free_lines(&patterns);
}

/* ---- What the script finds. */

TEST_IN_FOLDER(test_script)
{
  static const char source[] = "/* wisp_fail(err, 1, \"no message\") */\n"
                               "  return wisp_fail(err, WISP_EUSAGE, \"%s: %zu \\\"parts\\\" (%.3g %%), \"\n"
                               "                   \"must be \" WORD \" or \" PRId64, name, f(a, \")\"), x);\n"
                               "  CALL(wisp_require(err, a == ',' || b(1, 2), WISP_EINPUT, \"first\")); /* b */\n"
                               "  EXPECT(c, \"second %d\", 1); TRY(wisp_gmsh_fail(err, g, \"third\"));\n"
                               "  wisp_fail(err, why.status, \"%s\", why.text);\n"
                               "  wisp_cli_warn(args, buffer);\n"
                               "  static const char *const texts[] = {WISP_MESSAGE(\"fourth\"), \"none\"};\n"
                               "  fprintf(stderr, \"wisp %s: fifth\\n\", name);\n";
  static const char *const found[] = {
      "% \"parts\" (% %), must be % or %", "first", "second %", "third", "(buffer in ", "fourth", "fifth"};
  if (access("scripts/list-messages", X_OK) != 0) skip();
  fixture_text(*state, "a.c", source);
  lines messages = list_messages(*state);
  for (size_t i = 0; i < messages.count && i < sizeof found / sizeof *found; i++)
    if (strncmp(messages.list[i].text, found[i], strlen(found[i])) != 0)
      fail_msg("'%s', not '%s'", messages.list[i].text, found[i]);
  assert_int_equal(messages.count, sizeof found / sizeof *found);
  assert_non_null(strstr(messages.list[1].where, "a.c:4"));
  free_lines(&messages);
}
