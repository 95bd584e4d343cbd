/* Claim: the tuner serves the tensor family as it does the nodal one. Planted candidates (through $WISP_TEMPLATES) that
 * are wrong at one node, by 1e-3, leave an element or unknown out, read what is not theirs or write where nobody's
 * numbers are, or outside an array, are caught, each with its own reason. A sweep stores its trials; a comparison times
 * each kernel beside a copy of its minimal bytes. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../tuner/compare/compare.h"
#include "tuning.h"
#include "verifying.h"

#include <sys/stat.h>

/* --- planted ones --- */

/* The mass matrix of order 1 by its definition, one element a block, with one statement more. */
static const char mass_space[] = "kernel mass\nlayouts node\nblock 8\ngrid groups\noperand real I 6 = I[q]\n"
                                 "arg in real u\narg in real gauss_mass\narg out real y\narg value int groups\n";
static const char mass_text[] =
    "real *const result = y;\n"
    "FOR_Y(y, 1)\n"
    "  FOR_X(n, 8)\n"
    "    real sum = 0;\n"
    "    for (INDEX q = 0; q < 27; q++) {\n"
    "      const INDEX a = q %% 3, b = q / 3 %% 3, c = q / 9;\n"
    "      real at = 0;\n"
    "      for (INDEX j = 0; j < 8; j++)\n"
    "        at += I[a * 2 + j %% 2] * I[b * 2 + j / 2 %% 2] * I[c * 2 + j / 4] * u[bx * 8 + j];\n"
    "      sum += I[a * 2 + n %% 2] * I[b * 2 + n / 2 %% 2] * I[c * 2 + n / 4] * gauss_mass[bx * 27 + q] * at;\n"
    "    }\n"
    "    %s\n"
    "    if (%s) result[bx * 8 + n] = sum;\n"
    "  END_X\n"
    "END_Y\n";

/* Numbers to the places of their unknowns; no node of order 1 lies within an element, and place 0 is on the boundary.
 */
static const char spread_space[] =
    "kernel spread\nlayouts node\nblock 64\ngrid 16\narg in real vector\narg in int surface\n"
    "arg out real u\narg value int groups\n";
static const char spread_text[] = "const INDEX nodes = 8 * groups;\n"
                                  "for (INDEX first = bx * 64; first < nodes; first += 1024) {\n"
                                  "  FOR_X(x, 64)\n"
                                  "    const INDEX node = first + x;\n"
                                  "    const int g = node < nodes ? surface[node] : -1;\n"
                                  "    real value = g >= 0 ? vector[g] : 0;\n"
                                  "    %s\n"
                                  "    if (node < nodes && %s) u[node] = value;\n"
                                  "  END_X\n"
                                  "}\n";

/* The solution and the next direction; every thread adds up the parts itself. */
static const char update_space[] =
    "kernel update\nlayouts node\nblock 64\ngrid 16\narg inout real solution\narg inout real p\narg in real r\n"
    "arg in single inverse\narg in real z\narg in real rz_sums\narg in real rr_sums\narg inout real state\n"
    "arg inout real history\narg inout int left\narg value real scale\narg value int polynomial\n"
    "arg value int rz_parts\narg value int rr_parts\narg value int history_room\narg value int unknowns\n"
    "arg value int padded\n";
static const char update_text[] =
    "real rz = 0, rr = 0;\n"
    "for (INDEX q = 0; q < rz_parts; q++) rz += rz_sums[q];\n"
    "for (INDEX q = 0; q < rr_parts; q++) rr += rr_sums[q];\n"
    "const int running = rr > state[5];\n"
    "const real beta = running && state[1] > 0 ? rz / state[1] : 0, alpha = state[2];\n"
    "for (INDEX first = bx * 64; first < unknowns; first += 1024) {\n"
    "  FOR_X(x, 64)\n"
    "    const INDEX g = first + x, at = g < unknowns ? g : 0;\n"
    "    real old = p[at], value = (polynomial ? z[at] : scale * inverse[at] * r[at]) + beta * old;\n"
    "    %s\n"
    "    if (g < unknowns && %s) {\n"
    "      solution[g] += alpha * old;\n"
    "      p[g] = value;\n"
    "    }\n"
    "  END_X\n"
    "}\n"
    "FOR_X(x, 64)\n"
    "  if (bx == 0 && x == 0) {\n"
    "    const INDEX at = 3 * (INDEX)state[6];\n"
    "    state[0] = rz;\n"
    "    state[3] = running;\n"
    "    state[4] = rr;\n"
    "    if (!running) left[0] = 0;\n"
    "    if (at < 3 * history_room) history[at] = rr, history[at + 1] = beta;\n"
    "  }\n"
    "END_X\n";

