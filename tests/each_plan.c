#include "each_plan.h"
#include "test.h"
#include "../gen/assembly/assembly.h"
#include "../runtime/kernel.h"

enum { MOST_LAYOUTS = 8 };

/* The layouts of one order and precision, and the names that candidates in them borrow. */
typedef struct layouts {
  int count;
  wisp_layout layout[MOST_LAYOUTS];
  wisp_env *names[MOST_LAYOUTS];
} layouts;

static void make_layouts(const plan_case *c, const wisp_target *target, layouts *l)
{
  l->count = wisp_family_layouts(&c->spec, l->layout);
  GOOD(wisp_family_names(err, &c->spec, target, l->count, l->layout, l->names));
}

/* One strategy in every layout. */
static void visit_strategy(const layouts *l, plan_case *c, plan_visit *visit, void *context)
{
  wisp_plan *plans[MOST_LAYOUTS] = {NULL};
  wisp_error err[MOST_LAYOUTS] = {{0}};
  const bool last = c->last;
  int at = 0;
  c->count = 0, c->plan = NULL;
  snprintf(c->spec.kernel, sizeof c->spec.kernel, "%s", c->strategy->kernel);
  for (int i = 0; i < l->count; i++) {
    c->layout = l->layout[i];
    wisp_status status = wisp_plan_default(&err[i], c->strategy, &c->spec, &c->layout, l->names[i], &plans[i]);
    if (status != WISP_OK && status != WISP_EREFUSED) fail_msg("%s: %s", plan_case_text(c), err[i].text);
    c->count += plans[i] != NULL;
  }
  for (int i = 0; i < l->count; i++) {
    c->layout = l->layout[i], c->layout_number = i, c->names = l->names[i];
    c->plan = plans[i], c->reason = err[i].text;
    c->at = plans[i] ? at++ : -1;
    c->last = last && i == l->count - 1;
    visit(context, c);
    wisp_plan_destroy(plans[i]);
  }
}

/* Does it apply to the element whose layouts these are? */
static bool applies(const layouts *l, const wisp_strategy *strategy)
{
  bool any = false;
  for (int i = 0; i < l->count; i++)
    any |= wisp_strategy_applies(NULL, strategy, &l->layout[i], l->names[i]) == WISP_OK;
  return any;
}

static void free_layouts(layouts *l)
{
  while (l->count > 0) wisp_env_destroy(l->names[--l->count]);
}

/* From its names alone: a new strategy leaves the others their turns. */
static int number_of(const wisp_strategy *s)
{
  unsigned sum = 0;
  for (const char *c = s->kernel; *c; c++) sum = sum * 31 + (unsigned char)*c;
  for (const char *c = s->name; *c; c++) sum = sum * 31 + (unsigned char)*c;
  return (int)(sum % 1000);
}

enum { MOST_STRATEGIES = 256 };

/* Which strategies apply to the family's first element, by order, precision and their place in the list. */
typedef bool applying[HIGHEST_ORDER + 1][2][MOST_STRATEGIES];

static void visit_strategies(const wisp_strategies *all, applying first, plan_case *c, const wisp_target *target,
                             plan_visit *visit, void *context)
{
  bool *of_first = first[c->spec.order][c->spec.precision == WISP_F64];
  const bool is_first = c->element == c->family->elements && !c->system_number;
  layouts l = {0};
  size_t last = 0;
  make_layouts(c, target, &l);
  assert_true(all->count <= MOST_STRATEGIES && c->spec.order <= HIGHEST_ORDER);
  for (size_t i = 0; i < all->count; i++)
    if (strcmp(all->list[i]->family, c->family->name) == 0) last = i;
  for (size_t i = 0; i < all->count; i++) {
    if (strcmp(all->list[i]->family, c->family->name) != 0) continue;
    c->strategy = all->list[i];
    c->strategy_number = number_of(all->list[i]);
    c->last = i == last;
    if (is_first) of_first[i] = applies(&l, all->list[i]);
    c->repeated = c->element != c->family->elements && of_first[i];
    visit_strategy(&l, c, visit, context);
  }
  free_layouts(&l);
}

