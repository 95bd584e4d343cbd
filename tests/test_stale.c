/* Claim: what ships stays valid while its texts say the same to the compiler. What nobody compiles costs no winner: a
 * third dialect, comments, titles, another kind of device's dialect, a definition that nobody uses. An edited literal
 * costs those that are made from its text, and no others. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../gen/embedded.h"
#include "../gen/strategy/strategy.h"
#include "../runtime/solve/choose.h"

#include <ctype.h>

/* ---- A library whose texts are edited. */

enum { ROOM = 2048 };

typedef struct library {
  wisp_embedded files[ROOM];
  size_t count, edits;
  char *edited[ROOM];
} library;

static library shipped_library(void)
{
  library l = {.count = wisp_embedded_count};
  assert_true(wisp_embedded_count < ROOM);
  memcpy(l.files, wisp_embedded_files, wisp_embedded_count * sizeof *l.files);
  return l;
}

static void forget_edits(library *l)
{
  while (l->edits) free(l->edited[--l->edits]);
}

static wisp_embedded *file_of(library *l, const char *path)
{
  for (size_t i = 0; i < l->count; i++)
    if (strcmp(l->files[i].path, path) == 0) return &l->files[i];
  fail_msg("%s is gone", path);
  return NULL;
}

static void set_text(library *l, wisp_embedded *file, wisp_text text)
{
  assert_true(l->edits < ROOM);
  file->text = l->edited[l->edits++] = text.data;
}

/* A line before each of a text's lines, or before the first alone. */
static void put_before(library *l, wisp_embedded *file, const char *line, bool each)
{
  wisp_text text = {0};
  const char *at = file->text;
  do {
    const size_t length = each ? strcspn(at, "\n") : strlen(at);
    GOOD(wisp_text_print(err, &text, "%s\n%.*s\n", line, (int)length, at));
    at += length;
    at += *at == '\n';
  } while (*at);
  set_text(l, file, text);
}

static void put_behind(library *l, wisp_embedded *file, const char *line)
{
  wisp_text text = {0};
  GOOD(wisp_text_print(err, &text, "%s%s\n", file->text, line));
  set_text(l, file, text);
}

static bool ends_with(const char *path, const char *ending)
{
  return strlen(path) > strlen(ending) && strcmp(path + strlen(path) - strlen(ending), ending) == 0;
}

/* ---- Its strategies. */

static wisp_strategies *strategies_of(const library *l)
{
  wisp_strategies *all = NULL;
  GOOD(wisp_strategies_load_from(err, l->files, l->count, &all));
  return all;
}

static bool same_hash(const wisp_strategies *before, const wisp_strategies *after, size_t i, const char *dialect)
{
  char a[20], b[20];
  wisp_strategy_hash(before->list[i], "maxwell", dialect, a);
  wisp_strategy_hash(after->list[i], "maxwell", dialect, b);
  return strcmp(a, b) == 0;
}

/* Fails the test unless all shipped trials of kernels are valid with these texts. */
static void expect_all_valid(const library *l, const char *after)
{
  OWNED(wisp_store_close) wisp_store *store = fixture_open("/nowhere/none.db");
  OWNED(wisp_strategies_free) wisp_strategies *all = strategies_of(l);
  size_t kernels = 0;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    const wisp_trial *t = wisp_store_trial(store, i, NULL);
    if (strstr(t->spec, ".step:")) continue;
    if (!wisp_trial_is_current(all, t)) fail_msg("%s %s is stale after %s", t->spec, t->strategy, after);
    kernels++;
  }
  assert_true(kernels > 1000);
}

/* ---- What nobody compiles. */

TEST(test_third_dialect)
{
  library l = shipped_library();
  expect_all_valid(&l, "nothing");
  l.files[l.count++] = (wisp_embedded){"templates/dialect/opencl.k", "", 0, NULL};
  expect_all_valid(&l, "a third dialect, empty-handed");
  l.files[l.count - 1].text = "#define SYNC() barrier()\n__kernel void {{symbol}}()\n{\n  {{>body}}\n}\n";
  expect_all_valid(&l, "a third dialect");
}