static const struct {
  const char *kernel, *space, *text;
} plain[] = {
    {"mass", mass_space, mass_text},
    {"spread", spread_space, spread_text},
    {"update", update_space, update_text},
};

static const struct {
  const char *kernel, *name, *fault, *condition, *reason; /* reason NULL: right */
} planted[] = {
    {"mass", "right", "", "1", NULL},
    {"mass", "thousandth", "sum *= (real)1.001;", "1", "error "},
    {"mass", "one-node", "if (bx == 7 && n == 2) sum += (real)0.01;", "1", "at element 7, node 2"},
    {"mass", "left-out", "", "bx < groups - 1", "at element 28, node 0: not finite"},
    {"mass", "beyond", "if (bx == groups - 1 && n == 0) result[groups * 8 + 3] = 1;", "1", "writes outside array y"},
    {"mass", "before", "if (bx == 0 && n == 0) (result - 5)[0] = 1;", "1", "writes outside array y"},
    {"spread", "right", "", "1", NULL},
    {"spread", "thousandth", "value *= (real)1.001;", "1", "error "},
    {"spread", "left-out", "", "node < nodes - 1", "u is not a number, not 0"},
    {"spread", "nobody", "if (node == 0) value = 1;", "1", "u is 1, not 0, at number 0"},
    {"spread", "beyond", "if (node == 5) u[nodes + 1] = 1;", "1", "writes outside array u"},
    {"update", "right", "", "1", NULL},
    {"update", "thousandth", "value *= (real)1.001;", "1", "p is "},
    {"update", "new-direction", "old = value;", "1", "solution is "},
    {"update", "no-polynomial", "value += polynomial ? scale * inverse[at] * r[at] - z[at] : 0;", "1", "p is "},
    {"update", "left-out", "", "g < unknowns - 1", "at number "},
    {"update", "beyond", "if (g == 5) p[padded + 1] = 1;", "1", "writes outside array p"},
    {"update", "foreign", "if (g == 5) history[0] = 1;", "1", "history is 1, not "},
};
enum { PLANTED = sizeof planted / sizeof *planted };

static void plant(const char *folder)
{
  char path[256], body[2048];
  for (int i = 0; i < PLANTED; i++) {
    size_t k = 0;
    while (strcmp(plain[k].kernel, planted[i].kernel) != 0) k++;
    snprintf(body, sizeof body, plain[k].text, planted[i].fault, planted[i].condition);
    snprintf(path, sizeof path, "tensor/%s.%s.space", planted[i].kernel, planted[i].name);
    fixture_text(folder, path, plain[k].space);
    snprintf(path, sizeof path, "tensor/%s.%s.k", planted[i].kernel, planted[i].name);
    fixture_text(folder, path, body);
  }
  setenv("WISP_TEMPLATES", folder, 1);
}

static wisp_status verify(wisp_error *err, wisp_device *device, wisp_verifier *verifier, const wisp_strategy *s,
                          wisp_precision precision)
{
  wisp_spec spec = wisp_family_spec(wisp_family_find("tensor"), 1, NULL, precision);
  double error = 0;
  wisp_spec_name_kernel(&spec, s->kernel);
  CALL(verify_strategy(err, device, verifier, s, &spec, NULL, &error));
  assert_true(error < (precision == WISP_F32 ? 1e-5 : 1e-13));
  return WISP_OK;
}

/* --- a sweep, a comparison --- */

static const int order = 1;
static const wisp_precision precision = WISP_F64;

