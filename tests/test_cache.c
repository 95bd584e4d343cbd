/* Claim: compiled code is loaded only from a folder and files that are the user's own and nobody else's to write, and
 * only where all that it was compiled from is the same; the cache keeps to its bound, what was used longest ago goes
 * first. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../runtime/cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static int setup(void **state)
{
  fixture_set_up(state);
  unsetenv("WISP_CACHE_MB");
  unsetenv("WISP_CC");
  return setenv("WISP_CACHE_DIR", fixture_path(*state, "cache"), 1);
}

static void put(const char *text, const char *payload, size_t length)
{
  OWNED(free) char *copy = malloc(length);
  assert_non_null(copy);
  memcpy(copy, payload, length);
  wisp_cache_put(&(wisp_cache_key){&text, 1}, &(wisp_binary){copy, length, {1, 2, 3, 4, 5}});
}

/* Is this payload there for the text? */
static bool has(const char *text, const char *payload)
{
  wisp_binary found = {0};
  if (!wisp_cache_get(&(wisp_cache_key){&text, 1}, &found)) return false;
  bool same = found.length == strlen(payload) && memcmp(found.data, payload, found.length) == 0;
  free(found.data);
  return same;
}

/* The path of the one entry. */
static const char *entry_path(const char *folder)
{
  char name[128] = "";
  DIR *dir = opendir(fixture_path(folder, "cache"));
  assert_non_null(dir);
  for (struct dirent *e; (e = readdir(dir));)
    if (*e->d_name != '.') snprintf(name, sizeof name, "cache/%.100s", e->d_name);
  closedir(dir);
  return fixture_path(folder, name);
}

TEST_WITH(open_folders_are_not_looked_into, setup, fixture_tear_down)
{
  static const mode_t open_to_others[] = {0770, 0707, 0777, 01777};
  const char *folder = fixture_path(*state, "cache");
  wisp_error err = {0};
  wisp_cache_contents contents;
  put("key", "code", 4);
  assert_true(has("key", "code"));
  for (size_t i = 0; i < sizeof open_to_others / sizeof *open_to_others; i++) {
    assert_int_equal(chmod(folder, open_to_others[i]), 0);
    assert_false(has("key", "code"));
    put("other", "code", 4);
    assert_int_equal(wisp_cache_look(&err, false, &contents), WISP_ESYSTEM);
    assert_non_null(strstr(err.text, "may be written by others"));
  }
  assert_int_equal(chmod(folder, 0755), 0);
  assert_true(has("key", "code"));
  assert_false(has("other", "code")); /* nothing was written, either */
  if (geteuid() != 0) return;
  assert_int_equal(chown(folder, 65534, 65534), 0);
  assert_false(has("key", "code"));
  assert_int_equal(wisp_cache_look(&err, false, &contents), WISP_ESYSTEM);
  assert_non_null(strstr(err.text, "belongs to somebody else"));
}

TEST_WITH(files_of_others_are_compiled_anew, setup, fixture_tear_down)
{
  put("key", "code", 4);
  const char *entry = entry_path(*state), *elsewhere = fixture_path(*state, "elsewhere");
  assert_int_equal(chmod(entry, 0666), 0);
  assert_false(has("key", "code"));
  put("key", "code", 4); /* takes its place */
  assert_true(has("key", "code"));
  assert_int_equal(rename(entry, elsewhere), 0);
  assert_int_equal(symlink(elsewhere, entry), 0);
  assert_false(has("key", "code"));
  put("key", "code", 4);
  assert_true(has("key", "code"));
  if (geteuid() != 0) return;
  assert_int_equal(chown(entry, 65534, 65534), 0);
  assert_false(has("key", "code"));
}

/* An entry under the name of another key, as a collision of the names would have it, does not answer. */
TEST_WITH(the_whole_key_is_compared, setup, fixture_tear_down)
{
  put("key", "code", 4);
  const char *entry = entry_path(*state);
  char name[256];
  snprintf(name, sizeof name, "%s", entry);
  size_t length;
  OWNED(free) char *data = fixture_read(name, &length);
  unlink(name);
  put("another key", "other code", 10);
  const char *other = entry_path(*state);
  assert_string_not_equal(other, name);
  fixture_write(other, data, length);
  assert_false(has("another key", "code"));
  assert_int_equal(rename(other, name), 0);
  assert_true(has("key", "code"));
  for (size_t at = 0; at < length; at++) { /* every byte counts */
    data[at] ^= 1;
    fixture_write(name, data, length);
    assert_false(has("key", "code"));
    data[at] ^= 1;
  }
  fixture_write(name, data, length - 1);
  assert_false(has("key", "code"));
}

