/* Claim: wisp run helmholtz solves on triangles with the orders of the hybridized method, u and p of order P + 1, u*
 * one more, with Dirichlet and Neumann data; on the paper's mesh with the paper's quadrature it gives the paper's Table
 * 1; all preconditioners come to one solution; it says what it did in text and JSON; and whatever is wrong with the
 * request is one line on stderr and the right exit status. */
#include "command.h"
#include "each_plan.h"
#include "good.h"
#include "store_fixture.h"
#include "../gen/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A run that must succeed, as JSON; the caller deletes it. */
static cJSON *solve(const char *folder, const char *arguments)
{
  char line[1024];
  snprintf(line, sizeof line, "run helmholtz --json -q -d %s %s", test_device_name(), arguments);
  return run_json(folder, "", line);
}

static void close_to(const cJSON *json, const char *key, double expected, double relative)
{
  const double got = json_number(json, key);
  if (!(fabs(got - expected) <= relative * expected)) fail_msg("%s is %.9g, not %.9g", key, got, expected);
}

/* Its digits, and those of an exact solver where the paper's solver stopped too early. */
static void test_table(void **state)
{
  const int last = walks_in_full() ? 5 : 3;
  char *data = NULL;
  size_t length;
  GOOD(wisp_read_file(err, "tests/golden/hdg/table1.json", &data, &length));
  cJSON *golden = cJSON_ParseWithLength(data, length);
  for (int P = 1; P <= last; P++) {
    const cJSON *row = cJSON_GetArrayItem(golden, P - 1);
    const cJSON *paper = cJSON_GetObjectItemCaseSensitive(row, "paper_quadrature");
    const cJSON *exact = cJSON_GetObjectItemCaseSensitive(row, "exact_quadrature");
    static const char *const norms[] = {"l2_u", "l2_p", "l2_ustar"};
    char line[128];
    snprintf(line, sizeof line, "-n %d --box 40 --quadrature paper --tolerance 1e-14", P);
    cJSON *json = solve(*state, line);
    close_to(json, "linf_u", json_number(paper, "linf"), P < 4 ? 1e-5 : 1e-3);
    close_to(json, "l2_u", json_number(paper, "l2"), P < 4 ? 1e-5 : 1e-3);
    cJSON_Delete(json);
    snprintf(line, sizeof line, "-n %d --box 40 --tolerance 1e-14", P);
    json = solve(*state, line);
    for (size_t i = 0; i < WISP_COUNT(norms) && P < 5; i++)
      close_to(json, norms[i], json_number(exact, norms[i]), 1e-4);
    cJSON_Delete(json);
  }
  cJSON_Delete(golden);
  free(data);
}

/* Moved meshes, sides with a flux and sides with a value. */
static void test_orders(void **state)
{
  static const char *const norms[] = {"l2_u", "l2_p", "l2_ustar"};
  for (int P = 1; P <= 5; P++) {
    const int boxes[2] = {P < 3 ? 12 : 6, P < 3 ? 24 : 12};
    double error[2][3];
    for (int i = 0; i < 2; i++) {
      char line[128];
      snprintf(line, sizeof line, "-n %d --box %d --jitter 0.2 --neumann 2,3 --tolerance 1e-13 --lambda 0", P,
               boxes[i]);
      cJSON *json = solve(*state, line);
      for (int k = 0; k < 3; k++) error[i][k] = json_number(json, norms[k]);
      cJSON_Delete(json);
    }
    for (int k = 0; k < 3; k++) {
      const double order = log2(error[0][k] / error[1][k]), least = P + (k < 2 ? 0.7 : 1.7);
      if (!(order >= least))
        fail_msg("P = %d: %s falls from %.3e to %.3e: order %.2f", P, norms[k], error[0][k], error[1][k], order);
    }
  }
}

