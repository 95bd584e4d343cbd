/* Claim: wisp run helmholtz solves on triangles with the orders of the hybridized method, u and p of order P + 1, u*
 * one more, over a jump of the conductivity, with Dirichlet and Neumann data; on the paper's mesh with the paper's
 * quadrature it gives the paper's Table 1; all preconditioners come to one solution; it says what it did in text and
 * JSON; and whatever is wrong with the request is one line on stderr and the right exit status. */
#include "test.h"
#include "command.h"
#include "each_plan.h"
#include "solving.h"
#include "store_fixture.h"
#include "../gen/text.h"
#include "../runtime/api/api.h"

static void close_to(const cJSON *json, const char *key, double expected, double relative)
{
  const double got = json_number(json, key);
  if (!(fabs(got - expected) <= relative * expected)) fail_msg("%s is %.9g, not %.9g", key, got, expected);
}

/* Its digits, and those of an exact solver where the paper's solver stopped too early. */
TEST(test_table)
{
  const int last = walks_in_full() ? 5 : 3;
  size_t length;
  OWNED(free) char *data = fixture_read("tests/golden/hdg/table1.json", &length);
  OWNED(cJSON_Delete) cJSON *golden = cJSON_ParseWithLength(data, length);
  for (int P = 1; P <= last; P++) {
    const cJSON *row = cJSON_GetArrayItem(golden, P - 1);
    const cJSON *paper = cJSON_GetObjectItemCaseSensitive(row, "paper_quadrature");
    const cJSON *exact = cJSON_GetObjectItemCaseSensitive(row, "exact_quadrature");
    static const char *const norms[] = {"l2_u", "l2_p", "l2_ustar"};
    OWNED(cJSON_Delete)
    cJSON *json = solve_json(*state, "helmholtz", "-n %d --box 40 --quadrature paper --tolerance 1e-14", P);
    close_to(json, "linf_u", json_number(paper, "linf"), P < 4 ? 1e-5 : 1e-3);
    close_to(json, "l2_u", json_number(paper, "l2"), P < 4 ? 1e-5 : 1e-3);
    cJSON_Delete(json);
    json = solve_json(*state, "helmholtz", "-n %d --box 40 --tolerance 1e-14", P);
    for (size_t i = 0; i < WISP_COUNT(norms) && P < 5; i++)
      close_to(json, norms[i], json_number(exact, norms[i]), 1e-4);
  }
}

/* A plate of two materials, unstructured, and two refinements: made by Gmsh, or as `make bundle` made them. */
static const char *plate(const char *folder, int mesh)
{
  static char path[128];
  char command[256];
  snprintf(command, sizeof command, "cp tests/meshes/plate.* %s && cd %s && gmsh plate.geo -v 1 -nt 1 - >log 2>&1",
           folder, folder);
  snprintf(path, sizeof path, "%s/plate%d.msh", folder, mesh);
  if (access(path, R_OK) != 0 && system("command -v gmsh >/dev/null") == 0) assert_int_equal(system(command), 0);
  if (access(path, R_OK) != 0) snprintf(path, sizeof path, "tests/meshes/plate%d.msh", mesh);
  if (access(path, R_OK) != 0) fail_msg("the command gmsh is missing, and so is %s", path);
  return path;
}

/* Two materials of ten times the conductivity, sides with a flux and sides with a value, all by name. */
TEST(test_orders)
{
  static const char *const norms[] = {"l2_u", "l2_p", "l2_ustar"};
  for (int P = 1; P <= 5; P++) {
    double error[2][3];
    for (int i = 0; i < 2; i++) {
      OWNED(cJSON_Delete)
      cJSON *json = solve_json(*state, "helmholtz",
                               "-n %d --mesh %s --neumann right,top --tolerance 1e-13 --kappa 'region==steel?10:1' "
                               "--lambda 'region==glass?0:y' --solution 'sin(2*pi*x)*sin(2*pi*y)/(region==steel?10:1)'",
                               P, plate(*state, i + (P < 3)));
      for (int k = 0; k < 3; k++) error[i][k] = json_number(json, norms[k]);
    }
    for (int k = 0; k < 3; k++) {
      const double order = log2(error[0][k] / error[1][k]), least = P + (k < 2 ? 0.7 : 1.7);
      if (!(order >= least))
        fail_msg("P = %d: %s falls from %.3e to %.3e: order %.2f", P, norms[k], error[0][k], error[1][k], order);
    }
  }
}