enum { MOST_SYSTEMS = 8 };

/* The systems of equations, or forms, that ship and a family may have, its own first; count. Where that is neither the
 * family has no others. */
static int list_systems(const wisp_family *family, char names[MOST_SYSTEMS][WISP_NAME_TEXT])
{
  HELD(wisp_text_free) wisp_text list = {0};
  char *rest = NULL;
  int count = 1;
  snprintf(names[0], sizeof names[0], "%s", family->default_system);
  const bool forms = wisp_form_exists(names[0]);
  if (!forms && !wisp_system_is_own(names[0])) return count;
  assert_int_equal(wisp_named_list(NULL, forms ? &wisp_forms : &wisp_systems, &list), WISP_OK);
  for (char *name = strtok_r(list.data, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest)) {
    if (!(forms || wisp_system_is_own(name)) || strcmp(name, names[0]) == 0) continue;
    assert_true(count < MOST_SYSTEMS);
    snprintf(names[count++], sizeof names[0], "%s", name);
  }
  return count;
}

typedef enum systems { OWN, IN_TURNS, EVERY } systems;

/* The arguments of a walk. */
typedef struct walk {
  wisp_strategies *all;
  wisp_target target;
  const plan_range *range;
  systems systems;
  plan_visit *visit;
  void *context;
} walk;

/* One order and precision of an element, for one system after the other; above order 1 forms, which are many and alike,
 * take their turns beside the family's own, and above the orders of whole stages, where tables take long, one other is
 * enough. */
static void visit_systems(const walk *w, applying first, plan_case *c, int order, wisp_precision precision)
{
  char names[MOST_SYSTEMS][WISP_NAME_TEXT];
  const int count = w->systems != OWN ? list_systems(c->family, names) : 1;
  const bool all = walks_in_full() || w->systems == EVERY;
  const bool forms = wisp_form_exists(c->family->default_system);
  for (int s = 0; s < count; s++) {
    if (!all && s && forms && order > 1 && (order + s) % 3 != 0) continue;
    if (!all && s > 1 && order > HIGHEST_STAGE) break;
    c->system_number = s;
    c->spec = wisp_family_spec(c->family, order, s ? names[s] : NULL, precision);
    wisp_spec_name_element(&c->spec, c->element->name);
    visit_strategies(w->all, first, c, &w->target, w->visit, w->context);
  }
}

static void walk_family(const walk *w, const wisp_family *family)
{
  const int *orders = w->range->orders;
  applying first = {{{false}}};
  for (const wisp_element *e = family->elements; e->name; e++)
    for (int order = orders[0]; order <= orders[1] && order <= e->orders[1]; order++)
      for (int p = 0; p < 2 && w->range->precisions[p]; p++) {
        plan_case c = {.family = family, .element = e};
        visit_systems(w, first, &c, order, w->range->precisions[p]);
      }
}

/* $WISP_TEST_FAMILY walks one family alone. */
static bool is_asked(const wisp_family *family)
{
  const char *only = getenv("WISP_TEST_FAMILY");
  return !only || strcmp(only, family->name) == 0;
}

static void walk_families(walk *w)
{
  GOOD(wisp_strategies_load(err, &w->all));
  for (size_t f = 0; wisp_family_at(f); f++)
    if (is_asked(wisp_family_at(f))) walk_family(w, wisp_family_at(f));
  wisp_strategies_free(w->all);
}

void each_plan(const wisp_limits *limits, const plan_range *range, plan_visit *visit, void *context)
{
  walk w = {NULL, wisp_limits_target(limits), range, OWN, visit, context};
  walk_families(&w);
}

