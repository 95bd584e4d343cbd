#include "shipped.h"
#include "reader.h"
#include "../gen/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters that stand as backslash and letter inside quotes. */
static const char escaped[] = "\"\\\n\r\t", letters[] = "\"\\nrt";

/* May the value stand without quotes? */
static bool is_plain(const char *value)
{
  size_t length = strcspn(value, " \"\\=#\n\r\t"), at = 0;
  for (size_t bytes; at < length && (bytes = wisp_shown_bytes(value + at)); at += bytes) {}
  return !value[at];
}

static wisp_status print_value(wisp_error *err, const char *value, wisp_text *out)
{
  if (is_plain(value)) return wisp_text_add(err, out, value, strlen(value));
  CALL(wisp_text_add(err, out, "\"", 1));
  for (const char *c = value; *c;) {
    const char *special = strchr(escaped, *c);
    size_t bytes = wisp_shown_bytes(c);
    if (special)
      CALL(wisp_text_print(err, out, "\\%c", letters[special - escaped]));
    else if (bytes)
      CALL(wisp_text_add(err, out, c, bytes));
    else
      CALL(wisp_text_print(err, out, "\\x%02x", (unsigned char)*c));
    c += bytes ? bytes : 1;
  }
  return wisp_text_add(err, out, "\"", 1);
}

wisp_status wisp_shipped_print(wisp_error *err, const wisp_trial *trial, wisp_text *out)
{
  HELD(wisp_text_free) wisp_text value = {0};
  const char *between = "";
  for (int i = 0; i < WISP_COLUMN_COUNT; i++) {
    const wisp_column *column = &wisp_columns[i];
    if (!wisp_column_known(column, trial)) continue;
    value.length = 0;
    CALL(wisp_column_print(err, column, trial, &value));
    CALL(wisp_text_print(err, out, "%s%s=", between, column->name));
    CALL(print_value(err, value.data, out));
    between = " ";
  }
  return wisp_text_add(err, out, "\n", 1);
}

/* Takes the value that begins at *at off the line, in place; NULL where its quotes do not close. */
static char *take_value(char **at)
{
  char *from = *at, *value = from, *to = from;
  if (*from != '"') {
    from += strcspn(from, " \t");
    *at = *from ? from + 1 : from;
    *from = '\0';
    return value;
  }
  for (from++; *from != '"'; from++) {
    const char *letter = NULL;
    unsigned byte = 0;
    if (from[0] == '\\' && from[1] == 'x') { /* two digits, and no NUL */
      if (!isxdigit((unsigned char)from[2]) || !isxdigit((unsigned char)from[3])) return NULL;
      if (sscanf(from + 2, "%2x", &byte) != 1 || byte == 0) return NULL;
      *to++ = (char)byte;
      from += 3;
      continue;
    }
    if (*from == '\\' && (!*++from || !(letter = strchr(letters, *from)))) return NULL;
    if (!*from) return NULL;
    *to++ = letter ? escaped[letter - letters] : *from;
  }
  if (from[1] && from[1] != ' ' && from[1] != '\t') return NULL;
  *at = from[1] ? from + 2 : from + 1;
  *to = '\0';
  return value;
}

/* One line, which is used up; WISP_EINPUT says what is wrong with it. */
static wisp_status parse_line(wisp_error *err, char *line, wisp_trial *out)
{
  wisp_trial trial;
  wisp_trial_blank(&trial);
  for (char *at = line + strspn(line, " \t"); *at; at += strspn(at, " \t")) {
    char *name = at, *equals = name + strcspn(name, "= \t");
    if (*equals != '=') return wisp_fail(err, WISP_EINPUT, "'%.40s' is not key=value", name);
    *equals = '\0';
    at = equals + 1;
    const char *value = take_value(&at);
    if (!value) return wisp_fail(err, WISP_EINPUT, "the quotes of %.40s do not close", name);
    const wisp_column *column = wisp_column_find(name);
    if (!column) return wisp_fail(err, WISP_EINPUT, "there is no field '%.40s'", name);
    if (!wisp_column_scan(column, value, &trial))
      return wisp_fail(err, WISP_EINPUT, "'%.60s' is no value of %s", value, name);
  }
  wisp_trial_take_words(&trial);
  *out = trial;
  CALL(wisp_trial_check(err, &trial));
  return wisp_trial_check_numbers(err, &trial);
}

