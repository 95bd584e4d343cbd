/* Claim: progress is one line that fits the terminal however narrow it is, and plain lines where there is none; tables
 * fit a window, and elsewhere say how wide they are. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../cli/print.h"

#include <pty.h>
#include <sys/wait.h>

enum { THE_END = '\4' };

/* In a child of the terminal's own process: runs `command` in a shell, or else `work`, and says at the end, as the last
 * byte, that this was all. It stays until `end` is closed: a terminal whose leader is gone drops what nobody has read.
 */
static void lead(const char *command, void (*work)(void), int end)
{
  int status = 0;
  pid_t worker = fork();
  if (worker == 0) {
    if (command) execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    if (work) work();
    fflush(NULL);
    _exit(command != NULL);
  }
  bool failed = worker < 0 || waitpid(worker, &status, 0) != worker || status != 0;
  if (write(STDOUT_FILENO, &(char){THE_END}, 1) == 1) (void)!read(end, &(char){0}, 1);
  _exit(failed);
}

/* The output of a child to a terminal of so many columns: of `command`, or else of `work`. */
static char *on_terminal(int columns, const char *term, const char *command, void (*work)(void))
{
  enum { ROOM = 1 << 20 };
  struct winsize window = {.ws_row = 24, .ws_col = (unsigned short)columns};
  int master = -1, status = 0, ends[2];
  size_t length = 0;
  fflush(NULL);
  assert_int_equal(pipe(ends), 0);
  pid_t child = forkpty(&master, NULL, NULL, &window);
  assert_true(child >= 0);
  if (child == 0) {
    close(ends[1]);
    setenv("TERM", term, 1);
    lead(command, work, ends[0]);
  }
  char *text = malloc(ROOM);
  assert_non_null(text);
  while (length < ROOM - 1 && (length == 0 || text[length - 1] != THE_END)) {
    ssize_t got = read(master, text + length, ROOM - 1 - length);
    if (got <= 0) fail_msg("the terminal ended after %zu bytes: %.*s", length, (int)length, text);
    length += (size_t)got;
  }
  text[length - 1] = '\0';
  close(ends[0]);
  close(ends[1]);
  assert_int_equal(waitpid(child, &status, 0), child);
  close(master);
  if (status != 0) fail_msg("status %d: %s", status, text);
  return text;
}

enum { CALLS = 50 };

static void show_many(void)
{
  wisp_progress p = wisp_progress_begin(false);
  p.every = 0;
  for (int i = 0; i < CALLS; i++)
    wisp_progress_show(
        &p, i / (double)CALLS,
        "a text \xc3\xa4\xc3\xb6\xc3\xbc that goes on and on\n\r\033[2J and on, and on, and on, and on, and "
        "on, and on, and on, and on, and on, and on, and on, and on, and on, and on, and on");
  wisp_progress_clear(&p);
}

static void show_quietly(void)
{
  wisp_progress p = wisp_progress_begin(true);
  p.every = 0;
  wisp_progress_show(&p, 0.5, "text");
  wisp_progress_clear(&p);
}

/* A minute of four has gone. */
static void show_quarter(void)
{
  wisp_progress p = wisp_progress_begin(false);
  p.every = 0;
  p.began -= 60;
  wisp_progress_show(&p, 0.25, "text");
  wisp_progress_show(&p, NAN, "lost");
}

/* Every rewriting begins at the left, erases the line, and stays on it. */
TEST(test_fits)
{
  static const int widths[] = {20, 40, 80, 133};
  static const char repeated[] = "\r\033[K";
  for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
    OWNED(free) char *text = on_terminal(widths[w], "xterm", NULL, show_many);
    int shown = 0;
    assert_null(strchr(text, '\n'));
    for (char *at = text; *at; shown++) {
      assert_int_equal(strncmp(at, repeated, strlen(repeated)), 0);
      at += strlen(repeated);
      char *end = strchr(at, '\r');
      size_t length = end ? (size_t)(end - at) : strlen(at);
      if (length >= (size_t)widths[w]) fail_msg("%zu bytes in %d columns: %.*s", length, widths[w], (int)length, at);
      assert_null(memchr(at, '\033', length));
      assert_true(end ? length > 10 : length == 0); /* the last one leaves nothing */
      at += length;
    }
    assert_int_equal(shown, CALLS + 1);
  }
}

