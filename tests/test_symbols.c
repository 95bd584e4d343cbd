/* Claim: a kernel's hash takes of a system what its texts read. A boundary condition makes gather and stage kernels
 * stale and no other; kernels with equal hashes have equal sources; and a system with the equations of another finds
 * that one's winners, under any name and with any start. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../gen/family.h"
#include "../gen/strategy/strategy.h"
#include "../runtime/kernel.h"
#include "../runtime/solve/choose.h"

static const char mirror[] = "boundary pmc\n  Ex_p = Ex_m\n  Ey_p = Ey_m\n  Ez_p = Ez_m\n"
                             "  Hx_p = -Hx_m\n  Hy_p = -Hy_m\n  Hz_p = -Hz_m\nend\n";

/* An edit of maxwell.system: the line at `from` gets the text before it, or in its place. */
typedef struct edit {
  const char *from, *before, *instead;
} edit;

/* The kernels of the nodal family for one text of the system "mine", by strategy: hash and source. */
typedef struct kernels {
  wisp_strategies *all;
  char (*hash)[20];
  char **source; /* NULL: the default candidate is not legal here */
} kernels;

/* Writes maxwell.system, edited, as system "mine" into the folder of $WISP_TEMPLATES. */
static void write_system(const char *folder, const edit *e)
{
  const char *text = wisp_embedded_text("templates/systems/maxwell.system"), *at = text;
  HELD(wisp_text_free) wisp_text out = {0};
  if (e->from) assert_non_null(at = strstr(text, e->from));
  const char *rest = at + (e->instead ? strlen(e->from) : 0);
  GOOD(wisp_text_print(err, &out, "%.*s%s%s%s", (int)(at - text), text, e->before ? e->before : "",
                       e->instead ? e->instead : "", rest));
  fixture_text(folder, "systems/mine.system", out.data);
}

/* The source without the comments, which name the system. */
static char *source_of(const wisp_strategy *s, const char *system)
{
  const int order = getenv("WISP_TEST_COARSE") ? 1 : 3; /* sanitized, texts take long */
  wisp_spec spec = wisp_family_spec(wisp_family_find("nodal"), order, system, WISP_F32);
  const wisp_limits limits = target_limits("sm_90");
  wisp_layout layouts[8];
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  wisp_text source = {0}, code = {0};
  wisp_spec_name_kernel(&spec, s->kernel);
  const int count = wisp_family_layouts(&spec, layouts);
  for (int l = 0; l < count && !plan; l++) {
    OWNED(wisp_env_destroy) wisp_env *names = plan_names(&limits, &spec, &layouts[l]);
    const bool legal = wisp_plan_default(NULL, s, &spec, &layouts[l], names, &plan) == WISP_OK;
    if (legal) GOOD(wisp_plan_source(err, plan, "cuda", &source));
  }
  for (const char *line = source.data; line && *line; line += strcspn(line, "\n") + 1)
    if (strncmp(line + strspn(line, " "), "//", 2) != 0)
      GOOD(wisp_text_print(err, &code, "%.*s\n", (int)strcspn(line, "\n"), line));
  wisp_text_free(&source);
  return code.data;
}

static kernels kernels_of(const char *folder, const edit *e)
{
  kernels k = {0};
  write_system(folder, e);
  GOOD(wisp_strategies_load(err, &k.all));
  assert_int_equal(k.all->warning.length, 0);
  assert_non_null(k.hash = calloc(k.all->count, sizeof *k.hash));
  assert_non_null(k.source = calloc(k.all->count, sizeof *k.source));
  for (size_t i = 0; i < k.all->count; i++) {
    if (strcmp(k.all->list[i]->family, "nodal") != 0) continue;
    wisp_strategy_hash(k.all->list[i], "mine", "cuda", k.hash[i]);
    k.source[i] = source_of(k.all->list[i], "mine");
  }
  return k;
}

static void release_kernels(kernels *k)
{
  for (size_t i = 0; i < k->all->count; i++) free(k->source[i]);
  free(k->source);
  free(k->hash);
  wisp_strategies_free(k->all);
}

