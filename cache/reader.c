#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* ---- Places and locks. */

/* statfs types of file systems whose locks or shared memory do not reach every reader. */
static const struct {
  unsigned long type;
  const char *name;
} networks[] = {
    {0x6969, "NFS"},          {0x517B, "SMB"},       {0xFE534D42, "SMB2"}, {0xFF534D42, "CIFS"},
    {0x0BD00BD0, "Lustre"},   {0x47504653, "GPFS"},  {0x00C36400, "Ceph"}, {0x01021997, "9p"},
    {0x19830326, "BeeGFS"},   {0xAAD7AAEA, "PanFS"}, {0x5346414F, "AFS"},  {0x6B414653, "kAFS"},
    {0x73757245, "Coda"},     {0x65735546, "FUSE"},  {0x01161970, "GFS2"}, {0x7461636F, "OCFS2"},
    {0x20030528, "OrangeFS"},
};

bool wisp_place_is_network(unsigned long type)
{
  for (size_t i = 0; i < WISP_COUNT(networks); i++)
    if (networks[i].type == (type & 0xFFFFFFFF)) return true;
  return false;
}

/* The folder of path: "." where it names none. */
static wisp_status folder_of(wisp_error *err, const char *path, char **out)
{
  const char *slash = strrchr(path, '/');
  size_t length = !slash ? 1 : slash == path ? 1 : (size_t)(slash - path);
  wisp_status status = wisp_new(err, length + 1, 1, out);
  if (status == WISP_OK) memcpy(*out, slash ? path : ".", length);
  return status;
}

bool wisp_place_on_network(const char *path)
{
  char *folder = NULL;
  struct statfs about;
  if (folder_of(NULL, path, &folder) != WISP_OK) return true;
  bool network = statfs(folder, &about) == 0 && wisp_place_is_network((unsigned long)about.f_type);
  free(folder);
  return network;
}

/* Follows the last component of path through links, even one to nothing, beside a folder that is there. */
static wisp_status resolve(wisp_error *err, const char *path, int depth, wisp_text *out)
{
  char real[PATH_MAX], target[PATH_MAX];
  OWNED(free) char *folder = NULL;
  HELD(wisp_text_free) wisp_text next = {0};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  if (realpath(path, real) || depth == 0) return wisp_text_print(err, out, "%s", depth ? real : path);
  ssize_t length = readlink(path, target, sizeof target - 1);
  CALL(folder_of(err, path, &folder));
  if (length >= 0) {
    target[length] = '\0';
    CALL(*target == '/' ? wisp_text_print(err, &next, "%s", target)
                        : wisp_text_print(err, &next, "%s/%s", folder, target));
    CALL(resolve(err, next.data, depth - 1, out));
  } else {
    CALL(resolve(err, folder, depth - 1, out));
    CALL(wisp_text_print(err, out, "%s%s", out->length && out->data[out->length - 1] == '/' ? "" : "/", name));
  }
  return WISP_OK;
}

wisp_status wisp_place_resolve(wisp_error *err, const char *path, char **out)
{
  enum { LINKS_AND_FOLDERS = 256, LONGEST = 512 - 16 }; /* SQLite's limit, less what names of files beside it add */
  HELD(wisp_text_free) wisp_text real = {0};
  CALL(wisp_require(err, *path, WISP_EUSAGE, "the tuning store's name is empty: name a file with --db or WISP_DB"));
  CALL(resolve(err, path, LINKS_AND_FOLDERS, &real));
  CALL(wisp_require(err, real.length < LONGEST, WISP_ESTORE,
                    "%s: the name is too long, at most %d bytes can be opened: name another file with --db or WISP_DB",
                    path, LONGEST));
  return GIVE(real.data, out);
}

wisp_status wisp_place_writable(wisp_error *err, const char *path)
{
  struct stat about;
  if (stat(path, &about) != 0) return WISP_OK;
  bool nobody = !(about.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)); /* not even root, for whom access() says yes */
  if (!nobody && access(path, W_OK) == 0) return WISP_OK;
  return wisp_fail(err, WISP_ESTORE, "%s cannot be written (%s): name another file with --db or WISP_DB", path,
                   nobody ? "it is read-only" : strerror(errno));
}

