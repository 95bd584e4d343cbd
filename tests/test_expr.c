/* Claim: expressions mean what C programmers read in them, and nonsense is an error that says where, never a crash. */
#include "test.h"
#include "../gen/language/expr_tree.h"

static wisp_env *sample_env(void)
{
  wisp_env *env = NULL, *item = NULL;
  const double reals[] = {0.0, 0.5, -0.0, -2.0};
  const int ints[] = {7, 0, -9};
  GOOD(wisp_env_create(err, NULL, &env));
  GOOD(wisp_env_int(err, env, "zero", 0));
  GOOD(wisp_env_int(err, env, "n", 4));
  GOOD(wisp_env_int(err, env, "huge", INT64_MAX));
  GOOD(wisp_env_text(err, env, "word", "five"));
  GOOD(wisp_env_reals(err, env, "D", reals, 4));
  GOOD(wisp_env_ints(err, env, "map", ints, 3));
  for (int i = 0; i < 3; i++) GOOD(wisp_env_item(err, env, "fields", &item));
  GOOD(wisp_env_empty_list(err, env, "none"));
  return env;
}

typedef struct int_case {
  const char *text;
  int64_t value;
} int_case;

static void assert_ints(const int_case *cases, size_t count)
{
  OWNED(wisp_env_destroy) wisp_env *env = sample_env();
  wisp_error err = {0};
  for (size_t i = 0; i < count; i++) {
    int64_t value = -12345;
    if (wisp_eval_int(&err, cases[i].text, env, &value) != WISP_OK) fail_msg("%s: %s", cases[i].text, err.text);
    if (value != cases[i].value) fail_msg("%s gives %lld", cases[i].text, (long long)value);
  }
}

#define ASSERT_INTS(cases) assert_ints(cases, sizeof(cases) / sizeof *(cases))

/* Every text fails, with the words that stand beside it, and leaves the output alone. */
static void assert_fails(const char *text, const char *words)
{
  OWNED(wisp_env_destroy) wisp_env *env = sample_env();
  wisp_error err = {0};
  int64_t value = 77;
  if (wisp_eval_int(&err, text, env, &value) != WISP_EINPUT) fail_msg("'%s' is taken", text);
  if (!strstr(err.text, words)) fail_msg("'%s' says: %s", text, err.text);
  assert_int_equal(err.status, WISP_EINPUT);
  assert_int_equal(value, 77);
  assert_null(strchr(err.text, '\n'));
}

TEST(operators_bind_as_in_c)
{
  const int_case cases[] = {
      {"1+2*3", 7},        {"(1+2)*3", 9},   {"10-4-3", 3},      {"100/7/2", 7},          {"-n+1", -3},
      {"- -n", 4},         {"!n", 0},        {"!!n", 1},         {"!zero == 1", 1},       {"-7/2", -3},
      {"-7%3", -1},        {"2*3%4", 2},     {"1<2 == 1", 1},    {"1 + 1 == 2", 1},       {"3 > 2 > 1", 0},
      {"1 || 0 && 0", 1},  {"(1||0)&&0", 0}, {"5 && 3", 1},      {"0 || 9", 1},           {"1<=1 && 2>=3", 0},
      {"n != 4", 0},       {"1 ? 2 : 3", 2}, {"0 ? 2 : 3", 3},   {"0?1:0?2:3", 3},        {"1?0?1:2:3", 2},
      {"n==4?n*2:n/0", 8}, {"1?2:3+10", 2},  {"\t n \n+ 1 ", 5}, {"map[0]-map[1+1]", 16}, {"007", 7},
      {"n-1", 3},          {"n -1", 3},      {"2-(-3)", 5},      {"(((((n)))))", 4},
  };
  ASSERT_INTS(cases);
}