/* The number of hashes that differ; where they do not, the sources are equal. */
static int count_stale(const kernels *before, const kernels *after, bool boundary_alone)
{
  int stale = 0;
  for (size_t i = 0; i < before->all->count; i++) {
    const wisp_strategy *s = before->all->list[i];
    const char *a = before->source[i], *b = after->source[i];
    const bool same = strcmp(before->hash[i], after->hash[i]) == 0;
    stale += !same;
    if (same && a && b && strcmp(a, b) != 0) fail_msg("%s.%s has the same hash and another source", s->kernel, s->name);
    if (boundary_alone && !same && strncmp(s->kernel, "gather", 6) != 0 && strncmp(s->kernel, "stage", 5) != 0)
      fail_msg("%s.%s is stale, and reads no boundary", s->kernel, s->name);
  }
  return stale;
}

static int set_up(void **state)
{
  const int failed = fixture_set_up(state);
  if (!failed) setenv("WISP_TEMPLATES", *state, 1);
  return failed;
}

TEST_WITH(test_edits, set_up, fixture_tear_down)
{
  static const edit same = {NULL, NULL, NULL}, boundary = {"# Silver-Mueller", mirror, NULL},
                    flux = {"0.5 * (ny * dHz", NULL, "0.25 * (ny * dHz"}, rate = {"+Hz.y -Hy.z", NULL, "+2*Hz.y -Hy.z"},
                    start = {"2 * exp(", NULL, "3 * exp("}, speed = {"speed   1", NULL, "speed   2"};
  kernels before = kernels_of(*state, &same);
  const edit *const edits[] = {&boundary, &flux, &rate, &start, &speed};
  int stale[5];
  for (int i = 0; i < 5; i++) {
    kernels after = kernels_of(*state, edits[i]);
    stale[i] = count_stale(&before, &after, edits[i] == &boundary);
    release_kernels(&after);
  }
  print_message("stale: boundary %d, flux %d, rate %d\n", stale[0], stale[1], stale[2]);
  assert_true(stale[0] > 0 && stale[1] > 0 && stale[2] > 0);
  assert_true(stale[0] <= stale[1]); /* whoever reads boundaries reads fluxes */
  assert_true(stale[3] == 0 && stale[4] == 0);
  release_kernels(&before);
}

/* The stage that a solver of this system takes on the card whose winners ship. */
static void choose(const wisp_strategies *all, const wisp_store *store, const char *system, wisp_stage *out)
{
  wisp_limits limits = target_limits("sm_90");
  snprintf(limits.name, sizeof limits.name, "NVIDIA H200");
  const wisp_chooser from = {all, store, &limits, NULL};
  const wisp_choose_request request = {.spec = wisp_family_spec(wisp_family_find("nodal"), 3, system, WISP_F32)};
  GOOD(wisp_choose(err, &from, &request, out));
}

static bool takes_the_same(const wisp_stage *a, const wisp_stage *b)
{
  bool same = a->kernels == b->kernels && strcmp(a->composition, b->composition) == 0;
  for (int i = 0; same && i < a->kernels; i++) same = a->choice[i].trial == b->choice[i].trial && a->choice[i].trial;
  return same;
}

/* Equal equations find the same winners; one more boundary does not, where a stage is chosen by its whole record. */
TEST_WITH(test_names, set_up, fixture_tear_down)
{
  static const edit start = {"2 * exp(", NULL, "3 * exp("}, boundary = {"# Silver-Mueller", mirror, NULL};
  const edit *const edits[] = {&start, &boundary};
  for (int i = 0; i < 2; i++) {
    OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
    OWNED(wisp_store_close) wisp_store *store = NULL;
    wisp_stage theirs = {.kernels = 0}, mine = {.kernels = 0};
    write_system(*state, edits[i]);
    GOOD(wisp_strategies_load(err, &all));
    GOOD(wisp_chooser_open_store(err, all, fixture_path(*state, "none.db"), false, NULL, &store));
    choose(all, store, "maxwell", &theirs);
    choose(all, store, "mine", &mine);
    assert_non_null(theirs.record.trial);
    assert_int_equal(takes_the_same(&theirs, &mine), i == 0);
    wisp_stage_free(&theirs), wisp_stage_free(&mine);
  }
}