TEST(test_comments)
{
  library l = shipped_library();
  for (size_t i = 0; i < l.count; i++) {
    wisp_embedded *file = &l.files[i];
    if (ends_with(file->path, ".space") || ends_with(file->path, ".system")) {
      put_before(&l, file, "# A comment, and an empty line.\n", true);
      if (ends_with(file->path, ".space")) put_behind(&l, file, "default # nothing");
    } else if (ends_with(file->path, ".part") || strstr(file->path, "/dialect/") || ends_with(file->path, ".k")) {
      put_before(&l, file, "{{! A comment. }}\n\n  // Another, of {{title}}.", false);
      put_behind(&l, file, "\n/* And one\n   more. */");
    }
  }
  expect_all_valid(&l, "comments and empty lines everywhere");
  forget_edits(&l);
}

TEST(test_other_dialect)
{
  library l = shipped_library();
  put_behind(&l, file_of(&l, "templates/dialect/host.k"), "static int nothing;\n");
  expect_all_valid(&l, "an edit of the host's dialect");
  put_before(&l, file_of(&l, "templates/dialect/cuda.k"), "#define NOBODY_S 1\ntypedef real NOBODY;", false);
  expect_all_valid(&l, "definitions that nobody uses");
  forget_edits(&l);
}

/* ---- What is no longer among the candidates. */

TEST(test_values)
{
  library l = shipped_library();
  OWNED(wisp_strategies_free) wisp_strategies *all = strategies_of(&l);
  OWNED(wisp_store_close) wisp_store *store = fixture_open("/nowhere/none.db");
  int tried = 0;
  for (size_t i = 0; i < wisp_store_count(store); i += 97) {
    wisp_trial t = *wisp_store_trial(store, i, NULL);
    if (strstr(t.spec, ".step:") || !*t.params) continue;
    strcat(t.params, "7"); /* no strategy lists 17, 47, 327, ... */
    assert_false(wisp_trial_is_current(all, &t));
    tried++;
  }
  assert_true(tried > 10);
}

/* ---- What somebody compiles. */

/* Is the file a strategy's own text, or inserted by it, by a part or a dialect? As plainly as possible. */
static bool reaches(library *l, const char *text, const char *path, int depth)
{
  char family[32], name[64], part[128];
  assert_true(depth < 16);
  if (strcmp(text, path) == 0) return true;
  assert_int_equal(sscanf(text, "templates/%31[^/]", family), 1);
  for (const char *at = file_of(l, text)->text; (at = strstr(at, "{{>"));) {
    at += 3;
    if (sscanf(at, "%63[a-z_0-9]", name) != 1) continue;
    snprintf(part, sizeof part, "templates/%s/%s.part", family, name);
    if (wisp_embedded_text(part) && reaches(l, part, path, depth + 1)) return true;
  }
  return false;
}

/* Another digit in place of a text's first literal: a digit that begins a number, outside of comments. False: none. */
static bool change_literal(library *l, wisp_embedded *file)
{
  wisp_text text = {0};
  const char *from = file->text;
  while (*from && !(from > file->text && isdigit((unsigned char)*from) && strchr(" (*[", from[-1]))) {
    if (strncmp(from, "//", 2) == 0) from += strcspn(from, "\n");
    if (strncmp(from, "{{!", 3) == 0) from = strstr(from, "}}");
    from += *from != '\0';
  }
  if (!*from) return false;
  GOOD(wisp_text_print(err, &text, "%.*s%c%s", (int)(from - file->text), file->text, *from == '9' ? '8' : *from + 1,
                       from + 1));
  set_text(l, file, text);
  return true;
}

/* All strategies are read anew for every text: where that is slow (sanitized; under valgrind) some stand for the rest.
 */
static int stride(void)
{
  return getenv("WISP_TEST_QUICK") ? 8 : getenv("WISP_TEST_COARSE") ? 3 : 1;
}

TEST(test_literals)
{
  library l = shipped_library();
  OWNED(wisp_strategies_free) wisp_strategies *before = strategies_of(&l);
  int changed = 0, texts = 0;
  for (size_t i = 0; i < l.count; i++) {
    const wisp_embedded original = l.files[i];
    const bool text = strstr(original.path, "/nodal/") || strstr(original.path, "/tensor/");
    if (!text || !(ends_with(original.path, ".k") || ends_with(original.path, ".part"))) continue;
    if (texts++ % stride() != 0) continue;
    if (!change_literal(&l, &l.files[i])) continue;
    wisp_strategies *after = strategies_of(&l);
    for (size_t n = 0; n < after->count; n++) {
      const wisp_strategy *s = after->list[n];
      const bool own = reaches(&l, s->text_path, original.path, 0);
      for (int d = 0; d < 2; d++)
        if (same_hash(before, after, n, d ? "host" : "cuda") == own)
          fail_msg("%s %s is %s after a literal in %s", s->kernel, s->name, own ? "valid" : "stale", original.path);
    }
    changed++;
    wisp_strategies_free(after);
    l.files[i] = original;
    forget_edits(&l);
  }
  assert_true(changed > 30 / stride());
}

