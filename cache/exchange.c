/* Stores to and from texts: JSON, and the shipped form. An import takes all of a text or nothing. */
#include "change.h"
#include "columns.h"
#include "reader.h"
#include "renew.h"
#include "shipped.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

enum { EXPORT_VERSION = 1 }; /* of the JSON that wisp_store_export writes: docs/store.md */

static const char blanks[] = " \t\r\n";

/* ---- Out. */

wisp_status wisp_store_export(wisp_error *err, const char *path, bool winners_only, wisp_text *json)
{
  HELD(wisp_trials_free) wisp_trials list = {0};
  CALL(wisp_reader_load_there(err, path, false, &list));
  if (winners_only) wisp_shipped_select(&list, true);
  CALL(wisp_text_print(err, json, "{\"wisp_store\": %d, \"trials\": [", EXPORT_VERSION));
  for (size_t i = 0; i < list.count; i++)
    CALL(wisp_text_add_item(err, json, i == 0, wisp_trial_to_json(&list.trials[i])));
  return wisp_text_print(err, json, "\n]}\n");
}

/* ---- In. */

static wisp_status take_document(wisp_error *err, const cJSON *root, wisp_trials *list)
{
  wisp_trial trial;
  size_t number = 0;
  const cJSON *item, *version = cJSON_GetObjectItemCaseSensitive(root, "wisp_store"),
                     *trials = cJSON_GetObjectItemCaseSensitive(root, "trials");
  CALL(wisp_require(err, cJSON_IsNumber(version) && cJSON_IsArray(trials), WISP_EINPUT,
                    "this JSON is no export of a store: it lacks \"wisp_store\" or \"trials\""));
  CALL(wisp_require(err, version->valuedouble == EXPORT_VERSION, WISP_EINPUT,
                    "the export is of version %g, this wisp reads %d: update wisp", version->valuedouble,
                    EXPORT_VERSION));
  cJSON_ArrayForEach(item, trials)
  {
    number++;
    CALL(wisp_context(err, wisp_trial_from_json(err, item, &trial), "trial %zu: ", number));
    CALL(wisp_trials_add(err, list, &trial));
  }
  return WISP_OK;
}

/* Every document of a text: exports may be written one behind the other. */
static wisp_status parse_json(wisp_error *err, const char *text, size_t length, wisp_trials *list)
{
  const char *at = text, *end = text + length;
  for (size_t number = 1; at < end; number++) {
    cJSON *root = cJSON_ParseWithLengthOpts(at, (size_t)(end - at), &at, false);
    const wisp_status status =
        root ? take_document(err, root, list)
             : wisp_fail(err, WISP_EINPUT, "the text is not JSON (or is cut off) at byte %zu", (size_t)(at - text) + 1);
    cJSON_Delete(root);
    if (number > 1) wisp_context(err, status, "document %zu: ", number);
    CALL(status);
    at += strspn(at, blanks);
  }
  return WISP_OK;
}

static wisp_status parse_shipped(wisp_error *err, const char *text, wisp_trials *list)
{
  HELD(wisp_text_free) wisp_text warning = {0};
  CALL(wisp_shipped_parse(err, "line", text, &warning, list));
  return wisp_require(err, !warning.length, WISP_EINPUT, "%.*s", (int)strcspn(warning.data, "\n"), warning.data);
}

/* Does the text begin as the shipped form does: a comment, or key=value? */
static bool is_shipped(const char *text)
{
  text += strspn(text, blanks);
  return *text == '#' || text[strcspn(text, "=\"{[ \t\r\n")] == '=';
}

wisp_status wisp_store_import(wisp_error *err, const char *path, const char *text, size_t length, long long *added)
{
  HELD(wisp_trials_free) wisp_trials list = {0};
  CALL(wisp_require(err, strlen(text) == length, WISP_EINPUT,
                    "import into %s: the text has a NUL in it at byte %zu: it is no export, or damaged", path,
                    strlen(text) + 1));
  CALL(wisp_require(err, text[strspn(text, blanks)], WISP_EINPUT,
                    "import into %s: the text is empty: it is not JSON, nor the shipped form", path));
  const wisp_status status = is_shipped(text) ? parse_shipped(err, text, &list) : parse_json(err, text, length, &list);
  CALL(wisp_context(err, status, "import into %s: ", path));
  CALL(wisp_trials_renew(err, &list, 0));
  return wisp_store_change(err, path, wisp_change_add_newer, &list, added);
}
