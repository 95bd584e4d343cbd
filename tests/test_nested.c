/* Claim: nested stages make the same step as those in low storage, up to rounding: their polynomial is the method's,
 * and 200 steps, the longest stable step and the error of the steps come out alike in every composition that has both.
 * That holds where fluxes and walls are affine in the fields, which is found out, and no text reads the time.
 * WISP_TEST_FULL=1: of the winners that ship too, N = 1 to 9 in both precisions (=7: from 7 on; on a GPU minutes). */
#include "test.h"
#include "solving.h"
#include "store_fixture.h"

enum { S = 5, STEPS = 200 };

/* The factor of a step on an eigenvector, as coefficients of the powers of dt lambda, in both forms. */
TEST(test_polynomial)
{
  static const double expected[S + 1] = {1, 1, 1 / 2.0, 1 / 6.0, 1 / 24.0, 1 / 200.0};
  double u[S + 1] = {1}, res[S + 1] = {0}, nested[S + 1] = {1};
  for (int s = 0; s < S; s++) {
    for (int i = S; i >= 0; i--) {
      res[i] = wisp_lsrk45.stage[s].a * res[i] + (i ? u[i - 1] : 0);
      nested[i] = i ? wisp_lsrk45.nested[s] * nested[i - 1] : 1;
    }
    for (int i = 0; i <= S; i++) u[i] += wisp_lsrk45.stage[s].b * res[i];
  }
  for (int i = 0; i <= S; i++) {
    assert_true(fabs(nested[i] - expected[i]) < 1e-15);
    assert_true(fabs(u[i] - expected[i]) < 1e-12);
  }
}

/* The result of a run. */
typedef struct outcome {
  double *u, limit, time_error;
  size_t size;
} outcome;

static void run(const wisp_store *store, wisp_precision precision, int order, const char *composition,
                const char *layout, outcome *out)
{
  wisp_error reason = {0};
  solving s;
  const solving_setup setup = {.order = order,
                               .precision = precision,
                               .composition = composition,
                               .layout = layout,
                               .absorbing = order % 2,
                               .store = store};
  if (!solving_open(&reason, &s, ragged_box(2, 5), &setup)) fail_msg("%s", reason.text);
  out->size = wisp_dg_volume_size(s.dg);
  out->u = zeros(out->size);
  GOOD(wisp_stepper_limit(err, s.solver, &out->limit));
  OWNED(free) double *start = zeros(out->size);
  random_solution(s.dg, start);
  memcpy(out->u, start, out->size * sizeof *start);
  GOOD(wisp_solution_put(err, s.problem, out->u));
  GOOD(wisp_stepper_advance(err, s.solver, wisp_dg_safe_dt(s.dg), STEPS / 2, NULL));
  GOOD(wisp_stepper_time_error(err, s.solver, wisp_dg_safe_dt(s.dg), 1, &out->time_error));
  GOOD(wisp_stepper_advance(err, s.solver, wisp_dg_safe_dt(s.dg), STEPS / 2 - 1, NULL));
  GOOD(wisp_stepper_advance(err, s.solver, wisp_dg_safe_dt(s.dg), 1, NULL));
  GOOD(wisp_arrays_download(err, s.problem->arrays, "u", out->u));
  for (size_t i = 0; i < out->size; i++)
    if (start[i] == 0) out->u[i] = 0; /* padding: nobody writes it */
  solving_close(&s);
}

