#include "options.h"
#include "../gen/environment.h"
#include "../gen/strategy/renamed.h"
#include "../runtime/solve/solver.h"

#include <errno.h>
#include <unistd.h>

enum { LONGEST = 32 };

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* Letters to change, add, leave out or swap with their neighbour to make one text of the other, both at most LONGEST.
 */
static size_t distance(const char *a, size_t m, const char *b, size_t n)
{
  size_t d[LONGEST + 1][LONGEST + 1];
  for (size_t i = 0; i <= m; i++) d[i][0] = i;
  for (size_t k = 0; k <= n; k++) d[0][k] = k;
  for (size_t i = 1; i <= m; i++)
    for (size_t k = 1; k <= n; k++) {
      d[i][k] = least(least(d[i - 1][k], d[i][k - 1]) + 1, d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
    }
  return d[m][n];
}

wisp_suggestion wisp_suggest(const char *typed)
{
  return (wisp_suggestion){typed, NULL, 0};
}

/* A third of the letters may be wrong; the beginning of a name stands for the name. */
void wisp_suggest_one(wisp_suggestion *s, const char *name)
{
  size_t m = strcspn(s->typed, "="), n = strlen(name), d;
  if (m < 2 || m > LONGEST || n > LONGEST) return;
  d = strncmp(s->typed, name, m) == 0 ? 1 : distance(s->typed, m, name, n);
  if (3 * d > m + 1 || (s->best && d >= s->distance)) return;
  s->best = name;
  s->distance = d;
}

const char *wisp_suggestion_text(const wisp_suggestion *s, const char *before, char text[64])
{
  text[0] = '\0';
  if (s->best) snprintf(text, 64, " did you mean %s%s?", before, s->best);
  return text;
}

/* ---- Reading. */

/* Which option an argument names, by length characters of a long name or by a letter; -1: none. */
static int find(const wisp_help *help, const char *name, size_t length, char letter)
{
  for (size_t i = 0; i < help->count; i++) {
    const wisp_option *option = &help->option[i];
    if (name ? strlen(option->name) == length && strncmp(option->name, name, length) == 0 : option->letter == letter)
      return (int)i;
  }
  return -1;
}

/* Nobody's option: which one may have been meant? */
static wisp_status no_such_option(wisp_error *err, const wisp_help *help, const char *text)
{
  char name[64], meant[64];
  wisp_suggestion suggestion = wisp_suggest(text[1] == '-' ? text + 2 : "");
  for (size_t i = 0; i < help->count; i++) wisp_suggest_one(&suggestion, help->option[i].name);
  wisp_help_name(help, name);
  return wisp_fail(err, WISP_EUSAGE, "there is no option '%s':%s '%s --help' lists them", text,
                   wisp_suggestion_text(&suggestion, "--", meant), name);
}

/* Long names of the last release, which are accepted with a note. */
static const struct {
  const char *old, *now;
} renamed[] = {{"every-way", "alternatives"}};

static int find_long(const wisp_arguments *args, const char *name, size_t length)
{
  char text[128];
  for (size_t i = 0; i < WISP_COUNT(renamed); i++) {
    const int now = find(&args->help, renamed[i].now, strlen(renamed[i].now), 0);
    if (now < 0 || strlen(renamed[i].old) != length || strncmp(renamed[i].old, name, length) != 0) continue;
    snprintf(text, sizeof text, WISP_MESSAGE("option --%s is now --%s"), renamed[i].old, renamed[i].now);
    wisp_cli_warn(args, text);
    return now;
  }
  return find(&args->help, name, length, 0);
}

/* Reads the option at argv[*at], and its value where that is the next argument. */
static wisp_status read_option(wisp_error *err, int argc, char **argv, int *at, wisp_arguments *out)
{
  const char *text = argv[*at], *value = NULL;
  int index;
  if (text[1] == '-') {
    size_t length = strcspn(text + 2, "=");
    index = find_long(out, text + 2, length);
    if (text[2 + length]) value = text + 3 + length;
  } else {
    index = find(&out->help, NULL, 0, text[1]);
    if (text[2]) value = text + 2 + (text[2] == '=');
  }
  if (index < 0) return no_such_option(err, &out->help, text);
  const wisp_option *option = &out->help.option[index];
  if (!option->argument && value)
    return wisp_fail(err, WISP_EUSAGE, "option --%s takes no value, but '%s' gives one", option->name, text);
  if (option->argument && !value && *at + 1 < argc) value = argv[++*at];
  if (option->argument && !value)
    return wisp_fail(err, WISP_EUSAGE, "option %s needs a value: %s", text, option->argument);
  out->values[index] = value ? value : "";
  return WISP_OK;
}

/* --help ends the reading: it is printed, and *helped says so. */
static wisp_status read_arguments(wisp_error *err, int argc, char **argv, wisp_arguments *out, bool *helped)
{
  const wisp_syntax *syntax = out->syntax;
  bool only_operands = false;
  for (int at = 1; at < argc; at++) {
    char *text = argv[at];
    if (only_operands || text[0] != '-' || !text[1])
      out->operands[out->operand_count++] = text;
    else if (strcmp(text, "--") == 0)
      only_operands = true;
    else
      CALL(read_option(err, argc, argv, &at, out));
    *helped = wisp_option_given(out, "help");
    if (!*helped) continue;
    wisp_help_print(&out->help, out->operand_count ? out->operands[0] : argv[at + 1]);
    return WISP_OK;
  }
  const bool fits = syntax->most_operands < 0 || out->operand_count <= syntax->most_operands;
  CALL(wisp_require(err, fits, WISP_EUSAGE, "'%s' is one argument too many: 'wisp %s --help' shows the use",
                    out->operands[syntax->most_operands], out->command));
  return wisp_help_check(err, &out->help, out->operand_count ? out->operands[0] : NULL, out->values);
}

/* The text may quote what a file holds. */
static void print_line(const wisp_arguments *args, const char *kind, const char *text, size_t length)
{
  char line[4 * sizeof((wisp_error *)0)->text], shown[4 * sizeof line];
  snprintf(line, sizeof line, "%.*s", (int)length, text);
  wisp_show_text(line, shown, sizeof shown);
  fprintf(stderr, "wisp %s: %s%s\n", args->command, kind, shown);
}

/* A store that a variable names and that is not there: a slip, or not made yet. "" where all are there, or none is
 * read.
 */
static void list_missing_stores(const wisp_arguments *args, char *text, size_t size)
{
  const char *const variables[] = {wisp_option_given(args, "db") ? "" : "WISP_DB", "WISP_SITE_DB"};
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; find(&args->help, "db", 2, 0) >= 0 && i < WISP_COUNT(variables); i++) {
    const char *path = getenv(variables[i]);
    if (!path || !*path || access(path, F_OK) == 0 || used >= size) continue;
    used += (size_t)snprintf(text + used, size - used,
                             WISP_MESSAGE("%s%s is '%s': %s: correct it, or fill it by wisp tune"), used ? "; " : "",
                             variables[i], path, strerror(errno));
  }
}

