/* Claim: a strategy's hash is new when a text changes in what it says to the compiler, and when none does it stays. */

#include "test.h"
#include "parsed.h"
#include "../gen/strategy/source_set.h"
#include "../gen/strategy/strategy.h"

/* A strategy of the family "waves", for the system "sound": its two texts, and all files of a library. */
static const char space[] = "# a wave\n"
                            "kernel volume\n"
                            "title  waves\n"
                            "layouts slab\n"
                            "needs  cuda || N < 9 : too large\n"
                            "param  wp 1 2\n"
                            "param  deep 0 1\n"
                            "default wp=2\n"
                            "let    rows = N+1\n"
                            "let    chunks = ceil(rows,wp)\n"
                            "let    bound = 3*rows\n"
                            "require bound < 100 : too much\n"
                            "block  chunks wp\n"
                            "lane   {{>lane_number}}\n"
                            "grid   ceil(groups,wp)\n"
                            "shared real s_u rows*wp\n"
                            "arg    in real u\n"
                            "arg    out real y\n"
                            "operand real D rows*rows = D[q%rows]\n"
                            "arg    value int groups\n";
static const char text[] = "{{! Says: a sum. }}\n"
                           "{{>head}}\n"
                           "FOR_X(x) {\n"
                           "  {{#if N > 3}} {{ > high_order }} {{else}}{{>absent}}{{/if}}\n"
                           "  y[x] = 0.5 * u[x] + {{chunks}}; // as it is\n"
                           "  {{unrelated}}\n"
                           "}\n"
                           "{{>tail}}\n";
static const char system_text[] = "fields p v\nrate p = -v.x\nrate v = -p.x\n"
                                  "flux\n  flux_p = v_p - v_m\n  flux_v = p_p - p_m\nend\n"
                                  "boundary wall\n  p_p = p_m\n  v_p = 0.0\nend\nspeed 1\nenergy 0.5 0.5\n";
static const char cuda[] =
    "{{! Threads. }}\n// {{spec}}: {{title}}\n#define CUDA 1\ntypedef {{real}} real;\n"
    "#define LANE {{>lane}}\n#define FOR_X(x) \\\n  WITH(x, LANE)\n#define WITH(x, y) int x = y;\n"
    "#define FOR_Y(y) int y = threadIdx.y;\n__global__ {{symbol}}()\n{\n  {{>body}}\n}\n{{>prelude}}\n";
static const char host[] = "typedef {{real}} real;\n#define FOR_X(x) for (int x = 0; x < 32; x++)\n{{>body}}\n";

static const struct {
  wisp_embedded file;
  bool counts[2]; /* cuda, host */
} library[] = {
    {{"templates/dialect/cuda.k", cuda, 0, NULL}, {true, false}},
    {{"templates/dialect/host.k", host, 0, NULL}, {false, true}},
    {{"templates/waves/a_ring.part", "{{>b_ring}}", 0, NULL}, {true, true}},
    {{"templates/waves/b_ring.part", "{{>a_ring}} {{>b_ring}}", 0, NULL}, {true, true}},
    {{"templates/waves/deep.part", "sum", 0, NULL}, {true, true}},
    {{"templates/waves/head.part", "{{>middle}}", 0, NULL}, {true, true}},
    {{"templates/waves/head_of_another.part", "{{>unrelated}}", 0, NULL}, {false, false}},
    {{"templates/waves/high_order.part", "{{>a_ring}}", 0, NULL}, {true, true}},
    {{"templates/waves/lane_number.part", "x", 0, NULL}, {true, false}},
    {{"templates/waves/middle.part", "{{#for i in n}}{{>deep}}{{/for}}", 0, NULL}, {true, true}},
    {{"templates/waves/prelude.part", "{{more}}", 0, NULL}, {true, false}},
    {{"templates/waves/tail.part", "end", 0, NULL}, {true, true}},
    {{"templates/waves/unrelated.part", "{{>deep}}", 0, NULL}, {false, false}},
    {{"templates/waves/volume.other.k", "{{>head}}", 0, NULL}, {false, false}},
    {{"templates/waves/volume.other.space", "kernel volume", 0, NULL}, {false, false}},
    {{"templates/water/head.part", "{{>deep}}", 0, NULL}, {false, false}},
    {{"templates/systems/sound.system", system_text, 0, NULL}, {false, false}}, /* test_systems */
};
enum { FILES = sizeof library / sizeof *library };

