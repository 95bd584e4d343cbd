/* Claim: the public header is enough to solve. What is set is what is got, in the mesh's order whatever the layout;
 * energy does not grow in the step offered, and one too long is an error; requests that make no sense are refused in
 * one line. */
#include <wisp.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *device(void)
{
  const char *name = getenv("WISP_TEST_DEVICE");
  return name && *name ? name : "host";
}

/* In the device's basis, values in the nodes come back as they went but for the rounding of the change of basis. */
static void exchange(const char *basis, double near)
{
  wisp_error err = {0};
  wisp_simulation *s = NULL;
  const wisp_request request = {
      .order = 2, .box = 2, .device = device(), .store = "/nonexistent/wisp.db", .basis = basis};
  size_t K, Np, n;
  if (wisp_simulation_create(&err, &request, &s) != WISP_OK) fail_msg("%s", err.text);
  wisp_simulation_size(s, &K, &Np, &n);
  assert_int_equal(K, 48);
  assert_int_equal(Np, 10);
  assert_int_equal(n, 6);
  assert_string_equal(wisp_simulation_field(s, 0), "Ex");
  assert_null(wisp_simulation_field(s, n));
  double *u = malloc(n * K * Np * sizeof *u), *back = malloc(n * K * Np * sizeof *u);
  assert_true(u && back);
  for (size_t q = 0; q < n * K * Np; q++) u[q] = (double)q / 7;
  assert_int_equal(wisp_simulation_set(&err, s, u), WISP_OK);
  assert_int_equal(wisp_simulation_get(&err, s, back), WISP_OK);
  for (size_t q = 0; q < n * K * Np; q++) assert_true(fabs(u[q] - back[q]) <= near * u[q]);
  double before = 0, after = 0;
  assert_int_equal(wisp_simulation_energy(&err, s, &before), WISP_OK);
  assert_int_equal(wisp_simulation_advance(&err, s, wisp_simulation_dt(s), 7, NULL), WISP_OK);
  assert_int_equal(wisp_simulation_energy(&err, s, &after), WISP_OK);
  assert_true(before > 0 && after < before);
  wisp_kernel_info info;
  assert_true(wisp_simulation_kernel(s, 0, &info));
  assert_true(strlen(info.strategy) > 0 && strlen(info.match) > 0);
  wisp_simulation_destroy(s);
  free(u), free(back);
}

static void test_exchange(void **state)
{
  (void)state;
  exchange(NULL, 0);
  exchange("bernstein", 1e-13);
}

/* Nodes stand inside the box, and those of one element keep its place in the mesh's order: element 0 holds the origin.
 */
static void test_nodes(void **state)
{
  (void)state;
  wisp_error err = {0};
  wisp_simulation *s = NULL;
  const wisp_request request = {.order = 1, .box = 1, .device = device(), .precision = WISP_F32};
  if (wisp_simulation_create(&err, &request, &s) != WISP_OK) fail_msg("%s", err.text);
  double xyz[6 * 4 * 3];
  int origin = 0;
  wisp_simulation_nodes(s, xyz);
  for (int q = 0; q < 24; q++) {
    for (int c = 0; c < 3; c++) assert_true(xyz[3 * q + c] >= 0 && xyz[3 * q + c] <= 1);
    origin += q < 4 && xyz[3 * q] + xyz[3 * q + 1] + xyz[3 * q + 2] == 0;
  }
  assert_int_equal(origin, 1);
  wisp_simulation_destroy(s);
}

static double after(wisp_simulation *s, double dt, long long steps, wisp_error *err, wisp_status *status)
{
  double energy = 0;
  *status = wisp_simulation_advance(err, s, dt, steps, NULL);
  assert_int_equal(wisp_simulation_energy(err, s, &energy), WISP_OK);
  return energy;
}

