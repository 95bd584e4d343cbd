/* Claim: every level of the command tells how it is used, in 80 columns; letters mean the same everywhere; a slip is
 * met with what may have been meant; and every variable that the sources read is in one page. (Bad values:
 * test_bad_input.) */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../cli/help.h"

#include <ctype.h>
#include <glob.h>

static const char *const levels[] = {"devices",     "tune",        "best", "report",    "emit",     "run", "bench",
                                     "run maxwell", "run poisson", "db",   "db export", "db merge", "mesh"};
enum { LEVELS = sizeof levels / sizeof *levels };

/* Its output; fails the test where it does not end well, or has a line of more than 80 columns. */
static char *help_of(const char *folder, const char *arguments)
{
  outcome o = run_in(folder, "", arguments);
  if (o.status != 0 || *o.err || !*o.out) fail_msg("wisp %s: status %d, %s", arguments, o.status, o.err);
  for (const char *at = o.out; *at; at += strcspn(at, "\n"), at += *at == '\n')
    if (strcspn(at, "\n") > 80) fail_msg("wisp %s: wider than 80 columns: %s", arguments, at);
  free(o.err);
  return o.out;
}

TEST_IN_FOLDER(test_levels)
{
  for (int l = 0; l < LEVELS; l++) {
    char line[64], usage[64];
    char *texts[3];
    static const char *const forms[] = {"%s --help", "%s -h", "help %s"};
    for (int f = 0; f < 3; f++) {
      snprintf(line, sizeof line, forms[f], levels[l]);
      texts[f] = help_of(*state, line);
      assert_string_equal(texts[f], texts[0]);
    }
    snprintf(usage, sizeof usage, "usage: wisp %s ", levels[l]);
    if (strncmp(texts[0], usage, strlen(usage)) != 0) fail_msg("%s: %s", levels[l], texts[0]);
    assert_non_null(strstr(texts[0], "-q, --quiet"));
    for (int f = 0; f < 3; f++) free(texts[f]);
  }
  char *merge = help_of(*state, "db merge -h");
  assert_non_null(strstr(merge, "merge FILE..."));
  assert_null(strstr(merge, "prune"));
  free(merge);
  static const char *const versions[] = {"-V", "--version", "version"};
  for (int v = 0; v < 3; v++) {
    OWNED(free) char *text = help_of(*state, versions[v]);
    assert_int_equal(strncmp(text, "wisp 0.", 7), 0);
  }
}

/* A page's text on a command is printed to its last word, however long a paragraph is. */
TEST_IN_FOLDER(test_whole_pages)
{
  static const char *const commands[] = {"devices", "tune", "best", "report", "emit", "bench", "db"};
  for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
    wisp_help help;
    char line[64];
    GOOD(wisp_help_read(err, commands[c], "", NULL, &help));
    snprintf(line, sizeof line, "%s --help", commands[c]);
    char *text = help_of(*state, line), *at = text, *about = strdup(help.about), *rest = NULL;
    assert_non_null(about);
    for (char *word = strtok_r(about, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
      char *next = strstr(at, word);
      if (!next) fail_msg("wisp %s --help: '%s' is not there behind '%.40s'", commands[c], word, at);
      at = next + strlen(word);
    }
    wisp_text_free(&help.text);
    free(about), free(text);
  }
}

/* Help on a word of a command has that word's options alone, with their meaning for it. */
TEST_IN_FOLDER(test_words)
{
  OWNED(free) char *text = help_of(*state, "db salvage -h");
  assert_non_null(strstr(text, "--output FILE         the new store\n"));
  assert_null(strstr(text, "--winners"));
  free(text);
  text = help_of(*state, "db cache -h");
  assert_null(strstr(text, "--db"));
  assert_non_null(strstr(text, "--clear               remove all of it\n"));
}

/* An option has its letter everywhere, and a letter its option. (-n: one order or several; -o: a file or a folder.) */
TEST_IN_FOLDER(test_letters)
{
  static const struct {
    char letter;
    const char *names[2];
  } meant[] = {{'k', {"kernel"}},          {'s', {"strategy"}},      {'l', {"layout"}},
               {'d', {"device"}},          {'f', {"family"}},        {'j', {"jobs"}},
               {'n', {"orders", "order"}}, {'o', {"output", "out"}}, {'p', {"precision"}},
               {'q', {"quiet"}},           {'h', {"help"}}};
  for (int l = 0; l < LEVELS; l++) {
    char line[64];
    snprintf(line, sizeof line, "%s --help", levels[l]);
    OWNED(free) char *text = help_of(*state, line);
    for (char *at = strstr(text, "\n  "); at; at = strstr(at + 1, "\n  ")) {
      char letter = 0, name[32] = "";
      bool has = sscanf(at, "\n  -%c, --%31[a-z-]", &letter, name) == 2;
      if (!has && sscanf(at, "\n      --%31[a-z-]", name) != 1) continue;
      bool fits = !has;
      for (size_t m = 0; m < sizeof meant / sizeof *meant; m++) {
        bool named =
            strcmp(name, meant[m].names[0]) == 0 || (meant[m].names[1] && strcmp(name, meant[m].names[1]) == 0);
        if (has && letter == meant[m].letter) fits = named;
        if (!has && m < 3) fits &= !named; /* -k, -s and -l are never left out */
      }
      if (!fits) fail_msg("wisp %s: -%c is --%s", levels[l], letter ? letter : ' ', name);
    }
  }
}

