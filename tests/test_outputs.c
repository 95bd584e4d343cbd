/* Claim: no command overwrites what it reads, by whatever name, nor a file that is read-only, and none writes a format
 * under another's name; it says so before it begins. What ships can be exported, packed stores are read, an import
 * takes no number that no measurement gives and names the line, and an untuned run names the command that tunes it. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"

#include <sys/stat.h>

static const char tet[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                          "$EndNodes\n$Elements\n1\n1 4 2 0 0 1 2 3 4\n$EndElements\n";
static const char triangles[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n"
                                "$EndNodes\n$Elements\n2\n1 2 2 0 0 1 2 3\n2 2 2 0 0 2 4 3\n$EndElements\n";

/* The command in that folder: what it ended with, one line where it failed, which has these words. */
static void expect(const char *folder, int status, const char *words, const char *arguments)
{
  char before[256];
  snprintf(before, sizeof before, "-C %s", folder);
  run_expect(folder, before, status, words, "%s", arguments);
}

static void holds(const char *folder, const char *name, const char *text)
{
  size_t length = 0;
  OWNED(free) char *now = fixture_read(fixture_path(folder, name), &length);
  if (strcmp(now, text) != 0) fail_msg("%s became: %.200s", name, now);
}

#define SOLVE "run maxwell -q -d host -n 1 --steps 1 --default --mesh m.msh -o "

/* The mesh m.msh is also there under the names l.vtu and h.vtu. */
static void link_mesh(const char *folder, const char *text)
{
  fixture_text(folder, "m.msh", text);
  assert_int_equal(symlink("m.msh", fixture_path(folder, "l.vtu")), 0);
  assert_int_equal(link(fixture_path(folder, "m.msh"), fixture_path(folder, "h.vtu")), 0);
  assert_int_equal(symlink("m.msh", fixture_path(folder, "l.mtx")), 0);
  assert_int_equal(link(fixture_path(folder, "m.msh"), fixture_path(folder, "k_b.mtx")), 0);
}

TEST_IN_FOLDER(test_mesh_stays)
{
  static const char *const names[] = {"m.msh", "./m.msh", "l.vtu", "h.vtu"};
  link_mesh(*state, tet);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char line[256];
    snprintf(line, sizeof line, SOLVE "%s", names[i]);
    expect(*state, 2, "would overwrite", line);
    holds(*state, "m.msh", tet);
  }
  expect(*state, 0, "", SOLVE "u.vtu");
  assert_int_equal(access(fixture_path(*state, "u.vtu"), F_OK), 0);
}

TEST_IN_FOLDER(test_triangles_stay)
{
  static const char *const lines[] = {
      "run heat -q -d host -n 3 --steps 1 --mesh m.msh -o l.vtu",
      "run heat -q -d host -n 3 --steps 1 --mesh m.msh --export l.mtx",
      "run heat -q -d host -n 3 --steps 1 --mesh m.msh --export k.mtx", /* its vector: k_b.mtx */
      "run helmholtz -q -d host -n 1 --mesh m.msh -o h.vtu",
  };
  link_mesh(*state, triangles);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    expect(*state, 2, "would overwrite", lines[i]);
    holds(*state, "m.msh", triangles);
  }
}

TEST_IN_FOLDER(test_endings)
{
  link_mesh(*state, tet);
  expect(*state, 2, "'u.vtk', must end in .vtu", SOLVE "u.vtk");
  expect(*state, 2, "'u', must end in .vtu", SOLVE "u");
  expect(*state, 2, "'.vtu', must end in .vtu", SOLVE ".vtu");
  expect(*state, 2, "must end in .mtx", "run heat -d host -n 1 --box 2 --export k.txt");
  expect(*state, 2, "must end in .vtu", "run heat -d host -n 1 --box 2 -o k.vtk");
  expect(*state, 2, "must end in .vtu", "run helmholtz -d host -n 1 --box 2 -o k.vtk");
  expect(*state, 0, "", SOLVE "/dev/null");
}

