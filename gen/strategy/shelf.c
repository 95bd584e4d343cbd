#include "shelf.h"
#include "../text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WISP_OWNED(DIR, closedir)

static const char root[] = "templates/";

static bool is_text(const char *name)
{
  static const char *const endings[] = {".space", ".k", ".part", ".system"};
  const size_t length = strlen(name);
  if (strcmp(name, "names") == 0) return true;
  for (size_t i = 0; i < WISP_COUNT(endings); i++)
    if (length > strlen(endings[i]) && strcmp(name + length - strlen(endings[i]), endings[i]) == 0) return true;
  return false;
}

/* A list of files that grows. */
typedef struct pile {
  wisp_embedded *files;
  size_t count, room, own; /* own: how many of them it has read itself */
} pile;

static wisp_status add(wisp_error *err, pile *p, const wisp_embedded *file)
{
  CALL(wisp_grow(err, &p->files, &p->room, p->count + 1, sizeof *file));
  p->files[p->count++] = *file;
  return WISP_OK;
}

/* Reads folder/family/name, which stands there as templates/family/name. */
static wisp_status add_file(wisp_error *err, pile *p, const char *folder, const char *family, const char *name)
{
  char path[WISP_SHOWN_PATH];
  OWNED(free) char *text = NULL, *known = NULL;
  size_t length = 0;
  snprintf(path, sizeof path, "%s/%s/%s", folder, family, name);
  CALL(wisp_read_file(err, path, &text, &length));
  snprintf(path, sizeof path, "%s%s/%s", root, family, name);
  known = strdup(path);
  CALL(wisp_require(err, known, WISP_EMEMORY, "out of memory"));
  CALL(add(err, p, &(wisp_embedded){known, text, length}));
  p->own++;
  known = text = NULL;
  return WISP_OK;
}

static wisp_status add_family(wisp_error *err, pile *p, const char *folder, const char *family)
{
  char path[WISP_SHOWN_PATH];
  snprintf(path, sizeof path, "%s/%s", folder, family);
  OWNED(closedir) DIR *dir = opendir(path); /* of plain files there is none */
  for (struct dirent *entry; dir && (entry = readdir(dir));)
    if (is_text(entry->d_name)) CALL(add_file(err, p, folder, family, entry->d_name));
  return WISP_OK;
}

static void release(const wisp_embedded *files, size_t own)
{
  for (size_t i = 0; i < own; i++) free((char *)files[i].path), free((char *)files[i].text);
  free((wisp_embedded *)files);
}

static int by_path(const void *a, const void *b)
{
  return strcmp(((const wisp_embedded *)a)->path, ((const wisp_embedded *)b)->path);
}

wisp_status wisp_shelf_load(wisp_error *err, const char *folder, wisp_shelf *out)
{
  wisp_status status = WISP_OK;
  pile p = {0};
  char *name = strdup(folder);
  OWNED(closedir) DIR *dir = opendir(folder);
  TRY(wisp_require(err, name, WISP_EMEMORY, "out of memory"));
  TRY(wisp_require(err, dir, WISP_EINPUT, "WISP_TEMPLATES: cannot open folder %s", folder));
  for (struct dirent *entry; (entry = readdir(dir));)
    if (entry->d_name[0] != '.') TRY(add_family(err, &p, folder, entry->d_name));
  if (p.own) qsort(p.files, p.own, sizeof *p.files, by_path);
  for (size_t i = 0; i < wisp_embedded_count; i++) TRY(add(err, &p, &wisp_embedded_files[i]));
  *out = (wisp_shelf){.files = p.files, .count = p.count, .own = p.own, .folder = name};
  p = (pile){0};
done:
  release(p.files, p.own);
  if (status != WISP_OK) free(name);
  return status;
}

void wisp_shelf_free(wisp_shelf *shelf)
{
  if (shelf->folder) release(shelf->files, shelf->own);
  free((char *)shelf->folder);
  *shelf = (wisp_shelf){0};
}

const wisp_embedded *wisp_shelf_find(const wisp_shelf *shelf, const char *family, const char *name)
{
  char path[WISP_SHOWN_PATH];
  snprintf(path, sizeof path, "%s%s/%s", root, family, name);
  for (size_t i = 0; i < shelf->count; i++)
    if (strcmp(shelf->files[i].path, path) == 0) return &shelf->files[i];
  return NULL;
}

void wisp_shelf_shown(const wisp_shelf *shelf, const wisp_embedded *file, char path[WISP_SHOWN_PATH])
{
  const bool users = file < shelf->files + shelf->own;
  snprintf(path, WISP_SHOWN_PATH, "%s%s%s", users ? shelf->folder : "", users ? "/" : "",
           file->path + (users ? strlen(root) : 0));
}