/* That a store is not there is worth a note, and may be why something is missing. */
static int end_command(const wisp_arguments *args, wisp_status status, const wisp_error *err)
{
  char missing[512];
  list_missing_stores(args, missing, sizeof missing);
  if (status == WISP_OK) {
    if (*missing) wisp_cli_warn(args, missing);
    return args->exit_status;
  }
  fflush(stdout); /* what was printed before stays before */
  bool why = status == WISP_EMISSING && *missing;
  char text[sizeof err->text + sizeof missing];
  int length = snprintf(text, sizeof text, "%s%s%s", err->text, why ? "; " : "", why ? missing : "");
  print_line(args, "", text, (size_t)length);
  return status == WISP_EUSAGE ? 2 : 1;
}

int wisp_cli_run_command(const wisp_syntax *syntax, int argc, char **argv)
{
  HELD(wisp_text_free) wisp_text input = {0};
  wisp_arguments args = {.syntax = syntax, .command = argv[0], .operands = argv + 1, .input = &input};
  wisp_error err = {.text = ""};
  bool helped = false;
  wisp_status status = wisp_help_read(&err, syntax->page, syntax->subject, syntax->more, &args.help);
  if (status == WISP_OK) status = read_arguments(&err, argc, argv, &args, &helped);
  if (status == WISP_OK && !helped) status = wisp_environment_check(&err);
  if (status == WISP_OK && !helped) status = syntax->act(&err, &args);
  const int exit_status = helped ? 0 : end_command(&args, status, &err);
  wisp_text_free(&args.help.text);
  return exit_status;
}

void wisp_cli_warn(const wisp_arguments *args, const char *text)
{
  if (wisp_option_given(args, "quiet")) return;
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    print_line(args, "note: ", text, length);
  }
}

