/* From a plan to source: the strategy's text, wrapped by a dialect, with every number written out. */
#include "dialect_source.h"
#include "../embedded.h"
#include "../language/expand.h"
#include "../family.h"
#include "../language/expr_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

wisp_status wisp_source_argument(wisp_error *err, wisp_env *env, const char *name, const char *type, bool value,
                                 bool constant)
{
  wisp_env *item = NULL;
  CALL(wisp_env_item(err, env, "args", &item));
  CALL(wisp_env_text(err, item, "name", name));
  CALL(wisp_env_text(err, item, "type", type));
  CALL(wisp_env_int(err, item, "is_value", value));
  return wisp_env_int(err, item, "is_const", constant);
}

wisp_status wisp_source_shared(wisp_error *err, wisp_env *env, const char *name, const char *type, int64_t count,
                               size_t offset)
{
  wisp_env *item = NULL;
  CALL(wisp_env_item(err, env, "shareds", &item));
  CALL(wisp_env_text(err, item, "name", name));
  CALL(wisp_env_text(err, item, "type", type));
  CALL(wisp_env_int(err, item, "count", count));
  return wisp_env_int(err, item, "offset", (int64_t)offset);
}

wisp_status wisp_source_texts(wisp_error *err, wisp_env *env, size_t count, const char *const (*texts)[2],
                              const unsigned block[3], size_t shared)
{
  static const char *const axes[] = {"block_x", "block_y", "block_z"};
  for (size_t i = 0; i < count; i++) CALL(wisp_env_text(err, env, texts[i][0], texts[i][1]));
  for (int i = 0; i < 3; i++) CALL(wisp_env_int(err, env, axes[i], block[i]));
  return wisp_env_int(err, env, "shared_bytes", (int64_t)shared);
}

static wisp_status add_args(wisp_error *err, const wisp_plan *plan, wisp_env *env)
{
  for (const wisp_arg *arg = plan->strategy->arg; arg < plan->strategy->arg + plan->strategy->args; arg++)
    CALL(wisp_source_argument(err, env, arg->name, wisp_numbers[arg->type].in_c, arg->kind == WISP_ARG_VALUE,
                              arg->kind == WISP_ARG_IN || arg->kind == WISP_ARG_OPERAND));
  return WISP_OK;
}

static wisp_status add_shared(wisp_error *err, const wisp_plan *plan, wisp_env *env)
{
  CALL(wisp_env_empty_list(err, env, "shareds"));
  for (int i = 0; i < plan->strategy->shareds; i++) {
    const wisp_shared *shared = &plan->strategy->shared[i];
    const char *type = strcmp(shared->type, "byte") == 0 ? "unsigned char" : shared->type;
    int64_t count = 0;
    CALL(wisp_clause_int(err, plan->strategy, &shared->count, plan->env, &count));
    CALL(wisp_source_shared(err, env, shared->name, type, count > 0 ? count : 1, plan->offset[i]));
  }
  return WISP_OK;
}

static wisp_status add_heading(wisp_error *err, const wisp_plan *plan, wisp_env *env)
{
  char spec[WISP_SPEC_TEXT], layout[WISP_LAYOUT_TEXT];
  wisp_spec_print(&plan->spec, spec);
  wisp_layout_print(&plan->layout, layout);
  const char *const texts[][2] = {
      {"spec", spec},
      {"layout", layout},
      {"strategy", plan->strategy->name},
      {"title", plan->strategy->title},
      {"params", plan->params},
      {"symbol", plan->symbol},
      {"lane", plan->strategy->lane},
      {"real", plan->spec.precision == WISP_F32 ? "float" : "double"},
      {"body", plan->strategy->text},
      {"body file", plan->strategy->text_path},
  };
  return wisp_source_texts(err, env, WISP_COUNT(texts), texts, plan->block, plan->shared);
}

/* A text to insert, and the file that messages name. */
static wisp_status add_part(wisp_error *err, const wisp_plan *plan, wisp_env *env, const char *name,
                            const wisp_embedded *file)
{
  char names_file[128], path[WISP_SHOWN_PATH];
  wisp_template_path_shown(&plan->strategy->template_path, file, path);
  snprintf(names_file, sizeof names_file, "%s file", name);
  CALL(wisp_require(err, !wisp_env_has(plan->env, name), WISP_EINPUT,
                    "%s: '%s' is a parameter, a let or one of the family's names already: call the part otherwise",
                    path, name));
  CALL(wisp_env_text(err, env, name, file->text));
  return wisp_env_text(err, env, names_file, path);
}

