#include "../runtime/solve/current.h"
#include "cli.h"
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const wisp_option options[] = {
    {"db", 0, "FILE", "the store in question, in place of the user's default one"},
    {"output", 'o', "FILE", "export: write there, not to the terminal"},
    {"format", 0, "json|text", "export: JSON (default), or the shipped form, one line a trial"},
    {"winners", 0, NULL, "export --format text: only winners and defaults"},
    {"failed", 0, NULL, "prune: remove what did not end ok"},
    {"stale", 0, NULL, "prune: remove what was measured with other kernel texts than today's"},
    {"before", 0, "DATE", "prune: remove what was measured before 2026-11-21 or 2026-11-21T08:00:00Z"},
    {"device", 'd', "DEV", "prune: of this device alone; without another choice, all of it"},
    {"json", 0, NULL, "show: as JSON"},
};
static const wisp_syntax syntax = {"wisp db show|export|import|merge|check|prune [options] [FILE...]",
                                   "show          what is stored, by layer and device\n"
                                   "export        every trial as JSON or text\n"
                                   "import FILE   adds the trials of an export (- reads standard input)\n"
                                   "merge FILE... adds the trials of other stores; the later measurement of two stays\n"
                                   "check         reads and verifies all of a store\n"
                                   "prune         removes trials: --failed, --stale, --before, --device",
                                   options, sizeof options / sizeof *options, -1};

/* An action on the store at path; its operands are args->operands[1..]. */
typedef wisp_status (*action)(wisp_error *err, const wisp_arguments *args, const char *path);

/* One line of show: what a layer holds of a device. */
typedef struct holding {
  wisp_layer layer;
  const wisp_trial *sample; /* for device and target */
  size_t trials, ok;
} holding;

/* Trials by layer and device, in order of appearance; at most `most` lines. */
static size_t count_holdings(const wisp_store *store, size_t most, holding *list)
{
  size_t count = 0;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    size_t at = 0;
    while (at < count && (list[at].layer != layer || strcmp(list[at].sample->device, t->device) != 0 ||
                          strcmp(list[at].sample->target, t->target) != 0))
      at++;
    if (at == most) continue;
    if (at == count) list[count++] = (holding){layer, t, 0, 0};
    list[at].trials++;
    list[at].ok += strcmp(t->outcome, "ok") == 0;
  }
  return count;
}

/* A JSON string with what must be escaped. */
static void print_json_string(const char *text)
{
  putchar('"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    if ((unsigned char)*text < ' ')
      printf("\\u%04x", (unsigned char)*text);
    else
      putchar(*text);
  }
  putchar('"');
}

static wisp_status show(wisp_error *err, const wisp_arguments *args, const char *path)
{
  enum { MOST = 256 };
  holding list[MOST];
  wisp_status status = WISP_OK;
  wisp_store *store = NULL;
  char *warning = NULL;
  bool json = wisp_option_given(args, "json");
  TRY(wisp_store_open(err, path, true, &warning, &store));
  if (warning) wisp_cli_warn(args, warning);
  size_t count = count_holdings(store, MOST, list);
  if (json)
    printf("[");
  else
    printf("%s%s\n%-8s %-32s %-8s %8s %8s %8s\n", path, access(path, F_OK) == 0 ? "" : " (not there yet)", "layer",
           "device", "target", "trials", "ok", "other");
  for (size_t i = 0; i < count; i++) {
    const holding *h = &list[i];
    if (json) {
      printf("%s\n{\"layer\":\"%s\",\"device\":", i ? "," : "", wisp_layer_name(h->layer));
      print_json_string(h->sample->device);
      printf(",\"target\":");
      print_json_string(h->sample->target);
      printf(",\"trials\":%zu,\"ok\":%zu}", h->trials, h->ok);
    } else
      printf("%-8s %-32s %-8s %8zu %8zu %8zu\n", wisp_layer_name(h->layer), h->sample->device, h->sample->target,
             h->trials, h->ok, h->trials - h->ok);
  }
  if (json) printf("\n]\n");
done:
  free(warning);
  wisp_store_close(store);
  return status;
}

/* Under another name first, so that no earlier export is lost to a full disk; what is no file (/dev/null) is written
 * to. */
static wisp_status write_file(wisp_error *err, const char *path, const wisp_text *text)
{
  wisp_status status = WISP_OK;
  wisp_text other = {0};
  struct stat there;
  bool direct = stat(path, &there) == 0 && !S_ISREG(there.st_mode), good;
  TRY(direct ? wisp_text_add(err, &other, path, strlen(path))
             : wisp_text_print(err, &other, "%s.%ld.tmp", path, (long)getpid()));
  FILE *file = fopen(other.data, "wb");
  good = file && fwrite(text->data, 1, text->length, file) == text->length;
  if (file && fclose(file) != 0) good = false;
  if (good && !direct) good = rename(other.data, path) == 0;
  int reason = errno;
  if (!good && !direct && file) unlink(other.data);
  TRY(wisp_require(err, good, WISP_ESYSTEM, "%s: cannot be written: %s: make room, or choose another file with -o",
                   path, strerror(reason)));
done:
  wisp_text_free(&other);
  return status;
}

