/* wisp run: the list of problems. */
#include "run.h"
#include "cli.h"
#include "suggest.h"

#include <stdio.h>
#include <string.h>

static const struct problem {
  const char *name;
  int (*run)(int argc, char **argv);
} problems[] = {
    {"maxwell", wisp_run_maxwell},
    {"poisson", wisp_run_poisson},
};
enum { PROBLEMS = WISP_COUNT(problems) };

static const wisp_syntax syntax = {"wisp run PROBLEM [options]",
                                   "Solves a problem with the tuned kernels and says which they were. Problems:\n"
                                   "  maxwell    Maxwell's equations in time, on tets\n"
                                   "  poisson    the screened Poisson problem by conjugate gradients, on hexes\n"
                                   "'wisp run PROBLEM --help' tells a problem's options.",
                                   NULL, 0, -1};

wisp_status wisp_run_check_problem(wisp_error *err, const wisp_arguments *args, const char *problem)
{
  return wisp_require(err, args->operand_count == 1 && strcmp(args->operands[0], problem) == 0, WISP_EUSAGE,
                      "name one problem to solve, such as 'wisp run %s -n 3'", problem);
}

static wisp_status refuse(wisp_error *err, const char *named)
{
  char list[128] = "", meant[64];
  wisp_suggestion suggestion = wisp_suggest(named ? named : "");
  if (!named) return wisp_fail(err, WISP_EUSAGE, "name what to solve, such as 'wisp run %s -n 3'", problems[0].name);
  for (size_t p = 0, at = 0; p < PROBLEMS && at < sizeof list; p++)
    at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", p ? ", " : "", problems[p].name);
  for (size_t p = 0; p < PROBLEMS; p++) wisp_suggest_one(&suggestion, problems[p].name);
  return wisp_fail(err, WISP_EUSAGE, "'%s' cannot be solved:%s there are %s", named,
                   wisp_suggestion_text(&suggestion, "", meant), list);
}

/* The problem is the first word that is one, wherever it stands among the options. */
int wisp_cli_run(int argc, char **argv)
{
  wisp_arguments args;
  wisp_error err = {.text = ""};
  int exit_status = 0;
  for (int i = 1; i < argc; i++)
    for (int p = 0; p < PROBLEMS; p++)
      if (strcmp(argv[i], problems[p].name) == 0) return problems[p].run(argc, argv);
  const bool named = argc > 1 && argv[1][0] != '-';
  const bool help = argc > 1 && !named && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
  if (!wisp_arguments_read(&syntax, help ? argc : 1, argv, &args, &exit_status)) return exit_status;
  return wisp_cli_end(&args, refuse(&err, named ? argv[1] : NULL), &err);
}
