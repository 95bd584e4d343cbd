/* Plans: parameter values are put into the family's names, conditions are asked, numbers are fixed. */
#include "renamed.h"
#include "strategy.h"
#include "../family.h"
#include "../text.h"

static int by_name(const void *a, const void *b)
{
  return strcmp((*(const wisp_param *const *)a)->name, (*(const wisp_param *const *)b)->name);
}

/* "unroll=4 wi=2", sorted by name: two texts are equal exactly where the candidates are. */
static void print_params(wisp_plan *plan)
{
  const wisp_param *sorted[WISP_MAX_PARAMS];
  const wisp_strategy *s = plan->strategy;
  size_t length = 0;
  for (int i = 0; i < s->params; i++) sorted[i] = &s->param[i];
  qsort(sorted, (size_t)s->params, sizeof *sorted, by_name);
  plan->params[0] = '\0';
  for (int i = 0; i < s->params; i++) {
    if (i) length = wisp_append(plan->params, sizeof plan->params, length, " ");
    length = wisp_append(plan->params, sizeof plan->params, length, sorted[i]->name);
    length = wisp_append(plan->params, sizeof plan->params, length, "=");
    length = wisp_append_integer(plan->params, sizeof plan->params, length, plan->value[sorted[i] - s->param]);
  }
}

bool wisp_strategy_reads(const wisp_strategy *s, const wisp_layout *layout)
{
  const bool readable[] = {
      [WISP_NODE_FASTEST] = s->node, [WISP_ELEMENT_FASTEST] = s->slab, [WISP_NO_LAYOUT] = !s->node && !s->slab};
  return readable[layout->order];
}

wisp_status wisp_strategy_applies(wisp_error *err, const wisp_strategy *s, const wisp_layout *layout,
                                  const wisp_env *names)
{
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  if (!wisp_strategy_reads(s, layout))
    return wisp_fail(err, WISP_EREFUSED, "reads only %s layouts", s->node ? "node-fastest" : "element-fastest (slab)");
  CALL(wisp_strategy_scope(err, s, names, &env));
  for (size_t i = 0; i < s->needs; i++) {
    int64_t holds = 0;
    CALL(wisp_clause_int(err, s, &s->need[i].holds, env, &holds));
    CALL(wisp_require(err, holds, WISP_EREFUSED, "%s", s->need[i].reason));
  }
  return WISP_OK;
}

wisp_status wisp_strategy_is_candidate(wisp_error *err, const wisp_strategy *s, const wisp_env *names)
{
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  int64_t holds = 1;
  if (!s->candidate.holds.expr) return WISP_OK;
  CALL(wisp_strategy_scope(err, s, names, &env));
  CALL(wisp_clause_int(err, s, &s->candidate.holds, env, &holds));
  return wisp_require(err, holds, WISP_EREFUSED, "%s", s->candidate.reason);
}

/* Lets and conditions, in the order they were written. *refused: the condition that does not hold. */
static wisp_status evaluate_lines(wisp_error *err, wisp_plan *plan, size_t *refused)
{
  const wisp_strategy *s = plan->strategy;
  size_t let = 0;
  for (size_t c = 0; c <= s->conditions; c++) {
    int64_t value = 0;
    for (; let < s->lets && s->let[let].after <= c; let++) {
      CALL(wisp_clause_int(err, s, &s->let[let].value, plan->env, &value));
      CALL(wisp_env_int(err, plan->env, s->let[let].name, value));
    }
    *refused = c;
    if (c == s->conditions) break;
    CALL(wisp_clause_int(err, s, &s->condition[c].holds, plan->env, &value));
    CALL(wisp_require(err, value, WISP_EREFUSED, "%s", s->condition[c].reason));
  }
  return WISP_OK;
}

static wisp_status fix_block(wisp_error *err, wisp_plan *plan)
{
  const wisp_strategy *s = plan->strategy;
  int64_t threads = 1, limit = 0, value = 0;
  for (int i = 0; i < 3; i++) {
    value = 1;
    if (s->block[i].expr) CALL(wisp_clause_int(err, s, &s->block[i], plan->env, &value));
    CALL(wisp_require(err, value > 0 && value <= 65536, WISP_EREFUSED, "%lld threads in one direction",
                      (long long)value));
    plan->block[i] = (unsigned)value;
    threads *= value;
  }
  wisp_env_get_int(plan->env, "max_threads", &limit);
  CALL(wisp_require(err, threads <= limit, WISP_EREFUSED, "%lld threads a block, the device allows %lld",
                    (long long)threads, (long long)limit));
  return wisp_env_int(err, plan->env, "threads", threads);
}

