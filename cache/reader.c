#include "reader.h"

#include "place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file is only ever opened by SQLite and looked at by stat: closing a descriptor of our own would drop the locks
 * that a writer of the same process holds on it (POSIX). */

static const char *const side_files[] = {"-wal", "-journal"};

/* path as a URI that tells SQLite that the file cannot change. */
static wisp_status immutable_uri(wisp_error *err, const char *path, wisp_text *out)
{
  wisp_status status = WISP_OK;
  TRY(wisp_text_print(err, out, "file:"));
  for (const char *c = path; *c; c++) {
    bool special = *c == '%' || *c == '?' || *c == '#';
    TRY(wisp_text_print(err, out, special ? "%%%02X" : "%c", (unsigned char)*c));
  }
  TRY(wisp_text_print(err, out, "?immutable=1"));
done:
  return status;
}

/* Is there anything beside the file that belongs to its content? */
static bool has_side_file(const char *path)
{
  char name[4096];
  struct stat about;
  for (size_t i = 0; i < sizeof side_files / sizeof *side_files; i++) {
    snprintf(name, sizeof name, "%s%s", path, side_files[i]);
    if (stat(name, &about) == 0 && about.st_size > 0) return true;
  }
  return false;
}

static wisp_status copy_file(wisp_error *err, const char *from, const char *to)
{
  wisp_status status = WISP_OK;
  char *data = NULL;
  size_t length = 0;
  FILE *file = NULL;
  TRY(wisp_read_file(err, from, &data, &length));
  file = fopen(to, "wb");
  bool good = file && fwrite(data, 1, length, file) == length;
  if (file && fclose(file) != 0) good = false;
  TRY(wisp_require(err, good, WISP_ESTORE, "%s: cannot copy to %s: %s", from, to, strerror(errno)));
done:
  free(data);
  return status;
}

static void remove_copy(const char *folder)
{
  static const char *const names[] = {"", "-wal", "-journal", "-shm"};
  char name[4096];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(name, sizeof name, "%s/copy.db%s", folder, names[i]);
    unlink(name);
  }
  rmdir(folder);
}

/* Copies the file and what belongs to it to a private folder: a journal on read-only media cannot be played back in
 * place. */
