/* Claim: a program outside the tree, of C or C++ and by gcc, clang or g++, solves, and opens tuned kernels and whole
 * operators on its own arrays, and one of Fortran likewise; what they compute is what mathematics says, which they
 * check themselves. They are built with what is installed; where that cannot be, those that a bundle carries are run.
 */
#include "test.h"
#include "page.h"
#include "solving.h"
#include "store_fixture.h"

enum { MOST_LINES = 150 };

static const struct {
  const char *name, *build, *source;
} programs[] = {
    {"pulse-gcc", "gcc -std=c11 -O2 -Wall -Wextra -Werror", "pulse.c"},
    {"pulse-clang", "clang -O2 -Wall -Wextra -Werror", "pulse.c"},
    {"pulse-g++", "g++ -x c++ -O2 -Wall -Wextra -Wno-missing-field-initializers -Werror", "pulse.c"},
    {"pulse-clang++", "clang++ -x c++ -O2 -Wall -Wextra -Wno-missing-field-initializers -Werror", "pulse.c"},
    {"kernels-gcc", "gcc -std=c11 -O2 -Wall -Wextra -Werror", "kernels.c"},
    {"kernels-clang", "clang -O2 -Wall -Wextra -Werror", "kernels.c"},
    {"kernels-g++", "g++ -x c++ -O2 -Wall -Wextra -Wno-missing-field-initializers -Werror", "kernels.c"},
    {"matrix-gcc", "gcc -std=c11 -O2 -Wall -Wextra -Werror", "matrix.c"},
    {"matrix-g++", "g++ -x c++ -O2 -Wall -Wextra -Wno-missing-field-initializers -Werror", "matrix.c"},
    {"helmholtz-gcc", "gcc -std=c11 -O2 -Wall -Wextra -Werror", "helmholtz.c"},
    {"helmholtz-g++", "g++ -x c++ -O2 -Wall -Wextra -Wno-missing-field-initializers -Werror", "helmholtz.c"},
    {"poisson", "gfortran -std=f2018 -O2 -Wall", "poisson.f90"},
};

/* Runs a shell's line in a folder and gives what it printed; fails the test where it fails. */
static char *run(const char *folder, const char *line)
{
  const char *command = getenv("WISP_COMMAND");
  char tree[1024], whole[4096];
  size_t length = 0;
  assert_non_null(getcwd(tree, sizeof tree));
  snprintf(whole, sizeof whole,
           "export TREE='%s' BUILD=$(dirname '%s') && unset MAKEFLAGS MAKELEVEL && cd '%s' && { %s; } >log 2>&1 "
           "</dev/null",
           tree, command && *command ? command : "build/wisp", folder, line);
  const int status = system(whole);
  char *log = fixture_read(fixture_path(folder, "log"), &length);
  if (status != 0) fail_msg("failed: %s\n%s", line, log);
  return log;
}

/* From the sources, outside the tree, where compilers and libraries are; else as it was carried here. */
static void make_program(const char *folder, size_t p)
{
  char line[1024];
  if (access("examples/kernels.c", R_OK) != 0)
    snprintf(line, sizeof line, "ln -s \"$TREE/examples/%s\" .", programs[p].name);
  else
    snprintf(line, sizeof line,
             "test -d there || make -s -C \"$TREE\" BUILD=\"$BUILD\" PREFIX=\"$PWD/there\" install; "
             "export PKG_CONFIG_PATH=$PWD/there/lib/pkgconfig; cp \"$TREE/examples/%s\" . && "
             "%s %s $(pkg-config --cflags --libs wisp) -ldl -lm -o %s",
             programs[p].source, programs[p].build, programs[p].source, programs[p].name);
  free(run(folder, line));
}

TEST_IN_FOLDER(test_programs)
{
  char line[200];
  for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
    make_program(*state, p);
    snprintf(line, sizeof line, "./%s %s", programs[p].name, test_device_name());
    OWNED(free) char *output = run(*state, line);
    const char *words = programs[p].name[1] == 'u' ? "after 100 steps" : "energy 20.0000000000";
    if (!strstr(output, words)) fail_msg("%s says: %s", programs[p].name, output);
    const bool on_gpu = strncmp(test_device_name(), "cuda", 4) == 0;
    if (programs[p].name[0] == 'k' && strncmp(output, on_gpu ? "GPU" : "host", 3) != 0) fail_msg("it says: %s", output);
  }
}

/* The code that docs/guide/library.md shows stands in the examples, and in the header. */
TEST(test_page)
{
  static const char *const files[] = {"examples/pulse.c",  "examples/kernels.c",   "examples/poisson.f90",
                                      "examples/matrix.c", "examples/helmholtz.c", "include/wisp.h"};
  if (access(*files, R_OK) != 0) skip(); /* carried without its sources */
  check_page("docs/guide/library.md", files, sizeof files / sizeof *files, 10);
}

/* They stay programs that one can read. */
TEST(test_short)
{
  static const char *const files[] = {"examples/kernels.c", "examples/matrix.c"};
  for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
    size_t length = 0, lines = 0;
    if (access(files[f], R_OK) != 0) skip();
    OWNED(free) char *text = fixture_read(files[f], &length);
    for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
    assert_true(lines < MOST_LINES);
  }
}
