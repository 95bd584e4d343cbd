#include "reader.h"

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

/* The ways to open a file, each for where the one before fails. */
typedef enum way { PLAIN, PLAY_BACK, COPY, IMMUTABLE, WAY_COUNT } way;

/* *code is SQLite's answer to a first look. WISP_OK with *tried false where this way is not for this file. */
static wisp_status open_by(wisp_error *err, way how, const char *path, wisp_reader *out, bool *tried, int *code)
{
  wisp_status status = WISP_OK;
  wisp_text name = {0};
  long long tables;
  *tried = how == PLAIN || (how == PLAY_BACK ? access(path, W_OK) == 0 : has_side_file(path) == (how == COPY));
  if (!*tried) goto done;
  if (how == COPY)
    TRY(copy_aside(err, path, &name, &out->copy));
  else if (how == IMMUTABLE)
    TRY(immutable_uri(err, path, &name));
  else
    TRY(wisp_text_print(err, &name, "%s", path));
  int flags = how == PLAIN || how == IMMUTABLE ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  *code = SQLITE_CANTOPEN;
  TRY(wisp_database_open(err, path, name.data, flags | SQLITE_OPEN_URI, &out->database));
  TRY(wisp_database_run(err, &out->database, "BEGIN"));
  status = wisp_database_number(err, &out->database, "SELECT count(*) FROM sqlite_schema", &tables);
  *code = status == WISP_OK ? SQLITE_OK : sqlite3_extended_errcode(out->database.db);
done:
  wisp_text_free(&name);
  return status;
}

wisp_status wisp_reader_open(wisp_error *err, const char *path, bool *there, wisp_reader *out)
{
  wisp_status status = WISP_OK;
  wisp_reader reader = {0};
  struct stat about;
  int code = SQLITE_OK, version = 0;
  bool tried = false;
  *there = false;
  if (stat(path, &about) != 0) {
    TRY(wisp_require(err, errno == ENOENT || errno == ENOTDIR, WISP_ESTORE,
                     "%s: the tuning store cannot be read: %s: name another file with --db or WISP_DB", path,
                     strerror(errno)));
    goto done;
  }
  TRY(wisp_require(err, S_ISREG(about.st_mode), WISP_ESTORE,
                   "%s is not a file: name the tuning store's file with --db or WISP_DB", path));
  if (about.st_size == 0) goto done;
  for (int how = PLAIN; how < WAY_COUNT; how++) {
    wisp_status got = open_by(err, (way)how, path, &reader, &tried, &code);
    if (!tried) continue;
    status = got;
    if (status == WISP_OK || !is_about_access(code)) break;
    wisp_reader_close(&reader);
  }
  TRY(status);
  TRY(wisp_database_recognise(err, &reader.database, &version));
  *there = version > 0;
  if (!*there) goto done;
  *out = reader;
  reader = (wisp_reader){0};
done:
  wisp_reader_close(&reader);
  return status;
}

void wisp_reader_close(wisp_reader *reader)
{
  wisp_database_rollback(&reader->database);
  wisp_database_close(NULL, &reader->database);
  if (reader->copy) remove_copy(reader->copy);
  free(reader->copy);
  *reader = (wisp_reader){0};
}

static wisp_status load_once(wisp_error *err, const char *path, bool thorough, wisp_trials *list)
{
  wisp_status status = WISP_OK;
  wisp_reader reader = {0};
  bool there = false;
  TRY(wisp_reader_open(err, path, &there, &reader));
  if (!there) goto done;
  TRY(wisp_database_verify(err, &reader.database, thorough));
  TRY(wisp_rows_read(err, &reader.database, list));
done:
  wisp_reader_close(&reader);
  return status;
}

wisp_status wisp_reader_load(wisp_error *err, const char *path, bool thorough, wisp_trials *list)
{
  size_t start = list->count;
  wisp_status status;
  struct stat before, after;
  bool replaced;
  int attempt = 0;
  do { /* a merge may have renamed a new file into place while we read: then what we saw could be of both */
    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    list->count = start;
    int missing = stat(path, &before);
    status = load_once(err, path, thorough, list);
    replaced = stat(path, &after) != missing || before.st_ino != after.st_ino || before.st_dev != after.st_dev;
  } while (replaced && ++attempt < 20);
  return status;
}
