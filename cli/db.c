/* wisp db: what is stored, and the care of it: the list of its actions, and the short ones. */
#include "db.h"
#include "cli.h"
#include "print.h"
#include "../runtime/cache_folder.h"
#include "../runtime/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- salvage */

static wisp_status salvage(wisp_error *err, const wisp_arguments *args, const char *path)
{
  wisp_salvaged found;
  OWNED(free) char *backup = NULL;
  const char *into = NULL;
  CALL(wisp_require(err, args->operand_count <= 2, WISP_EUSAGE, "salvage takes one file: wisp db salvage FILE"));
  CALL(wisp_option_output(err, args, "output", NULL, &into));
  if (args->operand_count == 2) path = args->operands[1];
  CALL(wisp_refuse_packed(err, path));
  CALL(wisp_store_salvage(err, path, into, &backup, &found));
  printf("%s: %lld trial%s rescued into %s; %lld damaged left out%s\n", path, found.rescued, wisp_plural(found.rescued),
         into ? into : path, found.damaged, found.complete ? "" : ", and parts that could not be read");
  wisp_db_print_backup(backup);
  return WISP_OK;
}

/* ---- cache */

static wisp_status cache(wisp_error *err, const wisp_arguments *args, const char *path)
{
  wisp_cache_contents there;
  bool clear = wisp_option_given(args, "clear");
  (void)path;
  CALL(wisp_cache_look(err, clear, &there));
  printf("%s: %lld compiled kernels, %.1f MB%s", there.path, there.entries, (double)there.bytes / (1 << 20),
         clear ? ": removed\n" : "");
  if (!clear) printf(" of at most %lld MB (WISP_CACHE_MB)\n", there.limit >> 20);
  return WISP_OK;
}

static wisp_status import_all(wisp_error *err, const wisp_arguments *args, const char *path)
{
  OWNED(free) char *text = NULL;
  size_t length;
  long long added = 0;
  CALL(wisp_require(err, args->operand_count == 2, WISP_EUSAGE, "import takes one file, or - for standard input"));
  const char *name = args->operands[1];
  const bool from_stdin = strcmp(name, "-") == 0;
  CALL(wisp_read_file(err, from_stdin ? "/dev/stdin" : name, &text, &length));
  CALL(wisp_store_import(err, path, from_stdin ? "standard input" : name, text, length, &added));
  printf("%s: %lld trial%s added or renewed\n", path, added, wisp_plural(added));
  return WISP_OK;
}

/* The stores to take in, unpacked where they are packed: a folder each, which go with the list. */
typedef struct sources {
  size_t count;
  char (*folder)[WISP_PACKED_FOLDER];
  wisp_text *path;
} sources;

static void free_sources(sources *list)
{
  for (size_t i = 0; i < list->count; i++) wisp_scratch_remove(list->folder[i]), wisp_text_free(&list->path[i]);
  free(list->folder), free(list->path);
}

static wisp_status merge(wisp_error *err, const wisp_arguments *args, const char *path)
{
  HELD(free_sources) sources from = {0};
  OWNED(free) const char **paths = NULL;
  long long added = 0;
  const size_t count = (size_t)args->operand_count - 1;
  CALL(
      wisp_require(err, count >= 1, WISP_EUSAGE, "merge needs the stores to take in: wisp db merge --db INTO FILE..."));
  CALL(wisp_new(err, count, sizeof *from.folder, &from.folder));
  CALL(wisp_new(err, count, sizeof *from.path, &from.path));
  CALL(wisp_new(err, count, sizeof *paths, &paths));
  for (size_t i = 0; i < count; i++) {
    from.count = i + 1;
    CALL(wisp_unpack(err, args->operands[1 + i], from.folder[i], &from.path[i]));
    paths[i] = from.path[i].data;
  }
  CALL(wisp_store_merge(err, path, count, paths, &added));
  printf("%s: %lld trial%s added or renewed from %zu file%s\n", path, added, wisp_plural(added), count,
         wisp_plural((long long)count));
  return WISP_OK;
}

static wisp_status check(wisp_error *err, const wisp_arguments *args, const char *path)
{
  HELD(wisp_text_free) wisp_text report = {0};
  (void)args;
  CALL(wisp_store_check(err, path, &report));
  char line[4096 + 512];
  report.data[strcspn(report.data, "\n")] = '\0';
  wisp_show_text(report.data, line, sizeof line);
  puts(line);
  return WISP_OK;
}

/* An action on the store at path; its operands are args->operands[1..]. */
typedef struct action {
  const char *name;
  wisp_status (*act)(wisp_error *err, const wisp_arguments *args, const char *path);
  bool takes_files, reads; /* reads: changes nothing, so that the store may be a packed one */
} action;

static const action actions[] = {
    {"show", wisp_db_show, false, true}, {"export", wisp_db_export, false, true},
    {"import", import_all, true, false}, {"merge", merge, true, false},
    {"check", check, false, true},       {"prune", wisp_db_prune, false, false},
    {"salvage", salvage, true, false},   {"cache", cache, false, false},
};

/* A wisp_store_note. */
static void note(void *context, const char *text)
{
  wisp_cli_warn(context, text);
}

/* Waits, and says for whom, until nobody holds the store; and those that it takes in. */
static wisp_status await(wisp_error *err, const wisp_arguments *args, const action *a, const char *path)
{
  const bool layers = a->act == wisp_db_show && !wisp_option_given(args, "db");
  if (a->act == cache || layers) return WISP_OK;
  CALL(wisp_store_await(err, path, !a->reads, note, (void *)args));
  for (int i = 1; a->act == merge && i < args->operand_count; i++)
    CALL(wisp_store_await(err, args->operands[i], false, note, (void *)args));
  return WISP_OK;
}

/* --db, or the default place. */
static wisp_status act_on_store(wisp_error *err, const wisp_arguments *args, const action *a)
{
  HELD(wisp_scratch_remove) char folder[WISP_PACKED_FOLDER] = "";
  HELD(wisp_text_free) wisp_text unpacked = {0};
  OWNED(free) char *own = NULL;
  const char *path = wisp_option_value(args, "db");
  CALL(wisp_require(err, !path || *path, WISP_EUSAGE, "option --db is empty, must be a store's file"));
  if (!path && a->act != cache) CALL(wisp_store_user_path(err, &own));
  CALL(await(err, args, a, path ? path : own));
  if (!path) return a->act(err, args, own);
  if (!a->reads) CALL(wisp_refuse_packed(err, path));
  if (access(path, F_OK) != 0) return a->act(err, args, path);
  CALL(wisp_unpack(err, path, folder, &unpacked));
  return a->act(err, args, unpacked.data);
}

static wisp_status act(wisp_error *err, wisp_arguments *args)
{
  static const char known[] = "show, export, import, merge, check, prune, salvage or cache";
  CALL(wisp_require(err, args->operand_count >= 1, WISP_EUSAGE, "say what to do: %s", known));
  for (size_t i = 0; i < WISP_COUNT(actions); i++) {
    const action *a = &actions[i];
    if (strcmp(a->name, args->operands[0]) != 0) continue;
    CALL(wisp_require(err, a->takes_files || args->operand_count == 1, WISP_EUSAGE,
                      "%s takes no file ('%s'): name the store with --db", a->name, args->operands[1]));
    return act_on_store(err, args, a);
  }
  return wisp_fail(err, WISP_EUSAGE, "there is no '%s': it is %s", args->operands[0], known);
}

const wisp_syntax wisp_db_syntax = {.page = "db", .act = act, .most_operands = -1};
