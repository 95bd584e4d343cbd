/* Claim: the report of a store is one page that needs nothing else: its markup is balanced, every winner is in it,
 * whatever a store holds is shown as text, and a folder that cannot be written is one line and no half page. */
#include "test.h"
#include "command.h"
#include "store_fixture.h"
#include "../tuner/report/report_data.h"

#include <sys/stat.h>

#define DEVICE "Card <A> & \"B\""
#define HOSTILE "</td><script>alert('x')</script> & \"q\" \x01"

static wisp_trial trial(const char *spec, const char *strategy, const char *params, double ms, const char *result,
                        const char *reason, int is_default)
{
  wisp_trial t = fixture_trial(1);
  snprintf(t.spec, sizeof t.spec, "%s", spec);
  snprintf(t.strategy, sizeof t.strategy, "%s", strategy);
  snprintf(t.params, sizeof t.params, "%s", params);
  snprintf(t.outcome, sizeof t.outcome, "%s", result);
  snprintf(t.reason, sizeof t.reason, "%s", reason);
  snprintf(t.device, sizeof t.device, "%s", DEVICE);
  t.ms = ms, t.gdofs = 10 / ms, t.gbps = 400 / ms, t.gflops = 900 / ms, t.efficiency = 0.1 / ms;
  strcpy(t.floor, ms < 1 ? "fma" : "bytes");
  t.is_default = is_default, t.sample_count = 0;
  return t;
}

static void add(wisp_writer *writer, const char *spec, const char *strategy, const char *params, double ms,
                const char *result, const char *reason, int is_default)
{
  const wisp_trial t = trial(spec, strategy, params, ms, result, reason, is_default);
  GOOD(wisp_writer_add(err, writer, &t));
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

TEST_IN_FOLDER(test_page)
{
  static const char *const winners[] = {"1.402", "2.402", "1.252", "2.252", "2.812", "4.812"};
  static const char *const outside[] = {"http:", "https:", "src=", "url(", "@import", "<script", "alert('x')", "\x01"};
  HELD(wisp_text_free) wisp_text page = {0};
  wisp_report_request request = everything();
  make_store(fixture_path(*state, "wisp.db"));
  GOOD(make_page(err, fixture_path(*state, "wisp.db"), &request, &page));
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
}

/* Each family is linked from the top; a precision that nothing is stored of has no plot; the one that the final round
 * chose takes no longer than the one that it was tied with, whatever their times of before. */
TEST_IN_FOLDER(test_several)
{
  static const char spec[] = "tensor.mass:hex:p3:poisson:f64";
  HELD(wisp_text_free) wisp_text page = {0};
  wisp_report_request request = everything();
  const char *path = fixture_path(*state, "wisp.db");
  wisp_trial more[] = {trial(spec, "pencils", "wp=1", 3.502, "ok", "", 0),
                       trial(spec, "planes", "wp=1", 3.481, "ok", "", 0),
                       trial(spec, "planes", "wp=1", 0.2, "ok", "", 0)};
  strcpy(more[0].tie, WISP_TIE_CHOSEN), strcpy(more[1].tie, WISP_TIE_TIED);
  more[2].elements /= 2;
  make_store(path);
  fixture_put(path, more, 3);
  GOOD(make_page(err, path, &request, &page));
  const char *header = strstr(page.data, "<h1>");
  for (int subject = 1; subject <= 2; subject++) {
    char link[40], target[40];
    snprintf(link, sizeof link, "<a href=\"#subject-%d\">", subject);
    snprintf(target, sizeof target, "id=\"subject-%d\"", subject);
    const char *there = strstr(page.data, link);
    assert_true(there && there < header);
    assert_int_equal(occurrences(page.data, target), 1);
  }
  assert_int_equal(occurrences(page.data, "aria-label=\"roofline\""), 2); /* of f64, in each */
  assert_int_equal(occurrences(page.data, "aria-label=\"GDOF/s of the whole stage"), 1);
  assert_int_equal(occurrences(page.data, "aria-label=\"strategies over the order"), 2); /* volume, and mass */
  assert_int_equal(occurrences(page.data, "aria-label=\"strategies over the size"), 1);
  assert_non_null(strstr(page.data, ">3.502</td>"));
  if (strstr(page.data, ">0.994&#8201;×") || !strstr(page.data, ">≈&#8201;1&#8201;×"))
    fail_msg("a runner-up is faster");
  assert_true(check_balanced(page.data) > 6);
}

/* The report shows what is asked for, and says what is not there. */
TEST_IN_FOLDER(test_preferred)
{
  wisp_error err = {0};
  HELD(wisp_text_free) wisp_text page = {0};
  wisp_report_request request = everything();
  const char *path = fixture_path(*state, "wisp.db");
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
}

/* The old page stays until the new one is whole, and nothing else is left in the folder. */
TEST_IN_FOLDER(test_folder)
{
  HELD(wisp_text_free) wisp_text page = {0};
  struct stat about;
  size_t length = 0;
  GOOD(wisp_text_print(err, &page, "<html></html>"));
  for (int twice = 0; twice < 2; twice++) GOOD(wisp_report_write(err, fixture_path(*state, "new"), &page));
  char *written = fixture_read(fixture_path(*state, "new/index.html"), &length);
  assert_string_equal(written, page.data);
  free(written);
  assert_int_equal(stat(fixture_path(*state, "new"), &about), 0);
  assert_int_equal(rmdir(fixture_path(*state, "new")) == 0, 0);
  assert_int_equal(remove(fixture_path(*state, "new/index.html")), 0);
  assert_int_equal(rmdir(fixture_path(*state, "new")), 0);

  fixture_write(fixture_path(*state, "file"), "x", 1);
  const char *const bad[] = {"/proc/wisp-report", fixture_path(*state, "file"), fixture_path(*state, "no/such")};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    wisp_error err = {0};
    assert_int_equal(wisp_report_write(&err, bad[i], &page), WISP_ESYSTEM);
    assert_ptr_equal(strstr(err.text, bad[i]), err.text);
    assert_null(strchr(err.text, '\n'));
  }
}