/* If u is known up to a constant, the run takes the one of mean 0; the same u by its source and flux. */
TEST(test_own_problem)
{
  const char *vtu = fixture_path(*state, "u.vtu");
  cJSON *json =
      solve_json(*state, "helmholtz", "-n 4 --box 10 --neumann 1,2,3,4 --lambda 0 --solution 'cos(pi*x)*cos(pi*y)'");
  assert_true(json_number(json, "l2_u") < 1e-5 && json_number(json, "l2_ustar") < 1e-6);
  cJSON_Delete(json);
  json =
      solve_json(*state, "helmholtz",
                 "-n 2 --box 2 --lambda 0 --source -4 --value 'x*x+y*y' --flux 'tag==2?2:0' --neumann 1,2 -o %s", vtu);
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "l2_u"))); /* nobody knows u */
  cJSON_Delete(json);
  size_t length;
  char *file = fixture_read(vtu, &length), *at = memchr(file, '_', length);
  while (at && at[-1] != '\n') at = memchr(at + 1, '_', length - (size_t)(at + 1 - file));
  const size_t points = 8 * 10;
  double xyz[8 * 10 * 3], u[8 * 10];
  memcpy(xyz, at + 1 + 8, sizeof xyz);
  memcpy(u, at + 1 + 8 + sizeof xyz + 8 + points * 8 + 8 + 64 + 8 + 8 + 8, sizeof u);
  for (size_t i = 0; i < points; i++)
    assert_true(fabs(u[i] - xyz[3 * i] * xyz[3 * i] - xyz[3 * i + 1] * xyz[3 * i + 1]) < 1e-8);
  free(file);
}

/* All come to one solution, each in fewer iterations than the one before, but for the diagonal. */
TEST(test_preconditioners)
{
  static const char *const all[] = {"none", "diagonal", "edge-blocks", "two-levels"};
  static const char *const matrices[] = {"blocks", "halves", "unstored"};
  enum { TRIED = 11 }; /* two levels are not for unstored ones */
  double error[TRIED], iterations[TRIED];
  for (int i = 0; i < TRIED; i++) {
    const char *const how = all[i % 4];
    OWNED(cJSON_Delete)
    cJSON *json = solve_json(*state, "helmholtz", "-n 3 --box 10 --tolerance 1e-12 --preconditioner %s --matrix %s",
                             how, matrices[i / 4]);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "converged")) && json_number(json, "residual") <= 1e-12);
    assert_string_equal(json_text(json, "preconditioner"), how);
    error[i] = json_number(json, "l2_u"), iterations[i] = json_number(json, "iterations");
  }
  for (int i = 1; i < TRIED; i++) assert_true(fabs(error[i] / error[0] - 1) < 1e-7);
  for (int i = 4; i < TRIED; i++)
    assert_true(fabs(iterations[i] - iterations[i % 4]) <= 1); /* sums come in another order */
  assert_true(iterations[2] < iterations[0] && iterations[2] < iterations[1] && iterations[3] < iterations[2] / 3);
}

/* The coarse problem's numbers in single precision: the same solution, hardly more iterations. */
TEST(test_narrow)
{
  static const char *const runs[] = {"-n 3 --box 40,30 --jitter 0.2",
                                     "-n 2 --box 12 --matrix halves --preconditioner two-levels"};
  for (size_t i = 0; i < WISP_COUNT(runs); i++) {
    OWNED(cJSON_Delete) cJSON *own = solve_json(*state, "helmholtz", "%s", runs[i]);
    OWNED(cJSON_Delete) cJSON *single = solve_json(*state, "helmholtz", "%s --coarse single", runs[i]);
    run_expect(*state, "", 0, "\nnarrow_cycle", "run helmholtz -d %s %s --coarse single", test_device_name(), runs[i]);
    close_to(single, "l2_u", json_number(own, "l2_u"), 1e-6);
    assert_true(fabs(json_number(single, "iterations") - json_number(own, "iterations")) <= 1);
  }
}

