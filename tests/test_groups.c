/* Claim: physical groups are known by dimension, number and name, whatever the name is, and whoever is in several is in
 * each of them; all options read them alike, and what is no group is refused with a list of those that there are. */
#include "test.h"
#include "api_case.h"
#include "command.h"
#include "solving.h"
#include "store_fixture.h"

/* --- meshes --- */

#define FORMAT_2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define FORMAT_4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define LONG_NAME \
  "a name of a material that is much longer than the sixty-three characters that were once enough for it"

/* The unit square: four triangles around its middle; below, to the right, above, to the left. Curves 1 to 4 are its
 * sides in this order, and 9 is all of them but the last. */
#define SQUARE_NODES "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 .5 .5 0\n$EndNodes\n"
#define SIDES \
  "1 1 2 1 1 1 2\n2 1 2 2 2 2 3\n3 1 2 3 3 3 4\n4 1 2 4 4 4 1\n5 1 2 9 1 1 2\n6 1 2 9 2 2 3\n7 1 2 9 3 3 4\n"
static const char square[] =
    FORMAT_2 "$PhysicalNames\n10\n1 1 \"copper\"\n1 2 \"right side\"\n1 3 \"a,b=c\"\n1 4 \"pi\"\n1 9 \"most\"\n"
             "2 1 \"x\"\n2 2 \"copper\"\n2 3 \"outer-wall\"\n2 4 \"Schl\xc3\xbcssel \xe9\x8d\xb5\"\n2 7 \"" LONG_NAME
             "\"\n$EndPhysicalNames\n" SQUARE_NODES "$Elements\n15\n" SIDES
             "8 2 2 1 1 1 2 5\n9 2 2 2 1 2 3 5\n10 2 2 3 1 3 4 5\n11 2 2 4 1 4 1 5\n"
             "12 2 2 7 1 1 2 5\n13 2 2 7 1 2 3 5\n14 2 2 7 1 3 4 5\n15 2 2 8 1 2 3 5\n$EndElements\n";

/* The same of format 4.1: surface 1 is the triangle below, in the groups 1 and 7. */
#define POINTS_4 "$Nodes\n1 5 1 5\n2 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n.5 .5 0\n$EndNodes\n"
static const char square_4[] = FORMAT_4
    "$PhysicalNames\n2\n2 1 \"low\"\n2 7 \"all\"\n$EndPhysicalNames\n"
    "$Entities\n0 2 2 0\n1 0 0 0 1 0 0 2 4 5 0\n2 0 0 0 1 1 0 1 5 0\n"
    "1 0 0 0 1 1 0 2 1 7 0\n2 0 0 0 1 1 0 1 7 0\n$EndEntities\n" POINTS_4
    "$Elements\n4 8 1 8\n1 1 1 1\n1 1 2\n1 2 1 3\n2 2 3\n3 3 4\n4 4 1\n2 1 2 1\n5 1 2 5\n2 2 2 3\n6 2 3 5\n7 3 4 5\n"
    "8 4 1 5\n$EndElements\n";

/* A tet, the volume 1, with a face; a surface and the volume are both called air. */
static const char tet[] = FORMAT_2 "$PhysicalNames\n3\n2 2 \"air\"\n2 5 \"walls\"\n3 1 \"air\"\n$EndPhysicalNames\n"
                                   "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                                   "$Elements\n5\n1 2 2 2 1 1 2 3\n2 2 2 5 2 1 2 4\n3 2 2 5 3 1 3 4\n4 2 2 5 4 2 3 "
                                   "4\n5 4 2 1 1 1 2 3 4\n$EndElements\n";

/* --- what elements have --- */

/* An option of a run, as a shell has it between single quotes. */
static cJSON *solve(const char *folder, const char *problem, const char *mesh, const char *option, const char *text)
{
  return solve_json(folder, problem, "--default -n 1 --mesh %s %s '%s'", fixture_path(folder, mesh), option, text);
}

static double helmholtz_p(const char *folder, const char *mesh, const char *kappa)
{
  OWNED(cJSON_Delete) cJSON *json = solve(folder, "helmholtz", mesh, "--kappa", kappa);
  return json_number(json, "l2_p");
}

