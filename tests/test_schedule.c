/* Claim: verification on the host runs a kernel's blocks in other schedules than OpenMP's own, on more threads than
 * there are cores: kernels whose blocks race for the same numbers, or go by the number of a thread, are found wrong
 * where OpenMP has one thread. The threads that OpenMP has, not the cores, are stored with a trial. */
#include "test.h"
#include "edited.h"
#include "store_fixture.h"
#include "tuning.h"

#include "../runtime/device.h"

enum { BLOCKS = 60, LEAST_THREADS = 7 };

static int one_thread(void **state)
{
  (void)state;
  return setenv("OMP_NUM_THREADS", "1", 1);
}

/* --- plants: first, for a worker is a fork of this process, which has no thread then --- */

/* Strategy `name` of family.kernel alone: its trials that were found wrong, and those chosen. */
static void sweep(const char *family, const char *kernel, const char *base, const edit *edits, size_t count, int *wrong,
                  int *chosen)
{
  char folder[64];
  fixture_folder(folder);
  plant_edited(folder, family, kernel, base, "racy", edits, count);
  setenv("WISP_TEMPLATES", folder, 1);
  wisp_tune_request r = tune_request(family, kernel, fixture_path(folder, "tune.db"));
  r.strategy = "racy", r.defaults_only = true;
  wisp_tune_summary summary = {0};
  GOOD(wisp_tune(err, "host", &r, &summary));
  unsetenv("WISP_TEMPLATES");
  OWNED(wisp_store_close) wisp_store *store = fixture_open(fixture_path(folder, "tune.db"));
  size_t at = 0;
  *wrong = *chosen = 0;
  for (const wisp_trial *t; (t = fixture_next(store, &at));) {
    if (strcmp(t->strategy, "racy") != 0) continue;
    assert_int_equal(t->units, 1);
    *chosen += strcmp(t->tie, WISP_TIE_CHOSEN) == 0;
    *wrong += wisp_trial_outcome(t) == WISP_TRIAL_WRONG;
  }
  fixture_remove(folder);
}

/* An addition of which another thread may see the half, on a busy machine as well. */
#define SLOW_ADDITION                                                                                         \
  {                                                                                                           \
    "_Pragma(\"omp atomic\") at += number", "{ int usleep(unsigned); const real seen_ = at; if (lane_ == 7) " \
                                            "usleep(1); at = seen_ + (number); }"                             \
  }

static const struct {
  const char *family, *kernel, *base;
  edit edits[3];
} racy[] = {
    /* additions that are no atomic ones */
    {"assembly", "scatter", "atomic", {SLOW_ADDITION}},
    {"assembly", "scatter_stored", "atomic", {SLOW_ADDITION}},
    {"hdg", "scatter", "atomic", {SLOW_ADDITION}},
    /* a scratch that blocks share */
    {"nodal",
     "assemble",
     "stream",
     {{"^", "static real scratch[{{= wp * n * NpM}}];\nint usleep(unsigned);\n"},
      {"rhs[m * {{= n * NpM}} + {{= f * NpM}} + at] =", "scratch[y * {{= n * NpM}} + {{= f * NpM}} + at] ="},
      {"$", "SYNC();\nif (bx % 2 == 0) usleep(200);\n"
            "if (by == 0) {\nFOR_ALL(q, {{= wp * n * NpM}})\nconst INDEX to = bx * {{= wp * n * NpM}} + q;\n"
            "if (to < groups * {{= n * NpM}}) rhs[to] = scratch[q];\nEND_ALL\n}\n"}}},
    /* a scratch for so many threads */
    {"nodal", "update", "stream", {{"^", "int omp_get_thread_num(void);\nif (omp_get_thread_num() > 3) return;\n"}}},
};

