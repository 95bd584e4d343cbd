#include "defaults.h"

typedef struct line {
  char kernel[WISP_NAME_TEXT],
      what[WISP_STRATEGY_TEXT]; /* a stage's kernel is empty; what: the composition, or the strategy */
  char values[WISP_PARAMS_TEXT];
  wisp_expr *when; /* NULL: always */
} line;

struct wisp_defaults {
  size_t count;
  line *lines;
};

/* A parameter that is given twice has two values: which one is meant? */
static wisp_status check_values(wisp_error *err, const char *values)
{
  for (char name[32], value[32]; wisp_next_param(&values, name, value);) {
    char other[32];
    for (const char *rest = values; wisp_next_param(&rest, other, value);)
      CALL(wisp_require(err, strcmp(name, other) != 0, WISP_EINPUT, "parameter %s is given twice", name));
  }
  return WISP_OK;
}

static wisp_status read_line(wisp_error *err, char *text, wisp_defaults *all)
{
  line *l = &all->lines[all->count];
  char keyword[16] = "", more = '\0';
  int end = 0;
  text[strcspn(text, "#")] = '\0';
  char *condition = strstr(text, " : ");
  if (condition) {
    *condition = '\0';
    CALL(wisp_expr_parse(err, condition + 3, &l->when));
  }
  if (sscanf(text, "%15s", keyword) < 1) return WISP_OK;
  all->count++;
  if (strcmp(keyword, "composition") == 0) {
    CALL(wisp_require(err, sscanf(text, "%*s %127s %c", l->what, &more) == 1, WISP_EINPUT,
                      "one composition, and ' : EXPR' where it is not for all"));
  } else {
    CALL(wisp_require(err, strcmp(keyword, "kernel") == 0, WISP_EINPUT, "'%s' is neither composition nor kernel",
                      keyword));
    CALL(wisp_require(err, sscanf(text, "%*s %31s %127s %n", l->kernel, l->what, &end) == 2, WISP_EINPUT,
                      "a kernel is followed by its strategy"));
    snprintf(l->values, sizeof l->values, "%s", text + end);
    CALL(check_values(err, l->values));
  }
  return WISP_OK;
}

wisp_status wisp_defaults_parse(wisp_error *err, const char *name, const char *text, wisp_defaults **out)
{
  OWNED(wisp_defaults_destroy) wisp_defaults *all = NULL;
  HELD(wisp_text_free) wisp_text one = {0};
  size_t lines = 1;
  int number = 0;
  for (const char *c = text; *c; c++) lines += *c == '\n';
  CALL(wisp_new(err, 1, sizeof *all, &all));
  CALL(wisp_new(err, lines, sizeof *all->lines, &all->lines));
  for (const char *end = text + strlen(text); text < end;) {
    CALL(wisp_text_take_line(err, &text, end, &one));
    number++;
    CALL(wisp_context(err, read_line(err, one.data, all), "%s:%d: ", name, number));
  }
  return GIVE(all, out);
}

void wisp_defaults_destroy(wisp_defaults *all)
{
  if (!all) return;
  for (size_t i = 0; all->lines && i < all->count; i++) wisp_expr_destroy(all->lines[i].when);
  free(all->lines);
  free(all);
}

static wisp_status holds(wisp_error *err, const line *l, const wisp_env *names, bool *out)
{
  int64_t value = 1;
  wisp_status status = l->when ? wisp_expr_int(err, l->when, names, &value) : WISP_OK;
  *out = status == WISP_OK && value;
  return status;
}

static const line *stage(const wisp_defaults *all, size_t i)
{
  for (size_t at = 0; all && at < all->count; at++)
    if (!*all->lines[at].kernel && i-- == 0) return &all->lines[at];
  return NULL;
}

const char *wisp_defaults_stage(const wisp_defaults *all, size_t i)
{
  const line *l = stage(all, i);
  return l ? l->what : NULL;
}

wisp_status wisp_defaults_stage_holds(wisp_error *err, const wisp_defaults *all, size_t i, const wisp_env *names,
                                      bool *out)
{
  return holds(err, stage(all, i), names, out);
}

/* --- the candidate of a kernel --- */