typedef struct hashes {
  uint64_t in[WISP_MAX_DIALECTS]; /* cuda, host */
} hashes;

/* All symbols of a system. */
enum { EVERY_SYMBOL = (1 << WISP_SYSTEM_SYMBOLS) - 1 };

static void copy(wisp_embedded files[FILES])
{
  for (int i = 0; i < FILES; i++) files[i] = library[i].file;
}

static hashes hash_of(const wisp_embedded *files, size_t count, const char *a_space, const char *a_text)
{
  hashes out = {{0}};
  OWNED(wisp_source_set_free) wisp_source_set *source_set = NULL;
  OWNED(wisp_strategy_destroy) wisp_strategy *s = NULL;
  GOOD(parse_strategy(err, "waves", "plain", (wisp_file_text){"waves.space", a_space},
                      (wisp_file_text){"waves.k", a_text}, &s));
  GOOD(wisp_source_set_create(err, files, count, &source_set));
  wisp_source_hash hash[WISP_MAX_DIALECTS] = {{0}};
  GOOD(wisp_source_set_hash(err, source_set, s, hash));
  for (int d = 0; d < WISP_MAX_DIALECTS; d++) out.in[d] = hash[d].texts;
  return out;
}

/* The text with each `from` replaced; free. */
static char *edited(const char *in, const char *from, const char *to)
{
  wisp_text out = {0};
  const char *at = strstr(in, from);
  if (!at) fail_msg("'%s' is nowhere", from);
  for (; at; in = at + strlen(from), at = strstr(in, from))
    GOOD(wisp_text_print(err, &out, "%.*s%s", (int)(at - in), in, to));
  GOOD(wisp_text_print(err, &out, "%s", in));
  return out.data;
}

TEST(test_each_file)
{
  wisp_embedded files[FILES];
  copy(files);
  const hashes before = hash_of(files, FILES, space, text);
  for (int i = 0; i < FILES; i++) {
    char changed[1024];
    if (strstr(files[i].path, ".system")) continue;
    snprintf(changed, sizeof changed, "%s.", files[i].text);
    files[i].text = changed;
    const hashes after = hash_of(files, FILES, space, text);
    for (int d = 0; d < 2; d++)
      if ((after.in[d] != before.in[d]) != library[i].counts[d])
        fail_msg("%s %s in dialect %d", files[i].path, library[i].counts[d] ? "does not count" : "counts", d);
    copy(files);
  }
}

/* An edit of one text, and whether it counts in each dialect. */
typedef struct edit {
  const char *from, *to;
  bool cuda, host;
} edit;

typedef enum edited_text { SPACE, TEXT, CUDA } edited_text;

/* Makes each of the edits alone. */
static void check_edits(edited_text which, const edit *edits, size_t count)
{
  const char *const original[] = {space, text, cuda};
  wisp_embedded files[FILES];
  copy(files);
  const hashes before = hash_of(files, FILES, space, text);
  for (size_t i = 0; i < count; i++) {
    OWNED(free) char *changed = edited(original[which], edits[i].from, edits[i].to);
    if (which == CUDA) files[0].text = changed;
    const hashes after = hash_of(files, FILES, which == SPACE ? changed : space, which == TEXT ? changed : text);
    if ((after.in[0] != before.in[0]) != edits[i].cuda || (after.in[1] != before.in[1]) != edits[i].host)
      fail_msg("'%s' as '%s'", edits[i].from, edits[i].to);
  }
}