TEST_WITH(bound_removes_the_longest_unused, setup, fixture_tear_down)
{
  enum { SIZE = 300 << 10 };
  static char payload[SIZE];
  char text[16];
  wisp_cache_contents contents;
  setenv("WISP_CACHE_MB", "1", 1);
  for (int i = 0; i < 3; i++) {
    snprintf(text, sizeof text, "key %d", i);
    memset(payload, 'a' + i, SIZE - 1);
    put(text, payload, SIZE - 1);
    usleep(20000); /* the clock of a file system is coarse */
  }
  memset(payload, 'a', SIZE - 1);
  assert_true(has("key 0", payload)); /* the first is used again */
  usleep(20000);
  memset(payload, 'd', SIZE - 1);
  put("key 3", payload, SIZE - 1);
  assert_true(has("key 3", payload));
  memset(payload, 'a', SIZE - 1);
  assert_true(has("key 0", payload));
  memset(payload, 'b', SIZE - 1);
  assert_false(has("key 1", payload));
  GOOD(wisp_cache_look(err, false, &contents));
  assert_int_equal(contents.entries, 3);
  assert_true(contents.bytes <= contents.limit);
  assert_int_equal(contents.limit, 1 << 20);
  setenv("WISP_CACHE_MB", "some", 1);
  assert_int_equal(wisp_cache_look(NULL, false, &contents), WISP_EUSAGE);
}

TEST_WITH(command_shows_and_clears, setup, fixture_tear_down)
{
  put("key", "code", 4);
  fixture_write(fixture_path(*state, "cache/mine.txt"), "mine", 4);
  outcome o = run_in(*state, "", "db cache");
  assert_int_equal(o.status, 0);
  assert_non_null(strstr(o.out, "1 compiled kernels"));
  assert_non_null(strstr(o.out, "512 MB"));
  forget(&o);
  o = run_in(*state, "", "db cache --clear");
  assert_int_equal(o.status, 0);
  forget(&o);
  assert_false(has("key", "code"));
  assert_int_equal(access(fixture_path(*state, "cache/mine.txt"), F_OK), 0); /* what is not ours stays */
}

/* One line of warning, and the run goes on. */
TEST_WITH(untrusted_folder_is_noted_once, setup, fixture_tear_down)
{
  assert_int_equal(mkdir(fixture_path(*state, "cache"), 0700), 0);
  assert_int_equal(chmod(fixture_path(*state, "cache"), 0777), 0);
  HELD(forget) outcome o = run_in(*state, "", "run maxwell -n 1 --box 1 --steps 1 -d host");
  assert_int_equal(o.status, 0);
  char *note = strstr(o.err, "may be written by others");
  assert_non_null(note);
  assert_null(strstr(note + 1, "may be written by others"));
}

TEST_WITH(relative_place_is_ignored, setup, fixture_tear_down)
{
  wisp_cache_contents contents;
  unsetenv("WISP_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", *state, 1);
  GOOD(wisp_cache_look(err, false, &contents));
  assert_string_equal(contents.path, fixture_path(*state, ".cache/wisp"));
  setenv("XDG_CACHE_HOME", fixture_path(*state, "xdg"), 1);
  GOOD(wisp_cache_look(err, false, &contents));
  assert_string_equal(contents.path, fixture_path(*state, "xdg/wisp"));
}

