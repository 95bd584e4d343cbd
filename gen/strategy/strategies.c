/* The list of strategies: those of every NAME.STRATEGY.space of the embedded templates, then those of $WISP_TEMPLATES,
 * where systems of equations may stand as well. */
#include "defaults.h"
#include "space_read.h"
#include "closure.h"
#include "../text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WISP_OWNED(DIR, closedir)

/* ---- Where their texts stand. */

static const char root[] = "templates/";

static bool ends_with(const char *name, const char *ending)
{
  const size_t length = strlen(name), end = strlen(ending);
  return length > end && strcmp(name + length - end, ending) == 0;
}

static bool is_text(const char *name)
{
  static const char *const endings[] = {".space", ".k", ".part", ".system", ".form"};
  if (strcmp(name, "names") == 0) return true;
  for (size_t i = 0; i < WISP_COUNT(endings); i++)
    if (ends_with(name, endings[i])) return true;
  return false;
}

/* A list of files that grows. */
typedef struct pile {
  wisp_embedded *files;
  size_t count, room, own; /* own: how many of them it has read itself */
} pile;

static wisp_status put(wisp_error *err, pile *p, const wisp_embedded *file)
{
  CALL(wisp_grow(err, &p->files, &p->room, p->count + 1, sizeof *file));
  p->files[p->count++] = *file;
  return WISP_OK;
}

/* A line of a warning: why a file is not used. */
static wisp_status note_left_out(wisp_error *err, const char *why, wisp_text *warning)
{
  return wisp_text_print(err, warning, WISP_MESSAGE("%s%s; left out"), warning->length ? "\n" : "", why);
}

/* Systems and forms are read by their names; all other texts take part in every choice. */
static bool is_asked_for_by_name(const char *name)
{
  return ends_with(name, ".system") || ends_with(name, ".form");
}

/* Reads folder/family/name, which stands there as templates/family/name. */
static wisp_status put_file(wisp_error *err, pile *p, const char *folder, const char *family, const char *name)
{
  char path[WISP_SHOWN_PATH];
  OWNED(free) char *text = NULL, *known = NULL;
  size_t length = 0;
  snprintf(path, sizeof path, "%s/%s/%s", folder, family, name);
  CALL(wisp_read_file(err, path, &text, &length));
  snprintf(path, sizeof path, "%s%s/%s", root, family, name);
  known = strdup(path);
  CALL(wisp_require(err, known, WISP_EMEMORY, "out of memory"));
  CALL(put(err, p, &(wisp_embedded){known, text, length}));
  p->own++;
  known = text = NULL;
  return WISP_OK;
}

/* Hidden files are none, such as the locks of editors. */
static wisp_status add_family(wisp_error *err, pile *p, const char *folder, const char *family, wisp_text *warning)
{
  char path[WISP_SHOWN_PATH];
  wisp_error why = {.text = ""};
  snprintf(path, sizeof path, "%s/%s", folder, family);
  OWNED(closedir) DIR *dir = opendir(path); /* of plain files there is none */
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    const char *name = entry->d_name;
    if (*name == '.' || !is_text(name)) continue;
    const wisp_status status = put_file(&why, p, folder, family, name);
    if (status == WISP_ESYSTEM && is_asked_for_by_name(name))
      CALL(note_left_out(err, why.text, warning));
    else
      CALL(wisp_require(err, status == WISP_OK, status, "%s", why.text));
  }
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

