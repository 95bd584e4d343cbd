#include "named.h"
#include "embedded.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

WISP_OWNED(DIR, closedir)

/* The path of such a file below a folder of templates; false where it is none, or has no room. */
static bool path_of(const wisp_named *kind, const char *templates, const char *name, char path[WISP_NAMED_PATH])
{
  const int length = snprintf(path, WISP_NAMED_PATH, "%s/%s/%s%s", templates, kind->folder, name, kind->ending);
  return length > 0 && length < WISP_NAMED_PATH && *name && !strchr(name, '/');
}

/* The same for the folder of the user's. */
static bool users_path(const wisp_named *kind, const char *name, char path[WISP_NAMED_PATH])
{
  const char *templates = getenv("WISP_TEMPLATES");
  return templates && *templates && path_of(kind, templates, name, path) && access(path, F_OK) == 0;
}

bool wisp_named_is_own(const wisp_named *kind, const char *name)
{
  char path[WISP_NAMED_PATH];
  return path_of(kind, "templates", name, path) && wisp_embedded_text(path);
}

bool wisp_named_exists(const wisp_named *kind, const char *name)
{
  char path[WISP_NAMED_PATH];
  return wisp_named_is_own(kind, name) || users_path(kind, name, path);
}

/* Adds the name of a file where it is of this kind. */
static wisp_status list_file(wisp_error *err, const wisp_named *kind, const char *file, wisp_text *list)
{
  const size_t length = strlen(file), end = strlen(kind->ending);
  if (length <= end || strcmp(file + length - end, kind->ending) != 0) return WISP_OK;
  return wisp_text_print(err, list, "%s%.*s", list->length ? ", " : "", (int)(length - end), file);
}

wisp_status wisp_named_list(wisp_error *err, const wisp_named *kind, wisp_text *list)
{
  const char *templates = getenv("WISP_TEMPLATES");
  char path[WISP_NAMED_PATH];
  const int own = snprintf(path, sizeof path, "templates/%s/", kind->folder);
  for (size_t i = 0; i < wisp_embedded_count; i++)
    if (strncmp(wisp_embedded_files[i].path, path, (size_t)own) == 0)
      CALL(list_file(err, kind, wisp_embedded_files[i].path + own, list));
  snprintf(path, sizeof path, "%s/%s", templates ? templates : "", kind->folder);
  OWNED(closedir) DIR *dir = templates && *templates ? opendir(path) : NULL;
  for (struct dirent *entry; dir && (entry = readdir(dir));) CALL(list_file(err, kind, entry->d_name, list));
  return WISP_OK;
}

wisp_status wisp_named_read(wisp_error *err, const wisp_named *kind, const char *name, char path[WISP_NAMED_PATH],
                            char **text)
{
  HELD(wisp_text_free) wisp_text list = {0};
  size_t length = 0;
  if (wisp_named_is_own(kind, name) && path_of(kind, "templates", name, path)) {
    *text = strdup(wisp_embedded_text(path));
    return wisp_require(err, *text, WISP_EMEMORY, "out of memory");
  }
  if (users_path(kind, name, path)) return wisp_read_file(err, path, text, &length);
  CALL(wisp_named_list(err, kind, &list));
  return wisp_fail(err, WISP_EUSAGE, "there is no %s '%s'; there are: %s", kind->what, name, list.data);
}