wisp_status wisp_shipped_parse(wisp_error *err, const char *name, const char *text, wisp_text *warning,
                               wisp_trials *list)
{
  HELD(wisp_text_free) wisp_text line = {0};
  const char *const end = text + strlen(text);
  wisp_error why = {0};
  wisp_trial trial;
  for (int number = 1; text < end; number++) {
    CALL(wisp_text_take_line(err, &text, end, &line));
    const char *first = line.data + strspn(line.data, " \t");
    if (!*first || *first == '#') continue;
    if (parse_line(&why, line.data, &trial) == WISP_OK)
      CALL(wisp_trials_add(err, list, &trial));
    else if (warning)
      CALL(wisp_text_print(err, warning, "%s%s:%d: %s", warning->length ? "\n" : "", name, number, why.text));
  }
  return WISP_OK;
}

static int by_competition(const void *x, const void *y)
{
  const wisp_trial *a = x, *b = y;
  const int order = wisp_ranking_order(a, b);
  if (order) return order;
  bool a_ok = wisp_trial_outcome(a) == WISP_TRIAL_OK, b_ok = wisp_trial_outcome(b) == WISP_TRIAL_OK;
  double a_ms = wisp_ranking_ms(a), b_ms = wisp_ranking_ms(b);
  if (a_ok != b_ok) return a_ok ? -1 : 1; /* then those that count, fastest first */
  if (a_ms != b_ms) return a_ms < b_ms ? -1 : 1;
  return wisp_ranking_simpler(a, b) ? -1 : wisp_ranking_simpler(b, a);
}

/* Is there one of its strategy among the last of these, of the same competition? */
static bool has_strategy(const wisp_trial *trial, const wisp_trial *kept, size_t count)
{
  while (count > 0 && wisp_ranking_order(trial, &kept[count - 1]) == 0)
    if (strcmp(trial->strategy, kept[--count].strategy) == 0) return true;
  return false;
}

void wisp_shipped_select(wisp_trials *list, bool winners_only)
{
  size_t kept = 0;
  if (list->count) qsort(list->trials, list->count, sizeof *list->trials, by_competition);
  for (size_t i = 0; winners_only && i < list->count; i++) {
    wisp_trial *trial = &list->trials[i];
    /* The one before is the last one kept: every competition's first is. */
    bool first = kept == 0 || wisp_ranking_order(trial, &list->trials[kept - 1]) != 0;
    bool ok = wisp_trial_outcome(trial) == WISP_TRIAL_OK;
    bool counts = (ok && (first || *trial->tie || !has_strategy(trial, list->trials, kept))) ||
                  (wisp_trial_is_right(trial) && trial->is_default == 1);
    trial->sample_count = 0;
    if (counts) list->trials[kept++] = *trial;
  }
  if (winners_only) list->count = kept;
}

wisp_status wisp_trials_print_shipped(wisp_error *err, const wisp_trials *list, wisp_text *out)
{
  for (size_t i = 0; i < list->count; i++) CALL(wisp_shipped_print(err, &list->trials[i], out));
  return wisp_text_add(err, out, "", 0); /* a text, where there is none */
}

wisp_status wisp_store_print_shipped(wisp_error *err, const char *path, bool winners_only, wisp_text *out)
{
  HELD(wisp_trials_free) wisp_trials list = {0};
  CALL(wisp_reader_load(err, path, false, NULL, NULL, &list));
  wisp_shipped_select(&list, winners_only);
  return wisp_trials_print_shipped(err, &list, out);
}
