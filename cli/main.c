#include "cli.h"

#include "wisp.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *help;
} commands[] = {
    {"devices", wisp_cli_devices, "what is here, with measured copy bandwidth and arithmetic peaks"},
    {"tune", wisp_cli_tune, "measure candidates and remember the winners"},
    {"best", wisp_cli_best, "the best parameters for each order"},
    {"report", wisp_cli_report, "winners, studies and refusals as one HTML page"},
    {"emit", wisp_cli_emit, "print a kernel's source, every number written out"},
    {"run", wisp_cli_run, "solve with the tuned kernels"},
    {"bench", wisp_cli_bench, "ours against the vendor's library and against the floor"},
    {"db", wisp_cli_db, "show, export, import, merge, check or prune tuning stores"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *to)
{
  fprintf(to, "wisp: tuned, verified, persistent GPU kernels for discontinuous Galerkin methods\n\n");
  fprintf(to, "usage: wisp COMMAND [options]\n\n");
  for (int i = 0; i < COMMAND_COUNT; i++) fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].help);
  fprintf(to, "\n'wisp COMMAND --help' tells more; 'wisp --version' the version.\n");
}

/* Output that did not reach its file (a full disk, a closed pipe) is a failure, too. */
static int finish(int status)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return status;
  fprintf(stderr, "wisp: the output could not be written: make room, or send it elsewhere\n");
  return status ? status : 1;
}

/* A descriptor below 3 that the caller closed would be given to the first file that is opened, and what is printed
 * would go there: /dev/null stands in. */
static void fill_descriptors(void)
{
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR);
  if (fd >= 0) close(fd);
}

int main(int argc, char **argv)
{
  fill_descriptors();
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    print_help(stdout);
    return finish(0);
  }
  if (strcmp(name, "--version") == 0) {
    printf("wisp %s\n", WISP_VERSION);
    return finish(0);
  }
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(name, commands[i].name) == 0) return finish(commands[i].run(argc - 1, argv + 1));
  if (*name)
    fprintf(stderr, "wisp: there is no command '%s': 'wisp --help' lists them\n", name);
  else
    print_help(stderr);
  return 2;
}