/* The error of kappa grad u tells which triangles have which kappa. */
static void same_kappa(const char *folder, const char *mesh, const char *kappa, const char *by_place)
{
  const double found = helmholtz_p(folder, mesh, kappa), wanted = helmholtz_p(folder, mesh, by_place);
  if (!(fabs(found / wanted - 1) < 1e-9)) fail_msg("%s: %.9g, and %s: %.9g", kappa, found, by_place, wanted);
}

TEST_IN_FOLDER(test_surfaces)
{
  static const char *const alike[][2] = {
      {"region == 1 ? 10 : 1", "y < .3 ? 10 : 1"},
      {"region == \"x\" ? 10 : 1", "y < .3 ? 10 : 1"},
      {"region == copper ? 10 : 1", "x > .7 ? 10 : 1"}, /* the surface, though a curve is called so too */
      {"copper == region ? 10 : 1", "x > .7 ? 10 : 1"},
      {"region != copper ? 10 : 1", "x > .7 ? 1 : 10"},
      {"region == \"outer-wall\" ? 10 : 1", "y > .7 ? 10 : 1"},
      {"region == \"Schl\xc3\xbcssel \xe9\x8d\xb5\" ? 10 : 1", "x < .3 ? 10 : 1"},
      {"region == \"" LONG_NAME "\" ? 10 : 1", "x < .3 ? 1 : 10"},
      {"region == 7 ? 10 : 1", "x < .3 ? 1 : 10"},
      {"region == 8 ? 10 : region == 7 ? 5 : 1", "x > .7 ? 10 : x < .3 ? 1 : 5"},
      {"region != 7 && region != 8 ? 10 : 1", "x < .3 ? 10 : 1"},
      {"region == 0 ? 10 : 1", "1"},
      {"copper=10", "x > .7 ? 10 : 1"},
      {"3=10 + x, \"x\" = 2*x", "y > .7 ? 10 + x : y < .3 ? 2*x : 1"},
      {"7=10, 3, copper=max(5, x)", "x > .7 ? 5 : x < .3 ? 3 : 10"},
      {"copper=x <= .5 ? 3 : region == 8 ? 10 : 2", "x > .7 ? 10 : 1"},
  };
  fixture_text(*state, "square.msh", square);
  fixture_text(*state, "four.msh", square_4);
  for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) same_kappa(*state, "square.msh", alike[i][0], alike[i][1]);
  same_kappa(*state, "four.msh", "region == low ? 10 : 1", "y < .3 ? 10 : 1");
  same_kappa(*state, "four.msh", "region == all ? 10 : 1", "10");
  same_kappa(*state, "four.msh", "region == all && region != 1 ? 10 : 1", "y < .3 ? 1 : 10");
}

TEST_IN_FOLDER(test_volumes)
{
  static const char *const alike[] = {"region == air ? 4 : 1", "region == 1 ? 4 : 1", "region != \"air\" ? 1 : 4"};
  fixture_text(*state, "tet.msh", tet);
  for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
    OWNED(cJSON_Delete) cJSON *json = solve(*state, "acoustics --steps 1", "tet.msh", "--kappa", alike[i]);
    const cJSON *range = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "coefficients"), "kappa");
    assert_true(cJSON_GetArrayItem(range, 0)->valuedouble == 4 && cJSON_GetArrayItem(range, 1)->valuedouble == 4);
  }
}

/* --- what boundaries have --- */

/* The mean of u where it is 1 on these sides, and nothing flows through the others, so far as u is nowhere given. */
static double mean_of(const char *folder, const char *mesh, const char *option, const char *text)
{
  OWNED(cJSON_Delete)
  cJSON *json = solve(folder, "heat --capacity 1 --kappa 1 --steps 1 --time .1", mesh, option, text);
  return json_number(json, "u_mean");
}