void each_plan_of_systems(const wisp_limits *limits, const plan_range *range, plan_visit *visit, void *context)
{
  walk w = {NULL, wisp_limits_target(limits), range, IN_TURNS, visit, context};
  walk_families(&w);
}

void each_plan_of_every_system(const wisp_limits *limits, const plan_range *range, plan_visit *visit, void *context)
{
  walk w = {NULL, wisp_limits_target(limits), range, EVERY, visit, context};
  walk_families(&w);
}

bool walks_in_full(void)
{
  const char *full = getenv("WISP_TEST_FULL");
  return full && strcmp(full, "1") == 0;
}

bool layout_has_turn(const plan_case *c)
{
  return c->plan && c->at == c->spec.order % c->count;
}

/* One of so many orders is tried: one of five where there are few, or several layouts of the first element that take
 * them in turns, to a middling order. */
static int turns_of(const plan_case *c)
{
  enum { FEW = 10 };
  const bool low = c->element == c->family->elements && c->count > 1 && c->spec.order <= FEW;
  return c->repeated || (c->element->orders[1] > FEW && !low) ? 7 : 5;
}

bool precision_has_turn(const plan_case *c)
{
  const int turn = c->spec.order / turns_of(c) + c->strategy_number + c->at; /* another from turn to turn */
  return walks_in_full() || (turn % 2 == 1) == (c->spec.precision == WISP_F64);
}

bool system_has_turn(const plan_case *c)
{
  enum { HIGH = 3 };
  const int turn = c->spec.order + c->strategy_number + c->layout_number, order = c->spec.order;
  return walks_in_full() || !c->system_number || (order <= HIGH && turn % 2 == c->system_number % 2);
}

bool order_has_turn(const plan_case *c, int low)
{
  const int order = c->spec.order;
  return walks_in_full() || order <= (c->repeated ? 1 : low) || (order + c->strategy_number) % turns_of(c) == 0;
}

bool share_has_turn(size_t number)
{
  const char *share = getenv("WISP_TEST_SHARE");
  unsigned mine = 0, all = 0;
  return !share || sscanf(share, "%u/%u", &mine, &all) != 2 || !all || number % all == mine % all;
}

const char *plan_case_text(const plan_case *c)
{
  static char text[512];
  char layout[WISP_LAYOUT_TEXT];
  wisp_layout_print(&c->layout, layout);
  snprintf(text, sizeof text, "%s.%s %s %s p%d %s %s%s%s", c->strategy->kernel, c->strategy->name, c->element->name,
           layout, c->spec.order, c->spec.system, wisp_precision_name(c->spec.precision), c->plan ? " " : "",
           c->plan ? c->plan->params : "");
  return text;
}

const char *test_device_name(void)
{
  const char *name = getenv("WISP_TEST_DEVICE");
  return name && *name ? name : "host";
}

wisp_limits target_limits(const char *target)
{
  wisp_limits limits;
  GOOD(wisp_target_limits(err, target, &limits));
  return limits;
}

wisp_env *plan_names(const wisp_limits *limits, const wisp_spec *spec, const wisp_layout *layout)
{
  const wisp_target target = wisp_limits_target(limits);
  wisp_env *names = NULL;
  GOOD(wisp_names_create(err, spec, layout, &target, NULL, &names));
  return names;
}

void compile_quickly(void)
{
  const char *quickly = getenv("WISP_TEST_CFLAGS");
  setenv("WISP_CFLAGS", quickly ? quickly : "-O1", 0);
}

wisp_device *open_test_device(void)
{
  wisp_device *device = NULL;
  GOOD(wisp_device_open(err, test_device_name(), &device));
  return device;
}

bool test_device_is_host(void)
{
  return strcmp(test_device_name(), "host") == 0;
}

int device_set_up(void **state)
{
  *state = open_test_device();
  return 0;
}

int device_tear_down(void **state)
{
  wisp_device_close(*state);
  return 0;
}
