/* Claim: a store that another process holds, that may not be read or that is damaged stops no solver and keeps it
 * waiting for a second at most: a note names the file, the reason and the holder, and the other layers count. Who
 * writes waits, and is told for whom. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../cache/database.h"
#include "../cache/reader.h"

#include "wisp.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* Whoever waits for a holder to end waits longer than HOLDS; whoever waits for nobody, or says so, is done by SOON. */
enum { HOLDS = 40, SOON = 20 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In a child: holds the file by statements of SQLite, or its lock file alone, says so, and stays. */
static void hold(const char *path, const char *how, double seconds, int ready)
{
  wisp_database database = {0};
  wisp_lock_state state = WISP_LOCK_HELD;
  int lock = -1;
  const bool good = how ? wisp_database_open(NULL, path, path, SQLITE_OPEN_READWRITE, false, &database) == WISP_OK &&
                              wisp_database_run(NULL, &database, how) == WISP_OK
                        : wisp_lock_take(NULL, path, true, false, NULL, &lock, &state) == WISP_OK;
  if (!good || state != WISP_LOCK_HELD || write(ready, "", 1) != 1) _exit(1);
  nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * fmod(seconds, 1))}, NULL);
  _exit(0);
}

/* Another process holds the file from now on, for so long. */
static pid_t start_holder(const char *path, const char *how, double seconds)
{
  int ready[2];
  char byte;
  assert_int_equal(pipe(ready), 0);
  const pid_t pid = fork();
  if (pid == 0) hold(path, how, seconds, ready[1]);
  close(ready[1]);
  assert_int_equal(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  return pid;
}

static void end_holder(pid_t pid)
{
  kill(pid, SIGKILL);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void assert_names(const char *text, const char *path, pid_t holder)
{
  char process[32];
  snprintf(process, sizeof process, "held by process %d (", (int)holder);
  if (!text || !strstr(text, path)) fail_msg("%s", text ? text : "nothing is said");
  if (access("/proc/locks", R_OK) == 0 && !strstr(text, process)) fail_msg("not %s: %s", process, text);
}

static int set_up(void **state)
{
  unsetenv("WISP_SITE_DB");
  return fixture_set_up(state);
}

/* Both layers' files are held; the program's session is open soon, and says of both. */
TEST_WITH(readers_do_not_wait, set_up, fixture_tear_down)
{
  const char *user = fixture_path(*state, "user.db"), *site = fixture_path(*state, "site.db");
  wisp_session *session = NULL;
  fixture_fill(user, 0, 3);
  fixture_fill(site, 0, 5);
  setenv("WISP_SITE_DB", site, 1);
  const pid_t holder = start_holder(user, "BEGIN EXCLUSIVE", HOLDS),
              other = start_holder(site, "BEGIN EXCLUSIVE", HOLDS);
  const double start = now();
  const wisp_session_request request = {WISP_INIT(wisp_session_request), .device = "host", .store = user};
  GOOD(wisp_session_open(err, &request, &session));
  assert_true(now() - start < SOON);
  assert_names(wisp_session_note(session), user, holder);
  assert_names(wisp_session_note(session), site, other);
  wisp_session_close(session);
  end_holder(other);
  wisp_store *store = NULL;
  OWNED(free) char *warning = NULL;
  GOOD(wisp_store_open(err, user, true, &warning, &store));
  assert_int_equal(wisp_store_count(store), 5); /* the site's count again */
  assert_non_null(strstr(warning, "going on without it"));
  assert_null(strchr(warning, '\n'));
  wisp_store_close(store);
  end_holder(holder);
}

TEST_WITH(run_does_not_wait, set_up, fixture_tear_down)
{
  const char *user = fixture_path(*state, "user.db");
  char line[1024];
  fixture_fill(user, 0, 3);
  const pid_t holder = start_holder(user, "BEGIN EXCLUSIVE", HOLDS);
  const double start = now();
  snprintf(line, sizeof line, "run maxwell -n 1 --box 1 --steps 1 -d host --db %s", user);
  HELD(forget) outcome o = run_in(*state, "WISP_SHIPPED=none", line);
  if (o.status != 0) fail_msg("status %d: %s", o.status, o.err);
  assert_true(now() - start < SOON);
  assert_names(o.err, user, holder);
  end_holder(holder);
}

/* A writer that has only begun keeps nobody from reading. */
TEST_WITH(writers_do_not_block_readers, set_up, fixture_tear_down)
{
  const char *user = fixture_path(*state, "user.db");
  fixture_fill(user, 0, 3);
  const pid_t holder = start_holder(user, "BEGIN IMMEDIATE", HOLDS);
  wisp_store *store = NULL;
  char *warning = NULL;
  GOOD(wisp_store_open(err, user, true, &warning, &store));
  assert_int_equal(wisp_store_count(store), 3);
  assert_null(warning);
  wisp_store_close(store);
  end_holder(holder);
}

typedef struct notes {
  int count;
  char text[1024];
} notes;

static void take_note(void *context, const char *text)
{
  notes *n = context;
  n->count++;
  snprintf(n->text, sizeof n->text, "%s", text);
}

/* A writer is told once for whom it waits, and then goes on: for one who writes, or who merges. */
TEST_WITH(writers_are_informed, set_up, fixture_tear_down)
{
  static const char *const modes[] = {"BEGIN EXCLUSIVE", "BEGIN IMMEDIATE", NULL};
  const char *user = fixture_path(*state, "user.db");
  if (access("/proc/locks", R_OK) != 0) skip();
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    notes received = {.count = 0};
    fixture_fill(user, 0, 3);
    const pid_t holder = start_holder(user, modes[i], 3);
    GOOD(wisp_store_await(err, user, true, take_note, &received));
    assert_int_equal(received.count, 1);
    assert_names(received.text, user, holder);
    assert_non_null(strstr(received.text, "waiting"));
    end_holder(holder);
  }
  notes received = {.count = 0};
  GOOD(wisp_store_await(err, user, true, take_note, &received));
  GOOD(wisp_store_await(err, "/nowhere/none.db", true, take_note, &received));
  assert_int_equal(received.count, 0);
}

/* Also one that has the file open already. */
TEST_WITH(a_trial_waits, set_up, fixture_tear_down)
{
  const char *user = fixture_path(*state, "user.db");
  wisp_writer *writer = NULL;
  notes received = {.count = 0};
  const wisp_trial trial = fixture_trial(7);
  GOOD(wisp_writer_open(err, user, NULL, &writer));
  wisp_writer_report_waits(writer, take_note, &received);
  const pid_t holder = start_holder(user, "BEGIN IMMEDIATE", 3);
  GOOD(wisp_writer_add(err, writer, &trial));
  assert_int_equal(received.count, 1);
  assert_names(received.text, user, holder);
  end_holder(holder);
  GOOD(wisp_writer_close(err, writer));
  assert_int_equal(fixture_count(user), 1);
}

TEST_WITH(commands_are_informed, set_up, fixture_tear_down)
{
  static const char *const commands[] = {"db check --db", "tune -d host -n 1 -k update --budget 1s --db"};
  const char *user = fixture_path(*state, "held.db");
  if (access("/proc/locks", R_OK) != 0) skip();
  fixture_fill(user, 0, 3);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    char line[1024];
    snprintf(line, sizeof line, "%s %s", commands[i], user);
    const pid_t holder = start_holder(user, "BEGIN EXCLUSIVE", 6);
    HELD(forget) outcome o = run_in(*state, "WISP_SHIPPED=none", line);
    if (o.status != 0) fail_msg("wisp %s: status %d: %s", line, o.status, o.err);
    assert_names(o.err, user, holder);
    end_holder(holder);
  }
}

