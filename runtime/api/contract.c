#include "contract.h"
#include "../../gen/language/expr_tree.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <limits.h>

/* --- sizes as texts --- */

/* An expression with the plan's integers as numbers, so that counts are left: "groups*n*NpM" as "groups*6*144". */
static wisp_status print_size(wisp_error *err, const wisp_plan *plan, const char *text, wisp_text *out)
{
  for (const char *at = text; *at;) {
    size_t length = 1;
    char name[64] = "";
    int64_t value = 0;
    while (isalpha((unsigned char)*at) && (isalnum((unsigned char)at[length]) || at[length] == '_')) length++;
    if (isalpha((unsigned char)*at)) snprintf(name, sizeof name, "%.*s", (int)length, at);
    if (*name && wisp_env_get_int(plan->env, name, &value))
      CALL(wisp_text_print(err, out, value < 0 ? "(%lld)" : "%lld", (long long)value));
    else
      CALL(wisp_text_add(err, out, at, length));
    at += length;
  }
  return WISP_OK;
}

/* --- arguments --- */

/* An array that the kernel has a name of its own for is the first that it reads. */
static const wisp_array_decl *array_of(const wisp_contract *c, const char *name)
{
  char first[32] = "";
  if (c->kernel->alias && strcmp(c->kernel->alias, name) == 0) sscanf(c->kernel->reads, "%31s", first);
  return wisp_family_array(c->family, *first ? first : name);
}

static wisp_status describe_argument(wisp_error *err, wisp_contract *c, int i)
{
  static const wisp_argument_kind kinds[] = {[WISP_ARG_IN] = WISP_ARGUMENT_IN,
                                             [WISP_ARG_OUT] = WISP_ARGUMENT_OUT,
                                             [WISP_ARG_INOUT] = WISP_ARGUMENT_INOUT,
                                             [WISP_ARG_VALUE] = WISP_ARGUMENT_SCALAR,
                                             [WISP_ARG_OPERAND] = WISP_ARGUMENT_OPERAND};
  const bool single = c->plan->spec.precision == WISP_F32;
  const wisp_number_kind numbers[] = {[WISP_REAL] = single ? WISP_NUMBER_FLOAT : WISP_NUMBER_DOUBLE,
                                      [WISP_INT] = WISP_NUMBER_INT,
                                      [WISP_SINGLE] = WISP_NUMBER_FLOAT,
                                      [WISP_UINT8] = WISP_NUMBER_UINT8,
                                      [WISP_UINT16] = WISP_NUMBER_UINT16};
  const wisp_arg *arg = &c->plan->strategy->arg[i];
  const wisp_array_decl *array = array_of(c, arg->name);
  const wisp_expr *operand = c->plan->strategy->operand[i].count.expr;
  const char *size = arg->kind == WISP_ARG_OPERAND ? operand->text
                     : arg->kind == WISP_ARG_VALUE ? "0"
                     : array                       ? array->size
                                                   : NULL;
  CALL(wisp_require(err, size, WISP_EUSAGE, "argument %s: no array of the %s family", arg->name, c->family->name));
  CALL(print_size(err, c->plan, size, &c->size[i]));
  const char *meaning = arg->kind == WISP_ARG_OPERAND ? "a matrix of the element, packed as this kernel reads it"
                        : arg->kind != WISP_ARG_VALUE && array ? array->meaning
                                                               : "";
  for (const wisp_scalar_decl *s = c->family->scalars; arg->kind == WISP_ARG_VALUE && s && s->name; s++)
    if (strcmp(s->name, arg->name) == 0) meaning = s->meaning;
  c->argument[i] = (wisp_argument){.name = arg->name,
                                   .meaning = meaning,
                                   .kind = kinds[arg->kind],
                                   .number = numbers[arg->type],
                                   .size = c->size[i].data};
  return WISP_OK;
}

