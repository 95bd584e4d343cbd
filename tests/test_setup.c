/* Claim: scripts/setup brings what is missing, also where a release lacks one of the packages, and OpenBLAS where only
 * the reference BLAS is there; what it could not bring it names. make lint without its tools is one line that names it.
 * Nothing is installed here: a package manager is played, and what it installs are files in a folder. */
#include "test.h"
#include "store_fixture.h"

#include <sys/stat.h>
#include <sys/wait.h>

/* Every package is a file in have/. The last header of a text decides whether it compiles. */
static const char cc[] =
    "#!/bin/sh\n"
    "case $* in\n"
    "  *-lopenblas*) test -e \"$HAVE/libopenblas-dev\" ;;\n"
    "  *) while read -r line; do last=$line; done\n"
    "    case $last in\n"
    "      *stdlib.h*) package=libc6-dev ;;\n"
    "      *sqlite3.h*) package=libsqlite3-dev ;;\n"
    "      *cJSON.h*) package=libcjson-dev ;;\n"
    "      *lapacke.h*) package=liblapacke-dev ;;\n"
    "      *cblas.h*) test -e \"$HAVE/liblapacke-dev\" && exit 0; package=libopenblas-dev ;;\n" /* the reference's */
    "      *metis.h*) package=libmetis-dev ;;\n"
    "      *cmocka.h*) package=libcmocka-dev ;;\n"
    "    esac\n"
    "    test -e \"$HAVE/$package\" ;;\n"
    "esac\n";

static const char apt[] =
    "#!/bin/sh\n"
    "echo \"$*\" >>\"$HAVE/../calls\"\n"
    "case $* in *update*) exit 0 ;; esac\n"
    "for word; do\n"
    "  if [ \"$word\" = \"$LACKS\" ]; then echo \"E: Unable to locate package $word\"; exit 100; fi\n"
    "done\n"
    "for word; do\n"
    "  case $word in -* | install | DPkg*) continue ;; esac\n"
    "  : >\"$HAVE/$word\"\n"
    "  case $word in\n"
    "    gcc | make | pkg-config | clang | g++ | gfortran | gmsh | valgrind | clang-format-14)\n"
    "      ln -sf ../tool \"$HAVE/../bin/$word\" ;;\n"
    "  esac\n"
    "  if [ \"$word\" = gcc ]; then ln -sf ../cc \"$HAVE/../bin/cc\"; fi\n"
    "done\n";

static const char python[] = "#!/bin/sh\n"
                             "case $* in\n"
                             "  *ensurepip*) test -e \"$HAVE/python3-venv\" ;;\n"
                             "  *venv*) mkdir -p .tools/bin && cp \"$HAVE/../pip\" .tools/bin/pip ;;\n"
                             "esac\n";

static const char pip[] =
    "#!/bin/sh\n"
    "test -z \"$NO_NETWORK\" || exit 1\n"
    "test \"$*\" = \"install clang-format==14.0.6\" && cp \"$HAVE/../tool\" .tools/bin/clang-format\n";

static void write_tool(const char *folder, const char *name, const char *text)
{
  assert_int_equal(chmod(fixture_text(folder, name, text), 0755), 0);
}

/* A bare machine: the shell's own tools, and a tree with the scripts alone. */
static int set_up(void **state)
{
  char line[4096], tree[512];
  fixture_set_up(state);
  const char *folder = *state;
  assert_non_null(getcwd(tree, sizeof tree));
  snprintf(line, sizeof line,
           "cd %s && mkdir bin have tree tree/scripts && cp '%s'/scripts/setup '%s'/scripts/tools.sh '%s'/scripts/lint "
           "tree/scripts && for tool in bash sh dirname mktemp env tail rm sort tr ls grep cat mkdir cp ln sed find "
           "xargs; do ln -s \"$(command -v $tool)\" bin/$tool; done",
           folder, tree, tree, tree);
  assert_int_equal(system(line), 0);
  write_tool(folder, "cc", cc);
  write_tool(folder, "pip", pip);
  write_tool(folder, "tool", "#!/bin/sh\necho 'clang-format version 14.0.6'\n");
  write_tool(folder, "bin/apt-get", apt);
  write_tool(folder, "bin/python3", python);
  write_tool(folder, "bin/id", "#!/bin/sh\necho 0\n");
  return 0;
}

