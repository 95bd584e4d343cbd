/* wisp emit: any candidate's source; or what there is to choose from. */
#include "cli.h"
#include "../runtime/api/contract.h"
#include "../tuner/search/search.h"

typedef struct request {
  const wisp_arguments *args;
  const wisp_family *family;
  wisp_spec spec;
  const char *strategy, *dialect;
  wisp_target target;
} request;

enum { MOST_DIALECTS = 8 };

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, request *out)
{
  const char *dialects[MOST_DIALECTS], *targets[MOST_DIALECTS];
  char words[256] = "";
  const char *family = wisp_option_family(args), *target = wisp_option_value(args, "target");
  const char *system = wisp_option_value(args, "system"), *kernel = wisp_option_value(args, "kernel");
  const char *element = wisp_option_value(args, "element");
  long long order = 0;
  size_t dialect = 0, count = 0, usual = 0;
  wisp_precisions precisions;
  wisp_limits limits;
  out->args = args;
  out->family = wisp_family_find(family);
  CALL(wisp_option_known(err, args));
  CALL(wisp_option_integer(err, args, "orders", 1, WISP_HIGHEST_ORDER, 3, &order));
  CALL(wisp_option_precisions(err, args, "precision", "f32", &precisions));
  while (count < MOST_DIALECTS && (dialects[count] = wisp_dialect_at(count, &targets[count]))) count++;
  for (size_t i = 0, length = 0; i < count; i++) {
    length += (size_t)snprintf(words + length, sizeof words - length, "%s%s", i ? " " : "", dialects[i]);
    if (target && strcmp(dialects[i], wisp_target_dialect(target)) == 0) usual = i;
  }
  CALL(wisp_option_choice(err, args, "dialect", words, usual, &dialect));
  CALL(wisp_target_documented(err, target ? target : targets[dialect], &limits));
  out->target = wisp_limits_target(&limits);
  out->dialect = dialects[dialect];
  out->strategy = wisp_option_value(args, "strategy");
  out->spec = wisp_family_spec(out->family, (int)order, system, precisions.list[0]);
  if (element) wisp_spec_name_element(&out->spec, element);
  CALL(wisp_family_check(err, &out->spec));
  wisp_spec_name_kernel(&out->spec, kernel ? kernel : "");
  return WISP_OK;
}

/* --- the list --- */

static void print_params(const wisp_strategy *s)
{
  char line[WISP_MAX_PARAMS * 256] = "";
  size_t used = 0;
  for (int i = 0; i < s->params && used < sizeof line - 256; i++) {
    const wisp_param *p = &s->param[i];
    used += (size_t)snprintf(line + used, sizeof line - used, "%s%s=", i ? " " : "", p->name);
    for (int v = 0; v < p->count && used < sizeof line - 16; v++)
      used += (size_t)snprintf(line + used, sizeof line - used, "%s%d%s", v ? "," : "", p->values[v],
                               p->values[v] == p->preferred ? "*" : "");
  }
  wisp_help_wrap(stdout, line, printf("    "), 4);
  for (const wisp_constant *c = s->constant; c < s->constant + s->constants; c++)
    wisp_help_wrap(stdout, c->reason, printf("    %s=%s: ", c->name, c->text), 8);
}

/* Prints the number of candidates in each layout, or why there are none. */
static void print_counts(const wisp_search *search)
{
  const wisp_scope *scope = search->scope;
  for (int l = 0; l < scope->layouts; l++) {
    char layout[WISP_LAYOUT_TEXT];
    size_t legal = 0;
    long long refused = 0;
    const char *reason = "";
    for (size_t i = 0; i < search->count; i++) legal += search->candidates[i].layout == l;
    for (size_t i = 0; i < search->refusals; i++)
      if (search->refusal[i].layout == l) refused += search->refusal[i].count, reason = search->refusal[i].reason;
    wisp_layout_print(&scope->layout[l], layout);
    if (legal)
      printf("    %-20s %zu legal, %lld refused\n", layout, legal, refused);
    else
      wisp_help_wrap(stdout, reason, printf("    %-20s not applicable: ", layout), 25);
  }
}

/* Is it a strategy of the kernel, and the one that was asked for? */
static bool is_asked(const request *w, const wisp_strategy *s, const char *kernel)
{
  return strcmp(s->family, w->family->name) == 0 && strcmp(s->kernel, kernel) == 0 &&
         (!w->strategy || strcmp(s->name, w->strategy) == 0);
}

static wisp_status print_list(wisp_error *err, const wisp_strategies *all, wisp_scope *scope, const request *w)
{
  size_t listed = 0;
  for (const wisp_kernel_decl *k = w->family->kernels; k->name; k++)
    for (size_t i = 0; i < all->count; i++) listed += is_asked(w, all->list[i], k->name);
  CALL(wisp_require(err, listed || !w->strategy, WISP_EUSAGE,
                    "there is no strategy '%s' for %s: 'wisp emit -f %s' lists them", w->strategy, w->family->name,
                    w->family->name));
  printf("family %s, order %d, system %s, %s; * marks default values\n", w->family->name, w->spec.order, w->spec.system,
         wisp_precision_name(w->spec.precision));
  for (const wisp_kernel_decl *k = w->family->kernels; k->name; k++) {
    bool first = true;
    for (size_t i = 0; i < all->count; i++) {
      if (!is_asked(w, all->list[i], k->name)) continue;
      if (first) printf("\n%s\n", k->name);
      first = false;
      wisp_spec_name_kernel(&scope->spec, k->name);
      const wisp_strategy *s = all->list[i];
      HELD(wisp_search_free) wisp_search search = {0};
      CALL(wisp_search_create(err, all, scope, s->name, 1, &search));
      wisp_help_wrap(stdout, s->title, printf("  %-20s ", s->name), 23);
      if (s->varies) printf("    adds up in no fixed order: the last bits differ from launch to launch\n");
      if (s->ordered) printf("    the order of the elements changes the last bits\n");
      print_params(s);
      print_counts(&search);
    }
  }
  return WISP_OK;
}

