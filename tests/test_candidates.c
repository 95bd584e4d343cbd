/* Claim: no strategy has silently stopped applying. Every strategy of the list has a legal default candidate at every
 * order that its space does not leave out, in both precisions and in a layout of every kind that it reads, on the host
 * and on GPUs; where it has none there is a reason; every default's text expands in both dialects; and of these
 * candidates whole stages can be made. */
#include "test.h"
#include "each_plan.h"

enum { MAX_STRATEGIES = 256, ELEMENTS = 2 };

/* At one order: the kernels that have a candidate, by layout; and of the element and system that have fewest, in how
 * many layouts and ways they make a whole stage; of a family that has any. */
enum { MOST_LAYOUTS = 8 };
typedef struct making {
  char made[MOST_LAYOUTS][1024];
  int stages, fewest, walks;
} making;

static bool is_made(const char *made, const char *composition)
{
  char kernel[WISP_NAME_TEXT], line[WISP_NAME_TEXT + 2];
  while (wisp_composition_next(&composition, kernel)) {
    snprintf(line, sizeof line, "\n%s\n", kernel);
    if (!strstr(made, line)) return false;
  }
  return true;
}

static void note_kernel(making *m, const plan_case *c)
{
  char *made = m->made[c->layout_number];
  if (!*made) strcpy(made, "\n");
  if (c->plan) strcat(strcat(made, c->strategy->kernel), "\n");
  for (int l = 0; c->last && l < MOST_LAYOUTS; l++) {
    for (int i = 0; c->family->compositions[i]; i++) m->stages += is_made(m->made[l], c->family->compositions[i]);
    *m->made[l] = '\0';
  }
  if (!c->last || !c->family->compositions[0]) return;
  m->fewest = m->stages < m->fewest ? m->stages : m->fewest;
  m->stages = 0, m->walks++;
}

/* Which strategies should have a candidate and which have, by kind of layout, order and precision. */
typedef struct coverage {
  bool cuda;
  int highest; /* order whose texts are expanded: above, they are long and say nothing new; 0: none */
  int strategies;
  const wisp_strategy *strategy[MAX_STRATEGIES];
  char name[MAX_STRATEGIES][64];
  bool applies[MAX_STRATEGIES][2]; /* to some order: by kind of layout */
  bool not_here[MAX_STRATEGIES];   /* its space says that it is for the host alone */
  bool meant[MAX_STRATEGIES][ELEMENTS][2][HIGHEST_ORDER + 1][2],
      found[MAX_STRATEGIES][ELEMENTS][2][HIGHEST_ORDER + 1][2]; /* by element, kind, order, precision */
  making making[HIGHEST_STAGE + 1];
} coverage;

static int index_of(coverage *all, const wisp_strategy *s)
{
  for (int i = 0; i < all->strategies; i++)
    if (all->strategy[i] == s) return i;
  assert_true(all->strategies < MAX_STRATEGIES);
  snprintf(all->name[all->strategies], sizeof *all->name, "%s.%.30s", s->kernel, s->name);
  all->strategy[all->strategies] = s;
  return all->strategies++;
}

static void check_expands(const plan_case *c)
{
  static const char *const dialects[] = {"cuda", "host"};
  for (size_t d = 0; d < 2; d++) {
    HELD(wisp_text_free) wisp_text source = {0};
    wisp_error err = {0};
    if (wisp_plan_source(&err, c->plan, dialects[d], &source) != WISP_OK)
      fail_msg("%s, %s: %s", plan_case_text(c), dialects[d], err.text);
    assert_non_null(strstr(source.data, c->plan->symbol));
    assert_null(strstr(source.data, "{{"));
  }
}