/* Nobody may write it, not even root. */
TEST_IN_FOLDER(test_read_only)
{
  static const struct {
    const char *file, *line;
  } cases[] = {
      {"u.vtu", SOLVE "u.vtu"},
      {"a.mtx", "run heat -q -d host -n 1 --box 2 --steps 1 --export a.mtx"},
      {"b_b.mtx", "run heat -q -d host -n 1 --box 2 --steps 1 --export b.mtx"},
      {"w.json", "db export -o w.json"},
      {"r/index.html", "report -q -f hdg -n 1 -d H200 -o r"},
      {"f/D.f64", "emit -q -k volume -s element-per-thread -p f64 -n 1 --operands f"},
  };
  link_mesh(*state, tet);
  mkdir(fixture_path(*state, "r"), 0700), mkdir(fixture_path(*state, "f"), 0700);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct stat about;
    fixture_text(*state, cases[i].file, "old");
    assert_int_equal(chmod(fixture_path(*state, cases[i].file), 0444), 0);
    expect(*state, 1, "read-only", cases[i].line);
    holds(*state, cases[i].file, "old");
    assert_int_equal(stat(fixture_path(*state, cases[i].file), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0444);
  }
}

TEST_IN_FOLDER(test_places)
{
  link_mesh(*state, tet);
  mkdir(fixture_path(*state, "sub"), 0700);
  expect(*state, 1, "it is a folder", SOLVE "sub");
  expect(*state, 1, "none/u.vtu: cannot be written", SOLVE "none/u.vtu");
  fixture_fill(fixture_path(*state, "user.db"), 0, 5);
  assert_int_equal(link(fixture_path(*state, "user.db"), fixture_path(*state, "same.json")), 0);
  expect(*state, 2, "would overwrite", "db export -o user.db");
  expect(*state, 2, "would overwrite", "db export -o same.json");
  expect(*state, 2, "would overwrite", "db export --db same.json -o user.db");
  assert_int_equal(fixture_count(fixture_path(*state, "user.db")), 5);
}

/* ---- Stores. */

/* The shipped winners can be exported in both forms without a user's store, and imported. */
TEST_IN_FOLDER(test_shipped_winners)
{
  long counts[2];
  for (int text = 0; text < 2; text++) {
    char line[256];
    const char *to = fixture_path(*state, text ? "b.db" : "a.db");
    snprintf(line, sizeof line, "db export --db none.db -d 'NVIDIA H200' --winners --format %s -o w%d -q",
             text ? "text" : "json", text);
    expect(*state, 0, "", line);
    snprintf(line, sizeof line, "db import --db %s w%d", to, text);
    expect(*state, 0, "added", line);
    counts[text] = fixture_count(to);
  }
  assert_true(counts[0] > 1000);
  assert_int_equal(counts[0], counts[1]);
  assert_int_equal(access(fixture_path(*state, "none.db"), F_OK), -1);
  expect(*state, 1, "nothing is stored for 'no such card'", "db export --winners -d 'no such card'");
  expect(*state, 1, "-d DEV exports what ships", "db export --winners --db none.db");
}

/* If the store has trials of the device, the export has these and no others. */
TEST_IN_FOLDER(test_own_device)
{
  fixture_fill(fixture_path(*state, "user.db"), 0, 7); /* of an H200 */
  char before[64];
  snprintf(before, sizeof before, "HOME=%s", (char *)*state);
  cJSON *json = run_json(*state, before, "db export -d h200");
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "trials")), 7);
  cJSON_Delete(json);
  expect(*state, 1, "nothing is stored for", "db export -d host");
  expect(*state, 1, "nothing is stored for 'nosuch'", "db show -d nosuch");
}

TEST_IN_FOLDER(test_packed)
{
  fixture_fill(fixture_path(*state, "s.db"), 0, 12);
  char line[128];
  snprintf(line, sizeof line, "gzip -k %s", fixture_path(*state, "s.db"));
  assert_int_equal(system(line), 0);
  unlink(fixture_path(*state, "s.db"));
  expect(*state, 0, "r/index.html", "report -q -d H200 -f nodal -o r --db s.db.gz");
  expect(*state, 0, "volume", "best -d H200 -f nodal --kernels --db s.db.gz");
  expect(*state, 0, "12 trials", "db check --db s.db.gz");
  expect(*state, 0, "12 trials added or renewed from 1 file\n", "db merge --db new.db s.db.gz");
  expect(*state, 0, "default", "run maxwell -q -d host -n 1 --box 1 --steps 1 --db s.db.gz");
  expect(*state, 2, "unpack it with gunzip", "db prune --failed --db s.db.gz");
  expect(*state, 2, "unpack it with gunzip", "tune -d host -n 1 --budget 1s --db s.db.gz");
  fixture_text(*state, "bad.gz", "no gzip");
  expect(*state, 1, "bad.gz: gunzip cannot unpack it", "report -o r --db bad.gz");
}