TEST(calls_compute)
{
  const int_case cases[] = {
      {"ceil(7,2)", 4},      {"ceil(8,2)", 4},         {"ceil(0,3)", 0},       {"ceil(-7,2)", -3},
      {"round_up(9,4)", 12}, {"round_up(8, 4)", 8},    {"round_up(-9,4)", -8}, {"min(3,n)", 3},
      {"max(3,n)", 4},       {"min(-1,max(2,1))", -1}, {"nonzero(D,0)", 0},    {"nonzero(D,1)", 1},
      {"nonzero(D,2)", 0},   {"nonzero(D,n-1)", 1},    {"nonzero(map,1)", 0},  {"nonzero(map,2)", 1},
      {"count(fields)", 3},  {"count(none)", 0},       {"count(D)", 4},        {"count ( map )*2", 6},
  };
  ASSERT_INTS(cases);
}

TEST(what_is_not_reached_is_not_evaluated)
{
  const int_case cases[] = {
      {"zero != 0 && n/zero > 1", 0},
      {"zero == 0 || n/zero > 1", 1},
      {"n != 0 && 8/n > 1", 1},
      {"zero ? n/zero : 5", 5},
      {"n ? 5 : undefined", 5},
      {"0 && undefined", 0},
      {"0 && D[99]", 0},
  };
  ASSERT_INTS(cases);
}

TEST(integers_end_at_64_bits)
{
  const int_case cases[] = {{"huge", INT64_MAX}, {"-huge-1", INT64_MIN}, {"9223372036854775807", INT64_MAX}};
  ASSERT_INTS(cases);
  assert_fails("n == \"four\" ? 1 : 0", "column 6: the text 'four' is no number");
  assert_fails("'four' + 1", "column 1: the text 'four' is no number");
  assert_fails("n == 'four", "column 6: the quote ' has no end");
  assert_fails("huge+1", "fit 64 bits");
  assert_fails("-huge-2", "fit 64 bits");
  assert_fails("huge*2", "fit 64 bits");
  assert_fails("-(-huge-1)", "fit 64 bits");
  assert_fails("(-huge-1)/-1", "fit 64 bits");
  assert_fails("(-huge-1)%-1", "fit 64 bits");
  assert_fails("round_up(huge,1000)", "fit 64 bits");
  assert_fails("9223372036854775808", "64-bit");
  assert_fails("n/zero", "division by zero");
  assert_fails("n%0", "division by zero");
  assert_fails("ceil(n,0)", "division by zero");
  assert_fails("round_up(n,zero)", "division by zero");
  assert_fails("ceil(n,-2)", "positive");
}

TEST(names_must_fit_their_use)
{
  assert_fails("n + missing", "'missing' is not defined");
  assert_fails("n + missing", "column 5");
  assert_fails("word", "'word' is a text");
  assert_fails("D", "a table of reals");
  assert_fails("D[1]", "a table of reals");
  assert_fails("fields + 1", "a list");
  assert_fails("n[0]", "not a table");
  assert_fails("nonzero(n,0)", "not a table");
  assert_fails("count(n)", "an integer");
  assert_fails("map[3]", "index 3 is outside 'map', which has 3");
  assert_fails("map[-1]", "outside");
  assert_fails("nonzero(D,4)", "outside");
  assert_fails("1.5", "64-bit integer");
  assert_fails("pow(n,2)", "'pow' gives no integer");
}

