#include "database.h"

#include "../gen/embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum {
  LONGEST = 1 << 20,          /* of one value: a row of ours is some 2 KB */
  QUICK_CHECK_BYTES = 8 << 20 /* larger files are checked row by row only, unless asked */
};

/* SQLite's answers in words for the user of a store, with what to do. */
static const struct {
  int code;
  wisp_status status;
  const char *text;
} meanings[] = {
    {SQLITE_NOTADB, WISP_ESTORE,
     WISP_MESSAGE("is not a tuning store of wisp (no SQLite file, or its head is damaged): move it away, or restore it "
                  "from a copy")},
    {SQLITE_INTERRUPT, WISP_ESTORE,
     WISP_MESSAGE(
         "is no tuning store as wisp writes them (reading it takes longer than its size allows): move it away")},
    {SQLITE_CORRUPT, WISP_ESTORE,
     WISP_MESSAGE("is a damaged tuning store (torn or altered) and was left as it is: 'wisp db salvage' rescues what "
                  "is whole, or "
                  "restore it from a copy")},
    {SQLITE_FULL, WISP_ESTORE,
     WISP_MESSAGE(
         "cannot grow: the disk is full: make room, or name another file with --db; what was stored before is safe")},
    {SQLITE_IOERR, WISP_ESTORE,
     WISP_MESSAGE("cannot be read or written: the disk is full, over quota or failing, or files are limited (ulimit "
                  "-f): make room "
                  "or name another file with --db")},
    {SQLITE_READONLY, WISP_ESTORE,
     WISP_MESSAGE("cannot be written: it is read-only: name another file with --db or WISP_DB")},
    {SQLITE_PERM, WISP_ESTORE,
     WISP_MESSAGE("may not be accessed: change its permissions, or name another file with --db")},
    {SQLITE_CANTOPEN, WISP_ESTORE,
     WISP_MESSAGE("cannot be opened: check that it is a file and that you may access it and its folder, or name "
                  "another with --db")},
    {SQLITE_NOMEM, WISP_EMEMORY, WISP_MESSAGE("cannot be read: out of memory")},
};

/* Does another process hold the file? */
static bool is_held(int code)
{
  const int primary = code & 0xFF;
  return primary == SQLITE_BUSY || primary == SQLITE_LOCKED || primary == SQLITE_PROTOCOL;
}

wisp_status wisp_database_fail(wisp_error *err, const wisp_database *database, int code)
{
  int primary = code & 0xFF;
  if (primary == SQLITE_OK || primary == SQLITE_ROW || primary == SQLITE_DONE) return WISP_OK;
  if (is_held(code)) return wisp_fail_held(err, database->path);
  for (size_t i = 0; i < WISP_COUNT(meanings); i++)
    if (meanings[i].code == primary)
      return wisp_fail(err, meanings[i].status, "%s %s", database->path, meanings[i].text);
  char text[200]; /* one line of SQLite's own */
  snprintf(text, sizeof text, "%s", database->db ? sqlite3_errmsg(database->db) : sqlite3_errstr(code));
  text[strcspn(text, "\n")] = '\0';
  return wisp_fail(err, WISP_ESTORE,
                   "%s is a damaged or altered tuning store (%s): move it away, or restore it from a copy",
                   database->path, text);
}

/* SQLite's busy handler. */
static int keep_waiting(void *context, int attempt)
{
  wisp_waiting *waiting = context;
  if (attempt == 0) wisp_waiting_begin(waiting);
  return wisp_waiting_pause(waiting);
}

/* SQLite answers "busy" without asking the handler where it sees a deadlock or a recovery coming: ask again, for a
 * while. */
static bool should_retry(const wisp_database *database, int code)
{
  return is_held(code) && wisp_waiting_pause(database->waiting);
}

/* path as a URI, so that SQLite takes no name for one of its own (":memory:", "file:...", ""). */
static wisp_status uri_of(wisp_error *err, const char *path, bool immutable, wisp_text *out)
{
  CALL(wisp_text_print(err, out, *path == '/' ? "file://" : "file:./"));
  for (const char *c = path; *c; c++) {
    bool special = *c == '%' || *c == '?' || *c == '#';
    CALL(wisp_text_print(err, out, special ? "%%%02X" : "%c", (unsigned char)*c));
  }
  if (immutable) CALL(wisp_text_print(err, out, "?immutable=1"));
  return WISP_OK;
}