wisp_status wisp_contract_create(wisp_error *err, const wisp_plan *plan, wisp_contract **out)
{
  OWNED(wisp_contract_destroy) wisp_contract *c = NULL;
  CALL(wisp_new(err, 1, sizeof *c, &c));
  c->plan = plan;
  c->family = wisp_family_find(plan->spec.family);
  c->kernel = wisp_family_kernel(c->family, plan->spec.kernel);
  c->arguments = plan->strategy->args;
  for (int i = 0; i < c->arguments; i++) CALL(describe_argument(err, c, i));
  return GIVE(c, out);
}

void wisp_contract_destroy(wisp_contract *c)
{
  if (!c) return;
  for (int i = 0; i < WISP_MAX_ARGS; i++) wisp_text_free(&c->size[i]);
  free(c);
}

wisp_status wisp_contract_find(wisp_error *err, const wisp_contract *c, const char *argument, int *i)
{
  for (*i = 0; argument && *i < c->arguments; ++*i)
    if (strcmp(c->argument[*i].name, argument) == 0) return WISP_OK;
  return wisp_fail(err, WISP_EUSAGE, "%s (%s) has no argument '%s'", c->plan->symbol, c->plan->strategy->name,
                   argument ? argument : "NULL");
}

/* --- counts --- */

static bool is_name_part(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* Whether an expression has this name. */
static bool names_count(const char *expression, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = expression; (at = strstr(at, name)); at++)
    if (!is_name_part(at[length]) && (at == expression || !is_name_part(at[-1]))) return true;
  return false;
}

/* Sizes of the family's arrays use it, or this kernel's grid, or it is a number that kernels take. */
static bool is_count(const wisp_contract *c, const char *name)
{
  if (!*name || wisp_list_has("elements groups first", name)) return *name != '\0';
  for (const wisp_array_decl *a = c->family->arrays; a->name; a++)
    if (names_count(a->size, name)) return true;
  for (const wisp_scalar_decl *s = c->family->scalars; s && s->name; s++)
    if (strcmp(s->name, name) == 0) return true;
  for (int i = 0; i < 2; i++)
    if (c->plan->strategy->grid[i].expr && names_count(c->plan->strategy->grid[i].expr->text, name)) return true;
  return false;
}

static wisp_status check_count(wisp_error *err, const wisp_contract *c, const wisp_count *counts, const wisp_count *n)
{
  int64_t own = 0;
  CALL(wisp_require(err, is_count(c, n->name), WISP_EUSAGE,
                    "count '%s': the %s family's sizes have no such count: leave it out", n->name, c->family->name));
  for (const wisp_count *other = counts; other < n; other++)
    CALL(wisp_require(err, strcmp(other->name, n->name) != 0, WISP_EUSAGE,
                      "count '%s' is there twice: leave one of them out", n->name));
  return wisp_require(err, !wisp_env_get_int(c->plan->env, n->name, &own) || (size_t)own == n->value, WISP_EUSAGE,
                      "count '%s' is %zu, and %lld in %s: leave it out", n->name, n->value, (long long)own,
                      c->plan->symbol);
}

wisp_status wisp_contract_check(wisp_error *err, const wisp_contract *c, const wisp_count *counts)
{
  for (const wisp_count *n = counts; n && n->name; n++) CALL(check_count(err, c, counts, n));
  return WISP_OK;
}

