/* Claim: what strategies have in common is written once. One description serves several kernels, each with the lines
 * that hold for it; a description includes others, the user's before the library's; a user's folder may have parts;
 * packed numbers are named piece by piece; and every message names the file and line where it went wrong. */

#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../gen/family.h"
#include "../gen/strategy/strategy.h"

static const wisp_family *tensor(void)
{
  return wisp_family_find("tensor");
}

static wisp_env *make_names(const wisp_family *family, int order, wisp_spec *spec, wisp_layout layouts[8])
{
  const wisp_limits limits = target_limits("sm_90");
  *spec = wisp_family_spec(family, order, NULL, WISP_F64);
  wisp_family_layouts(spec, layouts);
  return plan_names(&limits, spec, layouts);
}

static wisp_strategies *must_load(void)
{
  wisp_strategies *all = NULL;
  GOOD(wisp_strategies_load(err, &all));
  return all;
}

static const wisp_strategy *find(const wisp_strategies *all, const char *kernel)
{
  const wisp_strategy *s = wisp_strategies_find(all, "tensor", kernel, "mine");
  if (!s) fail_msg("%s.mine is not listed", kernel);
  return s;
}

/* The default candidate's source for the host; or what is in scope of it. */
static char *source(const wisp_strategy *s, bool of_names)
{
  wisp_spec spec;
  wisp_layout layouts[8];
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  wisp_text text = {0};
  OWNED(wisp_env_destroy) wisp_env *names = make_names(tensor(), 2, &spec, layouts);
  wisp_spec_name_kernel(&spec, s->kernel);
  GOOD(wisp_plan_default(err, s, &spec, layouts, names, &plan));
  GOOD(of_names ? wisp_plan_names(err, plan, &text) : wisp_plan_source(err, plan, "host", &text));
  return text.data;
}

static void expect_words(char *text, const char *words, bool there)
{
  if (!strstr(text, words) == there) fail_msg("'%s' %s in: %s", words, there ? "is not" : "is", text);
}

static const char shared_space[] = " kernels mass collocated mass_trilinear # the facts of each are its family's\n"
                                   "title when it is said, when is a word\n"
                                   "layouts node\n"
                                   "param a 1 2\n"
                                   "param b 3 4 when !interpolated\n"
                                   "param c 5 when trilinear && interpolated\n"
                                   "default b=4 when !interpolated\n"
                                   "let size = interpolated ? 100 : 200\n"
                                   "let size_of_map = 24 when trilinear\n"
                                   "require a < 2 when trilinear : only one when it is trilinear\n"
                                   "block 8\n"
                                   "grid groups\n"
                                   "arg in real u\n"
                                   "arg in real vertices when trilinear\n"
                                   "operand real lines 2 = row[at] when !interpolated && trilinear\n"
                                   "  where at = q\n"
                                   "arg value int groups\n";

static const char shared_text[] = "size {{size}}{{#if trilinear}} map {{size_of_map}}{{/if}}\n";

static int set_up(void **state)
{
  const int status = fixture_set_up(state);
  setenv("WISP_TEMPLATES", *state, 1);
  return status;
}

static int tear_down(void **state)
{
  unsetenv("WISP_TEMPLATES");
  return fixture_tear_down(state);
}