TEST(garbage_is_refused)
{
  const char *const texts[] = {
      "",      " ",      "+",      "1+",      "1 2",        "(1",       "1)",         "n[1",   "n]",
      "f(1)",  "min()",  "min(1)", "min(1,2", "1 ? 2",      "1 ? : 2",  "1 : 2",      "a b",   "1..2",
      "1x",    "0x10",   "1e",     "$",       "#",          "a,b",      "=",          "n = 4", "n & 4",
      "n | 4", "n << 2", "'a'",    "\"a\"",   "min(1,2,3)", "count(1)", "nonzero(D)", "()",    "\xff\xfe",
      "1e999", ".",      "n!",     "n[]",     "min",        "{{n}}",    "+1"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_fails(texts[i], "expression '");
}

static char *repeat(const char *head, const char *middle, const char *tail, int times)
{
  size_t a = strlen(head), b = strlen(tail), m = strlen(middle);
  char *text = malloc((a + b) * (size_t)times + m + 1);
  assert_non_null(text);
  char *at = text;
  for (int i = 0; i < times; i++, at += a) memcpy(at, head, a);
  memcpy(at, middle, m);
  at += m;
  for (int i = 0; i < times; i++, at += b) memcpy(at, tail, b);
  *at = '\0';
  return text;
}

TEST(depth_is_limited_before_the_stack_is)
{
  const char *const shapes[][3] = {{"(", "1", ")"},      {"-", "1", ""},     {"!", "1", ""},
                                   {"1+", "1", ""},      {"1?", "1", ":1"},  {"1?1:", "1", ""},
                                   {"min(1,", "1", ")"}, {"map[", "0", "]"}, {"(", "", ""}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    OWNED(free) char *text = repeat(shapes[i][0], shapes[i][1], shapes[i][2], 100000);
    assert_fails(text, " deep");
  }
  OWNED(free) char *text = repeat("(1+", "1", ")", 200);
  const int_case deep[] = {{text, 201}};
  ASSERT_INTS(deep);
}

TEST(random_texts_never_crash)
{
  const char *const words[] = {"n",  "zero", "D", "map", "(",   ")",     "[",      "]", "min", ",",
                               "+",  "-",    "*", "/",   "%",   "?",     ":",      "!", "==",  "&&",
                               "||", "<",    "7", "0",   "1.5", "count", "fields", " ", "."};
  OWNED(wisp_env_destroy) wisp_env *env = sample_env();
  srand(3);
  for (int i = 0; i < 20000; i++) {
    char text[200] = "";
    for (int k = rand() % 12; k >= 0; k--) strcat(text, words[(size_t)rand() % (sizeof words / sizeof *words)]);
    int64_t value = 0;
    wisp_error err = {0};
    wisp_status status = wisp_eval_int(&err, text, env, &value);
    if (status != WISP_OK && (status != WISP_EINPUT || !err.text[0])) fail_msg("'%s' fails without a word", text);
  }
}

/* A wisp_slot_of: x and y. */
static int slot_of(const void *context, const char *name)
{
  return strcmp(name, "x") == 0 ? 0 : strcmp(name, "y") == 0 ? 1 : -1;
}

static wisp_expr *bound(const char *text)
{
  wisp_expr *expr = NULL;
  wisp_error err = {0};
  assert_int_equal(wisp_expr_parse(&err, text, &expr), WISP_OK);
  if (wisp_expr_bind(&err, expr, slot_of, NULL) != WISP_OK) fail_msg("%s: %s", text, err.text);
  return expr;
}

TEST(reals_evaluate_in_double)
{
  const struct {
    const char *text;
    double value;
  } cases[] = {{"x/2", 0.375},
               {"1/4", 0.25},
               {"-x*x + 1.5e0", 0.9375},
               {"x < 1 ? 10 : 20", 10},
               {"x", 0.75},
               {"y + 1", 1},
               {"min(x, .5)", 0.5},
               {"ceil(7,2)", 4},
               {"1e-3*1E3", 1},
               {"y && x", 0},
               {"!x || 0.25", 1},
               {"7 % 4", 3},
               {"round_up(9,4)", 12},
               {"sqrt(x - 1/2) + exp(0)*cos(y) - sin(0)", 1.5},
               {"pow(x + 5/4, 3) + pow(4, 1/2)", 10},
               {"9223372036854775808", 9223372036854775808.0}};
  const double values[] = {0.75, 0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double value = 0, size = 0;
    OWNED(wisp_expr_destroy) wisp_expr *expr = bound(cases[i].text);
    wisp_expr_real(expr, values, NULL, &value, &size);
    if (value < cases[i].value || value > cases[i].value) fail_msg("%s gives %.17g", cases[i].text, value);
  }
}

/* As C, which reads the same tree: integers are reals, and signs never meet. */
TEST(they_print_as_C)
{
  static const char *const texts[][2] = {
      {"1/2 * u + -3", "1.0 / 2.0 * u + (-3.0)"},
      {"u--1", "u - (-1.0)"},
      {"--u - -u", "-(-u) - (-u)"},
      {"-(u + 1) * 2", "-(u + 1.0) * 2.0"},
      {"u - (u - (u - 1))", "u - (u - (u - 1.0))"},
      {"((u * 2)) / (u / 3)", "u * 2.0 / (u / 3.0)"},
      {"(u < 1) == !(u > 2)", "u < 1.0 == (!(u > 2.0))"},
      {"u || (u && u) && (u || u)", "u || u && u && (u || u)"},
      {"max(u, 0.5) > 1 ? pow(u, 2) : u % 3", "max(u, 0.5) > 1.0 ? pow(u, 2.0) : fmod(u, 3.0)"},
      {"2 * (u ? 1 : u ? 2 : 3)", "2.0 * (u ? 1.0 : u ? 2.0 : 3.0)"},
      {"(u ? 1 : 2) ? 3 : 4", "(u ? 1.0 : 2.0) ? 3.0 : 4.0"},
      {"!exp(u)", "!exp(u)"}};
  wisp_error err = {0};
  OWNED(wisp_expr_destroy) wisp_expr *expr = NULL;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    HELD(wisp_text_free) wisp_text text = {0};
    assert_int_equal(wisp_expr_parse(&err, texts[i][0], &expr), WISP_OK);
    assert_int_equal(wisp_expr_print(&err, expr, 8, NULL, NULL, &text), WISP_OK);
    assert_string_equal(text.data, texts[i][1]);
    wisp_expr_destroy(expr);
  }
  HELD(wisp_text_free) wisp_text none = {0};
  expr = NULL;
  assert_int_equal(wisp_expr_parse(&err, "ceil(u, 2)", &expr), WISP_OK);
  assert_int_equal(wisp_expr_print(&err, expr, 8, NULL, NULL, &none), WISP_EINPUT);
}

