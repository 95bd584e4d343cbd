/* Operands: the arrays of numbers that a plan's kernel reads beside the fields, packed from the family's tables as the
 * space says. */
#include "space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The value that `expression` has for entry q. */
static wisp_status entry_int(wisp_error *err, wisp_env *env, const wisp_expr *expr, int64_t q, int64_t *value)
{
  wisp_status status = wisp_env_int(err, env, "q", q);
  return status == WISP_OK ? wisp_expr_int(err, expr, env, value) : status;
}

/* Rounded to the 11 significant bits of TF32. */
static double round_tf32(double value)
{
  int exponent = 0;
  double mantissa = frexp(value, &exponent);
  return ldexp(nearbyint(ldexp(mantissa, 11)), exponent - 11);
}

/* A number's TF32 high part, or that of what remains. */
static double tf32_part(double value, int64_t part)
{
  double high = round_tf32(value);
  return part == 1 ? high : round_tf32(value - high);
}

static wisp_status make(wisp_error *err, const wisp_plan *plan, int arg, size_t *count, double **reals, int **ints)
{
  wisp_status status = WISP_OK;
  const wisp_operand *operand = &plan->strategy->operand[arg];
  int64_t numbers = 0, at = 0, part = 0;
  size_t size = 0;
  double *r = NULL;
  int *n = NULL;
  wisp_env *env = NULL;
  wisp_expr *entry = NULL, *which = NULL;
  const double *real_table = wisp_env_get_reals(plan->env, operand->table, &size);
  const int *int_table = real_table ? NULL : wisp_env_get_ints(plan->env, operand->table, &size);
  TRY(wisp_env_create(err, plan->env, &env));
  TRY(wisp_require(err, real_table || int_table, WISP_EINPUT, "operand %s: no table %s", plan->strategy->arg[arg].name,
                   operand->table));
  TRY(wisp_expr_int(err, operand->count, env, &numbers));
  TRY(wisp_require(err, numbers >= 0 && numbers < 1 << 28, WISP_EINPUT, "operand %s: %lld numbers", operand->table,
                   (long long)numbers));
  if (real_table)
    TRY(wisp_new(err, (size_t)numbers, sizeof *r, &r));
  else
    TRY(wisp_new(err, (size_t)numbers, sizeof *n, &n));
  TRY(wisp_expr_settle(err, operand->entry, env, "q", &entry));
  if (operand->part) TRY(wisp_expr_settle(err, operand->part, env, "q", &which));
  for (int64_t q = 0; q < numbers; q++) {
    TRY(entry_int(err, env, entry, q, &at));
    if (at < 0) continue;
    TRY(wisp_require(err, (size_t)at < size, WISP_EINPUT, "operand entry %lld reads %s[%lld] of %zu", (long long)q,
                     operand->table, (long long)at, size));
    if (which) TRY(wisp_expr_int(err, which, env, &part));
    if (real_table)
      r[q] = part ? tf32_part(real_table[at], part) : real_table[at];
    else
      n[q] = int_table[at];
  }
  *count = (size_t)numbers;
  *reals = r, *ints = n;
  r = NULL, n = NULL;
done:
  wisp_expr_destroy(entry), wisp_expr_destroy(which);
  wisp_env_destroy(env);
  free(r), free(n);
  return status;
}

wisp_status wisp_plan_prepare(wisp_error *err, wisp_plan *plan)
{
  wisp_status status = WISP_OK;
  for (int i = 0; i < plan->strategy->args; i++)
    if (plan->strategy->arg[i].kind == WISP_ARG_OPERAND && !plan->operand[i].reals && !plan->operand[i].ints)
      TRY(make(err, plan, i, &plan->operand[i].count, &plan->operand[i].reals, &plan->operand[i].ints));
done:
  return status;
}

/* A copy of count things of size bytes; NULL stays NULL. */
static wisp_status duplicate(wisp_error *err, const void *from, size_t count, size_t size, void *out)
{
  wisp_status status = WISP_OK;
  void *to = NULL;
  if (from) {
    TRY(wisp_new(err, count, size, &to));
    memcpy(to, from, count * size);
  }
  memcpy(out, &to, sizeof to);
done:
  return status;
}

wisp_status wisp_plan_operand(wisp_error *err, const wisp_plan *plan, int arg, size_t *count, double **reals,
                              int **ints)
{
  wisp_status status = WISP_OK;
  double *r = NULL;
  int *n = NULL;
  if (!plan->operand[arg].reals && !plan->operand[arg].ints) return make(err, plan, arg, count, reals, ints);
  TRY(duplicate(err, plan->operand[arg].reals, plan->operand[arg].count, sizeof *r, &r));
  TRY(duplicate(err, plan->operand[arg].ints, plan->operand[arg].count, sizeof *n, &n));
  *count = plan->operand[arg].count;
  *reals = r, *ints = n;
  r = NULL, n = NULL;
done:
  free(r), free(n);
  return status;
}