const char *wisp_option_value(const wisp_arguments *args, const char *name)
{
  int index = find(&args->help, name, strlen(name), 0);
  return index < 0 ? NULL : args->values[index];
}

void wisp_option_give(wisp_arguments *args, const char *name, const char *value)
{
  const int index = find(&args->help, name, strlen(name), 0);
  if (index >= 0) args->values[index] = value;
}

bool wisp_option_given(const wisp_arguments *args, const char *name)
{
  return wisp_option_value(args, name) != NULL;
}

wisp_status wisp_option_integer(wisp_error *err, const wisp_arguments *args, const char *name, long long least,
                                long long most, long long otherwise, long long *out)
{
  const char *text = wisp_option_value(args, name);
  *out = otherwise;
  return text ? wisp_value_integer(err, name, text, least, most, out) : WISP_OK;
}

wisp_status wisp_option_real(wisp_error *err, const wisp_arguments *args, const char *name, double least, double most,
                             double otherwise, double *out)
{
  const char *text = wisp_option_value(args, name);
  *out = otherwise;
  return text ? wisp_value_real(err, name, text, least, most, out) : WISP_OK;
}

wisp_status wisp_option_duration(wisp_error *err, const wisp_arguments *args, const char *name, double otherwise,
                                 double *out)
{
  static const char units[] = "smh";
  static const double seconds[] = {1, 60, 3600};
  const char *text = wisp_option_value(args, name);
  char *end = NULL;
  *out = otherwise;
  if (!text) return WISP_OK;
  const double value = strtod(text, &end);
  const char *unit = *end ? strchr(units, *end) : units;
  const bool good = end != text && isfinite(value) && value > 0 && unit && (!*end || !end[1]);
  CALL(wisp_require(err, good, WISP_EUSAGE, "option --%s is '%s', must be a time such as 90s, 10m or 2h", name, text));
  *out = value * seconds[unit - units];
  return WISP_OK;
}

wisp_status wisp_option_choice(wisp_error *err, const wisp_arguments *args, const char *name, const char *words,
                               size_t otherwise, size_t *out)
{
  const char *text = wisp_option_value(args, name);
  *out = otherwise;
  return text ? wisp_value_choice(err, name, text, words, out) : WISP_OK;
}

/* The orders of a family; of all of them, where there is none of that name. */
static void orders_of(const char *family, int range[2])
{
  range[0] = WISP_HIGHEST_ORDER, range[1] = 1;
  const wisp_family *f = NULL;
  for (size_t i = 0; (f = wisp_family_at(i)); i++) {
    if (family && wisp_family_find(family) && f != wisp_family_find(family)) continue;
    for (const wisp_element *e = f->elements; e->name; e++) {
      range[0] = e->orders[0] < range[0] ? e->orders[0] : range[0];
      range[1] = e->orders[1] > range[1] ? e->orders[1] : range[1];
    }
  }
}

wisp_status wisp_option_orders(wisp_error *err, const wisp_arguments *args, const char *name, const char *family,
                               const char *otherwise, wisp_orders *out)
{
  int range[2];
  bool wanted[WISP_HIGHEST_ORDER + 1] = {false};
  const char *given = wisp_option_value(args, name), *text = given ? given : otherwise;
  *out = (wisp_orders){0};
  if (!text) return WISP_OK;
  orders_of(family, range);
  CALL(wisp_require(err, *text, WISP_EUSAGE, "option --%s is empty, must be orders such as 1-4,7", name));
  const bool all = strcmp(text, "all") == 0;
  for (const char *at = text; !all && *at; at += *at == ',') {
    int first = 0, last, read = 0, more = 0;
    bool good = sscanf(at, "%2d%n", &first, &read) == 1;
    at += read;
    last = first;
    if (good && *at == '-') {
      good = sscanf(at + 1, "%2d%n", &last, &more) == 1;
      at += 1 + more;
    }
    if (!given && last > range[1]) last = range[1]; /* as many as there are */
    good &= first >= range[0] && last >= first && last <= range[1] && (!*at || (*at == ',' && at[1]));
    CALL(wisp_require(err, good, WISP_EUSAGE, "option --%s is '%s', must be orders from %d to %d such as 3 or 1-4,7",
                      name, text, range[0], range[1]));
    for (int order = first; order <= last; order++) wanted[order] = true;
  }
  for (int order = 1; order <= WISP_HIGHEST_ORDER; order++)
    if (all ? order >= range[0] && order <= range[1] : wanted[order]) out->list[out->count++] = order;
  return WISP_OK;
}