/* A name without a slot, and tables, which real evaluation does not have. */
static int slot_of_x(const void *context, const char *name)
{
  return strcmp(name, "x") == 0 ? 0 : -1;
}

/* Against differences, first and second. */
TEST(derivatives_are_slopes)
{
  static const char *const texts[] = {"3",
                                      "x * x * x - 2 * x",
                                      "-sin(2 * x) / (1 + x * x)",
                                      "exp(cos(x)) * sqrt(1 + x)",
                                      "pow(x, 3) + pow(1 + x * x, 0.5)",
                                      "min(x, 2 - x) + max(x * x, 0.1)",
                                      "x < 0.5 ? x * k : x / (x + k)",
                                      "(x > 3) + !x * x"};
  const wisp_expr_along by_x[] = {{"x", 1}, {NULL, 0}};
  const double h = 1e-4, at[3] = {0.7 - h, 0.7, 0.7 + h};
  wisp_error err = {0};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    wisp_expr *expr[3] = {NULL};
    double value[3], size, slope[2];
    assert_int_equal(wisp_expr_parse(&err, texts[i], &expr[0]), WISP_OK);
    wisp_expr_put(expr[0], "k", 2.5);
    assert_int_equal(wisp_expr_bind(&err, expr[0], slot_of_x, NULL), WISP_OK);
    for (int d = 0; d < 2; d++) assert_int_equal(wisp_expr_slope_along(&err, expr[d], by_x, &expr[d + 1]), WISP_OK);
    for (int k = 0; k < 3; k++) wisp_expr_real(expr[0], &at[k], NULL, &value[k], &size);
    for (int d = 0; d < 2; d++) wisp_expr_real(expr[d + 1], &at[1], NULL, &slope[d], &size);
    if (fabs(slope[0] - (value[2] - value[0]) / (2 * h)) > 1e-6 ||
        fabs(slope[1] - (value[2] - 2 * value[1] + value[0]) / (h * h)) > 1e-5)
      fail_msg("%s: slopes %g, %g", texts[i], slope[0], slope[1]);
    for (int d = 0; d < 3; d++) wisp_expr_destroy(expr[d]);
  }
  wisp_expr *expr = NULL, *none = NULL;
  assert_int_equal(wisp_expr_parse(&err, "x % 2", &expr), WISP_OK);
  assert_int_equal(wisp_expr_slope_along(&err, expr, by_x, &none), WISP_EINPUT);
  wisp_expr_destroy(expr);
}

