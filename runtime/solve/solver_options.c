/* Options of a solver: the values that were given, and the table's. */
#include "solver.h"

#include <errno.h>

static int find_option(const wisp_solver *s, const char *name)
{
  const wisp_solver_option *option = s->kind->option;
  for (int i = 0; option[i].name; i++)
    if (strcmp(option[i].name, name) == 0) return i;
  return -1;
}

bool wisp_solver_given(const wisp_solver *s, const char *name)
{
  return s->value[find_option(s, name)] != NULL;
}

/* The table's value; of single precision the one behind "f32:", where it has one. */
static const char *find_value(const wisp_solver *s, int i)
{
  const char *value = s->value[i] ? s->value[i] : s->kind->option[i].value;
  const char *single = s->value[i] || !value ? NULL : strstr(value, "f32: ");
  return single && s->precision == WISP_F32 ? single + 5 : value;
}

const char *wisp_solver_text(const wisp_solver *s, const char *name)
{
  return find_value(s, find_option(s, name));
}

double wisp_solver_real(const wisp_solver *s, const char *name)
{
  const char *text = wisp_solver_text(s, name);
  return text ? strtod(text, NULL) : NAN;
}

long long wisp_solver_integer(const wisp_solver *s, const char *name)
{
  const char *text = wisp_solver_text(s, name);
  return text ? strtoll(text, NULL, 10) : -1;
}

/* Which of these words, between blanks; -1: none. */
static int find_word(const char *words, const char *word)
{
  const size_t n = strlen(word);
  int at = 0;
  for (; *words; words += strcspn(words, " "), words += *words == ' ', at++)
    if (strcspn(words, " ") == n && strncmp(words, word, n) == 0) return at;
  return -1;
}

int wisp_solver_choice(const wisp_solver *s, const char *name)
{
  const int i = find_option(s, name);
  return find_word(s->kind->option[i].choices, find_value(s, i));
}

/* ---- What values look like. */

wisp_status wisp_value_integer(wisp_error *err, const char *name, const char *text, long long least, long long most,
                               long long *out)
{
  char *end = NULL;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return wisp_require(err, end != text && !*end && !errno && *out >= least && *out <= most, WISP_EUSAGE,
                      "option --%s is '%s', must be a whole number from %lld to %lld", name, text, least, most);
}

wisp_status wisp_value_real(wisp_error *err, const char *name, const char *text, double least, double most, double *out)
{
  char *end = NULL;
  *out = strtod(text, &end);
  return wisp_require(err, end != text && !*end && *out >= least && *out <= most, WISP_EUSAGE,
                      "option --%s is '%s', must be a number from %g to %g", name, text, least, most);
}

wisp_status wisp_value_choice(wisp_error *err, const char *name, const char *text, const char *words, size_t *out)
{
  HELD(wisp_text_free) wisp_text list = {0};
  const int at = find_word(words, text);
  *out = (size_t)at;
  if (at >= 0) return WISP_OK;
  for (const char *c = words; *c; c++) CALL(wisp_text_add(err, &list, *c == ' ' ? ", " : c, *c == ' ' ? 2 : 1));
  return wisp_fail(err, WISP_EUSAGE, "option --%s is '%s', must be one of %s", name, text, list.data);
}

static wisp_status check_value(wisp_error *err, const wisp_solver_option *o, const char *text)
{
  double real = 0;
  long long integer = 0;
  size_t choice = 0;
  switch (o->kind) {
    case WISP_OPTION_INTEGER:
      return wisp_value_integer(err, o->name, text, (long long)o->least, (long long)o->most, &integer);
    case WISP_OPTION_REAL:
      return wisp_value_real(err, o->name, text, o->least, o->most, &real);
    case WISP_OPTION_CHOICE:
      return wisp_value_choice(err, o->name, text, o->choices, &choice);
    default:
      return WISP_OK;
  }
}

wisp_status wisp_solver_take(wisp_error *err, wisp_solver *s, const char *name, const char *value)
{
  const int i = find_option(s, name);
  wisp_status status = i < 0 && s->kind->take ? s->kind->take(err, s, name, value) : WISP_EMISSING;
  if (i < 0 && status != WISP_EMISSING) return status;
  CALL(wisp_require(err, i >= 0, WISP_EUSAGE, "%s has no option '%s': 'wisp run %s --help' lists them", s->problem,
                    name, s->problem));
  CALL(check_value(err, &s->kind->option[i], value));
  free(s->value[i]);
  return wisp_copy_text(err, value, &s->value[i]);
}
