/* Claim: a template expands to exactly the text its author would have written by hand, and a slip is an error with a
 * place. */
#include "test.h"
#include "../gen/language/template.h"

#include <time.h>

static wisp_env *new_env(void)
{
  wisp_env *env = NULL;
  GOOD(wisp_env_create(err, NULL, &env));
  return env;
}

static void set_int(wisp_env *env, const char *name, int64_t value)
{
  GOOD(wisp_env_int(err, env, name, value));
}

static void set_text(wisp_env *env, const char *name, const char *value)
{
  GOOD(wisp_env_text(err, env, name, value));
}

static wisp_env *new_item(wisp_env *env, const char *list)
{
  wisp_env *item = NULL;
  GOOD(wisp_env_item(err, env, list, &item));
  return item;
}

static wisp_env *sample_env(void)
{
  static const char *const fields[] = {"Ex", "Hy", "Hz"};
  const double D[] = {0.0, 0.5, -0.125, 3.0, 1e30, 0.1};
  const int map[] = {7, 0, -9};
  wisp_env *env = new_env();
  set_int(env, "Np", 4);
  set_int(env, "minus", -3);
  set_int(env, "real_bytes", 4);
  set_int(env, "i", 1000);
  set_text(env, "real", "float");
  set_text(env, "two", "one;\ntwo;");
  set_text(env, "flux", "{{#if Np > 3}}\nbig {{Np}};\n{{/if}}\n\nsmall;\n");
  set_text(env, "self", "{{>self}}");
  set_text(env, "add", "{{takes a b}}\n{{a}}+{{b}}");
  set_text(env, "second", "{{takes of}}\n{{of[1]}}");
  set_text(env, "each", "{{takes of}}\n{{#of}}{{field}}{{/of}}");
  set_text(env, "call", "{{takes it}}\n{{>it a=1 b=2}}");
  set_text(env, "outer", "{{takes Np}}\n{{Np}}");
  GOOD(wisp_env_reals(err, env, "D", D, 6));
  GOOD(wisp_env_ints(err, env, "map", map, 3));
  for (int i = 0; i < 3; i++) {
    wisp_env *field = new_item(env, "fields");
    set_text(field, "field", fields[i]);
    for (int k = 0; k < i; k++) set_int(new_item(field, "terms"), "axis", k);
    if (!i) GOOD(wisp_env_empty_list(err, field, "terms"));
  }
  GOOD(wisp_env_empty_list(err, env, "none"));
  return env;
}

static void assert_expands(const char *template, const char *expected)
{
  OWNED(wisp_env_destroy) wisp_env *env = sample_env();
  HELD(wisp_text_free) wisp_text out = {0};
  wisp_error err = {0};
  if (wisp_expand(&err, "t", template, env, &out) != WISP_OK) fail_msg("%s: %s", template, err.text);
  assert_string_equal(out.data, expected);
  assert_int_equal(strlen(expected), out.length);
}

/* The failure begins with a place, has the words, and leaves what was in the output. */
static void assert_fails(const char *template, const char *place, const char *words)
{
  OWNED(wisp_env_destroy) wisp_env *env = sample_env();
  HELD(wisp_text_free) wisp_text out = {0};
  wisp_error err = {0};
  assert_int_equal(wisp_text_add(NULL, &out, "kept", 4), WISP_OK);
  if (wisp_expand(&err, "t", template, env, &out) != WISP_EINPUT) fail_msg("'%s' is taken", template);
  if (strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text, words))
    fail_msg("'%s' says: %s", template, err.text);
  assert_string_equal(out.data, "kept");
  assert_int_equal(out.length, 4);
}

TEST(values_are_written)
{
  assert_expands("", "");
  assert_expands("int a[1] = {1}; } }}", "int a[1] = {1}; } }}");
  assert_expands("{{real}} x[{{Np}}];", "float x[4];");
  assert_expands("{{ Np }}{{minus}}", "4-3");
  assert_expands("{{= Np*2 + 1}} {{=Np}} {{= map[0] }}", "9 4 7");
  assert_expands("{{map[2]}} {{ map[Np - 4] }}", "-9 7");
  assert_expands("{{D[0]}} {{D[1]}} {{D[1+1]}} {{D[3]}} {{D[4]}} {{D[5]}}",
                 "0.0f 0.5f (-0.125f) 3.0f 1.00000002e+30f 0.100000001f");
  assert_expands("a{{! not here }}b", "ab");
}

