/* The list of strategies: every KERNEL.STRATEGY.space of the embedded templates, then those of $WISP_TEMPLATES. */
#include "defaults.h"
#include "space.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAMILIES = 8 };

struct wisp_strategies {
  wisp_closure *closure;
  size_t count, room;
  wisp_strategy **list;
  int families; /* that have defaults */
  char family[MOST_FAMILIES][32];
  wisp_defaults *defaults[MOST_FAMILIES];
};

/* Adds strategy family/KERNEL.NAME.space; file is "KERNEL.NAME.space". A name is one strategy's: trials name no text,
 * and would answer for another. */
static wisp_status add(wisp_error *err, wisp_strategies *all, const char *family, const char *file,
                       wisp_file_text space, wisp_file_text text)
{
  wisp_status status = WISP_OK;
  wisp_strategy *s = NULL;
  char name[64];
  const char *dot = strchr(file, '.');
  snprintf(name, sizeof name, "%.*s", (int)(strlen(dot + 1) - strlen(".space")), dot + 1);
  TRY(wisp_strategy_parse(err, family, name, space, text, &s));
  TRY(wisp_closure_hash(err, all->closure, s, s->hash));
  s->closure = all->closure;
  TRY(wisp_require(err, !wisp_strategies_find(all, s->family, s->kernel, s->name), WISP_EINPUT,
                   "%s: kernel %s has a strategy '%s' already: give this one a name of its own", space.path, s->kernel,
                   s->name));
  if (all->count == all->room) {
    size_t room = all->room ? 2 * all->room : 32;
    wisp_strategy **list = realloc(all->list, room * sizeof *list);
    TRY(wisp_require(err, list, WISP_EMEMORY, "out of memory: %zu strategies", room));
    all->list = list;
    all->room = room;
  }
  all->list[all->count++] = s;
  s = NULL;
done:
  wisp_strategy_destroy(s);
  return status;
}

static bool is_space(const char *file)
{
  size_t length = strlen(file);
  const char *dot = strchr(file, '.');
  return length > 6 && strcmp(file + length - 6, ".space") == 0 && dot && dot < file + length - 6;
}

/* The kernel text's path: beside the space ("x.space" -> "x.k"), or the one that its line `text NAME` names, which two
 * kernels share. */
static void text_path(const char *path_of_space, const char *space, char *path, size_t room)
{
  const char *line = strstr(space, "\ntext "), *slash = strrchr(path_of_space, '/');
  char name[64];
  if (line && sscanf(line + 6, "%63s", name) == 1)
    snprintf(path, room, "%.*s/%s.k", (int)(slash - path_of_space), path_of_space, name);
  else
    snprintf(path, room, "%.*s.k", (int)(strlen(path_of_space) - 6), path_of_space);
}

static wisp_status add_files(wisp_error *err, wisp_strategies *all, const wisp_embedded *files, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const char *path = files[i].path, *file = strrchr(path, '/');
    if (strncmp(path, "templates/", 10) != 0 || !file || !is_space(file + 1)) continue;
    char family[32], text[256];
    size_t at = 0;
    snprintf(family, sizeof family, "%.*s", (int)(file - path - 10), path + 10);
    text_path(path, files[i].text, text, sizeof text);
    while (at < count && strcmp(files[at].path, text) != 0) at++;
    if (at == count) return wisp_fail(err, WISP_EINPUT, "%s has no kernel text %s beside it", path, text);
    wisp_status status =
        add(err, all, family, file + 1, (wisp_file_text){path, files[i].text}, (wisp_file_text){text, files[at].text});
    if (status != WISP_OK) return status;
  }
  return WISP_OK;
}

/* templates/FAMILY/defaults of every family. */
static wisp_status add_defaults(wisp_error *err, wisp_strategies *all, const wisp_embedded *files, size_t count)
{
  wisp_status status = WISP_OK;
  for (size_t i = 0; i < count; i++) {
    const wisp_embedded *file = &files[i];
    char family[32];
    int end = 0;
    if (sscanf(file->path, "templates/%31[^/]/defaults%n", family, &end) != 1 || !end || file->path[end]) continue;
    TRY(wisp_require(err, all->families < MOST_FAMILIES, WISP_EINPUT, "%s: more than %d families", file->path,
                     MOST_FAMILIES));
    memcpy(all->family[all->families], family, sizeof family);
    TRY(wisp_defaults_parse(err, file->path, file->text, &all->defaults[all->families]));
    all->families++;
  }
done:
  return status;
}