/* Texts that kernels share: those of all families, then the family's own, the user's before the library's. */
static wisp_status add_parts(wisp_error *err, const wisp_plan *plan, wisp_env *env)
{
  const wisp_template_path *template_path = &plan->strategy->template_path;
  const char *const folders[] = {WISP_SHARED_PARTS, plan->strategy->family};
  char name[64];
  for (size_t f = 0; f < WISP_COUNT(folders); f++)
    for (size_t i = template_path->count; i-- > 0;)
      if (wisp_part_name(&template_path->files[i], folders[f], name))
        CALL(add_part(err, plan, env, name, &template_path->files[i]));
  return WISP_OK;
}

wisp_status wisp_plan_source(wisp_error *err, const wisp_plan *plan, const char *dialect, wisp_text *out)
{
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  char path[64];
  snprintf(path, sizeof path, "templates/dialect/%s.k", dialect);
  const char *wrapper = wisp_embedded_text(path);
  CALL(wisp_require(err, wrapper, WISP_EUSAGE, "dialect '%s' is not known: use cuda or host", dialect));
  CALL(wisp_env_create(err, plan->env, &env));
  CALL(add_heading(err, plan, env));
  CALL(add_parts(err, plan, env));
  CALL(add_args(err, plan, env));
  CALL(add_shared(err, plan, env));
  return wisp_expand(err, path, wrapper, env, out);
}

/* ---- Operands: the arrays of numbers that a plan's kernel reads beside the fields, packed from the family's tables as
 * the space says. */

/* Rounded to the 11 significant bits of TF32. */
static double round_tf32(double value)
{
  int exponent = 0;
  double mantissa = frexp(value, &exponent);
  return ldexp(nearbyint(ldexp(mantissa, 11)), exponent - 11);
}

/* Rounded to FP16, and its bits. */
static double round_fp16(double value, uint32_t *bits)
{
  int exponent = 0;
  const double size = fabs(value);
  *bits = 0;
  if (!(size > 0)) return 0;
  frexp(size, &exponent);
  const int last = exponent - 11 > -24 ? exponent - 11 : -24;
  const uint32_t units = (uint32_t)nearbyint(ldexp(size, -last)); /* up to 2^11, which is the next exponent */
  *bits = (value < 0 ? 0x8000u : 0) + units + ((uint32_t)(last + 24) << 10);
  return copysign(ldexp(units, last), value);
}

/* Bits of the FP16 high and low halves of 2^8 times a number, the low one in the upper bits, as those of a float. */
static double fp16_halves(double value)
{
  uint32_t high = 0, low = 0;
  float both = 0;
  round_fp16(ldexp(value, 8) - round_fp16(ldexp(value, 8), &high), &low);
  high |= low << 16;
  memcpy(&both, &high, sizeof both);
  return both;
}

/* A number's TF32 high part, or that of what remains; or its FP16 halves. */
static double part_of(double value, int64_t part)
{
  if (part == 3) return fp16_halves(value);
  double high = round_tf32(value);
  return part == 1 ? high : round_tf32(value - high);
}

/* An operand's expressions of entry q, resolved but for q and the names of its where lines. */
typedef struct entries {
  const wisp_strategy *s;
  const wisp_operand *operand;
  wisp_env *env;
  wisp_clause where[WISP_MAX_WHERES], entry, part;
} entries;

static void release(entries *e)
{
  for (int i = 0; i < WISP_MAX_WHERES; i++) wisp_expr_destroy(e->where[i].expr);
  wisp_expr_destroy(e->entry.expr), wisp_expr_destroy(e->part.expr);
  wisp_env_destroy(e->env);
}

/* Resolves a clause of a where line or, behind all of them, the entry: but for q and the names of the `above` where
 * lines. */
static wisp_status resolve(wisp_error *err, const entries *e, const wisp_clause *clause, int above, wisp_clause *out)
{
  const char *loose[1 + WISP_MAX_WHERES] = {"q"};
  for (int i = 0; i < above; i++) loose[1 + i] = e->operand->where[i].name;
  *out = *clause;
  out->expr = NULL;
  return clause->expr ? wisp_expr_resolve(err, clause->expr, e->env, loose, (size_t)above + 1, &out->expr) : WISP_OK;
}

static wisp_status prepare(wisp_error *err, const wisp_plan *plan, const wisp_operand *operand, entries *e)
{
  *e = (entries){.s = plan->strategy, .operand = operand};
  CALL(wisp_env_create(err, plan->env, &e->env));
  for (int i = 0; i < operand->wheres; i++) CALL(resolve(err, e, &operand->where[i].value, i, &e->where[i]));
  CALL(resolve(err, e, &operand->entry, operand->wheres, &e->entry));
  return resolve(err, e, &operand->part, operand->wheres, &e->part);
}

