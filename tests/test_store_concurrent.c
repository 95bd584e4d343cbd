/* Eight writers of one file and readers beside them: nothing is lost, nobody sees a lock, no reader is blocked for more
 * than 50 ms. */
#include "test.h"
#include "store_fixture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

enum { WRITERS = 8, READERS = 2, EACH = 150, MOST_SAMPLES = 20000 };

static double now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* For how many ms this process has had a core, and has waited for one. What is left of the clock's time it was blocked,
 * however loaded the machine is. False where the kernel does not tell. */
static bool core_ms(double *had, double *missed)
{
  unsigned long long ran = 0, waited = 0;
  FILE *file = fopen("/proc/self/schedstat", "r");
  bool good = file && fscanf(file, "%llu %llu", &ran, &waited) == 2;
  if (file) fclose(file);
  *had = 1e-6 * (double)ran;
  *missed = 1e-6 * (double)waited;
  return good;
}

/* Shared by all: how long each writer has waited for a core while it opened or closed the file. Then it may have the
 * file alone for a moment, and that it gets no core is not the store's doing. */
typedef struct starvation {
  _Atomic long long us[WRITERS];
} starvation;

static long long missed_us(void)
{
  double had, missed;
  core_ms(&had, &missed);
  return (long long)(1e3 * missed);
}

/* In a child: adds trials, opening the file anew now and then; the exit status says whether all went well. */
static void write_trials(const char *path, int from, starvation *starved)
{
  wisp_error err = {0};
  wisp_writer *writer = NULL;
  for (int i = from; i < from + EACH; i++) {
    wisp_trial trial = fixture_trial(i);
    _Atomic long long *mine = &starved->us[from / EACH];
    long long missed = missed_us();
    bool good = writer || wisp_writer_open(&err, path, NULL, &writer) == WISP_OK;
    *mine += missed_us() - missed;
    good = good && wisp_writer_add(&err, writer, &trial) == WISP_OK;
    if (good && i % 10 == 9) {
      missed = missed_us();
      good = wisp_writer_close(&err, writer) == WISP_OK;
      *mine += missed_us() - missed;
      writer = NULL;
    }
    if (!good) {
      fprintf(stderr, "writer %d: %s\n", from / EACH, err.text);
      _exit(1);
    }
  }
  wisp_writer_close(NULL, writer);
  _exit(0);
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* For how many ms one open of the store blocked this process, but for what a writer that was in its way lacked a core.
 */
static double open_store(const char *path, const starvation *starved, long *trials)
{
  long long lacked[WRITERS], most = 0;
  double had[2], missed[2], start = now_ms();
  for (int i = 0; i < WRITERS; i++) lacked[i] = starved->us[i];
  core_ms(&had[0], &missed[0]);
  *trials = fixture_count(path);
  core_ms(&had[1], &missed[1]);
  double blocked = now_ms() - start - (had[1] - had[0]) - (missed[1] - missed[0]);
  nanosleep(&(struct timespec){0, blocked > 20 ? 500000000 : 5000000}, NULL); /* that writer has to say so, too */
  for (int i = 0; i < WRITERS; i++) {
    long long more = starved->us[i] - lacked[i];
    most = more > most ? more : most;
  }
  return blocked > 20 ? fmax(blocked - 1e-3 * (double)most, 0) : blocked;
}

/* In a child: reads until a byte, or the end, comes through the pipe; sends back median and maximum of the time that an
 * open was blocked. */
static void read_trials(const char *path, int stop, int result, const starvation *starved)
{
  static double blocked[MOST_SAMPLES];
  int count = 0;
  long last = 0;
  char byte;
  for (bool going = true; going && count < MOST_SAMPLES;) {
    long trials = 0;
    blocked[count++] = open_store(path, starved, &trials);
    if (trials < last) _exit(1); /* an error, or a trial that was there is gone */
    last = trials;
    going = read(stop, &byte, 1) < 0; /* does not block */
  }
  qsort(blocked, (size_t)count, sizeof *blocked, ascending);
  double times[3] = {blocked[count / 2], blocked[count - 1], count};
  _exit(write(result, times, sizeof times) == (ssize_t)sizeof times ? 0 : 1);
}

static void run(const char *journal, double *median, double *most)
{
  char folder[64];
  int stop[2], result[2], status;
  pid_t readers[READERS], writers[WRITERS];
  starvation *starved = mmap(NULL, sizeof *starved, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(starved != MAP_FAILED);
  if (journal) setenv("WISP_JOURNAL", journal, 1);
  fixture_folder(folder);
  const char *path = fixture_path(folder, "wisp.db");
  assert_int_equal(pipe2(stop, O_NONBLOCK), 0);
  assert_int_equal(pipe(result), 0);
  for (int i = 0; i < READERS; i++)
    if ((readers[i] = fork()) == 0) {
      close(stop[1]);
      read_trials(path, stop[0], result[1], starved);
    }
  for (int i = 0; i < WRITERS; i++)
    if ((writers[i] = fork()) == 0) write_trials(path, i * EACH, starved);
  for (int i = 0; i < WRITERS; i++) {
    assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
    assert_int_equal(status, 0);
  }
  close(stop[1]);
  *median = *most = 0;
  for (int i = 0; i < READERS; i++) {
    double times[3];
    assert_int_equal(read(result[0], times, sizeof times), sizeof times);
    assert_int_equal(waitpid(readers[i], &status, 0), readers[i]);
    assert_int_equal(status, 0);
    print_message("reader %d: %g opens, blocked for %.2f ms (median), at most %.2f ms\n", i, times[2], times[0],
                  times[1]);
    *median = times[0] > *median ? times[0] : *median;
    *most = times[1] > *most ? times[1] : *most;
  }
  close(stop[0]), close(result[0]), close(result[1]);
  assert_int_equal(fixture_count(path), WRITERS * EACH);
  munmap(starved, sizeof *starved);
  fixture_remove(folder);
  unsetenv("WISP_JOURNAL");
}

TEST(test_write_ahead)
{
  double median, most, had, missed;
  if (!core_ms(&had, &missed)) skip(); /* there is no telling who was blocked */
  run(NULL, &median, &most);
  assert_true(most <= 50);
}

TEST(test_rollback_journal)
{
  double median, most;
  run("rollback", &median, &most);
}