static wisp_status export_all(wisp_error *err, const wisp_arguments *args, const char *path)
{
  static const char *const formats[] = {"json", "text"};
  wisp_status status = WISP_OK;
  wisp_text text = {0};
  size_t format;
  const char *name = wisp_option_value(args, "output");
  TRY(wisp_option_choice(err, args, "format", 2, formats, 0, &format));
  bool winners = wisp_option_given(args, "winners");
  TRY(wisp_require(err, format == 1 || !winners, WISP_EUSAGE, "--winners goes with --format text"));
  TRY(wisp_require(err, access(path, F_OK) == 0, WISP_EMISSING, "%s: there is no such store", path));
  TRY(format == 0 ? wisp_store_export(err, path, &text) : wisp_store_print_shipped(err, path, winners, &text));
  if (name)
    TRY(write_file(err, name, &text));
  else
    TRY(wisp_require(err, fwrite(text.data, 1, text.length, stdout) == text.length && fflush(stdout) == 0, WISP_ESYSTEM,
                     "standard output cannot be written"));
done:
  wisp_text_free(&text);
  return status;
}

static wisp_status import_all(wisp_error *err, const wisp_arguments *args, const char *path)
{
  wisp_status status = WISP_OK;
  char *json = NULL;
  size_t length;
  long long added = 0;
  TRY(wisp_require(err, args->operand_count == 2, WISP_EUSAGE, "import takes one file, or - for standard input"));
  const char *name = args->operands[1];
  TRY(wisp_read_file(err, strcmp(name, "-") == 0 ? "/dev/stdin" : name, &json, &length));
  TRY(wisp_store_import(err, path, json, &added));
  printf("%s: %lld trials added or renewed\n", path, added);
done:
  free(json);
  return status;
}

static wisp_status merge(wisp_error *err, const wisp_arguments *args, const char *path)
{
  wisp_status status = WISP_OK;
  long long added = 0;
  size_t count = (size_t)args->operand_count - 1;
  TRY(wisp_require(err, count >= 1, WISP_EUSAGE, "merge needs the stores to take in: wisp db merge --db INTO FILE..."));
  TRY(wisp_store_merge(err, path, count, (const char *const *)args->operands + 1, &added));
  printf("%s: %lld trials added or renewed from %zu files\n", path, added, count);
done:
  return status;
}

static wisp_status check(wisp_error *err, const wisp_arguments *args, const char *path)
{
  wisp_status status = WISP_OK;
  wisp_text report = {0};
  (void)args;
  TRY(wisp_store_check(err, path, &report));
  fputs(report.data, stdout);
done:
  wisp_text_free(&report);
  return status;
}

/* What prune was asked to remove. */
typedef struct pruning {
  const wisp_arguments *args;
  const wisp_strategies *strategies; /* NULL: staleness does not matter */
} pruning;

static bool keep(const void *context, const wisp_trial *trial)
{
  const pruning *how = context;
  const char *device = wisp_option_value(how->args, "device"), *before = wisp_option_value(how->args, "before");
  bool failed = wisp_option_given(how->args, "failed");
  if (device && strcmp(device, trial->device) != 0) return true;
  if (!before && !failed && !how->strategies) return false; /* all of a device */
  if (failed && strcmp(trial->outcome, "ok") != 0) return false;
  if (before && strcmp(trial->when, before) < 0) return false; /* ISO dates sort as texts */
  return !how->strategies || wisp_trial_is_current(how->strategies, trial);
}

static wisp_status prune(wisp_error *err, const wisp_arguments *args, const char *path)
{
  wisp_status status = WISP_OK;
  wisp_strategies *strategies = NULL;
  long long removed = 0;
  int year, month, day;
  const char *before = wisp_option_value(args, "before");
  bool stale = wisp_option_given(args, "stale");
  TRY(wisp_require(err, before || stale || wisp_option_given(args, "failed") || wisp_option_given(args, "device"),
                   WISP_EUSAGE, "prune needs to be told what to remove: --failed, --stale, --before DATE or -d DEV"));
  TRY(wisp_require(err, !before || sscanf(before, "%4d-%2d-%2d", &year, &month, &day) == 3, WISP_EUSAGE,
                   "option --before is '%s', must be a date such as 2026-11-21", before));
  if (stale) TRY(wisp_strategies_load(err, &strategies));
  pruning how = {args, strategies};
  TRY(wisp_store_prune(err, path, keep, &how, &removed));
  printf("%s: %lld trials removed\n", path, removed);
done:
  wisp_strategies_free(strategies);
  return status;
}

int wisp_cli_db(int argc, char **argv)
{
  static const struct {
    const char *name;
    action act;
    bool takes_files;
  } actions[] = {{"show", show, false},  {"export", export_all, false}, {"import", import_all, true},
                 {"merge", merge, true}, {"check", check, false},       {"prune", prune, false}};
  wisp_status status = WISP_OK;
  wisp_error err = {0};
  wisp_arguments args;
  char *path = NULL;
  int exit_status;
  if (!wisp_arguments_read(&syntax, argc, argv, &args, &exit_status)) return exit_status;
  TRY(wisp_require(&err, args.operand_count >= 1, WISP_EUSAGE,
                   "say what to do: show, export, import, merge, check, prune"));
  const char *db = wisp_option_value(&args, "db");
  if (!db) TRY(wisp_store_user_path(&err, &path));
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
    if (strcmp(actions[i].name, args.operands[0]) != 0) continue;
    TRY(wisp_require(&err, actions[i].takes_files || args.operand_count == 1, WISP_EUSAGE,
                     "%s takes no file ('%s'): name the store with --db", actions[i].name, args.operands[1]));
    TRY(actions[i].act(&err, &args, db ? db : path));
    goto done;
  }
  TRY(wisp_fail(&err, WISP_EUSAGE, "there is no '%s': it is show, export, import, merge, check or prune",
                args.operands[0]));
done:
  free(path);
  return wisp_cli_end(&args, status, &err);
}
