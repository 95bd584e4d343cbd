/* Claim: a family is one file in gen/, one in tuner/, its templates, and a line in one list, which a program may add
 * to; a kernel of it is a declaration, a reference, a text and a space. The filter on a strip (tests/filter), which
 * the library knows nothing of, is emitted, tuned, verified, stored, found again, and launched by programs; a kernel of
 * it that is wrong at one node, or in one of its launches, is caught and said in its own words; launches on spans and
 * on domains with ghosts do what one on all does. The pages about both show what stands in the sources. */
#include "test.h"
#include "each_plan.h"
#include "filter/filter.h"
#include "page.h"
#include "store_fixture.h"
#include "parsed.h"
#include "../runtime/kernel.h"
#include "../tuner/compare/compare.h"
#include "../tuner/trial/problems.h"
#include "../tuner/workers/tune.h"

#include <glob.h>
#include <sys/stat.h>

/* The line in the list. */
#define FAMILIES(EACH) EACH(filter)
WISP_OWN_FAMILIES(FAMILIES);

#define FILTER "tests/filter/"

/* --- the pages about it --- */

TEST(test_pages)
{
  static const char *const files[] = {FILTER "family.c",
                                      FILTER "workload.c",
                                      FILTER "templates/filter/family",
                                      FILTER "templates/filter/kernels",
                                      "tests/test_family.c",
                                      "tests/test_borrow.c",
                                      FILTER "templates/filter/rest.plain.k",
                                      FILTER "templates/filter/rest.plain.space"};
  enum { FILES = sizeof files / sizeof *files };
  if (access("tests/test_family.c", R_OK) != 0) skip(); /* carried without its sources */
  check_page("docs/guide/add-a-family.md", files, FILES, 7);
  check_page("docs/guide/add-a-kernel.md", files, FILES, 5);
}

/* The number of files that match a pattern in a folder. */
static size_t count_files(const char *pattern)
{
  glob_t found;
  const size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
  globfree(&found);
  return count;
}

/* The number of lines of C that the page gives for the family. */
static void check_lines(void)
{
  static const char *const files[] = {FILTER "family.c", FILTER "workload.c"};
  HELD(page_free) page p = page_read("docs/guide/add-a-family.md");
  int lines = 0, reported = 0;
  for (int f = 0; f < 2; f++) {
    HELD(page_free) page text = page_read(files[f]);
    for (const char *c = text.text; *c; c++) lines += *c == '\n';
  }
  assert_int_equal(sscanf(page_find(&p, "`tests/filter`, "), "`tests/filter`, %d lines of C", &reported), 1);
  if (reported != lines) fail_msg("the page tells of %d lines, there are %d", reported, lines);
}

/* The pages count a family's own files of C, and two files of each strategy. */
TEST(test_counts)
{
  if (!count_files("gen/*")) skip(); /* likewise */
  check_lines();
  assert_int_equal(count_files(FILTER "*.c"), 2); /* one as of gen/, one as of tuner/ */
  assert_int_equal(count_files(FILTER "templates/filter/*.k"), 3);
  assert_int_equal(count_files(FILTER "templates/filter/*"), 2 * 3 + 2); /* and what it declares */
  assert_int_equal(count_files("gen/nodal/nodal.c"), 1);                 /* each of the library's has the same */
  assert_int_equal(count_files("gen/tensor/tensor.c"), 1);
  assert_int_equal(count_files("gen/assembly/assembly.c"), 1);
  assert_int_equal(count_files("gen/hdg/hdg.c"), 1);
  assert_int_equal(count_files("tuner/*/workload.c"), 4 + 1); /* and the list's own in tuner/trial */
}

