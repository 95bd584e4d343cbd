#include "run_file.h"

#include <cjson/cJSON.h>

void wisp_run_file_free(wisp_run_file *file)
{
  free(file->argv);
  wisp_text_free(&file->text);
  *file = (wisp_run_file){0};
}

bool wisp_run_file_named(const char *argument)
{
  return *argument != '-' && wisp_path_ends(argument, ".json");
}

/* ---- Members as texts. */

/* A number or a text; false: it is neither. */
static bool print_plain(wisp_error *err, const cJSON *item, wisp_text *to, wisp_status *status)
{
  if (cJSON_IsString(item)) *status = wisp_text_print(err, to, "%s", item->valuestring);
  if (cJSON_IsNumber(item)) *status = wisp_text_print(err, to, "%.17g", item->valuedouble);
  return cJSON_IsString(item) || cJSON_IsNumber(item);
}

static wisp_status print_value(wisp_error *err, const char *path, const cJSON *member, wisp_text *to)
{
  wisp_status status = WISP_OK;
  const cJSON *item = NULL;
  bool good = cJSON_IsArray(member) || cJSON_IsObject(member) || print_plain(err, member, to, &status);
  CALL(status);
  if (cJSON_IsArray(member) || cJSON_IsObject(member)) cJSON_ArrayForEach(item, member)
    {
      if (item != member->child) CALL(wisp_text_add(err, to, ",", 1));
      if (item->string) CALL(wisp_text_print(err, to, "%s=", item->string));
      good &= print_plain(err, item, to, &status);
      CALL(status);
    }
  return wisp_require(err, good, WISP_EINPUT,
                      "%s: '%s' must be a number, a text, true, false, or a list or an object of numbers and texts",
                      path, member->string);
}

/* One argument, with its NUL. */
static wisp_status end_argument(wisp_error *err, wisp_text *to, int *count)
{
  ++*count;
  return wisp_text_add(err, to, "", 1);
}

static wisp_status add_member(wisp_error *err, const char *path, const cJSON *member, wisp_text *to, int *count)
{
  if (cJSON_IsFalse(member) || cJSON_IsNull(member)) return WISP_OK;
  if (strcmp(member->string, "problem") == 0) {
    CALL(wisp_require(err, cJSON_IsString(member), WISP_EINPUT, "%s: 'problem' must be a text", path));
    CALL(wisp_text_print(err, to, "%s", member->valuestring));
    return end_argument(err, to, count);
  }
  CALL(wisp_text_print(err, to, "--%s", member->string));
  if (!cJSON_IsTrue(member)) CALL(wisp_text_add(err, to, "=", 1));
  if (!cJSON_IsTrue(member)) CALL(print_value(err, path, member, to));
  return end_argument(err, to, count);
}

/* Flags in the end: an option that takes a value and has none finds no other argument behind it. */
static wisp_status add_members(wisp_error *err, const char *path, const cJSON *json, wisp_text *to, int count[2])
{
  const cJSON *member = NULL;
  CALL(wisp_require(err, cJSON_IsObject(json), WISP_EINPUT,
                    "%s: not an object of JSON: write {\"problem\": \"maxwell\", \"orders\": 3}", path));
  for (int flags = 0; flags < 2; flags++) cJSON_ArrayForEach(member, json)
    {
      if (cJSON_IsTrue(member) == flags) CALL(add_member(err, path, member, to, &count[flags]));
    }
  return WISP_OK;
}

/* Moves to the arguments the next `count` of the texts. */
static char *take_texts(wisp_run_file *file, char *next, int count)
{
  for (int i = 0; i < count; i++, next += strlen(next) + 1) file->argv[file->argc++] = next;
  return next;
}

/* ---- The arguments. */

wisp_status wisp_run_file_read(wisp_error *err, int argc, char **argv, int at, wisp_run_file *out)
{
  HELD(wisp_run_file_free) wisp_run_file file = {.argv = NULL};
  OWNED(free) char *data = NULL;
  size_t length = 0;
  int count[2] = {0, 0};
  CALL(wisp_read_file(err, argv[at], &data, &length));
  cJSON *json = cJSON_ParseWithLength(data, length);
  const wisp_status status = add_members(err, argv[at], json, &file.text, count);
  cJSON_Delete(json);
  CALL(status);
  CALL(wisp_new(err, (size_t)(argc + count[0] + count[1] + 1), sizeof *file.argv, &file.argv));
  file.argv[file.argc++] = argv[0];
  char *flags = take_texts(&file, file.text.data, count[0]);
  for (int i = 1; i < argc; i++)
    if (i != at) file.argv[file.argc++] = argv[i];
  take_texts(&file, flags, count[1]);
  return GIVE(file, out);
}
