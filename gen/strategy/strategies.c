/* The list of strategies: those of every NAME.STRATEGY.space of the embedded templates, then those of $WISP_TEMPLATES,
 * where systems of equations may stand as well. */
#include "defaults.h"
#include "space_read.h"
#include "source_set.h"
#include "../text.h"

/* Adds a strategy. A name is one strategy's: trials name no text, and would answer for another. */
static wisp_status add(wisp_error *err, wisp_strategies *all, const char *space, wisp_source_set *source_set,
                       wisp_strategy *new)
{
  OWNED(wisp_strategy_destroy) wisp_strategy *s = new;
  CALL(wisp_new(err, 1, sizeof *s->hash, &s->hash));
  s->source_set = source_set;
  CALL(wisp_require(err, !wisp_strategies_find(all, s->family, s->kernel, s->name), WISP_EINPUT,
                    "%s: kernel %s has a strategy '%s' already: give this one a name of its own", space, s->kernel,
                    s->name));
  CALL(wisp_grow(err, &all->list, &all->capacity, all->count + 1, sizeof *all->list));
  CALL(wisp_strategies_enter(err, all, s));
  return GIVE(s, &all->list[all->count++]);
}

/* Adds what templates/FAMILY/STEM.STRATEGY.space describes, once for each of its kernels; other files are none. */
static wisp_status add_file(wisp_error *err, wisp_strategies *all, const wisp_template_path *template_path,
                            wisp_source_set *source_set, const wisp_embedded *file)
{
  char family[64], name[WISP_STRATEGY_TEXT + 1], kernel[WISP_NAME_TEXT], path[WISP_SHOWN_PATH];
  const char *in = file->path + strlen("templates/"), *stem = strrchr(file->path, '/'), *dot = strchr(stem, '.');
  const char *ending = strrchr(stem, '.');
  if (strncmp(file->path, "templates/", strlen("templates/")) != 0 || stem < in) return WISP_OK;
  if (!dot || dot == ending || strcmp(ending, ".space") != 0) return WISP_OK;
  snprintf(family, sizeof family, "%.*s", (int)(stem - in), in);
  snprintf(name, sizeof name, "%.*s", (int)(ending - dot - 1), dot + 1);
  wisp_template_path_shown(template_path, file, path);
  for (int i = 0; wisp_space_kernel(file->text, i, kernel) || !i; i++) {
    wisp_strategy *s = NULL;
    CALL(wisp_space_read(err, template_path, family, name, i ? kernel : NULL, (wisp_file_text){path, file->text}, NULL,
                         &s));
    CALL(add(err, all, path, source_set, s));
    if (i == 0 && s->note.length)
      CALL(wisp_text_print(err, &all->warning, "%s%s", all->warning.length ? "\n" : "", s->note.data));
  }
  return WISP_OK;
}

static int by_name(const void *a, const void *b)
{
  const wisp_strategy *s = *(wisp_strategy *const *)a, *t = *(wisp_strategy *const *)b;
  const int families = strcmp(s->family, t->family), kernels = strcmp(s->kernel, t->kernel);
  return families ? families : kernels ? kernels : strcmp(s->name, t->name);
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
  const wisp_template_path template_path = {.files = files, .count = count};
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  CALL(wisp_new(err, 1, sizeof *all, &all));
  CALL(wisp_source_set_create(err, files, count, &all->source_set));
  for (size_t i = 0; i < count; i++) CALL(add_file(err, all, &template_path, all->source_set, &files[i]));
  if (all->count) qsort(all->list, all->count, sizeof *all->list, by_name); /* files of several kernels mix them up */
  CALL(add_defaults(err, all, files, count));
  return GIVE(all, out);
}

/* A system of the user's is one that can be read, and has no other's name: trials name no text. */
static wisp_status check_system(wisp_error *err, const wisp_template_path *users, const wisp_embedded *file)
{
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  const char *ending = strrchr(file->path, '.');
  char path[WISP_SHOWN_PATH];
  wisp_template_path_shown(users, file, path);
  if (ending && strcmp(ending, ".form") == 0)
    return wisp_require(err, !wisp_embedded_text(file->path), WISP_EINPUT,
                        "%s: there is a form of this name already: give this one a name of its own", path);
  if (strncmp(file->path, "templates/systems/", strlen("templates/systems/")) != 0) return WISP_OK;
  CALL(wisp_system_parse(err, path, file->text, &system));
  return wisp_system_check_name(err, path, system->name);
}

/* Leaves out the systems and forms that cannot be used, with a line of the warning for each: who asks for one is told
 * of it then. */
static wisp_status leave_out_broken(wisp_error *err, wisp_template_path *users, wisp_text *warning)
{
  wisp_embedded *files = (wisp_embedded *)users->files; /* the list of the template path */
  size_t kept = 0;
  for (size_t i = 0; i < users->count; i++) {
    wisp_error why = {.text = ""};
    const wisp_status status = i < users->own ? check_system(&why, users, &files[i]) : WISP_OK;
    CALL(wisp_require(err, status != WISP_EMEMORY, status, "%s", why.text));
    if (status == WISP_OK) {
      files[kept++] = files[i];
      continue;
    }
    CALL(wisp_template_path_leave_out(err, why.text, warning));
    free((char *)files[i].path), free((char *)files[i].text), free((char *)files[i].from);
  }
  users->own -= users->count - kept;
  users->count = kept;
  return WISP_OK;
}

/* The strategies and systems of a folder of the user's; the library's strategies serve the systems as well. */
static wisp_status add_users(wisp_error *err, wisp_strategies *all, const char *folder)
{
  CALL(wisp_template_path_load(err, folder, &all->warning, &all->users));
  CALL(leave_out_broken(err, &all->users, &all->warning));
  CALL(wisp_source_set_create(err, all->users.files, all->users.count, &all->users_sources));
  CALL(wisp_source_set_share_systems(err, all->source_set, all->users_sources));
  for (size_t i = 0; i < all->users.own; i++)
    CALL(add_file(err, all, &all->users, all->users_sources, &all->users.files[i]));
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
  wisp_template_path_free(&all->users);
  wisp_text_free(&all->warning);
  wisp_source_set_free(all->source_set), wisp_source_set_free(all->users_sources);
  free(all->by_name);
  free(all->list);
  free(all);
}