/* An error in a family's declaration is reported with its line. */
TEST_IN_FOLDER(test_declared_wrong)
{
  static const struct {
    const char *text, *reported;
  } amiss[] = {
      {"arry u real field n u\n", ":1: \"arry\" is nothing that a family says"},
      {"# u\narray u float field n u\n", ":2: array NAME TYPE KIND SIZE MEANING"},
      {"array f real field n f\narray F real field n F\n", ":2: two arrays are"},
      {"element tri 3\n", ":1: element NAME LOWEST..HIGHEST"},
      {"let n N+1\n", ":1: let NAME = EXPRESSION"},
      {"kernel k\n  reads u\n  wrote v\n", ":3: \"wrote\" says nothing of kernel k"},
      {"kernel k\n  reads u\n", ": kernel k says no writes"},
  };
  char line[256], reported[256];
  if (access("scripts/declare", X_OK) != 0) skip(); /* likewise */
  const char *path = fixture_path(*state, "family");
  for (size_t i = 0; i < WISP_COUNT(amiss); i++) {
    fixture_write(path, amiss[i].text, strlen(amiss[i].text));
    snprintf(line, sizeof line, "scripts/declare %s 2>&1 >/dev/null", path);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    reported[fread(reported, 1, sizeof reported - 1, pipe)] = '\0';
    assert_int_not_equal(pclose(pipe), 0);
    if (!strstr(reported, amiss[i].reported)) fail_msg("%s: says %s", amiss[i].reported, reported);
  }
}

/* --- the filter --- */

/* Polynomials of a lower degree pass unchanged, those of the highest are halved. */
static void check_matrix(const wisp_spec *spec)
{
  const int N = spec->order, Np = filter_nodes(spec), rows = strcmp(spec->element, "quad") == 0;
  double F[FILTER_MAX_NP * FILTER_MAX_NP];
  GOOD(filter_matrix(err, spec, F));
  for (int degree = 0; degree <= N; degree++)
    for (int i = 0; i < Np; i++) {
      double sum = 0, own = 0;
      int j = 0;
      for (int y = 0; y <= N; y++)
        for (int x = 0; x <= (rows ? N : N - y); x++, j++) {
          const double value = pow((double)x / N, degree);
          sum += F[i * Np + j] * value;
          if (j == i) own = value * (degree == N ? 0.5 : 1);
        }
      assert_true(fabs(sum - own) < 1e-9);
    }
}

TEST(test_matrix)
{
  for (const wisp_element *e = wisp_family_filter.elements; e->name; e++)
    for (int N = e->orders[0]; N <= e->orders[1]; N++) {
      wisp_spec spec = wisp_family_spec(&wisp_family_filter, N, NULL, WISP_F64);
      wisp_spec_name_element(&spec, e->name);
      check_matrix(&spec);
    }
}

static void tune(const char *db, const char *element, wisp_tune_summary *summary)
{
  static const int orders[] = {2, 3};
  static const wisp_precision precisions[] = {WISP_F32, WISP_F64};
  const wisp_tune_request request = {.family = "filter",
                                     .element = element,
                                     .orders = orders,
                                     .order_count = 2,
                                     .precisions = precisions,
                                     .precision_count = 2,
                                     .elements = 1000,
                                     .db = db};
  GOOD(wisp_tune(err, test_device_name(), &request, summary));
}

/* Trials of a spec, in the layout of a family that lays nothing out. */
static int count_good(const char *db, const char *spec)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  int good = 0;
  GOOD(wisp_store_open(err, db, false, NULL, &store));
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    good += layer == WISP_LAYER_USER && strcmp(t->spec, spec) == 0 && strcmp(t->layout, "none") == 0 && t->ms > 0 &&
            t->gdofs > 0;
  }
  return good;
}

TEST_IN_FOLDER(test_tuned)
{
  static const char *const elements[] = {NULL, "quad"};
  const char *db = fixture_path(*state, "filter.db");
  setenv("WISP_TEMPLATES", "tests/filter/templates", 1);
  for (int i = 0; i < 2; i++) {
    wisp_tune_summary summary = {0};
    tune(db, elements[i], &summary);
    assert_true(summary.ok == summary.trials && summary.trials >= 4 * (4 + 4 + 2)); /* w_p, lanes */
  }
  assert_true(count_good(db, "filter.apply:tri:p3:none:f64") >= 4);
  assert_true(count_good(db, "filter.apply:quad:p3:none:f64") >= 4);
  assert_true(count_good(db, "filter.rest:tri:p3:none:f64") >= 4);
  assert_true(count_good(db, "filter.collect:quad:p2:none:f32") >= 2);
}

