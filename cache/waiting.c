#include "waiting.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

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

/* ---- How long. */

static const double report_after = 1; /* seconds until who waits is told why */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sleeps between two attempts, longer as they go on, and differently in each process, so that they spread. */
static void pause_before(int attempt)
{
  long most_us = attempt < 4 ? 500 : attempt < 16 ? 2000 : 10000;
  struct timespec wait = {0, 1000 * (most_us / 2 + (getpid() * 7919L + attempt * 104729L) % (most_us / 2))};
  nanosleep(&wait, NULL);
}

void wisp_waiting_begin(wisp_waiting *w)
{
  w->start = now();
  w->pauses = 0;
  w->reported = false;
}

static void report(wisp_waiting *w)
{
  char holder[HOLDER_TEXT], text[sizeof holder + 4200];
  find_holder(w->path, HINDERS_SOME, holder);
  snprintf(text, sizeof text, WISP_MESSAGE("%.4000s is held by %s: waiting for it"), w->path, holder);
  w->note(w->context, text);
  w->reported = true;
}

bool wisp_waiting_pause(wisp_waiting *w)
{
  const double before = now();
  if (w->left ? *w->left <= 0 : before - w->start > WISP_PATIENCE) return false;
  if (w->note && !w->reported && before - w->start > report_after) report(w);
  pause_before(w->pauses++);
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
