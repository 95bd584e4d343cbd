#include "command.h"
#include "test.h"
#include "store_fixture.h"

#include <limits.h>
#include <sys/wait.h>

static char *slurp(const char *folder, const char *name)
{
  size_t length = 0;
  return fixture_read(fixture_path(folder, name), &length);
}

const char *command_path(void)
{
  static char path[PATH_MAX];
  const char *given = getenv("WISP_COMMAND");
  assert_non_null(realpath(given && *given ? given : "build/wisp", path));
  return path;
}

outcome run_in(const char *folder, const char *before, const char *arguments)
{
  char line[4096];
  outcome o;
  if (access(fixture_path(folder, "user.db"), F_OK) != 0) fixture_fill(fixture_path(folder, "user.db"), 0, 0);
  snprintf(line, sizeof line, "WISP_DB=%s/user.db env %s %s %s >%s/out 2>%s/err </dev/null", folder, before,
           command_path(), arguments, folder, folder);
  int status = system(line);
  o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  o.out = slurp(folder, "out");
  o.err = slurp(folder, "err");
  return o;
}

void forget(outcome *o)
{
  free(o->out), free(o->err);
}

/* The arguments that a caller's format and list make. */
#define PRINT_ARGUMENTS(line, format)                              \
  do {                                                             \
    va_list list;                                                  \
    va_start(list, format);                                        \
    const int length = vsnprintf(line, sizeof line, format, list); \
    va_end(list);                                                  \
    assert_in_range(length, 0, sizeof line - 1);                   \
  } while (0)

outcome run_with(const char *folder, const char *before, const char *format, ...)
{
  char line[2048];
  PRINT_ARGUMENTS(line, format);
  return run_in(folder, before, line);
}

cJSON *run_json_with(const char *folder, const char *before, const char *format, ...)
{
  char line[2048];
  PRINT_ARGUMENTS(line, format);
  return run_json(folder, before, line);
}

static cJSON *solve(const char *folder, const char *problem, const char *options)
{
  return run_json_with(folder, "", "run %s --json -q -d %s %s", problem, test_device_name(), options);
}

cJSON *solve_json(const char *folder, const char *problem, const char *format, ...)
{
  char options[1536];
  PRINT_ARGUMENTS(options, format);
  return solve(folder, problem, options);
}

double solve_number(const char *folder, const char *name, const char *problem, const char *format, ...)
{
  char options[1536];
  PRINT_ARGUMENTS(options, format);
  cJSON *json = solve(folder, problem, options);
  const double number = json_number(json, name);
  cJSON_Delete(json);
  return number;
}

void run_expect(const char *folder, const char *before, int status, const char *words, const char *format, ...)
{
  char line[2048], head[64];
  PRINT_ARGUMENTS(line, format);
  outcome o = run_in(folder, before, line);
  const int length = snprintf(head, sizeof head, "wisp %.*s: ", (int)strcspn(line, " "), line);
  const char *end = strchr(o.err, '\n');
  if (o.status != status) fail_msg("wisp %s: status %d, not %d: %s", line, o.status, status, o.err);
  if (!strstr(status ? o.err : o.out, words)) fail_msg("wisp %s does not say '%s': %s%s", line, words, o.out, o.err);
  if (status && (strncmp(o.err, head, (size_t)length) != 0 || !end || end[1] || (status == 2 && *o.out)))
    fail_msg("wisp %s says: %s%s", line, o.out, o.err);
  forget(&o);
}

cJSON *run_json(const char *folder, const char *before, const char *arguments)
{
  HELD(forget) outcome o = run_in(folder, before, arguments);
  if (o.status != 0) fail_msg("wisp %s: status %d: %s", arguments, o.status, o.err);
  cJSON *json = cJSON_Parse(o.out);
  if (!json) fail_msg("wisp %s prints no JSON: %s", arguments, o.out);
  return json;
}

double json_number(const cJSON *json, const char *name)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
  if (!cJSON_IsNumber(item)) fail_msg("%s is no number", name);
  return item->valuedouble;
}

const char *json_text(const cJSON *json, const char *name)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
  if (!cJSON_IsString(item)) fail_msg("%s is no text", name);
  return item->valuestring;
}
