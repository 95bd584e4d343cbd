#include "fixed.h"
#include "../text.h"

#include <string.h>

static int find(const wisp_fixed *fixed, const char *param)
{
  int i = 0;
  while (i < fixed->count && strcmp(fixed->of[i].param, param) != 0) i++;
  return i;
}

void wisp_fixed_add(wisp_fixed *fixed, const wisp_plan *plan)
{
  const wisp_strategy *s = plan->strategy;
  for (const wisp_param *p = s->param; p < s->param + s->params; p++) {
    const int at = find(fixed, p->name);
    if (!p->bond || at < fixed->count || at == WISP_MAX_FIXED) continue;
    memcpy(fixed->of[at].param, p->name, sizeof p->name);
    fixed->of[at].value = wisp_plan_value(plan, p->name, p->otherwise);
    fixed->of[at].otherwise = p->otherwise;
    fixed->count++;
  }
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
      sum += wisp_hash_number(wisp_hash_text(WISP_HASH_SEED, fixed->of[i].param), (uint64_t)fixed->of[i].value);
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
  bool suits = true;
  for (const wisp_param *p = s->param; p < s->param + s->params; p++) {
    const int value = wisp_plan_value(plan, p->name, p->otherwise);
    if (p->bond == WISP_FIXES) suits &= wisp_fixed_value(fixed, p->name, fixed->made ? p->otherwise : value) == value;
  }
  return suits;
}