static wisp_status fix_shared(wisp_error *err, wisp_plan *plan)
{
  int64_t bytes = 0, count = 0, limit = 0, real = 0;
  wisp_env_get_int(plan->env, "max_shared", &limit);
  wisp_env_get_int(plan->env, "real_bytes", &real);
  for (int i = 0; i < plan->strategy->shareds; i++) {
    const wisp_shared *shared = &plan->strategy->shared[i];
    CALL(wisp_clause_int(err, plan->strategy, &shared->count, plan->env, &count));
    plan->offset[i] = (size_t)bytes;
    bytes = (bytes + count * (shared->type[0] == 'i' ? 4 : shared->type[0] == 'b' ? 1 : real) + 15) / 16 * 16;
  }
  CALL(wisp_require(err, bytes <= limit, WISP_EREFUSED, "%lld bytes of shared memory, the device allows %lld",
                    (long long)bytes, (long long)limit));
  plan->shared = (size_t)bytes;
  return WISP_OK;
}

/* A plan of a strategy that applies here, without values yet. */
static wisp_status open_plan(wisp_error *err, const wisp_strategy *strategy, const wisp_spec *spec,
                             const wisp_layout *layout, const wisp_env *names, wisp_plan **out)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  CALL(wisp_new(err, 1, sizeof *plan, &plan));
  plan->strategy = strategy;
  plan->spec = *spec;
  plan->layout = *layout;
  plan->names = names;
  const size_t length = wisp_append(plan->symbol, sizeof plan->symbol, 0, strategy->family);
  wisp_append(plan->symbol, sizeof plan->symbol, wisp_append(plan->symbol, sizeof plan->symbol, length, "_"),
              strategy->kernel);
  CALL(wisp_strategy_scope(err, strategy, names, &plan->env));
  CALL(wisp_env_int(err, plan->env, "min_blocks", 0)); /* none, unless a parameter says otherwise */
  CALL(wisp_env_int(err, plan->env, "cluster", 1));    /* nor do blocks wait for each other */
  return GIVE(plan, out);
}

/* Gives the plan values, in place of those before. WISP_EREFUSED where it is not legal with them; *refused: by which of
 * the conditions, as many as there are: by none of them. */
static wisp_status fix_values(wisp_error *err, wisp_plan *plan, const int *values, size_t *refused)
{
  const wisp_strategy *s = plan->strategy;
  for (int i = 0; i < s->params; i++) {
    plan->value[i] = values[i];
    CALL(wisp_env_int(err, plan->env, s->param[i].name, values[i]));
  }
  CALL(evaluate_lines(err, plan, refused));
  CALL(fix_block(err, plan));
  CALL(fix_shared(err, plan));
  print_params(plan);
  return WISP_OK;
}

wisp_status wisp_plan_create(wisp_error *err, const wisp_strategy *strategy, const wisp_spec *spec,
                             const wisp_layout *layout, const wisp_env *names, const int *values, wisp_plan **out)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  size_t refused = 0;
  CALL(wisp_strategy_applies(err, strategy, layout, names));
  CALL(open_plan(err, strategy, spec, layout, names, &plan));
  CALL(fix_values(err, plan, values, &refused));
  return GIVE(plan, out);
}

void wisp_plan_destroy(wisp_plan *plan)
{
  if (!plan) return;
  for (int i = 0; i < plan->strategy->args; i++) free(plan->operand[i].reals), free(plan->operand[i].ints);
  wisp_env_destroy(plan->env);
  free(plan);
}

/* The next combination of parameter values, last parameter fastest; false after the last. */
static bool next_values(const wisp_strategy *s, int *index, int *values)
{
  for (int i = s->params - 1; i >= 0; i--) {
    index[i] = (index[i] + 1) % s->param[i].count;
    values[i] = s->param[i].values[index[i]];
    if (index[i]) return true;
  }
  return false;
}

