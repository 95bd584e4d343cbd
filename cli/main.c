#include "cli.h"
#include "../runtime/cache_folder.h"
#include "../runtime/stack.h"
#include "../runtime/warden.h"

#include "wisp.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static const struct {
  const char *name;
  const wisp_syntax *syntax; /* NULL: wisp run and wisp verify, which have one a problem */
  bool loads;                /* compiled kernels */
  bool guarded;              /* by a warden; the tuner has one of its own */
} commands[] = {
    {"devices", &wisp_devices_syntax, true, true},
    {"tune", &wisp_tune_syntax, true, false},
    {"best", &wisp_best_syntax, false, false},
    {"report", &wisp_report_syntax, false, false},
    {"emit", &wisp_emit_syntax, false, false},
    {"run", NULL, true, true},
    {"verify", NULL, true, true},
    {"bench", &wisp_bench_syntax, true, true},
    {"db", &wisp_db_syntax, false, false},
    {"mesh", &wisp_mesh_syntax, false, false},
};
enum { COMMAND_COUNT = WISP_COUNT(commands) };

/* Says once why compiled kernels are not taken from their cache, where that is so. */
static void note_cache(int argc, char **argv)
{
  wisp_error err = {0};
  char shown[sizeof err.text];
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--quiet") == 0) return;
  if (wisp_cache_usable(&err) == WISP_OK) return;
  wisp_show_text(err.text, shown, sizeof shown);
  fprintf(stderr, "wisp %s: note: %s\n", argv[0], shown);
}

/* Output that did not reach its file (a full disk, a closed pipe) is a failure, too. */
static int finish(int status)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return status;
  fprintf(stderr, "wisp: the output could not be written: make room, or send it elsewhere\n");
  return status ? status : 1;
}

/* Is the text one of these words, which are no commands? */
static bool is_word(const char *text, const char *const *words)
{
  for (; *words; words++)
    if (strcmp(text, *words) == 0) return true;
  return false;
}
static const char *const help_words[] = {"help", "--help", "-h", NULL};
static const char *const version_words[] = {"version", "--version", "-V", NULL};

static int find_command(const char *name)
{
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(name, commands[i].name) == 0) return i;
  return -1;
}

static int run_command(int command, int argc, char **argv)
{
  const wisp_syntax *syntax = commands[command].syntax;
  return syntax ? wisp_cli_run_command(syntax, argc, argv) : wisp_cli_run(argc, argv);
}

/* The same with a process beside it, which ends its compilers when a signal has ended it, and removes their files. */
static int run_guarded(int command, int argc, char **argv)
{
  wisp_warden warden = {0};
  wisp_error why = {0};
  if (wisp_warden_start(&why, &warden) == WISP_OK) wisp_warden_watch(&warden); /* else it goes without */
  const int status = run_command(command, argc, argv);
  wisp_warden_watch(NULL);
  wisp_warden_dismiss(&warden);
  return status;
}

static int refuse(const char *name)
{
  char meant[64];
  wisp_suggestion suggestion = wisp_suggest(name);
  for (int i = 0; i < COMMAND_COUNT; i++) wisp_suggest_one(&suggestion, commands[i].name);
  fprintf(stderr, "wisp: there is no command '%s':%s 'wisp --help' lists them\n", name,
          wisp_suggestion_text(&suggestion, "", meant));
  return 2;
}

/* wisp help run maxwell: the same as wisp run maxwell --help. */
static int help(int argc, char **argv)
{
  enum { MOST = 4 };
  char *asked[MOST + 2], option[] = "--help";
  int count = 0;
  const bool environment = argc > 1 && strcmp(argv[1], "environment") == 0;
  if (environment || argc < 2 || is_word(argv[1], help_words)) {
    wisp_help_show(environment ? "environment" : "wisp", stdout);
    return 0;
  }
  int command = find_command(argv[1]);
  if (command < 0) return refuse(argv[1]);
  for (int i = 1; i < argc && count < MOST; i++) asked[count++] = argv[i];
  asked[count] = option;
  asked[count + 1] = NULL;
  return run_command(command, count + 1, asked);
}

int main(int argc, char **argv)
{
  signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit of file sizes fails, and is reported */
  /* A descriptor below 3 that the caller closed would be given to the first file that is opened, and what is printed
   * would go there: /dev/null stands in. */
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR);
  if (fd >= 0) close(fd);
  /* LAPACK gets small matrices, and what is large runs in threads of its own (runtime/parallel.h). OpenBLAS's, one a
   * core in each of a tuner's workers, would wait for each other longer than they work. */
  setenv("OPENBLAS_NUM_THREADS", "1", true);
  wisp_error err = {0};
  const char *name = argc > 1 ? argv[1] : "";
  int command = find_command(name);
  if (command >= 0) {
    if (wisp_stack_check(&err) != WISP_OK) /* said before anything needs it */
      return fprintf(stderr, "wisp %s: %s\n", name, err.text), 1;
    if (commands[command].loads) note_cache(argc - 1, argv + 1);
    return finish(commands[command].guarded ? run_guarded(command, argc - 1, argv + 1)
                                            : run_command(command, argc - 1, argv + 1));
  }
  if (is_word(name, help_words)) return finish(help(argc - 1, argv + 1));
  if (is_word(name, version_words)) {
    printf("wisp %s\n", WISP_VERSION);
    return finish(0);
  }
  if (*name) return refuse(name);
  wisp_help_show("wisp", stderr);
  return 2;
}
