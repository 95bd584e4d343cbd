/* Questions to a strategy and to the list of them. */
#include "../family.h"
#include "../random.h"

/* The place of a strategy in the hash table, or the free one where it would go; there is always one. */
static wisp_strategy **place_of(const wisp_strategies *all, const char *family, const char *kernel, const char *name)
{
  const uint64_t hash = wisp_hash_text(wisp_hash_text(wisp_hash_text(WISP_HASH_SEED, family), kernel), name);
  size_t i = hash & (all->slots - 1);
  for (const wisp_strategy *s; (s = all->by_name[i]); i = (i + 1) & (all->slots - 1))
    if (strcmp(s->name, name) == 0 && strcmp(s->kernel, kernel) == 0 && strcmp(s->family, family) == 0) break;
  return &all->by_name[i];
}

wisp_status wisp_strategies_enter(wisp_error *err, wisp_strategies *all, wisp_strategy *strategy)
{
  wisp_strategy **table = NULL;
  if (2 * (all->count + 1) > all->slots) {
    const size_t slots = all->slots ? 2 * all->slots : 512;
    CALL(wisp_new(err, slots, sizeof *table, &table));
    free(all->by_name);
    all->by_name = table;
    all->slots = slots;
    for (size_t i = 0; i < all->count; i++)
      *place_of(all, all->list[i]->family, all->list[i]->kernel, all->list[i]->name) = all->list[i];
  }
  *place_of(all, strategy->family, strategy->kernel, strategy->name) = strategy;
  return WISP_OK;
}

const wisp_strategy *wisp_strategies_find(const wisp_strategies *all, const char *family, const char *kernel,
                                          const char *name)
{
  if (all->slots) return *place_of(all, family, kernel, name);
  for (size_t i = 0; i < all->count; i++) {
    const wisp_strategy *s = all->list[i];
    if (strcmp(s->name, name) == 0 && strcmp(s->kernel, kernel) == 0 && strcmp(s->family, family) == 0) return s;
  }
  return NULL;
}

const wisp_defaults *wisp_strategies_defaults(const wisp_strategies *all, const char *family)
{
  for (int i = 0; i < all->families; i++)
    if (strcmp(all->family[i], family) == 0) return all->defaults[i];
  return NULL;
}

int wisp_strategy_param(const wisp_strategy *s, const char *name, size_t length)
{
  int i = 0;
  while (i < s->params && (strlen(s->param[i].name) != length || strncmp(s->param[i].name, name, length) != 0)) i++;
  return i;
}

wisp_status wisp_strategy_scope(wisp_error *err, const wisp_strategy *s, const wisp_env *names, wisp_env **out)
{
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  CALL(wisp_env_create(err, names, &env));
  for (const wisp_size *fact = s->facts; fact->name; fact++) CALL(wisp_env_int(err, env, fact->name, fact->value));
  return GIVE(env, out);
}

wisp_status wisp_clause_int(wisp_error *err, const wisp_strategy *s, const wisp_clause *clause, const wisp_env *env,
                            int64_t *value)
{
  wisp_status status = wisp_expr_int(err, clause->expr, env, value);
  return status == WISP_OK ? status : wisp_context(err, status, "%s:%d: ", s->file[clause->file], clause->line);
}

void wisp_strategy_constants(const wisp_strategy *s, const wisp_env *env, char text[WISP_PARAMS_TEXT])
{
  size_t length = 0;
  *text = '\0';
  for (const wisp_constant *c = s->constant; c < s->constant + s->constants; c++) {
    int64_t value = 0;
    if (wisp_clause_int(NULL, s, &c->value, env, &value) != WISP_OK) continue;
    length = wisp_append(text, WISP_PARAMS_TEXT, length, length ? " " : "");
    length = wisp_append(text, WISP_PARAMS_TEXT, length, c->name);
    length = wisp_append(text, WISP_PARAMS_TEXT, length, "=");
    length = value ? wisp_append_integer(text, WISP_PARAMS_TEXT, length, value)
                   : wisp_append(text, WISP_PARAMS_TEXT, length, "all");
  }
}

static void release_lets(wisp_let *let, size_t count)
{
  for (size_t i = 0; i < count; i++) wisp_expr_destroy(let[i].value.expr);
}

static void release_conditions(wisp_condition *list, size_t count)
{
  for (size_t i = 0; i < count; i++) wisp_expr_destroy(list[i].holds.expr), free(list[i].reason);
}