/* A home that is not there is a slip, or a service's: no folder takes its place. */
static wisp_status make_folders(wisp_error *err, const char *path)
{
  OWNED(free) char *folder = NULL;
  const char *home = getenv("HOME");
  const size_t length = home ? strlen(home) : 0;
  const bool below = length && strncmp(path, home, length) == 0 && path[length] == '/';
  CALL(wisp_require(err, !below || access(home, F_OK) == 0, WISP_ESTORE,
                    "%s: the tuning store's folder is in HOME, which is '%s': %s: set HOME, or name a file with --db "
                    "or WISP_DB",
                    path, home, strerror(errno)));
  CALL(folder_of(err, path, &folder));
  for (char *at = folder + 1; *folder; at++) {
    if (*at != '/' && *at != '\0') continue;
    char was = *at;
    *at = '\0';
    if (mkdir(folder, 0777) != 0 && access(folder, F_OK) != 0)
      CALL(wisp_fail(
          err, WISP_ESTORE,
          "%s: cannot make folder %s for the tuning store: %s: name a file in a writable folder with --db or WISP_DB",
          path, folder, strerror(errno)));
    *at = was;
    if (!was) break;
  }
  return WISP_OK;
}

wisp_status wisp_place_prepare(wisp_error *err, const char *path, char **out)
{
  CALL(wisp_place_resolve(err, path, out));
  CALL(make_folders(err, *out));
  return wisp_place_writable(err, *out);
}

