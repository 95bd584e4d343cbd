/* Claim: what is installed is enough to build on, and can be removed again; so is what is carried to another
 * machine; the examples' own command lines work. */
#include "test.h"
#include "store_fixture.h"

/* Runs a shell's line in the scratch folder, which has links to the tree's folders: $TREE, $BUILD. */
static void must(const char *folder, const char *line)
{
  const char *command = getenv("WISP_COMMAND");
  char tree[1024], whole[4096];
  assert_non_null(getcwd(tree, sizeof tree));
  snprintf(whole, sizeof whole,
           "export TREE='%s' BUILD=$(dirname '%s') && unset MAKEFLAGS MAKELEVEL && cd '%s' && { %s; } >log 2>&1 "
           "</dev/null",
           tree, command && *command ? command : "build/wisp", folder, line);
  if (system(whole) != 0) {
    size_t length = 0;
    char *log = fixture_read(fixture_path(folder, "log"), &length);
    fail_msg("failed: %s\n%s", line, log);
  }
}

/* Programs can call those functions of the shared library that its header declares, and no others. */
TEST_IN_FOLDER(test_symbols)
{
  must(*state, "nm -D --defined-only \"$BUILD/libwisp.so\" | awk '{ print $3 }' | sort >has && "
               "cc -fsyntax-only -aux-info declared \"$TREE/include/wisp.h\" && "
               "grep wisp.h declared | grep -o 'wisp_[a-z0-9_]* (' | tr -d ' (' | sort -u >says && "
               "test -s says && diff has says");
}

/* Each line of an example that begins with cc is run as it stands. */
TEST_IN_FOLDER(test_command_lines)
{
  size_t length = 0;
  char *text = fixture_read("examples/pulse.c", &length), *rest = NULL;
  int run = 0;
  must(*state, "make -s -C \"$TREE\" BUILD=\"$BUILD\" PREFIX=\"$PWD/there\" install");
  must(*state, "ln -s \"$TREE/include\" \"$TREE/examples\" . && ln -s \"$BUILD\" build && cp examples/*.c .");
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char whole[1024];
    if (strncmp(line, " *     cc ", 10) != 0) continue;
    snprintf(whole, sizeof whole, "export PKG_CONFIG_PATH=$PWD/there/lib/pkgconfig; %s && rm pulse", line + 7);
    must(*state, whole);
    run++;
  }
  assert_int_equal(run, 2);
  free(text);
}

TEST_IN_FOLDER(test_uninstall)
{
  must(*state, "make -s -C \"$TREE\" BUILD=\"$BUILD\" DESTDIR=\"$PWD/below\" PREFIX=/usr install");
  must(*state, "below/usr/bin/wisp --version && test -e below/usr/lib/libwisp.so.0");
  must(*state, "! grep rpath below/usr/lib/pkgconfig/wisp.pc"); /* the system looks there */
  must(*state, "make -s -C \"$TREE\" BUILD=\"$BUILD\" DESTDIR=\"$PWD/below\" PREFIX=/usr uninstall");
  must(*state, "test -z \"$(find below ! -type d)\"");
}

/* Whoever installs, everybody can read it; and places may have blanks in their names. */
TEST_IN_FOLDER(test_umask_and_blanks)
{
  must(*state, "umask 077; make -s -C \"$TREE\" BUILD=\"$BUILD\" PREFIX=\"$PWD/my soft/ware 1\" install");
  must(*state, "test -z \"$(find 'my soft' ! -perm -o=r)\" && test -z \"$(find 'my soft' -type d ! -perm -o=x)\"");
  must(*state, "cp \"$TREE/examples/kernels.c\" . && export PKG_CONFIG_PATH=\"$PWD/my soft/ware 1/lib/pkgconfig\" && "
               "eval \"cc kernels.c $(pkg-config --cflags --libs wisp) -ldl -lm -o kernels\" && ./kernels host");
  must(*state, "make -s -C \"$TREE\" BUILD=\"$BUILD\" PREFIX=\"$PWD/my soft/ware 1\" uninstall");
  must(*state, "test -z \"$(find 'my soft' ! -type d)\"");
  must(*state, "make -s -C \"$TREE\" BUILD=\"$BUILD\" DESTDIR=\"$PWD/be low\" PREFIX='/opt/a b' install");
  must(*state, "'be low/opt/a b/bin/wisp' --version && ! grep -q 'be.*low' 'be low/opt/a b/lib/pkgconfig/wisp.pc'");
  must(*state, "make -s -C \"$TREE\" BUILD=\"$BUILD\" DESTDIR=\"$PWD/be low\" PREFIX='/opt/a b' uninstall");
  must(*state, "test -z \"$(find 'be low' ! -type d)\"");
}

/* With the libraries' headers here, the tests of a GPU are built from source; this one has no need of one. */
TEST_IN_FOLDER(test_check_gpu)
{
  must(*state, "make -s -C \"$TREE\" BUILD=\"$BUILD\" check-gpu ONLY=test_krylov | tee told && grep '^1 passed' told");
}

/* Every rule that a user may call is in make help, and no other. */
TEST_IN_FOLDER(test_help)
{
  must(*state, "make -s -C \"$TREE\" help | awk '/^make [a-z]/ { print $2 }' | sort >told");
  must(*state,
       "sed -n 's/^.PHONY: all tests //p' \"$TREE/Makefile\" | tr ' ' '\\n' | grep -v '^help$' | sort >there && "
       "diff told there");
}

/* Laid out, and no larger than what may be carried; its tests take the library that lies beside them. */
TEST_IN_FOLDER(test_bundle)
{
  must(*state, "(cd \"$TREE\" && scripts/bundle \"$BUILD\" \"$OLDPWD/bundle\")");
  must(*state, "bundle/wisp --version && ldd bundle/tests/test_install | grep \"$PWD/bundle/.*libwisp-tests\"");
  must(*state, "test ! -x bundle/tests/test_golden || WISP_TEST_DEVICE=host bundle/run-tests test_golden");
}
