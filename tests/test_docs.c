/* Claim: what the pages name is there: files and folders of the tree, functions and types, tests, the pages and
 * headings that they link to, and the commands and options of the command lines that they show. Runs in the root of the
 * tree. */
#include "test.h"
#include "store_fixture.h"
#include "../gen/text.h"

#include <ctype.h>
#include <glob.h>

/* All files of some patterns, one after the other. */
static wisp_text read_all(const char *const *patterns, size_t count)
{
  wisp_text all = {0};
  for (size_t p = 0; p < count; p++) {
    glob_t found;
    if (glob(patterns[p], 0, NULL, &found) != 0) continue;
    for (size_t i = 0; i < found.gl_pathc; i++) {
      size_t length = 0;
      OWNED(free) char *text = fixture_read(found.gl_pathv[i], &length);
      wisp_text_add(NULL, &all, text, strlen(text));
    }
    globfree(&found);
  }
  return all;
}

/* A word of a page that is a path of the tree: of one of its folders, and no pattern (NAME, *). */
static bool is_path(const char *word)
{
  static const char *const folders[] = {"gen/",   "cache/",   "runtime/", "tuner/",    "cli/",  "include/",
                                        "tests/", "scripts/", "docs/",    "examples/", "bench/"};
  bool found = false;
  for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
    found |= strncmp(word, folders[f], strlen(folders[f])) == 0;
  for (const char *c = word; *c; c++)
    if (isupper((unsigned char)*c) || strchr("*{<(,:= ", *c)) return false;
  return found;
}

/* Whether the sources have it as a whole name. */
static bool has_name(const char *text, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = text; (at = strstr(at, name)); at++)
    if (!isalnum((unsigned char)at[length]) && at[length] != '_') return true;
  return false;
}

static void check_word(const char *page, const char *word, const char *sources)
{
  char path[256];
  size_t end = strlen(word);
  snprintf(path, sizeof path, "%s", word);
  while (end && strchr(".", path[end - 1])) path[--end] = '\0';
  if (is_path(path) && access(path, F_OK) != 0) fail_msg("%s: there is no %s", page, path);
  if (strncmp(path, "test_", 5) == 0 && strspn(path, "abcdefghijklmnopqrstuvwxyz_0123456789") == end) {
    snprintf(path, sizeof path, "tests/%s.c", word);
    if (access(path, F_OK) != 0) fail_msg("%s: there is no %s", page, path);
  }
  if (strncmp(word, "wisp_", 5) != 0 || word[end - 1] == '_' || strchr(word, '*')) return; /* a beginning */
  path[5 + strspn(path + 5, "abcdefghijklmnopqrstuvwxyz_0123456789")] = '\0';
  if (!has_name(sources, path)) fail_msg("%s: there is no %s", page, path);
}

/* The words between backticks. */
static int check_words(const char *page, char *text, const char *sources)
{
  int words = 0;
  for (char *at = text; (at = strchr(at, '`'));) {
    char *end = strchr(++at, '`'), *line = strchr(at, '\n');
    if (end == at || !end || (line && line < end)) continue; /* a fence, or none */
    *end = '\0';
    check_word(page, at, sources);
    *end = '`';
    at = end + 1;
    words++;
  }
  return words;
}

/* A heading as links name it. */
static bool has_heading(const char *text, const char *anchor)
{
  for (const char *at = text; (at = strstr(at, "\n#")); at++) {
    char name[128];
    size_t used = 0;
    for (const char *c = at + 1 + strspn(at + 1, "# "); *c && *c != '\n' && used + 1 < sizeof name; c++) {
      if (isalnum((unsigned char)*c) || *c == '_' || *c == '-') name[used++] = (char)tolower((unsigned char)*c);
      if (*c == ' ') name[used++] = '-';
    }
    name[used] = '\0';
    if (strcmp(name, anchor) == 0) return true;
  }
  return false;
}

/* Links to pages, [words](page.md#heading). */
static void check_links(const char *page, const char *text)
{
  const char *slash = strrchr(page, '/');
  for (const char *at = text; (at = strstr(at, "](")); at++) {
    char target[128], path[256];
    if (sscanf(at + 2, "%127[^) ]", target) != 1 || strstr(target, "://")) continue;
    char *anchor = strchr(target, '#');
    if (anchor) *anchor++ = '\0';
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - page) + 1 : 0, page, target);
    if (!*target) snprintf(path, sizeof path, "%s", page);
    if (access(path, F_OK) != 0) fail_msg("%s: there is no %s", page, path);
    if (!anchor) continue;
    size_t length = 0;
    OWNED(free) char *there = fixture_read(path, &length);
    if (!has_heading(there, anchor)) fail_msg("%s: %s has no heading %s", page, path, anchor);
  }
}

static glob_t find_pages(void)
{
  glob_t pages;
  assert_int_equal(glob("docs/*.md", 0, NULL, &pages), 0);
  assert_int_equal(glob("docs/*/*.md", GLOB_APPEND, NULL, &pages), 0);
  assert_int_equal(glob("README.md", GLOB_APPEND, NULL, &pages), 0);
  assert_int_equal(glob("CONTRIBUTING.md", GLOB_APPEND, NULL, &pages), 0);
  return pages;
}

