/* Claim: the report of a store is one page that needs nothing else: its markup is balanced, every winner is in it,
 * whatever a store holds is shown as text, and a folder that cannot be written is one line and no half page. */
#include "test.h"
#include "store_fixture.h"
#include "../tuner/report/report_data.h"

#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEVICE "Card <A> & \"B\""
#define HOSTILE "</td><script>alert('x')</script> & \"q\" \x01"

static wisp_trial trial(const char *spec, const char *strategy, const char *params, double ms, const char *outcome,
                        const char *reason, int is_default)
{
  wisp_trial t = fixture_trial(1);
  snprintf(t.spec, sizeof t.spec, "%s", spec);
  snprintf(t.strategy, sizeof t.strategy, "%s", strategy);
  snprintf(t.params, sizeof t.params, "%s", params);
  snprintf(t.outcome, sizeof t.outcome, "%s", outcome);
  snprintf(t.reason, sizeof t.reason, "%s", reason);
  snprintf(t.device, sizeof t.device, "%s", DEVICE);
  t.ms = ms, t.gdofs = 10 / ms, t.gbps = 400 / ms, t.gflops = 900 / ms, t.efficiency = 0.1 / ms;
  strcpy(t.floor, ms < 1 ? "fma" : "bytes");
  t.is_default = is_default, t.sample_count = 0;
  return t;
}

static void add_trial(wisp_writer *writer, const wisp_trial *t)
{
  GOOD(wisp_writer_add(err, writer, t));
}

static void add(wisp_writer *writer, const char *spec, const char *strategy, const char *params, double ms,
                const char *outcome, const char *reason, int is_default)
{
  wisp_trial t = trial(spec, strategy, params, ms, outcome, reason, is_default);
  add_trial(writer, &t);
}

static void add_tied(wisp_writer *writer, const char *spec, const char *strategy, double ms, const char *tie)
{
  wisp_trial t = trial(spec, strategy, "wp=1", ms, "ok", "", 0);
  snprintf(t.tie, sizeof t.tie, "%s", tie);
  add_trial(writer, &t);
}

/* A small sweep: two kernels and the step of two orders, with a refusal and two failures. */
static void make_store(const char *path)
{
  wisp_writer *writer = NULL;
  char spec[112], params[64];
  GOOD(wisp_writer_open(err, path, NULL, &writer));
  for (int N = 1; N <= 2; N++) {
    for (int wp = 1; wp <= 4; wp++) {
      snprintf(spec, sizeof spec, "nodal.volume:tet:p%d:maxwell:f64", N);
      snprintf(params, sizeof params, "wi=%d wp=%d", 1 + wp % 2, wp);
      add(writer, spec, "field-in-shared", params, 0.3017 + N + 0.1 * wp, "ok", "", wp == 4);
      add(writer, spec, "matrix-in-shared", params, 0.4117 + N + 0.1 * wp, "ok", "", 0);
    }
    add(writer, spec, "literal", "wp=1", NAN, "refused", "3 candidates: " HOSTILE, 0);
    add(writer, spec, "tensor-cores", "wp=1", NAN, "crash", HOSTILE, 0);
    add(writer, spec, "tensor-cores", "wp=2", NAN, "hang", "no answer in 3 s", 0);
    snprintf(spec, sizeof spec, "nodal.gather:tet:p%d:maxwell:f64", N);
    add(writer, spec, "direct", "MB=2", 0.2519 + N, "ok", "", 1);
    snprintf(spec, sizeof spec, "nodal.step:tet:p%d:maxwell:f64", N);
    add(writer, spec, "volume+gather", "", 0.8123 + 2 * N, "ok", "", 0);
  }
  GOOD(wisp_writer_close(err, writer));
}

static wisp_report_request everything(void)
{
  wisp_report_request request = {.device = "Card", .f32 = true, .f64 = true};
  for (int N = 0; N < WISP_REPORT_ORDERS; N++) request.orders[N] = true;
  return request;
}

