/* Claim: what a trial was timed on is part of its key. Rows and lines from before it was are of the box, stay valid,
 * and answer only where no trial on an ordered mesh does. */
#include "test.h"
#include "store_fixture.h"
#include "../cache/database.h"
#include "../cache/columns.h"
#include "../tuner/workers/queue.h"

#define SPEC "nodal.gather:tet:p3:maxwell:f32"

/* Number 0 of the fixture, of this kernel, timed on that mesh. */
static wisp_trial trial(const char *mesh, double ms)
{
  wisp_trial t = fixture_trial(0);
  strcpy(t.spec, SPEC);
  strcpy(t.mesh, mesh);
  t.ms = ms;
  return t;
}

/* The mesh of the trial that answers. */
static void assert_answer(const char *path, const char *mesh)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open(path);
  const wisp_trial t = trial("box", 1);
  wisp_asker asker = {.units = t.units};
  strcpy(asker.device, t.device);
  strcpy(asker.target, t.target);
  strcpy(asker.driver, t.driver);
  strcpy(asker.compiler, t.compiler);
  const wisp_answer answer = fixture_answer(store, &asker, SPEC, NULL, 1000, NULL);
  assert_non_null(answer.trial);
  assert_string_equal(wisp_trial_mesh(answer.trial), mesh);
}

/* An ordered mesh's trial answers, however much slower it is and however far its size; others displace nothing. */
TEST_IN_FOLDER(test_who_answers)
{
  const char *path = fixture_path(*state, "wisp.db");
  wisp_trial box = trial(WISP_MESH_BOX, 1), ordered = trial(WISP_MESH_ORDERED, 5), metis = trial("metis", 0.1);
  fixture_put(path, &metis, 1);
  assert_answer(path, "metis");
  fixture_put(path, &box, 1);
  assert_answer(path, WISP_MESH_BOX);
  ordered.elements *= 50;
  fixture_put(path, &ordered, 1);
  assert_answer(path, WISP_MESH_ORDERED);
  assert_int_equal(fixture_count(path), 3);
}

/* Alike but for the mesh: two trials, that do not compete, each known by its own. */
TEST_IN_FOLDER(test_key)
{
  const char *path = fixture_path(*state, "wisp.db");
  wisp_trial box = trial("", 1), ordered = trial(WISP_MESH_ORDERED, 2), found;
  wisp_writer *writer = NULL;
  bool there = false;
  fixture_put(path, &box, 1);
  GOOD(wisp_writer_open(err, path, NULL, &writer));
  GOOD(wisp_writer_has(err, writer, &ordered, &there, &found));
  assert_false(there);
  GOOD(wisp_writer_add(err, writer, &ordered));
  strcpy(box.mesh, WISP_MESH_BOX); /* as an empty one counts */
  GOOD(wisp_writer_has(err, writer, &box, &there, &found));
  assert_true(there && found.ms == 1);
  GOOD(wisp_writer_has(err, writer, &ordered, &there, &found));
  assert_true(there && found.ms == 2);
  GOOD(wisp_writer_close(err, writer));
  assert_int_equal(fixture_count(path), 2);
  assert_int_not_equal(wisp_ranking_order(&box, &ordered), 0);
  strcpy(ordered.mesh, "");
  assert_int_equal(wisp_ranking_order(&box, &ordered), 0);
}

/* A sweep that tried a candidate on one mesh has not tried it on another. */
TEST_IN_FOLDER(test_tried)
{
  const char *path = fixture_path(*state, "wisp.db");
  wisp_trial box = trial("", 1), ordered = trial(WISP_MESH_ORDERED, 2);
  wisp_journal journal = {0};
  wisp_answer_note answer;
  GOOD(wisp_writer_open(err, path, NULL, &journal.writer));
  GOOD(wisp_journal_add(err, &journal, &box));
  GOOD(wisp_journal_look_up(err, &journal, &ordered, &answer));
  assert_false(answer.tried || answer.found);
  strcpy(box.mesh, WISP_MESH_BOX);
  GOOD(wisp_journal_look_up(err, &journal, &box, &answer));
  assert_true(answer.tried && answer.found);
  GOOD(wisp_writer_close(err, journal.writer));
  wisp_journal_free(&journal);
}

/* A file of version 2 reads as it is, its rows are of the box and their checksums hold; it is brought up to date when
 * it is next written to, and then holds trials that differ in the mesh alone. */
TEST_IN_FOLDER(test_migration)
{
  const char *path = fixture_path(*state, "wisp.db");
  wisp_database database = {0};
  for (int i = 0; i < 40; i++) {
    wisp_trial old = fixture_trial(i);
    old.floor[0] = '\0'; /* which that version had not */
    fixture_put(path, &old, 1);
  }
  GOOD(wisp_database_open(err, path, path, SQLITE_OPEN_READWRITE, false, &database));
  GOOD(wisp_database_run(err, &database,
                         "DROP VIEW winner; CREATE TABLE old AS SELECT * FROM trial; DROP TABLE trial;"
                         "ALTER TABLE old DROP COLUMN mesh; ALTER TABLE old RENAME TO trial;"
                         "CREATE VIEW winner AS SELECT * FROM trial; PRAGMA user_version=2"));
  wisp_database_close(NULL, &database);
  assert_int_equal(fixture_count(path), 40);
  wisp_trial ordered = fixture_trial(7);
  strcpy(ordered.mesh, WISP_MESH_ORDERED);
  fixture_put(path, &ordered, 1);
  OWNED(wisp_store_close) wisp_store *store = fixture_open(path);
  assert_int_equal(wisp_store_count(store), 41);
  for (int i = 0; i < 40; i++) {
    const wisp_trial *t = wisp_store_trial(store, (size_t)i, NULL);
    wisp_trial expected = fixture_trial(i);
    assert_string_equal(t->mesh, WISP_MESH_BOX);
    strcpy(expected.mesh, WISP_MESH_BOX);
    expected.floor[0] = '\0';
    assert_true(fixture_same(t, &expected));
  }
}

/* Text and JSON that do not say it are of the box; what says it comes back. The box is not written in text. */
TEST_IN_FOLDER(test_text_and_json)
{
  static const char *const meshes[] = {WISP_MESH_BOX, WISP_MESH_ORDERED};
  for (size_t i = 0; i < 2; i++) {
    const char *path = fixture_path(*state, meshes[i]);
    const wisp_trial t = trial(meshes[i], 1);
    HELD(wisp_text_free) wisp_text text = {0};
    wisp_trials read = {0};
    wisp_trial back;
    fixture_put(path, &t, 1);
    GOOD(wisp_store_export(err, path, true, true, &text));
    assert_int_equal(strstr(text.data, " mesh=") != NULL, i == 1);
    GOOD(wisp_shipped_parse(err, "text", text.data, NULL, &read));
    assert_int_equal(read.count, 1);
    assert_string_equal(read.trials->mesh, meshes[i]);
    OWNED(cJSON_Delete) cJSON *json = wisp_trial_to_json(&t);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "mesh")), meshes[i]);
    if (i == 0) cJSON_DeleteItemFromObject(json, "mesh");
    GOOD(wisp_trial_from_json(err, json, &back));
    assert_string_equal(back.mesh, meshes[i]);
    free(read.trials);
  }
}

GROUP(no_shipped_winners, NULL)