TEST(loops_repeat_their_bodies)
{
  assert_expands("{{#for i in 3}}{{i}}{{#if !last}}, {{/if}}{{/for}} {{i}}", "0, 1, 2 1000");
  assert_expands("{{#for a in 2}}{{#for b in a+1}}{{a}}{{b}}{{first}}{{last}} {{/for}}{{/for}}", "0011 1010 1101 ");
  assert_expands("[{{#for i in 0}}x{{/for}}{{#for i in -1}}x{{/for}}]", "[]");
  assert_expands("{{#fields}}{{index}}{{first}}{{last}}{{field}} {{/fields}}", "010Ex 100Hy 201Hz ");
  assert_expands("[{{#none}}x{{/none}}]{{= count(fields)}}", "[]3");
  assert_expands("{{#for i in 2}}{{#fields}}{{field}}{{i}} {{/fields}}{{/for}}", "Ex0 Hy0 Hz0 Ex1 Hy1 Hz1 ");
  assert_expands("{{#fields}}{{field}}({{#terms}}{{field}}{{axis}}{{index}}{{/terms}}){{index}} {{/fields}}",
                 "Ex()0 Hy(Hy00)1 Hz(Hz00Hz11)2 ");
  assert_expands("{{#fields}}{{#for i in count(terms)}}{{field}}{{i}} {{/for}}{{/fields}}", "Hy0 Hz0 Hz1 ");
}

TEST(conditions_choose)
{
  assert_expands("{{#if Np == 4}}yes{{else}}no{{/if}}", "yes");
  assert_expands("{{#if Np != 4}}yes{{else}}no{{/if}}", "no");
  assert_expands("{{#if Np}}yes{{/if}}{{#if 0}}no{{/if}}", "yes");
  assert_expands("{{#if 0}}{{undefined}}{{else}}ok{{/if}}", "ok");
  assert_expands("{{#for k in 6}}{{#if nonzero(D, k)}}{{k}}{{/if}}{{/for}}", "12345");
  assert_expands("{{#if 1}}{{#if 0}}a{{else}}b{{/if}}{{else}}c{{/if}}", "b");
}

TEST(structural_tags_take_their_line)
{
  assert_expands("a\n  {{#if 1}}\n  b\n  {{else}}\n  c\n  {{/if}}\nd\n", "a\n  b\nd\n");
  assert_expands("{{#for i in 2}}  \n{{i}}\n\t{{/for}}\r\nend", "0\n1\nend");
  assert_expands("a\n  {{! several\n lines }}\nb", "a\nb");
  assert_expands("a {{! c }}\nb", "a \nb");
  assert_expands("  {{#if 1}}x{{/if}}\n", "  x\n");
  assert_expands("a\n{{#fields}}\n{{field}};\n{{/fields}}", "a\nEx;\nHy;\nHz;\n");
  assert_expands("  {{Np}}\n", "  4\n");
}

TEST(inserted_lines_keep_the_indentation)
{
  assert_expands("  {{two}}\n", "  one;\n  two;\n");
  assert_expands("\tx = {{two}}!", "\tx = one;\n\ttwo;!");
  assert_expands("  {{>flux}}\nend", "  big 4;\n\n  small;\nend");
  assert_expands("{{>flux}}|", "big 4;\n\nsmall;\n|");
  OWNED(wisp_env_destroy) wisp_env *env = sample_env();
  HELD(wisp_text_free) wisp_text out = {0};
  set_text(env, "outer", "{\n  {{>inner}}\n}\n{{two}}\n");
  set_text(env, "inner", "{{#for i in 2}}\nu{{i}};\n{{/for}}\n  {{two}}");
  GOOD(wisp_expand(err, "t", "a\n  {{>outer}}\nb\n", env, &out));
  assert_string_equal(out.data, "a\n  {\n    u0;\n    u1;\n      one;\n      two;\n  }\n  one;\n  two;\nb\n");
}