TEST(races_are_caught_with_one_thread)
{
  for (size_t i = 0; i < sizeof racy / sizeof *racy; i++) {
    int wrong = 0, chosen = 0;
    sweep(racy[i].family, racy[i].kernel, racy[i].base, racy[i].edits, 3, &wrong, &chosen);
    if (chosen || !wrong) fail_msg("%s.%s: %d wrong, %d chosen", racy[i].family, racy[i].kernel, wrong, chosen);
  }
}

/* --- the schedules --- */

/* Each block notes its place in the order, and OpenMP's number of its thread, and of threads. */
static const char order[] =
    "int omp_get_thread_num(void), omp_get_num_threads(void);\n"
    "void order(void **args, unsigned grid_x, unsigned grid_y)\n{\n"
    "  int *all = *(int **)args[0];\n"
    "#pragma omp parallel for collapse(2) schedule(static)\n"
    "  for (unsigned by = 0; by < grid_y; by++)\n    for (unsigned bx = 0; bx < grid_x; bx++) {\n"
    "      int *own = all + 1 + 3 * (by * grid_x + bx);\n"
    "      own[0] += 1 + __atomic_fetch_add(all, 1, __ATOMIC_SEQ_CST);\n"
    "      own[1] = omp_get_thread_num(), own[2] = omp_get_num_threads();\n    }\n}\n";

typedef struct noted {
  int blocks;
  struct {
    int place, thread, threads;
  } of[BLOCKS];
} noted;

static noted run_order(wisp_device *device, wisp_module *module, wisp_schedule schedule)
{
  noted got = {.blocks = 0};
  wisp_pointer all = 0;
  wisp_error err[1] = {{0}};
  wisp_device_schedule(device, schedule);
  if (wisp_device_alloc(err, device, sizeof got, &all) != WISP_OK ||
      wisp_device_fill(err, device, all, 0, sizeof got) != WISP_OK ||
      wisp_launch(err, module, NULL, (unsigned[]){BLOCKS / 3, 3}, (unsigned[]){1, 1, 1}, (void *[]){&all}, 1) !=
          WISP_OK ||
      wisp_device_download(err, device, &got, all, sizeof got) != WISP_OK)
    fail_msg("%s", err->text);
  wisp_device_schedule(device, WISP_SCHEDULE_USUAL);
  wisp_device_free(device, all);
  return got;
}

/* Every block is run once. */
static void check_order(const noted *got)
{
  bool taken[BLOCKS + 1] = {false};
  assert_int_equal(got->blocks, BLOCKS);
  for (int b = 0; b < BLOCKS; b++) {
    const int place = got->of[b].place;
    assert_in_range(place, 1, BLOCKS);
    assert_false(taken[place]);
    taken[place] = true;
  }
}

TEST(blocks_run_once_in_each_schedule)
{
  OWNED(wisp_device_close) wisp_device *device = NULL;
  HELD(wisp_binary_free) wisp_binary binary = {0};
  wisp_module *module = NULL;
  GOOD(wisp_device_open(err, "host", &device));
  GOOD(wisp_compile(err, "host", "order", order, &binary));
  GOOD(wisp_module_load(err, device, &binary, "order", 0, &module));
  for (int again = 0; again < 3; again++)
    for (int s = 0; s <= WISP_SCHEDULE_INTERRUPTED; s++) {
      const noted got = run_order(device, module, (wisp_schedule)s);
      check_order(&got);
      for (int b = 0; b < BLOCKS; b++) {
        if (s == WISP_SCHEDULE_USUAL || s == WISP_SCHEDULE_ONE) assert_int_equal(got.of[b].threads, 1);
        if (s == WISP_SCHEDULE_MANY) assert_true(got.of[b].threads >= LEAST_THREADS);
        if (s == WISP_SCHEDULE_MANY) assert_in_range(got.of[b].thread, 0, got.of[b].threads - 1);
        if (s >= WISP_SCHEDULE_SINGLE) assert_int_equal(got.of[b].thread, b);
      }
      /* Whoever takes the first block may be late to note it, but not by half of them. */
      if (s == WISP_SCHEDULE_SINGLE) assert_true(got.of[0].place < got.of[BLOCKS - 1].place);
      if (s == WISP_SCHEDULE_REVERSED) assert_true(got.of[0].place > got.of[BLOCKS - 1].place);
    }
  wisp_module_unload(module);
}