wisp_status wisp_strategies_load_from(wisp_error *err, const wisp_embedded *files, size_t count, wisp_strategies **out)
{
  wisp_status status = WISP_OK;
  wisp_strategies *all = NULL;
  TRY(wisp_new(err, 1, sizeof *all, &all));
  TRY(wisp_closure_create(err, files, count, &all->closure));
  TRY(add_files(err, all, files, count));
  TRY(add_defaults(err, all, files, count));
  *out = all;
  all = NULL;
done:
  wisp_strategies_free(all);
  return status;
}

/* One family folder of $WISP_TEMPLATES. */
static wisp_status add_folder(wisp_error *err, wisp_strategies *all, const char *root, const char *family)
{
  wisp_status status = WISP_OK;
  char folder[2048], path[4096], kernel[4096];
  char *space = NULL, *text = NULL;
  size_t length = 0;
  snprintf(folder, sizeof folder, "%s/%s", root, family);
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    if (!is_space(entry->d_name)) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    TRY(wisp_read_file(err, path, &space, &length));
    text_path(path, space, kernel, sizeof kernel);
    TRY(wisp_read_file(err, kernel, &text, &length));
    TRY(add(err, all, family, entry->d_name, (wisp_file_text){path, space}, (wisp_file_text){kernel, text}));
    free(space), free(text);
    space = text = NULL;
  }
done:
  if (dir) closedir(dir);
  free(space), free(text);
  return status;
}

wisp_status wisp_strategies_load(wisp_error *err, wisp_strategies **out)
{
  wisp_status status = WISP_OK;
  wisp_strategies *all = NULL;
  const char *root = getenv("WISP_TEMPLATES");
  DIR *dir = root && *root ? opendir(root) : NULL;
  TRY(wisp_strategies_load_from(err, wisp_embedded_files, wisp_embedded_count, &all));
  TRY(wisp_require(err, dir || !root || !*root, WISP_EINPUT, "WISP_TEMPLATES: cannot open folder %s", root));
  for (struct dirent *entry; dir && (entry = readdir(dir));)
    if (entry->d_name[0] != '.') TRY(add_folder(err, all, root, entry->d_name));
  *out = all;
  all = NULL;
done:
  if (dir) closedir(dir);
  wisp_strategies_free(all);
  return status;
}

void wisp_strategies_free(wisp_strategies *all)
{
  if (!all) return;
  for (size_t i = 0; i < all->count; i++) wisp_strategy_destroy(all->list[i]);
  for (int i = 0; i < all->families; i++) wisp_defaults_destroy(all->defaults[i]);
  wisp_closure_free(all->closure);
  free(all->list);
  free(all);
}

size_t wisp_strategies_count(const wisp_strategies *all)
{
  return all->count;
}

const wisp_strategy *wisp_strategies_at(const wisp_strategies *all, size_t i)
{
  return all->list[i];
}

const wisp_strategy *wisp_strategies_find(const wisp_strategies *all, const char *family, const char *kernel,
                                          const char *name)
{
  for (size_t i = 0; i < all->count; i++) {
    const wisp_strategy *s = all->list[i];
    if (strcmp(s->family, family) == 0 && strcmp(s->kernel, kernel) == 0 && strcmp(s->name, name) == 0) return s;
  }
  return NULL;
}

const wisp_defaults *wisp_strategies_defaults(const wisp_strategies *all, const char *family)
{
  for (int i = 0; i < all->families; i++)
    if (strcmp(all->family[i], family) == 0) return all->defaults[i];
  return NULL;
}

const char *wisp_strategy_name(const wisp_strategy *s)
{
  return s->name;
}

const char *wisp_strategy_kernel(const wisp_strategy *s)
{
  return s->kernel;
}

const char *wisp_strategy_family(const wisp_strategy *s)
{
  return s->family;
}

bool wisp_strategy_varies(const wisp_strategy *s)
{
  return s->varies;
}

const char *wisp_strategy_title(const wisp_strategy *s)
{
  return s->title;
}

void wisp_strategy_hash(const wisp_strategy *s, const char *system, const char *dialect, char hash[20])
{
  const char *const *names = s->closure ? wisp_closure_dialects(s->closure) : NULL;
  hash[0] = '\0';
  for (int d = 0; names && names[d]; d++) {
    if (strcmp(names[d], dialect) != 0) continue;
    uint64_t whole = wisp_closure_add_system(s->closure, s->hash[d], system);
    snprintf(hash, 20, "%016llx", (unsigned long long)whole);
  }
}

int wisp_strategy_params(const wisp_strategy *s, const wisp_param **params)
{
  *params = s->param;
  return s->params;
}
