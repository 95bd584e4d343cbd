/* The shipped layer: winners that the library carries, or a folder of files in their place. */
#include "columns.h"

#include "../gen/embedded.h"
#include "../gen/environment.h"
#include "../gen/text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_text(const char *name)
{
  const size_t length = strlen(name);
  return *name != '.' && length >= 4 && strcmp(name + length - 4, ".txt") == 0;
}

static wisp_status load_own(wisp_error *err, wisp_text *warning, wisp_trials *list)
{
  static const char folder[] = "cache/shipped/";
  for (size_t i = 0; i < wisp_embedded_count; i++) {
    const wisp_embedded *file = &wisp_embedded_files[i];
    if (strncmp(file->path, folder, sizeof folder - 1) != 0 || !is_text(file->path)) continue;
    CALL(wisp_shipped_parse(err, file->path, file->text, warning, list));
  }
  return WISP_OK;
}

static wisp_status load_file(wisp_error *err, const char *folder, const char *name, wisp_text *warning,
                             wisp_trials *list)
{
  HELD(wisp_text_free) wisp_text path = {0};
  OWNED(free) char *text = NULL;
  size_t length = 0;
  CALL(wisp_text_print(err, &path, "%s/%s", folder, name));
  CALL(wisp_read_file(err, path.data, &text, &length));
  return wisp_shipped_parse(err, path.data, text, warning, list);
}

static int is_candidate(const struct dirent *entry)
{
  return is_text(entry->d_name);
}

wisp_status wisp_shipped_load(wisp_error *err, wisp_text *warning, wisp_trials *list)
{
  wisp_status status = WISP_OK;
  struct dirent **found = NULL;
  const char *folder = wisp_environment_folder("WISP_SHIPPED");
  if (wisp_environment_is("WISP_SHIPPED", "none")) return WISP_OK;
  if (!folder) return load_own(err, warning, list);
  const int count = scandir(folder, &found, is_candidate, alphasort);
  CALL(wisp_require(err, count >= 0, WISP_EINPUT, "WISP_SHIPPED: cannot read folder %s", folder));
  for (int i = 0; i < count; i++) {
    if (status == WISP_OK) status = load_file(err, folder, found[i]->d_name, warning, list);
    free(found[i]);
  }
  free(found);
  return status;
}
