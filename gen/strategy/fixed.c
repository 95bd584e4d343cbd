/* What candidates ask of the discretisation that they run on. */
#include "strategy.h"
#include "../text.h"

#include <stdio.h>
#include <string.h>

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

/* All bits of the result hang on all bits (Steele, Lea, Flood 2014): hashes of values that are close would cancel in
 * sums. */
static uint64_t spread(uint64_t bits)
{
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return bits ^ bits >> 31;
}

uint64_t wisp_fixed_number(const wisp_fixed *fixed)
{
  uint64_t sum = 0;
  for (int i = 0; i < fixed->count; i++)
    if (fixed->of[i].value != fixed->of[i].otherwise)
      sum += spread(wisp_hash_number(wisp_hash_text(WISP_HASH_SEED, fixed->of[i].param), (uint64_t)fixed->of[i].value));
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
