/* wisp run: the list of problems. */
#include "run.h"
#include "cli.h"
#include "suggest.h"
#include "../gen/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct problem {
  const char *name;
  const wisp_syntax *syntax;
} problems[] = {
    {"poisson", &wisp_poisson_syntax},
    {"heat", &wisp_heat_syntax},
    {"helmholtz", &wisp_helmholtz_syntax},
};
enum { PROBLEMS = WISP_COUNT(problems) };

wisp_status wisp_run_check_problem(wisp_error *err, const wisp_arguments *args, const char *problem)
{
  return wisp_require(err, args->operand_count == 1 && strcmp(args->operands[0], problem) == 0, WISP_EUSAGE,
                      "name one problem to solve, such as 'wisp run %s -n 3'", problem);
}

static wisp_status refuse(wisp_error *err, const char *named)
{
  HELD(wisp_text_free) wisp_text list = {0};
  OWNED(free) char *names = NULL;
  char meant[64], *rest = NULL;
  wisp_suggestion suggestion = wisp_suggest(named ? named : "");
  if (!named) return wisp_fail(err, WISP_EUSAGE, "name what to solve, such as 'wisp run maxwell -n 3'");
  CALL(wisp_system_names(err, &list));
  for (size_t p = 0; p < PROBLEMS; p++) CALL(wisp_text_print(err, &list, ", %s", problems[p].name));
  names = strdup(list.data);
  for (char *name = names; names && (name = strtok_r(name, ", ", &rest)); name = NULL)
    wisp_suggest_one(&suggestion, name);
  return wisp_fail(err, WISP_EUSAGE, "'%s' cannot be solved:%s there are %s", named,
                   wisp_suggestion_text(&suggestion, "", meant), list.data);
}

/* Where no problem is named; argc is 1, unless it asks for help. */
static wisp_status run_none(wisp_error *err, wisp_arguments *args)
{
  return refuse(err, args->syntax->subject);
}

/* The problem is the first word that is one, wherever it stands among the options. */
int wisp_cli_run(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    for (int p = 0; p < PROBLEMS; p++)
      if (strcmp(argv[i], problems[p].name) == 0) return wisp_cli_run_command(problems[p].syntax, argc, argv);
    if (wisp_system_exists(argv[i])) return wisp_run_system(argv[i], argc, argv);
  }
  const bool named = argc > 1 && argv[1][0] != '-';
  const bool help = argc > 1 && !named && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
  return wisp_cli_run_command(
      &(wisp_syntax){.usage = "wisp run PROBLEM [options]",
                     .about = "Solves a problem with the tuned kernels and says which they were. Problems:\n"
                              "  maxwell    Maxwell's equations in time, on tets\n"
                              "  acoustics  sound, likewise, with rho and kappa by element\n"
                              "  SYSTEM     those of another file of equations (docs/systems.md)\n"
                              "  poisson    the screened Poisson problem by conjugate gradients, on hexes\n"
                              "  heat       conduction in time, on triangles with an assembled matrix\n"
                              "  helmholtz  -div(kappa grad u) + lambda u = f, on triangles by hybridized DG\n"
                              "'wisp run PROBLEM --help' tells a problem's options.",
                     .most_operands = -1,
                     .act = run_none,
                     .subject = named ? argv[1] : NULL},
      help ? argc : 1, argv);
}
