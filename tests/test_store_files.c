/* Files that are torn, altered, foreign, newer, or in a place that cannot be written: a clear error or right data, and
 * never a change. */
#include "test.h"
#include "store_fixture.h"
#include "../cache/database.h"
#include "../cache/reader.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { TRIALS = 24 };

/* Reading, checking, writing, merging: each refuses with path and word in one line, and leaves the file as it was. */
static void assert_refused(const char *path, const char *word)
{
  size_t before_length, after_length;
  OWNED(free) char *before = fixture_read(path, &before_length);
  wisp_error err = {0};
  wisp_store *store = NULL;
  wisp_writer *writer = NULL;
  HELD(wisp_text_free) wisp_text report = {0};
  long long count = 0;
  for (int i = 0; i < 4; i++) {
    wisp_status status = i == 0   ? wisp_store_open(&err, path, false, NULL, &store)
                         : i == 1 ? wisp_store_check(&err, path, &report)
                         : i == 2 ? wisp_writer_open(&err, path, NULL, &writer)
                                  : wisp_store_merge(&err, path, 0, NULL, &count);
    assert_int_equal(status, WISP_ESTORE);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, word));
    assert_null(strchr(err.text, '\n'));
  }
  OWNED(free) char *after = fixture_read(path, &after_length);
  assert_int_equal(before_length, after_length);
  assert_memory_equal(before, after, before_length);
}

TEST_IN_FOLDER(test_foreign)
{
  const char *path = fixture_path(*state, "places.sqlite");
  fixture_sql(path, "CREATE TABLE visits (url TEXT); INSERT INTO visits VALUES ('x')");
  assert_refused(path, "another application");
  path = fixture_path(*state, "other.sqlite");
  fixture_sql(path, "PRAGMA journal_mode=WAL; PRAGMA application_id=42; CREATE TABLE trial (spec TEXT)");
  assert_refused(path, "another application");
}

TEST_IN_FOLDER(test_newer)
{
  const char *path = fixture_path(*state, "wisp.db");
  fixture_fill(path, 0, 3);
  fixture_sql(path, "PRAGMA user_version=99");
  assert_refused(path, "newer wisp");
}

/* A file of version 1 reads as it is, and is brought up to date when it is next written to; nothing is lost. */
TEST_IN_FOLDER(test_older)
{
  const char *path = fixture_path(*state, "wisp.db");
  wisp_database database = {0};
  long long version = 0;
  fixture_fill(path, 0, 4); /* of which nothing is known that version 1 has no column for */
  fixture_sql(path, "DROP VIEW winner; ALTER TABLE trial DROP COLUMN tie; ALTER TABLE trial DROP COLUMN floor;"
                    "PRAGMA user_version=1;"
                    "CREATE VIEW winner AS SELECT * FROM trial");
  assert_int_equal(fixture_count(path), 4);
  fixture_fill(path, 4, 6);
  wisp_store *store = fixture_open(path);
  for (int i = 0; i < 6; i++) {
    wisp_trial expected = fixture_trial(i);
    assert_true(fixture_same(wisp_store_trial(store, (size_t)i, NULL), &expected));
  }
  wisp_store_close(store);
  GOOD(wisp_database_open(err, path, path, SQLITE_OPEN_READONLY, false, &database));
  GOOD(wisp_database_number(err, &database, "PRAGMA user_version", &version));
  assert_int_equal(version, wisp_database_newest());
  assert_true(version >= 2);
  GOOD(wisp_database_number(err, &database, "SELECT count(*) FROM winner", &version));
  assert_true(version > 0);
  wisp_database_close(NULL, &database);
}

TEST_IN_FOLDER(test_garbage)
{
  const char *path = fixture_path(*state, "wisp.db");
  char bytes[5000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * 2654435761u >> 13);
  fixture_write(path, bytes, sizeof bytes);
  assert_refused(path, "not a tuning store");
  fixture_write(path, bytes, 7);
  assert_refused(path, "not a tuning store");
}

TEST_IN_FOLDER(test_folder_in_place_of_file)
{
  wisp_error err = {0};
  wisp_store *store = NULL;
  wisp_writer *writer = NULL;
  assert_int_equal(wisp_store_open(&err, *state, false, NULL, &store), WISP_ESTORE);
  assert_non_null(strstr(err.text, "not a file"));
  assert_int_equal(wisp_writer_open(&err, *state, NULL, &writer), WISP_ESTORE);
}

TEST_IN_FOLDER(test_empty_file_is_new)
{
  const char *path = fixture_path(*state, "wisp.db");
  fixture_write(path, "", 0);
  assert_int_equal(fixture_count(path), 0);
  fixture_fill(path, 0, 3);
  assert_int_equal(fixture_count(path), 3);
}