TEST(scopes_go_from_the_inside_out)
{
  OWNED(wisp_env_destroy) wisp_env *outer = new_env(), *env = NULL;
  HELD(wisp_text_free) wisp_text out = {0};
  set_int(outer, "a", 1);
  set_int(outer, "b", 2);
  GOOD(wisp_env_create(err, outer, &env));
  set_int(env, "b", 20);
  wisp_env *item = new_item(env, "items");
  set_int(item, "c", 300);
  set_int(item, "index", 77);
  set_text(env, "sub", "{{c}}");
  set_text(item, "sub", "<{{c}}{{k}}>");
  const char *template = "{{#for c in 1}}{{c}}{{#items}}{{#for k in 1}} {{a}} {{b}} {{c}} {{index}} {{>sub}}{{/for}}"
                         "{{#for c in 1}} {{c}}{{/for}}{{/items}} {{>sub}}{{/for}}";
  GOOD(wisp_expand(err, "t", template, env, &out));
  assert_string_equal(out.data, "0 1 20 300 77 <3000> 0 0");
}

/* A part's arguments hide outer names, in that part alone; a name stands for whatever the other one stands for. */
TEST(texts_are_given_names)
{
  assert_expands("{{>add a=Np b=Np-1}} {{>add b=2*i a=minus}}", "4+3 -3+2000");
  assert_expands("{{#for i in 2}}{{>add a=i b=i+1}};{{/for}}", "0+1;1+2;");
  assert_expands("{{>second of=map}} {{>second of=D}}", "0 0.5f");
  assert_expands("{{>each of=fields}} {{>each of=none}}.", "ExHyHz .");
  assert_expands("{{>call it=add}}", "1+2");
  assert_expands("{{>outer Np=7}} {{Np}}", "7 4");
}

TEST(what_is_given_is_checked)
{
  assert_fails("a\n{{>add a=1}}", "t:2: ", "takes 'b'");
  assert_fails("{{>add a=1 b=2 c=3}}", "t:1: ", "takes no 'c'");
  assert_fails("{{>two a=1}}", "t:1: ", "takes no 'a'");
  assert_fails("{{>add a=absent b=1}}", "t:1: ", "'absent'");
  assert_fails("{{>add a=1 b=absent+1}}", "t:1: ", "'absent'");
  assert_fails("{{>add a}}", "t:1: ", "NAME=NAME");
  assert_fails("{{>add a=1 b=2 + 3}}", "t:1: ", "");
  assert_fails("{{takes a}}{{takes b}}", "t:1: ", "second {{takes}}");
  assert_fails("{{takes 3}}", "t:1: ", "'3'");
}

/* A long line is broken where it reads best, and comes out as one; what it inserts is indented as its beginning is. */
TEST(lines_are_joined)
{
  assert_expands("a {{\\}}\n    b\nc", "a b\nc");
  assert_expands("  x = {{\\}}\n\t{{Np}} + {{\\}}\n      1;\n", "  x = 4 + 1;\n");
  assert_expands("  {{two}}{{\\}}\n      .\n", "  one;\n  two;.\n");
  assert_expands("{{#for i in 2}}{{\\}}\n  {{i}}{{/for}}", "01");
  assert_fails("a {{\\}} b\n", "t:1: ", "joins");
  assert_fails("a {{\\}}", "t:1: ", "joins");
  assert_fails("a {{\\}}\n b {{absent}}", "t:2: ", "absent");
}