/* ---- Nothing that is compiled is left out: a definition of the dialect that a kernel's source uses is in its hash. */

/* Does the word stand in the text as a whole, elsewhere than in the definition itself? */
static bool uses(const char *text, const char *word)
{
  const size_t length = strlen(word);
  for (const char *at = text; (at = strstr(at, word)); at += length) {
    const bool within = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
    const bool defined = at - text >= 8 && strncmp(at - 8, "#define ", 8) == 0;
    if (!within && !defined && !(isalnum((unsigned char)at[length]) || at[length] == '_')) return true;
  }
  return false;
}

enum { MOST_DEFINITIONS = 64 };

typedef struct definition {
  char name[64];
  wisp_strategies *after; /* its edit */
} definition;

typedef struct definitions { /* of a dialect */
  const char *dialect;
  wisp_strategies *before;
  size_t count, users;
  definition list[MOST_DEFINITIONS];
} definitions;

/* Fails the test where a source's body uses the definition and its strategy's hash is not changed by the edit. */
static void check_use(definitions *all, const definition *d, const char *body, const plan_case *c)
{
  if (!uses(body, d->name)) return;
  for (size_t i = 0; i < all->before->count; i++) {
    const wisp_strategy *s = all->before->list[i];
    if (strcmp(s->family, c->family->name) != 0) continue;
    if (strcmp(s->kernel, c->strategy->kernel) != 0) continue;
    if (strcmp(s->name, c->strategy->name) != 0) continue;
    if (same_hash(all->before, d->after, i, all->dialect))
      fail_msg("%s uses %s: its hash does not", plan_case_text(c), d->name);
    all->users++;
  }
}

/* A plan_visit. The body stands behind the definitions, which may use each other. */
static void check_source(void *context, const plan_case *c)
{
  definitions *all = context;
  HELD(wisp_text_free) wisp_text source = {0};
  if (!c->plan) return;
  GOOD(wisp_plan_source(err, c->plan, all->dialect, &source));
  const char *body = strstr(source.data, "\n{\n");
  assert_non_null(body);
  for (size_t i = 0; i < all->count; i++) check_use(all, &all->list[i], body, c);
}

/* The strategies as they are after an edit of each definition alone. */
static void edit_each(library *l, definitions *all)
{
  char path[64];
  snprintf(path, sizeof path, "templates/dialect/%s.k", all->dialect);
  const char *text = file_of(l, path)->text;
  for (const char *at = text; (at = strstr(at, "\n#define "));) {
    definition *d = &all->list[all->count++];
    wisp_text changed = {0};
    assert_true(all->count < MOST_DEFINITIONS);
    at += strlen("\n#define ");
    assert_int_equal(sscanf(at, "%63[A-Za-z_0-9]", d->name), 1);
    const size_t line = (size_t)(at - text) + strcspn(at, "\n");
    GOOD(wisp_text_print(err, &changed, "%.*s +1%s", (int)line, text, text + line));
    set_text(l, file_of(l, path), changed);
    d->after = strategies_of(l);
  }
}

TEST(test_definitions)
{
  static const char *const kinds[][2] = {{"cuda", "sm_90"}, {"host", "host"}};
  const plan_range range = {{2, 2}, {WISP_F64}};
  for (int k = 0; k < 2; k++) {
    library l = shipped_library();
    const wisp_limits limits = target_limits(kinds[k][1]);
    definitions all = {.dialect = kinds[k][0], .before = strategies_of(&l)};
    edit_each(&l, &all);
    each_plan(&limits, &range, check_source, &all);
    assert_true(all.count > 10 && all.users > 100);
    while (all.count) wisp_strategies_free(all.list[--all.count].after);
    wisp_strategies_free(all.before);
    forget_edits(&l);
  }
}