/* Each kernel has the parameters, lets, conditions and arguments whose lines hold for it, and no others. */
TEST_WITH(test_kernels, set_up, tear_down)
{
  static const struct {
    const char *kernel, *params, *args;
    int legal;
  } expected[] = {{"mass", "a=1", "_block(const INDEX bx, const INDEX by, const real *RESTRICT u, int groups)", 2},
                  {"collocated", "a=1 b=4", "const real *RESTRICT u, int groups)", 4},
                  {"mass_trilinear", "a=1 c=5", "u, const real *RESTRICT vertices, int groups)", 1}};
  fixture_text(*state, "tensor/own.mine.space", shared_space);
  fixture_text(*state, "tensor/own.mine.k", shared_text);
  OWNED(wisp_strategies_free) wisp_strategies *all = must_load();
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    const wisp_strategy *s = find(all, expected[i].kernel);
    char *text = source(s, false);
    assert_string_equal(s->title, "when it is said, when is a word");
    expect_words(text, expected[i].params, true);
    expect_words(text, expected[i].args, true);
    expect_words(text, strcmp(expected[i].kernel, "collocated") == 0 ? "size 200" : "size 100", true);
    expect_words(text, "map 24", i == 2);
    free(text);
    int candidates = 1;
    for (int p = 0; p < s->params; p++) candidates *= s->param[p].count;
    assert_int_equal(candidates, i == 2 ? 2 : expected[i].legal);
  }
  assert_null(wisp_strategies_find(all, "tensor", "stiffness", "mine"));
}

/* A line that holds for one kernel alone is in no other's hash; a fact is in its kernel's. */
TEST_WITH(test_hashes, set_up, tear_down)
{
  static const char *const kernels[] = {"mass", "collocated", "mass_trilinear"};
  char before[3][20], after[20], *edited = strdup(shared_space);
  fixture_text(*state, "tensor/own.mine.space", shared_space);
  fixture_text(*state, "tensor/own.mine.k", shared_text);
  OWNED(wisp_strategies_free) wisp_strategies *all = must_load();
  for (int i = 0; i < 3; i++) wisp_strategy_hash(find(all, kernels[i]), "poisson", "host", before[i]);
  wisp_strategies_free(all);
  assert_string_not_equal(before[0], before[1]);
  char *place = strstr(edited, "size_of_map = 24");
  memcpy(place, "size_of_map = 25", 16);
  fixture_text(*state, "tensor/own.mine.space", edited);
  all = must_load();
  for (int i = 0; i < 3; i++) {
    wisp_strategy_hash(find(all, kernels[i]), "poisson", "host", after);
    if ((strcmp(after, before[i]) != 0) != (i == 2)) fail_msg("%s: from %s to %s", kernels[i], before[i], after);
  }
  free(edited);
}

/* An included description stands in its place: the user's file, else the library's. So with parts, and what they
 * are given; their messages name the user's file. */
TEST_WITH(test_user_files, set_up, tear_down)
{
  wisp_error err = {0};
  fixture_text(*state, "tensor/own.mine.space", "kernel mass\ninclude first\ninclude operator_end\n");
  fixture_text(*state, "tensor/first.space",
               "layouts node\nlet twice = 2*Np\nlet even_odd = 0\nblock 8\ngrid groups\nlet P = Gl\n");
  fixture_text(*state, "tensor/own.mine.k", "{{>greeting who=twice}}\n{{>apply A=matrix_D}}\n{{>cg_state}}\n");
  fixture_text(*state, "tensor/greeting.part", "{{takes who}}\nhello {{who}}\n");
  fixture_text(*state, "tensor/cg_state.part", "mine\n");
  OWNED(wisp_strategies_free) wisp_strategies *all = must_load();
  char *text = source(find(all, "mass"), false), *library = NULL;
  expect_words(text, "hello 54", true);
  expect_words(text, "\n  mine", true);
  expect_words(text, "const real w0", true); /* the library's part apply */
  library = source(wisp_strategies_find(all, "tensor", "update", "stream"), false);
  expect_words(library, "enum { RZ", true); /* the user's parts are for his own texts */
  free(text), free(library);
  text = source(find(all, "mass"), true);
  expect_words(text, "  twice                       54           = 2*Np", true);
  expect_words(text, "{{>greeting who=}}", true);
  free(text);
  wisp_strategies_free(all);
  assert_int_equal(unlink(fixture_path(*state, "tensor/greeting.part")), 0);
  fixture_text(*state, "tensor/words.part", /* a file of several parts: messages name it, and its lines */
               "{{part other}}\nnone\n{{part greeting who: Greets\nsomebody. }}\nhello {{nobody}}\n");
  all = must_load();
  wisp_spec spec;
  wisp_layout layouts[8];
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  HELD(wisp_text_free) wisp_text out = {0};
  OWNED(wisp_env_destroy) wisp_env *names = make_names(tensor(), 2, &spec, layouts);
  assert_int_equal(wisp_plan_default(&err, find(all, "mass"), &spec, layouts, names, &plan), WISP_OK);
  assert_int_equal(wisp_plan_source(&err, plan, "host", &out), WISP_EINPUT);
  expect_words(err.text, fixture_path(*state, "tensor/words.part:5: "), true);
}