/* Requests for what a family lacks. */
TEST(test_unknown)
{
  wisp_error err = {.text = ""};
  wisp_strategy *strategy = NULL;
  wisp_spec spec = wisp_family_spec(&wisp_family_filter, 5, NULL, WISP_F64);
  assert_int_equal(wisp_family_check(&err, &spec), WISP_OK);
  wisp_spec_name_element(&spec, "quad");
  assert_int_equal(wisp_family_check(&err, &spec), WISP_EUSAGE);
  assert_string_equal(err.text, "the filter family: order 5 is out of range: use 1 to 4");
  wisp_spec_name_element(&spec, "hex");
  assert_int_equal(wisp_family_check(&err, &spec), WISP_EUSAGE);
  assert_string_equal(err.text, "the filter family has no element 'hex'; there are: tri, quad");
  const wisp_file_text space = {"space", "kernel apply\nlayouts node\nblock 1\ngrid groups\n"}, text = {"text", ""};
  assert_int_equal(parse_strategy(&err, "filter", "laid-out", space, text, &strategy), WISP_EINPUT);
  if (!strstr(err.text, "the filter family has no layouts")) fail_msg("%s", err.text);
}

/* A copy of a kernel with one piece of its text in other words. */
static void plant(const char *folder, const char *kernel, const char *from, const char *to)
{
  char path[256], *text = NULL, *space = NULL, wrong[2048];
  size_t length;
  snprintf(path, sizeof path, "tests/filter/templates/filter/%s.plain.k", kernel);
  GOOD(wisp_read_file(err, path, &text, &length));
  snprintf(path, sizeof path, "tests/filter/templates/filter/%s.plain.space", kernel);
  GOOD(wisp_read_file(err, path, &space, &length));
  const char *at = strstr(text, from);
  assert_non_null(at);
  snprintf(wrong, sizeof wrong, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  snprintf(path, sizeof path, "%s/filter", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(path, sizeof path, "%s/filter/%s.wrong.k", folder, kernel);
  fixture_write(path, wrong, strlen(wrong));
  snprintf(path, sizeof path, "%s/filter/%s.wrong.space", folder, kernel);
  fixture_write(path, space, strlen(space));
  free(text), free(space);
  setenv("WISP_TEMPLATES", folder, 1);
}

static void expect_wrong(const char *folder, const char *where)
{
  wisp_tune_summary summary = {0};
  tune(fixture_path(folder, "wrong.db"), NULL, &summary);
  assert_int_equal(summary.ok, 0);
  assert_true(summary.failed > 0);
  if (!strstr(summary.why, where)) fail_msg("%s", summary.why);
}

TEST_IN_FOLDER(test_wrong)
{
  plant(*state, "apply", "      v[e", "      if (e == 7 && x == 2) sum += (real)0.01;\n      v[e");
  expect_wrong(*state, "at element 7, node 2");
}

/* The second of two launches does what the first has done. */
TEST_IN_FOLDER(test_wrong_colour)
{
  plant(*state, "collect", "strip[first + at]", "strip[at]");
  expect_wrong(*state, "at edge ");
}

/* --- launches on spans --- */

/* Rows of a comparison, all of quads. */
static wisp_status count_quads(wisp_error *err, void *rows, const wisp_comparison *row)
{
  assert_string_equal(row->spec.element, "quad");
  assert_true(row->ms > 0 && row->rival_ms > 0);
  ++*(int *)rows;
  return WISP_OK;
}

/* The element that is asked for is compared; one that there is not, is refused. */
TEST(test_compared)
{
  static const int order = 3;
  static const wisp_precision precision = WISP_F64;
  int rows = 0;
  wisp_error reason = {0};
  OWNED(wisp_session_close) wisp_session *session = NULL;
  wisp_compare_request request = {.family = "filter",
                                  .element = "quad",
                                  .orders = &order,
                                  .order_count = 1,
                                  .precisions = &precision,
                                  .precision_count = 1,
                                  .elements = 100,
                                  .row = count_quads,
                                  .context = &rows};
  setenv("WISP_TEMPLATES", FILTER "templates", 1);
  GOOD(wisp_session_open(
      err, &(wisp_session_request){WISP_INIT(wisp_session_request), .device = test_device_name(), .defaults_only = 1},
      &session));
  GOOD(wisp_compare(err, session, &request));
  assert_true(rows >= 2);
  request.element = "hex";
  assert_int_equal(wisp_compare(&reason, session, &request), WISP_EUSAGE);
}

/* One launch on a part of the groups: of one name the first binding counts. */
static void run_span(const wisp_problem *problem, const wisp_kernel *kernel, wisp_span span)
{
  wisp_binding bindings[2 + WISP_MAX_COUNTS] = {{"first", 0, (double)span.first}, {"groups", 0, (double)span.count}};
  size_t n = 2;
  for (const wisp_count *c = problem->d.counts; c->name; c++)
    bindings[n++] = (wisp_binding){c->name, 0, (double)c->value};
  GOOD(wisp_arrays_launch(err, problem->arrays, kernel, bindings, n));
}

/* A plan_visit: what four launches on spans of the elements leave is, bit for bit, what one on all of them does. */
static void in_spans(void *context, const plan_case *c)
{
  static const wisp_span spans[] = {{20, 16}, {0, 1}, {36, 1}, {1, 19}};
  wisp_device *device = context;
  OWNED(wisp_problems_destroy) wisp_problems *problems = NULL;
  wisp_problem_ref ref = {0};
  wisp_binary binary = {0};
  wisp_kernel *kernel = NULL;
  double whole[37 * FILTER_MAX_NP], pieced[37 * FILTER_MAX_NP];
  if (strcmp(c->spec.family, "filter") != 0 || strcmp(c->spec.kernel, "apply") != 0) return;
  GOOD(wisp_problems_create(err, device, &wisp_workload_filter, &c->spec, 0, NULL, 0, &problems));
  GOOD(wisp_problems_acquire(err, problems, &c->plan, 1, &ref));
  wisp_problem *problem = ref.problem;
  GOOD(wisp_plan_compile(err, c->plan, wisp_device_limits(device)->target, &binary));
  GOOD(wisp_kernel_create(err, device, c->plan, &binary, &kernel));
  const size_t numbers = wisp_arrays_size(problem->arrays, "v");
  assert_true(numbers <= sizeof whole / sizeof *whole);
  GOOD(wisp_problem_run(err, problem, kernel, NULL, 0));
  GOOD(wisp_arrays_download(err, problem->arrays, "v", whole));
  GOOD(wisp_arrays_fill(err, problem->arrays, "v", 0xff));
  for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) run_span(problem, kernel, spans[i]);
  GOOD(wisp_arrays_download(err, problem->arrays, "v", pieced));
  assert_memory_equal(whole, pieced, numbers * sizeof *whole);
  wisp_kernel_destroy(kernel);
  free(binary.data);
}

/* --- domains --- */

enum { OWN = 20 };

/* The first elements of the strip and, as a ghost, the one behind them. */
static void open_domain(wisp_device *device, const wisp_spec *spec, void **test_mesh, wisp_problem **out)
{
  const wisp_mesh_source box = {.jitter = 0};
  wisp_discretisation d = {.self = NULL};
  long long elements = OWN + 1;
  GOOD(wisp_workload_filter.open(err, wisp_device_limits(device), spec, &elements, &box, test_mesh));
  GOOD(wisp_workload_filter.discretise(err, *test_mesh, spec, NULL, NULL, &d));
  GOOD(wisp_problem_open(err, device, &d, spec->precision, WISP_WIDE_GUARD, NULL, NULL, out));
}

/* A plan_visit: with its ghost exchanged, a domain's edges are those of the whole strip, bit for bit. */
static void in_domains(void *context, const plan_case *c)
{
  wisp_device *device = context;
  OWNED(wisp_problems_destroy) wisp_problems *problems = NULL;
  wisp_problem_ref ref = {0};
  wisp_problem *problem[2] = {NULL, NULL};
  wisp_binary binary = {0};
  wisp_kernel *kernel = NULL;
  void *test_mesh = NULL;
  double edges[2][OWN + 1];
  if (strcmp(c->spec.family, "filter") != 0 || strcmp(c->spec.kernel, "collect") != 0) return;
  GOOD(wisp_problems_create(err, device, &wisp_workload_filter, &c->spec, 0, NULL, 0, &problems));
  GOOD(wisp_problems_acquire(err, problems, &c->plan, 1, &ref));
  problem[0] = ref.problem;
  open_domain(device, &c->spec, &test_mesh, &problem[1]);
  GOOD(wisp_plan_compile(err, c->plan, wisp_device_limits(device)->target, &binary));
  GOOD(wisp_kernel_create(err, device, c->plan, &binary, &kernel));
  const size_t Np = wisp_arrays_size(problem[1]->arrays, "v") / (OWN + 1);
  double v[OWN * FILTER_MAX_NP];
  GOOD(wisp_arrays_download_part(err, problem[0]->arrays, "v", 0, OWN * Np, v));
  GOOD(wisp_arrays_fill(err, problem[1]->arrays, "v", 0xff));
  GOOD(wisp_arrays_upload_part(err, problem[1]->arrays, "v", 0, OWN * Np, v));
  GOOD(wisp_arrays_download_part(err, problem[0]->arrays, "v", OWN * Np, Np, v)); /* the ghost */
  GOOD(wisp_arrays_upload_part(err, problem[1]->arrays, "v", OWN * Np, Np, v));
  for (int i = 0; i < 2; i++) {
    GOOD(wisp_arrays_fill(err, problem[i]->arrays, "edges", 0));
    GOOD(wisp_problem_run(err, problem[i], kernel, NULL, 0));
    GOOD(wisp_arrays_download_part(err, problem[i]->arrays, "edges", 0, OWN + 1, edges[i]));
  }
  assert_memory_equal(edges[0], edges[1], sizeof edges[0]);
  wisp_kernel_destroy(kernel);
  free(binary.data);
  wisp_problem_destroy(problem[1]);
  wisp_workload_filter.close(test_mesh);
}

TEST_IN_FOLDER(test_spans)
{
  OWNED(wisp_device_close) wisp_device *device = open_test_device();
  setenv("WISP_TEMPLATES", "tests/filter/templates", 1);
  each_plan(wisp_device_limits(device), &(plan_range){{2, 3}, {WISP_F32, WISP_F64}}, in_spans, device);
  each_plan(wisp_device_limits(device), &(plan_range){{2, 3}, {WISP_F32, WISP_F64}}, in_domains, device);
}

/* Through the public interface as any other: on a program's own arrays, v = F u where it is troubled. */
TEST_IN_FOLDER(test_opened)
{
  enum { N = 3, NP = (N + 1) * (N + 2) / 2, ELEMENTS = 7, NUMBERS = ELEMENTS * NP };
  const wisp_session_request request = {WISP_INIT(wisp_session_request), .device = test_device_name(),
                                        .defaults_only = 1};
  const wisp_count counts[] = {{"elements", ELEMENTS}, {NULL, 0}};
  OWNED(wisp_session_close) wisp_session *session = NULL;
  wisp_kernel *kernel = NULL;
  double F[NP * NP], u[NUMBERS], v[NUMBERS];
  const unsigned char troubled[ELEMENTS] = {1, 0, 1, 1, 0, 0, 1};
  void *on_u = NULL, *on_v = NULL, *on_troubled = NULL;
  setenv("WISP_TEMPLATES", FILTER "templates", 1);
  const wisp_spec spec = wisp_family_spec(&wisp_family_filter, N, NULL, WISP_F64);
  GOOD(filter_matrix(err, &spec, F));
  for (int q = 0; q < NUMBERS; q++) u[q] = (double)(q * 7919 % 1009) / 1009 - 0.5;
  GOOD(wisp_session_open(err, &request, &session));
  GOOD(wisp_kernel_open(err, session, "filter.apply:tri:p3:none:f64", NULL, &kernel));
  GOOD(wisp_memory_create(err, session, sizeof u, &on_u));
  GOOD(wisp_memory_create(err, session, sizeof v, &on_v));
  GOOD(wisp_memory_create(err, session, sizeof troubled, &on_troubled));
  GOOD(wisp_memory_put(err, session, on_u, u, sizeof u));
  GOOD(wisp_memory_put(err, session, on_troubled, troubled, sizeof troubled));
  GOOD(wisp_kernel_bind(err, kernel, "u", on_u, NUMBERS));
  GOOD(wisp_kernel_bind(err, kernel, "v", on_v, NUMBERS));
  GOOD(wisp_kernel_bind(err, kernel, "troubled", on_troubled, ELEMENTS));
  GOOD(wisp_kernel_launch(err, kernel, counts, NULL));
  GOOD(wisp_memory_get(err, session, v, on_v, sizeof v));
  for (int q = 0; q < NUMBERS; q++) {
    double sum = 0;
    for (int j = 0; j < NP; j++) sum += F[q % NP * NP + j] * u[q / NP * NP + j];
    assert_true(fabs(v[q] - (troubled[q / NP] ? sum : u[q])) < 1e-13);
  }
  wisp_memory_destroy(session, on_troubled);
  wisp_memory_destroy(session, on_u), wisp_memory_destroy(session, on_v);
  wisp_kernel_close(kernel);
}