/* The step that is offered stands, for both fluxes; one of 1 / 0.6 of it ends in an error, not in silence. */
static void test_step(void **state)
{
  (void)state;
  for (int central = 0; central < 2; central++) {
    wisp_error err = {0};
    wisp_status status = WISP_OK;
    wisp_simulation *s = NULL;
    const wisp_request request = {.order = 2,
                                  .box = 2,
                                  .device = device(),
                                  .precision = WISP_F32,
                                  .central = central,
                                  .store = "/nonexistent/w.db"};
    if (wisp_simulation_create(&err, &request, &s) != WISP_OK) fail_msg("%s", err.text);
    size_t K, Np, n;
    wisp_simulation_size(s, &K, &Np, &n);
    double *u = malloc(n * K * Np * sizeof *u), before = 0;
    assert_non_null(u);
    for (size_t q = 0; q < n * K * Np; q++) u[q] = (double)(q * 7919 % 1009) / 1009 - 0.5;
    assert_int_equal(wisp_simulation_set(&err, s, u), WISP_OK);
    assert_int_equal(wisp_simulation_energy(&err, s, &before), WISP_OK);
    assert_true(after(s, wisp_simulation_dt(s), 1000, &err, &status) <= before);
    assert_int_equal(status, WISP_OK);
    assert_int_equal(wisp_simulation_set(&err, s, u), WISP_OK);
    after(s, wisp_simulation_dt(s) / 0.6, 1000, &err, &status);
    assert_int_equal(status, WISP_EWRONG);
    assert_true(err.text[0] && !strchr(err.text, '\n'));
    assert_int_equal(wisp_simulation_set(&err, s, u), WISP_OK); /* and the simulation goes on */
    assert_true(after(s, wisp_simulation_dt(s), 10, &err, &status) <= before);
    assert_int_equal(status, WISP_OK);
    wisp_simulation_destroy(s);
    free(u);
  }
}

static void test_refusals(void **state)
{
  (void)state;
  const struct {
    wisp_request request;
    wisp_status status;
    const char *says;
  } bad[] = {
      {{.order = 0}, WISP_EUSAGE, "0"},
      {{.order = 2, .system = "ether"}, WISP_EUSAGE, "ether"},
      {{.order = 2, .boundary = "soft"}, WISP_EUSAGE, "soft"},
      {{.order = 2, .mesh = "/nonexistent.msh"}, WISP_EINPUT, "/nonexistent.msh"},
      {{.order = 2, .mesh = "a.msh", .box = 2}, WISP_EUSAGE, "exclude"},
      {{.order = 2, .device = "abacus"}, WISP_EUSAGE, "abacus"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    wisp_error err = {0};
    wisp_simulation *s = NULL;
    wisp_request request = bad[i].request;
    if (!request.device) request.device = device();
    assert_int_equal(wisp_simulation_create(&err, &request, &s), bad[i].status);
    assert_null(s);
    assert_non_null(strstr(err.text, bad[i].says));
    assert_null(strchr(err.text, '\n'));
  }
}

static void test_nothing(void **state)
{
  (void)state;
  wisp_error err = {0};
  wisp_simulation *s = NULL;
  const wisp_request request = {.order = 1, .box = 1, .device = device()};
  double energy = 0;
  assert_int_equal(wisp_simulation_create(&err, NULL, &s), WISP_EUSAGE);
  assert_int_equal(wisp_simulation_create(&err, &request, NULL), WISP_EUSAGE);
  assert_int_equal(wisp_simulation_set(&err, NULL, &energy), WISP_EUSAGE);
  assert_int_equal(wisp_simulation_get(&err, NULL, &energy), WISP_EUSAGE);
  assert_int_equal(wisp_simulation_advance(&err, NULL, 1, 1, NULL), WISP_EUSAGE);
  assert_int_equal(wisp_simulation_energy(&err, NULL, &energy), WISP_EUSAGE);
  if (wisp_simulation_create(&err, &request, &s) != WISP_OK) fail_msg("%s", err.text);
  assert_int_equal(wisp_simulation_set(&err, s, NULL), WISP_EUSAGE);
  assert_int_equal(wisp_simulation_get(&err, s, NULL), WISP_EUSAGE);
  assert_int_equal(wisp_simulation_energy(&err, s, NULL), WISP_EUSAGE);
  assert_non_null(strstr(err.text, "NULL"));
  wisp_simulation_destroy(s);
  wisp_simulation_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exchange), cmocka_unit_test(test_nodes),
                                     cmocka_unit_test(test_step), cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