wisp_status wisp_store_user_path(wisp_error *err, char **out)
{
  const char *own = getenv("WISP_DB"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  HELD(wisp_text_free) wisp_text path = {0};
  if (own && *own)
    CALL(wisp_text_print(err, &path, "%s", own));
  else if (data && *data == '/') /* the XDG rule: a relative one is to be ignored */
    CALL(wisp_text_print(err, &path, "%s/wisp/wisp.db", data));
  else if (home && *home)
    CALL(wisp_text_print(err, &path, "%s/.local/share/wisp/wisp.db", home));
  else
    CALL(wisp_fail(err, WISP_ESTORE, "tuning store: no place for it: set WISP_DB to a file's path, or HOME"));
  return GIVE(path.data, out);
}

/* Whoever may write the store may lock it. */
static wisp_status open_lock(wisp_error *err, const char *path, int *out)
{
  HELD(wisp_text_free) wisp_text name = {0};
  struct stat own, store;
  CALL(wisp_text_print(err, &name, "%s.lock", path));
  int lock = open(name.data, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0 && errno == EACCES) lock = open(name.data, O_RDONLY | O_CLOEXEC); /* as good for locking */
  CALL(wisp_require(
      err, lock >= 0, WISP_ESTORE,
      "%s: the tuning store cannot be written here (%s: %s): name a file in a writable folder with --db or "
      "WISP_DB",
      path, name.data, strerror(errno)));
  *out = lock;
  if (fstat(lock, &own) != 0 || stat(path, &store) != 0 || own.st_uid != geteuid()) return WISP_OK;
  if ((own.st_mode ^ store.st_mode) & 0666) fchmod(lock, store.st_mode & 0666);
  return WISP_OK;
}

wisp_status wisp_lock_take(wisp_error *err, const char *path, bool alone, bool wait, double *left, int *lock,
                           wisp_lock_state *out)
{
  const int how = (alone ? LOCK_EX : LOCK_SH) | LOCK_NB;
  wisp_waiting waiting = {.path = path, .left = left};
  int got;
  CALL(open_lock(err, path, lock));
  wisp_waiting_begin(&waiting);
  while ((got = flock(*lock, how)) != 0 &&
         (errno == EINTR || (errno == EWOULDBLOCK && wait && wisp_waiting_pause(&waiting))))
    continue;
  if (got == 0)
    *out = WISP_LOCK_HELD;
  else if (errno == EWOULDBLOCK)
    *out = WISP_LOCK_TAKEN;
  else if (errno == ENOSYS || errno == EOPNOTSUPP || errno == ENOLCK || errno == EINVAL)
    *out = WISP_LOCK_UNSUPPORTED;
  else
    return wisp_fail(
        err, WISP_ESTORE,
        "%s: the tuning store cannot be locked: %s: name a file on another file system with --db or WISP_DB", path,
        strerror(errno));
  return WISP_OK;
}

void wisp_lock_close(int *lock)
{
  if (*lock >= 0) close(*lock);
  *lock = -1;
}

/* ---- Reading. */

/* The file is only ever opened by SQLite and looked at by stat: closing a descriptor of our own would drop the locks
 * that a writer of the same process holds on it (POSIX). */

static const char *const side_files[] = {"-wal", "-journal"};

/* In SQLite's steps. Reading and checking all of a store of ours takes one for 8 bytes of it. */
enum { WORK_UNIT = 1000, WORK_FREE = 100000, BYTES_PER_WORK = 2 };

/* Bytes of the content in files beside this one. */
static long long side_bytes(const char *path)
{
  char name[4096];
  struct stat about;
  long long bytes = 0;
  for (size_t i = 0; i < WISP_COUNT(side_files); i++) {
    snprintf(name, sizeof name, "%s%s", path, side_files[i]);
    if (stat(name, &about) == 0) bytes += about.st_size;
  }
  return bytes;
}

static wisp_status copy_file(wisp_error *err, const char *from, const char *to)
{
  HELD(wisp_text_free) wisp_text all = {0};
  CALL(wisp_read_file(err, from, &all.data, &all.length));
  return wisp_context(err, wisp_write_file(err, to, wisp_fill_text, &all), "%s: cannot be copied: ", from);
}

void wisp_reader_remove_copy(const char *folder)
{
  static const char *const names[] = {"", "-wal", "-journal", "-shm"};
  char name[4096];
  for (size_t i = 0; i < WISP_COUNT(names); i++) {
    snprintf(name, sizeof name, "%s/copy.db%s", folder, names[i]);
    unlink(name);
  }
  rmdir(folder);
}

wisp_status wisp_reader_copy(wisp_error *err, const char *path, wisp_text *name, char **folder)
{
  HELD(wisp_text_free) wisp_text place = {0};
  const char *tmp = getenv("TMPDIR");
  CALL(wisp_text_print(err, &place, "%s/wisp-XXXXXX", tmp && *tmp ? tmp : "/tmp"));
  CALL(wisp_require(err, mkdtemp(place.data), WISP_ESTORE,
                    "%s: cannot be read in place, and not copied to %s: %s: set TMPDIR to a folder with room", path,
                    place.data, strerror(errno)));
  *folder = place.data;
  place.data = NULL;
  CALL(wisp_text_print(err, name, "%s/copy.db", *folder));
  CALL(copy_file(err, path, name->data));
  for (size_t i = 0; i < WISP_COUNT(side_files); i++) {
    char from[4096], to[4096];
    snprintf(from, sizeof from, "%s%s", path, side_files[i]);
    snprintf(to, sizeof to, "%s%s", name->data, side_files[i]);
    if (access(from, F_OK) == 0) CALL(copy_file(err, from, to));
  }
  return WISP_OK;
}

/* Is this how SQLite says that it may not do in this place what reading needs (a -shm file, a journal's playback)? */
static bool is_about_access(int code)
{
  int primary = code & 0xFF;
  return primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY || primary == SQLITE_PERM || primary == SQLITE_IOERR;
}

/* The ways to open a file, each for where the one before fails. To play back the journal of a writer that died, SQLite
 * has to write, and it removes a WAL when it is done: under the lock, lest it be that of a file which was just renamed
 * into place. */
typedef enum alternative { DIRECT, PLAY_BACK, COPY, IMMUTABLE, ALTERNATIVES } alternative;

/* SQLite's progress handler: a file that was made to keep its readers busy for ever is given up. */
static int count_work(void *context)
{
  wisp_reader *reader = context;
  reader->work -= WORK_UNIT;
  return reader->work < 0;
}

/* *code is SQLite's answer to a first look. WISP_OK with *tried false where this way is not for this file. */
static wisp_status open_by(wisp_error *err, alternative how, const char *path, bool locked, wisp_reader *out,
                           bool *tried, int *code)
{
  HELD(wisp_text_free) wisp_text copy = {0};
  long long tables;
  *tried = how == DIRECT || (how == PLAY_BACK ? access(path, W_OK) == 0 : (side_bytes(path) > 0) == (how == COPY));
  if (!*tried) return WISP_OK;
  *code = SQLITE_CANTOPEN;
  if (how == PLAY_BACK && !locked) {
    wisp_lock_state state;
    CALL(wisp_lock_take(err, path, false, true, out->left, &out->lock, &state));
    if (state == WISP_LOCK_TAKEN) *code = SQLITE_BUSY;
    if (state == WISP_LOCK_TAKEN) return wisp_fail_held(err, path);
  }
  if (how == COPY) CALL(wisp_reader_copy(err, path, &copy, &out->copy));
  int flags = how == DIRECT || how == IMMUTABLE ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  CALL(wisp_database_open(err, path, copy.data ? copy.data : path, flags, how == IMMUTABLE, &out->database));
  out->database.waiting->left = out->left;
  sqlite3_progress_handler(out->database.db, WORK_UNIT, count_work, out);
  CALL(wisp_database_run(err, &out->database, "BEGIN"));
  const wisp_status status = wisp_database_number(err, &out->database, "SELECT count(*) FROM sqlite_schema", &tables);
  *code = status == WISP_OK ? SQLITE_OK : sqlite3_extended_errcode(out->database.db);
  return status;
}

/* Looks at path without opening it. *size: of the file, 0 where there is none. */
static wisp_status look(wisp_error *err, const char *path, long long *size)
{
  struct stat about;
  *size = 0;
  if (stat(path, &about) != 0)
    return wisp_require(err, errno == ENOENT || errno == ENOTDIR, WISP_ESTORE,
                        "%s: the tuning store cannot be read: %s: name another file with --db or WISP_DB", path,
                        strerror(errno));
  *size = about.st_size;
  CALL(wisp_require(err, S_ISREG(about.st_mode), WISP_ESTORE,
                    "%s is not a file: name the tuning store's file with --db or WISP_DB", path));
  const bool own = about.st_uid == geteuid();
  return wisp_require(err, faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0, WISP_ESTORE,
                      "%s may not be read (%s; it belongs to %s%u): %s it, or name another file with --db or WISP_DB",
                      path, strerror(errno), own ? "you, user " : "user ", (unsigned)about.st_uid,
                      own ? "chmod u+r" : "chown");
}

wisp_status wisp_reader_open(wisp_error *err, const char *path, bool locked, bool *there, wisp_reader *out)
{
  wisp_status status = WISP_OK;
  int code = SQLITE_OK, version = 0;
  bool tried = false;
  long long size = 0;
  OWNED(free) char *real = NULL;
  *there = false;
  *out = (wisp_reader){.lock = -1, .left = out->left};
  CALL(wisp_place_resolve(err, path, &real));
  CALL(look(err, path, &size));
  if (!size) return WISP_OK;
  for (int how = DIRECT; how < ALTERNATIVES; how++) {
    out->work = WORK_FREE + (size + side_bytes(real)) / BYTES_PER_WORK;
    wisp_status got = open_by(err, (alternative)how, real, locked, out, &tried, &code);
    if (!tried) continue;
    status = got;
    if (status == WISP_OK || !is_about_access(code)) break;
    wisp_reader_close(out);
  }
  CALL(status);
  CALL(wisp_database_recognise(err, &out->database, &version));
  *there = version > 0;
  return WISP_OK;
}

/* Was another file renamed into this one's place meanwhile? Then what was read may be a mixture of both. */
static bool was_moved(const wisp_reader *reader)
{
  int moved = 0;
  if (!reader->database.db || reader->copy) return false;
  if (sqlite3_file_control(reader->database.db, NULL, SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK) return false;
  return moved != 0;
}

void wisp_reader_close(wisp_reader *reader)
{
  wisp_database_rollback(&reader->database);
  wisp_database_close(NULL, &reader->database);
  if (reader->copy) wisp_reader_remove_copy(reader->copy);
  free(reader->copy);
  wisp_lock_close(&reader->lock);
  *reader = (wisp_reader){.lock = -1, .left = reader->left};
}

/* *moved: what was read, or the failure, is not to be believed. */
static wisp_status load_once(wisp_error *err, const char *path, bool thorough, double *left, bool *there, bool *moved,
                             wisp_trials *list)
{
  wisp_status status = WISP_OK;
  wisp_reader reader = {.lock = -1, .left = left};
  const size_t start = list->count;
  TRY(wisp_reader_open(err, path, false, there, &reader));
  if (!*there) goto done;
  TRY(wisp_database_verify(err, &reader.database, thorough));
  TRY(wisp_rows_read(err, &reader.database, list));
  TRY(wisp_trials_rehash(err, list, start));
done:
  *moved = was_moved(&reader);
  wisp_reader_close(&reader);
  return status;
}

wisp_status wisp_reader_load(wisp_error *err, const char *path, bool thorough, double *left, bool *there,
                             wisp_trials *list)
{
  enum { ATTEMPTS = 100 }; /* a merge a time; nobody merges so often */
  size_t start = list->count;
  wisp_status status;
  bool moved, is_there = false;
  int attempt = 0;
  do {
    list->count = start;
    status = load_once(err, path, thorough, left, &is_there, &moved, list);
  } while (moved && ++attempt < ATTEMPTS);
  if (there) *there = is_there;
  return status;
}

wisp_status wisp_reader_load_there(wisp_error *err, const char *path, bool thorough, wisp_trials *list)
{
  bool there = false;
  wisp_status status = wisp_reader_load(err, path, thorough, NULL, &there, list);
  if (status != WISP_OK || there) return status;
  return wisp_fail(err, WISP_EMISSING, "%s: there is no tuning store here: check the path, or fill one with wisp tune",
                   path);
}