bool wisp_orders_have(const wisp_orders *orders, int order)
{
  for (int i = 0; i < orders->count; i++)
    if (orders->list[i] == order) return true;
  return false;
}

wisp_status wisp_option_precisions(wisp_error *err, const wisp_arguments *args, const char *name, const char *otherwise,
                                   wisp_precisions *out)
{
  static const struct {
    const char *text;
    wisp_precisions precisions;
  } known[] = {{"f32", {1, {WISP_F32}}},
               {"f64", {1, {WISP_F64}}},
               {"f32,f64", {2, {WISP_F32, WISP_F64}}},
               {"f64,f32", {2, {WISP_F64, WISP_F32}}}};
  const char *text = wisp_option_value(args, name);
  if (!text) text = otherwise;
  for (size_t i = 0; text && i < WISP_COUNT(known); i++)
    if (strcmp(known[i].text, text) == 0) {
      *out = known[i].precisions;
      return WISP_OK;
    }
  return wisp_fail(err, WISP_EUSAGE, "option --%s is '%s', must be f32, f64 or f32,f64", name, text ? text : "");
}

const char *wisp_option_family(const wisp_arguments *args)
{
  const char *name = wisp_option_value(args, "family");
  return name ? name : wisp_family_at(0)->name;
}

wisp_status wisp_option_rename_strategy(wisp_error *err, wisp_arguments *args)
{
  HELD(wisp_renamings_free) wisp_renamings names = {0};
  HELD(wisp_text_free) wisp_text note = {0};
  const char *old = wisp_option_value(args, "strategy");
  if (!old) return WISP_OK;
  CALL(wisp_renamings_load(err, &names));
  const char *new = wisp_renamed_param(&names, wisp_option_family(args), wisp_option_value(args, "kernel"), old, "");
  if (!new) return WISP_OK;
  CALL(wisp_renamed_note(err, "strategy", old, new, &note));
  wisp_cli_warn(args, note.data);
  snprintf(args->strategy, sizeof args->strategy, "%s", new);
  args->values[find(&args->help, "strategy", strlen("strategy"), 0)] = args->strategy;
  return WISP_OK;
}

wisp_status wisp_option_elements(wisp_error *err, const wisp_arguments *args, long long *elements)
{
  long long box = 0;
  CALL(wisp_option_integer(err, args, "elements", 1, 100000000, 0, elements));
  CALL(wisp_option_integer(err, args, "box", 1, 255, 0, &box));
  CALL(wisp_require(err, !*elements || !box, WISP_EUSAGE, "--elements and --box both give the size: leave one out"));
  if (!box) return WISP_OK;
  const wisp_family *family = wisp_family_find(wisp_option_family(args));
  const wisp_cell *cell = family ? wisp_cell_find(family->elements->name) : NULL;
  *elements = cell ? cell->split * box * box * (cell->dimension == 2 ? 1 : box) : box * box * box;
  return WISP_OK;
}

wisp_status wisp_option_known(wisp_error *err, const wisp_arguments *args)
{
  const char *family = wisp_option_value(args, "family"), *name = wisp_option_value(args, "system");
  wisp_system *system = NULL;
  if (family && !wisp_family_find(family)) return wisp_family_refuse(err, family);
  if (!name) return WISP_OK;
  for (size_t i = 0; wisp_family_at(i); i++) {
    const wisp_family *has = wisp_family_at(i);
    if (has->knows_system && (!family || has == wisp_family_find(family)) && has->knows_system(name)) return WISP_OK;
  }
  wisp_status status = wisp_system_load(err, name, &system);
  wisp_system_destroy(system);
  return status;
}

wisp_status wisp_option_stored_device(wisp_error *err, const wisp_arguments *args, char name[128])
{
  const char *given = wisp_option_value(args, "device");
  OWNED(wisp_device_close) wisp_device *device = NULL;
  wisp_error reason = {0};
  if (!given) return WISP_OK;
  const wisp_status status = wisp_device_open(&reason, given, &device);
  const bool unknown = status == WISP_EUSAGE; /* no name of the kind that devices here have */
  CALL(wisp_require(err, unknown || status == WISP_OK, status, "%s", reason.text));
  snprintf(name, 128, "%s", unknown ? given : wisp_device_limits(device)->name);
  return WISP_OK;
}
