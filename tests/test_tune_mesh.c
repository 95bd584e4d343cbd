/* Claim: the tuner times on an irregular mesh in order unless told otherwise, says so in each trial, and what was timed
 * on the box is not taken for known; kernels that see no neighbours are timed once for both. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "tuning.h"

/* One sweep of one kernel; how many trials it made. */
static long long tune(const char *db, const char *family, const char *kernel, const char *strategy,
                      const wisp_mesh_source *source)
{
  static const wisp_precision precision = WISP_F32;
  wisp_tune_request r = tune_request(family, kernel, db);
  r.precisions = &precision, r.strategy = strategy, r.elements = 200, r.source = source;
  r.budget_seconds = 0.01; /* the defaults alone */
  return run_tune(&r).trials;
}

/* The number of trials in the store on that mesh. */
static long long count(const char *db, const char *mesh)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  long long found = 0;
  for (size_t i = 0; i < wisp_store_count(store); i++)
    found += strcmp(wisp_trial_mesh(wisp_store_trial(store, i, NULL)), mesh) == 0;
  return found;
}

TEST_IN_FOLDER(test_key)
{
  static const struct {
    const char *family, *kernel, *strategy, *mesh; /* that it is timed on by default */
  } cases[] = {{"nodal", "gather", "element-lanes", WISP_MESH_ORDERED},
               {"tensor", "spread", "stream", WISP_MESH_ORDERED},
               {"tensor", "mass", "slices", WISP_MESH_BOX}};
  const wisp_mesh_source box = {.shuffle = false};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *db = fixture_path(*state, cases[i].kernel);
    const bool alone = strcmp(cases[i].mesh, WISP_MESH_BOX) == 0;
    tune(db, cases[i].family, cases[i].kernel, cases[i].strategy, NULL);
    const long long made = count(db, cases[i].mesh);
    assert_true(made > 0);
    if (!alone) assert_int_equal(count(db, WISP_MESH_BOX), 0);
    const long long more = tune(db, cases[i].family, cases[i].kernel, cases[i].strategy, &box);
    if (alone)
      assert_int_equal(more, 0);
    else
      assert_true(more > 0 && count(db, WISP_MESH_BOX) >= more && count(db, cases[i].mesh) == made);
  }
}

/* A file of triangles around one vertex. */
static void write_fan(const char *path, int around)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n1 0 0 0\n", around + 1);
  for (int i = 0; i < around; i++) {
    const double angle = 2 * acos(-1) * i / around, r = i % 3 ? 1 : 0.75;
    fprintf(file, "%d %.17g %.17g 0\n", i + 2, r * cos(angle), r * sin(angle));
  }
  fprintf(file, "$EndNodes\n$Elements\n%d\n", around);
  for (int i = 0; i < around; i++) fprintf(file, "%d 2 2 1 1 1 %d %d\n", i + 1, i + 2, (i + 1) % around + 2);
  fprintf(file, "$EndElements\n");
  assert_int_equal(fclose(file), 0);
}

/* Sums of thousands round more than others: additions that are right are not found wrong. */
TEST_IN_FOLDER(test_a_vertex_of_many)
{
  static const char *const strategies[] = {"atomic", "short-slots"};
  const char *mesh = fixture_path(*state, "fan.msh");
  write_fan(mesh, 3000);
  const wisp_mesh_source source = {.file = mesh};
  const char *db = fixture_path(*state, "fan.db");
  size_t right = 0;
  for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
    assert_true(tune(db, "assembly", "scatter", strategies[i], &source) > 0);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(db);
  for (size_t i = 0; i < wisp_store_count(store); i++)
    right += wisp_trial_outcome(wisp_store_trial(store, i, NULL)) == WISP_TRIAL_OK;
  for (size_t i = 0; i < wisp_store_count(store); i++)
    assert_int_not_equal(wisp_trial_outcome(wisp_store_trial(store, i, NULL)), WISP_TRIAL_WRONG);
  assert_int_equal(right, sizeof strategies / sizeof *strategies);
}

/* The name of a source. */
TEST(test_names)
{
  static const struct {
    wisp_mesh_source source;
    const char *kind;
  } cases[] = {{{.jitter = 0}, "box"},
               {{.jitter = 0.1}, "as-given"},
               {{.shuffle = true}, "ordered"},
               {{.file = "a.msh"}, "ordered"},
               {{.file = "a.msh", .as_asked = true, .ordering = WISP_ORDER_METIS}, "metis"},
               {{.as_asked = true, .ordering = WISP_ORDER_CURVE}, "ordered"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_string_equal(wisp_mesh_source_kind(&cases[i].source), cases[i].kind);
}

GROUP(no_shipped_winners, NULL)