static wisp_status make_page(wisp_error *err, const char *path, const wisp_report_request *request, wisp_text *page)
{
  OWNED(wisp_session_close) wisp_session *session = NULL;
  if (wisp_session_read(err, &(wisp_session_request){WISP_INIT(wisp_session_request), .store = path}, false,
                        &session) != WISP_OK)
    fail_msg("%s", err->text);
  return wisp_report_page(err, session, request, page);
}

/* Every element that opens closes in turn; in a tag, quotes are balanced. Returns the deepest nesting. */
static size_t check_balanced(const char *page)
{
  enum { MOST = 32 };
  static const char *const empty[] = {"!DOCTYPE"};
  char open[MOST][24], name[24];
  size_t depth = 0, deepest = 0;
  for (const char *at = strchr(page, '<'); at; at = strchr(at, '<')) {
    bool closing = at[1] == '/', quoted = false;
    const char *end = at + 1 + closing;
    assert_int_equal(sscanf(end, "%23[a-zA-Z0-9!]", name), 1);
    for (; *end && (quoted || *end != '>'); end++) {
      if (*end == '"') quoted = !quoted;
      assert_int_not_equal(*end, '<');
    }
    assert_int_equal(*end, '>');
    bool alone = end[-1] == '/';
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) alone |= strcmp(name, empty[i]) == 0;
    if (closing) {
      assert_true(depth > 0);
      assert_string_equal(name, open[--depth]);
    } else if (!alone) {
      assert_true(depth < MOST);
      memcpy(open[depth++], name, sizeof name);
    }
    deepest = depth > deepest ? depth : deepest;
    at = end;
  }
  assert_int_equal(depth, 0);
  return deepest;
}