/* All set-ups come to one matrix, the paper's also where its elements' matrices go batch by batch, the last one short.
 */
TEST(test_setups)
{
  static const char *const setups[] = {"condense+assemble", "condense+clear_blocks+scatter", "build",
                                       "build_inside+invert_inside+multiply_inside+assemble",
                                       "build_inside+invert_inside+multiply_inside+assemble --batch 100"};
  double error[WISP_COUNT(setups)];
  for (size_t i = 0; i < WISP_COUNT(setups); i++) {
    OWNED(cJSON_Delete)
    cJSON *json = solve_json(*state, "helmholtz", "-n 2 --box 11 --jitter 0.2 --tolerance 1e-12 --setup %s", setups[i]);
    assert_true(strncmp(json_text(json, "setup"), setups[i], strlen(json_text(json, "setup"))) == 0);
    error[i] = json_number(json, "l2_u");
    assert_true(fabs(error[i] / error[0] - 1) < 1e-7);
  }
}

/* If condense's winner leaves one matrix after the other in place of slabs, all that reads them takes them so. */
TEST(test_aos)
{
  static const char *const condensers[] = {"columns", "columns-aos"};
  double error[2];
  for (int i = 0; i < 2; i++) {
    const char *db = fixture_path(*state, condensers[i]), *device = test_device_name();
    char line[512], before[256];
    run_expect(*state, "", 0, "",
               "tune -q -d %s -f hdg -n 2 -p f64 -k condense -s %s --defaults --elements 200 --db %s", device,
               condensers[i], db);
    snprintf(before, sizeof before, "WISP_DB=%s WISP_SHIPPED=none", db);
    snprintf(line, sizeof line,
             "run helmholtz -d %s -n 2 --box 9,7 --jitter 0.2 --tolerance 1e-12 --preconditioner edge-blocks"
             " --matrix halves",
             device);
    outcome o = run_in(*state, before, line);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out, condensers[i]));
    assert_int_equal(strstr(o.out, "\nassemble aos ") != NULL, i);
    assert_int_equal(strstr(o.out, "\nmultiply     aos ") != NULL, i);
    forget(&o);
    strcat(line, " --json -q");
    OWNED(cJSON_Delete) cJSON *json = run_json(*state, before, line);
    error[i] = json_number(json, "l2_u");
  }
  assert_true(fabs(error[1] / error[0] - 1) < 1e-7);
}

/* On request a run takes no kernel that adds by atomics, and two runs leave the same bits. */
TEST(test_reproducible)
{
  double l2[2];
  expect_varying(wisp_family_spec(wisp_family_find("hdg"), 2, NULL, WISP_F64), "condense+clear_blocks+scatter");
  for (int i = 0; i < 2; i++) l2[i] = solve_number(*state, "l2_u", "helmholtz", "-n 2 --box 8 --reproducible");
  assert_true(memcmp(&l2[0], &l2[1], sizeof l2[0]) == 0);
}

/* Cut along either diagonal: u is even or odd where x and y are mirrored, so that either cut has the same errors; and
 * sides keep their names. */
TEST(test_diagonals)
{
  static const char *const norms[] = {"linf_u", "l2_u", "l2_p", "l2_ustar"};
  for (int side = 1; side <= 4; side++) {
    const int mirrored = side < 3 ? 3 - side : side; /* left for right */
    cJSON *const cut[] = {
        solve_json(*state, "helmholtz", "-n 2 --box 9,6 --tolerance 1e-13 --neumann %d", side),
        solve_json(*state, "helmholtz", "-n 2 --box 9,6 --tolerance 1e-13 --diagonal falling --neumann %d", mirrored)};
    for (size_t i = 0; i < WISP_COUNT(norms); i++) close_to(cut[1], norms[i], json_number(cut[0], norms[i]), 1e-8);
    cJSON_Delete(cut[0]), cJSON_Delete(cut[1]);
  }
}