TEST_WITH(test_messages, set_up, tear_down)
{
  static const struct {
    const char *space, *included, *place, *what;
  } bad[] = {
      {"kernel mass\ninclude\n", "", "own.mine.space:2: ", "include"},
      {"kernel mass\ninclude absent\n", "", "own.mine.space:2: ", "absent.space"},
      {"kernel mass\n\ninclude part\n", "layouts node\n\nparma 1\n", "part.space:3: ", "parma"},
      {"kernel mass\ninclude part\nparma 1\n", "layouts node\n", "own.mine.space:3: ", "parma"},
      {"kernel mass\ninclude part\n", "include part\n", "part.space:1: ", "included twice"},
      {"kernel mass\ninclude part\ninclude part\n", "", "own.mine.space:3: ", "included twice"},
      {"kernel mass\nlet a = 1\ninclude part\n", "let a = 2\n", "part.space:1: ", "let a is given twice"},
      {"kernel mass\nlet a = 1 when nonsense\n", "", "own.mine.space:2: ", "nonsense"},
      {"let a = 1 when trilinear\nkernel mass\n", "", "own.mine.space:1: ", "kernel"},
      {"kernel mass gather\n", "", "own.mine.space:1: ", "kernels"},
      {"kernels mass mass\nlayouts node\nblock 1\ngrid 1\n", "", "own.mine.space", "'mine' already"},
      {"kernel mass\narg in real u\nwhere a = 1\n", "", "own.mine.space:3: ", "operand"},
      {"kernel mass\noperand real D 1 = D[q]\nwhere q = 1\n", "", "own.mine.space:3: ", "where q"},
      {"kernel mass\norders 3..2\n", "", "own.mine.space:2: ", "LOW..HIGH"},
      {"kernel mass\norders 3\n", "", "own.mine.space:2: ", "LOW..HIGH"},
  };
  fixture_text(*state, "tensor/own.mine.k", "");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    wisp_error err = {0};
    wisp_strategies *all = NULL;
    fixture_text(*state, "tensor/own.mine.space", bad[i].space);
    fixture_text(*state, "tensor/part.space", bad[i].included);
    assert_int_not_equal(wisp_strategies_load(&err, &all), WISP_OK);
    if (!strstr(err.text, bad[i].place) || !strstr(err.text, bad[i].what)) fail_msg("'%s': %s", bad[i].space, err.text);
  }
}

/* An error that only shows when a candidate is made names its line as well, in the file that it stands in. */
TEST_WITH(test_late_messages, set_up, tear_down)
{
  static const char *const bad[] = {"let a = absent\n", "require absent : why\n", "needs absent : why\n",
                                    "shared real s 1/0\n"};
  fixture_text(*state, "tensor/own.mine.k", "");
  fixture_text(*state, "tensor/own.mine.space", "kernel mass\nlayouts node\nblock 1\ngrid 1\ninclude part\n");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[64];
    wisp_error err = {0};
    wisp_spec spec;
    wisp_layout layouts[8];
    wisp_plan *plan = NULL;
    snprintf(text, sizeof text, "# first\n%s", bad[i]);
    fixture_text(*state, "tensor/part.space", text);
    OWNED(wisp_strategies_free) wisp_strategies *all = must_load();
    OWNED(wisp_env_destroy) wisp_env *names = make_names(tensor(), 2, &spec, layouts);
    assert_int_equal(wisp_plan_default(&err, find(all, "mass"), &spec, layouts, names, &plan), WISP_EINPUT);
    expect_words(err.text, "part.space:2: ", true);
  }
}

