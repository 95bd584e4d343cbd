/* Claim: whatever is wrong with a command's input or surroundings, it ends with one line that says what, with the right
 * status, and leaves every file as it was. (wisp run's own options: test_run_cli.) */
#include "test.h"
#include "store_fixture.h"

#include <sys/stat.h>
#include <sys/wait.h>

/* A command's short run that writes the store, and one that reads it; both of the host. */
#define TUNE "tune -d host -n 1 -p f64 --kernel update --layout slab-km32 --elements 48 --budget 20s"
#define RUN "run maxwell -d host -n 1 --box 1 --steps 1"

static char *slurp(const char *folder, const char *name)
{
  size_t length = 0;
  return fixture_read(fixture_path(folder, name), &length);
}

/* The command in that folder, with its store there, after what `before` says to the shell. */
static int call(const char *folder, const char *before, const char *arguments)
{
  const char *command = getenv("WISP_COMMAND");
  char line[2048], *whole = realpath(command && *command ? command : "build/wisp", NULL);
  assert_non_null(whole);
  snprintf(line, sizeof line, "cd %s && export WISP_DB=user.db && %s %s %s >out 2>err </dev/null", folder, before,
           whole, arguments);
  free(whole);
  int status = system(line);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect(const char *folder, const char *before, const char *arguments, int status, const char *words)
{
  int ended = call(folder, before, arguments);
  char *err = slurp(folder, "err"), *end = strchr(err, '\n');
  if (ended != status) fail_msg("wisp %s: status %d, not %d: %s", arguments, ended, status, err);
  if (status && (strncmp(err, "wisp", 4) != 0 || !end || end[1])) fail_msg("wisp %s says: %s", arguments, err);
  if (!strstr(err, words)) fail_msg("wisp %s does not say '%s': %s", arguments, words, err);
  free(err);
}

TEST_IN_FOLDER(test_words)
{
  static const struct {
    const char *arguments, *words;
  } bad[] = {
      {"solve", "there is no command 'solve'"},
      {"tune --colour blue", "'--colour'"},
      {"best --colour blue", "'--colour'"},
      {"emit --colour blue", "'--colour'"},
      {"bench --colour blue", "'--colour'"},
      {"db --colour blue", "'--colour'"},
      {"devices --colour blue", "'--colour'"},
      {"devices host", "'host'"},
      {"tune -d host -n 0", "-"},
      {"tune -d host -f assembly -n 6", "orders from 1 to 5"},
      {"tune -d host --budget soon", "90s, 10m or 2h"},
      {"tune -d host -f nodule", "nodule"},
      {"tune -d cuda:0,,", "empty name"},
      {"tune -d host,gpu", "'gpu'"},
      {"tune -d host,all", "'all' stands alone"},
      {"tune -d host --strategy best", "best"},
      {"bench -d host -n x", "--orders"},
      {"bench -d host -f assembly -n 1 --element ,", "elements such as tri,tet"},
      {"bench -d host -f assembly -n 1 --nonzeros 1e4 --dofs 1e4", "leave all but one out"},
      {"bench -d host -n 1 --paper", "no published tables"},
      {"best -n 99", "--orders"},
      {"tune -d host -n 0", "orders from 1 to 15"},
      {"emit -f hdg -n 10", "order 10 is out of range: use 1 to 9"},
      {"tune -d host -n 3,16", "orders from 1 to 15"},
      {"report -o page -k gather:21", "as volume:4"},
      {"best --format xml", "text, json, csv"},
      {"emit -f assembly -n 6", "1 to 5"},
      {"emit --names", "--kernel"},
      {"emit -s best", "there is no strategy 'best' for nodal: 'wisp emit -f nodal' lists them"},
      {"emit -k vol", "the nodal family has no kernel 'vol': 'wisp emit -f nodal' lists them"},
      {"emit -k volume -s best", "there is no strategy 'best' for volume"},
      {"emit -k volume --set wp=99", "1, 2, 4"},
      {"emit -k volume --set speed=1", "no parameter 'speed'"},
      {"emit --dialect opencl", "cuda, host"},
      {"emit --target sm_70", "one of host, sm_75, sm_80"},
      {"emit --target ga100", "one of host, sm_75, sm_80"},
      {"db", "say what to do"},
      {"db burn", "'burn'"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) expect(*state, "", bad[i].arguments, 2, bad[i].words);
  expect(*state, "",
         "emit -f assembly -n 2 -p f64 -k fill -s shared-nonzeros --set max_elements=768,matrices_in_shared=1 --target "
         "sm_75",
         1, "too much shared memory");
}

/* ---- Meshes. */

#define FOUR "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
#define MESH(version, elements) \
  "$MeshFormat\n" version " 0 8\n$EndMeshFormat\n$Nodes\n" FOUR "$EndNodes\n$Elements\n" elements "$EndElements\n"
#define TET(number, nodes) number " 4 2 0 0 " nodes "\n"

TEST_IN_FOLDER(test_meshes)
{
  static const struct {
    const char *text, *words;
  } bad[] = {
      {"", "$MeshFormat"},
      {"hello\n", "$MeshFormat"},
      {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1", "truncated"},
      {MESH("4.2", "1\n" TET("1", "1 2 3 4")), "newer"},
      {MESH("2.2", "2\n" TET("1", "1 3 2 4") TET("2", "1 2 3 4")), "overlap"},
      {MESH("2.2", "1\n" TET("1", "1 2 3 3")), "degenerate"},
      {MESH("2.2", "1\n" TET("1", "1 2 3 9")), "node 9"},
      {MESH("2.2", "1\n1 5 2 0 0 1 2 3 4 1 2 3 4\n"), "hexahedron"},
      {MESH("2.2", "3\n" TET("1", "1 2 3 4") TET("2", "1 2 3 4") TET("3", "1 2 3 4")), "does not conform"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fixture_write(fixture_path(*state, "bad.msh"), bad[i].text, strlen(bad[i].text));
    expect(*state, "", "run maxwell -d host -n 1 --steps 1 --mesh bad.msh", 1, bad[i].words);
  }
}

/* ---- Stores. */

static void same_bytes(const char *folder, const char *name, const char *bytes, size_t length)
{
  size_t now = 0;
  OWNED(free) char *after = fixture_read(fixture_path(folder, name), &now);
  assert_int_equal(now, length);
  assert_memory_equal(after, bytes, length);
}

/* Refused by all that write it or are about it, passed over with a note by who wants what it holds, and left alone. */
static void refused(const char *folder, const char *bytes, size_t length, const char *words)
{
  fixture_write(fixture_path(folder, "user.db"), bytes, length);
  expect(folder, "", TUNE, 1, words);
  expect(folder, "", "db check", 1, words);
  expect(folder, "", RUN, 0, words);
  expect(folder, "unset WISP_SHIPPED;", "best -d all -n 3 -p f32 -f tensor", 0, words);
  same_bytes(folder, "user.db", bytes, length);
}

TEST_IN_FOLDER(test_stores)
{
  enum { ID = 68, VERSION = 60 }; /* where SQLite's header has application_id and user_version */
  size_t length = 0;
  fixture_fill(fixture_path(*state, "user.db"), 0, 3);
  OWNED(free) char *store = fixture_read(fixture_path(*state, "user.db"), &length);
  assert_true(length > 4096);
  refused(*state, store, 2000, "damaged");
  char kept[4];
  memcpy(kept, store + ID, 4), memset(store + ID, 0, 4);
  refused(*state, store, length, "another application");
  memcpy(store + ID, kept, 4), store[VERSION] = 1;
  refused(*state, store, length, "newer wisp");
  memset(store, 'x', 100);
  refused(*state, store, length, "not a tuning store");
}

/* A disk that is full: files may not grow over some blocks, and no signal ends the program for it. */
TEST_IN_FOLDER(test_full_disk)
{
  struct stat full;
  fixture_fill(fixture_path(*state, "user.db"), 0, 40);
  expect(*state, "trap '' XFSZ; ulimit -f 8;", TUNE, 1, "user.db");
  assert_int_equal(fixture_count(fixture_path(*state, "user.db")), 40);
  fixture_write(fixture_path(*state, "out.json"), "old", 4);
  expect(*state, "trap '' XFSZ; ulimit -f 2;", "db export -o out.json", 1, "out.json: cannot be written");
  same_bytes(*state, "out.json", "old", 4);
  fixture_write(fixture_path(*state, "out.vtu"), "old", 4);
  /* Once before, so that the kernels are compiled: a compiler's own files may be larger than what is allowed. */
  expect(*state, "", "run maxwell -d host -n 3 --box 4 --steps 1 --default", 0, "");
  expect(*state, "trap '' XFSZ; ulimit -f 512;", "run maxwell -d host -n 3 --box 4 --steps 1 --default -o out.vtu", 1,
         "out.vtu: cannot be written");
  same_bytes(*state, "out.vtu", "old", 4);
  expect(*state, "", "db export -o /dev/full", 1, "/dev/full");
  assert_true(stat("/dev/full", &full) == 0 && S_ISCHR(full.st_mode));
  expect(*state, "", "db export -o gone/out.json", 1, "gone/out.json");
}

/* ---- Surroundings. */

TEST_IN_FOLDER(test_surroundings)
{
  expect(*state, "WISP_CC=/nowhere/cc WISP_CACHE_DIR=$PWD/none", TUNE, 1, "/nowhere/cc");
  expect(*state, "WISP_CC=/nowhere/cc WISP_CACHE_DIR=$PWD/none", "devices", 1, "/nowhere/cc");
  assert_int_equal(fixture_count(fixture_path(*state, "user.db")), 0);
  if (access("/dev/nvidiactl", F_OK) == 0) return;
  expect(*state, "", "tune -d cuda -n 1", 1, "use -d host");
  expect(*state, "", "tune -d cuda:0,cuda:1 -n 1", 1, "use -d host");
  expect(*state, "", "bench -d cuda -n 1", 1, "use -d host");
  expect(*state, "", "best -d cuda", 1, "use -d host");
  expect(*state, "", "run maxwell -d cuda -n 1", 1, "use -d host");
}

/* A store that holds another device's winners alone is of no use, and no harm. */
TEST_IN_FOLDER(test_other_device)
{
  fixture_fill(fixture_path(*state, "user.db"), 0, 10);
  expect(*state, "WISP_SHIPPED=none", RUN, 0, "");
  char *out = slurp(*state, "out");
  if (!strstr(out, "default")) fail_msg("%s", out);
  free(out);
  expect(*state, "", "best -d 'No Such Card'", 1, "No Such Card");
}

/* A text of the user's own: messages name the file that it is in, and the line. */
TEST_IN_FOLDER(test_own_texts)
{
  static const struct {
    const char *space, *text, *words;
  } bad[] = {
      {"kernel update\nparma x 1\n", "", "mine/nodal/update.own.space:2: "},
      {"kernel update\nlayouts node\nblock lanes\ngrid groups\n", "",
       "mine/nodal/update.own.space:3: expression 'lanes'"},
      {"kernel update\nlayouts node\nblock 32\ngrid groups\narg inout real u\n", "one\n{{two}}\n",
       "mine/nodal/update.own.k:2: "},
      {"kernel update\nlayouts node\nblock 32\ngrid groups\narg inout real u\n", "{{>index}}\n{{/if}}\n",
       "mine/nodal/update.own.k:2: "},
  };
  const char *folder = *state;
  assert_int_equal(mkdir(fixture_path(folder, "mine"), 0700), 0);
  assert_int_equal(mkdir(fixture_path(folder, "mine/nodal"), 0700), 0);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fixture_write(fixture_path(folder, "mine/nodal/update.own.space"), bad[i].space, strlen(bad[i].space));
    fixture_write(fixture_path(folder, "mine/nodal/update.own.k"), bad[i].text, strlen(bad[i].text));
    expect(folder, "WISP_TEMPLATES=mine", "emit -k update -s own", 1, bad[i].words);
  }
}
