#include "cli.h"
#include "../gen/text.h"
#include "../runtime/cache_folder.h"

#include "wisp.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *help;
  bool loads; /* compiled kernels */
} commands[] = {
    {"devices", wisp_cli_devices, "what is here, with measured copy bandwidth and arithmetic peaks", true},
    {"tune", wisp_cli_tune, "measure candidates and remember the winners", true},
    {"best", wisp_cli_best, "the best parameters for each order", false},
    {"report", wisp_cli_report, "winners, studies and refusals as one HTML page", false},
    {"emit", wisp_cli_emit, "print a kernel's source, every number written out", false},
    {"run", wisp_cli_run, "solve with the tuned kernels", true},
    {"bench", wisp_cli_bench, "ours against the vendor's library and against the floor", true},
    {"db", wisp_cli_db, "care of tuning stores and of the cache of compiled kernels", false},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *to)
{
  fprintf(to, "wisp: tuned, verified, persistent GPU kernels for discontinuous Galerkin methods\n\n");
  fprintf(to, "usage: wisp COMMAND [options]\n\n");
  for (int i = 0; i < COMMAND_COUNT; i++) fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].help);
  fprintf(to, "\n'wisp COMMAND --help' tells more; 'wisp --version' the version.\n");
}

/* Says once why compiled kernels are not taken from their cache, where that is so. */
static void note_cache(const char *command)
{
  wisp_error err = {0};
  wisp_cache_contents contents;
  char shown[sizeof err.text];
  if (wisp_cache_look(&err, &contents) == WISP_OK) return;
  wisp_show_text(err.text, shown, sizeof shown);
  fprintf(stderr, "wisp %s: note: %s\n", command, shown);
}

/* Output that did not reach its file (a full disk, a closed pipe) is a failure, too. */
static int finish(int status)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return status;
  fprintf(stderr, "wisp: the output could not be written: make room, or send it elsewhere\n");
  return status ? status : 1;
}

int main(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    print_help(stdout);
    return finish(0);
  }
  if (strcmp(name, "--version") == 0) {
    printf("wisp %s\n", WISP_VERSION);
    return finish(0);
  }
  for (int i = 0; i < COMMAND_COUNT; i++) {
    if (strcmp(name, commands[i].name) != 0) continue;
    if (commands[i].loads) note_cache(name);
    return finish(commands[i].run(argc - 1, argv + 1));
  }
  if (*name)
    fprintf(stderr, "wisp: there is no command '%s': 'wisp --help' lists them\n", name);
  else
    print_help(stderr);
  return 2;
}