TEST(test_page)
{
  static const char *const winners[] = {"1.402", "2.402", "1.252", "2.252", "2.812", "4.812"};
  static const char *const outside[] = {"http:", "https:", "src=", "url(", "@import", "<script", "alert('x')", "\x01"};
  char folder[64];
  wisp_text page = {0};
  wisp_report_request request = everything();
  fixture_folder(folder);
  make_store(fixture_path(folder, "wisp.db"));
  GOOD(make_page(err, fixture_path(folder, "wisp.db"), &request, &page));
  assert_true(check_balanced(page.data) > 6);
  for (size_t i = 0; i < sizeof winners / sizeof *winners; i++) {
    char cell[32];
    snprintf(cell, sizeof cell, ">%s</td>", winners[i]);
    if (!strstr(page.data, cell)) fail_msg("no winner of %s ms", winners[i]);
  }
  for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
    if (strstr(page.data, outside[i])) fail_msg("the page holds '%s'", outside[i]);
  assert_non_null(strstr(page.data, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;q&quot;"));
  assert_non_null(strstr(page.data, "<h1>Card &lt;A&gt; &amp; &quot;B&quot;</h1>"));
  assert_non_null(strstr(page.data, "<td class=\"n\">6</td><td class=\"w\">&lt;/td&gt;")); /* 3 of each order */
  assert_non_null(strstr(page.data, "no answer in 3 s"));
  assert_null(strstr(page.data, "nan"));
  assert_non_null(strstr(page.data, " d=\"M"));
  assert_null(strstr(page.data, " d=\"L")); /* a path begins somewhere */
  wisp_text_free(&page);
  fixture_remove(folder);
}

static size_t count_of(const char *text, const char *words)
{
  size_t count = 0;
  for (const char *at = text; (at = strstr(at, words)); at++) count++;
  return count;
}

/* Each family is linked from the top; a precision that nothing is stored of has no plot; the one that the final round
 * chose takes no longer than the one that it was tied with, whatever their times of before. */
TEST(test_several)
{
  static const char spec[] = "tensor.mass:hex:p3:poisson:f64";
  char folder[64];
  wisp_text page = {0};
  wisp_writer *writer = NULL;
  wisp_report_request request = everything();
  fixture_folder(folder);
  const char *path = fixture_path(folder, "wisp.db");
  make_store(path);
  GOOD(wisp_writer_open(err, path, NULL, &writer));
  add_tied(writer, spec, "pencils", 3.502, WISP_TIE_CHOSEN);
  add_tied(writer, spec, "planes", 3.481, WISP_TIE_TIED);
  wisp_trial small = trial(spec, "planes", "wp=1", 0.2, "ok", "", 0);
  small.elements /= 2;
  add_trial(writer, &small);
  GOOD(wisp_writer_close(err, writer));
  GOOD(make_page(err, path, &request, &page));
  const char *header = strstr(page.data, "<h1>");
  for (int subject = 1; subject <= 2; subject++) {
    char link[40], target[40];
    snprintf(link, sizeof link, "<a href=\"#subject-%d\">", subject);
    snprintf(target, sizeof target, "id=\"subject-%d\"", subject);
    const char *there = strstr(page.data, link);
    assert_true(there && there < header);
    assert_int_equal(count_of(page.data, target), 1);
  }
  assert_int_equal(count_of(page.data, "aria-label=\"roofline\""), 2); /* of f64, in each */
  assert_int_equal(count_of(page.data, "aria-label=\"GDOF/s of the whole stage"), 1);
  assert_int_equal(count_of(page.data, "aria-label=\"strategies over the order"), 2); /* volume, and mass */
  assert_int_equal(count_of(page.data, "aria-label=\"strategies over the size"), 1);
  assert_non_null(strstr(page.data, ">3.502</td>"));
  if (strstr(page.data, ">0.994&#8201;×") || !strstr(page.data, ">≈&#8201;1&#8201;×"))
    fail_msg("a runner-up is faster");
  assert_true(check_balanced(page.data) > 6);
  wisp_text_free(&page);
  fixture_remove(folder);
}

/* The report shows what is asked for, and says what is not there. */
TEST(test_preferred)
{
  char folder[64];
  wisp_error err = {0};
  wisp_text page = {0};
  wisp_report_request request = everything();
  fixture_folder(folder);
  const char *path = fixture_path(folder, "wisp.db");
  make_store(path);
  request.orders[2] = false;
  strcpy(request.kernel, "gather");
  assert_int_equal(make_page(&err, path, &request, &page), WISP_OK);
  assert_null(strstr(page.data, ">2.402</td>"));
  assert_non_null(strstr(page.data, ">1.402</td>"));
  const char *front = strstr(page.data, "class=\"study front\"");
  assert_non_null(front);
  assert_ptr_equal(strstr(front, "<h3>"), strstr(front, "<h3>gather, <i>N</i> = 1, f64</h3>"));
  assert_null(strstr(front + 1, "class=\"study front\""));
  request.order = 7;
  assert_int_equal(make_page(&err, path, &request, &page), WISP_EMISSING);
  assert_non_null(strstr(err.text, "'gather' at order 7"));
  request.device[0] = 'X';
  assert_int_equal(make_page(&err, path, &request, &page), WISP_EMISSING);
  assert_non_null(strstr(err.text, "wisp tune"));
  wisp_text_free(&page);
  fixture_remove(folder);
}

/* The old page stays until the new one is whole, and nothing else is left in the folder. */
TEST(test_folder)
{
  char folder[64];
  wisp_error err = {0};
  wisp_text page = {0};
  struct stat about;
  size_t length = 0;
  fixture_folder(folder);
  assert_int_equal(wisp_text_print(NULL, &page, "<html></html>"), WISP_OK);
  for (int twice = 0; twice < 2; twice++)
    assert_int_equal(wisp_report_write(&err, fixture_path(folder, "new"), &page), WISP_OK);
  char *written = fixture_read(fixture_path(folder, "new/index.html"), &length);
  assert_string_equal(written, page.data);
  free(written);
  assert_int_equal(stat(fixture_path(folder, "new"), &about), 0);
  assert_int_equal(rmdir(fixture_path(folder, "new")) == 0, 0);
  assert_int_equal(remove(fixture_path(folder, "new/index.html")), 0);
  assert_int_equal(rmdir(fixture_path(folder, "new")), 0);

  fixture_write(fixture_path(folder, "file"), "x", 1);
  const char *const bad[] = {"/proc/wisp-report", fixture_path(folder, "file"), fixture_path(folder, "no/such")};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    err = (wisp_error){0};
    assert_int_equal(wisp_report_write(&err, bad[i], &page), WISP_ESYSTEM);
    assert_ptr_equal(strstr(err.text, bad[i]), err.text);
    assert_null(strchr(err.text, '\n'));
  }
  wisp_text_free(&page);
  fixture_remove(folder);
}

/* A kernel that does what a stage does stands among the compositions; what a system's stand-in takes is dashed beside
 * it, of its own name and precision alone. */
TEST(test_bare)
{
  static const char *const systems[] = {"laplace", "laplace_dummy", "heat"};
  char folder[64], spec[112];
  wisp_writer *writer = NULL;
  wisp_text page = {0};
  const wisp_report_request request = everything();
  fixture_folder(folder);
  GOOD(wisp_writer_open(err, fixture_path(folder, "wisp.db"), NULL, &writer));
  for (int i = 0; i < 6; i++) {
    snprintf(spec, sizeof spec, "assembly.fill:tri:p%d:%s:f64", 1 + i % 2, systems[i / 2]);
    add(writer, spec, "rows", "lanes=64", 1 + 0.1 * i, "ok", "", 0);
    snprintf(spec, sizeof spec, "assembly.step:tri:p%d:%s:f64", 1 + i % 2, systems[i / 2]);
    add(writer, spec, "zero+scatter", "", 2 + 0.1 * i, "ok", "", 0);
  }
  GOOD(wisp_writer_close(err, writer));
  GOOD(make_page(err, fixture_path(folder, "wisp.db"), &request, &page));
  int dashed = 0, notes = 0, whole = 0;
  for (const char *at = page.data; (at = strstr(at, "stroke-dasharray=\"5 4\"")); at++) dashed++;
  for (const char *at = page.data; (at = strstr(at, "Dashed: without the arithmetic")); at++) notes++;
  for (const char *at = page.data; (at = strstr(at, "<title>without arithmetic: fill.rows lanes=64")); at++) whole++;
  assert_int_equal(dashed, 3); /* of fill rows alone; and both lines of the stage */
  assert_int_equal(notes, 2);
  assert_int_equal(whole, 2); /* orders */
  check_balanced(page.data);
  wisp_text_free(&page);
  fixture_remove(folder);
}

static int command(const char *folder, const char *arguments)
{
  const char *program = getenv("WISP_COMMAND");
  char line[1024];
  snprintf(line, sizeof line, "%s report --db %s/wisp.db %s >%s/out 2>%s/err </dev/null",
           program && *program ? program : "build/wisp", folder, arguments, folder, folder);
  int status = system(line);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(test_command)
{
  char folder[64], arguments[256];
  size_t length = 0;
  fixture_folder(folder);
  make_store(fixture_path(folder, "wisp.db"));
  snprintf(arguments, sizeof arguments, "-d Card -f nodal -o %s/page", folder);
  assert_int_equal(command(folder, arguments), 0);
  free(fixture_read(fixture_path(folder, "page/index.html"), &length));
  assert_true(length > 1000);
  assert_int_equal(command(folder, "-d Card"), 2);
  static const struct {
    const char *arguments;
    int status;
  } failing[] = {{"-d Card -o /proc/wisp-report", 1}, {"-d Nobody -o page", 1}, {"-d Card -f modal -o page", 2}};
  for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
    assert_int_equal(command(folder, failing[i].arguments), failing[i].status);
    char *notes = fixture_read(fixture_path(folder, "err"), &length);
    assert_ptr_equal(strstr(notes, "wisp report: "), notes);
    assert_ptr_equal(strchr(notes, '\n'), notes + length - 1); /* one line */
    free(notes);
  }
  fixture_remove(folder);
}
