/* Claim: verification tells a right kernel from wrong ones. Planted kernels (through $WISP_TEMPLATES) that write
 * outside an array, are wrong by 1e-3, are NaN in the last element only, read padding, or leave a result out: each is
 * caught, with its own reason; the same kernel without the fault passes. In every family and both precisions an error
 * of three tolerances is caught, one of a third of the tolerance passes. And it tells how large errors in single
 * precision are beside those of plain sums. */
#include "test.h"
#include "each_plan.h"
#include "edited.h"
#include "planted.h"
#include "store_fixture.h"
#include "verifying.h"
#include "../gen/nodal/nodal.h"
#include "../gen/random.h"
#include "../tuner/trial/problems.h"
#include "../tuner/trial/test_cases.h"

static const struct {
  const char *name, *fault, *reason; /* reason NULL: right */
} planted[] = {
    {"right", "", NULL},
    {"beyond", "if (m == groups - 1 && at == 0) rhs[groups * {{= n * NpM}} + 3] = 1;", "writes outside array rhs"},
    {"before", "if (m == 0 && at == 0) (rhs - 5)[0] = 1;", "writes outside array rhs"},
    {"neighbour", "if (m == 0 && at == 0) rhs[groups * {{= n * NpM}} + 255] = 1;", "writes outside array rhs"},
    {"thousandth", "rhs[here] *= (real)1.001;", "error 1.0"},
    {"one-dof", "if (m == 7 && at == 2) rhs[here] += (real)0.01;", "at slot 7, field Ex, node 2"},
    {"last-nan", "if (m == groups - 1) rhs[here] = (real)0 / (real)0;", "at slot 156, field Ex, node 0: not finite"},
    {"padding", "rhs[here] += 0 * dux[m * {{= n * NpM}} + {{NpM}} - 1];", "not finite"},
    {"left-out", "if (m == 9) rhs[here] = duz[here] * 0 + dux[(groups - 1) * {{= n * NpM}} + {{NpM}} - 1];",
     "at slot 9, field Ex, node 0: not finite"},
};
enum { PLANTED = sizeof planted / sizeof *planted };

/* A device, the strategies of a folder of templates, and what verifies them. */
typedef struct check {
  wisp_device *device;
  wisp_verifier *verifier;
  wisp_strategies *strategies;
} check;

static check open_check(const char *folder)
{
  check all = {.device = open_test_device()};
  setenv("WISP_TEMPLATES", folder, 1);
  GOOD(wisp_strategies_load(err, &all.strategies));
  GOOD(wisp_verifier_create(err, all.device, &all.verifier));
  return all;
}

static void close_check(check *all)
{
  wisp_verifier_destroy(all->verifier);
  wisp_strategies_free(all->strategies);
  wisp_device_close(all->device);
  unsetenv("WISP_TEMPLATES");
}

TEST_IN_FOLDER(test_planted)
{
  const wisp_layout layout = wisp_layout_padded(4, 12, 16); /* 12 numbers of padding behind each element's 4 */
  for (int i = 0; i < PLANTED; i++) plant(*state, planted[i].name, planted[i].fault);
  check all = open_check(*state);
  for (int i = 0; i < 2 * PLANTED; i++) {
    const wisp_spec spec = {"nodal", "assemble", "tet", 1, "maxwell", i % 2 ? WISP_F64 : WISP_F32};
    const wisp_strategy *s = wisp_strategies_find(all.strategies, "nodal", "assemble", planted[i / 2].name);
    const char *reason = planted[i / 2].reason;
    double error = 0, tolerance = 0;
    wisp_error err = {0};
    assert_non_null(s);
    const wisp_status status = verify_strategy(&err, all.device, all.verifier, s, &spec, &layout, &error);
    if (!reason ? status != WISP_OK : status != WISP_EWRONG || !strstr(err.text, reason))
      fail_msg("planted '%s': status %d: %s", planted[i / 2].name, (int)status, err.text);
    assert_int_equal(wisp_tolerance(&err, &spec, &tolerance), WISP_OK);
    assert_true(status != WISP_OK || error <= tolerance);
  }
  close_check(&all);
}

