#include "command.h"
#include "test.h"
#include "store_fixture.h"

#include <sys/wait.h>

static char *slurp(const char *folder, const char *name)
{
  size_t length = 0;
  return fixture_read(fixture_path(folder, name), &length);
}

outcome run_in(const char *folder, const char *before, const char *arguments)
{
  const char *command = getenv("WISP_COMMAND");
  char line[2048];
  outcome o;
  if (access(fixture_path(folder, "user.db"), F_OK) != 0) fixture_fill(fixture_path(folder, "user.db"), 0, 0);
  snprintf(line, sizeof line, "WISP_DB=%s/user.db env %s %s %s >%s/out 2>%s/err </dev/null", folder, before,
           command && *command ? command : "build/wisp", arguments, folder, folder);
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
