/* Claim: a writer killed at any instant leaves a file that opens, checks, and holds every trial that was reported as
 * stored; the log that it may leave beside the file is taken in by the next writer, and gone once that one closes. */
#include "test.h"
#include "store_fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { KILLS = 50 };

/* In a child: adds trials from a number on, and says each through the pipe once it is stored. */
static void write_until_killed(const char *path, int from, int stored)
{
  wisp_writer *writer = NULL;
  for (int i = from;; i++) {
    wisp_trial trial = fixture_trial(i);
    bool good = writer || wisp_writer_open(NULL, path, NULL, &writer) == WISP_OK;
    if (!good || wisp_writer_add(NULL, writer, &trial) != WISP_OK) _exit(1);
    if (write(stored, &i, sizeof i) != (ssize_t)sizeof i) _exit(1);
    if (i % 4 != 3) continue;
    wisp_writer_close(NULL, writer); /* opening and closing may be hit as well */
    writer = NULL;
  }
}

/* The time to open a file and store four trials here, in ns. */
static long measure(const char *path)
{
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  fixture_fill(path, 0, 4);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return 1000000000 * (end.tv_sec - start.tv_sec) + end.tv_nsec - start.tv_nsec;
}

/* Does a log lie beside the file, or what its readers share? */
static bool has_log(const char *path)
{
  char log[128], shared[128];
  snprintf(log, sizeof log, "%s-wal", path);
  snprintf(shared, sizeof shared, "%s-shm", path);
  return access(log, F_OK) == 0 || access(shared, F_OK) == 0;
}

TEST_IN_FOLDER(test_killed_writer)
{
  const char *folder = *state;
  const char *path = fixture_path(folder, "wisp.db");
  long span = 3 * measure(fixture_path(folder, "other.db"));
  int last = -1, logs = 0, kills = 0;
  for (; kills < KILLS || !logs || last <= 2 * kills; kills++) { /* of them as many by writers that were not killed */
    int stored[2], number, before = last;
    assert_int_equal(pipe(stored), 0);
    pid_t child = fork();
    if (child == 0) write_until_killed(path, last + 1, stored[1]);
    close(stored[1]);
    long wait = span / 8 + span / KILLS * (kills * 7919L % KILLS) + kills * 1237L % 1000 * 1000;
    struct timespec instant = {wait / 1000000000, wait % 1000000000};
    nanosleep(&instant, NULL);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    logs += has_log(path);
    assert_true(WIFSIGNALED(status)); /* it had not failed before */
    while (read(stored[0], &number, sizeof number) == (ssize_t)sizeof number) last = number;
    close(stored[0]);
    if (last == before) span += span / 4; /* the machine is busier than when it was measured */
    wisp_error err = {0};
    wisp_text report = {0};
    wisp_status checked = wisp_store_check(&err, path, &report);
    if (checked != WISP_OK && !(checked == WISP_EMISSING && last < 0)) fail_msg("after %d trials: %s", last, err.text);
    wisp_text_free(&report);
    long count = fixture_count(path);
    assert_true(count == last + 1 || count == last + 2); /* one more may have been stored and not yet said */
    last = (int)count;
    fixture_fill(path, last, last + 1);
    assert_false(has_log(path));
    assert_int_equal(fixture_count(path), last + 1);
  }
  print_message("%d kills, %d logs left, %d trials stored\n", kills, logs, last + 1);
}