wisp_status wisp_contract_counts(wisp_error *err, const wisp_contract *c, const wisp_count *counts, wisp_env **out)
{
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  int64_t elements = 0;
  CALL(wisp_require(err, counts, WISP_EUSAGE, "%s: no counts: say how many elements there are", c->plan->symbol));
  CALL(wisp_env_create(err, c->plan->env, &env));
  for (const wisp_count *n = counts; n->name; n++) {
    CALL(wisp_require(err, n->value <= INT_MAX, WISP_EUSAGE,
                      "%s: %zu %s are more than kernels can count (2.1e9): take fewer elements", c->plan->symbol,
                      n->value, n->name));
    CALL(wisp_env_int(err, env, n->name, (int64_t)n->value));
  }
  if (!wisp_env_has(env, "first")) CALL(wisp_env_int(err, env, "first", 0));
  if (!wisp_env_has(env, "groups")) {
    CALL(wisp_require(err, wisp_env_get_int(env, "elements", &elements), WISP_EUSAGE,
                      "%s: neither elements nor groups are counted", c->plan->symbol));
    CALL(wisp_env_int(err, env, "groups", (elements + c->plan->layout.KM - 1) / c->plan->layout.KM));
  } else if (!wisp_env_has(env, "elements")) {
    wisp_env_get_int(env, "groups", &elements);
    CALL(wisp_env_int(err, env, "elements", elements * c->plan->layout.KM));
  }
  return GIVE(env, out);
}

wisp_status wisp_contract_size(wisp_error *err, const wisp_contract *c, int i, const wisp_env *counts, size_t *numbers)
{
  int64_t value = 0;
  const wisp_status status = wisp_eval_int(err, c->argument[i].size, counts, &value);
  if (status != WISP_OK) return wisp_context(err, status, "%s of %s: ", c->argument[i].name, c->plan->symbol);
  *numbers = (size_t)value;
  return WISP_OK;
}

wisp_status wisp_contract_grid(wisp_error *err, const wisp_contract *c, const wisp_env *counts, unsigned grid[2])
{
  int64_t groups = 0;
  wisp_env_get_int(counts, "groups", &groups);
  grid[0] = grid[1] = 0; /* nothing to do */
  if (!groups) return WISP_OK;
  return wisp_plan_grid_in(err, c->plan, counts, grid);
}

/* --- layout --- */

wisp_field_layout wisp_contract_layout(const wisp_contract *c)
{
  const wisp_layout *l = &c->plan->layout;
  const bool slab = l->order == WISP_ELEMENT_FASTEST;
  int64_t fields = 1;
  wisp_env_get_int(c->plan->env, "n", &fields);
  return (wisp_field_layout){.fields = (size_t)fields,
                             .nodes = (size_t)l->Np,
                             .per_group = (size_t)l->KM,
                             .stride = (size_t)l->NpM,
                             .element_stride = slab ? 1 : (size_t)l->Np,
                             .node_stride = slab ? (size_t)l->KM : 1};
}

const char *wisp_contract_field(const wisp_contract *c, size_t f)
{
  const wisp_value *fields = NULL, *name = NULL;
  wisp_status status = wisp_env_get(NULL, c->plan->env, "fields", WISP_KIND_LIST, &fields);
  if (fields && f < fields->count) status = wisp_env_get(NULL, fields->as.items[f], "name", WISP_KIND_TEXT, &name);
  return status == WISP_OK && name ? name->as.text : NULL;
}

/* --- as JSON --- */

static wisp_status add_argument(wisp_error *err, cJSON *list, const wisp_contract *c, int i)
{
  static const char *const kinds[] = {"in", "out", "inout", "operand", "scalar"};
  static const char *const numbers[] = {"int", "float", "double", "uint8", "uint16"};
  const wisp_argument *a = &c->argument[i];
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "name", a->name);
  cJSON_AddStringToObject(object, "kind", kinds[a->kind]);
  cJSON_AddStringToObject(object, "number", numbers[a->number]);
  if (a->kind != WISP_ARGUMENT_SCALAR) cJSON_AddStringToObject(object, "size", a->size);
  cJSON_AddStringToObject(object, "meaning", a->meaning);
  return wisp_require(err, cJSON_AddItemToArray(list, object), WISP_EMEMORY, "out of memory: the launch contract");
}