wisp_status wisp_plan_enumerate(wisp_error *err, const wisp_strategy *s, const wisp_spec *spec,
                                const wisp_layout *layout, const wisp_env *names, wisp_visit visit, void *context)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  int index[WISP_MAX_PARAMS] = {0}, values[WISP_MAX_PARAMS];
  wisp_error unfit = {.text = ""}, reason = {.text = ""};
  const wisp_status applies = wisp_strategy_applies(&unfit, s, layout, names);
  for (int i = 0; i < s->params; i++) values[i] = s->param[i].values[0];
  do {
    wisp_plan *legal = NULL;
    size_t refused = 0;
    if (!plan && applies == WISP_OK) CALL(open_plan(err, s, spec, layout, names, &plan));
    const wisp_status status = applies == WISP_OK ? fix_values(&reason, plan, values, &refused) : applies;
    if (applies != WISP_OK) reason = unfit;
    if (status != WISP_OK && status != WISP_EREFUSED) return wisp_fail(err, status, "%s", reason.text);
    if (status == WISP_OK) legal = plan, plan = NULL; /* a refused one is tried with the next values */
    CALL(visit(err, context, values, legal, legal ? NULL : reason.text));
  } while (next_values(s, index, values));
  return WISP_OK;
}

/* The last parameter that an expression depends on, itself or by lets; -1: on none. */
static int last_param(const wisp_strategy *s, const wisp_expr *expr, int depth)
{
  const char *name = NULL;
  int last = depth < WISP_MAX_LINES ? -1 : s->params - 1;
  for (size_t n = 0; depth < WISP_MAX_LINES && (name = wisp_expr_name(expr, n)); n++) {
    for (int i = 0; i < s->params; i++)
      if (i > last && strcmp(s->param[i].name, name) == 0) last = i;
    for (size_t l = 0; l < s->lets; l++) {
      const bool defines = strcmp(s->let[l].name, name) == 0 && s->let[l].value.expr != expr;
      const int by_let = defines ? last_param(s, s->let[l].value.expr, depth + 1) : -1;
      last = by_let > last ? by_let : last;
    }
  }
  return last;
}

/* Moves on to the last combination with these values of what a condition depends on: it refuses all up to there. */
static void skip_refused(const wisp_strategy *s, size_t condition, int *index, int *values)
{
  if (condition >= s->conditions) return;
  for (int i = last_param(s, s->condition[condition].holds.expr, 0) + 1; i < s->params; i++) {
    index[i] = s->param[i].count - 1;
    values[i] = s->param[i].values[index[i]];
  }
}

wisp_status wisp_plan_first(wisp_error *err, const wisp_strategy *s, const wisp_spec *spec, const wisp_layout *layout,
                            const wisp_env *names, const wisp_fixed *fixed, wisp_plan **out)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  int index[WISP_MAX_PARAMS] = {0}, values[WISP_MAX_PARAMS];
  wisp_error reason = {.text = ""};
  CALL(wisp_strategy_applies(err, s, layout, names));
  CALL(open_plan(err, s, spec, layout, names, &plan));
  for (int i = 0; i < s->params; i++) values[i] = s->param[i].values[0];
  do {
    size_t refused = s->conditions;
    const wisp_status status = fix_values(&reason, plan, values, &refused);
    if (status != WISP_OK && status != WISP_EREFUSED) return wisp_fail(err, status, "%s", reason.text);
    if (status == WISP_OK && (!fixed || wisp_fixed_suits(fixed, plan))) return GIVE(plan, out);
    if (status == WISP_EREFUSED) skip_refused(s, refused, index, values);
  } while (next_values(s, index, values));
  return WISP_OK;
}

wisp_status wisp_plan_default(wisp_error *err, const wisp_strategy *s, const wisp_spec *spec, const wisp_layout *layout,
                              const wisp_env *names, wisp_plan **out)
{
  OWNED(wisp_plan_destroy) wisp_plan *first = NULL;
  wisp_error reason = {0};
  int values[WISP_MAX_PARAMS];
  for (int i = 0; i < s->params; i++) values[i] = s->param[i].preferred;
  const wisp_status status = wisp_plan_create(&reason, s, spec, layout, names, values, out);
  if (status == WISP_OK) return WISP_OK;
  if (status != WISP_EREFUSED) return wisp_fail(err, status, "%s", reason.text);
  CALL(wisp_plan_first(err, s, spec, layout, names, NULL, &first));
  CALL(wisp_require(err, first, WISP_EREFUSED, "no legal candidate; the default: %s", reason.text));
  return GIVE(first, out);
}