TEST_IN_FOLDER(test_fix)
{
  static const char *const alike[][2] = {
      {"copper=1", "1=1"},
      {"right side=1", "2=1"},
      {"\"right side\" = 1, copper=2", "2=1,1=2"},
      {"\"a,b=c\"=1", "3=1"},
      {"pi=1", "4=1"},
      {"most=1", "1=1,2=1,3=1"},
      {"9=1,4=0", "1=1,2=1,3=1,4=0"},
      {"copper=3,most=1", "1=1,2=1,3=1"}, /* the last counts */
  };
  fixture_text(*state, "square.msh", square);
  fixture_text(*state, "four.msh", square_4);
  for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
    const double found = mean_of(*state, "square.msh", "--fix", alike[i][0]);
    const double wanted = mean_of(*state, "square.msh", "--fix", alike[i][1]);
    if (!(fabs(found - wanted) < 1e-12)) fail_msg("%s: %.12g, not %.12g", alike[i][0], found, wanted);
  }
  const double all = mean_of(*state, "square.msh", "--fix", "1=1,2=1,3=1,4=1"); /* as curves 1 and 2 of the other */
  assert_true(fabs(mean_of(*state, "four.msh", "--fix", "5=1") - all) < 1e-12);
  assert_true(fabs(mean_of(*state, "four.msh", "--fix", "4=1") - all) > 0.01);
}

/* tag is compared with the groups of edges, as region is with those of triangles. */
TEST_IN_FOLDER(test_neumann)
{
  static const char *const alike[][2] = {
      {"--neumann \"right side,most\"", "--neumann 9"},
      {"--neumann \"\\\"a,b=c\\\"\"", "--neumann 3"},
      {"--neumann copper,4", "--neumann pi,1"},
  };
  char line[2][256];
  fixture_text(*state, "square.msh", square);
  for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      snprintf(line[k], sizeof line[k], "helmholtz %s", alike[i][k]);
      OWNED(cJSON_Delete) cJSON *json = solve(*state, line[k], "square.msh", "--solution", "x*x*y");
      error[k] = json_number(json, "l2_u");
    }
    if (!(fabs(error[0] / error[1] - 1) < 1e-9)) fail_msg("%s: %g, not %g", alike[i][0], error[0], error[1]);
  }
}

static double energy_by(const char *folder, const char *boundary)
{
  OWNED(cJSON_Delete)
  cJSON *json = solve(folder, "maxwell --steps 30 --dt 0.01 --start cavity", "cube.msh", "--boundary", boundary);
  return json_number(json, "energy_final");
}

/* A cube of six tets whose faces are the groups 1, x is least, and 2, all others. */
static void write_cube(const char *folder)
{
  static const int axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}}; /* three are odd */
  HELD(wisp_text_free) wisp_text text = {0};
  GOOD(wisp_text_print(err, &text, FORMAT_2 "$PhysicalNames\n1\n2 1 \"open end\"\n$EndPhysicalNames\n$Nodes\n8\n"));
  for (int v = 0; v < 8; v++) GOOD(wisp_text_print(err, &text, "%d %d %d %d\n", v + 1, v & 1, v >> 1 & 1, v >> 2));
  GOOD(wisp_text_print(err, &text, "$EndNodes\n$Elements\n18\n"));
  for (int face = 0; face < 12; face++) {
    const int d = face / 4, side = face / 2 % 2, a = 1 << (d + 1) % 3, b = 1 << (d + 2) % 3, low = 1 + (side << d);
    GOOD(wisp_text_print(err, &text, "%d 2 2 %d 1 %d %d %d\n", face + 1, d == 0 && !side ? 1 : 2, low,
                         low + (face % 2 ? a : b), low + a + b));
  }
  for (int t = 0; t < 6; t++) {
    int corner[4] = {1}; /* from one corner along three edges to the opposite one */
    for (int i = 0; i < 3; i++) corner[i + 1] = corner[i] + (1 << axes[t][i]);
    GOOD(wisp_text_print(err, &text, "%d 4 2 1 1 %d %d %d %d\n", t + 13, corner[0], corner[1], corner[2 + (t > 2)],
                         corner[3 - (t > 2)]));
  }
  GOOD(wisp_text_print(err, &text, "$EndElements\n"));
  fixture_text(folder, "cube.msh", text.data);
}