static void add_layout(cJSON *object, const wisp_contract *c)
{
  const wisp_field_layout l = wisp_contract_layout(c);
  const struct {
    const char *name;
    size_t value;
  } numbers[] = {{"fields", l.fields},
                 {"nodes", l.nodes},
                 {"per_group", l.per_group},
                 {"stride", l.stride},
                 {"element_stride", l.element_stride},
                 {"node_stride", l.node_stride}};
  char name[WISP_LAYOUT_TEXT];
  cJSON *layout = cJSON_AddObjectToObject(object, "layout"), *fields = cJSON_AddArrayToObject(object, "fields");
  for (size_t f = 0; wisp_contract_field(c, f); f++)
    cJSON_AddItemToArray(fields, cJSON_CreateString(wisp_contract_field(c, f)));
  wisp_layout_print(&c->plan->layout, name);
  cJSON_AddStringToObject(layout, "name", name);
  for (size_t i = 0; i < WISP_COUNT(numbers); i++)
    cJSON_AddNumberToObject(layout, numbers[i].name, (double)numbers[i].value);
  cJSON_AddStringToObject(layout, "address",
                          "(k / per_group * fields + f) * stride + k % per_group * element_stride + i * node_stride");
}

static wisp_status add_grid(wisp_error *err, cJSON *object, const wisp_contract *c)
{
  HELD(wisp_text_free) wisp_text text = {0};
  cJSON *block = cJSON_AddArrayToObject(object, "block"), *grid = cJSON_AddArrayToObject(object, "grid");
  for (int i = 0; i < 3; i++) cJSON_AddItemToArray(block, cJSON_CreateNumber(c->plan->block[i]));
  for (int i = 0; i < 2; i++) {
    const wisp_expr *blocks = c->plan->strategy->grid[i].expr;
    CALL(print_size(err, c->plan, blocks ? blocks->text : "1", &text));
    cJSON_AddItemToArray(grid, cJSON_CreateString(text.data));
    wisp_text_free(&text);
  }
  return WISP_OK;
}

wisp_status wisp_contract_print(wisp_error *err, const wisp_contract *c, const char *dialect, wisp_text *out)
{
  wisp_status status = WISP_OK;
  char spec[WISP_SPEC_TEXT], *text = NULL;
  cJSON *object = cJSON_CreateObject();
  wisp_spec_print(&c->plan->spec, spec);
  cJSON_AddStringToObject(object, "spec", spec);
  cJSON_AddStringToObject(object, "strategy", c->plan->strategy->name);
  cJSON_AddStringToObject(object, "params", c->plan->params);
  cJSON_AddStringToObject(object, "dialect", dialect);
  cJSON_AddStringToObject(object, "symbol", c->plan->symbol);
  cJSON *arguments = cJSON_AddArrayToObject(object, "arguments");
  for (int i = 0; i < c->arguments; i++) TRY(add_argument(err, arguments, c, i));
  add_layout(object, c);
  TRY(add_grid(err, object, c));
  cJSON_AddNumberToObject(object, "shared_bytes", (double)c->plan->shared);
  text = cJSON_Print(object);
  TRY(wisp_require(err, text, WISP_EMEMORY, "out of memory: the launch contract"));
  TRY(wisp_text_add_json(err, out, text));
  TRY(wisp_text_print(err, out, "\n"));
done:
  cJSON_free(text);
  cJSON_Delete(object);
  return status;
}

/* --- operands --- */

wisp_status wisp_contract_write(wisp_error *err, const wisp_contract *c, const char *folder)
{
  static const char *const endings[] = {"i32", "f32", "f64"};
  char path[1024];
  OWNED(free) void *data = NULL;
  size_t bytes = 0;
  for (int i = 0; i < c->arguments; i++) {
    const wisp_argument *a = &c->argument[i];
    if (a->kind != WISP_ARGUMENT_OPERAND) continue;
    CALL(wisp_plan_pack(err, c->plan, i, &data, &bytes));
    snprintf(path, sizeof path, "%s/%s.%s", folder, a->name, endings[a->number]);
    const wisp_text content = {.data = data, .length = bytes};
    CALL(wisp_write_file(err, path, wisp_fill_text, &content));
    free(data);
    data = NULL;
  }
  return WISP_OK;
}