static wisp_status no_such_value(wisp_error *err, const wisp_strategy *s, const char *text, const wisp_param *p)
{
  char values[256] = "";
  for (int v = 0, used = 0; v < p->count && used < 240; v++)
    used += snprintf(values + used, sizeof values - (size_t)used, "%s%d", v ? ", " : "", p->values[v]);
  return wisp_fail(err, WISP_EINPUT, "'%s': strategy %s has %s only of %s", text, s->name, p->name, values);
}

/* The parameter of today that has an older name, which the note tells; as many as there are: none. */
static wisp_status find_renamed(wisp_error *err, const wisp_strategy *s, const char *text, size_t length,
                                wisp_text *note, int *out)
{
  HELD(wisp_renamings_free) wisp_renamings names = {0};
  char old[sizeof s->param->name];
  CALL(wisp_renamings_load(err, &names));
  snprintf(old, sizeof old, "%.*s", (int)length, text);
  const char *new = *old ? wisp_renamed_param(&names, s->family, s->kernel, s->name, old) : NULL;
  if (new) *out = wisp_strategy_param(s, new, strlen(new));
  if (!note || *out == s->params) return WISP_OK;
  if (note->length) CALL(wisp_text_print(err, note, "\n"));
  return wisp_renamed_note(err, "parameter", old, s->param[*out].name, note);
}

wisp_status wisp_strategy_values(wisp_error *err, const wisp_strategy *s, const char *text, bool complete,
                                 wisp_text *note, int values[WISP_MAX_PARAMS])
{
  bool given[WISP_MAX_PARAMS] = {false};
  int count = 0;
  for (const char *at = text + strspn(text, " ,"), *next; *at; at = next + strspn(next, " ,")) {
    const size_t length = strcspn(at, "=, ");
    int i = wisp_strategy_param(s, at, length);
    char *end = NULL;
    next = at + strcspn(at, " ,");
    if (i == s->params) CALL(find_renamed(err, s, at, length, note, &i));
    CALL(wisp_require(err, at[length] == '=' && i < s->params, WISP_EINPUT,
                      "'%s': strategy %s has no parameter '%.*s' (write NAME=VALUE)", text, s->name, (int)length, at));
    const wisp_param *p = &s->param[i];
    CALL(wisp_require(err, !given[i], WISP_EINPUT, "'%s' names %s twice: give it one value", text, p->name));
    const long value = strtol(at + length + 1, &end, 10);
    int v = 0;
    while (v < p->count && p->values[v] != value) v++;
    if (v == p->count || end != next) return no_such_value(err, s, text, p);
    values[i] = p->values[v];
    given[i] = true;
    count++;
  }
  return wisp_require(err, !complete || count == s->params, WISP_EINPUT,
                      "'%s' does not give strategy %s all of its %d values", text, s->name, s->params);
}

bool wisp_strategy_lists(const wisp_strategy *s, const char *params)
{
  int values[WISP_MAX_PARAMS];
  return wisp_strategy_values(NULL, s, params, true, NULL, values) == WISP_OK;
}

wisp_status wisp_plan_from_text(wisp_error *err, const wisp_strategy *s, const wisp_spec *spec,
                                const wisp_layout *layout, const wisp_env *names, const char *params, wisp_plan **out)
{
  int values[WISP_MAX_PARAMS];
  CALL(wisp_context(err, wisp_strategy_values(err, s, params, true, NULL, values), "parameters "));
  return wisp_plan_create(err, s, spec, layout, names, values, out);
}

/* ---- Candidates like another one. */

/* The next choice of values that are no smaller where they are sizes; false after the last. */
static bool next_sizes(const wisp_plan *plan, int values[WISP_MAX_PARAMS])
{
  for (int i = plan->strategy->params - 1; i >= 0; i--) {
    const wisp_param *p = &plan->strategy->param[i];
    int v = 0;
    if (p->mesh_constraint != WISP_MESH_REQUIRED) continue;
    while (p->values[v] != values[i]) v++;
    values[i] = v + 1 < p->count ? p->values[v + 1] : plan->value[i];
    if (v + 1 < p->count) return true;
  }
  return false;
}