/* Some trials of a kernel, in a store of its own. */
static void tune(const char *db, const char *kernel)
{
  char spec[64];
  int seen = 0;
  size_t at = 0;
  wisp_tune_request request = tune_request("tensor", kernel, db);
  request.elements = 1000, request.budget_seconds = 1;
  const wisp_tune_summary summary = run_tune(&request);
  assert_true(summary.ok > 0);
  assert_int_equal(summary.failed, 0);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  snprintf(spec, sizeof spec, "tensor.%s:hex:p1:poisson:f64", kernel);
  for (const wisp_trial *t; (t = fixture_next(store, &at));) {
    if (wisp_trial_outcome(t) != WISP_TRIAL_OK) continue;
    seen++;
    assert_string_equal(t->spec, spec);
    assert_true(t->elements == 1000 && t->ms > 0 && t->error < 1e-13);
  }
  assert_true(seen > 0);
}

/* Comes first, before this process opens a device: CUDA does not survive a fork. */
TEST(test_sweep)
{
  static const char *const kernels[] = {"mass", "collocated_trilinear", "gather"};
  for (int i = 0; i < 3; i++) {
    char folder[64];
    fixture_folder(folder);
    tune(fixture_path(folder, "tune.db"), kernels[i]);
    fixture_remove(folder);
  }
}

static int set_up(void **state)
{
  *state = open_test_device();
  return 0;
}

static int tear_down(void **state)
{
  wisp_device_close(*state);
  return 0;
}

TEST_WITH(test_planted, set_up, tear_down)
{
  char folder[64];
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  wisp_verifier *verifier = NULL;
  fixture_folder(folder);
  plant(folder);
  GOOD(wisp_strategies_load(err, &all));
  GOOD(wisp_verifier_create(err, *state, &verifier));
  for (int i = 0; i < 2 * PLANTED; i++) {
    const wisp_strategy *s = wisp_strategies_find(all, "tensor", planted[i / 2].kernel, planted[i / 2].name);
    const char *words = planted[i / 2].reason;
    wisp_error reason = {0};
    assert_non_null(s);
    wisp_verifier_seed(verifier, (uint64_t)(i + 1));
    wisp_status status = verify(&reason, *state, verifier, s, i % 2 ? WISP_F64 : WISP_F32);
    if (!words ? status != WISP_OK : status != WISP_EWRONG || !strstr(reason.text, words))
      fail_msg("planted '%s.%s': status %d: %s", planted[i / 2].kernel, planted[i / 2].name, (int)status, reason.text);
  }
  wisp_verifier_destroy(verifier);
  unsetenv("WISP_TEMPLATES");
  fixture_remove(folder);
}

typedef struct seen {
  int rows, alternatives;
} seen;

static wisp_status look(wisp_error *err, void *context, const wisp_comparison *row)
{
  seen *s = context;
  s->rows++;
  assert_int_equal(row->elements, 313); /* of 8 nodes each */
  assert_true(row->ms > 0 && row->rival_ms > 0);
  assert_string_equal(row->rival, "copy");
  assert_true(isnan(row->rival_error));
  if (*row->alternative) assert_true(row->alternative_ms > 0);
  s->alternatives += *row->alternative != '\0';
  return WISP_OK;
}

static void complain(void *context, const char *why)
{
  if (!strstr(why, "BLAS")) fail_msg("%s", why);
}

TEST_WITH(test_comparison, set_up, tear_down)
{
  seen s = {0};
  const wisp_compare_request request = {.family = "tensor",
                                        .orders = &order,
                                        .order_count = 1,
                                        .precisions = &precision,
                                        .precision_count = 1,
                                        .nodes = 2500,
                                        .row = look,
                                        .warn = complain,
                                        .context = &s};
  wisp_session session = {.device = *state};
  GOOD(wisp_strategies_load(err, &session.strategies));
  GOOD(wisp_compare(err, &session, &request));
  wisp_strategies_free(session.strategies);
  assert_true(s.rows >= 6 + 5); /* operators and vectors */
  assert_int_equal(s.alternatives, 3);
}