/* Walls by group: those that absorb on all sides take the most, on one side some, and a kind alone is the rest's. */
TEST_IN_FOLDER(test_walls)
{
  write_cube(*state);
  const double none = energy_by(*state, "pec"), all = energy_by(*state, "absorbing");
  const double one = energy_by(*state, "open end=absorbing"), others = energy_by(*state, "2=absorbing,pec");
  assert_true(all < others && others < one && one < none);
  assert_true(energy_by(*state, "1=absorbing,2=absorbing") == all);
  assert_true(energy_by(*state, "1=pec") == none);
  assert_true(energy_by(*state, "\"open end\"=absorbing,2=pec") == one);
  assert_true(energy_by(*state, "absorbing,2=pec") == one);
}

/* --- the library --- */

TEST_IN_FOLDER(test_library)
{
  const char *mesh = fixture_text(*state, "square.msh", square);
  static const int tags[] = {1, 2};
  OWNED(wisp_session_close) wisp_session *session = NULL;
  wisp_matrix *matrix[2] = {NULL};
  wisp_matrix_counts counts[2];
  wisp_error refused = {.text = ""};
  wisp_matrix_request request = {WISP_INIT(wisp_matrix_request), .spec = "assembly.step:tri:p2:laplace:f64",
                                 .mesh = mesh, .tags = tags, .tag_count = 2};
  GOOD(wisp_session_open(
      err, &(wisp_session_request){WISP_INIT(wisp_session_request), .device = test_device_name(), .defaults_only = 1},
      &session));
  GOOD(wisp_matrix_create(err, session, &request, &matrix[0]));
  request.tags = NULL, request.groups = "copper,\"right side\"";
  GOOD(wisp_matrix_create(err, session, &request, &matrix[1]));
  for (int i = 0; i < 2; i++) GOOD(wisp_matrix_size(err, matrix[i], &counts[i]));
  assert_true(counts[0].rows == counts[1].rows && counts[0].nodes == counts[1].nodes);
  assert_int_equal(counts[0].rows, counts[0].nodes - 5);
  request.groups = "coper";
  assert_int_equal(wisp_matrix_create(&refused, session, &request, &matrix[0]), WISP_EUSAGE);
  assert_non_null(strstr(refused.text, "matrix: groups: 'coper' is no tag, nor a name"));
  for (int i = 0; i < 2; i++) wisp_matrix_destroy(matrix[i]);
}

/* A program's walls: the sides of a box, or groups that it has not. */
TEST(test_program)
{
  static const char *const walls[] = {"pec", "1=absorbing,pec", "absorbing"};
  double energy[3];
  for (int i = 0; i < 3; i++) {
    const wisp_solver_setting settings[] = {{"boundary", walls[i]}, {NULL, NULL}};
    api_solve s;
    api_open(&s, &(wisp_solver_request){WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 1, .box = "2",
                                        .settings = settings});
    const size_t count = s.K * s.Np * s.n;
    OWNED(free) double *u = zeros(count);
    for (size_t k = 0; k < count; k++) u[k] = sin((double)k);
    GOOD(wisp_solver_set(err, s.solver, NULL, u));
    api_steps(&s, 0.01, 20);
    energy[i] = api_number(&s, "energy_final");
    api_close(&s);
  }
  assert_true(energy[2] < energy[1] && energy[1] < energy[0]);
  static const wisp_solver_setting wrong[] = {{"boundary", "7=absorbing"}, {NULL, NULL}};
  const wisp_solver_request request = {WISP_INIT(wisp_solver_request), .problem = "maxwell", .order = 1, .box = "2",
                                       .settings = wrong};
  api_solve none;
  BAD(api_try(err, &none, &request), WISP_EUSAGE, "option --boundary: '7' is no tag");
}

/* --- what is refused --- */