/* Steps from the plan's values to these in the parameters' lists. */
static int steps_from(const wisp_plan *plan, const int values[WISP_MAX_PARAMS])
{
  int steps = 0;
  for (int i = 0; i < plan->strategy->params; i++) {
    const int *of = plan->strategy->param[i].values, *from = of, *to = of;
    while (*from != plan->value[i]) from++;
    while (*to != values[i]) to++;
    steps += (int)(to - from);
  }
  return steps;
}

wisp_status wisp_plan_next_larger(wisp_error *err, const wisp_plan *plan, int n, wisp_plan **out)
{
  for (int steps = 1; steps < WISP_MAX_PARAMS * WISP_MAX_VALUES; steps++) {
    int values[WISP_MAX_PARAMS];
    memcpy(values, plan->value, sizeof values);
    while (next_sizes(plan, values)) {
      OWNED(wisp_plan_destroy) wisp_plan *larger = NULL;
      wisp_error reason = {.text = ""};
      if (steps_from(plan, values) != steps) continue;
      const wisp_status status =
          wisp_plan_create(&reason, plan->strategy, &plan->spec, &plan->layout, plan->names, values, &larger);
      if (status != WISP_OK && status != WISP_EREFUSED) return wisp_fail(err, status, "%s", reason.text);
      if (larger && n-- == 0) return GIVE(larger, out);
    }
  }
  return wisp_fail(err, WISP_EREFUSED, "%s: there are no larger sizes", plan->params);
}

/* Gives env the launch's counts that the expression names and the plan does not have. */
static wisp_status add_counts(wisp_error *err, const wisp_plan *plan, const wisp_expr *expr, const wisp_count *counts,
                              wisp_env *env)
{
  const char *name = NULL;
  for (size_t i = 0; (name = wisp_expr_name(expr, i)); i++) {
    const wisp_count *count = wisp_env_has(plan->env, name) ? NULL : counts;
    while (count && count->name && strcmp(count->name, name) != 0) count++;
    if (count && count->name) CALL(wisp_env_int(err, env, name, (int64_t)count->value));
  }
  return WISP_OK;
}

wisp_status wisp_plan_grid_in(wisp_error *err, const wisp_plan *plan, const wisp_env *counts, unsigned grid[2])
{
  const wisp_strategy *s = plan->strategy;
  for (int i = 0; i < 2; i++) {
    int64_t value = 1;
    if (s->grid[i].expr) CALL(wisp_clause_int(err, s, &s->grid[i], counts, &value));
    CALL(wisp_require(err, value > 0 && value < (i ? 65536 : INT32_MAX), WISP_EUSAGE,
                      "%s: a grid of %lld blocks in direction %d: the problem is too large", plan->symbol,
                      (long long)value, i));
    grid[i] = (unsigned)value;
  }
  return WISP_OK;
}

wisp_status wisp_plan_grid(wisp_error *err, const wisp_plan *plan, const wisp_count *counts, unsigned grid[2])
{
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  CALL(wisp_env_create(err, plan->env, &env));
  for (int i = 0; i < 2; i++)
    if (plan->strategy->grid[i].expr) CALL(add_counts(err, plan, plan->strategy->grid[i].expr, counts, env));
  return wisp_plan_grid_in(err, plan, env, grid);
}

wisp_status wisp_plan_executed(wisp_error *err, const wisp_plan *plan, wisp_exec_unit unit, double elements,
                               double least, double *out)
{
  const wisp_clause *clause = &plan->strategy->work[unit];
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  int64_t value = 0;
  *out = 0;
  if (!clause->expr) return WISP_OK;
  CALL(wisp_env_create(err, plan->env, &env));
  CALL(wisp_env_int(err, env, "elements", (int64_t)elements));
  CALL(wisp_env_int(err, env, "flops", (int64_t)least));
  CALL(wisp_clause_int(err, plan->strategy, clause, env, &value));
  *out = (double)value;
  return WISP_OK;
}

void wisp_plan_hash(const wisp_plan *plan, const char *dialect, char hash[20])
{
  wisp_strategy_hash(plan->strategy, plan->spec.system, dialect, hash);
}

bool wisp_plan_takes(const wisp_plan *plan, const char *name)
{
  const wisp_strategy *s = plan->strategy;
  for (const wisp_arg *arg = s->arg; arg < s->arg + s->args; arg++)
    if (strcmp(arg->name, name) == 0) return true;
  return false;
}
