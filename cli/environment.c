#include "environment.h"

#include "help.h"

static const struct {
  const char *heading; /* above it where it begins a group; NULL: it goes on with one */
  const char *name, *what;
} variables[] = {
    {"The tuning store", "WISP_DB",
     "the user's store, a file (XDG_DATA_HOME/wisp/wisp.db, else ~/.local/share/wisp/wisp.db)"},
    {NULL, "WISP_SITE_DB", "a store for everybody on this machine, read after the user's own (none)"},
    {NULL, "WISP_SHIPPED", "none: leave out the winners that come with wisp (they are read)"},
    {NULL, "WISP_JOURNAL", "rollback: write the store as on a network file system (chosen by the file system)"},
    {"Setting up", "WISP_THREADS", "threads of set-up, energies and errors (the cores that wisp may run on)"},
    {"Compiling", "WISP_CC", "the compiler of host kernels, with its first options (cc)"},
    {NULL, "WISP_CFLAGS", "more options for host kernels, after those that wisp gives (none)"},
    {NULL, "WISP_COMPILE_SECONDS",
     "how long a host compilation may take; three times as long, a tuner waits for any (60)"},
    {NULL, "WISP_CACHE_DIR", "the folder of compiled kernels (XDG_CACHE_HOME/wisp, else ~/.cache/wisp)"},
    {NULL, "WISP_CACHE_MB", "how many megabytes of compiled kernels are kept (512)"},
    {NULL, "WISP_TEMPLATES",
     "a folder of strategies and systems of one's own, FAMILY/KERNEL.STRATEGY.space and .k, systems/NAME.system "
     "(none)"},
    {"The GPU", "CUDA_HOME", "where CUDA is installed, to find NVRTC and cuBLAS in its lib64 (/usr/local/cuda)"},
    {NULL, "CUDA_PATH", "the same, looked at second"},
    {NULL, "WISP_NVML", "the library that reads clocks and temperatures (libnvidia-ml.so.1)"},
    {NULL, "WISP_GRAPH_LOOPS", "host: loops of solvers run on the host, not in CUDA graphs (in graphs)"},
    {"Tuning", "WISP_TRIAL_SECONDS", "how long a candidate may run, beside ten times the best (10)"},
    {NULL, "WISP_WORKER_SECONDS", "how long a tuner's worker may say nothing outside of trials (300)"},
    {"Places and the terminal", "HOME", "where the folders of the user are, unless the next two say otherwise"},
    {NULL, "XDG_DATA_HOME", "where wisp/wisp.db is, the user's store (~/.local/share)"},
    {NULL, "XDG_CACHE_HOME", "where wisp/ is, the compiled kernels (~/.cache)"},
    {NULL, "TMPDIR", "for temporary files (/tmp)"},
    {NULL, "TERM", "dumb: progress in plain lines, not in one that is rewritten"},
};

void wisp_environment_print(FILE *to)
{
  enum { NAMES = 24 };
  fprintf(to, "Variables of the environment that wisp reads; in brackets what holds without.\n");
  for (size_t i = 0; i < WISP_COUNT(variables); i++) {
    if (variables[i].heading) fprintf(to, "\n%s:\n", variables[i].heading);
    wisp_help_wrap(to, variables[i].what, fprintf(to, "  %-*s", NAMES - 2, variables[i].name), NAMES);
  }
}
