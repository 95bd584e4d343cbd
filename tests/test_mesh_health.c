/* Claim: wisp mesh says of a file what a run would meet: elements, volume, boundary and shapes as geometry has them,
 * pieces, parts that touch, and groups with their members; its JSON has a key for each, and its exit status is 1 where
 * a run would refuse the file, with the same message. What a file has and a run drops is said once, by wisp mesh and by
 * wisp run, tune and bench, on stderr and in JSON, and to programs; of a plain mesh nothing is said. */
#include "test.h"
#include "command.h"
#include "parts.h"
#include "solving.h"
#include "store_fixture.h"
#include "../runtime/mesh/source.h"

#define TWO "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"

/* wisp mesh --json, which must end with this status. */
static cJSON *look(const char *folder, const char *file, const char *more, int status)
{
  HELD(forget) outcome o = run_with(folder, "", "mesh %s --json %s", file, more);
  if (o.status != status) fail_msg("wisp mesh %s %s: status %d: %s", file, more, o.status, o.err);
  cJSON *json = cJSON_Parse(o.out);
  if (!json) fail_msg("wisp mesh %s %s prints no JSON: %s", file, more, o.out);
  return json;
}

/* The same of a mesh that is written to the file first. */
static cJSON *look_at(const char *folder, const char *file, wisp_mesh *mesh, int status)
{
  write_mesh(file, mesh);
  return look(folder, file, "", status);
}

static const cJSON *part(const cJSON *json, const char *name)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
  if (!item) fail_msg("there is no %s", name);
  return item;
}

static void is(const cJSON *json, const char *name, double expected)
{
  const double got = json_number(json, name);
  if (!(fabs(got - expected) <= 1e-12 * fmax(1, fabs(expected)))) fail_msg("%s: %.17g, not %.17g", name, got, expected);
}

/* ---- Geometry. */

/* Halves of squares, sixths of cubes (Kuhn) and cubes, whose radii are known. */
TEST(test_boxes)
{
  static const struct {
    const char *element;
    int corners;
    double elements, boundary, faces, quality, radius; /* radius: over the edge of a cube */
  } boxes[] = {{"triangle", 3, 2, 4, 4, 2 * M_SQRT2 - 2, 1 - M_SQRT1_2},
               {"tet", 4, 6, 6, 12, 1.7320508075688772 / (1 + M_SQRT2), 0.5 / (1 + M_SQRT2)},
               {"hex", 8, 1, 6, 6, 1, 0.5}};
  for (size_t i = 0; i < WISP_COUNT(boxes); i++) {
    const int n = 3;
    const double per_face = boxes[i].corners == 3 ? n : n * n, cells = n * per_face;
    const char *path = fixture_path(*state, "box.msh");
    OWNED(cJSON_Delete) cJSON *json = look_at(*state, path, make_grid(boxes[i].corners, n, n, n), 0);
    assert_string_equal(json_text(json, "element"), boxes[i].element);
    assert_true(cJSON_IsNull(part(json, "refused")));
    is(json, "elements", boxes[i].elements * cells);
    is(json, "nodes", pow(n + 1, boxes[i].corners == 3 ? 2 : 3));
    is(json, "measure", 1);
    is(json, "boundary_measure", boxes[i].boundary);
    is(json, "boundary_faces", boxes[i].faces * per_face);
    is(json, "pieces", 1);
    is(json, "limiting", boxes[i].elements * cells);
    static const char *const ranks[] = {"least", "percent_1", "percent_10", "median", "greatest"};
    for (size_t r = 0; r < WISP_COUNT(ranks); r++) {
      is(part(json, "shape"), ranks[r], boxes[i].quality);
      is(part(json, "step"), ranks[r], boxes[i].radius / n);
    }
    is(part(json, "touching"), "coincident", 0);
    assert_int_equal(cJSON_GetArraySize(part(json, "notes")), 0);
    cJSON_Delete(json);
    wisp_mesh *mesh = make_grid(boxes[i].corners, n, n, n);
    GOOD(wisp_mesh_jitter(err, mesh, 0.3, 7)); /* the same box, of other elements */
    json = look_at(*state, path, mesh, 0);
    is(json, "measure", 1);
    is(json, "boundary_measure", boxes[i].boundary);
    assert_true(json_number(part(json, "shape"), "least") < boxes[i].quality);
  }
}