/* --- plants of a calibrated size --- */

/* A kernel of each family, where a result that is a single term, so that the sum of magnitudes is its own, is
 * multiplied by the macro FACTOR; and the tolerance in roundings: 12 and the root of how many terms such a kernel may
 * sum (tuner/trial/tolerance.c). */
static const struct {
  const char *family, *kernel, *base, *from, *to;
  double roundings;
} calibrated[] = {
    {"nodal", "trace", "through-shared", "= s_face[", "= (real)(FACTOR) * s_face[", 13},
    {"tensor", "spread", "stream", "? read{{i}} : 0", "? (real)(FACTOR) * read{{i}} : 0", 12},
    {"assembly", "reduce", "list", "values[q] = sum",
     "values[q] = (source_start[q] + 1 == source_start[q + 1] ? (real)(FACTOR) : 1) * sum", 20},
    {"hdg", "collect", "edges", "Ap[at] = sum", "Ap[at] = (other < 0 ? (real)(FACTOR) : 1) * sum", 13.41},
};
enum { CALIBRATED = sizeof calibrated / sizeof *calibrated };

/* The name of a strategy whose results are off by three tolerances in this precision, or by a third of one. */
static void name_calibrated(bool wrong, wisp_precision precision, char name[32])
{
  snprintf(name, 32, "off-by-%s-%s", wisp_precision_name(precision), wrong ? "three" : "third");
}

static void plant_calibrated(const char *folder, size_t i, bool wrong, wisp_precision precision)
{
  char name[32], factor[64];
  const double tolerance = calibrated[i].roundings * (precision == WISP_F32 ? 0x1p-24 : 0x1p-53);
  const edit edits[] = {{"^", factor}, {calibrated[i].from, calibrated[i].to}};
  snprintf(factor, sizeof factor, "#define FACTOR %.17g\n", 1 + (wrong ? 3 : 1.0 / 3) * tolerance);
  name_calibrated(wrong, precision, name);
  plant_edited(folder, calibrated[i].family, calibrated[i].kernel, calibrated[i].base, name, edits, 2);
}

/* An error of three tolerances is found, one of a third is none: of every family, in both precisions. */
TEST_IN_FOLDER(test_calibrated)
{
  for (size_t n = 0; n < 4 * CALIBRATED; n++)
    plant_calibrated(*state, n / 4, n / 2 % 2 == 0, n % 2 ? WISP_F64 : WISP_F32);
  check all = open_check(*state);
  for (size_t n = 0; n < 4 * CALIBRATED; n++) {
    const bool wrong = n / 2 % 2 == 0;
    const char *family = calibrated[n / 4].family, *kernel = calibrated[n / 4].kernel;
    wisp_spec spec = wisp_family_spec(wisp_family_find(family), 2, NULL, n % 2 ? WISP_F64 : WISP_F32);
    wisp_error err = {0};
    double error = 0;
    char name[32];
    wisp_spec_name_kernel(&spec, kernel);
    name_calibrated(wrong, spec.precision, name);
    const wisp_strategy *s = wisp_strategies_find(all.strategies, family, kernel, name);
    assert_non_null(s);
    const wisp_status status = verify_strategy(&err, all.device, all.verifier, s, &spec, NULL, &error);
    if (wrong ? status != WISP_EWRONG || !strstr(err.text, ": error ") : status != WISP_OK)
      fail_msg("%s.%s %s: status %d: %s", family, kernel, name, (int)status, err.text);
  }
  close_check(&all);
}

/* A strategy's default candidate, and what it is verified with. */
typedef struct candidate {
  wisp_env *names;
  wisp_plan *plan;
  wisp_binary binary;
  wisp_kernel *kernel;
  wisp_verifier *verifier;
} candidate;