/* Two levels: iterations do not grow with the mesh, nor much over jumps of 10^4. */
TEST(test_levels)
{
  static const char *const meshes[] = {"--mesh", "--box 40 --jitter 0.2 --shuffle 1", "--box 80 --jitter 0.2"};
  const int last = walks_in_full() ? 9 : getenv("WISP_TEST_COARSE") ? 1 : 3;
  for (int P = 1; P <= last; P += 2) {
    double least = 1e9, most = 0;
    for (int i = 0; i < (walks_in_full() ? 3 : 2); i++) {
      const double iterations =
          solve_number(*state, "iterations", "helmholtz", "-n %d %s %s", P, meshes[i], i ? "" : plate(*state, 2));
      least = fmin(least, iterations), most = fmax(most, iterations);
    }
    if (most > 30 || most > least + 7) fail_msg("P = %d: %g to %g iterations", P, least, most);
  }
  const double of_jump = solve_number(*state, "iterations", "helmholtz", "-n 2 --box 40 --source 1 --kappa '%s'",
                                      "((x*4%2<1)==(y*4%2<1)) ? 1 : 10000");
  if (of_jump > 110) fail_msg("a jump takes %g", of_jump);
}

TEST(test_report)
{
  cJSON *json =
      solve_json(*state, "helmholtz", "-n 2 --box 8,6 --shuffle 3 --jitter 0.2 -pf32 --default --tau 2 --kappa 3");
  assert_true(json_number(json, "elements") == 96 && json_number(json, "edges") == 158);
  assert_true(json_number(json, "unknowns") == 130 * 3 && json_number(json, "tau") == 2);
  assert_true(json_number(json, "seconds") > 0 && json_number(json, "bytes") > 8000);
  assert_true(json_number(json, "l2_u") < 0.05);
  assert_string_equal(json_text(json, "precision"), "f32");
  cJSON_Delete(json);
  HELD(forget) outcome o = run_with(*state, "", "run helmholtz -n 1 -d %s", test_device_name());
  assert_int_equal(o.status, 0);
  assert_non_null(strstr(o.out, "unit square, 16 x 16 squares: 512 triangles of order 1, 3 nodes each, 1472 unknowns"));
  assert_non_null(strstr(o.out, "preconditioner two-levels"));
}

/* --- what is refused --- */

static void expect(const char *folder, int status, const char *arguments, const char *why)
{
  run_expect(folder, "", status, why, "run helmholtz -q -d %s %s", test_device_name(), arguments);
}

/* A mesh of these nodes and elements, in Gmsh's form. */
static void expect_of_mesh(const char *folder, int status, const char *nodes, const char *elements,
                           const char *arguments, const char *why)
{
  char line[1024];
  snprintf(line, sizeof line, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%s$EndNodes\n$Elements\n%s$EndElements\n",
           nodes, elements);
  snprintf(line, sizeof line, "-n 1 --mesh %s %s", fixture_text(folder, "bad.msh", line), arguments);
  expect(folder, status, line, why);
}

TEST(test_bad_meshes)
{
  const char *folder = *state, *corners = "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n";
  const char *two = "2\n1 2 2 1 1 1 2 3\n2 2 2 1 1 2 4 3\n";
  const char *apart = "7\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n5 2 0 0\n6 3 0 0\n7 2 1 0\n";
  const char *pieces =
      "6\n1 2 2 1 1 1 2 3\n2 2 2 1 1 2 4 3\n3 2 2 1 1 5 6 7\n4 1 2 9 9 5 6\n5 1 2 9 9 6 7\n6 1 2 9 9 7 5\n";
  expect_of_mesh(folder, 1, corners, "1\n1 3 2 1 1 1 2 4 3\n", "", "quadrangle");
  expect_of_mesh(folder, 1, "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0.5\n", two, "", "the triangles lie in no plane");
  expect_of_mesh(folder, 1, "5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n5 0.2 0.9 0\n",
                 "3\n1 2 2 1 1 1 2 3\n2 2 2 1 1 2 4 3\n3 2 2 1 1 2 5 3\n", "", "the mesh does not conform");
  expect_of_mesh(folder, 1, "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0.5 0.5000000000000001 0\n", two, "", "without area");
  expect_of_mesh(folder, 1, "4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", "1\n1 4 2 1 1 1 2 3 4\n", "", "a tetrahedron");
  expect_of_mesh(folder, 1, corners, "2\n1 2 2 1 1 1 2 3\n2 2 2 1 1 1 2 4\n", "", "both lie on one side of edge");
  expect_of_mesh(folder, 2, apart, pieces, "--neumann 9 --lambda 0 --source 1", "piece 2 of 2: lambda is 0");
}