/* --- blocks that are interrupted --- */

enum { ADDERS = 40, ADDITIONS = 200 };

/* Blocks add ones to two numbers in turn. */
static const char adding[] =
    "void adding(void **args, unsigned grid_x, unsigned grid_y)\n{\n"
    "  volatile double *sums = *(double **)args[0];\n"
    "#pragma omp parallel for collapse(2) schedule(static)\n"
    "  for (unsigned by = 0; by < grid_y; by++)\n    for (unsigned bx = 0; bx < grid_x; bx++)\n"
    "      for (int i = 0; i < 200; i++) {\n        %s\n        sums[i % 2] += 1;\n      }\n}\n";

/* The two sums, in an array of its own pages. */
static void run_adding(wisp_device *device, const char *atomic, double sums[2])
{
  enum { PAGE = 4096, BYTES = 3 * PAGE };
  char text[1024];
  wisp_module *module = NULL;
  wisp_pointer all = 0;
  HELD(wisp_binary_free) wisp_binary binary = {0};
  snprintf(text, sizeof text, "%.*s%s%s", (int)(strstr(adding, "%s") - adding), adding, atomic,
           strstr(adding, "%s") + 2);
  GOOD(wisp_compile(err, "host", "adding", text, &binary));
  GOOD(wisp_module_load(err, device, &binary, "adding", 0, &module));
  GOOD(wisp_device_alloc(err, device, BYTES, &all));
  GOOD(wisp_device_fill(err, device, all, 0, BYTES));
  const wisp_pointer middle = all + PAGE;
  wisp_device_schedule(device, WISP_SCHEDULE_INTERRUPTED);
  wisp_device_interrupt_at(device, middle, 2 * sizeof *sums);
  GOOD(wisp_launch(err, module, NULL, (unsigned[]){ADDERS, 1}, (unsigned[]){1, 1, 1}, (void *[]){(void *)&middle}, 1));
  wisp_device_schedule(device, WISP_SCHEDULE_USUAL);
  GOOD(wisp_device_download(err, device, sums, middle, 2 * sizeof *sums));
  wisp_device_free(device, all);
  wisp_module_unload(module);
}

TEST(interrupted_blocks_lose_what_is_not_added_atomically)
{
  OWNED(wisp_device_close) wisp_device *device = NULL;
  double sums[2] = {0};
  GOOD(wisp_device_open(err, "host", &device));
  for (int again = 0; again < 5; again++) {
    run_adding(device, "_Pragma(\"omp atomic\")", sums);
    for (int i = 0; i < 2; i++) assert_true(sums[i] == ADDERS * ADDITIONS / 2);
    run_adding(device, "", sums);
    assert_true(sums[0] + sums[1] < ADDERS * ADDITIONS - ADDITIONS / 2);
  }
}

/* --- the number of threads --- */

TEST(units_are_threads)
{
  wisp_limits limits;
  GOOD(wisp_target_limits(err, "host", &limits));
  assert_int_equal(limits.units, 1);
  setenv("OMP_NUM_THREADS", "3,2", 1);
  GOOD(wisp_target_limits(err, "host", &limits));
  assert_int_equal(limits.units, 3);
  setenv("OMP_THREAD_LIMIT", "2", 1);
  GOOD(wisp_target_limits(err, "host", &limits));
  assert_int_equal(limits.units, 2);
  unsetenv("OMP_THREAD_LIMIT");
  setenv("OMP_NUM_THREADS", "1", 1);
}

GROUP(one_thread, NULL)