/* ---- Imports. */

#define TRIAL "spec=nodal.volume:tet:p4:maxwell:f64 strategy=a outcome=ok "
#define OBJECT "{\"spec\": \"nodal.volume:tet:p4:maxwell:f64\", \"strategy\": \"a\", \"outcome\": \"ok\""

TEST_IN_FOLDER(test_numbers)
{
  static const char *const bad[][2] = {
      {"-1", "ms is -1"}, {"0", "ms is 0"}, {"1e-300", "ms is 1e-300"}, {"1e300", "ms is 1e+300"}, {"nan", NULL},
      {"inf", NULL},      {"null", NULL},   {"86400001", "ms is"}};
  const char *path = fixture_path(*state, "user.db");
  fixture_fill(path, 0, 1);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[512];
    snprintf(text, sizeof text, "# of one\n" TRIAL "ms=%s\n", bad[i][0]);
    fixture_text(*state, "bad.txt", text);
    expect(*state, 1, "bad.txt:2: ", "db import bad.txt");
    if (bad[i][1]) expect(*state, 1, bad[i][1], "db import bad.txt");
    snprintf(text, sizeof text, "{\"wisp_store\": 1, \"trials\": [" OBJECT ", \"ms\": 1}, " OBJECT ", \"ms\": %s}]}",
             bad[i][0]);
    fixture_text(*state, "bad.json", text);
    expect(*state, 1, "bad.json: ", "db import bad.json");
    if (bad[i][1]) expect(*state, 1, "trial 2: ms is", "db import bad.json");
    assert_int_equal(fixture_count(path), 1);
  }
  fixture_text(*state, "lost.txt", TRIAL "\n");
  expect(*state, 1, "lost.txt:1: the outcome is ok, and there is no time: give ms", "db import lost.txt");
  fixture_text(*state, "speed.txt", TRIAL "ms=1 samples=[1,-1]\n");
  expect(*state, 1, "speed.txt:1: samples is -1", "db import speed.txt");
  fixture_text(*state, "one.txt", TRIAL "ms=1e-6\n");
  expect(*state, 0, ": 1 trial added", "db import one.txt");
}

/* ---- An untuned run. */

TEST_IN_FOLDER(test_untuned)
{
  static const struct {
    const char *run, *tune;
  } cases[] = {
      {"maxwell_media -d host -n 1 --box 1 --steps 1 -p f32 --db a.db",
       "wisp tune -d host -f nodal --system maxwell_media -n 1 -p f32 --db 'a.db'\n"},
      {"maxwell -d host -n 1 --box 1 --steps 1 --basis bernstein",
       "wisp tune -d host -f nodal --element bernstein-tet -n 1 -p f64\n"},
      {"poisson -d host -n 1 --box 2", "wisp tune -d host -f tensor -n 1 -p f64\n"},
      {"heat -d host -n 1 --box 2 --steps 1", "wisp tune -d host -f assembly --system heat -n 1 -p f64\n"},
      {"helmholtz -d host -n 1 --box 2", "wisp tune -d host -f hdg -n 1 -p f64\n"},
  };
  fixture_fill(fixture_path(*state, "a.db"), 0, 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char line[256];
    snprintf(line, sizeof line, "run %s", cases[i].run);
    expect(*state, 0, cases[i].tune, line);
    strcat(line, " --default");
    if (strstr(line, "--db")) continue;
    HELD(forget) outcome o = run_in(*state, "", line);
    assert_int_equal(o.status, 0);
    assert_null(strstr(o.out, "wisp tune"));
  }
}

/* The command that it names is one that tunes it. */
TEST_IN_FOLDER(test_tuned)
{
  static const char solve[] = "run maxwell -q -d host -n 1 --box 1 --steps 1 --composition stage";
  HELD(forget) outcome o = run_in(*state, "", solve);
  const char *at = strstr(o.out, "            wisp tune ");
  assert_non_null(at);
  at += strlen("            wisp ");
  run_expect(*state, "", 0, "", "%.*s -q -k stage -s literal -l slab-km32 --elements 48 --budget 3s",
             (int)strcspn(at, "\n"), at);
  forget(&o);
  o = run_in(*state, "", solve);
  if (strstr(o.out, "wisp tune") || !strstr(o.out, "exact")) fail_msg("%s", o.out);
}