static void compare(const wisp_store *store, wisp_precision precision, int order, const char *layout)
{
  static const char *const pairs[][2] = {{"volume+gather+lift+update", "volume+gather+lift+update_nested"},
                                         {"gather+fused", "gather+fused_nested"},
                                         {"stage", "stage_nested"}};
  const bool slab = strncmp(layout, "slab", 4) == 0;
  const double tolerance = precision == WISP_F32 ? 1e-5 : 1e-12;
  for (size_t p = 0; p < (slab ? WISP_COUNT(pairs) : 1); p++) {
    outcome low, nested;
    double off = 0, largest = 0;
    run(store, precision, order, pairs[p][0], layout, &low);
    run(store, precision, order, pairs[p][1], layout, &nested);
    assert_int_equal(low.size, nested.size);
    for (size_t i = 0; i < low.size; i++) {
      off = fmax(off, fabs(low.u[i] - nested.u[i]));
      largest = fmax(largest, fabs(low.u[i]));
    }
    print_message("p%d %s %s: off by %.1e of the largest value, the limit by %.1e\n", order,
                  wisp_precision_name(precision), pairs[p][1], off / largest, nested.limit / low.limit - 1);
    assert_true(largest > 0.01 && off < tolerance * largest);
    assert_true(fabs(nested.limit / low.limit - 1) < 1e-3);
    assert_true(fabs(nested.time_error / low.time_error - 1) < (precision == WISP_F32 ? 0.05 : 1e-6));
    free(low.u), free(nested.u);
  }
}

TEST(test_double)
{
  compare(NULL, WISP_F64, 2, "slab-km32");
  compare(NULL, WISP_F64, 3, "node-km1-pad32");
}

TEST(test_single)
{
  compare(NULL, WISP_F32, 1, "slab-km32");
}

TEST(test_winners)
{
  const char *full = getenv("WISP_TEST_FULL"); /* its number: the order to begin with */
  if (!full) return;
  OWNED(wisp_store_close) wisp_store *store = fixture_open("/nonexistent/none.db");
  for (int order = atoi(full); order <= 9; order++) {
    compare(store, WISP_F64, order, "slab-km32");
    compare(store, WISP_F32, order, "slab-km32");
  }
}

/* A system of one field whose flux and wall are these texts. */
static wisp_system *system_with(const char *flux, const char *wall)
{
  char text[512];
  wisp_system *system = NULL;
  snprintf(text, sizeof text,
           "fields q\nrate q = -q.x\nflux\nflux_q = %s\nend\nboundary wall\nq_p = %s\nend\nspeed 1\nenergy 1\n", flux,
           wall);
  GOOD(wisp_system_parse(err, "one.system", text, &system));
  return system;
}

/* Which equations they are the same step of; those that ship are such. */
TEST(test_linear_systems)
{
  static const struct {
    const char *flux, *wall;
    bool affine;
  } texts[] = {{"0.5 * nx * (q_m - q_p) + alpha * (q_m - q_p)", "-q_m", true},
               {"nx * (q_m - q_p) + 1", "2 - q_m", true}, /* a source that stays */
               {"nx * q_m * (q_m - q_p)", "q_m", false},
               {"nx * (q_m - q_p)", "q_m * q_m", false},
               {"nx * (q_m - q_p) / (2 + q_p)", "q_m", false}};
  static const char *const shipped[] = {"maxwell", "maxwell_media", "acoustics"};
  for (size_t i = 0; i < WISP_COUNT(texts); i++) {
    OWNED(wisp_system_destroy) wisp_system *system = system_with(texts[i].flux, texts[i].wall);
    assert_true(wisp_system_is_affine(system) == texts[i].affine);
  }
  for (size_t i = 0; i < WISP_COUNT(shipped); i++) {
    OWNED(wisp_system_destroy) wisp_system *system = NULL;
    GOOD(wisp_system_load(err, shipped[i], &system));
    assert_true(wisp_system_is_affine(system));
  }
}

/* A flux that reads the time is no system's. */
TEST(test_no_time)
{
  wisp_error why = {0};
  wisp_system *system = NULL;
  static const char text[] = "fields q\nrate q = -q.x\nflux\nflux_q = nx * (q_m - q_p) + t\nend\n";
  assert_int_equal(wisp_system_parse(&why, "driven.system", text, &system), WISP_EINPUT);
  assert_non_null(strstr(why.text, "driven.system:4"));
  assert_non_null(strstr(why.text, "'t'"));
}