static void release_constants(wisp_constant *list, size_t count)
{
  for (size_t i = 0; i < count; i++) wisp_expr_destroy(list[i].value.expr), free(list[i].text), free(list[i].reason);
}

void wisp_strategy_destroy(wisp_strategy *s)
{
  if (!s) return;
  free(s->hash);
  wisp_text_free(&s->note);
  free(s->title), free(s->text), free(s->text_path), free(s->lane);
  for (int i = 0; i < s->files; i++) free(s->file[i]);
  release_conditions(s->need, s->needs);
  release_conditions(s->condition, s->conditions);
  release_conditions(&s->candidate, 1);
  release_lets(s->let, s->lets);
  release_constants(s->constant, s->constants);
  for (int i = 0; i < WISP_UNITS; i++) wisp_expr_destroy(s->work[i].expr);
  for (int i = 0; i < 3; i++) wisp_expr_destroy(s->block[i].expr);
  for (int i = 0; i < 2; i++) wisp_expr_destroy(s->grid[i].expr);
  for (int i = 0; i < WISP_MAX_SHARED; i++) wisp_expr_destroy(s->shared[i].count.expr);
  for (int i = 0; i < s->args; i++) {
    wisp_operand *o = &s->operand[i];
    wisp_expr_destroy(o->count.expr), wisp_expr_destroy(o->entry.expr), wisp_expr_destroy(o->part.expr);
    release_lets(o->where, (size_t)o->wheres);
    free(o->where);
  }
  free(s);
}

/* ---- Requests of candidates to the discretisation that they run on. */

int wisp_plan_value(const wisp_plan *plan, const char *param, int otherwise)
{
  const int i = wisp_strategy_param(plan->strategy, param, strlen(param));
  return i < plan->strategy->params ? plan->value[i] : otherwise;
}

static int find(const wisp_fixed *fixed, const char *param)
{
  int i = 0;
  while (i < fixed->count && strcmp(fixed->of[i].param, param) != 0) i++;
  return i;
}

void wisp_fixed_ask(wisp_fixed *fixed, const char *param, int value, int otherwise)
{
  const int at = find(fixed, param);
  if (at < fixed->count || at == WISP_MAX_FIXED) return;
  snprintf(fixed->of[at].param, sizeof fixed->of[at].param, "%s", param);
  fixed->of[at].value = value;
  fixed->of[at].otherwise = otherwise;
  fixed->count++;
}

void wisp_fixed_add(wisp_fixed *fixed, const wisp_plan *plan)
{
  const wisp_strategy *s = plan->strategy;
  for (const wisp_param *p = s->param; p < s->param + s->params; p++)
    if (p->mesh_constraint) wisp_fixed_ask(fixed, p->name, wisp_plan_value(plan, p->name, p->otherwise), p->otherwise);
  if (*s->requires_absent.name)
    wisp_fixed_ask(fixed, s->requires_absent.name, s->requires_absent.value, s->requires_absent.value);
}

int wisp_fixed_value(const wisp_fixed *fixed, const char *param, int otherwise)
{
  const int at = find(fixed, param);
  return at < fixed->count ? fixed->of[at].value : otherwise;
}

uint64_t wisp_fixed_number(const wisp_fixed *fixed)
{
  uint64_t sum = 0;
  for (int i = 0; i < fixed->count; i++)
    if (fixed->of[i].value != fixed->of[i].otherwise)
      sum += wisp_random_mix(
          wisp_hash_number(wisp_hash_text(WISP_HASH_SEED, fixed->of[i].param), (uint64_t)fixed->of[i].value));
  return sum;
}

bool wisp_fixed_same(const wisp_plan *a, const wisp_plan *b)
{
  wisp_fixed of_a = {0}, of_b = {0};
  wisp_fixed_add(&of_a, a);
  wisp_fixed_add(&of_b, b);
  return wisp_fixed_number(&of_a) == wisp_fixed_number(&of_b);
}

bool wisp_fixed_suits(const wisp_fixed *fixed, const wisp_plan *plan)
{
  const wisp_strategy *s = plan->strategy;
  bool suits = !*s->requires_absent.name ||
               wisp_fixed_value(fixed, s->requires_absent.name, s->requires_absent.value) == s->requires_absent.value;
  for (const wisp_param *p = s->param; p < s->param + s->params; p++) {
    const int value = wisp_plan_value(plan, p->name, p->otherwise);
    if (p->mesh_constraint == WISP_MESH_REQUIRED)
      suits &= wisp_fixed_value(fixed, p->name, fixed->made ? p->otherwise : value) == value;
  }
  return suits;
}