/* --- one candidate --- */

/* The default candidate, changed by --set. */
static wisp_status make_plan(wisp_error *err, const request *w, const wisp_strategy *s, const wisp_scope *scope,
                             int layout, wisp_plan **out)
{
  OWNED(wisp_plan_destroy) wisp_plan *preferred = NULL;
  wisp_error why = {0};
  const char *set = wisp_option_value(w->args, "set");
  int values[WISP_MAX_PARAMS];
  const wisp_status status =
      wisp_plan_default(err, s, &scope->spec, &scope->layout[layout], scope->names[layout], &preferred);
  if (status != WISP_EREFUSED || !set) CALL(status);
  for (int i = 0; i < s->params; i++) values[i] = preferred ? preferred->value[i] : s->param[i].preferred;
  CALL(wisp_require(err, !set || wisp_strategy_values(&why, s, set, false, NULL, values) == WISP_OK, WISP_EUSAGE,
                    "--set %s", why.text));
  return wisp_plan_create(err, s, &scope->spec, &scope->layout[layout], scope->names[layout], values, out);
}

/* The first strategy and layout that give a candidate; the last reason where none does. */
static wisp_status find_plan(wisp_error *err, const wisp_strategies *all, const wisp_scope *scope, const request *w,
                             wisp_plan **out)
{
  wisp_status status =
      w->strategy ? wisp_fail(err, WISP_EUSAGE, "there is no strategy '%s' for %s: 'wisp emit -f %s' lists them",
                              w->strategy, scope->spec.kernel, w->family->name)
                  : wisp_family_refuse_kernel(err, w->family, scope->spec.kernel);
  for (size_t i = 0; i < all->count; i++) {
    const wisp_strategy *s = all->list[i];
    if (!is_asked(w, s, scope->spec.kernel)) continue;
    for (int l = 0; l < scope->layouts; l++) {
      wisp_error reason = {0};
      wisp_status tried = make_plan(&reason, w, s, scope, l, out);
      if (tried == WISP_OK) return WISP_OK;
      if (wisp_strategy_reads(s, &scope->layout[l]) || status != WISP_EREFUSED)
        status = wisp_fail(err, tried, "%s", reason.text);
      if (tried != WISP_EREFUSED) return status;
    }
  }
  return status;
}

/* note: about older names in --set. */
static wisp_status emit(wisp_error *err, const wisp_strategies *all, const wisp_scope *scope, const request *w,
                        wisp_text *note)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  OWNED(wisp_contract_destroy) wisp_contract *contract = NULL;
  HELD(wisp_text_free) wisp_text source = {0};
  char hash[20];
  int values[WISP_MAX_PARAMS];
  const char *operands = wisp_option_value(w->args, "operands"), *set = wisp_option_value(w->args, "set");
  CALL(find_plan(err, all, scope, w, &plan));
  if (set) CALL(wisp_strategy_values(err, plan->strategy, set, false, note, values));
  CALL(wisp_contract_create(err, plan, &contract));
  if (operands) CALL(wisp_contract_write(err, contract, operands));
  wisp_plan_hash(plan, w->dialect, hash);
  if (wisp_option_given(w->args, "hash"))
    CALL(wisp_text_print(err, &source, "%s\n", hash));
  else if (wisp_option_given(w->args, "json"))
    CALL(wisp_contract_print(err, contract, w->dialect, &source));
  else
    CALL(wisp_option_given(w->args, "names") ? wisp_plan_names(err, plan, &source)
                                             : wisp_plan_source(err, plan, w->dialect, &source));
  fwrite(source.data, 1, source.length, stdout);
  return WISP_OK;
}

static wisp_status act(wisp_error *err, wisp_arguments *args)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  HELD(wisp_scope_free) wisp_scope scope = {0};
  HELD(wisp_text_free) wisp_text note = {0};
  request w;
  CALL(wisp_option_rename_strategy(err, args));
  CALL(read_request(err, args, &w));
  CALL(wisp_strategies_load(err, &all));
  if (all->warning.length) wisp_cli_warn(args, all->warning.data);
  CALL(wisp_scope_create(err, w.family, &w.spec, &w.target, wisp_option_value(args, "layout"), &scope));
  if (!*w.spec.kernel) return print_list(err, all, &scope, &w);
  CALL(emit(err, all, &scope, &w, &note));
  if (note.length) wisp_cli_warn(args, note.data);
  return WISP_OK;
}

const wisp_syntax wisp_emit_syntax = {.page = "emit", .act = act};