TEST_WITH(test_orders, set_up, tear_down)
{
  fixture_text(*state, "tensor/own.mine.k", "");
  fixture_text(*state, "tensor/own.mine.space", "kernel mass\nlayouts node\norders 2..3 : too long\nblock 1\ngrid 1\n");
  OWNED(wisp_strategies_free) wisp_strategies *all = must_load();
  for (int order = 1; order <= 4; order++) {
    wisp_spec spec;
    wisp_layout layouts[8];
    wisp_error err = {0};
    OWNED(wisp_env_destroy) wisp_env *names = make_names(tensor(), order, &spec, layouts);
    const bool meant = order == 2 || order == 3;
    assert_int_equal(wisp_strategy_applies(&err, find(all, "mass"), layouts, names), meant ? WISP_OK : WISP_EREFUSED);
    if (!meant) assert_string_equal(err.text, "too long");
  }
}

/* Wheres are the formula that they stand for; their names come before the family's and the space's. */
TEST_WITH(test_wheres, set_up, tear_down)
{
  double *numbers[2] = {NULL}, *D = NULL;
  int *none = NULL;
  size_t count = 0;
  wisp_spec spec;
  wisp_layout layouts[8];
  fixture_text(*state, "tensor/own.mine.k", "");
  fixture_text(*state, "tensor/own.mine.space",
               "kernel mass\nlayouts node\nblock 1\ngrid 1\nlet row = 1000\n"
               "operand real plain 2*Nq*Nq = D[q%(2*Nq)<Nq?(q/(2*Nq)%Nq)*Nq+Nq-1-q%(2*Nq):-1]\n"
               "operand real named 2*Nq*Nq = D[inside ? row*Nq+column : -1] part inside ? 0 : nothing\n"
               "  where place = q%(2*Nq)\n  where row = q/(2*Nq)%Nq\n  where column = Nq-1-place\n"
               "  where inside = place < Nq\n"
               "operand real D Nq*Nq = D[q]\n");
  OWNED(wisp_strategies_free) wisp_strategies *all = must_load();
  OWNED(wisp_env_destroy) wisp_env *names = make_names(tensor(), 3, &spec, layouts);
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  GOOD(wisp_plan_default(err, find(all, "mass"), &spec, layouts, names, &plan));
  for (int i = 0; i < 2; i++) GOOD(wisp_plan_operand(err, plan, i, &count, &numbers[i], &none));
  assert_int_equal(count, 32);
  GOOD(wisp_plan_operand(err, plan, 2, &count, &D, &none));
  for (int q = 0; q < 32; q++)
    assert_true(numbers[0][q] == (q % 8 < 4 ? D[q / 8 * 4 + 3 - q % 8] : 0) && numbers[1][q] == numbers[0][q]);
  free(numbers[0]), free(numbers[1]), free(D);
}

/* Every name of a family and of the device is described, and nothing is that is not there. */
TEST(test_names_are_described)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  GOOD(wisp_strategies_load(err, &all));
  const wisp_family *family = NULL;
  for (size_t f = 0; (family = wisp_family_at(f)); f++) {
    wisp_spec spec;
    wisp_layout layouts[8];
    OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
    HELD(wisp_text_free) wisp_text text = {0};
    OWNED(wisp_env_destroy) wisp_env *names = make_names(family, 3, &spec, layouts);
    for (size_t i = 0; !plan && i < all->count; i++) {
      const wisp_strategy *s = all->list[i];
      if (strcmp(s->family, family->name) == 0) wisp_plan_default(NULL, s, &spec, layouts, names, &plan);
    }
    GOOD(wisp_plan_names(err, plan, &text));
    char *end = strstr(text.data, "\nparts\n");
    *end = '\0';
    for (char *line = strtok(strstr(text.data, "\nthe family's") + 1, "\n"); (line = strtok(NULL, "\n"));)
      if (strlen(line) < 45) fail_msg("nothing says what this is: %s", line);
  }
}
