/* What commands print as JSON. */
#ifndef WISP_CLI_JSON_H
#define WISP_CLI_JSON_H

#include "../gen/text.h"

#include <cjson/cJSON.h>

/* Members of an object, in the order in which they are printed: no text (NULL) and an empty one are null, and so is
 * NaN. */
typedef struct wisp_json_text {
  const char *name, *value;
} wisp_json_text;
typedef struct wisp_json_number {
  const char *name;
  double value;
} wisp_json_number;
void wisp_json_add_texts(cJSON *object, size_t count, const wisp_json_text *texts);
void wisp_json_add_numbers(cJSON *object, size_t count, const wisp_json_number *numbers);

/* "MB=2 wp=8" as "params": {"MB": 2, "wp": 8}; what is no number as a text. */
void wisp_json_add_params(cJSON *object, const char *params);

/* Prints it on stdout, and deletes it. */
wisp_status wisp_json_put(wisp_error *err, cJSON *json);

#endif