TEST(slips_are_errors_with_a_place)
{
  assert_fails("a\nb {{missing}}", "t:2: ", "'missing' is not defined");
  assert_fails("{{#for i in 2}}\n\n{{= i + missing}}\n{{/for}}", "t:3: expr", "'missing' is not defined");
  assert_fails("{{#missing}}{{/missing}}", "t:1: ", "'missing' is not defined");
  assert_fails("\n{{>missing}}", "t:2: ", "'missing' is not defined");
  assert_fails("\n{{missing[0]}}", "t:2: ", "'missing' is not defined");
  assert_fails("x\n{{#if missing}}{{/if}}", "t:2: ", "'missing' is not defined");
  assert_fails("x\n{{#if 1}}\n\ny", "t:2: ", "not closed");
  assert_fails("{{#if 1}}\n{{/for}}", "t:2: ", "{{/if}} is expected");
  assert_fails("{{#fields}}\n{{/field}}", "t:2: ", "{{/fields}} is expected");
  assert_fails("\n{{/if}}", "t:2: ", "closes nothing");
  assert_fails("\n{{else}}", "t:2: ", "outside of {{#if}}");
  assert_fails("{{#for i in 2}}{{else}}{{/for}}", "t:1: ", "outside of {{#if}}");
  assert_fails("{{#if 1}}\n{{else}}\n{{else}}{{/if}}", "t:3: ", "second {{else}}");
  assert_fails("\n\n{{D[6]}}", "t:3: ", "index 6 is outside 'D'");
  assert_fails("{{D[0-1]}}", "t:1: ", "outside");
  assert_fails("{{map[3]}}", "t:1: ", "outside");
  assert_fails("\n{{Np", "t:2: ", "not closed");
  assert_fails("{{>flux}}\n{{flux[0]}}", "t:2: ", "a text, not a table");
  assert_fails("{{D}}", "t:1: ", "a table of reals");
  assert_fails("{{fields}}", "t:1: ", "a list");
  assert_fails("{{#Np}}{{/Np}}", "t:1: ", "an integer, not a list");
  assert_fails("{{>Np}}", "t:1: ", "only a text");
  assert_fails("{{Np + 1}}", "t:1: ", "after the name 'Np'");
  assert_fails("{{1}}", "t:1: ", "a name is expected");
  assert_fails("{{}}", "t:1: ", "a name is expected");
  assert_fails("{{{Np}}}", "t:1: ", "a name is expected");
  assert_fails("{{=}}", "t:1: ", "expression");
  assert_fails("{{#}}{{/}}", "t:1: ", "a name is expected");
  assert_fails("{{#for i of 3}}{{/for}}", "t:1: ", "for name in expr");
  assert_fails("{{#for i in}}{{/for}}", "t:1: ", "expression");
  assert_fails("{{#if}}{{/if}}", "t:1: ", "expression");
  assert_fails("{{D[0]x}}", "t:1: ", "not name[expr]");
  assert_fails("{{[0]}}", "t:1: ", "a name is expected");
}

TEST(errors_inside_an_insert_name_both_places)
{
  OWNED(wisp_env_destroy) wisp_env *env = new_env();
  HELD(wisp_text_free) wisp_text out = {0};
  wisp_error err = {0};
  set_text(env, "flux", "ok\n{{nothing}}");
  assert_int_equal(wisp_expand(&err, "kernel", "\n\n{{#if 1}}\n{{>flux}}\n{{/if}}", env, &out), WISP_EINPUT);
  assert_string_equal(err.text, "kernel:4: flux:2: the name 'nothing' is not defined");
  set_text(env, "flux", "{{#if 1}}");
  assert_int_equal(wisp_expand(&err, "kernel", "\n{{>flux}}", env, &out), WISP_EINPUT);
  assert_string_equal(err.text, "kernel:2: flux:1: this block is not closed");
}

TEST(limits_end_in_errors)
{
  char text[65 * 20] = "";
  for (int i = 0; i < 64; i++) strcat(text, "{{#if 1}}");
  strcat(text, "x");
  for (int i = 0; i < 64; i++) strcat(text, "{{/if}}");
  assert_expands(text, "x");
  memmove(text + 9, text, strlen(text) + 1);
  assert_fails(text, "t:1: ", "deeper than 64");
  assert_fails("{{>self}}", "t:1: ", "deeper than 64");
  if (getenv("WISP_TEST_QUICK")) return; /* these limits are many pieces away, all alike */
  assert_fails(
      "{{#for i in 1000000}}\n0123456789012345678901234567890123456789012345678901234567890123456789\n{{/for}}",
      "t:2: ", "larger than 64 MiB");
  assert_fails("{{#for a in 10000000}}{{#for b in 10000000}}{{/for}}{{/for}}", "t:1: ", "pieces");
}

