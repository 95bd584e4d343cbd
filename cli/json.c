#include "json.h"

#include <stdio.h>
#include <stdlib.h>

void wisp_json_add_texts(cJSON *object, size_t count, const wisp_json_text *texts)
{
  for (size_t i = 0; i < count; i++)
    cJSON_AddItemToObject(object, texts[i].name,
                          texts[i].value && *texts[i].value ? cJSON_CreateString(texts[i].value) : cJSON_CreateNull());
}

/* cJSON prints what is no finite number as null. */
void wisp_json_add_numbers(cJSON *object, size_t count, const wisp_json_number *numbers)
{
  for (size_t i = 0; i < count; i++) cJSON_AddNumberToObject(object, numbers[i].name, numbers[i].value);
}

void wisp_json_add_params(cJSON *object, const char *params)
{
  cJSON *list = cJSON_AddObjectToObject(object, "params");
  for (char name[32], value[32], *end = NULL; wisp_next_param(&params, name, value);) {
    const double number = strtod(value, &end);
    cJSON_AddItemToObject(list, name, *end ? cJSON_CreateString(value) : cJSON_CreateNumber(number));
  }
}

wisp_status wisp_json_put(wisp_error *err, cJSON *json)
{
  char *text = cJSON_Print(json);
  cJSON_Delete(json);
  if (!text) return wisp_fail(err, WISP_EMEMORY, "out of memory: a report as JSON");
  puts(text);
  cJSON_free(text);
  return WISP_OK;
}