/* A compiler that leaves half an object: an error, nothing that is loaded, and nothing that stays. */
TEST_WITH(half_an_object_is_no_kernel, setup, fixture_tear_down)
{
  static const char script[] = "#!/bin/sh\ncc \"$@\" || exit 1\nwhile [ $# -gt 1 ]; do [ \"$1\" = -o ] && truncate -s "
                               "9000 \"$2\"; shift; done\nexit 0\n";
  static const char answer[] = "void answer(void **args, unsigned x, unsigned y) { **(int **)args[0] = 42; }\n";
  const char *cc = fixture_path(*state, "cc");
  wisp_error err = {0};
  wisp_binary binary = {0};
  fixture_write(cc, script, sizeof script - 1);
  assert_int_equal(chmod(cc, 0700), 0);
  setenv("WISP_CC", cc, 1);
  assert_int_equal(wisp_compile(&err, "host", "answer", answer, &binary), WISP_ESYSTEM);
  assert_non_null(strstr(err.text, "no whole shared object"));
  unsetenv("WISP_CC");
  assert_int_equal(wisp_compile(&err, "host", "answer", answer, &binary), WISP_OK);
  free(binary.data);
}

/* --- without a compiler --- */

#define TEXT(answer) "void answer(void **args, unsigned x, unsigned y) { **(int **)args[0] = " #answer "; }\n"

/* A compiler of this name, which counts what it is called for. */
static const char *make_compiler(const char *folder, const char *name)
{
  char script[512];
  snprintf(script, sizeof script,
           "#!/bin/sh\necho x >>%s/calls\n[ \"$1\" = --version ] && echo x >>%s/versions\n"
           "exec cc \"$@\"\n",
           folder, folder);
  const char *path = fixture_path(folder, name);
  fixture_write(path, script, strlen(script));
  assert_int_equal(chmod(path, 0700), 0);
  return path;
}

static size_t count_of(const char *folder, const char *name)
{
  const char *path = fixture_path(folder, name);
  size_t length = 0;
  if (access(path, F_OK) == 0) free(fixture_read(path, &length));
  return length / 2;
}

static wisp_status compile(const char *text, wisp_binary *out)
{
  wisp_error err = {.text = ""};
  const wisp_status status = wisp_compile(&err, "host", "answer", text, out);
  if (status != WISP_OK && !strstr(err.text, "install gcc")) fail_msg("%s", err.text);
  return status;
}

static void expect_kept(const char *text, bool kept)
{
  wisp_binary binary = {0};
  assert_int_equal(compile(text, &binary), kept ? WISP_OK : WISP_EDEVICE);
  free(binary.data);
}

/* A compiled kernel stays of use without its compiler, for the same text and options; the latest counts. */
TEST_WITH(cache_needs_no_compiler, setup, fixture_tear_down)
{
  const char *path = make_compiler(*state, "cc");
  char command[512];
  wisp_binary first = {0}, second = {0}, found = {0};
  setenv("WISP_CC", path, 1);
  assert_int_equal(compile(TEXT(1), &first), WISP_OK);
  wisp_binary_free(&first);
  assert_int_equal(compile(TEXT(2), &first), WISP_OK);
  assert_int_equal(compile(TEXT(2), &found), WISP_OK);
  assert_int_equal(count_of(*state, "calls"), 2);
  assert_int_equal(count_of(*state, "versions"), 0); /* nobody has to run it to know it */
  wisp_binary_free(&found);
  make_compiler(*state, "cc"); /* another one by the same name: its time differs */
  assert_int_equal(compile(TEXT(2), &second), WISP_OK);
  assert_int_equal(count_of(*state, "calls"), 3);
  unlink(path);
  expect_kept(TEXT(1), true);
  expect_kept(TEXT(2), true);
  expect_kept(TEXT(3), false);
  snprintf(command, sizeof command, "%s -DOTHER", path);
  setenv("WISP_CC", command, 1);
  expect_kept(TEXT(1), false);
  wisp_binary_free(&first), wisp_binary_free(&second);
}

/* The command as a whole: the second time it starts no program at all. */
TEST_WITH(run_needs_no_compiler, setup, fixture_tear_down)
{
  static const char line[] = "run maxwell -n 1 --box 1 --steps 1 -d host --json";
  char before[256];
  snprintf(before, sizeof before, "WISP_SHIPPED=none PATH=%s", fixture_path(*state, "empty"));
  outcome o = run_in(*state, before, line);
  assert_int_equal(o.status, 1);
  assert_non_null(strstr(o.err, "install gcc"));
  forget(&o);
  cJSON_Delete(run_json(*state, "WISP_SHIPPED=none", line));
  cJSON_Delete(run_json(*state, before, line));
}