/* Entry q's place in the table, and which part of the number it is. */
static wisp_status entry(wisp_error *err, const entries *e, int64_t q, int64_t *at, int64_t *part)
{
  int64_t value = 0;
  CALL(wisp_env_int(err, e->env, "q", q));
  for (int i = 0; i < e->operand->wheres; i++) {
    CALL(wisp_clause_int(err, e->s, &e->where[i], e->env, &value));
    CALL(wisp_env_int(err, e->env, e->operand->where[i].name, value));
  }
  CALL(wisp_clause_int(err, e->s, &e->entry, e->env, at));
  if (e->part.expr && *at >= 0) CALL(wisp_clause_int(err, e->s, &e->part, e->env, part));
  return WISP_OK;
}

static wisp_status make(wisp_error *err, const wisp_plan *plan, int arg, size_t *count, double **reals, int **ints)
{
  const wisp_operand *operand = &plan->strategy->operand[arg];
  int64_t numbers = 0, at = 0, part = 0;
  OWNED(free) double *r = NULL;
  OWNED(free) int *n = NULL;
  HELD(release) entries e = {0};
  const wisp_value *real_table = NULL, *table = NULL;
  CALL(wisp_env_get(err, plan->env, operand->table, WISP_KIND_REALS, &real_table));
  CALL(wisp_env_get(err, plan->env, operand->table, WISP_KIND_INTS, &table));
  if (real_table) table = real_table;
  CALL(wisp_require(err, table, WISP_EINPUT, "operand %s: no table %s", plan->strategy->arg[arg].name, operand->table));
  CALL(wisp_clause_int(err, plan->strategy, &operand->count, plan->env, &numbers));
  CALL(wisp_require(err, numbers >= 0 && numbers < 1 << 28, WISP_EINPUT, "operand %s: %lld numbers", operand->table,
                    (long long)numbers));
  if (real_table)
    CALL(wisp_new(err, (size_t)numbers, sizeof *r, &r));
  else
    CALL(wisp_new(err, (size_t)numbers, sizeof *n, &n));
  CALL(prepare(err, plan, operand, &e));
  for (int64_t q = 0; q < numbers; q++) {
    CALL(entry(err, &e, q, &at, &part));
    if (at < 0) continue;
    CALL(wisp_require(err, (size_t)at < table->count, WISP_EINPUT, "operand entry %lld reads %s[%lld] of %zu",
                      (long long)q, operand->table, (long long)at, table->count));
    if (real_table)
      r[q] = part ? part_of(table->as.reals[at], part) : table->as.reals[at];
    else
      n[q] = table->as.ints[at];
  }
  *count = (size_t)numbers;
  *reals = r, *ints = n;
  r = NULL, n = NULL;
  return WISP_OK;
}

wisp_status wisp_plan_prepare(wisp_error *err, wisp_plan *plan)
{
  for (int i = 0; i < plan->strategy->args; i++)
    if (plan->strategy->arg[i].kind == WISP_ARG_OPERAND && !plan->operand[i].reals && !plan->operand[i].ints)
      CALL(make(err, plan, i, &plan->operand[i].count, &plan->operand[i].reals, &plan->operand[i].ints));
  return WISP_OK;
}

/* A copy of count things of size bytes; NULL stays NULL. */
static wisp_status duplicate(wisp_error *err, const void *from, size_t count, size_t size, void *out)
{
  void *to = NULL;
  if (from) {
    CALL(wisp_new(err, count, size, &to));
    memcpy(to, from, count * size);
  }
  memcpy(out, &to, sizeof to);
  return WISP_OK;
}

wisp_status wisp_plan_operand(wisp_error *err, const wisp_plan *plan, int arg, size_t *count, double **reals,
                              int **ints)
{
  OWNED(free) double *r = NULL;
  OWNED(free) int *n = NULL;
  if (!plan->operand[arg].reals && !plan->operand[arg].ints) return make(err, plan, arg, count, reals, ints);
  CALL(duplicate(err, plan->operand[arg].reals, plan->operand[arg].count, sizeof *r, &r));
  CALL(duplicate(err, plan->operand[arg].ints, plan->operand[arg].count, sizeof *n, &n));
  *count = plan->operand[arg].count;
  *reals = r, *ints = n;
  r = NULL, n = NULL;
  return WISP_OK;
}
