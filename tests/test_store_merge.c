/* Shards merged, exported and imported, pruned: all or nothing, nothing lost, also while others write and read. */
#include "test.h"
#include "store_fixture.h"

#include <sys/wait.h>

static long long merge(const char *into, const char *from)
{
  long long added = -1;
  GOOD(wisp_store_merge(err, into, 1, &from, &added));
  return added;
}

TEST_IN_FOLDER(test_merge)
{
  const char *into = fixture_path(*state, "all.db"), *a = fixture_path(*state, "a.db"),
             *b = fixture_path(*state, "b.db");
  fixture_fill(a, 0, 10);
  fixture_fill(b, 5, 20);
  assert_int_equal(merge(into, a), 10);
  assert_int_equal(merge(into, b), 10); /* five of its fifteen are there */
  assert_int_equal(merge(into, b), 0);
  assert_int_equal(fixture_count(into), 20);
  assert_int_equal(access(fixture_path(*state, "all.db.new"), F_OK), -1);
}

/* The later of two measurements of one candidate stays, whichever way it comes. */
TEST_IN_FOLDER(test_later_measurement_wins)
{
  const char *into = fixture_path(*state, "all.db"), *shard = fixture_path(*state, "a.db");
  wisp_trial later = fixture_trial(1), got;
  wisp_writer *writer = NULL;
  bool found;
  strcpy(later.when, "2027-01-01T00:00:00Z");
  later.ms = 7;
  fixture_fill(into, 1, 2);
  fixture_put(shard, &later, 1);
  assert_int_equal(merge(into, shard), 1);
  fixture_fill(shard, 1, 2); /* add replaces: the shard has the older one now */
  assert_int_equal(merge(into, shard), 0);
  GOOD(wisp_writer_open(err, into, NULL, &writer));
  GOOD(wisp_writer_has(err, writer, &later, &found, &got));
  wisp_writer_close(NULL, writer);
  assert_true(found && fixture_same(&later, &got));
}

TEST_IN_FOLDER(test_missing_or_damaged_shard)
{
  const char *into = fixture_path(*state, "all.db"), *bad = fixture_path(*state, "bad.db");
  const char *missing = fixture_path(*state, "missing.db");
  wisp_error err = {0};
  long long added;
  size_t length;
  fixture_fill(into, 0, 3);
  char *data = fixture_read(into, &length);
  assert_int_equal(wisp_store_merge(&err, into, 1, &missing, &added), WISP_EMISSING);
  assert_non_null(strstr(err.text, missing));
  fixture_write(bad, data, length / 2);
  assert_int_equal(wisp_store_merge(&err, into, 1, &bad, &added), WISP_ESTORE);
  assert_non_null(strstr(err.text, bad));
  free(data);
  assert_int_equal(fixture_count(into), 3);
}

/* Six processes merge a shard each into one file; two write it directly all the while; a reader polls. */
TEST_IN_FOLDER(test_merges_while_others_write)
{
  enum { MERGERS = 6, WRITERS = 2, EACH = 15 };
  const char *into = fixture_path(*state, "all.db");
  pid_t children[MERGERS + WRITERS];
  for (int i = 0; i < MERGERS + WRITERS; i++) {
    char name[24];
    snprintf(name, sizeof name, "shard%d.db", i);
    if ((children[i] = fork()) != 0) continue;
    if (i >= MERGERS) {
      for (int n = 0; n < EACH; n++) fixture_fill(into, i * EACH + n, i * EACH + n + 1);
      _exit(0);
    }
    const char *shard = fixture_path(*state, name);
    for (int n = 0; n < EACH; n += 5) {
      fixture_fill(shard, i * EACH + n, i * EACH + n + 5);
      merge(into, shard);
    }
    _exit(0);
  }
  long last = 0;
  for (int polls = 0; polls < 50; polls++) {
    long count = fixture_count(into);
    assert_true(count >= last);
    last = count;
    usleep(5000);
  }
  for (int i = 0; i < MERGERS + WRITERS; i++) {
    int status;
    assert_int_equal(waitpid(children[i], &status, 0), children[i]);
    assert_int_equal(status, 0);
  }
  assert_int_equal(fixture_count(into), (MERGERS + WRITERS) * EACH);
}

TEST_IN_FOLDER(test_export_import)
{
  const char *from = fixture_path(*state, "from.db"), *to = fixture_path(*state, "to.db");
  HELD(wisp_text_free) wisp_text json = {0};
  long long added = 0;
  fixture_fill(from, 0, 40);
  GOOD(wisp_store_export(err, from, false, false, &json));
  GOOD(wisp_store_import(err, to, "export", json.data, strlen(json.data), &added));
  assert_int_equal(added, 40);
  wisp_store *store = fixture_open(to);
  for (int i = 0; i < 40; i++) {
    wisp_trial expected = fixture_trial(i);
    assert_true(fixture_same(wisp_store_trial(store, (size_t)i, NULL), &expected));
  }
  wisp_store_close(store);
  json.data[json.length / 2] = '\0'; /* cut off */
  assert_int_equal(wisp_store_import(NULL, to, "export", json.data, strlen(json.data), &added), WISP_EINPUT);
}

TEST_IN_FOLDER(test_bad_imports)
{
  static const struct {
    const char *json, *word;
  } cases[] = {
      {"", "not JSON"},
      {"[1, 2]", "no export"},
      {"{\"wisp_store\": 2, \"trials\": []}", "version 2"},
      {"{\"wisp_store\": 1, \"trials\": [7]}", "trial 1"},
      {"{\"wisp_store\": 1, \"trials\": [{\"colour\": 1}]}", "colour"},
      {"{\"wisp_store\": 1, \"trials\": [{\"spec\": 1}]}", "spec"},
      {"{\"wisp_store\": 1, \"trials\": [{\"units\": 1e300}]}", "units"},
      {"{\"wisp_store\": 1, \"trials\": [{\"spec\": \"a\", \"strategy\": \"b\"}]}", "outcome"},
  };
  const char *path = fixture_path(*state, "wisp.db");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    wisp_error err = {0};
    long long added = 0;
    assert_int_equal(wisp_store_import(&err, path, "export", cases[i].json, strlen(cases[i].json), &added),
                     WISP_EINPUT);
    assert_non_null(strstr(err.text, cases[i].word));
  }
  assert_int_equal(access(path, F_OK), -1);
}

static bool keep_even(const void *context, const wisp_trial *trial)
{
  return trial->shared_bytes / 1024 % 2 == 0;
}

TEST_IN_FOLDER(test_prune)
{
  const char *path = fixture_path(*state, "wisp.db");
  long long removed = 0;
  fixture_fill(path, 0, 21);
  GOOD(wisp_store_prune(err, path, keep_even, NULL, NULL, &removed));
  assert_int_equal(removed, 10);
  assert_int_equal(fixture_count(path), 11);
  wisp_writer *writer = NULL; /* and while another writer has it open */
  GOOD(wisp_writer_open(err, path, NULL, &writer));
  wisp_trial odd = fixture_trial(21);
  GOOD(wisp_writer_add(err, writer, &odd));
  GOOD(wisp_store_prune(err, path, keep_even, NULL, NULL, &removed));
  assert_int_equal(removed, 1);
  odd = fixture_trial(22);
  GOOD(wisp_writer_add(err, writer, &odd));
  wisp_writer_close(NULL, writer);
  assert_int_equal(fixture_count(path), 12);
}

GROUP(no_shipped_winners, NULL)