TEST(test_space)
{
  static const edit edits[] = {
      {"# a wave", "# a wave, and more", false, false},
      {"title  waves", "title  tides", false, false},
      {"wp=2", "wp=1 deep=1", false, false},
      {"wp 1 2", "wp 1 2 4", false, false},
      {"wp 1 2", "wp 1 2 requires 1", false, false}, /* what it is measured on is another, but not the kernel */
      {"layouts slab", "layouts node slab", false, false},
      {"needs  cuda || N < 9", "needs N < 9", false, false},
      {"bound < 100 : too much", "bound <= 99 : too many # as before", false, false},
      {"N+1", "( N + 1 )", false, false},
      {"bound = 3*rows", "bound = 4*rows", false, false}, /* only conditions ask for it */
      {"bound", "limit", false, false},
      {"ceil(groups,wp)", "(ceil(groups,(wp)))", false, false},
      {"u rows*wp", "u (N+1)*wp", false, false}, /* what the let says */
      {"N+1", "N+2", true, true},
      {"ceil(rows,wp)", "ceil(rows,wp)+deep", true, true},
      {"block  chunks wp", "block  chunks wp 2", true, true},
      {"ceil(groups,wp)", "ceil(groups,2*wp)", true, true},
      {"u rows*wp", "u rows*wp+1", true, true},
      {"in real u", "inout real u", true, true},
      {"in real u", "in single u", true, true},
      {"out real y", "out real z", true, true},
      {"D[q%rows]", "D[q/rows]", true, true},
      {"= D[q", "= DT[q", true, true},
      {"D[q%rows]", "D[q%rows] part 1", true, true},
      {"param  deep", "param  depth", true, true},
      {"lane   {{>lane_number}}", "lane   {{>lane_number}}+1", true, false},
      {"kernel volume", "kernel stage", true, true},
  };
  check_edits(SPACE, edits, sizeof edits / sizeof *edits);
}

TEST(test_text)
{
  static const edit edits[] = {
      {"{{! Says: a sum. }}\n", "", false, false},
      {"{{! Says: a sum. }}", "{{! Says: {{>unrelated }}", false, false},
      {"// as it is", "", false, false},
      {"// as it is", "// as it\n\n      // is", false, false},
      {"// as it is", "/* {{title}} */", false, false},
      {"  y[x]", "\t  \n    y[x]", false, false},
      {" = 0.5", "   = \t0.5", false, false},
      {"{{ > high_order }}", "{{>high_order}}", false, false},
      {"0.5", "0.25", true, true},
      {"{{chunks}}", "{{rows}}", true, true},
      {"{{chunks}}", "{{wp}}", true, true},
      {"u[x] + ", "u[x] +\n", true, true}, /* lines stay lines */
      {"N > 3", "N > 4", true, true},
      {"// as it is", "// {{#if N}}\n 1; {{/if}}", true, true},
      {"{{unrelated}}", "\"// {{unrelated}}\"", true, true},
  };
  check_edits(TEXT, edits, sizeof edits / sizeof *edits);
}

/* Only those definitions of a dialect count which the texts use. */
TEST(test_dialect)
{
  static const edit edits[] = {
      {"{{! Threads. }}\n", "", false, false},
      {"// {{spec}}: {{title}}\n", "// A kernel.\n", false, false},
      {"#define FOR_Y(y) int", "#define FOR_Y(y) const int", false, false}, /* of no use here */
      {"#define FOR_Y(y)", "#define FOR_Z(z) WITH(z, 0)\n#define FOR_Y(y)", false, false},
      {"#define CUDA 1\n", "", false, false},
      {"{{>lane}}", "({{>lane}})", true, false}, /* by way of FOR_X */
      {"int x = y;", "const int x = y;", true, false},
      {"typedef {{real}}", "typedef const {{real}}", true, false}, /* the type of u */
      {"\\\n  WITH", "\\\n  {} WITH", true, false},
      {"__global__ ", "__global__ void ", true, false},
  };
  check_edits(CUDA, edits, sizeof edits / sizeof *edits);
}