/* The best shapes are worth 1; of a mesh the worst element is named, and where it is. */
TEST(test_shapes)
{
  char text[512];
  snprintf(text, sizeof text,
           TWO "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0.5 %.17g 0\n4 1 1 0\n$EndNodes\n$Elements\n1\n1 2 2 0 1 1 2 3\n"
               "$EndElements\n",
           sqrt(0.75));
  OWNED(cJSON_Delete) cJSON *json = look(*state, fixture_text(*state, "triangle.msh", text), "", 0);
  is(part(json, "shape"), "least", 1);
  cJSON_Delete(json);
  json = look(*state,
              fixture_text(*state, "tet.msh",
                           TWO "$Nodes\n4\n1 1 1 1\n2 1 -1 -1\n3 -1 1 -1\n4 -1 -1 1\n$EndNodes\n$Elements\n1\n"
                               "1 4 2 0 1 2 1 3 4\n$EndElements\n"),
              "", 0);
  is(part(json, "shape"), "least", 1);
  is(part(json, "step"), "least", 1 / sqrt(3));
  cJSON_Delete(json);

  wisp_mesh *mesh = make_grid(3, 4, 4, 1);
  for (size_t v = 0; v < mesh->vertices; v++) /* thin triangles where x is above 0.9 */
    mesh->xyz[3 * v] = mesh->xyz[3 * v] > 0.9 ? 0.76 : mesh->xyz[3 * v];
  json = look_at(*state, fixture_path(*state, "thin.msh"), mesh, 0);
  const cJSON *step = part(json, "step");
  assert_true(cJSON_GetArrayItem(part(step, "at"), 0)->valuedouble > 0.75);
  is(json, "limiting", 8);
  const double a = 0.25, b = 0.01;
  is(step, "least", (a + b - hypot(a, b)) / 2);
  is(part(json, "shape"), "least", 2 * (a + b - hypot(a, b)) / hypot(a, b));
}

TEST(test_pieces)
{
  static const int kinds[] = {3, 4, 8};
  for (size_t i = 0; i < WISP_COUNT(kinds); i++) {
    const char *path = fixture_path(*state, "pieces.msh");
    cJSON *json =
        look_at(*state, path, put_beside(make_grid(kinds[i], 2, 2, 2), make_grid(kinds[i], 2, 2, 2), 1, 0, 0), 1);
    const double side = kinds[i] == 3 ? 2 : kinds[i] == 4 ? 8 : 4;
    is(json, "pieces", 2);
    is(part(json, "touching"), "coincident", 2 * side);
    assert_non_null(strstr(json_text(json, "refused"), "lie on one another"));
    cJSON_Delete(json);
    json = look(*state, path, "--cracks", 0);
    is(json, "pieces", 2);
    cJSON_Delete(json);
    json = look(*state, path, "--merge 1e-6", 0);
    is(json, "pieces", 1);
    is(json, "boundary_measure", kinds[i] == 3 ? 6 : 10);
    cJSON_Delete(json);
  }
}

/* ---- What a file has besides. */

/* A square of two triangles; lines of the groups "left", "middle" on the diagonal, and "far" beside the square. */
#define SQUARE                                                                            \
  TWO "$PhysicalNames\n5\n1 7 \"left\"\n1 8 \"middle\"\n1 9 \"far\"\n2 1 \"lower\"\n2 2 " \
      "\"upper\"\n$EndPhysicalNames\n"                                                    \
      "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 3 0 0\n6 3 1 0\n$EndNodes\n"      \
      "$Elements\n5\n1 1 2 7 1 4 1\n2 1 2 8 2 1 3\n3 1 2 9 3 5 6\n4 2 2 1 1 1 2 3\n5 2 2 2 2 1 3 4\n$EndElements\n"

/* A tet with a face in group 7, and a second tet on its other side; two hexes with quadrangles on a side and between.
 */
static const char *const solids[] = {
    TWO "$PhysicalNames\n2\n2 7 \"left\"\n2 8 \"middle\"\n$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
        "4 0 0 1\n5 0 0 -1\n$EndNodes\n$Elements\n4\n1 2 2 7 1 1 3 4\n2 2 2 8 2 1 2 3\n3 4 2 1 1 1 2 3 4\n"
        "4 4 2 1 1 1 3 2 5\n$EndElements\n",
    TWO "$PhysicalNames\n2\n2 7 \"left\"\n2 8 \"middle\"\n$EndPhysicalNames\n$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 2 0 0\n"
        "4 0 1 0\n5 1 1 0\n6 2 1 0\n7 0 0 1\n8 1 0 1\n9 2 0 1\n10 0 1 1\n11 1 1 1\n12 2 1 1\n$EndNodes\n$Elements\n4\n"
        "1 3 2 7 1 1 4 10 7\n2 3 2 8 2 2 5 11 8\n3 5 2 1 1 1 2 5 4 7 8 11 10\n4 5 2 1 1 2 3 6 5 8 9 12 11\n"
        "$EndElements\n"};