static void test_preconditioners(void **state)
{
  static const char *const matrices[] = {"blocks", "halves"};
  static const char *const all[] = {"none", "diagonal", "edge-blocks"};
  double error[6], iterations[6];
  for (int i = 0; i < 6; i++) {
    char line[128];
    snprintf(line, sizeof line, "-n 3 --box 10 --tolerance 1e-12 --preconditioner %s --matrix %s", all[i % 3],
             matrices[i / 3]);
    cJSON *json = solve(*state, line);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "converged")) && json_number(json, "residual") <= 1e-12);
    assert_string_equal(json_text(json, "preconditioner"), all[i % 3]);
    error[i] = json_number(json, "l2_u"), iterations[i] = json_number(json, "iterations");
    cJSON_Delete(json);
  }
  for (int i = 1; i < 6; i++) assert_true(fabs(error[i] / error[0] - 1) < 1e-7);
  for (int i = 0; i < 3; i++)
    assert_true(fabs(iterations[i + 3] - iterations[i]) <= 1); /* sums come in another order */
  assert_true(iterations[2] < iterations[0] && iterations[2] < iterations[1]);
}

static void test_report(void **state)
{
  cJSON *json = solve(*state, "-n 2 --box 8,6 --shuffle 3 --jitter 0.2 -pf32 --default --tau 2 --kappa 3");
  assert_true(json_number(json, "elements") == 96 && json_number(json, "edges") == 158);
  assert_true(json_number(json, "unknowns") == 130 * 3 && json_number(json, "tau") == 2);
  assert_true(json_number(json, "seconds") > 0 && json_number(json, "bytes") > 8000);
  assert_true(json_number(json, "l2_u") < 0.05);
  assert_string_equal(json_text(json, "precision"), "f32");
  cJSON_Delete(json);
  char line[64];
  snprintf(line, sizeof line, "run helmholtz -n 1 -d %s", test_device_name());
  outcome o = run_in(*state, "", line);
  assert_int_equal(o.status, 0);
  assert_non_null(strstr(o.out, "unit square, 16 x 16 squares: 512 triangles of order 1, 3 nodes each, 1472 unknowns"));
  assert_non_null(strstr(o.out, "preconditioner edge-blocks"));
  forget(&o);
}

/* --- what is refused --- */

static void expect(const char *folder, int status, const char *arguments, const char *why)
{
  char line[512];
  snprintf(line, sizeof line, "run helmholtz -q -d %s %s", test_device_name(), arguments);
  outcome o = run_in(folder, "", line);
  const char *end = strchr(o.err, '\n');
  if (o.status != status || !strstr(o.err, why) || (end && end[1]))
    fail_msg("wisp %s: status %d: %s", line, o.status, o.err);
  forget(&o);
}

static void test_refused(void **state)
{
  const char *folder = *state;
  expect(folder, 2, "", "give the order of the elements: -n 1 to 9");
  expect(folder, 2, "-n 0", "must be a whole number from 1 to 9");
  expect(folder, 2, "-n 10", "must be a whole number from 1 to 9");
  expect(folder, 2, "-n 1 --tau 0", "tau");
  expect(folder, 2, "-n 1 --tau nan", "tau");
  expect(folder, 2, "-n 1 --kappa -1", "kappa");
  expect(folder, 2, "-n 1 --lambda -1", "lambda");
  expect(folder, 2, "-n 1 --box 0", "must be from 1 to 16384");
  expect(folder, 2, "-n 1 --neumann 7", "no edge of the boundary has the tag 7");
  expect(folder, 2, "-n 1 --neumann x", "must be tags of the boundary");
  expect(folder, 2, "-n 1 --neumann 1,2,3,4 --lambda 0", "it is known up to a constant alone");
  expect(folder, 2, "-n 1 --preconditioner jacobi", "none, diagonal, edge-blocks");
  expect(folder, 2, "-n 1 --quadrature some", "exact, paper");
  expect(folder, 2, "-n 1 --element hex", "hex");
  expect(folder, 2, "-n 9 --box 3000", "more than kernels can count");
  expect(folder, 1, "-n 1 --mesh tests/meshes/none.msh", "none.msh");
  expect(folder, 1, "-n 3 --iterations 2", "no convergence: the residual is");
}

static int set_up(void **state)
{
  static char folder[64];
  fixture_folder(folder);
  *state = folder;
  return 0;
}

static int tear_down(void **state)
{
  fixture_remove(*state);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),  cmocka_unit_test(test_orders),  cmocka_unit_test(test_preconditioners),
      cmocka_unit_test(test_report), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
