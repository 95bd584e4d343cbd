#include "named.h"
#include "embedded.h"

#include <dirent.h>
#include <sys/stat.h>

WISP_OWNED(DIR, closedir)

/* The path of such a file below a folder of templates; false where it is none, or has no room. */
static bool path_of(const wisp_named *kind, const char *templates, const char *name, char path[WISP_NAMED_PATH])
{
  const int length = snprintf(path, WISP_NAMED_PATH, "%s/%s/%s%s", templates, kind->folder, name, kind->ending);
  return length > 0 && length < WISP_NAMED_PATH && *name && !strchr(name, '/');
}

/* The same for the folder of the user's; a link to nothing is there, too. */
static bool users_path(const wisp_named *kind, const char *name, char path[WISP_NAMED_PATH])
{
  const char *templates = getenv("WISP_TEMPLATES");
  struct stat there;
  return templates && *templates && path_of(kind, templates, name, path) && lstat(path, &there) == 0;
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

/* Adds the name of a file where it is of this kind, not hidden, and not one of the library's that is listed already. */
static wisp_status list_file(wisp_error *err, const wisp_named *kind, bool users, const char *file, wisp_text *list)
{
  const size_t length = strlen(file), end = strlen(kind->ending);
  char name[WISP_NAMED_PATH];
  if (*file == '.' || !wisp_path_ends(file, kind->ending)) return WISP_OK;
  snprintf(name, sizeof name, "%.*s", (int)(length - end), file);
  if (users && wisp_named_is_own(kind, name)) return WISP_OK;
  return wisp_text_print(err, list, "%s%s", list->length ? ", " : "", name);
}

wisp_status wisp_named_list(wisp_error *err, const wisp_named *kind, wisp_text *list)
{
  const char *templates = getenv("WISP_TEMPLATES");
  char path[WISP_NAMED_PATH];
  const int own = snprintf(path, sizeof path, "templates/%s/", kind->folder);
  for (size_t i = 0; i < wisp_embedded_count; i++)
    if (strncmp(wisp_embedded_files[i].path, path, (size_t)own) == 0)
      CALL(list_file(err, kind, false, wisp_embedded_files[i].path + own, list));
  snprintf(path, sizeof path, "%s/%s", templates ? templates : "", kind->folder);
  OWNED(closedir) DIR *dir = templates && *templates ? opendir(path) : NULL;
  for (struct dirent *entry; dir && (entry = readdir(dir));) CALL(list_file(err, kind, true, entry->d_name, list));
  return WISP_OK;
}

wisp_status wisp_named_taken(wisp_error *err, const wisp_named *kind, const char *path, const char *name)
{
  return wisp_fail(err, WISP_EINPUT, "%s: there is a %s '%s' already: give this one a name of its own", path,
                   kind->what, name);
}

wisp_status wisp_named_read(wisp_error *err, const wisp_named *kind, const char *name, char path[WISP_NAMED_PATH],
                            char **text)
{
  HELD(wisp_text_free) wisp_text list = {0};
  size_t length = 0;
  const bool own = wisp_named_is_own(kind, name), users = users_path(kind, name, path);
  if (own && users) return wisp_named_taken(err, kind, path, name);
  if (own && path_of(kind, "templates", name, path)) return wisp_copy_text(err, wisp_embedded_text(path), text);
  if (users) return wisp_read_file(err, path, text, &length);
  CALL(wisp_named_list(err, kind, &list));
  return wisp_fail(err, WISP_EUSAGE, "there is no %s '%s'; there are: %s", kind->what, name, list.data);
}