/* The members of a group: elements or faces of the boundary, their measure, faces inside and beside. */
static void has_group(const cJSON *json, int dimension, int number, const char *name, const double expected[4])
{
  static const char *const keys[] = {"members", "measure", "inside", "loose"};
  const cJSON *group;
  cJSON_ArrayForEach(group, part(json, "groups"))
  {
    if (json_number(group, "dimension") != dimension || json_number(group, "number") != number) continue;
    if (name) assert_string_equal(json_text(group, "name"), name);
    for (size_t i = 0; i < WISP_COUNT(keys); i++) is(group, keys[i], expected[i]);
    return;
  }
  fail_msg("there is no group %d of dimension %d", number, dimension);
}

TEST(test_groups)
{
  cJSON *json = look(*state, fixture_text(*state, "square.msh", SQUARE), "", 0);
  has_group(json, 1, 7, "left", (const double[]){1, 1, 0, 0});
  has_group(json, 1, 8, "middle", (const double[]){0, 0, 1, 0});
  has_group(json, 2, 1, "lower", (const double[]){1, 0.5, 0, 0});
  has_group(json, 2, 2, "upper", (const double[]){1, 0.5, 0, 0});
  is(json, "inside", 1);
  cJSON_Delete(json);
  for (size_t i = 0; i < WISP_COUNT(solids); i++) {
    json = look(*state, fixture_text(*state, "solid.msh", solids[i]), "", 0);
    has_group(json, 2, 7, "left", (const double[]){1, i ? 1 : 0.5, 0, 0});
    has_group(json, 2, 8, "middle", (const double[]){0, 0, 1, 0});
    has_group(json, 3, 1, NULL, (const double[]){2, i ? 2 : 1.0 / 3, 0, 0});
    cJSON_Delete(json);
  }
}

/* A command's notes of a mesh have these keys, and no others; each stands once on stderr as well, and nowhere with -q.
 */
static void expect_notes(const char *folder, const char *command, const char *mesh, const char *const *keys,
                         size_t count)
{
  HELD(forget) outcome o = run_with(folder, "", "%s %s --json", command, mesh);
  cJSON *json = cJSON_Parse(o.out);
  if (o.status != 0 || !json) fail_msg("wisp %s: status %d: %s", command, o.status, o.err);
  const cJSON *notes = part(json, "notes");
  if ((size_t)cJSON_GetArraySize(notes) != count || (size_t)occurrences(o.err, "note: ") != count)
    fail_msg("wisp %s: %zu notes are expected: %s", command, count, o.err);
  for (size_t i = 0; i < count; i++) {
    const cJSON *note = cJSON_GetArrayItem(notes, (int)i);
    assert_string_equal(json_text(note, "key"), keys[i]);
    assert_int_equal(occurrences(o.err, json_text(note, "text")), 1);
  }
  cJSON_Delete(json);
  forget(&o);
  o = run_with(folder, "", "%s %s --json -q", command, mesh);
  assert_null(strstr(o.err, "note: "));
  assert_int_equal(occurrences(o.out, "\"key\""), (int)count);
}

#define MORE                                                                                  \
  "$Periodic\n1\n1 1 2\n1\n1 2\n$EndPeriodic\n$NodeData\nwhatever\n$EndNodeData\n$Comments\n" \
  "none\n$EndComments\n$Curious\n$EndCurious\n$NodeData\n$EndNodeData\n"

TEST(test_dropped)
{
  static const char *const all[] = {"periodic", "sections", "inside", "loose", "unused"};
  const char *path = fixture_text(*state, "all.msh", SQUARE MORE);
  expect_notes(*state, "mesh", path, all, 4);
  outcome o = run_with(*state, "", "mesh %s", path);
  assert_int_equal(occurrences(o.err, "$NodeData, $Curious\n"), 1);
  assert_int_equal(occurrences(o.err, "8 \"middle\""), 1);
  assert_int_equal(occurrences(o.err, "9 \"far\""), 1);
  forget(&o);
  expect_notes(*state, "run helmholtz -n 1 -d host --default --mesh", path, all, 5);
  expect_notes(*state, "run heat -n 2 -d host --default --steps 1 --mesh", path, all, 5);
}