/* WISP_TEST_QUICK is set where a program runs fifty times as slowly (valgrind): a tenth shows the same. */
static int thinned(int count)
{
  return getenv("WISP_TEST_QUICK") ? count / 10 : count;
}

/* Processor time in seconds, the least of three, of a loop of n entries and of n tags written one by one. */
static double time_of_unrolling(const wisp_env *env, int n)
{
  HELD(wisp_text_free) wisp_text loop = {0}, flat = {0}, out = {0};
  double least = 0;
  GOOD(wisp_text_print(err, &loop, "{{#for i in %d}}r += {{D[i]}} * u{{i}};\n{{/for}}", n));
  for (int i = 0; i < n; i++) GOOD(wisp_text_print(err, &flat, "{{D[%d]}}", i));
  for (int repetition = 0; repetition < 3; repetition++) {
    clock_t start = clock();
    GOOD(wisp_expand(err, "t", loop.data, env, &out));
    GOOD(wisp_expand(err, "t", flat.data, env, &out));
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (!repetition || seconds < least) least = seconds;
    out.length = 0;
  }
  return least;
}

TEST(unrolling_takes_linear_time)
{
  const int count = thinned(80000);
  wisp_env *env = new_env();
  double *D = malloc(sizeof *D * (size_t)count);
  assert_non_null(D);
  for (int i = 0; i < count; i++) D[i] = sin(i);
  GOOD(wisp_env_reals(err, env, "D", D, (size_t)count));
  set_int(env, "real_bytes", 8);
  free(D);
  double few = time_of_unrolling(env, count / 16), many = time_of_unrolling(env, count);
  wisp_env_destroy(env);
  if (many > 64 * few) fail_msg("16 times the entries take %g times as long (linear: 16, quadratic: 256)", many / few);
}

/* The value of a literal: its parentheses and suffix are C's, not strtod's. */
static double read_back(const char *text, int real_bytes)
{
  char *end = NULL;
  bool negative = *text == '(';
  double value = real_bytes == 4 ? (double)strtof(text + negative, &end) : strtod(text + negative, &end);
  assert_string_equal(end, real_bytes == 4 ? (negative ? "f)" : "f") : (negative ? ")" : ""));
  assert_true(strchr(text, '.') || strchr(text, 'e'));
  return value;
}

static void assert_round_trip(double value, int real_bytes)
{
  HELD(wisp_text_free) wisp_text text = {0};
  GOOD(wisp_print_real(err, &text, value, real_bytes));
  double back = read_back(text.data, real_bytes);
  if (back < value || back > value) fail_msg("%.17g is written as %s", value, text.data);
}

TEST(literals_round_trip)
{
  srand(11);
  for (int i = 0; i < thinned(50000); i++) {
    uint64_t bits = ((uint64_t)rand() << 42) ^ ((uint64_t)rand() << 21) ^ (uint64_t)rand();
    uint32_t half = (uint32_t)(bits >> 13);
    double large;
    float small;
    memcpy(&large, &bits, sizeof large);
    memcpy(&small, &half, sizeof small);
    if (isfinite(large)) assert_round_trip(large, 8);
    if (isfinite(small)) assert_round_trip((double)small, 4);
    double near_one = (double)rand() / RAND_MAX - 0.5;
    assert_round_trip(near_one, 8);
    assert_round_trip((double)(float)near_one, 4);
  }
  for (int i = -20; i <= 20; i++) assert_round_trip(i, i % 2 ? 4 : 8);
}

TEST(literals_that_cannot_be_are_errors)
{
  HELD(wisp_text_free) wisp_text text = {0};
  assert_int_equal(wisp_print_real(NULL, &text, NAN, 8), WISP_EINPUT);
  assert_int_equal(wisp_print_real(NULL, &text, -INFINITY, 4), WISP_EINPUT);
  assert_int_equal(wisp_print_real(NULL, &text, 1e300, 4), WISP_EINPUT);
  assert_int_equal(wisp_print_real(NULL, &text, 1.0, 2), WISP_EUSAGE);
  assert_null(text.data);
  GOOD(wisp_print_real(err, &text, -0.0, 8));
  assert_string_equal(text.data, "0.0");
}
