/* Claim: a space description means what docs/reference/spaces.md says: keywords, errors with their line, candidates,
 * defaults, text form, operands, launch geometry. */

#include "test.h"
#include "store_fixture.h"
#include "parsed.h"
#include "../gen/strategy/strategy.h"

static const char good[] = "# a comment, then every keyword\n"
                           "kernel    probe\n"
                           "title     a title of several words   # and a comment\n"
                           "text      some.other\n"
                           "layouts   node slab\n"
                           "needs     order < 9 : only below order 9\n"
                           "param     wp 1 2 4\n"
                           "param     unroll 4 8\n"
                           "param     mode 0 1\n"
                           "default   wp=2 unroll=8\n"
                           "let       twice = 2*wp\n"
                           "require   twice*Np <= 100 || mode : too many nodes\n"
                           "let       rows = ceil(Np,twice)\n"
                           "require   rows > 1 || mode : one row only\n"
                           "block     Np wp mode+1\n"
                           "lane      threadIdx.y\n"
                           "grid      ceil(groups,wp) blocks\n"
                           "shared    int s_i 3\n"
                           "shared    real s_u twice*Np\n"
                           "arg       in real u\n"
                           "arg       out real rhs\n"
                           "arg       inout real res\n"
                           "arg       in int face_int\n"
                           "arg       value real dt\n"
                           "arg       value int groups\n"
                           "operand   real M 6 = table[q < 4 ? 3 - q : -1]\n"
                           "operand   real hi 4 = table[q] part 1\n"
                           "operand   real lo 4 = table[q] part 2\n"
                           "operand   int list 3 = numbers[q]\n"
                           "varies    it adds in any order\n"
                           "mixes     neighbours are added up together\n";

static const wisp_spec spec = {"nodal", "probe", "tet", 3, "maxwell", WISP_F64};

/* A family's names: enough of them for these texts. */
static wisp_env *make_names(int order, int max_threads, int max_shared)
{
  wisp_env *env = NULL;
  const double table[4] = {1.0 / 3, -2.0 / 7, 1e10 / 3, 5e-9 / 7};
  const int numbers[3] = {7, -8, 9};
  GOOD(wisp_env_create(err, NULL, &env));
  const struct {
    const char *name;
    int value;
  } ints[] = {{"order", order},
              {"Np", 20},
              {"real_bytes", 8},
              {"cuda", 0},
              {"sm", 0},
              {"layout", 0},
              {"max_threads", max_threads},
              {"max_shared", max_shared}};
  for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) wisp_env_int(NULL, env, ints[i].name, ints[i].value);
  wisp_env_reals(NULL, env, "table", table, 4);
  wisp_env_ints(NULL, env, "numbers", numbers, 3);
  return env;
}

/* The strategy of such a text, names and a layout for it, and a plan. */
typedef struct trial {
  wisp_strategy *s;
  wisp_env *names;
  wisp_layout layout;
  wisp_plan *plan;
} trial;

static trial open_trial(const char *text)
{
  return (trial){parse_trial(text), make_names(3, 1024, 65536), wisp_layout_padded(20, 40, 4), NULL};
}

static void close_trial(trial *t)
{
  wisp_plan_destroy(t->plan);
  wisp_env_destroy(t->names);
  wisp_strategy_destroy(t->s);
}

TEST(test_keywords)
{
  OWNED(wisp_strategy_destroy) wisp_strategy *s = parse_trial(good);
  const wisp_param *params = s->param;
  assert_string_equal(s->name, "trial");
  assert_string_equal(s->family, "nodal");
  assert_string_equal(s->kernel, "probe");
  assert_string_equal(s->title, "a title of several words");
  assert_int_equal(s->params, 3);
  assert_string_equal(params[0].name, "wp");
  assert_int_equal(params[0].count, 3);
  assert_int_equal(params[0].values[2], 4);
  assert_int_equal(params[0].preferred, 2);
  assert_int_equal(params[2].preferred, 0);
}

#define MANY(name) "param " #name " 1 2 3 4 5 6 7 8 9 10\n"