/* Opens a file that may be damaged: an error with its path, or only trials that were stored; the file stays as it is.
 * *good: all of them. */
static void assert_honest(const char *path, const char *data, size_t length, bool *refused, bool *good)
{
  wisp_error err = {0};
  wisp_store *store = NULL;
  size_t after_length, own = 0, at = 0;
  wisp_status status = wisp_store_open(&err, path, false, NULL, &store);
  *refused = status != WISP_OK;
  if (*refused) {
    assert_true(status == WISP_ESTORE);
    assert_non_null(strstr(err.text, path));
  }
  for (const wisp_trial *trial; !*refused && (trial = fixture_next(store, &at));) {
    bool known = false;
    for (int n = 0; n < TRIALS && !known; n++) {
      wisp_trial expected = fixture_trial(n);
      known = fixture_same(trial, &expected);
    }
    assert_true(known);
    own++;
  }
  *good = own == TRIALS;
  wisp_store_close(store);
  OWNED(free) char *after = fixture_read(path, &after_length);
  assert_int_equal(length, after_length);
  assert_memory_equal(data, after, length);
}

TEST_IN_FOLDER(test_truncated)
{
  const char *path = fixture_path(*state, "wisp.db"), *torn = fixture_path(*state, "torn.db");
  size_t length;
  bool refused, good;
  fixture_fill(path, 0, TRIALS);
  OWNED(free) char *data = fixture_read(path, &length);
  for (size_t cut = 512; cut < length; cut += 512) {
    fixture_write(torn, data, cut);
    assert_honest(torn, data, cut, &refused, &good);
    assert_true(refused);
  }
}

TEST_IN_FOLDER(test_flipped_bytes)
{
  const char *path = fixture_path(*state, "wisp.db"), *bent = fixture_path(*state, "bent.db");
  size_t length;
  unsigned random = 20261121;
  int refusals = 0, losses = 0;
  fixture_fill(path, 0, TRIALS);
  char *data = fixture_read(path, &length);
  for (int i = 0; i < 1000; i++) {
    bool refused, good;
    random = random * 1664525u + 1013904223u;
    size_t at = (size_t)(((unsigned long long)random * length) >> 32);
    if (i < 100) at = (size_t)i; /* every byte of the head, too */
    random = random * 1664525u + 1013904223u;
    char was = data[at];
    data[at] = (char)(was ^ (char)(1 + (random >> 16) % 255));
    fixture_write(bent, data, length);
    assert_honest(bent, data, length, &refused, &good);
    refusals += refused;
    losses += !refused && !good;
    data[at] = was;
  }
  free(data);
  print_message("1000 bytes flipped: %d files refused, %d read with fewer trials\n", refusals, losses);
  assert_true(refusals > 300);
}