/* As another user, where this one may read everything. */
TEST_WITH(unreadable, set_up, fixture_tear_down)
{
  const char *user = fixture_path(*state, "user.db");
  const uid_t own = geteuid();
  wisp_error err = {.text = ""};
  OWNED(wisp_store_close) wisp_store *store = NULL;
  OWNED(free) char *warning = NULL;
  fixture_fill(user, 0, 3);
  chmod(*state, 0755);
  chmod(user, own == 0 ? 0600 : 0);
  if (own == 0) assert_int_equal(seteuid(65534), 0);
  const wisp_status named = wisp_store_open(&err, user, false, NULL, &store);
  const wisp_status status = wisp_store_open(NULL, user, true, &warning, &store);
  if (own == 0) assert_int_equal(seteuid(own), 0);
  assert_int_equal(named, WISP_ESTORE);
  assert_non_null(strstr(err.text, "may not be read"));
  assert_non_null(strstr(err.text, user));
  assert_int_equal(status, WISP_OK);
  assert_int_equal(wisp_store_count(store), 0);
  assert_non_null(strstr(warning, "may not be read"));
}

/* A damaged file of the site stops nobody, not even who insists on the user's. */
TEST_WITH(damaged, set_up, fixture_tear_down)
{
  const char *user = fixture_path(*state, "user.db"), *site = fixture_path(*state, "site.db");
  static const char junk[] = "this is no store, and longer than the header that a store's file begins with: 123456789";
  char before[1024];
  wisp_store *store = NULL;
  char *warning = NULL;
  fixture_fill(user, 0, 3);
  fixture_write(site, junk, sizeof junk);
  setenv("WISP_SITE_DB", site, 1);
  assert_int_equal(wisp_store_open(NULL, user, false, &warning, &store), WISP_OK);
  assert_int_equal(wisp_store_count(store), 3);
  assert_non_null(strstr(warning, site));
  free(warning);
  wisp_store_close(store);
  snprintf(before, sizeof before, "WISP_SHIPPED=none WISP_SITE_DB=%s", site);
  static const char *const lines[] = {"run maxwell -n 1 --box 1 --steps 1 -d host", "best -d all",
                                      "bench -n 1 -d host -k update --elements 48 -p f32"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    HELD(forget) outcome o = run_in(*state, before, lines[i]);
    if (o.status != 0 || !strstr(o.err, site)) fail_msg("wisp %s: status %d: %s", lines[i], o.status, o.err);
  }
}

GROUP(no_shipped_winners, NULL)