TEST(test_bar)
{
  OWNED(free) char *text = on_terminal(80, "xterm", NULL, show_quarter);
  if (!strstr(text, "[#####...............]  25%, 3m left: text")) fail_msg("%s", text);
  assert_non_null(strstr(text, "\r\033[Klost"));
}

TEST(test_no_terminal)
{
  OWNED(free) char *text = on_terminal(80, "dumb", NULL, show_quarter);
  assert_null(strchr(text, '\033'));
  assert_non_null(strstr(text, " left: text\r\n"));
  free(text);
  text = on_terminal(80, "dumb", NULL, show_many);
  assert_int_equal(occurrences(text, "\n"), CALLS);
  free(text);
  text = on_terminal(80, "xterm", NULL, show_quietly);
  assert_string_equal(text, "");
}

/* The longest line of a text. */
static int widest(const char *text)
{
  int most = 0;
  for (; *text; text += strcspn(text, "\r\n"), text += strspn(text, "\r\n")) {
    int length = (int)strcspn(text, "\r\n");
    most = length > most ? length : most;
  }
  return most;
}

TEST(test_table)
{
  static const wisp_table_column columns[] = {
      {"N", true}, {"kernel", false}, {"none", true}, {"ms", true}, {"more", false}};
  static const char long_text[] = "eleven=11 twelve=12 thirteen=13 fourteen=14 fifteen=15 sixteen=16 seventeen=17 "
                                  "eighteen=18 nineteen=19";
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  HELD(wisp_text_free) wisp_text text = {0};
  GOOD(wisp_table_create(err, "Heading", 5, columns, &table));
  GOOD(wisp_table_add(err, table, (const char *const[]){"3", "volume", "-", "0.1", "short"}));
  GOOD(wisp_table_add(err, table, NULL));
  GOOD(wisp_table_print(err, table, 0, &text));
  assert_string_equal(text.data, "Heading\nN kernel  ms  more\n3 volume 0.1  short\n\n");
  GOOD(wisp_table_add(err, table, (const char *const[]){"4", "lift", "-", "-", long_text}));
  for (int width = 40; width <= 80; width += 20) {
    text.length = 0;
    GOOD(wisp_table_print(err, table, width, &text));
    assert_true(widest(text.data) <= width);
    assert_non_null(strstr(text.data, "nineteen=19\n"));
  }
  text.length = 0;
  GOOD(wisp_table_print(err, table, 0, &text));
  int printed = 0;
  wisp_text bare = {0};
  assert_int_equal(sscanf(text.data, "Heading (%d columns wide)", &printed), 1);
  wisp_table *nameless = NULL; /* nothing stands above the titles of a table without a heading */
  GOOD(wisp_table_create(err, "", 5, columns, &nameless));
  GOOD(wisp_table_add(err, nameless, (const char *const[]){"4", "lift", "-", "1", long_text}));
  GOOD(wisp_table_print(err, nameless, 0, &bare));
  assert_int_equal(strncmp(bare.data, "N kernel", 8), 0);
  wisp_table_destroy(nameless), wisp_text_free(&bare);
  assert_int_equal(printed, widest(text.data));
}

/* The whole command: what it measures is shown on one line, and what it found fits the window. */
TEST_IN_FOLDER(test_command)
{
  char line[1024];
  snprintf(line, sizeof line,
           "WISP_DB=%s/user.db %s tune -d host -n 1 -p f64 -k update -l slab-km32 --elements 48 --budget 20s 2>&1",
           (const char *)*state, command_path());
  char *text = on_terminal(60, "xterm", line, NULL), *table = strstr(text, "\r\033[K\r\n");
  if (!table) fail_msg("the line is not erased: %s", text);
  *table = '\0';
  assert_null(strchr(text, '\n'));
  assert_non_null(strstr(text, " left: no trial has")); /* time goes by before */
  if (!strstr(text, " trials, ")) fail_msg("no trial was told of: %s", text);
  for (char *at = text; (at = strstr(at, "\033[K")); at += 3)
    if (strcspn(at + 3, "\r") >= 60) fail_msg("wider than the terminal: %s", at + 3);
  assert_non_null(strstr(table + 1, "GDOF/s"));
  if (widest(table + 1) > 80) fail_msg("%s", table + 1);
  free(text);
}