TEST(test_refused)
{
  const char *folder = *state;
  expect(folder, 2, "", "give the order of the elements: -n 1 to 9");
  expect(folder, 2, "-n 0", "must be an order from 1 to 9");
  expect(folder, 2, "-n 10", "must be an order from 1 to 9");
  expect(folder, 2, "-n 1 --tau 0", "tau");
  expect(folder, 2, "-n 1 --tau nan", "tau");
  expect(folder, 2, "-n 1 --tau two", "tau");
  expect(folder, 2, "-n 1 --kappa -1", "kappa");
  expect(folder, 2, "-n 1 --lambda -1", "lambda");
  expect(folder, 2, "-n 1 --kappa 0/0", "kappa is");
  expect(folder, 2, "-n 1 --lambda 1/0", "lambda is inf");
  expect(folder, 2, "-n 1 --box 0", "must be from 1 to 16384");
  expect(folder, 2, "-n 1 --neumann 7", "'7' is no tag, nor a name, of a physical curve: there are 1, 2, 3, 4");
  expect(folder, 2, "-n 1 --neumann x", "'x' is no tag, nor a name");
  expect(folder, 2, "-n 1 --neumann 1,2,3,4 --lambda 0 --source 1", "1 flows in, of 1");
  expect(folder, 2, "-n 1 --source 1/x+w", "the name 'w' is not defined");
  expect(folder, 2, "-n 1 --source '1/(x-x)'", "the source is not finite in triangle 0");
  expect(folder, 2, "-n 1 --source 1 --value '1/(y-y)'", "not finite on edge");
  expect(folder, 2, "-n 1 --solution x%2", "'%' has no derivative");
  expect(folder, 2, "-n 1 --solution x --flux 1", "leave these out");
  expect(folder, 1, "-n 1 --box 2 -o /nowhere/at/all.vtu", "/nowhere/at/all.vtu");
  expect(folder, 2, "-n 1 --preconditioner jacobi", "none, diagonal, edge-blocks, two-levels");
  expect(folder, 2, "-n 1 --matrix halves --setup build", "which the set-up 'build' does not leave");
  expect(folder, 2, "-n 1 --setup fold", "composition 'fold' is not known");
  expect(folder, 2, "-n 1 --batch 0", "batch");
  expect(folder, 2, "-n 1 --preconditioner two-levels --matrix unstored", "cannot be applied unstored");
  expect(folder, 1, "-n 5 --box 4 --matrix unstored", "reading the matrix is faster");
  expect(folder, 2, "-n 1 --quadrature some", "exact, paper");
  expect(folder, 2, "-n 1 --coarse single --preconditioner none", "is for --preconditioner two-levels");
  expect(folder, 2, "-n 1 --coarse double", "own, single");
  expect(folder, 2, "-n 1 --diagonal up", "rising, falling");
  expect(folder, 2, "-n 1 --diagonal falling --mesh tests/meshes/none.msh", "leave one out");
  expect(folder, 2, "-n 1 --element hex", "hex");
  expect(folder, 2, "-n 9 --box 3000", "more than kernels can count");
  expect(folder, 1, "-n 1 --mesh tests/meshes/none.msh", "none.msh");
  expect(folder, 1, "-n 3 --iterations 2", "no convergence: the residual is");
}

/* A solve that failed leaves no file; one that had nothing to do says so. */
TEST(test_nothing)
{
  char line[256];
  snprintf(line, sizeof line, "-n 3 --iterations 2 -o %s/failed.vtu", (const char *)*state);
  expect(*state, 1, line, "no convergence");
  assert_int_not_equal(access(fixture_path(*state, "failed.vtu"), F_OK), 0);
  HELD(forget) outcome o = run_with(*state, "", "run helmholtz -n 2 --source 0 -d %s", test_device_name());
  assert_int_equal(o.status, 0);
  assert_non_null(strstr(o.err, "note: the residual is 0 before the first iteration"));
}

GROUP(fixture_set_up, fixture_tear_down)