TEST_IN_FOLDER(test_slips)
{
  static const char *const slips[][2] = {
      {"tun", "did you mean tune?"},
      {"help bnech", "did you mean bench?"},
      {"run maxwel -n 3", "did you mean maxwell?"},
      {"tune --ordres 3", "did you mean --orders?"},
      {"tune --exh", "did you mean --exhaustive?"},
      {"tune --budgt=3s", "did you mean --budget?"},
      {"run poisson -n 2 -l slab", "'wisp run poisson --help' lists them"},
      {"bench --colour blue", "'--colour': 'wisp bench --help'"}, /* nothing is near */
  };
  for (size_t i = 0; i < WISP_COUNT(slips); i++) {
    HELD(forget) outcome o = run_in(*state, "", slips[i][0]);
    const char *end = strchr(o.err, '\n');
    if (o.status != 2 || !end || end[1] || !strstr(o.err, slips[i][1]))
      fail_msg("wisp %s: status %d, not '%s': %s", slips[i][0], o.status, slips[i][1], o.err);
  }
}

/* A value follows its letter, with or without something between. */
TEST_IN_FOLDER(test_values)
{
  static const char *const forms[] = {"emit -n 2 -k update", "emit -n2 -kupdate", "emit -n=2 -k=update",
                                      "emit --orders=2 --kernel=update"};
  HELD(forget) outcome first = run_in(*state, "", forms[0]);
  assert_int_equal(first.status, 0);
  assert_non_null(strstr(first.out, ":p2:"));
  for (int f = 1; f < 4; f++) {
    HELD(forget) outcome o = run_in(*state, "", forms[f]);
    assert_string_equal(o.out, first.out);
  }
}

/* A store that a variable names and that is not there is said with both; --quiet leaves notes out, never errors. */
TEST_IN_FOLDER(test_stores)
{
  static const char run[] = "run maxwell -d host -n 1 --box 1 --steps 1";
  static const char *const variables[] = {"WISP_DB", "WISP_SITE_DB"};
  for (int v = 0; v < 2; v++) {
    char before[64], line[128], words[64];
    snprintf(before, sizeof before, "%s=/no/such/it.db", variables[v]);
    snprintf(words, sizeof words, "note: %s is '/no/such/it.db'", variables[v]);
    HELD(forget) outcome o = run_in(*state, before, run);
    assert_int_equal(o.status, 0);
    if (!strstr(o.err, words)) fail_msg("%s: %s", before, o.err);
    forget(&o);
    snprintf(line, sizeof line, "%s --quiet", run);
    o = run_in(*state, before, line);
    assert_int_equal(o.status, 0);
    assert_string_equal(o.err, "");
    forget(&o);
    o = run_in(*state, before, "best -q -d 'no such card'");
    assert_int_equal(o.status, 1);
    if (!strstr(o.err, strchr(words, 'W'))) fail_msg("%s: %s", before, o.err);
  }
}

/* Whether a text holds a word between characters that belong to none. */
static bool has_word(const char *text, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = text; (at = strstr(at, word)); at++)
    if ((at == text || !(isupper((unsigned char)at[-1]) || at[-1] == '_')) &&
        !(isupper((unsigned char)at[length]) || at[length] == '_'))
      return true;
  return false;
}

/* Adds what stands between quotes behind getenv(, or looks like such a variable, to a list "A\nB\n". */
static void add_variables(const char *source, char *list, size_t capacity)
{
  for (const char *at = source; (at = strchr(at, '"')); at++) {
    char name[40];
    if (sscanf(at, "\"%39[A-Z_]\"", name) != 1 || at[1 + strlen(name)] != '"') continue;
    bool read = at - source > 7 && strncmp(at - 7, "getenv(", 7) == 0;
    if (!read && strncmp(name, "WISP_", 5) != 0 && strncmp(name, "XDG_", 4) != 0) continue;
    if (has_word(list, name)) continue;
    size_t used = strlen(list);
    assert_true((size_t)snprintf(list + used, capacity - used, "%s\n", name) < capacity - used);
  }
}

/* The sources' variables are those of wisp help environment, no more and no fewer, and the page has its text. */
TEST_IN_FOLDER(test_environment)
{
  static const char *const rooms[] = {"gen/*.c",       "gen/*/*.c",   "cache/*.c", "runtime/*.c",
                                      "runtime/*/*.c", "tuner/*/*.c", "cli/*.c"};
  char list[4096] = "", *text = help_of(*state, "help environment");
  size_t length = 0, described = 0, read = 0;
  OWNED(free) char *page = fixture_read("docs/reference/environment.md", &length);
  if (!strstr(page, text))
    fail_msg("docs/reference/environment.md is to hold what 'wisp help environment' prints: put it in");
  for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
    glob_t files;
    assert_int_equal(glob(rooms[r], 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
      OWNED(free) char *source = fixture_read(files.gl_pathv[i], &length);
      add_variables(source, list, sizeof list);
    }
    globfree(&files);
  }
  for (char *rest = NULL, *name = strtok_r(list, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest), read++)
    if (!has_word(text, name)) fail_msg("%s is read, but not in 'wisp help environment'", name);
  for (char *at = text; (at = strstr(at, "\n  ")); at++) described += isupper((unsigned char)at[3]) != 0;
  if (described != read) fail_msg("%zu variables are told of, %zu are read", described, read);
  free(text);
}