typedef struct search {
  const wisp_spec *spec;
  const wisp_layout *layout;
  const wisp_env *names;
  const wisp_fixed *fixed;
  bool reproducible;
  wisp_plan *found;
} search;

/* The strategy's default but for the values that the line gives. */
static wisp_status use_values(wisp_error *err, const search *s, const wisp_strategy *strategy, const char *values,
                              wisp_plan **out)
{
  int fixed[WISP_MAX_PARAMS];
  for (int i = 0; i < strategy->params; i++) fixed[i] = strategy->param[i].preferred;
  CALL(wisp_context(err, wisp_strategy_values(err, strategy, values, false, NULL, fixed), "the defaults: "));
  return wisp_plan_create(err, strategy, s->spec, s->layout, s->names, fixed, out);
}

/* The default with the line's values, if there are any; else the strategy's default, or its first candidate that fits.
 */
static wisp_status find_candidate(wisp_error *err, search *s, const wisp_strategy *strategy, const char *values)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  CALL(wisp_require(err, !s->reproducible || !strategy->varies, WISP_EREFUSED,
                    "%s adds up in no fixed order, and what can be reproduced was asked for", strategy->name));
  CALL(*values ? use_values(err, s, strategy, values, &plan)
               : wisp_plan_default(err, strategy, s->spec, s->layout, s->names, &plan));
  if (wisp_fixed_suits(s->fixed, plan)) return GIVE(plan, &s->found);
  CALL(wisp_require(err, !*values, WISP_EREFUSED, "the default of %s does not fit", strategy->name));
  CALL(wisp_plan_first(err, strategy, s->spec, s->layout, s->names, s->fixed, &s->found));
  return wisp_require(err, s->found, WISP_EREFUSED, "no candidate of %s fits", strategy->name);
}

/* The candidate that a line has for this kernel, if any. */
static wisp_status try_line(wisp_error *err, search *s, const wisp_strategies *strategies, const line *l)
{
  bool counts = false;
  const wisp_strategy *strategy = wisp_strategies_find(strategies, s->spec->family, s->spec->kernel, l->what);
  if (!strategy || (strcmp(l->kernel, "*") != 0 && strcmp(l->kernel, s->spec->kernel) != 0)) return WISP_EREFUSED;
  CALL(holds(err, l, s->names, &counts));
  return counts ? find_candidate(err, s, strategy, l->values) : WISP_EREFUSED;
}

wisp_status wisp_defaults_plan(wisp_error *err, const wisp_strategies *strategies, const wisp_spec *spec,
                               const wisp_layout *layout, const wisp_env *names, const wisp_fixed *fixed,
                               bool reproducible, wisp_plan **out)
{
  const wisp_defaults *all = wisp_strategies_defaults(strategies, spec->family);
  const size_t lines = all ? all->count : 0, count = strategies->count;
  search s = {spec, layout, names, fixed, reproducible, NULL};
  wisp_error reason = {.text = "no strategy computes it"};
  char text[WISP_LAYOUT_TEXT];
  /* After the lines all strategies: those that are candidates of the tuner, then the others. */
  for (size_t i = 0; i < lines + 2 * count && !s.found; i++) {
    wisp_status status = WISP_EREFUSED;
    const wisp_strategy *strategy = i < lines ? NULL : strategies->list[(i - lines) % count];
    if (!strategy)
      status = try_line(&reason, &s, strategies, &all->lines[i]);
    else if (strcmp(strategy->family, spec->family) == 0 && strcmp(strategy->kernel, spec->kernel) == 0) {
      status = i < lines + count ? wisp_strategy_is_candidate(&reason, strategy, names) : WISP_OK;
      if (status == WISP_OK) status = find_candidate(&reason, &s, strategy, "");
    }
    if (status != WISP_OK && status != WISP_EREFUSED) return wisp_fail(err, status, "%s", reason.text);
  }
  wisp_layout_print(layout, text);
  if (!s.found)
    return wisp_fail(err, WISP_EREFUSED, "kernel %s has no candidate in layout %s here: %s", spec->kernel, text,
                     reason.text);
  *out = s.found;
  return WISP_OK;
}
