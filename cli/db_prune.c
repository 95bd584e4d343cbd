/* wisp db prune: what goes, and what would. */
#include "db.h"
#include "print.h"
#include "../runtime/solve/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The trials to remove. */
typedef struct pruning {
  const char *device, *before; /* NULL: whatever it is */
  bool failed;
  const wisp_strategies *strategies; /* NULL: staleness does not matter */
} pruning;

/* A trial without a date is not old. ISO dates sort as texts. */
static bool is_older(const wisp_trial *trial, const char *day)
{
  return wisp_db_is_day(trial->when) && strncmp(trial->when, day, 10) < 0;
}

static bool keep(const void *context, const wisp_trial *trial)
{
  const pruning *how = context;
  if (how->device && strcmp(how->device, trial->device) != 0) return true;
  if (!how->before && !how->failed && !how->strategies) return false; /* all of a device */
  if (how->failed && wisp_trial_verdict(trial) == WISP_VERDICT_FAILED) return false;
  if (how->before && is_older(trial, how->before)) return false;
  return !how->strategies || wisp_trial_is_current(how->strategies, trial);
}

/* Trials to remove, of one device with one outcome. */
typedef struct going {
  const wisp_trial *first, *last; /* by date */
  size_t count;
} going;

static int by_device(const void *x, const void *y)
{
  const wisp_trial *a = *(const wisp_trial *const *)x, *b = *(const wisp_trial *const *)y;
  const int order[] = {strcmp(a->device, b->device), strcmp(a->outcome, b->outcome), strcmp(a->when, b->when)};
  for (size_t i = 0; i < WISP_COUNT(order); i++)
    if (order[i]) return order[i];
  return 0;
}

static void print_going(const going *g)
{
  char device[sizeof g->first->device], outcome[sizeof g->first->outcome];
  wisp_show_text(g->first->device, device, sizeof device);
  wisp_show_text(g->first->outcome, outcome, sizeof outcome);
  printf("%-40s %-14s %8zu  %.10s to %.10s\n", device, outcome, g->count, wisp_db_day_of(g->first),
         wisp_db_day_of(g->last));
}

/* Prints the trials to remove, by device and outcome. */
static wisp_status show_removal(wisp_error *err, const char *path, const pruning *how)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  OWNED(free) const wisp_trial **list = NULL;
  size_t count = 0, whole = 0;
  wisp_layer layer;
  CALL(wisp_require(err, access(path, F_OK) == 0, WISP_EMISSING,
                    "%s: there is no tuning store here: check the path, or fill one with wisp tune", path));
  CALL(wisp_store_open(err, path, false, NULL, &store));
  CALL(wisp_new(err, wisp_store_count(store), sizeof *list, &list));
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    const wisp_trial *trial = wisp_store_trial(store, i, &layer);
    whole += layer == WISP_LAYER_USER;
    if (layer == WISP_LAYER_USER && !keep(how, trial)) list[count++] = trial;
  }
  qsort(list, count, sizeof *list, by_device);
  for (size_t i = 0, from = 0; i < count; i++) {
    bool end = i + 1 == count || strcmp(list[i]->device, list[i + 1]->device) != 0 ||
               strcmp(list[i]->outcome, list[i + 1]->outcome) != 0;
    if (!end) continue;
    print_going(&(going){list[from], list[i], i + 1 - from});
    from = i + 1;
  }
  printf("%s: %zu trial%s would be removed, and %zu stay\n", path, count, wisp_plural((long long)count), whole - count);
  return WISP_OK;
}

wisp_status wisp_db_prune(wisp_error *err, const wisp_arguments *args, const char *path)
{
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  OWNED(free) char *backup = NULL;
  long long removed = 0;
  char device[128] = "";
  pruning how = {.before = wisp_option_value(args, "before"), .failed = wisp_option_given(args, "failed")};
  bool stale = wisp_option_given(args, "stale"), keep_old = !wisp_option_given(args, "no-backup");
  CALL(wisp_option_stored_device(err, args, device));
  if (*device) how.device = device;
  CALL(wisp_require(err, how.before || stale || how.failed || how.device, WISP_EUSAGE,
                    "prune needs to be told what to remove: --failed, --stale, --before DATE or -d DEV"));
  CALL(wisp_require(err, !how.before || (strlen(how.before) == 10 && wisp_db_is_day(how.before)), WISP_EUSAGE,
                    "option --before is '%s', must be a day such as 2026-11-21", how.before));
  if (stale) CALL(wisp_strategies_load(err, &strategies));
  how.strategies = strategies;
  if (wisp_option_given(args, "dry-run")) return show_removal(err, path, &how);
  CALL(wisp_store_prune(err, path, keep, &how, keep_old ? &backup : NULL, &removed));
  printf("%s: %lld trial%s removed\n", path, removed, wisp_plural(removed));
  wisp_db_print_backup(backup);
  return WISP_OK;
}
