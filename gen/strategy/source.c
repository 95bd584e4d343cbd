/* From a plan to source: the strategy's text, wrapped by a dialect, with every number written out. */
#include "strategy.h"
#include "../embedded.h"
#include "../language/template.h"
#include "../family.h"

#include <math.h>

static wisp_status add_argument(wisp_error *err, wisp_env *env, const char *name, const char *type, bool value,
                                bool constant)
{
  wisp_env *item = NULL;
  CALL(wisp_env_item(err, env, "args", &item));
  CALL(wisp_env_text(err, item, "name", name));
  CALL(wisp_env_text(err, item, "type", type));
  CALL(wisp_env_int(err, item, "is_value", value));
  return wisp_env_int(err, item, "is_const", constant);
}

static wisp_status add_shared_array(wisp_error *err, wisp_env *env, const char *name, const char *type, int64_t count,
                                    size_t offset)
{
  wisp_env *item = NULL;
  CALL(wisp_env_item(err, env, "shareds", &item));
  CALL(wisp_env_text(err, item, "name", name));
  CALL(wisp_env_text(err, item, "type", type));
  CALL(wisp_env_int(err, item, "count", count));
  return wisp_env_int(err, item, "offset", (int64_t)offset);
}

/* Pairs of a name and its text; the block's size; the bytes of shared memory. */
static wisp_status add_texts(wisp_error *err, wisp_env *env, size_t count, const char *const (*texts)[2],
                             const unsigned block[3], size_t shared)
{
  static const char *const axes[] = {"block_x", "block_y", "block_z"};
  for (size_t i = 0; i < count; i++) CALL(wisp_env_text(err, env, texts[i][0], texts[i][1]));
  for (int i = 0; i < 3; i++) CALL(wisp_env_int(err, env, axes[i], block[i]));
  return wisp_env_int(err, env, "shared_bytes", (int64_t)shared);
}

static wisp_status add_shared(wisp_error *err, const wisp_plan *plan, wisp_env *env)
{
  CALL(wisp_env_empty_list(err, env, "shareds"));
  for (int i = 0; i < plan->strategy->shareds; i++) {
    const wisp_shared *shared = &plan->strategy->shared[i];
    const char *type = strcmp(shared->type, "byte") == 0 ? "unsigned char" : shared->type;
    int64_t count = 0;
    CALL(wisp_clause_int(err, plan->strategy, &shared->count, plan->env, &count));
    CALL(add_shared_array(err, env, shared->name, type, count > 0 ? count : 1, plan->offset[i]));
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
  };
  return add_texts(err, env, WISP_COUNT(texts), texts, plan->block, plan->shared);
}

/* A text to insert, and the file that messages name. */
static wisp_status add_part(wisp_error *err, const wisp_plan *plan, wisp_env *env, const char *name,
                            const wisp_embedded *file)
{
  char path[WISP_SHOWN_PATH];
  wisp_template_path_shown(&plan->strategy->template_path, file, path);
  CALL(wisp_require(err, !wisp_env_has(plan->env, name), WISP_EINPUT,
                    "%s: '%s' is a parameter, a let or one of the family's names already: call the part otherwise",
                    path, name));
  return wisp_env_file_text(err, env, name, file->text, path);
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
  CALL(wisp_env_file_text(err, env, "body", plan->strategy->text, plan->strategy->text_path));
  CALL(add_parts(err, plan, env));
  for (const wisp_arg *arg = plan->strategy->arg; arg < plan->strategy->arg + plan->strategy->args; arg++)
    CALL(add_argument(err, env, arg->name, wisp_numbers[arg->type].in_c, arg->kind == WISP_ARG_VALUE,
                      arg->kind == WISP_ARG_IN || arg->kind == WISP_ARG_OPERAND));
  CALL(add_shared(err, plan, env));
  return wisp_expand(err, path, wrapper, env, out);
}

/* ---- Kernels of solvers and of measurements of a device. */

/* A type of the head's, in C; NULL: it is none. */
static const char *type_in_c(const char *type, size_t *bytes)
{
  static const struct {
    const char *word, *in_c;
    size_t bytes;
  } types[] = {{"real", "real", 8},
               {"number", "NUMBER", 8},
               {"uint8", "unsigned char", 1},
               {"uint64", "unsigned long long", 8},
               {"vec", "vec", 16},
               {"double", "double", 8},
               {"float", "float", 4},
               {"int", "int", 4},
               {"int64", "long long", 8},
               {"uint32", "unsigned", 4}};
  for (size_t i = 0; i < WISP_COUNT(types); i++)
    if (strcmp(types[i].word, type) == 0) return *bytes = types[i].bytes, types[i].in_c;
  return NULL;
}

/* Reads the lines above an empty one; *text is what follows. An array that may be another's as well becomes a value: a
 * pointer without a promise. */
