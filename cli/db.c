#include "db.h"
#include "cli.h"
#include "../cache/store.h"
#include "../gen/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static wisp_status export_all(wisp_error *err, const wisp_arguments *args, const char *path)
{
  static const char *const formats[] = {"json", "text"};
  HELD(wisp_text_free) wisp_text text = {0};
  size_t format;
  const char *name = wisp_option_value(args, "output");
  CALL(wisp_option_choice(err, args, "format", 2, formats, 0, &format));
  bool winners = wisp_option_given(args, "winners");
  CALL(wisp_require(err, access(path, F_OK) == 0, WISP_EMISSING, "%s: there is no such store", path));
  CALL(format == 0 ? wisp_store_export(err, path, winners, &text)
                   : wisp_store_print_shipped(err, path, winners, &text));
  if (name)
    CALL(wisp_write_file(err, name, wisp_fill_text, &text));
  else
    CALL(wisp_require(err, fwrite(text.data, 1, text.length, stdout) == text.length && fflush(stdout) == 0,
                      WISP_ESYSTEM, "standard output cannot be written"));
  return WISP_OK;
}

static wisp_status import_all(wisp_error *err, const wisp_arguments *args, const char *path)
{
  OWNED(free) char *text = NULL;
  size_t length;
  long long added = 0;
  CALL(wisp_require(err, args->operand_count == 2, WISP_EUSAGE, "import takes one file, or - for standard input"));
  const char *name = args->operands[1];
  CALL(wisp_read_file(err, strcmp(name, "-") == 0 ? "/dev/stdin" : name, &text, &length));
  CALL(wisp_store_import(err, path, text, length, &added));
  printf("%s: %lld trials added or renewed\n", path, added);
  return WISP_OK;
}

static wisp_status merge(wisp_error *err, const wisp_arguments *args, const char *path)
{
  long long added = 0;
  size_t count = (size_t)args->operand_count - 1;
  CALL(
      wisp_require(err, count >= 1, WISP_EUSAGE, "merge needs the stores to take in: wisp db merge --db INTO FILE..."));
  CALL(wisp_store_merge(err, path, count, (const char *const *)args->operands + 1, &added));
  printf("%s: %lld trials added or renewed from %zu files\n", path, added, count);
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
typedef wisp_status (*action)(wisp_error *err, const wisp_arguments *args, const char *path);

static wisp_status act(wisp_error *err, wisp_arguments *args)
{
  static const struct {
    const char *name;
    action act;
    bool takes_files;
  } actions[] = {{"show", wisp_db_show, false},
                 {"export", export_all, false},
                 {"import", import_all, true},
                 {"merge", merge, true},
                 {"check", check, false},
                 {"prune", wisp_db_prune, false},
                 {"salvage", wisp_db_salvage, true},
                 {"cache", wisp_db_cache, false}};
  static const char known[] = "show, export, import, merge, check, prune, salvage or cache";
  OWNED(free) char *path = NULL;
  CALL(wisp_require(err, args->operand_count >= 1, WISP_EUSAGE, "say what to do: %s", known));
  const char *db = wisp_option_value(args, "db");
  CALL(wisp_require(err, !db || *db, WISP_EUSAGE, "option --db is empty, must be a store's file"));
  for (size_t i = 0; i < WISP_COUNT(actions); i++) {
    if (strcmp(actions[i].name, args->operands[0]) != 0) continue;
    CALL(wisp_require(err, actions[i].takes_files || args->operand_count == 1, WISP_EUSAGE,
                      "%s takes no file ('%s'): name the store with --db", actions[i].name, args->operands[1]));
    if (!db && actions[i].act != wisp_db_cache) CALL(wisp_store_user_path(err, &path));
    return actions[i].act(err, args, db ? db : path);
  }
  return wisp_fail(err, WISP_EUSAGE, "there is no '%s': it is %s", args->operands[0], known);
}

const wisp_syntax wisp_db_syntax = {.page = "db", .act = act, .most_operands = -1};