/* Groups that an option or an expression names are used; a group of all, and groups that are elsewhere, are no note. */
TEST(test_unused)
{
  static const char *const unused[] = {"inside", "loose", "unused"};
  static const struct {
    const char *options, *says; /* NULL: nothing is unused */
  } runs[] = {{"--source 1", "physical surfaces 1 \"lower\", 2 \"upper\"; physical curve 7 \"left\"\n"},
              {"--source 1 --neumann left", "effect: physical surfaces 1 \"lower\", 2 \"upper\"\n"},
              {"--source 1 --kappa 'region == 2 ? 3 : 1'", "effect: physical curve 7 \"left\"\n"},
              {"--source 1 --value 'tag == left ? 3 : 1' --kappa 'region == upper ? 3 : 1'", NULL},
              {"--source 'region == \"upper\" ? 3 : 1' --neumann 7", NULL}};
  const char *path = fixture_text(*state, "square.msh", SQUARE);
  char line[512];
  for (size_t i = 0; i < WISP_COUNT(runs); i++) {
    snprintf(line, sizeof line, "run helmholtz -n 1 -d host --default %s --mesh", runs[i].options);
    expect_notes(*state, line, path, unused, runs[i].says ? 3 : 2);
    HELD(forget) outcome o = run_with(*state, "", "%s %s", line, path);
    if (runs[i].says && !strstr(o.err, runs[i].says)) fail_msg("no '%s' in: %s", runs[i].says, o.err);
  }
  static const struct {
    const char *run;
    int corners;
  } plain[] = {{"maxwell -n 1 --steps 1", 4}, {"poisson -n 1", 8}, {"helmholtz -n 1", 3}, {"heat -n 1 --steps 1", 3}};
  for (size_t i = 0; i < WISP_COUNT(plain); i++) {
    path = fixture_path(*state, "plain.msh");
    write_mesh(path, make_grid(plain[i].corners, 2, 2, 2));
    snprintf(line, sizeof line, "run %s -d host --default --mesh", plain[i].run);
    expect_notes(*state, line, path, NULL, 0);
  }
}

/* ---- What the reader mends. */

/* A grid whose first five elements have negative volume. */
static wisp_mesh *make_reversed(int corners)
{
  wisp_mesh *mesh = make_grid(corners, 2, 2, 2);
  for (int32_t *v = mesh->cell; v < mesh->cell + 5 * corners; v += corners)
    for (int a = corners == 8 ? 0 : corners - 2; a + 1 < corners; a += 2) {
      const int32_t first = v[a];
      v[a] = v[a + 1], v[a + 1] = first;
    }
  return mesh;
}

/* Elements that the reader reverses are counted, of each kind; others are not. */
TEST(test_reversed)
{
  static const int kinds[] = {3, 4, 8};
  static const char *const runs[] = {"run helmholtz -n 1 -d host --default --mesh",
                                     "run maxwell -n 1 --steps 1 -d host --default --mesh",
                                     "run poisson -n 2 -d host --default --mesh"};
  for (size_t i = 0; i < WISP_COUNT(kinds); i++) {
    const char *path = fixture_path(*state, "reversed.msh");
    cJSON *json = look_at(*state, path, make_reversed(kinds[i]), 0);
    is(json, "reversed", 5);
    is(json, "measure", 1);
    cJSON_Delete(json);
    expect_notes(*state, runs[i], path, (const char *const[]){"reversed"}, 1);
  }
}

/* Who times on a file says of it what a run says: tune as run does, bench beside its rows. */
TEST(test_timed)
{
  const char *path = fixture_path(*state, "reversed.msh");
  write_mesh(path, make_reversed(4));
  expect_notes(*state, "tune -d host -n 1 -p f32 -k update --defaults --mesh", path, (const char *const[]){"reversed"},
               1);
  HELD(forget)
  outcome o = run_with(*state, "", "bench -d host -n 1 -p f32 -k update --elements 96 --json --mesh %s", path);
  if (o.status != 0 || occurrences(o.err, "note: ") != 1 || !strstr(o.err, "5 of 48 tets had negative volume"))
    fail_msg("wisp bench: status %d: %s", o.status, o.err);
}

/* A plate in space: places have the file's three coordinates. */
TEST(test_plane)
{
  const char *path = fixture_path(*state, "plane.msh");
  wisp_mesh *mesh = put_beside(make_grid(3, 2, 2, 1), make_grid(3, 2, 2, 1), 1, 0, 0);
  for (size_t v = 0; v < mesh->vertices; v++) {
    double *x = mesh->xyz + 3 * v;
    x[2] = 0.8 * x[1] + 5, x[1] *= 0.6; /* turned about the axis of x, and moved */
  }
  write_mesh(path, mesh);
  OWNED(cJSON_Delete) cJSON *json = look(*state, path, "--cracks", 0);
  is(json, "measure", 2);
  is(json, "boundary_measure", 8);
  const cJSON *z = cJSON_GetArrayItem(part(json, "extent"), 2), *at = part(part(json, "touching"), "at");
  assert_true(fabs(cJSON_GetArrayItem(z, 0)->valuedouble - 5) < 1e-12);
  assert_true(fabs(cJSON_GetArrayItem(z, 1)->valuedouble - 5.8) < 1e-12);
  assert_int_equal(cJSON_GetArraySize(at), 3);
  assert_true(fabs(cJSON_GetArrayItem(at, 0)->valuedouble - 1) < 1e-12);
  assert_true(fabs(cJSON_GetArrayItem(at, 2)->valuedouble - 5 - cJSON_GetArrayItem(at, 1)->valuedouble * 4 / 3) < 1e-9);
}

