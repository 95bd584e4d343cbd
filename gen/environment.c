#include "environment.h"

#include <dirent.h>
#include <math.h>

WISP_OWNED(DIR, closedir)

typedef enum kind { WHOLE, SECONDS, WORD, FOLDER, COMMAND } kind;

static const struct variable {
  const char *name;
  kind kind;
  double least, most, otherwise; /* of a number */
  const char *must;              /* what a value has to be */
  const char *word;              /* the only one of a WORD; in place of a FOLDER */
} variables[] = {
    {"WISP_THREADS", WHOLE, 1, 1e6, 0, "a number of threads such as 4", NULL},
    {"WISP_CACHE_MB", WHOLE, 0, 1 << 30, 512, "a whole number of megabytes such as 512", NULL},
    {"WISP_COMPILE_SECONDS", SECONDS, 0, 1e9, 60, "a number of seconds such as 60", NULL},
    {"WISP_TRIAL_SECONDS", SECONDS, 0, 1e9, 10, "a number of seconds such as 10", NULL},
    {"WISP_WORKER_SECONDS", SECONDS, 0, 1e9, 300, "a number of seconds such as 300", NULL},
    {"WISP_JOURNAL", WORD, 0, 0, 0, "rollback", "rollback"},
    {"WISP_PARTITION", WORD, 0, 0, 0, "random", "random"},
    {"WISP_SHIPPED", FOLDER, 0, 0, 0, "none or a folder of winners", "none"},
    {"WISP_GRAPH_LOOPS", WORD, 0, 0, 0, "host", "host"},
    {"WISP_CC", COMMAND, 0, 0, 0, "a command whose quotes are closed", NULL},
    {"WISP_CFLAGS", COMMAND, 0, 0, 0, "options whose quotes are closed", NULL},
};

/* The variable's value; NULL where it is unset or empty. */
static const char *value_of(const struct variable *v)
{
  const char *value = getenv(v->name);
  return value && *value ? value : NULL;
}

static const struct variable *find(const char *name)
{
  size_t i = 0;
  while (strcmp(variables[i].name, name) != 0) i++;
  return &variables[i];
}

/* Whether a text is such a number. */
static bool scan(const struct variable *v, const char *text, double *out)
{
  char *end = NULL;
  const double number = strtod(text, &end);
  *out = number;
  if (end == text || *end || !isfinite(number) || number < v->least || number > v->most) return false;
  return v->kind == WHOLE ? floor(number) == number && !text[strspn(text, "0123456789")] : number > 0;
}

static bool is_folder(const char *path)
{
  OWNED(closedir) DIR *dir = opendir(path);
  return dir;
}

wisp_status wisp_environment_check(wisp_error *err)
{
  for (size_t i = 0; i < WISP_COUNT(variables); i++) {
    const struct variable *v = &variables[i];
    const char *value = value_of(v);
    double number = 0;
    bool good = true;
    if (!value) continue;
    if (v->kind == WORD || v->kind == FOLDER)
      good = strcmp(value, v->word) == 0 || (v->kind == FOLDER && is_folder(value));
    else if (v->kind == COMMAND) {
      OWNED(free) char *copy = NULL; /* the words are split in it */
      CALL(wisp_copy_text(err, value, &copy));
      for (char *rest = copy; wisp_command_word(&rest, &good);) {}
    } else
      good = scan(v, value, &number);
    CALL(wisp_require(err, good, WISP_EUSAGE, "the variable %s is '%s', must be %s: change or unset it", v->name, value,
                      v->must));
  }
  return WISP_OK;
}

double wisp_environment_number(const char *name)
{
  const struct variable *v = find(name);
  const char *value = value_of(v);
  double number = 0;
  return value && scan(v, value, &number) ? number : v->otherwise;
}

bool wisp_environment_is(const char *name, const char *word)
{
  const char *value = value_of(find(name));
  return value && strcmp(value, word) == 0;
}

const char *wisp_environment_folder(const char *name)
{
  const struct variable *v = find(name);
  const char *value = value_of(v);
  return value && strcmp(value, v->word) != 0 ? value : NULL;
}

char *wisp_command_word(char **rest, bool *closed)
{
  char *at = *rest + strspn(*rest, " \t\n"), *word = at, *to = at, quote = '\0';
  *closed = true;
  *rest = at;
  if (!*at) return NULL;
  for (; *at && (quote || !strchr(" \t\n", *at)); at++) {
    if (*at == quote || (!quote && strchr("'\"", *at)))
      quote = quote ? '\0' : *at;
    else if (*at == '\\' && at[1] && (!quote || (quote == '"' && strchr("\"\\", at[1]))))
      *to++ = *++at;
    else
      *to++ = *at;
  }
  *rest = *at ? at + 1 : at;
  *to = '\0';
  *closed = !quote;
  return quote ? NULL : word;
}
