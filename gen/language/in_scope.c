#include "../strategy/strategy.h"
#include "expr_tree.h"
#include "../family.h"

enum { NAME_WIDTH = 26 };

/* Does the list of names that a line begins with have this one? They end before two blanks. */
static bool names(const char *line, size_t length, const char *name)
{
  const size_t size = strlen(name);
  for (const char *at = line; at < line + length; at += strcspn(at, " ") + 1)
    if (strncmp(at, name, size) == 0 && (at[size] == ' ' || at[size] == '\n')) return true;
  return false;
}

/* The meaning of a name of the family or of the device; empty where their files have no line for it. */
static void print_meaning(const wisp_strategy *s, const char *name, char meaning[160])
{
  const char *const folders[] = {s->family, "dialect"};
  meaning[0] = '\0';
  for (size_t i = 0; i < 2 && !*meaning; i++) {
    const wisp_embedded *file = wisp_template_path_find(&s->template_path, folders[i], "names");
    const char *line = file ? file->text : NULL;
    for (; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
      const size_t length = strcspn(line, "\n");
      const char *gap = strstr(line, "  ");
      if (*line == '#' || !gap || gap > line + length || !names(line, (size_t)(gap - line), name)) continue;
      gap += strspn(gap, " ");
      snprintf(meaning, 160, "%.*s", (int)(line + length - gap), gap);
      break;
    }
  }
}

/* --- one line --- */

typedef struct listing {
  const wisp_plan *plan;
  wisp_text *out;
} listing;

static wisp_status print_line(wisp_error *err, wisp_text *out, const char *name, const char *value, const char *what)
{
  return wisp_text_print(err, out, *what ? "  %-*s  %-12s %s\n" : "  %-*s  %s\n", NAME_WIDTH, name, value, what);
}

static void print_value(const wisp_value *value, char text[32])
{
  static const char *const words[] = {
      [WISP_KIND_TEXT] = "bytes", [WISP_KIND_REALS] = "reals", [WISP_KIND_INTS] = "ints", [WISP_KIND_LIST] = "items"};
  if (value->kind == WISP_KIND_INT)
    snprintf(text, 32, "%lld", (long long)value->as.integer);
  else
    snprintf(text, 32, "%zu %s", value->count, value->kind < WISP_KIND_OTHER ? words[value->kind] : "");
}

/* A name of the space: a parameter's values, the expression of a let; empty: it is neither. */
static void print_origin(const wisp_strategy *s, const char *name, char text[160])
{
  int used = 0;
  text[0] = '\0';
  const int i = wisp_strategy_param(s, name, strlen(name));
  if (i < s->params) used = snprintf(text, 160, "parameter: ");
  for (int v = 0; i < s->params && v < s->param[i].count && used < 150; v++)
    used += snprintf(text + used, (size_t)(160 - used), "%s%d", v ? " " : "", s->param[i].values[v]);
  for (size_t l = 0; l < s->lets; l++)
    if (strcmp(s->let[l].name, name) == 0) snprintf(text, 160, "= %s", s->let[l].value.expr->text);
}

static wisp_status print_name(wisp_error *err, void *context, const char *name, const wisp_value *value)
{
  const listing *l = context;
  const wisp_strategy *s = l->plan->strategy;
  char number[32], what[160];
  print_value(value, number);
  print_origin(s, name, what);
  if (!*what) print_meaning(s, name, what);
  return print_line(err, l->out, name, number, what);
}

/* --- parts --- */

/* The comment that a part begins with, up to its first sentence's end. */
static void print_comment(const char *text, char comment[160])
{
  size_t length = 0;
  if (strncmp(text, "{{takes ", 8) == 0) text += strcspn(text, "\n") + 1;
  const char *at = strncmp(text, "{{!", 3) == 0 ? text + 3 + strspn(text + 3, " \n") : "";
  for (; *at && strncmp(at, "}}", 2) != 0 && strncmp(at, ". ", 2) != 0 && length < 150; at++)
    if (!strchr(" \n", *at) || (length && comment[length - 1] != ' ')) comment[length++] = *at == '\n' ? ' ' : *at;
  while (length && strchr(" .:", comment[length - 1])) length--;
  comment[length] = '\0';
}

static wisp_status print_parts(wisp_error *err, const listing *l)
{
  const wisp_template_path *template_path = &l->plan->strategy->template_path;
  for (size_t i = 0; i < template_path->count; i++) {
    char name[64], inserted[160], takes[64] = "", comment[160];
    const wisp_embedded *file = &template_path->files[i];
    if (!wisp_part_name(file, l->plan->strategy->family, name) && !wisp_part_name(file, WISP_SHARED_PARTS, name))
      continue;
    const char *line = strstr(file->text, "{{takes ");
    if (line) sscanf(line, "{{takes %63[^}]", takes);
    snprintf(inserted, sizeof inserted, "{{>%s%s%s%s}}", name, *takes ? " " : "", takes, *takes ? "=" : "");
    print_comment(file->text, comment);
    CALL(print_line(err, l->out, inserted, comment, ""));
  }
  return WISP_OK;
}

wisp_status wisp_plan_names(wisp_error *err, const wisp_plan *plan, wisp_text *out)
{
  listing l = {plan, out};
  CALL(wisp_text_print(err, out, "%s.%s, %s: the candidate's own\n", plan->strategy->family, plan->strategy->kernel,
                       plan->strategy->name));
  CALL(wisp_env_each(err, plan->env, print_name, &l));
  CALL(wisp_text_print(err, out, "\nthe family's and the device's\n"));
  CALL(wisp_env_each(err, plan->names, print_name, &l));
  CALL(wisp_text_print(err, out, "\nparts\n"));
  return print_parts(err, &l);
}