wisp_status wisp_shelf_load(wisp_error *err, const char *folder, wisp_text *warning, wisp_shelf *out)
{
  wisp_status status = WISP_OK;
  pile p = {0};
  char *name = strdup(folder);
  OWNED(closedir) DIR *dir = opendir(folder);
  TRY(wisp_require(err, name, WISP_EMEMORY, "out of memory"));
  TRY(wisp_require(err, dir, WISP_EINPUT, "WISP_TEMPLATES: cannot open folder %s", folder));
  for (struct dirent *entry; (entry = readdir(dir));)
    if (entry->d_name[0] != '.') TRY(add_family(err, &p, folder, entry->d_name, warning));
  if (p.own) qsort(p.files, p.own, sizeof *p.files, by_path);
  for (size_t i = 0; i < wisp_embedded_count; i++) TRY(put(err, &p, &wisp_embedded_files[i]));
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

bool wisp_part_name(const wisp_embedded *file, const char *folder, char name[64])
{
  const size_t length = strlen(folder);
  const char *at = file->path;
  if (strncmp(at, root, sizeof root - 1) != 0) return false;
  at += sizeof root - 1;
  if (strncmp(at, folder, length) != 0 || at[length] != '/') return false;
  at += length + 1;
  const size_t stem = strcspn(at, "/.");
  if (!stem || stem >= 64 || strcmp(at + stem, ".part") != 0) return false;
  memcpy(name, at, stem);
  name[stem] = '\0';
  return true;
}

/* ---- Strategies. */

/* The place of a strategy in the hash table, or the free one where it would go; there is always one. */
static wisp_strategy **place_of(const wisp_strategies *all, const char *family, const char *kernel, const char *name)
{
  const uint64_t hash = wisp_hash_text(wisp_hash_text(wisp_hash_text(WISP_HASH_SEED, family), kernel), name);
  size_t i = hash & (all->places - 1);
  for (const wisp_strategy *s; (s = all->by_name[i]); i = (i + 1) & (all->places - 1))
    if (strcmp(s->name, name) == 0 && strcmp(s->kernel, kernel) == 0 && strcmp(s->family, family) == 0) break;
  return &all->by_name[i];
}

/* A table with at least twice as many places as strategies. */
static wisp_status grow_table(wisp_error *err, wisp_strategies *all)
{
  wisp_strategy **table = NULL;
  if (2 * (all->count + 1) <= all->places) return WISP_OK;
  const size_t places = all->places ? 2 * all->places : 512;
  CALL(wisp_new(err, places, sizeof *table, &table));
  free(all->by_name);
  all->by_name = table;
  all->places = places;
  for (size_t i = 0; i < all->count; i++)
    *place_of(all, all->list[i]->family, all->list[i]->kernel, all->list[i]->name) = all->list[i];
  return WISP_OK;
}

/* Adds a strategy. A name is one strategy's: trials name no text, and would answer for another. */
static wisp_status add(wisp_error *err, wisp_strategies *all, const char *space, wisp_closure *closure,
                       wisp_strategy *new)
{
  OWNED(wisp_strategy_destroy) wisp_strategy *s = new;
  CALL(wisp_closure_hash(err, closure, s, s->hash));
  s->closure = closure;
  CALL(wisp_require(err, !wisp_strategies_find(all, s->family, s->kernel, s->name), WISP_EINPUT,
                    "%s: kernel %s has a strategy '%s' already: give this one a name of its own", space, s->kernel,
                    s->name));
  CALL(wisp_grow(err, &all->list, &all->room, all->count + 1, sizeof *all->list));
  CALL(grow_table(err, all));
  *place_of(all, s->family, s->kernel, s->name) = s;
  return GIVE(s, &all->list[all->count++]);
}

/* Adds what templates/FAMILY/STEM.STRATEGY.space describes, once for each of its kernels; other files are none. */
static wisp_status add_file(wisp_error *err, wisp_strategies *all, const wisp_shelf *shelf, wisp_closure *closure,
                            const wisp_embedded *file)
{
  char family[64], name[WISP_STRATEGY_TEXT + 1], kernel[WISP_NAME_TEXT], path[WISP_SHOWN_PATH];
  const char *in = file->path + strlen("templates/"), *stem = strrchr(file->path, '/'), *dot = strchr(stem, '.');
  const char *ending = strrchr(stem, '.');
  if (strncmp(file->path, "templates/", strlen("templates/")) != 0 || stem < in) return WISP_OK;
  if (!dot || dot == ending || strcmp(ending, ".space") != 0) return WISP_OK;
  snprintf(family, sizeof family, "%.*s", (int)(stem - in), in);
  snprintf(name, sizeof name, "%.*s", (int)(ending - dot - 1), dot + 1);
  wisp_shelf_shown(shelf, file, path);
  for (int i = 0; wisp_space_kernel(file->text, i, kernel) || !i; i++) {
    wisp_strategy *s = NULL;
    CALL(wisp_space_read(err, shelf, family, name, i ? kernel : NULL, (wisp_file_text){path, file->text}, NULL, &s));
    CALL(add(err, all, path, closure, s));
  }
  return WISP_OK;
}

static int by_name(const void *a, const void *b)
{
  const wisp_strategy *s = *(wisp_strategy *const *)a, *t = *(wisp_strategy *const *)b;
  const int families = strcmp(s->family, t->family), kernels = strcmp(s->kernel, t->kernel);
  return families ? families : kernels ? kernels : strcmp(s->name, t->name);
}

/* The library's own, in the order of their names: files of several kernels do not mix them up. */
static wisp_status add_files(wisp_error *err, wisp_strategies *all, const wisp_embedded *files, size_t count)
{
  const wisp_shelf shelf = {.files = files, .count = count};
  for (size_t i = 0; i < count; i++) CALL(add_file(err, all, &shelf, all->closure, &files[i]));
  if (all->count) qsort(all->list, all->count, sizeof *all->list, by_name);
  return WISP_OK;
}

/* templates/FAMILY/defaults of every family. */
static wisp_status add_defaults(wisp_error *err, wisp_strategies *all, const wisp_embedded *files, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const wisp_embedded *file = &files[i];
    char family[32];
    int end = 0;
    if (sscanf(file->path, "templates/%31[^/]/defaults%n", family, &end) != 1 || !end || file->path[end]) continue;
    CALL(wisp_require(err, all->families < WISP_MAX_FAMILIES, WISP_EINPUT, "%s: more than %d families", file->path,
                      WISP_MAX_FAMILIES));
    memcpy(all->family[all->families], family, sizeof family);
    CALL(wisp_defaults_parse(err, file->path, file->text, &all->defaults[all->families]));
    all->families++;
  }
  return WISP_OK;
}