TEST(what_has_no_slot_is_named)
{
  static const char *const texts[] = {"1 + q", "x + q[0]", "nonzero(q, 1)", "count(q)"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    OWNED(wisp_expr_destroy) wisp_expr *expr = NULL;
    wisp_error err = {0};
    assert_int_equal(wisp_expr_parse(&err, texts[i], &expr), WISP_OK);
    assert_int_equal(wisp_expr_bind(&err, expr, slot_of, NULL), WISP_EINPUT);
    assert_non_null(strstr(err.text, "'q' is not defined"));
  }
}

/* Many points give what each gives alone. */
TEST(many_points_at_once)
{
  static const double values[2][WISP_EXPR_MANY] = {{0.5, -1, 3}, {2, 0, -0.25}};
  static const char *const texts[] = {"x*y - 2", "x < y ? sqrt(y) : exp(x)", "-(x || y) + !y", "max(x, y) / 4 % 3"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    OWNED(wisp_expr_destroy) wisp_expr *expr = bound(texts[i]);
    double found[3], alone, size;
    wisp_expr_many(expr, values[0], 3, found);
    for (int p = 0; p < 3; p++) {
      const double at[2] = {values[0][p], values[1][p]};
      wisp_expr_real(expr, at, NULL, &alone, &size);
      if (memcmp(&found[p], &alone, sizeof alone) != 0) fail_msg("%s: %g, %g alone", texts[i], found[p], alone);
    }
  }
}

static const wisp_value *get(const wisp_env *env, const char *name, wisp_kind kind)
{
  const wisp_value *value = NULL;
  GOOD(wisp_env_get(err, env, name, kind, &value));
  return value;
}

TEST(scopes_shadow_and_redefine)
{
  OWNED(wisp_env_destroy) wisp_env *outer = sample_env(), *inner = NULL;
  int64_t value = 0;
  char name[32];
  assert_int_equal(wisp_env_create(NULL, outer, &inner), WISP_OK);
  assert_int_equal(wisp_env_int(NULL, inner, "n", 40), WISP_OK);
  assert_int_equal(wisp_env_int(NULL, inner, "word", 2), WISP_OK);
  assert_int_equal(wisp_eval_int(NULL, "n + word + map[0]", inner, &value), WISP_OK);
  assert_int_equal(value, 49);
  assert_null(get(inner, "word", WISP_KIND_TEXT));
  assert_string_equal(get(outer, "word", WISP_KIND_TEXT)->as.text, "five");
  assert_int_equal(wisp_env_text(NULL, outer, "D", "now a text"), WISP_OK);
  assert_null(get(outer, "D", WISP_KIND_REALS));
  assert_int_equal(get(inner, "map", WISP_KIND_INTS)->count, 3);
  int64_t fields = 0;
  assert_int_equal(wisp_eval_int(NULL, "count(fields)", inner, &fields), WISP_OK);
  assert_int_equal(fields, 3);
  assert_false(wisp_env_has(inner, "nothing"));
  for (int i = 0; i < 1000; i++) {
    snprintf(name, sizeof name, "name%d", i);
    assert_int_equal(wisp_env_int(NULL, inner, name, i), WISP_OK);
  }
  for (int i = 0; i < 1000; i++) {
    snprintf(name, sizeof name, "name%d", i);
    assert_true(wisp_env_get_int(inner, name, &value));
    assert_int_equal(value, i);
  }
  wisp_error err = {0};
  wisp_env *item = NULL;
  assert_int_equal(wisp_env_item(&err, outer, "n", &item), WISP_EUSAGE);
  assert_null(item);
}