static void note(void *context, const plan_case *c)
{
  coverage *all = context;
  int s = index_of(all, c->strategy), kind = c->layout.order == WISP_ELEMENT_FASTEST;
  int precision = c->spec.precision == WISP_F64, order = c->spec.order, e = (int)(c->element - c->family->elements);
  wisp_error err = {0};
  /* `layouts` and `needs` leave out orders on purpose; `require` may leave out some candidates, not all. */
  bool applies = wisp_strategy_applies(&err, c->strategy, &c->layout, c->names) == WISP_OK;
  assert_true(e < ELEMENTS);
  assert_true(applies || strlen(err.text) > 0);
  assert_true(applies || !c->plan);
  assert_true(c->plan || strlen(c->reason) > 0);
  if (order <= HIGHEST_STAGE && c->spec.precision == WISP_F64) note_kernel(&all->making[order], c);
  all->applies[s][kind] |= applies;
  all->not_here[s] |= strstr(err.text, "for the host alone") != NULL;
  all->meant[s][e][kind][order][precision] |= applies;
  if (!c->plan) return;
  all->found[s][e][kind][order][precision] = true;
  if (!system_has_turn(c)) return;
  if (order <= all->highest || (all->highest > 3 && order == c->element->orders[1])) check_expands(c);
}

static void check_covered(const coverage *all)
{
  int missing = 0;
  for (int s = 0; s < all->strategies; s++) {
    if (all->cuda && !all->not_here[s] && !all->applies[s][0] && !all->applies[s][1]) {
      print_error("%s never applies\n", all->name[s]);
      missing++;
    }
    for (int i = 0; i < ELEMENTS * 2 * HIGHEST_ORDER * 2; i++) {
      int e = i / (4 * HIGHEST_ORDER), kind = i / (2 * HIGHEST_ORDER) % 2, order = i / 2 % HIGHEST_ORDER + 1,
          precision = i % 2;
      if (!all->meant[s][e][kind][order][precision] || all->found[s][e][kind][order][precision]) continue;
      print_error("%s has no candidate for element %d in %s layouts at order %d in %s on %s\n", all->name[s], e,
                  kind ? "slab" : "node", order, precision ? "f64" : "f32", all->cuda ? "CUDA" : "the host");
      missing++;
    }
  }
  assert_int_equal(missing, 0);
}

/* At every order there are layouts in which a whole stage can be made, by two compositions or more, of every system. */
static void check_stages(const coverage *all)
{
  for (int order = 1; order <= HIGHEST_STAGE; order++) {
    const making *m = &all->making[order];
    if (m->fewest < 2) fail_msg("%d whole stages at order %d", m->fewest, order);
    assert_true(m->walks >= 6); /* three systems that ship, on two elements */
  }
}

/* Up to `order`, texts up to `highest`. */
static void cover(const char *target, int order, int highest)
{
  const plan_range range = {{1, order}, {WISP_F32, WISP_F64}};
  coverage all = {.cuda = strcmp(target, "host") != 0, .highest = highest};
  for (int i = 0; i <= HIGHEST_STAGE; i++) all.making[i].fewest = MOST_LAYOUTS;
  wisp_limits limits;
  GOOD(wisp_target_limits(err, target, &limits));
  /* The list is loaded anew for each walk, so strategies are told apart within one walk only. */
  each_plan_of_systems(&limits, &range, note, &all);
  assert_true(all.strategies >= 10);
  check_covered(&all);
  check_stages(&all);
}

static bool is_coarse(void)
{
  return getenv("WISP_TEST_COARSE");
}

/* Sanitized, up to the orders of whole stages: above, tables take long; the texts of three orders; one GPU, for the
 * host's candidates are planned, and run, in test_kernels. */
static int highest_planned(void)
{
  return is_coarse() ? HIGHEST_STAGE : HIGHEST_ORDER;
}

static int highest_expanded(void)
{
  return is_coarse() ? 3 : 9;
}

TEST(test_host)
{
  if (is_coarse()) skip();
  cover("host", highest_planned(), highest_expanded());
}

TEST(test_gpus)
{
  if (!is_coarse()) cover("sm_80", highest_planned(), 0); /* sm_90 has all of its texts */
  cover("sm_90", highest_planned(), highest_expanded());
}
