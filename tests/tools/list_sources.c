/* list_sources <LIST: the source of each candidate of a list, as two numbers, for scripts/rehash.
 *
 * A line names a candidate by words: FAMILY.KERNEL STRATEGY SYSTEM ELEMENT ORDER PRECISION LAYOUT TARGET PARAMETERS;
 * "-" leaves the element, the layout or the parameters to the default. It is printed again with three words behind it:
 * the hash by which stores know its texts, a hash of its source without comments and margins, and its parameters; or
 * with "none" alone where there is no such candidate. Lines of one family, element, order, system, precision and target
 * that stand together are quicker. */
#include "../../gen/strategy/strategy.h"
#include "../../gen/text.h"
#include "../../runtime/kernel.h"
#include "../../tuner/search/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line's words. */
typedef struct line {
  char family[64], *kernel, strategy[64], system[64], element[64], precision[8], layout[64], target[32], params[512];
  int order;
} line;

static bool read_line(const char *text, line *l)
{
  if (sscanf(text, "%63s %63s %63s %63s %d %7s %63s %31s %511s", l->family, l->strategy, l->system, l->element,
             &l->order, l->precision, l->layout, l->target, l->params) != 9)
    return false;
  l->kernel = strchr(l->family, '.');
  if (!l->kernel) return false;
  *l->kernel++ = '\0';
  return true;
}

static bool is_given(const char *word)
{
  return strcmp(word, "-") != 0;
}

/* A hash of the lines that are neither comments nor empty, without their margins. */
static uint64_t hash_source(const char *text)
{
  uint64_t hash = 0;
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    const size_t margin = strspn(text, " ");
    if (margin < length && strncmp(text + margin, "//", 2) != 0) hash = wisp_hash(hash, text + margin, length - margin);
  }
  return hash;
}

static wisp_status open_scope(wisp_error *err, const line *l, wisp_scope *out)
{
  const wisp_family *family = wisp_family_find(l->family);
  const wisp_precision precision = strcmp(l->precision, "f64") == 0 ? WISP_F64 : WISP_F32;
  wisp_limits limits;
  CALL(wisp_require(err, family != NULL, WISP_EREFUSED, "there is no family '%s'", l->family));
  wisp_spec spec = wisp_family_spec(family, l->order, l->system, precision);
  if (is_given(l->element)) wisp_spec_name_element(&spec, l->element);
  CALL(wisp_family_check(err, &spec));
  CALL(wisp_target_limits(err, l->target, &limits));
  const wisp_target target = wisp_limits_target(&limits);
  return wisp_scope_create(err, family, &spec, &target, NULL, out);
}

/* The default candidate with the parameters of the line. */
static wisp_status make_plan(wisp_error *err, const line *l, const wisp_strategy *s, const wisp_scope *scope, int at,
                             wisp_plan **out)
{
  OWNED(wisp_plan_destroy) wisp_plan *preferred = NULL;
  char set[sizeof l->params];
  int values[WISP_MAX_PARAMS];
  const wisp_status status = wisp_plan_default(err, s, &scope->spec, &scope->layout[at], scope->names[at], &preferred);
  if (status != WISP_EREFUSED || !is_given(l->params)) CALL(status);
  for (int i = 0; i < s->params; i++) values[i] = preferred ? preferred->value[i] : s->param[i].preferred;
  snprintf(set, sizeof set, "%s", l->params);
  if (is_given(set)) CALL(wisp_strategy_values(err, s, set, false, NULL, values));
  return wisp_plan_create(err, s, &scope->spec, &scope->layout[at], scope->names[at], values, out);
}

/* The first layout that is asked for and gives a candidate. */
static wisp_status find_plan(wisp_error *err, const line *l, const wisp_strategies *all, wisp_scope *scope,
                             wisp_plan **out)
{
  wisp_spec_name_kernel(&scope->spec, l->kernel);
  for (size_t i = 0; i < all->count; i++) {
    const wisp_strategy *s = all->list[i];
    if (strcmp(s->family, l->family) || strcmp(s->kernel, l->kernel) || strcmp(s->name, l->strategy)) continue;
    for (int at = 0; at < scope->layouts; at++) {
      char layout[WISP_LAYOUT_TEXT];
      wisp_layout_print(&scope->layout[at], layout);
      if (is_given(l->layout) && strcmp(l->layout, layout) != 0) continue;
      const wisp_status status = make_plan(err, l, s, scope, at, out);
      if (status != WISP_EREFUSED) return status;
    }
  }
  return wisp_fail(err, WISP_EREFUSED, "no layout has this candidate");
}

static wisp_status print_source(wisp_error *err, const line *l, const wisp_strategies *all, wisp_scope *scope)
{
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  HELD(wisp_text_free) wisp_text source = {0};
  const char *dialect = strcmp(l->target, "host") == 0 ? "host" : "cuda";
  char hash[20];
  CALL(find_plan(err, l, all, scope, &plan));
  CALL(wisp_plan_source(err, plan, dialect, &source));
  wisp_plan_hash(plan, dialect, hash);
  printf(" %s %016" PRIx64 " ", hash, hash_source(source.data));
  for (int i = 0; i < plan->strategy->params; i++)
    printf("%s%s=%d", i ? "," : "", plan->strategy->param[i].name, plan->value[i]);
  puts(plan->strategy->params ? "" : "-");
  return WISP_OK;
}

/* Are both of one scope? */
static bool match(const line *a, const line *b)
{
  return strcmp(a->family, b->family) == 0 && strcmp(a->system, b->system) == 0 &&
         strcmp(a->element, b->element) == 0 && a->order == b->order && strcmp(a->precision, b->precision) == 0 &&
         strcmp(a->target, b->target) == 0;
}

int main(void)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  HELD(wisp_scope_free) wisp_scope scope = {0};
  wisp_error err = {.text = ""};
  wisp_status opened = WISP_EREFUSED;
  line before = {.order = -1}, now;
  char text[1024];
  if (wisp_strategies_load(&err, &all) != WISP_OK) return fprintf(stderr, "list_sources: %s\n", err.text), 1;
  while (fgets(text, sizeof text, stdin)) {
    text[strcspn(text, "\n")] = '\0';
    if (!read_line(text, &now)) return fprintf(stderr, "list_sources: not nine words: %s\n", text), 2;
    if (!match(&before, &now)) {
      wisp_scope_free(&scope);
      scope = (wisp_scope){0};
      opened = open_scope(&err, &now, &scope);
    }
    before = now;
    printf("%s", text);
    if (opened != WISP_OK || print_source(&err, &now, all, &scope) != WISP_OK) puts(" none");
  }
  return 0;
}