static candidate make(wisp_device *device, const wisp_strategy *s, const wisp_spec *spec, const wisp_layout *layout)
{
  candidate c = {.kernel = NULL};
  GOOD(wisp_verifier_create(err, device, &c.verifier));
  c.names = plan_names(wisp_device_limits(device), spec, layout);
  GOOD(wisp_plan_default(err, s, spec, layout, c.names, &c.plan));
  GOOD(wisp_plan_compile(err, c.plan, wisp_device_limits(device)->target, &c.binary));
  GOOD(wisp_kernel_create(err, device, c.plan, &c.binary, &c.kernel));
  return c;
}

static void discard(candidate *c)
{
  wisp_kernel_destroy(c->kernel);
  free(c->binary.data);
  wisp_plan_destroy(c->plan);
  wisp_env_destroy(c->names);
  wisp_verifier_destroy(c->verifier);
}

/* The errors of this strategy of volume over those of plain sums. */
static double excess(const check *all, const char *name, wisp_precision precision, wisp_test_inputs numbers)
{
  const wisp_spec spec = {"nodal", "volume", "tet", 3, "maxwell", precision};
  const wisp_layout layout = wisp_layout_padded(20, 40, 16);
  double error = -1, plain = -1;
  candidate c = make(all->device, wisp_strategies_find(all->strategies, "nodal", "volume", name), &spec, &layout);
  assert_int_equal(wisp_verifier_compare_single(NULL, c.verifier, c.kernel, numbers, &error, &plain), WISP_OK);
  discard(&c);
  return plain > 0 ? error / plain : error;
}

/* A matrix of 11 bits where there should be 24 makes errors some 2^12 times as large, but for those of sums. */
TEST_IN_FOLDER(test_excess)
{
  static const edit coarse[] = {{"+q/(3*Np)]", "+q/(3*Np)] part 1"}};
  plant_edited(*state, "nodal", "volume", "field-in-shared", "coarse", coarse, 1);
  check all = open_check(*state);
  for (wisp_test_inputs numbers = WISP_SIZES; numbers <= WISP_DECADES; numbers++) {
    const double plain = excess(&all, "field-in-shared", WISP_F32, numbers);
    assert_true(plain > 0.25 && plain < 2);
    assert_true(excess(&all, "coarse", WISP_F32, numbers) > 100);
  }
  assert_true(excess(&all, "field-in-shared", WISP_F64, WISP_SIZES) == 0);
  close_check(&all);
}

/* An error of 1e-3 shows at every order, of every kernel, in single precision. */
TEST(test_tolerances)
{
  const wisp_family *family = wisp_family_find("nodal");
  for (int order = 1; order <= 10; order++)
    for (int k = 0; family->kernels[k].name; k++) {
      double single = 0, twice = 0;
      wisp_spec spec = {"nodal", "", "tet", order, "maxwell", WISP_F32};
      snprintf(spec.kernel, sizeof spec.kernel, "%s", family->kernels[k].name);
      GOOD(wisp_tolerance(err, &spec, &single));
      spec.precision = WISP_F64;
      GOOD(wisp_tolerance(err, &spec, &twice));
      assert_true(single > 1e-7 && single < 1e-4);
      assert_true(twice > 1e-16 && twice < 1e-12);
    }
}

/* Does a strategy have candidates here? */
static bool applies(wisp_device *device, const wisp_strategy *s, const wisp_spec *spec, const wisp_layout *layout)
{
  OWNED(wisp_env_destroy) wisp_env *names = plan_names(wisp_device_limits(device), spec, layout);
  const bool does = wisp_strategy_applies(NULL, s, layout, names) == WISP_OK;
  return does;
}

/* An infinite number or NaN comes out as such, and does not spread: whole stages that see nodes in classes, at orders
 * with orbits of two nodes and without. */