wisp_status wisp_strategies_load_from(wisp_error *err, const wisp_embedded *files, size_t count, wisp_strategies **out)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  CALL(wisp_new(err, 1, sizeof *all, &all));
  CALL(wisp_closure_create(err, files, count, &all->closure));
  CALL(add_files(err, all, files, count));
  CALL(add_defaults(err, all, files, count));
  return GIVE(all, out);
}

/* A system of the user's is one that can be read, and has no other's name: trials name no text. */
static wisp_status check_system(wisp_error *err, const wisp_shelf *users, const wisp_embedded *file)
{
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  char path[WISP_SHOWN_PATH];
  wisp_shelf_shown(users, file, path);
  if (ends_with(file->path, ".form"))
    return wisp_require(err, !wisp_embedded_text(file->path), WISP_EINPUT,
                        "%s: there is a form of this name already: give this one a name of its own", path);
  if (strncmp(file->path, "templates/systems/", strlen("templates/systems/")) != 0) return WISP_OK;
  CALL(wisp_system_parse(err, path, file->text, &system));
  return wisp_system_check_name(err, path, system->name);
}

/* Leaves out the systems and forms that cannot be used, with a line of the warning for each: who asks for one is told
 * of it then. */
static wisp_status leave_out_broken(wisp_error *err, wisp_shelf *users, wisp_text *warning)
{
  wisp_embedded *files = (wisp_embedded *)users->files; /* the shelf's own list */
  size_t kept = 0;
  for (size_t i = 0; i < users->count; i++) {
    wisp_error why = {.text = ""};
    const wisp_status status = i < users->own ? check_system(&why, users, &files[i]) : WISP_OK;
    CALL(wisp_require(err, status != WISP_EMEMORY, status, "%s", why.text));
    if (status == WISP_OK) {
      files[kept++] = files[i];
      continue;
    }
    CALL(note_left_out(err, why.text, warning));
    free((char *)files[i].path), free((char *)files[i].text);
  }
  users->own -= users->count - kept;
  users->count = kept;
  return WISP_OK;
}

/* The strategies and systems of a folder of the user's; the library's strategies serve the systems as well. */
static wisp_status add_users(wisp_error *err, wisp_strategies *all, const char *folder)
{
  CALL(wisp_shelf_load(err, folder, &all->warning, &all->users));
  CALL(leave_out_broken(err, &all->users, &all->warning));
  CALL(wisp_closure_create(err, all->users.files, all->users.count, &all->users_closure));
  CALL(wisp_closure_share_systems(err, all->closure, all->users_closure));
  for (size_t i = 0; i < all->users.own; i++)
    CALL(add_file(err, all, &all->users, all->users_closure, &all->users.files[i]));
  return WISP_OK;
}

wisp_status wisp_strategies_load(wisp_error *err, wisp_strategies **out)
{
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  const char *folder = getenv("WISP_TEMPLATES");
  CALL(wisp_strategies_load_from(err, wisp_embedded_files, wisp_embedded_count, &all));
  if (folder && *folder) CALL(add_users(err, all, folder));
  return GIVE(all, out);
}

void wisp_strategies_free(wisp_strategies *all)
{
  if (!all) return;
  for (size_t i = 0; i < all->count; i++) wisp_strategy_destroy(all->list[i]);
  for (int i = 0; i < all->families; i++) wisp_defaults_destroy(all->defaults[i]);
  wisp_shelf_free(&all->users);
  wisp_text_free(&all->warning);
  wisp_closure_free(all->closure), wisp_closure_free(all->users_closure);
  free(all->by_name);
  free(all->list);
  free(all);
}

const wisp_strategy *wisp_strategies_find(const wisp_strategies *all, const char *family, const char *kernel,
                                          const char *name)
{
  return all->places ? *place_of(all, family, kernel, name) : NULL;
}

const wisp_defaults *wisp_strategies_defaults(const wisp_strategies *all, const char *family)
{
  for (int i = 0; i < all->families; i++)
    if (strcmp(all->family[i], family) == 0) return all->defaults[i];
  return NULL;
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