/* Writes a store and dies, so that its WAL stays. */
static void leave_wal(const char *path)
{
  pid_t child = fork();
  if (child == 0) {
    wisp_writer *writer = NULL;
    bool good = wisp_writer_open(NULL, path, NULL, &writer) == WISP_OK;
    for (int i = 0; good && i < TRIALS; i++) {
      wisp_trial trial = fixture_trial(i);
      good = wisp_writer_add(NULL, writer, &trial) == WISP_OK;
    }
    _exit(good ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  char wal[300];
  snprintf(wal, sizeof wal, "%s-wal", path);
  assert_int_equal(access(wal, F_OK), 0);
}

/* Runs check on folder mounted read-only; false where this machine does not let us. */
static bool read_only(const char *folder, void (*check)(const char *folder))
{
  if (mount(folder, folder, "none", MS_BIND, NULL) != 0) return false;
  bool mounted = mount("none", folder, "none", MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) == 0;
  if (mounted) check(folder);
  umount(folder);
  return mounted;
}

static void check_read_only(const char *folder)
{
  wisp_error err = {0};
  wisp_writer *writer = NULL;
  long long count = 0;
  const char *plain = fixture_path(folder, "plain.db"), *wal = fixture_path(folder, "wal.db");
  const char *marked = fixture_path(folder, "marked.db"), *missing = fixture_path(folder, "missing.db");
  assert_int_equal(fixture_count(plain), TRIALS);
  assert_int_equal(fixture_count(wal), TRIALS);    /* its WAL holds trials that the file lacks */
  assert_int_equal(fixture_count(marked), TRIALS); /* says WAL in its head, but no WAL is there */
  const char *paths[] = {plain, missing};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(wisp_writer_open(&err, paths[i], NULL, &writer), WISP_ESTORE);
    assert_non_null(strstr(err.text, paths[i]));
    assert_non_null(strstr(err.text, "Read-only"));
    assert_int_equal(wisp_store_merge(&err, paths[i], 1, &wal, &count), WISP_ESTORE);
  }
}

TEST_IN_FOLDER(test_read_only_media)
{
  const char *marked = fixture_path(*state, "marked.db");
  fixture_fill(fixture_path(*state, "plain.db"), 0, TRIALS);
  fixture_fill(marked, 0, TRIALS);
  fixture_sql(marked, "PRAGMA journal_mode=WAL");
  leave_wal(fixture_path(*state, "wal.db"));
  if (!read_only(*state, check_read_only)) skip();
}

TEST_IN_FOLDER(test_full_disk)
{
  const char *folder = fixture_path(*state, "small"), *path = fixture_path(*state, "small/wisp.db");
  wisp_error err = {0};
  wisp_writer *writer = NULL;
  wisp_status status = WISP_OK;
  int stored = 0;
  mkdir(folder, 0777);
  if (mount("none", folder, "tmpfs", 0, "size=400k") != 0) skip();
  assert_int_equal(wisp_writer_open(&err, path, NULL, &writer), WISP_OK);
  while (stored < 10000) {
    wisp_trial trial = fixture_trial(stored);
    status = wisp_writer_add(&err, writer, &trial);
    if (status != WISP_OK) break;
    stored++;
  }
  print_message("%d trials, then: %s\n", stored, err.text);
  wisp_trial refused = fixture_trial(99999);
  wisp_status repeated = wisp_writer_add(NULL, writer, &refused);
  wisp_writer_close(NULL, writer);
  long count = fixture_count(path);
  umount(folder);
  assert_int_equal(status, WISP_ESTORE);
  assert_true(repeated == WISP_OK || repeated == WISP_ESTORE);
  assert_non_null(strstr(err.text, "full"));
  assert_true(stored > 10);
  assert_true(count == stored || count == stored + 1);
}

/* File systems are told apart by statfs's number, also where that comes with its sign. */
TEST_IN_FOLDER(test_kinds_of_file_systems)
{
  static const struct {
    const char *name;
    unsigned long type;
    bool network;
  } known[] = {
      {"NFS", 0x6969, true},          {"SMB", 0x517B, true},           {"SMB2", 0xFE534D42, true},
      {"CIFS", 0xFF534D42, true},     {"Lustre", 0x0BD00BD0, true},    {"GPFS", 0x47504653, true},
      {"Ceph", 0x00C36400, true},     {"9p", 0x01021997, true},        {"BeeGFS", 0x19830326, true},
      {"PanFS", 0xAAD7AAEA, true},    {"OpenAFS", 0x5346414F, true},   {"AFS", 0x6B414653, true},
      {"Coda", 0x73757245, true},     {"FUSE", 0x65735546, true},      {"GFS2", 0x01161970, true},
      {"OCFS2", 0x7461636F, true},    {"OrangeFS", 0x20030528, true},  {"ext4", 0xEF53, false},
      {"tmpfs", 0x01021994, false},   {"ramfs", 0x858458F6, false},    {"XFS", 0x58465342, false},
      {"Btrfs", 0x9123683E, false},   {"ZFS", 0x2FC12FC1, false},      {"F2FS", 0xF2F52010, false},
      {"overlay", 0x794C7630, false}, {"squashfs", 0x73717368, false}, {"FAT", 0x4D44, false},
      {"ISO 9660", 0x9660, false},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    unsigned long with_sign = (unsigned long)(long)(int32_t)known[i].type;
    if (wisp_place_is_network(known[i].type) != known[i].network ||
        wisp_place_is_network(with_sign) != known[i].network)
      fail_msg("%s: %s", known[i].name, known[i].network ? "taken for local" : "taken for a network's");
  }
}

/* In a folder of another machine WAL is not used, and a note says so. */
TEST_IN_FOLDER(test_network_file_systems)
{
  const char *path = fixture_path(*state, "wisp.db");
  wisp_writer *writer = NULL;
  char *warning = NULL;
  wisp_trial trial = fixture_trial(1);
  for (int rollback = 0; rollback < 2; rollback++) {
    if (rollback) setenv("WISP_JOURNAL", "rollback", 1);
    GOOD(wisp_writer_open(err, path, &warning, &writer));
    GOOD(wisp_writer_add(err, writer, &trial));
    assert_int_equal(access(fixture_path(*state, "wisp.db-wal"), F_OK), rollback ? -1 : 0);
    assert_true((warning != NULL) == (rollback == 1));
    if (warning) assert_non_null(strstr(warning, "wisp db merge"));
    GOOD(wisp_writer_close(err, writer));
    free(warning);
  }
  unsetenv("WISP_JOURNAL");
  assert_int_equal(fixture_count(path), 1);
}

/* They are in no file, and reading them would be most of the time. */
GROUP(no_shipped_winners, NULL)