TEST(test_unbounded)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  OWNED(wisp_device_close) wisp_device *device = open_test_device();
  compile_quickly();
  assert_int_equal(wisp_strategies_load(NULL, &all), WISP_OK);
  for (int order = 2; order <= 3; order++) {
    wisp_spec spec = {"nodal", "stage", "tet", order, "maxwell", WISP_F32};
    const int Nfp = (order + 1) * (order + 2) / 2;
    const wisp_layout layout = wisp_layout_slab(Nfp * (order + 3) / 3, 4 * Nfp, 32);
    int tried = 0;
    for (size_t i = 0; i < all->count; i++) {
      wisp_error err = {0};
      if (!all->list[i]->mixes || strcmp(all->list[i]->kernel, spec.kernel) != 0) continue;
      if (!applies(device, all->list[i], &spec, &layout)) continue;
      candidate c = make(device, all->list[i], &spec, &layout);
      if (wisp_verifier_unbounded(&err, c.verifier, c.kernel) != WISP_OK)
        fail_msg("%s, order %d: %s", all->list[i]->name, order, err.text);
      discard(&c);
      tried++;
    }
    assert_true(tried >= (order == 2 ? 3 : 2)); /* unrolled products end at 2 on the host */
  }
}

/* Kernels that cut an element's numbers at one exponent, into two FP16 halves, are held to each number's own terms and
 * 2^-14 of the element's largest: these strategies, in single precision alone. */
TEST(test_one_exponent)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  OWNED(wisp_device_close) wisp_device *device = open_test_device();
  OWNED(wisp_problems_destroy) wisp_problems *problems = NULL;
  OWNED(wisp_test_cases_destroy) wisp_test_cases *cases = NULL;
  const wisp_spec spec = {"nodal", "stage", "tet", 1, "maxwell", WISP_F32};
  const wisp_workload *workload = NULL;
  const wisp_test_case *own = NULL, *cut = NULL;
  size_t worse = 0;
  GOOD(wisp_strategies_load(err, &all));
  for (size_t i = 0; i < all->count; i++)
    for (int single = 0; single < 2; single++) {
      const wisp_strategy *s = all->list[i];
      const wisp_plan plan = {.strategy = s, .spec = {.precision = single ? WISP_F32 : WISP_F64}};
      const bool halves = strncmp(s->name, "half-turn-", strlen("half-turn-")) == 0;
      assert_int_equal(wisp_plan_rounding(&plan) & WISP_ONE_EXPONENT, single && halves ? WISP_ONE_EXPONENT : 0);
    }
  GOOD(wisp_workload_find(err, spec.family, spec.kernel, &workload));
  GOOD(wisp_problems_create(err, device, workload, &spec, 0, NULL, 1 << 20, &problems));
  GOOD(wisp_test_cases_create(err, workload, wisp_problems_test_mesh(problems), 2, &cases));
  GOOD(wisp_test_cases_get(err, cases, &spec, WISP_MIXES, WISP_DECADES, WISP_RANDOM_SEED, &own));
  GOOD(wisp_test_cases_get(err, cases, &spec, WISP_MIXES | WISP_ONE_EXPONENT, WISP_DECADES, WISP_RANDOM_SEED, &cut));
  for (size_t q = 0; q < own->numbers[WISP_NODAL_RES]; q++) {
    double most = 0;
    for (size_t i = q - q % own->together; i < q - q % own->together + own->together; i++)
      most = fmax(most, own->size[WISP_NODAL_RES][i]);
    const double more = cut->size[WISP_NODAL_RES][q] - own->size[WISP_NODAL_RES][q];
    assert_true(fabs(more - 0x1p-14 * most) <= 1e-12 * most);
    worse += more > own->size[WISP_NODAL_RES][q];
  }
  assert_true(worse < own->numbers[WISP_NODAL_RES] / 100); /* ordinary numbers are held as before */
}