/* A kernel that does what a stage does stands among the compositions; what a system's stand-in takes is dashed beside
 * it, of its own name and precision alone. */
TEST_IN_FOLDER(test_bare)
{
  static const char *const systems[] = {"laplace", "laplace_dummy", "heat"};
  char spec[112];
  wisp_writer *writer = NULL;
  HELD(wisp_text_free) wisp_text page = {0};
  const wisp_report_request request = everything();
  GOOD(wisp_writer_open(err, fixture_path(*state, "wisp.db"), NULL, &writer));
  for (int i = 0; i < 6; i++) {
    snprintf(spec, sizeof spec, "assembly.fill:tri:p%d:%s:f64", 1 + i % 2, systems[i / 2]);
    add(writer, spec, "rows", "lanes=64", 1 + 0.1 * i, "ok", "", 0);
    snprintf(spec, sizeof spec, "assembly.step:tri:p%d:%s:f64", 1 + i % 2, systems[i / 2]);
    add(writer, spec, "zero+scatter", "", 2 + 0.1 * i, "ok", "", 0);
  }
  GOOD(wisp_writer_close(err, writer));
  GOOD(make_page(err, fixture_path(*state, "wisp.db"), &request, &page));
  /* The first number is of fill rows alone, and of both lines of the stage. */
  assert_int_equal(occurrences(page.data, "stroke-dasharray=\"5 4\""), 3);
  assert_int_equal(occurrences(page.data, "Dashed: without the arithmetic"), 2);
  assert_int_equal(occurrences(page.data, "<title>without arithmetic: fill.rows lanes=64"), 2); /* orders */
  check_balanced(page.data);
}

/* Beside a store where the winner of a volume took twice as long, by another strategy. */
static void check_against(const char *folder, const char *db)
{
  size_t length = 0;
  const char *old = fixture_path(folder, "old.db");
  const wisp_trial volume =
      trial("nodal.volume:tet:p2:maxwell:f64", "matrix-in-shared", "wi=2 wp=1", 2 * (0.4117 + 2.1), "ok", "", 0);
  fixture_put(old, &volume, 1);
  run_expect(folder, "", 0, "", "report --db %s -d Card -f nodal -o %s --against %s", db, fixture_path(folder, "page"),
             old);
  OWNED(free) char *page = fixture_read(fixture_path(folder, "page/index.html"), &length);
  assert_int_equal(occurrences(page, "<h2>Compared</h2>"), 1);
  assert_non_null(strstr(page, "old.db</th>"));
  assert_non_null(strstr(page, "2.09 times as fast, geometric mean of 1."));
  check_balanced(page);
  run_expect(folder, "", 1, "nothing of these is stored there", "report --db %s -d Card -o page --against Nobody", db);
}

TEST_IN_FOLDER(test_command)
{
  size_t length = 0;
  const char *db = fixture_path(*state, "wisp.db");
  make_store(db);
  run_expect(*state, "", 0, "", "report --db %s -d Card -f nodal -o %s", db, fixture_path(*state, "page"));
  free(fixture_read(fixture_path(*state, "page/index.html"), &length));
  assert_true(length > 1000);
  run_expect(*state, "", 2, "wisp report: ", "report --db %s -d Card", db);
  check_against(*state, db);
  static const struct {
    const char *arguments;
    int status;
  } failing[] = {{"-d Card -o /proc/wisp-report", 1}, {"-d Nobody -o page", 1}, {"-d Card -f modal -o page", 2}};
  for (size_t i = 0; i < sizeof failing / sizeof *failing; i++)
    run_expect(*state, "", failing[i].status, "wisp report: ", "report --db %s %s", db, failing[i].arguments);
}
