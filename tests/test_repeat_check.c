/* Claim: what no small problem shows keeps a kernel from winning. Planted kernels that are right on few elements only,
 * share a scratch among blocks, or are wrong in one launch of a hundred: in a sweep of their own candidates, with no
 * other to be slower than, none is chosen, and they are stored as wrong; those that are wrong by chance, in nine of ten
 * sweeps at least. The sweep tells what all its time went to. */
#include "test.h"
#include "each_plan.h"
#include "edited.h"
#include "store_fixture.h"
#include "tuning.h"

#include <sched.h>

enum { ELEMENTS = 10000 };

static const struct {
  const char *name;
  edit edits[3];
  const char *reason; /* of the verdict */
  bool needs_cores;   /* blocks one after the other do no harm */
} planted[] = {
    /* Elements beyond the first thousand are left out; a problem of 157 has none. */
    {"one-size", {{"if (m < groups) {", "if (m < groups && m * {{KM}} < 1024) {"}}, "on the timed problem", false},
    /* The block's results go through memory that all blocks share, long enough for others to come in between: on a GPU
     * all are under way at once; on the host some sleep, so that another thread has their core if need be. */
    {"scratch",
     {{"^", "static real scratch[{{= wp * n * NpM}}];\n#ifndef __CUDACC__\nint usleep(unsigned);\n#endif\n"},
      {"rhs[m * {{= n * NpM}} + {{= f * NpM}} + at] =", "scratch[y * {{= n * NpM}} + {{= f * NpM}} + at] ="},
      {"$", "SYNC();\nfor (volatile int wait = 0; wait < 2000; wait++) {}\n"
            "#ifndef __CUDACC__\nif (bx % 64 == 0) usleep(200);\n#endif\n"
            "if (by == 0) {\nFOR_ALL(q, {{= wp * n * NpM}})\nconst INDEX to = bx * {{= wp * n * NpM}} + q;\n"
            "if (to < groups * {{= n * NpM}}) rhs[to] = scratch[q];\nEND_ALL\n}\n"}},
     "",
     true},
    /* One launch of a hundred, chosen by a count that goes on, not by what it is launched on. */
    {"one-in-a-hundred",
     {{"$", "if (bx == 0 && by == 0) {\nFOR_ALL(only_, 1)\nstatic unsigned launches;\n"
            "if ((launches++ + 50) % 100 == 0) rhs[1] += 1;\nEND_ALL\n}\n"}},
     "",
     false},
    /* Right at first. */
    {"from-launch-1500",
     {{"$", "if (bx == 0 && by == 0) {\nFOR_ALL(only_, 1)\nstatic unsigned launches;\n"
            "if (launches++ >= 1500) rhs[1] += 1;\nEND_ALL\n}\n"}},
     "in the final round",
     false},
};
enum { PLANTED = sizeof planted / sizeof *planted };

static void tune(const char *db, const char *strategy)
{
  wisp_tune_request r = tune_request("nodal", "assemble", db);
  r.strategy = strategy, r.layout = first_layout(), r.elements = ELEMENTS;
  const wisp_tune_summary summary = run_tune(&r);
  double sum = 0;
  for (int p = 0; p < WISP_PHASES; p++) {
    assert_true(summary.spent[p] >= 0); /* what is cached is not waited for, nor timed what is wrong before */
    sum += summary.spent[p];
  }
  assert_true(summary.spent[WISP_VERIFYING] > 0);
  assert_true(fabs(sum - summary.device_seconds) < 0.01 * summary.device_seconds);
}

/* The number of a plant's trials that are chosen, and of those that were found wrong for this reason. */
static void count(const char *db, const char *strategy, const char *reason, int *wrong, int *chosen)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  size_t at = 0;
  *wrong = *chosen = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));) {
    if (strcmp(t->strategy, strategy) != 0) continue;
    *chosen += strcmp(t->tie, WISP_TIE_CHOSEN) == 0;
    *wrong += wisp_trial_outcome(t) == WISP_TRIAL_WRONG && strstr(t->reason, reason);
  }
}

/* A sweep of one plant's own candidates. */
static void sweep(const char *name, const edit *edits, size_t edit_count, const char *reason, int *wrong, int *chosen)
{
  char folder[64];
  fixture_folder(folder);
  plant_edited(folder, "nodal", "assemble", "stream", name, edits, edit_count);
  setenv("WISP_TEMPLATES", folder, 1);
  tune(fixture_path(folder, "tune.db"), name);
  unsetenv("WISP_TEMPLATES");
  count(fixture_path(folder, "tune.db"), name, reason, wrong, chosen);
  fixture_remove(folder);
}

/* A GPU does; the host with the cores that this process may use, if there are two. */
static bool spreads_blocks(void)
{
  cpu_set_t usable;
  return strcmp(test_device_name(), "host") != 0 ||
         (sched_getaffinity(0, sizeof usable, &usable) == 0 && CPU_COUNT(&usable) > 1);
}

/* None of a plant's trials is chosen, and one at least was found out. */
TEST(test_repeat_check)
{
  for (int i = 0; i < PLANTED; i++) {
    int wrong, chosen;
    if (planted[i].needs_cores && !spreads_blocks()) continue;
    sweep(planted[i].name, planted[i].edits, 3, planted[i].reason, &wrong, &chosen);
    if (chosen || !wrong) fail_msg("%s: %d wrong, %d chosen", planted[i].name, wrong, chosen);
  }
}

/* One candidate, wrong in one launch of a hundred by chance: 3000 launches hardly miss it. Two sanitized sweeps, of
 * which one may miss it. */
TEST(test_chance)
{
  const unsigned sweeps = getenv("WISP_TEST_COARSE") ? 2 : 10;
  unsigned caught = 0;
  for (unsigned i = 0; i < sweeps; i++) {
    char fault[512];
    int wrong, chosen;
    snprintf(fault, sizeof fault,
             "if (bx == 0 && by == 0) {\nFOR_ALL(only_, 1)\nstatic unsigned launches;\n"
             "unsigned chance = (launches++ + %uu) * 2654435761u;\nchance = (chance ^ chance >> 15) * 2246822519u;\n"
             "if ((chance ^ chance >> 13) %% 100 == 0) rhs[1] += 1;\nEND_ALL\n}\n",
             7919 * i);
    const edit edits[] = {
        {"wp 1 2 4 8", "wp 2"}, {"lanes 32 64 128 256", "lanes 32"}, {"wp=1 lanes=128", "wp=2 lanes=32"}, {"$", fault}};
    sweep("by-chance", edits, 4, "", &wrong, &chosen);
    caught += wrong > 0 && chosen == 0;
  }
  if (caught + 1 < sweeps) fail_msg("%u of %u sweeps caught it", caught, sweeps);
}