static wisp_status copy_aside(wisp_error *err, const char *path, wisp_text *name, char **folder)
{
  wisp_status status = WISP_OK;
  wisp_text place = {0};
  const char *tmp = getenv("TMPDIR");
  TRY(wisp_text_print(err, &place, "%s/wisp-XXXXXX", tmp && *tmp ? tmp : "/tmp"));
  TRY(wisp_require(err, mkdtemp(place.data), WISP_ESTORE, "%s: cannot be read in place, and not copied to %s: %s", path,
                   place.data, strerror(errno)));
  *folder = place.data;
  place.data = NULL;
  TRY(wisp_text_print(err, name, "%s/copy.db", *folder));
  TRY(copy_file(err, path, name->data));
  for (size_t i = 0; i < sizeof side_files / sizeof *side_files; i++) {
    char from[4096], to[4096];
    snprintf(from, sizeof from, "%s%s", path, side_files[i]);
    snprintf(to, sizeof to, "%s%s", name->data, side_files[i]);
    if (access(from, F_OK) == 0) TRY(copy_file(err, from, to));
  }
done:
  wisp_text_free(&place);
  return status;
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
typedef enum way { PLAIN, PLAY_BACK, COPY, IMMUTABLE, WAY_COUNT } way;

/* *code is SQLite's answer to a first look. WISP_OK with *tried false where this way is not for this file. */
static wisp_status open_by(wisp_error *err, way how, const char *path, bool locked, wisp_reader *out, bool *tried,
                           int *code)
{
  wisp_status status = WISP_OK;
  wisp_text name = {0};
  long long tables;
  *tried = how == PLAIN || (how == PLAY_BACK ? access(path, W_OK) == 0 : has_side_file(path) == (how == COPY));
  if (!*tried) goto done;
  *code = SQLITE_CANTOPEN;
  if (how == PLAY_BACK && !locked) {
    wisp_lock_state state;
    TRY(wisp_lock_open(err, path, &out->lock));
    TRY(wisp_lock_take(err, out->lock, false, true, &state));
  }
  if (how == COPY)
    TRY(copy_aside(err, path, &name, &out->copy));
  else if (how == IMMUTABLE)
    TRY(immutable_uri(err, path, &name));
  else
    TRY(wisp_text_print(err, &name, "%s", path));
  int flags = how == PLAIN || how == IMMUTABLE ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  TRY(wisp_database_open(err, path, name.data, flags | SQLITE_OPEN_URI, &out->database));
  TRY(wisp_database_run(err, &out->database, "BEGIN"));
  status = wisp_database_number(err, &out->database, "SELECT count(*) FROM sqlite_schema", &tables);
  *code = status == WISP_OK ? SQLITE_OK : sqlite3_extended_errcode(out->database.db);
done:
  wisp_text_free(&name);
  return status;
}

/* Looks at path without opening it. *there: it is a file with something in it. */
static wisp_status look(wisp_error *err, const char *path, bool *there)
{
  struct stat about;
  *there = false;
  if (stat(path, &about) != 0)
    return wisp_require(err, errno == ENOENT || errno == ENOTDIR, WISP_ESTORE,
                        "%s: the tuning store cannot be read: %s: name another file with --db or WISP_DB", path,
                        strerror(errno));
  *there = about.st_size > 0;
  return wisp_require(err, S_ISREG(about.st_mode), WISP_ESTORE,
                      "%s is not a file: name the tuning store's file with --db or WISP_DB", path);
}

wisp_status wisp_reader_open(wisp_error *err, const char *path, bool locked, bool *there, wisp_reader *out)
{
  wisp_status status = WISP_OK;
  int code = SQLITE_OK, version = 0;
  bool tried = false;
  *out = (wisp_reader){.lock = -1};
  TRY(look(err, path, there));
  if (!*there) goto done;
  for (int how = PLAIN; how < WAY_COUNT; how++) {
    wisp_status got = open_by(err, (way)how, path, locked, out, &tried, &code);
    if (!tried) continue;
    status = got;
    if (status == WISP_OK || !is_about_access(code)) break;
    wisp_reader_close(out);
  }
  TRY(status);
  TRY(wisp_database_recognise(err, &out->database, &version));
  *there = version > 0;
done:
  return status;
}

bool wisp_reader_moved(const wisp_reader *reader)
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
  if (reader->copy) remove_copy(reader->copy);
  free(reader->copy);
  wisp_lock_close(reader->lock);
  *reader = (wisp_reader){.lock = -1};
}

/* *moved: what was read, or the failure, is not to be believed. */
static wisp_status load_once(wisp_error *err, const char *path, bool thorough, bool *there, bool *moved,
                             wisp_trials *list)
{
  wisp_status status = WISP_OK;
  wisp_reader reader = {.lock = -1};
  TRY(wisp_reader_open(err, path, false, there, &reader));
  if (!*there) goto done;
  TRY(wisp_database_verify(err, &reader.database, thorough));
  TRY(wisp_rows_read(err, &reader.database, list));
done:
  *moved = wisp_reader_moved(&reader);
  wisp_reader_close(&reader);
  return status;
}

wisp_status wisp_reader_load(wisp_error *err, const char *path, bool thorough, bool *there, wisp_trials *list)
{
  enum { ATTEMPTS = 100 }; /* a merge a time; nobody merges so often */
  size_t start = list->count;
  wisp_status status;
  bool moved, is_there = false;
  int attempt = 0;
  do {
    list->count = start;
    status = load_once(err, path, thorough, &is_there, &moved, list);
  } while (moved && ++attempt < ATTEMPTS);
  if (there) *there = is_there;
  return status;
}