wisp_status wisp_database_open(wisp_error *err, const char *path, const char *file, int flags, bool immutable,
                               wisp_database *out)
{
  wisp_status status = WISP_OK;
  wisp_database database = {0};
  HELD(wisp_text_free) wisp_text uri = {0};
  TRY(wisp_new(err, strlen(path) + 1, 1, &database.path));
  memcpy(database.path, path, strlen(path));
  TRY(wisp_new(err, 1, sizeof *database.waiting, &database.waiting));
  database.waiting->path = database.path;
  TRY(uri_of(err, file, immutable, &uri));
  flags |= SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI;
  TRY(wisp_database_fail(err, &database, sqlite3_open_v2(uri.data, &database.db, flags, NULL)));
  sqlite3_busy_handler(database.db, keep_waiting, database.waiting);
  /* A file from elsewhere may hold anything: no code of its schema is run, and its pages are not trusted. */
  sqlite3_db_config(database.db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(database.db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config(database.db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_limit(database.db, SQLITE_LIMIT_LENGTH, LONGEST);
  TRY(wisp_database_run(err, &database, "PRAGMA cell_size_check=ON; PRAGMA cache_spill=OFF"));
  *out = database;
done:
  if (status != WISP_OK) wisp_database_close(NULL, &database);
  return status;
}

wisp_status wisp_database_close(wisp_error *err, wisp_database *database)
{
  wisp_status status = WISP_OK;
  if (database->db) status = wisp_database_fail(err, database, sqlite3_close(database->db));
  free(database->waiting);
  free(database->path);
  *database = (wisp_database){0};
  return status;
}

wisp_status wisp_database_run(wisp_error *err, const wisp_database *database, const char *sql)
{
  int code;
  wisp_waiting_begin(database->waiting);
  do code = sqlite3_exec(database->db, sql, NULL, NULL, NULL);
  while (should_retry(database, code));
  return wisp_database_fail(err, database, code);
}

wisp_status wisp_database_number(wisp_error *err, const wisp_database *database, const char *sql, long long *out)
{
  int code;
  sqlite3_stmt *query = NULL;
  *out = 0;
  wisp_waiting_begin(database->waiting);
  do {
    sqlite3_finalize(query);
    query = NULL;
    code = sqlite3_prepare_v2(database->db, sql, -1, &query, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(query);
  } while (should_retry(database, code));
  if (code == SQLITE_ROW) *out = sqlite3_column_int64(query, 0);
  sqlite3_finalize(query);
  return wisp_database_fail(err, database, code);
}

int wisp_database_first(const wisp_database *database, sqlite3_stmt *statement)
{
  int code;
  wisp_waiting_begin(database->waiting);
  do {
    sqlite3_reset(statement);
    code = sqlite3_step(statement);
  } while (should_retry(database, code));
  return code;
}

void wisp_database_rollback(const wisp_database *database)
{
  if (database->db && !sqlite3_get_autocommit(database->db)) sqlite3_exec(database->db, "ROLLBACK", NULL, NULL, NULL);
}

/* The text that brings a file to this version; NULL where there is no such version. */
static const char *schema_text(int version)
{
  char name[64];
  snprintf(name, sizeof name, "cache/schema_%d.sql", version);
  return wisp_embedded_text(name);
}

int wisp_database_newest(void)
{
  int version = 0;
  while (schema_text(version + 1)) version++;
  return version;
}

/* A view or a virtual table of that name, or columns that are computed, would be code from elsewhere. */
static wisp_status check_table(wisp_error *err, const wisp_database *database)
{
  long long tables = 0;
  wisp_status status = wisp_database_number(
      err, database,
      "SELECT (SELECT count(*) FROM sqlite_schema WHERE name = 'trial' AND type = 'table' AND rootpage > 0) = 1"
      " AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo('trial') WHERE hidden <> 0)",
      &tables);
  if (status != WISP_OK || tables) return status;
  return wisp_fail(err, WISP_ESTORE,
                   "%s is no tuning store as wisp makes them (it has no plain table 'trial'): move it away, or name "
                   "another file with --db or WISP_DB",
                   database->path);
}

wisp_status wisp_database_recognise(wisp_error *err, const wisp_database *database, int *version)
{
  long long id = 0, user_version = 0, pages = 0, tables = 0;
  CALL(wisp_database_number(err, database, "PRAGMA page_count", &pages));
  CALL(wisp_database_number(err, database, "PRAGMA application_id", &id));
  CALL(wisp_database_number(err, database, "PRAGMA user_version", &user_version));
  CALL(wisp_database_number(err, database, "SELECT count(*) FROM sqlite_schema", &tables));
  /* A transaction that has only begun shows an empty file as one page. */
  bool empty = pages <= 1 && tables == 0 && id == 0 && user_version == 0;
  if (!empty) {
    CALL(wisp_require(err, id == WISP_APPLICATION_ID, WISP_ESTORE,
                      "%s is a SQLite file of another application (its id is 0x%08llx): name another file with --db or "
                      "WISP_DB, or move this one away",
                      database->path, (unsigned long long)id & 0xFFFFFFFF));
    CALL(wisp_require(
        err, user_version <= wisp_database_newest(), WISP_ESTORE,
        "%s was written by a newer wisp (schema %lld, this one knows %d): update wisp, or name another file",
        database->path, user_version, wisp_database_newest()));
    CALL(wisp_require(err, user_version >= 1, WISP_ESTORE,
                      "%s is a damaged tuning store (schema %lld): move it away, or restore it from a copy",
                      database->path, user_version));
    CALL(check_table(err, database));
  }
  *version = (int)user_version;
  return WISP_OK;
}

wisp_status wisp_database_verify(wisp_error *err, const wisp_database *database, bool thorough)
{
  OWNED(sqlite3_finalize) sqlite3_stmt *query = NULL;
  long long pages = 0, size = 0;
  CALL(wisp_database_number(err, database, "PRAGMA page_count", &pages));
  CALL(wisp_database_number(err, database, "PRAGMA page_size", &size));
  if (!thorough && pages * size > QUICK_CHECK_BYTES) return WISP_OK;
  const char *sql = thorough ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)";
  CALL(wisp_database_fail(err, database, sqlite3_prepare_v2(database->db, sql, -1, &query, NULL)));
  int code = sqlite3_step(query);
  CALL(wisp_database_fail(err, database, code));
  const char *verdict = code == SQLITE_ROW ? (const char *)sqlite3_column_text(query, 0) : NULL;
  if (!verdict || strcmp(verdict, "ok") != 0) CALL(wisp_database_fail(err, database, SQLITE_CORRUPT));
  return WISP_OK;
}

wisp_status wisp_database_migrate(wisp_error *err, const wisp_database *file)
{
  OWNED(wisp_database_rollback) const wisp_database *database = file;
  int version = 0;
  CALL(wisp_database_run(err, database, "BEGIN")); /* or the answers may be from before and after another's migration */
  CALL(wisp_database_recognise(err, database, &version));
  wisp_database_rollback(database);
  if (version == wisp_database_newest()) return WISP_OK;
  CALL(wisp_database_run(err, database, WISP_BEGIN));
  CALL(wisp_database_recognise(err, database, &version)); /* someone else may have been first */
  while (version < wisp_database_newest()) CALL(wisp_database_run(err, database, schema_text(++version)));
  char mark[96];
  snprintf(mark, sizeof mark, "PRAGMA application_id=%d; PRAGMA user_version=%d", WISP_APPLICATION_ID, version);
  CALL(wisp_database_run(err, database, mark));
  return wisp_database_run(err, database, "COMMIT");
}

/* ---- Waiting: how long. */

/* Those whom somebody else's locks on a store keep out. */
typedef enum hindrance {
  HINDERS_READERS, /* nobody can read */
  HINDERS_WRITERS, /* nobody can write */
  HINDERS_SOME     /* whoever reads, too, as a commit may have to wait for that */
} hindrance;
/* Names another process that holds a store, as /proc/locks tells it: "process 4711 (python3 hold.py)", or "another
 * process". False, and that text, where there is none. */
enum { HOLDER_TEXT = 160 };
static bool find_holder(const char *path, hindrance least, char text[HOLDER_TEXT]);

static const double report_after = 1; /* seconds until who waits is told why */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void wisp_waiting_begin(wisp_waiting *w)
{
  w->start = now();
  w->pauses = 0;
  w->reported = false;
}

/* Sleeps longer as attempts go on, and differently in each process, so that they spread. */
bool wisp_waiting_pause(wisp_waiting *w)
{
  const long most_us = w->pauses < 4 ? 500 : w->pauses < 16 ? 2000 : 10000;
  const struct timespec wait = {0, 1000 * (most_us / 2 + (getpid() * 7919L + w->pauses * 104729L) % (most_us / 2))};
  const double before = now();
  if (w->left ? *w->left <= 0 : before - w->start > WISP_PATIENCE) return false;
  if (w->note && !w->reported && before - w->start > report_after) {
    char holder[HOLDER_TEXT], text[sizeof holder + 4200];
    find_holder(w->path, HINDERS_SOME, holder);
    snprintf(text, sizeof text, WISP_MESSAGE("%.4000s is held by %s: waiting for it"), w->path, holder);
    w->note(w->context, text);
    w->reported = true;
  }
  nanosleep(&wait, NULL);
  w->pauses++;
  if (w->left) *w->left -= now() - before;
  return true;
}

/* ---- Who. */

/* SQLite's locks are of bytes of the file (its PENDING, RESERVED and SHARED ones), and of the file NAME-shm. */
enum { PENDING = 1 << 30, RESERVED, SHARED, SHM_WRITE = 120 };

/* A line of /proc/locks. */
typedef struct lock {
  bool flock, writes; /* flock's, of a whole file; it keeps others out */
  int pid;
  unsigned major, minor;
  unsigned long inode;
  unsigned long long from;
} lock;

static bool read_line(const char *line, lock *out)
{
  char kind[16], how[16];
  if (strstr(line, "->")) return false; /* it waits itself */
  if (sscanf(line, "%*d: %15s %*s %15s %d %x:%x:%lu %llu", kind, how, &out->pid, &out->major, &out->minor, &out->inode,
             &out->from) != 7)
    return false;
  out->flock = strcmp(kind, "FLOCK") == 0;
  out->writes = strcmp(how, "WRITE") == 0;
  return out->pid != getpid();
}

/* File systems such as btrfs give a file another device here than stat does: SQLite's bytes tell enough then. */
static bool is_of(const lock *l, const struct stat *file)
{
  const bool same = l->major == major(file->st_dev) && l->minor == minor(file->st_dev);
  return file->st_nlink && l->inode == file->st_ino && (same || (!l->flock && l->from >= PENDING));
}

/* A store's files; st_nlink is 0 for those that are not there. */
typedef struct files {
  struct stat database, shared, lock;
} files;

static bool hinders(const lock *l, const files *f, hindrance least)
{
  if (is_of(l, &f->database)) {
    if (least == HINDERS_SOME) return l->from >= PENDING;
    return l->writes && l->from >= PENDING && (least == HINDERS_WRITERS || l->from != RESERVED);
  }
  if (least == HINDERS_READERS) return false;
  return (is_of(l, &f->shared) && l->writes && l->from == SHM_WRITE) || (is_of(l, &f->lock) && l->flock && l->writes);
}

/* The words of the process's command; empty where nobody may know. */
static void name_process(int pid, char *out, size_t size)
{
  char path[64], words[80] = "";
  snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
  FILE *file = fopen(path, "re");
  const size_t length = file ? fread(words, 1, sizeof words - 1, file) : 0;
  if (file) fclose(file);
  for (size_t i = 0; i + 1 < length; i++)
    if (!words[i]) words[i] = ' ';
  wisp_show_text(words, out, size);
}

static bool find_holder(const char *path, hindrance least, char text[HOLDER_TEXT])
{
  static const char *const suffixes[] = {"", "-shm", ".lock"};
  files f = {.database = {.st_nlink = 0}};
  struct stat *const each[] = {&f.database, &f.shared, &f.lock};
  char line[256], name[4200];
  bool found = false;
  lock l;
  snprintf(text, HOLDER_TEXT, "another process");
  for (size_t i = 0; i < WISP_COUNT(suffixes); i++) {
    snprintf(name, sizeof name, "%.4000s%s", path, suffixes[i]);
    if (stat(name, each[i]) != 0) each[i]->st_nlink = 0;
  }
  FILE *locks = fopen("/proc/locks", "re");
  while (locks && !found && fgets(line, sizeof line, locks)) found = read_line(line, &l) && hinders(&l, &f, least);
  if (locks) fclose(locks);
  if (!found || l.pid <= 0) return found; /* no number: it is outside of this container */
  char words[HOLDER_TEXT - 32];
  name_process(l.pid, words, sizeof words);
  snprintf(text, HOLDER_TEXT, *words ? "process %d (%s)" : "process %d", l.pid, words);
  return true;
}

wisp_status wisp_fail_held(wisp_error *err, const char *path)
{
  char holder[HOLDER_TEXT];
  find_holder(path, HINDERS_SOME, holder);
  return wisp_fail(err, WISP_ESTORE,
                   "%s is held by %s: wait until it has ended, or name another file with --db or WISP_DB", path,
                   holder);
}

wisp_status wisp_store_await(wisp_error *err, const char *path, bool to_write, wisp_store_note note, void *context)
{
  OWNED(free) char *real = realpath(path, NULL);
  char holder[HOLDER_TEXT];
  wisp_waiting waiting = {.path = real, .note = note, .context = context};
  wisp_waiting_begin(&waiting);
  while (real && find_holder(real, to_write ? HINDERS_WRITERS : HINDERS_READERS, holder))
    if (!wisp_waiting_pause(&waiting)) return wisp_fail_held(err, path);
  return WISP_OK;
}