/* ---- Refusals. */

/* wisp mesh ends as the run that would take such elements, with the same words. */
TEST(test_refused)
{
  static const struct {
    const char *text, *run;
  } files[] = {
      {"nothing", "maxwell -n 1"},
      {TWO "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n0\n$EndElements\n", "maxwell -n 1"},
      {TWO "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n",
       "maxwell -n 1"},
      {TWO "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n1\n1 2 2 0 1 1 2 9\n$EndElements\n",
       "helmholtz -n 1"},
      {TWO
       "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n$EndNodes\n$Elements\n2\n"
       "1 5 2 0 1 1 2 3 4 5 6 7 8\n2 5 2 0 1 1 2 3 4 5 6 7 8\n$EndElements\n",
       "poisson -n 1"},
  };
  for (size_t i = 0; i < WISP_COUNT(files); i++) {
    const char *path = fixture_text(*state, "bad.msh", files[i].text);
    HELD(forget) outcome run = run_with(*state, "", "run %s -d host --default --mesh %s", files[i].run, path);
    HELD(forget) outcome mesh = run_with(*state, "", "mesh %s", path);
    const char *why = strstr(run.err, path);
    if (mesh.status != 1 || run.status != 1 || !why || !strstr(mesh.err, why))
      fail_msg("%zu: status %d and %d: '%s', not '%s'", i, mesh.status, run.status, mesh.err, run.err);
    OWNED(cJSON_Delete) cJSON *json = look(*state, path, "", 1);
    assert_int_equal(strncmp(json_text(json, "refused"), why, strlen(json_text(json, "refused"))), 0);
  }
}

TEST(test_usage)
{
  static const char *const wrong[] = {"mesh",
                                      "mesh a.msh b.msh",
                                      "mesh a.msh --merge 0",
                                      "mesh a.msh --merge x",
                                      "mesh a.msh -n 3",
                                      "run helmholtz -n 1 --cracks",
                                      "run maxwell -n 1 --merge 1"};
  for (size_t i = 0; i < WISP_COUNT(wrong); i++) run_expect(*state, "", 2, "", "%s", wrong[i]);
}

/* ---- Programs. */

TEST(test_programs)
{
  OWNED(wisp_session_close) wisp_session *session = default_session();
  wisp_helmholtz *problem = NULL;
  wisp_matrix *matrix = NULL;
  wisp_mesh_note note;
  const char *path = fixture_text(*state, "all.msh", SQUARE MORE);
  static const wisp_solver_setting left[] = {{"neumann", "left"}, {NULL, NULL}};
  const wisp_solver_request asked = {WISP_INIT(wisp_solver_request), .problem = "helmholtz", .order = 1, .mesh = path,
                                     .settings = left};
  GOOD(wisp_helmholtz_create(err, session, &asked, NULL, &problem));
  const wisp_solver *solver = wisp_helmholtz_as_solver(problem);
  GOOD(wisp_solver_note(err, solver, 0, &note));
  assert_string_equal(note.key, "periodic");
  GOOD(wisp_solver_note(err, solver, 4, &note));
  assert_string_equal(note.key, "unused");
  assert_null(strstr(note.text, "left"));
  assert_int_equal(wisp_solver_note(NULL, solver, 5, &note), WISP_EMISSING);
  const wisp_matrix_request wanted = {WISP_INIT(wisp_matrix_request), .spec = "assembly.step:tri:p1:laplace:f64",
                                      .mesh = path};
  GOOD(wisp_matrix_create(err, session, &wanted, &matrix));
  GOOD(wisp_matrix_note(err, matrix, 4, &note));
  assert_non_null(strstr(note.text, "7 \"left\""));
  assert_int_equal(wisp_matrix_note(NULL, matrix, 5, &note), WISP_EMISSING);
  wisp_matrix_destroy(matrix);
  wisp_helmholtz_destroy(problem);
}

GROUP(fixture_set_up, fixture_tear_down)