TEST_IN_FOLDER(test_refused)
{
  static const struct {
    const char *problem, *arguments, *why;
  } bad[] = {
      {"helmholtz", "--kappa 'region == x ? 10 : 1'", "'x' is a name of the language and that of a physical surface"},
      {"helmholtz", "--kappa 'region == 77 ? 10 : 1'",
       "'77' is no tag, nor a name, of a physical surface: there are 1 \"x\", 2"},
      {"helmholtz", "--kappa 'region == 9 ? 10 : 1'",
       "'9' is a physical curve of the mesh, and a physical surface is wanted"},
      {"helmholtz", "--kappa 'region == 1.5 ? 10 : 1'", "'1.5' is no tag"},
      {"helmholtz", "--kappa 'region == -1 ? 10 : 1'", "'-1' is no tag"},
      {"helmholtz", "--kappa 'region == most ? 10 : 1'",
       "'most' is a physical curve of the mesh, and a physical surface is wanted"},
      {"helmholtz", "--kappa 'region == outer-wall ? 10 : 1'", "write \"outer-wall\" in quotes"},
      {"helmholtz", "--kappa 'region == \"outer-wal\" ? 10 : 1'", "'outer-wal' is no tag"},
      {"helmholtz", "--kappa 'region == \"outer-wall ? 10 : 1'", "the quote \" has no end"},
      {"helmholtz", "--kappa '\"copper\"'", "the text 'copper' is no number"},
      {"helmholtz", "--kappa 'region > 1 ? 10 : 1'", "'region' is no number here"},
      {"helmholtz", "--kappa 'tag == most ? 10 : 1'", "'tag' is known on the boundary alone"},
      {"helmholtz", "--kappa 'copper=2,most=3'",
       "kappa: 'most' is a physical curve of the mesh, and a physical surface"},
      {"helmholtz", "--kappa 'coper=2'",
       "kappa: 'coper' is no tag, nor a name, of a physical surface: there are 1 \"x\""},
      {"helmholtz", "--kappa 'copper=2,3,4'", "kappa is 'copper=2,3,4': more than one value stands without a group"},
      {"helmholtz", "--kappa 'copper=2,=3'", "kappa: there is a name missing before =3"},
      {"helmholtz", "--kappa 'copper=,7=3'", "kappa: there is a value missing of copper"},
      {"helmholtz", "--kappa 'copper=2*q'", "the name 'q' is not defined"},
      {"helmholtz", "--kappa 'copper=-2'", "must be positive"},
      {"helmholtz", "--lambda '\"copper=2'", "the quote \" has no end"},
      {"helmholtz", "--kappa 'copper'", "'copper' is the name of several physical groups"},
      {"helmholtz", "--source 1 --value 'tag == pi'", "'pi' is a name of the language and that of a physical curve"},
      {"helmholtz", "--source 1 --value 'tag == 5'",
       "'5' is no tag, nor a name, of a physical curve: there are 1 \"copper\""},
      {"helmholtz", "--neumann coper", "option --neumann: 'coper' is no tag"},
      {"helmholtz", "--neumann 1,,2", "option --neumann: there is a name missing"},
      {"heat", "--fix most", "must be TAG=VALUE"},
      {"heat", "--fix most=hot", "must be TAG=VALUE"},
      {"heat", "--fix coper=1",
       "option --fix: 'coper' is no tag, nor a name, of a physical curve: there are 1 \"copper\""},
      {"heat", "--fix 5=1", "option --fix: '5' is no tag"},
  };
  fixture_text(*state, "square.msh", square);
  for (size_t i = 0; i < WISP_COUNT(bad); i++)
    run_expect(*state, "", 2, bad[i].why, "run %s -q -n 1 -d %s --mesh %s %s", bad[i].problem, test_device_name(),
               fixture_path(*state, "square.msh"), bad[i].arguments);
}

/* A box has sides, by number, and no regions. */
TEST_IN_FOLDER(test_box)
{
  static const char *const bad[] = {"helmholtz --kappa 'region == 1 ? 2 : 1'",
                                    "acoustics --kappa 'region == 7 ? 2 : 1'", "maxwell --boundary 7=absorbing",
                                    "maxwell --boundary 1=soft", "maxwell --boundary pec,absorbing"};
  static const char *const why[] = {"and a physical surface is wanted: there are none",
                                    "of a physical volume: there are none", "there are 1, 2, 3, 4, 5, 6",
                                    "'soft' is no boundary of maxwell: must be pec or absorbing",
                                    "more than one kind stands without a group"};
  for (size_t i = 0; i < WISP_COUNT(bad); i++)
    run_expect(*state, "", 2, why[i], "run %s -n 1 --box 2 -d %s", bad[i], test_device_name());
  OWNED(cJSON_Delete)
  cJSON *json = solve_json(*state, "maxwell", "--default -n 1 --box 1 --steps 2 --boundary 1=absorbing,pec");
  assert_string_equal(json_text(json, "boundary"), "1=absorbing,pec");
}