/* A part that was absent, once it is there; one that nobody inserts. */
TEST(test_new_parts)
{
  wisp_embedded files[FILES + 1];
  copy(files);
  const hashes before = hash_of(files, FILES, space, text);
  files[FILES] = (wisp_embedded){"templates/waves/new.part", "{{>absent}}", 0, NULL};
  hashes after = hash_of(files, FILES + 1, space, text);
  assert_true(after.in[0] == before.in[0] && after.in[1] == before.in[1]);
  files[FILES].path = "templates/waves/absent.part";
  after = hash_of(files, FILES + 1, space, text);
  assert_true(after.in[0] != before.in[0] && after.in[1] != before.in[1]);
}

static uint64_t with_system(const char *described, const char *name)
{
  OWNED(wisp_source_set_free) wisp_source_set *source_set = NULL;
  const wisp_embedded files[] = {{"templates/systems/light.system", system_text, 0, NULL},
                                 {"templates/systems/sound.system", described, 0, NULL}};
  GOOD(wisp_source_set_create(err, files, 2, &source_set));
  const uint64_t hash = wisp_source_set_add_system(source_set, (wisp_source_hash){1, EVERY_SYMBOL}, name);
  return hash;
}

/* A system is for its own kernels, and none is no error: not every family reads one. What kernels are made of counts.
 */
TEST(test_systems)
{
  static const struct {
    const char *from, *to;
    bool counts;
  } edits[] = {
      {"fields p v\n", "# Sound.\nfields  p v\n\n", false},
      {"v_p - v_m", "v_p-v_m # a jump", false},
      {"speed 1", "speed 2", false},
      {"energy 0.5 0.5", "energy 0.5 1", false},
      {"-v.x", "-2*v.x", true},
      {"-v.x", "-v.y", true},
      {"v_p - v_m", "v_m - v_p", true},
      {"p_p = p_m", "p_p = -p_m", true},
      {"boundary wall", "boundary window", true},
      {"fields p v", "fields v p", true},
  };
  const uint64_t before = with_system(system_text, "sound");
  assert_true(before != 1);
  assert_true(with_system(system_text, "soun") == 1);
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    OWNED(free) char *changed = edited(system_text, edits[i].from, edits[i].to);
    if ((with_system(changed, "sound") != before) != edits[i].counts)
      fail_msg("'%s' as '%s'", edits[i].from, edits[i].to);
    assert_true(with_system(changed, "light") == before);
  }
}

/* Whether a strategy of the list has the hash that follows from the files that this library carries. */
static void check_listed(const wisp_strategy *s, wisp_source_set *source_set, const char *system)
{
  char expected[20], listed[20];
  wisp_source_hash hash[WISP_MAX_DIALECTS] = {{0}};
  GOOD(wisp_source_set_hash(err, source_set, s, hash));
  for (int d = 0; d < 2; d++) {
    const uint64_t whole = wisp_source_set_add_system(source_set, hash[d], system);
    snprintf(expected, sizeof expected, "%016llx", (unsigned long long)whole);
    wisp_strategy_hash(s, system, d ? "host" : "cuda", listed);
    assert_string_equal(listed, expected);
  }
  wisp_strategy_hash(s, system, "opencl", listed);
  assert_string_equal(listed, "");
}

TEST(test_listed_strategies)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  OWNED(wisp_source_set_free) wisp_source_set *source_set = NULL;
  GOOD(wisp_strategies_load(err, &all));
  GOOD(wisp_source_set_create(err, wisp_embedded_files, wisp_embedded_count, &source_set));
  for (size_t i = 0; i < all->count; i++) check_listed(all->list[i], source_set, "maxwell");
}

/* Every two strategies differ, and each from one kind of device to the other. */
TEST(test_no_two_are_equal)
{
  static const char *const dialects[] = {"cuda", "host"};
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  char a[20], b[20];
  GOOD(wisp_strategies_load(err, &all));
  for (size_t i = 0; i < 2 * all->count; i++) {
    wisp_strategy_hash(all->list[i / 2], "maxwell", dialects[i % 2], a);
    assert_int_equal(strlen(a), 16);
    for (size_t j = 0; j < i; j++) {
      wisp_strategy_hash(all->list[j / 2], "maxwell", dialects[j % 2], b);
      assert_string_not_equal(a, b);
    }
  }
}