/* A script there, with variables before it: its status; what it said is in the file `said`. */
static int run(const char *folder, const char *before, const char *script)
{
  char line[1024];
  snprintf(line, sizeof line,
           "cd %s/tree && env -i PATH=%s/bin HAVE=%s/have %s bash scripts/%s >../said 2>&1 </dev/null", folder, folder,
           folder, before, script);
  const int status = system(line);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char *read_output(const char *folder)
{
  size_t length = 0;
  return fixture_read(fixture_path(folder, "said"), &length);
}

static bool has(const char *folder, const char *file)
{
  return access(fixture_path(folder, file), F_OK) == 0;
}

static const char *const packages[] = {
    "have/gcc",  "have/libsqlite3-dev", "have/libopenblas-dev", "have/liblapacke-dev", "have/clang",
    "have/gmsh", "have/valgrind",       "have/libcmocka-dev",   "have/gfortran"};

TEST_WITH(test_all_there, set_up, fixture_tear_down)
{
  size_t length = 0;
  if (run(*state, "LACKS=none", "setup --dev") != 0) fail_msg("%s", read_output(*state));
  for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) assert_true(has(*state, packages[i]));
  assert_true(has(*state, "have/clang-format-14"));
  assert_false(has(*state, "tree/.tools"));
  char *calls = fixture_read(fixture_path(*state, "calls"), &length), *repeated;
  assert_int_equal(run(*state, "LACKS=none", "setup --dev"), 0);
  repeated = fixture_read(fixture_path(*state, "calls"), &length);
  assert_string_equal(calls, repeated); /* nothing is asked for twice */
  free(calls), free(repeated);
}

/* As Debian 13, which has no clang-format-14: all others are installed, and the formatter comes from PyPI. */
TEST_WITH(test_release_lacks_one, set_up, fixture_tear_down)
{
  if (run(*state, "LACKS=clang-format-14", "setup --dev") != 0) fail_msg("%s", read_output(*state));
  for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) assert_true(has(*state, packages[i]));
  assert_true(has(*state, "tree/.tools/bin/clang-format"));
  assert_true(has(*state, "have/python3-venv"));
}

/* The output names what could not be installed, and nothing else. */
TEST_WITH(test_no_network, set_up, fixture_tear_down)
{
  assert_int_equal(run(*state, "LACKS=clang-format-14 NO_NETWORK=1", "setup --dev"), 1);
  OWNED(free) char *text = read_output(*state);
  assert_non_null(strstr(text, "setup: could not install clang-format-14 ;"));
  assert_true(has(*state, "have/libcmocka-dev"));
}

/* LAPACKE came first, and with it the reference BLAS and the same header. */
TEST_WITH(test_reference_blas, set_up, fixture_tear_down)
{
  assert_int_equal(run(*state, "LACKS=none", "setup"), 0);
  assert_int_equal(unlink(fixture_path(*state, "have/libopenblas-dev")), 0);
  assert_int_equal(run(*state, "LACKS=none", "setup"), 0);
  assert_true(has(*state, "have/libopenblas-dev"));
}

TEST_WITH(test_lint, set_up, fixture_tear_down)
{
  assert_int_equal(run(*state, "LACKS=none", "setup"), 0);
  assert_int_equal(run(*state, "LACKS=none", "lint"), 1);
  char *text = read_output(*state), *end = strchr(text, '\n');
  if (!end || end[1] || !strstr(text, "scripts/setup --dev") || !strstr(text, " clang ") || !strstr(text, " cmocka.h"))
    fail_msg("lint says: %s", text);
  free(text);
}
