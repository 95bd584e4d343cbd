/* Claim: a command, each of its words, and each way to use it takes the options that are its own, and refuses every
 * option of all others with one line and exit status 2: none is taken and ignored. */
#include "test.h"
#include "store_fixture.h"
#include "../cli/cli.h"

#include <fcntl.h>
#include <sys/wait.h>

static const struct command {
  const char *name;
  const wisp_syntax *syntax; /* NULL: wisp run */
} commands[] = {{"devices", &wisp_devices_syntax}, {"tune", &wisp_tune_syntax}, {"best", &wisp_best_syntax},
                {"report", &wisp_report_syntax},   {"emit", &wisp_emit_syntax}, {"run", NULL},
                {"bench", &wisp_bench_syntax},     {"db", &wisp_db_syntax},     {"mesh", &wisp_mesh_syntax}};

static const char *const pages[] = {"devices",     "tune",       "best",       "report",   "emit",
                                    "bench",       "db",         "run",        "run-heat", "run-helmholtz",
                                    "run-poisson", "run-system", "mesh-health"};

/* The ways to use the commands, and their options; all of its page where none is named. */
static const struct use {
  const char *line, *page, *own;
} uses[] = {
    {"devices", "devices", NULL},
    {"best", "best", NULL},
    {"report -o page", "report", NULL},
    {"tune", "tune", "!seeded unseeded"},
    {"tune --replay", "tune", "replay family orders precision kernel db seeded unseeded json"},
    {"emit", "emit", "!set names json operands hash"},
    {"emit -k volume", "emit", NULL},
    {"bench", "bench", NULL},
    {"bench -f hdg --paper", "bench", "paper device family orders elements box db json"},
    {"bench -f assembly --accuracy", "bench", "accuracy device family elements box db json"},
    {"db show", "db", "db device json"},
    {"db export", "db", "db device output format winners"},
    {"db import x", "db", "db"},
    {"db merge x", "db", "db"},
    {"db check", "db", "db"},
    {"db prune", "db", "db device failed stale before dry-run no-backup"},
    {"db salvage x", "db", "db output"},
    {"db cache", "db", "clear"},
    {"mesh x", "mesh-health", NULL},
    {"run maxwell -n 1", "run-system", NULL},
    {"run poisson -n 1", "run-poisson", NULL},
    {"run heat -n 1", "run-heat", NULL},
    {"run helmholtz -n 1", "run-helmholtz", NULL},
};

static bool has_word(const char *list, const char *word)
{
  const size_t n = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at += n)
    if ((at == list || strchr(" !", at[-1])) && (at[n] == ' ' || !at[n])) return true;
  return false;
}

static const wisp_option *find(const wisp_help *help, const char *name)
{
  for (size_t i = 0; i < help->count; i++)
    if (strcmp(help->option[i].name, name) == 0) return &help->option[i];
  return NULL;
}

/* Does this way to use a command take the option? "!a b" are those of its page that it does not take. */
static bool takes(const struct use *use, const wisp_help *help, const char *name)
{
  if (strcmp(name, "help") == 0 || strcmp(name, "quiet") == 0) return true;
  if (!find(help, name)) return false;
  if (!use->own) return true;
  return has_word(use->own, name) != (*use->own == '!');
}

/* The command with these words, in a process of its own: its status. */
static int call(const char *folder, char *line)
{
  enum { MOST = 16 };
  char *argv[MOST + 1], *rest = NULL;
  int argc = 0, status = 0;
  for (char *word = strtok_r(line, " ", &rest); word && argc < MOST; word = strtok_r(NULL, " ", &rest))
    argv[argc++] = word;
  argv[argc] = NULL;
  const char *path = fixture_path(folder, "err");
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const int err = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), out = open("/dev/null", O_RDWR);
    dup2(out, STDIN_FILENO), dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
      if (strcmp(commands[c].name, argv[0]) == 0)
        status = commands[c].syntax ? wisp_cli_run_command(commands[c].syntax, argc, argv) : wisp_cli_run(argc, argv);
    fflush(NULL);
    _exit(status);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void refuse(const char *folder, const char *use, const wisp_option *option)
{
  char line[256], copy[256], words[64];
  size_t length = 0;
  snprintf(line, sizeof line, "%s --%s%s", use, option->name, option->argument ? "=1" : "");
  snprintf(words, sizeof words, "--%s", option->name);
  strcpy(copy, line);
  const int status = call(folder, copy);
  char *err = fixture_read(fixture_path(folder, "err"), &length), *end = strchr(err, '\n');
  if (status != 2 || !end || end[1] || !strstr(err, words))
    fail_msg("wisp %s: status %d, not 2 and one line: %s", line, status, err);
  free(err);
}

TEST_IN_FOLDER(test_foreign_options)
{
  enum { PAGES = sizeof pages / sizeof *pages };
  wisp_help all[PAGES];
  int refused = 0;
  setenv("WISP_DB", fixture_path(*state, "user.db"), 1);
  for (int p = 0; p < PAGES; p++) GOOD(wisp_help_read(err, pages[p], "maxwell", NULL, &all[p]));
  for (size_t u = 0; u < sizeof uses / sizeof *uses; u++) {
    char done[4096] = "";
    const wisp_help *own = NULL;
    for (int p = 0; p < PAGES; p++)
      if (strcmp(pages[p], uses[u].page) == 0) own = &all[p];
    assert_non_null(own);
    for (int p = 0; p < PAGES; p++)
      for (size_t i = 0; i < all[p].count; i++) {
        const wisp_option *option = &all[p].option[i];
        if (has_word(done, option->name) || takes(&uses[u], own, option->name)) continue;
        sprintf(done + strlen(done), " %s", option->name);
        const wisp_option *mine = find(own, option->name); /* with its value, where it takes one here */
        refuse(*state, uses[u].line, mine ? mine : option);
        refused++;
      }
  }
  assert_true(refused > 1000);
  for (int p = 0; p < PAGES; p++) wisp_text_free(&all[p].text);
}

/* Ways that exclude each other do so in any order. */
TEST_IN_FOLDER(test_order)
{
  static const char *const lines[] = {"db --winners show", "bench --paper --accuracy", "tune --budget 3s --replay",
                                      "emit --json", "best --json --format csv"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    char copy[64];
    strcpy(copy, lines[i]);
    if (call(*state, copy) != 2) fail_msg("wisp %s is taken", lines[i]);
  }
}
