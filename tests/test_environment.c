/* Claim: a variable WISP_* whose value means nothing is refused in one line, by the command and by the library; what
 * names a command is split as a shell splits it. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../gen/environment.h"
#include "../runtime/device.h"

#include "wisp.h"

#include <sys/stat.h>

TEST_IN_FOLDER(values_without_meaning)
{
  static const char *const bad[][2] = {
      {"WISP_THREADS", "abc"},        {"WISP_THREADS", "0"},         {"WISP_THREADS", "2.5"},
      {"WISP_THREADS", "4 "},         {"WISP_CACHE_MB", "much"},     {"WISP_CACHE_MB", "-1"},
      {"WISP_TRIAL_SECONDS", "abc"},  {"WISP_TRIAL_SECONDS", "0"},   {"WISP_COMPILE_SECONDS", "inf"},
      {"WISP_WORKER_SECONDS", "-3"},  {"WISP_JOURNAL", "foo"},       {"WISP_SHIPPED", "all"},
      {"WISP_GRAPH_LOOPS", "device"}, {"WISP_CC", "\"/opt/no such"}, {"WISP_CFLAGS", "-DX='1"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char was[1024] = "";
    const char *name = bad[i][0], *old = getenv(name);
    wisp_error err = {.text = ""};
    wisp_session *session = NULL;
    snprintf(was, sizeof was, "%s", old ? old : "");
    setenv(name, bad[i][1], 1);
    assert_int_equal(
        wisp_session_open(&err, &(wisp_session_request){WISP_INIT(wisp_session_request), .device = "host"}, &session),
        WISP_EUSAGE);
    if (!strstr(err.text, name) || !strstr(err.text, bad[i][1])) fail_msg("%s=%s: %s", name, bad[i][1], err.text);
    if (old)
      setenv(name, was, 1);
    else
      unsetenv(name);
  }
  assert_int_equal(wisp_environment_check(NULL), WISP_OK);
}

TEST_IN_FOLDER(command_refuses)
{
  static const char *const commands[] = {"run maxwell -n 1 --box 1 --steps 1 -d host", "devices", "db show",
                                         "tune -d host -n 1 -k update --budget 1s", "best -d host"};
  for (size_t i = 0; i < WISP_COUNT(commands); i++)
    run_expect(*state, "WISP_THREADS=abc", 2, "WISP_THREADS is 'abc'", "%s", commands[i]);
  run_expect(*state, "WISP_THREADS=", 0, "", "db show"); /* an empty one is as good as none */
}

TEST_IN_FOLDER(words_of_a_command)
{
  static const struct {
    const char *text, *words; /* a | behind each */
  } cases[] = {
      {"gcc -O2", "gcc|-O2|"},
      {"  \tgcc\n", "gcc|"},
      {"", ""},
      {"\"/opt/no such/gcc\" -O2", "/opt/no such/gcc|-O2|"},
      {"'/opt/no such/gcc' ''", "/opt/no such/gcc||"},
      {"/opt/no\\ such/gcc", "/opt/no such/gcc|"},
      {"-DX='\"a b\"'", "-DX=\"a b\"|"},
      {"\"a \\\"b\\\" \\\\ \\n\"c", "a \"b\" \\ \\nc|"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char copy[64], joined[64] = "", *rest = copy;
    bool whole = false;
    snprintf(copy, sizeof copy, "%s", cases[i].text);
    for (char *word; (word = wisp_command_word(&rest, &whole));) strcat(strcat(joined, word), "|");
    assert_true(whole);
    assert_string_equal(joined, cases[i].words);
  }
}

/* Exports in a folder take the place of the shipped winners; other files and hidden ones are none. */
TEST_IN_FOLDER(shipped_from_a_folder)
{
  static const char line[] =
      "spec=nodal.update:tet:p1:maxwell:f64 layout=slab-km32 strategy=stream params=\"\" device=card "
      "target=sm_90 outcome=ok ms=1\n";
  char setting[512];
  fixture_text(*state, "card/b.txt", line);
  fixture_text(*state, "card/.a.txt", "no trial");
  fixture_text(*state, "card/notes", "no trial");
  snprintf(setting, sizeof setting, "WISP_SHIPPED=%s/card", (const char *)*state);
  HELD(forget) outcome o = run_in(*state, setting, "db show");
  assert_int_equal(o.status, 0);
  assert_non_null(strstr(o.out, "card"));
  assert_null(strstr(o.out, "NVIDIA"));
  fixture_text(*state, "card/c.txt", "no trial");
  HELD(forget) outcome bad = run_in(*state, setting, "db show");
  assert_true(bad.status == 0 && strstr(bad.err, "card/c.txt:1"));
  run_expect(*state, "WISP_SHIPPED=/nowhere", 2, "must be none or a folder", "db show");
}

/* A compiler in a folder with a blank in its name, and an option with one. */
TEST_IN_FOLDER(compiler_with_a_blank)
{
  static const char script[] = "#!/bin/sh\nexec cc \"$@\"\n";
  static const char text[] = "void said(void **args, unsigned x, unsigned y) { **(char **)args[0] = WORDS[1]; }\n";
  char command[512];
  wisp_error err = {.text = ""};
  wisp_binary binary = {0};
  assert_int_equal(mkdir(fixture_path(*state, "no such"), 0700), 0);
  fixture_write(fixture_path(*state, "no such/cc"), script, sizeof script - 1);
  assert_int_equal(chmod(fixture_path(*state, "no such/cc"), 0700), 0);
  snprintf(command, sizeof command, "\"%s\" -DWORDS='\"a b\"'", fixture_path(*state, "no such/cc"));
  setenv("WISP_CC", command, 1);
  if (wisp_compile(&err, "host", "said", text, &binary) != WISP_OK) fail_msg("%s", err.text);
  wisp_binary_free(&binary);
  snprintf(command, sizeof command, "\"%s\"", fixture_path(*state, "no such/gcc"));
  setenv("WISP_CC", command, 1);
  assert_int_equal(wisp_compile(&err, "host", "said", text, &binary), WISP_EDEVICE);
  assert_non_null(strstr(err.text, "no such/gcc'"));
  unsetenv("WISP_CC");
}