TEST(test_pages)
{
  static const char *const code[] = {"include/*.h",    "gen/*.[ch]",     "gen/*/*.[ch]",
                                     "cache/*.[ch]",   "runtime/*.[ch]", "runtime/*/*.[ch]",
                                     "tuner/*/*.[ch]", "cli/*.[ch]",     "tests/*/*.[ch]"};
  HELD(wisp_text_free) wisp_text sources = read_all(code, sizeof code / sizeof *code);
  int words = 0;
  if (!sources.length) skip(); /* carried without the tree */
  glob_t pages = find_pages();
  for (size_t i = 0; i < pages.gl_pathc; i++) {
    size_t length = 0;
    OWNED(free) char *text = fixture_read(pages.gl_pathv[i], &length);
    words += check_words(pages.gl_pathv[i], text, sources.data);
    check_links(pages.gl_pathv[i], text);
  }
  assert_true(words > 500);
  globfree(&pages);
}

/* Takes the next word of a command line, of which quotes keep blanks together; false at its end: a comment behind two
 * blanks, or another command. */
static bool next_word(const char **at, char word[128])
{
  size_t used = 0;
  char quote = 0;
  if ((*at)[0] == ' ' && (*at)[1] == ' ') return false;
  *at += **at == ' ';
  for (; **at && **at != '\n' && (quote || **at != ' ') && used < 127; ++*at) {
    word[used++] = **at;
    if (quote == **at)
      quote = 0;
    else if (!quote && strchr("'\"", **at))
      quote = **at;
  }
  word[used] = '\0';
  return used && !strchr("#>&|", word[0]);
}

/* Whether a section of the page of commands has an option: "--box " or "-n, ". */
static bool has_option(const char *section, const char *end, const char *option)
{
  const size_t length = strlen(option);
  for (const char *at = section; (at = strstr(at, option)) && at < end; at++)
    if (at[-1] == ' ' && !isalnum((unsigned char)at[length]) && at[length] != '-') return true;
  return false;
}

/* A command line that a page shows, behind "wisp": its command is one, and its options are this command's. */
static void check_command(const char *page, const char *line, const char *commands, const char *systems)
{
  static const char *const solvers[] = {"poisson", "helmholtz", "heat"};
  char word[128], heading[160];
  const char *at = line;
  if (!next_word(&at, word) || strchr(word, ':')) return; /* none, or a message of one */
  snprintf(heading, sizeof heading, "\n## wisp %s\n", word);
  const bool solves = strcmp(word, "run") == 0 || strcmp(word, "verify") == 0; /* with the same options */
  if (solves && next_word(&at, word)) {
    const char *solver = "maxwell"; /* and every other system */
    for (size_t s = 0; s < 3; s++)
      if (strcmp(word, solvers[s]) == 0) solver = solvers[s];
    snprintf(heading, sizeof heading, "\n## wisp run %s\n", solver);
  }
  const char *section = strstr(commands, heading), *end = section ? strstr(section + 1, "\n## ") : NULL;
  if (!section) fail_msg("%s: there is no command: wisp %.60s", page, line);
  if (!end) end = section + strlen(section);
  while (next_word(&at, word)) {
    if (word[0] != '-' || !(word[1] == '-' || isalpha((unsigned char)word[1]))) continue;
    if (!has_option(section, end, word) && !has_name(systems, word + 2))
      fail_msg("%s: %s is no option of this command: wisp %.100s", page, word, line);
  }
}

TEST(test_commands)
{
  static const char *const system_files[] = {"templates/systems/*.system"};
  size_t length = 0;
  int lines = 0;
  if (access("docs/reference/commands.md", R_OK) != 0) skip();
  OWNED(free) char *commands = fixture_read("docs/reference/commands.md", &length);
  HELD(wisp_text_free) wisp_text systems = read_all(system_files, 1);
  glob_t pages = find_pages();
  for (size_t i = 0; i < pages.gl_pathc; i++) {
    OWNED(free) char *text = fixture_read(pages.gl_pathv[i], &length);
    for (const char *at = text; (at = strstr(at, "\n    ")); at++) {
      const char *line = at + 5;
      if (strncmp(line, "$ ", 2) == 0) line += 2;
      if (strncmp(line, "build/", 6) == 0) line += 6;
      if (strncmp(line, "wisp ", 5) != 0) continue;
      check_command(pages.gl_pathv[i], line + 5, commands, systems.data);
      lines++;
    }
  }
  assert_true(lines > 50);
  globfree(&pages);
}

/* The index has a line for each page. */
TEST(test_index)
{
  size_t length = 0;
  char link[128];
  if (access("docs/index.md", R_OK) != 0) skip();
  OWNED(free) char *index = fixture_read("docs/index.md", &length);
  glob_t pages;
  assert_int_equal(glob("docs/*/*.md", 0, NULL, &pages), 0);
  for (size_t i = 0; i < pages.gl_pathc; i++) {
    snprintf(link, sizeof link, "](%s): ", pages.gl_pathv[i] + strlen("docs/"));
    if (!strstr(index, link)) fail_msg("docs/index.md has no line of %s", pages.gl_pathv[i]);
  }
  globfree(&pages);
}
