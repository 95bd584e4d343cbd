/* Claim: where a machine gives too little, stack, room in a file, a home, wisp says so in one line with what to raise,
 * before anything dies of a signal, and makes no folder that nobody asked for. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../runtime/device.h"

#include <pthread.h>

#define RUN "run maxwell -n 8 --box 1 --steps 1 -d host"

/* OpenMP's threads run a block each. */
TEST_IN_FOLDER(stacks_of_openmp)
{
  run_expect(*state, "WISP_SHIPPED=none OMP_NUM_THREADS=2 OMP_STACKSIZE=128k", 1, "unset OMP_STACKSIZE", RUN);
  run_expect(*state, "WISP_SHIPPED=none OMP_NUM_THREADS=2 OMP_STACKSIZE=17k", 1, "OMP_STACKSIZE is '17k'", RUN);
  run_expect(*state, "WISP_SHIPPED=none OMP_NUM_THREADS=2 OMP_STACKSIZE=16M", 0, "", RUN);
}

/* Too little stack is no verdict on a tuner's candidates. */
TEST_IN_FOLDER(stacks_of_candidates)
{
  HELD(forget)
  outcome o = run_in(*state, "WISP_SHIPPED=none OMP_NUM_THREADS=2 OMP_STACKSIZE=128k",
                     "tune -d host -n 8 -p f64 -k volume --budget 1s --elements 48");
  if (o.status > 1 || !strstr(o.err, "unset OMP_STACKSIZE")) fail_msg("status %d: %s", o.status, o.err);
  forget(&o);
  o = run_in(*state, "WISP_SHIPPED=none", "db check");
  if (strstr(o.out, "unfinished") || strstr(o.out, "crash") || !strstr(o.out, "whole")) fail_msg("%s", o.out);
}

TEST_IN_FOLDER(stack_of_the_command)
{
  run_expect(*state, "sh -c 'ulimit -s 200; exec \"$@\"' sh", 1, "raise the limit ('ulimit -s 8192')", RUN);
}

/* A kernel that has an array of 600 KB, and sets a number to 42. */
static const char big[] = "void big(void **args, unsigned x, unsigned y)\n{\n  volatile char room[600 << 10];\n"
                          "  (void)x, (void)y;\n  for (int i = 0; i < 600 << 10; i++) room[i] = (char)i;\n"
                          "  **(int **)args[0] = room[2] * 21;\n}\n";

typedef struct work {
  wisp_module *module;
  wisp_graph *graph;
  wisp_pointer number;
  wisp_status launched, replayed;
  wisp_error error;
} work;

static void *launch(void *context)
{
  work *w = context;
  w->launched =
      wisp_launch(&w->error, w->module, NULL, (unsigned[]){1, 1}, (unsigned[]){1, 1, 1}, (void *[]){&w->number}, 1);
  w->replayed = wisp_graph_replay(NULL, w->graph);
  return NULL;
}

static void launch_in_thread(work *w, size_t stack)
{
  pthread_attr_t about;
  pthread_t thread;
  assert_int_equal(pthread_attr_init(&about), 0);
  assert_int_equal(pthread_attr_setstacksize(&about, stack), 0);
  assert_int_equal(pthread_create(&thread, &about, launch, w), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&about);
}

/* A program's thread may have less than the one that loaded the kernel, and a later one more again. */
TEST_IN_FOLDER(stacks_of_the_program)
{
  OWNED(wisp_device_close) wisp_device *device = NULL;
  HELD(wisp_binary_free) wisp_binary binary = {0};
  work w = {.module = NULL};
  int number = 0;
  GOOD(wisp_compile(err, "host", "big", big, &binary));
  assert_true(binary.usage.stack_bytes > 599 << 10);
  GOOD(wisp_device_open(err, "host", &device));
  GOOD(wisp_module_load(err, device, &binary, "big", 0, &w.module));
  GOOD(wisp_device_alloc(err, device, sizeof number, &w.number));
  GOOD(wisp_graph_begin(err, device));
  GOOD(wisp_launch(err, w.module, NULL, (unsigned[]){1, 1}, (unsigned[]){1, 1, 1}, (void *[]){&w.number}, 1));
  GOOD(wisp_graph_end(err, device, &w.graph));
  launch_in_thread(&w, 400 << 10);
  assert_int_equal(w.launched, WISP_ESYSTEM);
  assert_int_equal(w.replayed, WISP_ESYSTEM);
  assert_non_null(strstr(w.error.text, "big needs"));
  launch_in_thread(&w, 4 << 20);
  assert_int_equal(w.launched, WISP_OK);
  assert_int_equal(w.replayed, WISP_OK);
  GOOD(wisp_device_download(err, device, &number, w.number, sizeof number));
  assert_int_equal(number, 42);
  wisp_graph_destroy(w.graph);
  wisp_device_free(device, w.number);
  wisp_module_unload(w.module);
}

TEST_IN_FOLDER(sizes_of_files)
{
  run_expect(*state, "sh -c 'ulimit -f 8; exec \"$@\"' sh", 1, "raise the limit of file sizes (ulimit -f)", RUN);
}

/* One note, and the run goes on; a tuner, which has to keep what it measures, refuses. */
TEST_IN_FOLDER(no_home)
{
  static const char before[] =
      "-u WISP_CACHE_DIR -u XDG_CACHE_HOME -u XDG_DATA_HOME -u WISP_DB WISP_SHIPPED=none HOME=/nonexistent-home";
  HELD(forget) outcome o = run_in(*state, before, "run maxwell -n 1 --box 1 --steps 1 -d host");
  const char *end = strchr(o.err, '\n');
  if (o.status != 0 || !end || end[1]) fail_msg("status %d: %s", o.status, o.err);
  if (!strstr(o.err, "note: compiled kernels cannot be kept in /nonexistent-home/.cache/wisp")) fail_msg("%s", o.err);
  run_expect(*state, before, 1, "HOME, which is '/nonexistent-home'",
             "tune -d host -n 1 -k update --budget 1s --quiet");
  assert_int_equal(access("/nonexistent-home", F_OK), -1);
}