static wisp_status read_head(wisp_error *err, const char *path, const char **text, wisp_env *env, unsigned *threads,
                             size_t *shared)
{
  HELD(wisp_text_free) wisp_text line = {0};
  int count = 0;
  *shared = *threads = 0;
  CALL(wisp_env_empty_list(err, env, "shareds"));
  for (const char *end = *text + strlen(*text); *text < end;) {
    char word[8] = "", kind[8] = "", type[8] = "", name[32] = "", pointer[32];
    size_t bytes = 0;
    CALL(wisp_text_take_line(err, text, end, &line));
    if (!*line.data) break;
    if (*line.data == '#' || sscanf(line.data, "block %u", threads) == 1) continue;
    const bool array = sscanf(line.data, "shared %7s %31s %d", type, name, &count) == 3;
    const bool given = array || sscanf(line.data, "%7s %7s %7s %31s", word, kind, type, name) == 4;
    const char *in_c = type_in_c(type, &bytes);
    CALL(wisp_require(err, given && in_c && (array || strcmp(word, "arg") == 0), WISP_EINPUT,
                      "%s: '%s' is no line of a kernel's head", path, line.data));
    const bool alias = strcmp(kind, "alias") == 0;
    snprintf(pointer, sizeof pointer, "%s%s", in_c, alias ? " *" : "");
    CALL(array ? add_shared_array(err, env, name, in_c, count, *shared)
               : add_argument(err, env, name, pointer, alias || strcmp(kind, "value") == 0, strcmp(kind, "in") == 0));
    if (array) *shared += bytes * (size_t)count;
  }
  return wisp_env_int(err, env, "threads", *threads);
}

/* Texts of the folder that are inserted by their names. */
static wisp_status add_solver_parts(wisp_error *err, wisp_env *env)
{
  char name[64];
  int end = 0;
  for (size_t i = 0; i < wisp_embedded_count; i++) {
    const char *path = wisp_embedded_files[i].path;
    if (sscanf(path, "templates/solve/%63[a-z_].part%n", name, &end) != 1 || !end || path[end]) continue;
    CALL(wisp_env_file_text(err, env, name, wisp_embedded_files[i].text, path));
    end = 0;
  }
  return WISP_OK;
}

wisp_status wisp_dialect_source(wisp_error *err, const char *name, wisp_precision precision, const char *lines,
                                const char *dialect, bool gpu, wisp_text *out, size_t *shared_bytes)
{
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  char path[128], wrapper_path[128], symbol[64];
  unsigned block[3] = {0, 1, 1};
  snprintf(path, sizeof path, "templates/%s.k", name);
  snprintf(wrapper_path, sizeof wrapper_path, "templates/dialect/%s.k", dialect);
  snprintf(symbol, sizeof symbol, "wisp_%s", strchr(name, '/') + 1);
  const char *text = wisp_embedded_text(path), *wrapper = wisp_embedded_text(wrapper_path);
  CALL(wisp_require(err, text && wrapper, WISP_EMISSING, "%s is not in this library", text ? wrapper_path : path));
  CALL(wisp_env_create(err, NULL, &env));
  CALL(read_head(err, path, &text, env, &block[0], shared_bytes));
  const char *const texts[][2] = {{"spec", name},          {"layout", "none"},
                                  {"strategy", "one"},     {"title", path},
                                  {"params", ""},          {"symbol", symbol},
                                  {"lane", "threadIdx.x"}, {"real", precision == WISP_F32 ? "float" : "double"}};
  CALL(add_texts(err, env, WISP_COUNT(texts), texts, block, *shared_bytes));
  CALL(wisp_env_file_text(err, env, "body", text, path));
  CALL(wisp_env_int(err, env, "real_bytes", (int64_t)precision));
  CALL(wisp_env_int(err, env, "min_blocks", 0));
  CALL(wisp_env_int(err, env, "gpu", gpu));
  CALL(add_solver_parts(err, env));
  CALL(wisp_text_print(err, out, "%s", lines));
  return wisp_expand(err, wrapper_path, wrapper, env, out);
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
  CALL(GIVE(r, reals));
  return GIVE(n, ints);
}

wisp_status wisp_plan_prepare(wisp_error *err, wisp_plan *plan)
{
  for (int i = 0; i < plan->strategy->args; i++)
    if (plan->strategy->arg[i].kind == WISP_ARG_OPERAND && !plan->operand[i].reals && !plan->operand[i].ints)
      CALL(make(err, plan, i, &plan->operand[i].count, &plan->operand[i].reals, &plan->operand[i].ints));
  return WISP_OK;
}

wisp_status wisp_plan_operand(wisp_error *err, const wisp_plan *plan, int arg, size_t *count, double **reals,
                              int **ints)
{
  if (!plan->operand[arg].reals && !plan->operand[arg].ints) return make(err, plan, arg, count, reals, ints);
  *count = plan->operand[arg].count; /* of one of the two, the other is NULL */
  CALL(wisp_copy(err, plan->operand[arg].reals, *count * sizeof **reals, reals));
  return wisp_copy(err, plan->operand[arg].ints, *count * sizeof **ints, ints);
}