TEST(test_errors_name_the_line)
{
  static const struct {
    const char *text, *place, *what;
  } bad[] = {
      {"kernel volume\nnonsense 3\n", "there/mine.space:2: ", "nonsense"},
      {"kernel volume\n\nlayouts cube\n", ":3: ", "cube"},
      {"param wp\n", ":1: ", "no values"},
      {"param wp 1 x\n", ":1: ", "wp"},
      {"param wp requires 1\n", ":1: ", "no values"},
      {"param wp 1 2 requires\n", ":1: ", "where no kernel has it"},
      {"param wp 1 2 prefers 1 2\n", ":1: ", "at '2'"},
      {"param wp 1\ndefault wi=1\n", ":2: ", "wi"},
      {"require 1 < 2\n", ":1: ", " : "},
      {"require 1 < : why\n", ":1: ", ""},
      {"let x 3\n", ":1: ", "="},
      {"block 1 2 3 4\n", ":1: ", "extents"},
      {"grid\n", ":1: ", "extent"},
      {"shared float s 3\n", ":1: ", "float"},
      {"arg through real u\n", ":1: ", "through"},
      {"operand real D 3 = table\n", ":1: ", "table"},
      {"kernel a-name-that-is-too-long-for-a-kernel\n", ":1: ", "name"},
      {"kernel volume\nlayouts node\n", "space:", "block"},
      {"kernel volume\nblock 1\ngrid 1\n", "space:", "layouts"},
      {"layouts node\nblock 1\ngrid 1\n", "space:", "kernel"},
      {"kernel v\nlayouts node\nblock 1\ngrid 1\nparam p 1 2\ndefault p=3\n", "space:", "default of p"},
      {"kernel v\nlayouts node\nblock 1\ngrid 1\n" MANY(a) MANY(b) MANY(c) MANY(d) MANY(e),
       "space:", "more than 65536"},
      {"kernel volume\n\x1b]0;nonsense\x07 3\n", ":2: ", "?]0;nonsense?"}, /* no terminal obeys a message */
      {"param p 4294967297\n", ":1: ", "4294967297"},
      {"param p 1\ndefault p=4294967297\n", ":2: ", "p=4294967297"},
      /* Twice the same name: one of the two would be lost. */
      {"kernel volume\nkernel update\n", ":2: ", "kernel is given twice"},
      {"block 1\n\nblock 2\n", ":3: ", "block is given twice"},
      {"grid 1\ngrid 1\n", ":2: ", "grid is given twice"},
      {"grid 1\nmixes\n", ":2: ", "mixes gives no reason"},
      {"grid 1\nrequires_absent how\n", ":2: ", "NAME and a whole number"},
      {"fixed wi 1\n", ":1: ", " : "},
      {"fixed wi : why\n", ":1: ", "NAME EXPR : REASON"},
      {"fixed wi 1 : why\nfixed wi 2 : why\n", ":2: ", "fixed wi is given twice"},
      {"kernel v\nlayouts node\nblock 1\ngrid 1\nparam wi 1 2\nfixed wi 1 : why\n", "space:", "wi is a parameter, and"},
      {"param wi 1 2\nparam wp 1\nparam wi 4\n", ":3: ", "parameter wi is given twice"},
      {"let a = 1\nlet a = 2\n", ":2: ", "let a is given twice"},
      {"shared int s 3\nshared real s 3\n", ":2: ", "shared array s is given twice"},
      {"arg in real u\narg out real u\n", ":2: ", "argument u is given twice"},
      {"param p 1 2\ndefault p=1 p=2\n", ":2: ", "default of p is given twice"},
      /* Arrays that are not the kernel's business. */
      {"kernel volume\narg in real flux\n", ":2: ", "array flux: kernel volume reads u geo; it writes rhs"},
      {"kernel volume\narg in real rhs\n", ":2: ", "array rhs: kernel volume reads u geo"},
      {"kernel volume\narg out real u\n", ":2: ", "array u: kernel volume reads u geo"},
      {"kernel update\narg inout real rhs\n", ":2: ", "it writes u res"},
      {"kernel volume\narg in real nothing\n", ":2: ", "array nothing: "},
      {"kernel gather\narg in real face_int\n", ":2: ", "array face_int is int"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    wisp_strategy *s = NULL;
    wisp_error err = {0};
    wisp_status status = parse_strategy(&err, "nodal", "trial", (wisp_file_text){"there/mine.space", bad[i].text},
                                        (wisp_file_text){"", ""}, &s);
    if (status != WISP_EINPUT || !strstr(err.text, bad[i].place) || !strstr(err.text, bad[i].what))
      fail_msg("'%s' gave %d: %s", bad[i].text, (int)status, err.text);
    assert_null(s);
  }
}

typedef struct tally {
  int legal, refused_nodes, other;
} tally;

static wisp_status count(wisp_error *err, void *context, const int *values, wisp_plan *plan, const char *reason)
{
  tally *t = context;
  int wp = values[0], mode = values[2];
  /* The same conditions in C. */
  bool nodes = 2 * wp * 20 > 100 && !mode, row = (20 + 2 * wp - 1) / (2 * wp) <= 1 && !mode;
  if (plan) {
    assert_false(nodes || row);
    assert_int_equal(wisp_plan_value(plan, "wp", -1), wp);
    assert_int_equal(wisp_plan_value(plan, "absent", -1), -1);
    t->legal++;
  } else if (nodes) {
    assert_string_equal(reason, "too many nodes");
    t->refused_nodes++;
  } else
    t->other++;
  wisp_plan_destroy(plan);
  return WISP_OK;
}

TEST(test_enumeration_visits_every_combination)
{
  trial of = open_trial(good);
  tally t = {0};
  GOOD(wisp_plan_enumerate(err, of.s, &spec, &of.layout, of.names, count, &t));
  assert_int_equal(t.legal + t.refused_nodes + t.other, 3 * 2 * 2);
  assert_int_equal(t.refused_nodes, 2);
  assert_int_equal(t.legal, 10);
  close_trial(&of);
}

/* The first candidate that the walk above calls legal; with fixed parameters, the first that suits. */
TEST(test_first_candidate)
{
  trial t = open_trial(good);
  wisp_layout slab = wisp_layout_slab(20, 40, 32);
  OWNED(wisp_env_destroy) wisp_env *small = make_names(3, 1, 65536);
  wisp_plan *plan = NULL;
  GOOD(wisp_plan_first(err, t.s, &spec, &t.layout, t.names, NULL, &t.plan));
  for (int i = 0; i < t.s->params; i++) assert_int_equal(t.plan->value[i], t.s->param[i].values[0]);
  GOOD(wisp_plan_first(err, t.s, &spec, &t.layout, small, NULL, &plan));
  assert_null(plan);
  if (!t.s->slab) assert_int_equal(wisp_plan_first(NULL, t.s, &spec, &slab, t.names, NULL, &plan), WISP_EREFUSED);
  close_trial(&t);
}

TEST(test_limits_refuse)
{
  wisp_strategy *s = parse_trial(good);
  wisp_layout layout = wisp_layout_padded(20, 40, 4);
  static const struct {
    int order, threads, shared;
    const char *reason;
  } cases[] = {{9, 1024, 65536, "only below order 9"}, {3, 30, 65536, "40 threads"}, {3, 1024, 600, "shared memory"}};
  const int values[3] = {2, 4, 0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    OWNED(wisp_env_destroy) wisp_env *names = make_names(cases[i].order, cases[i].threads, cases[i].shared);
    wisp_plan *plan = NULL;
    wisp_error err = {0};
    assert_int_equal(wisp_plan_create(&err, s, &spec, &layout, names, values, &plan), WISP_EREFUSED);
    if (!strstr(err.text, cases[i].reason)) fail_msg("%s", err.text);
  }
  wisp_strategy_destroy(s);
  trial t = open_trial("kernel volume\nlayouts slab\nblock 1\ngrid 1\n");
  wisp_error err = {0};
  assert_int_equal(wisp_strategy_applies(&err, t.s, &layout, t.names), WISP_EREFUSED);
  assert_non_null(strstr(err.text, "slab"));
  close_trial(&t);
}

/* wp=2 needs 640 + 16 bytes: where that is refused, the first legal candidate takes its place; where none is, a reason.
 */
TEST(test_default_falls_back)
{
  OWNED(wisp_strategy_destroy) wisp_strategy *s = parse_trial(good);
  wisp_layout layout = wisp_layout_padded(20, 40, 4);
  static const struct {
    int shared;
    const char *params;
  } cases[] = {{65536, "mode=0 unroll=8 wp=2"}, {400, "mode=0 unroll=4 wp=1"}, {100, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    OWNED(wisp_env_destroy) wisp_env *names = make_names(3, 1024, cases[i].shared);
    OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
    wisp_error err = {0};
    wisp_status status = wisp_plan_default(&err, s, &spec, &layout, names, &plan);
    if (cases[i].params)
      assert_string_equal(plan->params, cases[i].params);
    else {
      assert_int_equal(status, WISP_EREFUSED);
      assert_non_null(strstr(err.text, "no legal candidate"));
    }
  }
}

/* A candidate that makes no sense, met while another is looked for in place of the default, is an error; those behind
 * the one that is found are not looked at. */
TEST(test_senseless_candidate)
{
  static const struct {
    const char *values;
    wisp_status status;
  } cases[] = {{"1 3 2", WISP_EINPUT}, {"1 2 3", WISP_OK}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[200];
    snprintf(text, sizeof text,
             "kernel volume\nlayouts node\nblock 1\ngrid 1\nparam a %s\n"
             "require a != 1 : one\nrequire a < 3 || nothing : why\n",
             cases[i].values);
    trial t = open_trial(text);
    wisp_error err = {0};
    assert_int_equal(wisp_plan_default(&err, t.s, &spec, &t.layout, t.names, &t.plan), cases[i].status);
    assert_true(cases[i].status == WISP_OK ? t.plan->value[0] == 2 : !t.plan && strstr(err.text, "nothing"));
    close_trial(&t);
  }
}

TEST(test_text_comes_back)
{
  trial t = open_trial(good);
  const int values[3] = {4, 8, 1};
  wisp_plan *repeated = NULL;
  GOOD(wisp_plan_create(err, t.s, &spec, &t.layout, t.names, values, &t.plan));
  assert_string_equal(t.plan->params, "mode=1 unroll=8 wp=4");
  GOOD(wisp_plan_from_text(err, t.s, &spec, &t.layout, t.names, t.plan->params, &repeated));
  assert_string_equal(repeated->params, t.plan->params);
  wisp_plan_destroy(repeated);
  static const char *const bad[] = {
      "mode=1 unroll=8",           "mode=1 unroll=8 wp=3",         "", "mode=1 unroll=8 wwp=4", "mode=1 unroll=8 wp=4x",
      "mode=1 unroll=8 wp=4 wq=1", "mode=1 unroll=8 wp=4294967298"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    wisp_status status = wisp_plan_from_text(NULL, t.s, &spec, &t.layout, t.names, bad[i], &repeated);
    if (status != WISP_EINPUT) fail_msg("'%s' was taken", bad[i]);
  }
  close_trial(&t);
}

static int find_arg(const wisp_plan *plan, const char *name)
{
  for (int i = 0; i < plan->strategy->args; i++)
    if (strcmp(plan->strategy->arg[i].name, name) == 0) return i;
  return -1;
}

/* The number that bits of FP16 stand for. */
static double of_fp16(uint32_t bits)
{
  const int exponent = bits >> 10 & 31, units = bits & 1023;
  const double size = exponent ? ldexp(1024 + units, exponent - 25) : ldexp(units, -24);
  return bits & 0x8000 ? -size : size;
}

/* For numbers up to 255, two halves in one float make 22 bits, or 2^-33 where the low one has fewer than 11. */
TEST(test_fp16_halves)
{
  static const char text[] = "kernel volume\ntitle halves\nlayouts node\nparam unroll 1\nblock 32\ngrid groups\n"
                             "operand real M 6 = M[q] part 3\narg in real u\n";
  trial t = open_trial(text);
  const double table[6] = {1.0 / 3, -2.0 / 7, 0, 255, -1e-5 / 3, 1e-9};
  const int values[1] = {1};
  OWNED(free) double *M = NULL;
  int *no = NULL;
  size_t n = 0;
  GOOD(wisp_env_reals(err, t.names, "M", table, 6));
  GOOD(wisp_plan_create(err, t.s, &spec, &t.layout, t.names, values, &t.plan));
  GOOD(wisp_plan_operand(err, t.plan, find_arg(t.plan, "M"), &n, &M, &no));
  for (size_t q = 0; q < 6; q++) {
    const float both = (float)M[q];
    uint32_t bits = 0;
    memcpy(&bits, &both, sizeof bits);
    const double sum = (of_fp16(bits & 0xffff) + of_fp16(bits >> 16)) / 256;
    assert_true(fabs(sum - table[q]) <= fmax(ldexp(fabs(table[q]), -22), ldexp(1, -33)));
    assert_true(fabs(of_fp16(bits >> 16)) <= ldexp(fabs(table[q]) * 256, -11) + ldexp(1, -25));
  }
  close_trial(&t);
}

TEST(test_operands_and_launch)
{
  trial t = open_trial(good);
  const int values[3] = {4, 8, 1};
  const double table[4] = {1.0 / 3, -2.0 / 7, 1e10 / 3, 5e-9 / 7};
  double *M = NULL, *hi = NULL, *lo = NULL, *none = NULL;
  int *list = NULL, *no = NULL;
  size_t n = 0;
  GOOD(wisp_plan_create(err, t.s, &spec, &t.layout, t.names, values, &t.plan));
  wisp_plan *const plan = t.plan;
  GOOD(wisp_plan_operand(err, plan, find_arg(plan, "M"), &n, &M, &no));
  assert_int_equal(n, 6);
  assert_null(no);
  for (int q = 0; q < 6; q++) assert_true(M[q] == (q < 4 ? table[3 - q] : 0));
  wisp_plan_operand(NULL, plan, find_arg(plan, "hi"), &n, &hi, &no);
  wisp_plan_operand(NULL, plan, find_arg(plan, "lo"), &n, &lo, &no);
  for (int q = 0; q < 4; q++) {
    int exponent = 0;
    double mantissa = ldexp(frexp(hi[q], &exponent), 11); /* TF32: 11 significant bits */
    assert_true(mantissa == floor(mantissa));
    assert_true(fabs(lo[q]) <= ldexp(fabs(table[q]), -11));
    double low = frexp(lo[q], &exponent);
    low = ldexp(nearbyint(ldexp(low, 11)), exponent - 11); /* as the unit reads it */
    assert_true(fabs(hi[q] + low - table[q]) <= ldexp(fabs(table[q]), -21));
  }
  GOOD(wisp_plan_operand(err, plan, find_arg(plan, "list"), &n, &none, &list));
  assert_null(none);
  assert_int_equal(list[1], -8);
  const wisp_count counts[] = {{"groups", 9}, {"blocks", 5}, {NULL, 0}};
  unsigned grid[2];
  GOOD(wisp_plan_grid(err, plan, counts, grid));
  assert_int_equal(grid[0], 3);
  assert_int_equal(grid[1], 5);
  assert_int_equal(plan->block[0], 20);
  assert_int_equal(plan->block[1], 4);
  assert_int_equal(plan->block[2], 2);
  assert_int_equal(plan->shared, 16 + 2 * 4 * 20 * 8);
  free(M), free(hi), free(lo), free(list);
  close_trial(&t);
}

/* Trials name a strategy, not its text: two of one name would answer for each other. */
TEST_IN_FOLDER(test_strategies_have_names_of_their_own)
{
  static const char space[] = "kernel update\nlayouts node\nblock 1\ngrid 1\n";
  wisp_error err = {0};
  wisp_strategies *all = NULL;
  fixture_text(*state, "nodal/update.mine.space", space);
  fixture_text(*state, "nodal/update.mine.k", "text");
  setenv("WISP_TEMPLATES", *state, 1);
  assert_int_equal(wisp_strategies_load(&err, &all), WISP_OK);
  wisp_strategies_free(all);
  fixture_text(*state, "nodal/other.mine.space", space); /* by its kernel, not by its file */
  fixture_text(*state, "nodal/other.mine.k", "text");
  assert_int_equal(wisp_strategies_load(&err, &all), WISP_EINPUT);
  assert_non_null(strstr(err.text, "'mine'"));
  assert_int_equal(unlink(fixture_path(*state, "nodal/other.mine.space")), 0);
  fixture_text(*state, "nodal/update.stream.space", space); /* wisp's own has that name */
  fixture_text(*state, "nodal/update.stream.k", "text");
  assert_int_equal(wisp_strategies_load(&err, &all), WISP_EINPUT);
  assert_non_null(strstr(err.text, "update.stream.space"));
  unsetenv("WISP_TEMPLATES");
}

/* Keywords of the last release mean what they meant; a note names the new one. */
TEST_IN_FOLDER(test_renamed_keywords)
{
  static const char space[] = "kernel update\nlayouts node\nblock 1\ngrid 1\nparam MB 4 fixes 1\n"
                              "param grouping 1 2 wishes 0\nexpects sliced 3\n";
  static const char *const notes[] = {":5: 'fixes' is now 'requires'", ":6: 'wishes' is now 'prefers'",
                                      ":7: 'expects' is now 'requires_absent'"};
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  fixture_text(*state, "nodal/update.old.space", space);
  fixture_text(*state, "nodal/update.old.k", "text");
  setenv("WISP_TEMPLATES", *state, 1);
  GOOD(wisp_strategies_load(err, &all));
  unsetenv("WISP_TEMPLATES");
  for (int i = 0; i < 3; i++) assert_non_null(strstr(all->warning.data, notes[i]));
  const wisp_strategy *s = wisp_strategies_find(all, "nodal", "update", "old");
  assert_int_equal(s->param[0].mesh_constraint, WISP_MESH_REQUIRED);
  assert_int_equal(s->param[0].otherwise, 1);
  assert_int_equal(s->param[1].mesh_constraint, WISP_MESH_PREFERRED);
  assert_string_equal(s->requires_absent.name, "sliced");
  assert_int_equal(s->requires_absent.value, 3);
}
