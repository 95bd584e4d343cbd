/* Claim: a strategy's hash is new when any text changes that its kernels are made from, and when no other one does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include "../gen/closure.h"
#include "../gen/strategy.h"

#include <stdio.h>
#include <string.h>

/* A strategy of the family "waves", for the system "sound": its two texts, and all files of a library. */
static const char space[] = "lane {{>lane_number}}\n";
static const char text[] =
    "{{>head}} {{#if N > 3}} {{ > high_order }} {{else}}{{>absent}}{{/if}} {{unrelated}} {{>tail}}";

static const struct {
  wisp_embedded file;
  bool counts;
} library[] = {
    {{"templates/dialect/cuda.k", "{{>body}} {{>prelude}}", 0}, true},
    {{"templates/dialect/host.k", "{{>body}}", 0}, true},
    {{"templates/systems/light.system", "fields E H", 0}, false},
    {{"templates/systems/sound.system", "fields p v", 0}, true},
    {{"templates/waves/a_ring.part", "{{>b_ring}}", 0}, true},
    {{"templates/waves/b_ring.part", "{{>a_ring}} {{>b_ring}}", 0}, true},
    {{"templates/waves/deep.part", "sum", 0}, true},
    {{"templates/waves/head.part", "{{>middle}}", 0}, true},
    {{"templates/waves/head_of_another.part", "{{>unrelated}}", 0}, false},
    {{"templates/waves/high_order.part", "{{>a_ring}}", 0}, true},
    {{"templates/waves/lane_number.part", "x", 0}, true},
    {{"templates/waves/middle.part", "{{#for i in n}}{{>deep}}{{/for}}", 0}, true},
    {{"templates/waves/prelude.part", "#define", 0}, true},
    {{"templates/waves/tail.part", "end", 0}, true},
    {{"templates/waves/unrelated.part", "{{>deep}}", 0}, false},
    {{"templates/waves/volume.other.k", "{{>head}}", 0}, false},
    {{"templates/waves/volume.other.space", "kernel volume", 0}, false},
    {{"templates/water/head.part", "{{>deep}}", 0}, false},
};
enum { FILES = sizeof library / sizeof *library };

static void copy(wisp_embedded files[FILES])
{
  for (int i = 0; i < FILES; i++) files[i] = library[i].file;
}

static uint64_t hash_of(const wisp_embedded *files, size_t count, const char *a_space, const char *a_text)
{
  wisp_error err = {0};
  uint64_t hash = 0;
  if (wisp_closure_hash(&err, files, count, "waves", a_space, a_text, &hash) != WISP_OK) fail_msg("%s", err.text);
  return wisp_closure_add_system(hash, files, count, "sound");
}

static void test_each_file(void **state)
{
  (void)state;
  wisp_embedded files[FILES];
  copy(files);
  uint64_t before = hash_of(files, FILES, space, text);
  for (int i = 0; i < FILES; i++) {
    char changed[64];
    snprintf(changed, sizeof changed, "%s.", files[i].text);
    files[i].text = changed;
    if ((hash_of(files, FILES, space, text) != before) != library[i].counts)
      fail_msg("%s %s", files[i].path, library[i].counts ? "does not count" : "counts");
    copy(files);
    assert_true(hash_of(files, FILES, space, text) == before);
  }
}

static void test_own_texts(void **state)
{
  (void)state;
  wisp_embedded files[FILES];
  copy(files);
  uint64_t before = hash_of(files, FILES, "ab", "cd");
  assert_true(hash_of(files, FILES, "abb", "cd") != before);
  assert_true(hash_of(files, FILES, "ab", "cdd") != before);
  assert_true(hash_of(files, FILES, "abc", "d") != before);
}

/* A part that was absent, once it is there; one that nobody inserts. */
static void test_new_parts(void **state)
{
  (void)state;
  wisp_embedded files[FILES + 1];
  copy(files);
  uint64_t before = hash_of(files, FILES, space, text);
  files[FILES] = (wisp_embedded){"templates/waves/new.part", "{{>absent}}", 0};
  assert_true(hash_of(files, FILES + 1, space, text) == before);
  files[FILES].path = "templates/waves/absent.part";
  assert_true(hash_of(files, FILES + 1, space, text) != before);
}

/* A system's text is for its own kernels, and none is no error: not every family reads one. */
static void test_systems(void **state)
{
  (void)state;
  wisp_embedded files[FILES];
  copy(files);
  uint64_t sound = wisp_closure_add_system(1, files, FILES, "sound");
  uint64_t light = wisp_closure_add_system(1, files, FILES, "light");
  assert_true(sound != 1 && light != 1 && sound != light);
  assert_true(wisp_closure_add_system(1, files, FILES, "soun") == 1);
}

/* Whether a list of strategies says of one what follows from these texts and the files that this library carries. */
static void check_hash(const wisp_strategies *all, const char *kernel, const char *name, const char *a_space,
                       const char *text_of)
{
  char path[128], expected[20], listed[20];
  wisp_error err = {0};
  uint64_t hash = 0;
  const wisp_strategy *s = wisp_strategies_find(all, "nodal", kernel, name);
  snprintf(path, sizeof path, "templates/nodal/%s.k", text_of);
  if (!s || !wisp_embedded_text(path)) fail_msg("%s.%s or %s is gone", kernel, name, path);
  if (wisp_closure_hash(&err, wisp_embedded_files, wisp_embedded_count, "nodal", a_space, wisp_embedded_text(path),
                        &hash) != WISP_OK)
    fail_msg("%s", err.text);
  hash = wisp_closure_add_system(hash, wisp_embedded_files, wisp_embedded_count, "maxwell");
  snprintf(expected, sizeof expected, "%016llx", (unsigned long long)hash);
  wisp_strategy_hash(s, "maxwell", listed);
  assert_string_equal(listed, expected);
}

static void test_listed_strategies(void **state)
{
  (void)state;
  wisp_error err = {0};
  wisp_strategies *all = NULL;
  if (wisp_strategies_load(&err, &all) != WISP_OK) fail_msg("%s", err.text);
  check_hash(all, "fused", "literal", wisp_embedded_text("templates/nodal/fused.literal.space"), "fused.literal");
  check_hash(all, "lift", "literal", wisp_embedded_text("templates/nodal/lift.literal.space"), "fused.literal");
  wisp_strategies_free(all);
}

/* Every two strategies differ in their spaces at least. */
static void test_no_two_are_equal(void **state)
{
  (void)state;
  wisp_error err = {0};
  wisp_strategies *all = NULL;
  char a[20], b[20];
  if (wisp_strategies_load(&err, &all) != WISP_OK) fail_msg("%s", err.text);
  for (size_t i = 0; i < wisp_strategies_count(all); i++) {
    wisp_strategy_hash(wisp_strategies_at(all, i), "maxwell", a);
    assert_int_equal(strlen(a), 16);
    for (size_t j = 0; j < i; j++) {
      wisp_strategy_hash(wisp_strategies_at(all, j), "maxwell", b);
      assert_string_not_equal(a, b);
    }
  }
  wisp_strategies_free(all);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_file),         cmocka_unit_test(test_own_texts),
      cmocka_unit_test(test_new_parts),         cmocka_unit_test(test_systems),
      cmocka_unit_test(test_listed_strategies), cmocka_unit_test(test_no_two_are_equal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
