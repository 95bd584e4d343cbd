/* wisp tune --replay: what it is asked, and its table. */
#include "cli.h"
#include "print.h"
#include "../tuner/search/replay.h"

#include <stdio.h>
#include <stdlib.h>

/* The sweep in the source tree that the shipped winners come from. */
static const char *const SWEEP = "bench/sweeps/nvidia-h200.db.gz";

static void print_row(const char *name, const double percent[WISP_REPLAY_POINTS])
{
  printf("%-28s", name);
  for (int p = 0; p < WISP_REPLAY_POINTS; p++) printf(" %6.2f", percent[p]);
}

static void name_target(const wisp_replay_target *t, char text[WISP_NAME_TEXT + 24])
{
  snprintf(text, WISP_NAME_TEXT + 24, "%s N=%d %s", t->kernel, t->order, wisp_precision_name(t->precision));
}

static void print_table(const wisp_replay *replay, bool seeded)
{
  char name[WISP_NAME_TEXT + 24];
  printf("percent of the optimum, %s", seeded ? "seeded" : "unseeded");
  printf("\n%-28s", "after trials");
  for (int p = 0; p < WISP_REPLAY_POINTS; p++) printf(" %6d", wisp_replay_after[p]);
  printf("  total  best ms\n");
  for (size_t i = 0; i < replay->count; i++) {
    const wisp_replay_target *t = &replay->targets[i];
    name_target(t, name);
    print_row(name, t->percent);
    printf("  %5zu %8.4f\n", t->candidates, t->optimum);
  }
  print_row("geometric mean", replay->mean);
  printf("\n");
  print_row("at random, expected", replay->random);
  printf("\n");
  print_row("worst", replay->worst);
  printf("\n");
  for (int p = 0; p < WISP_REPLAY_POINTS; p++) {
    name_target(&replay->targets[replay->worst_target[p]], name);
    printf("worst after %d: %s\n", wisp_replay_after[p], name);
  }
}

static cJSON *row(const double percent[WISP_REPLAY_POINTS])
{
  return cJSON_CreateDoubleArray(percent, WISP_REPLAY_POINTS);
}

static wisp_status print_json(wisp_error *err, const wisp_replay *replay, bool seeded)
{
  cJSON *object = cJSON_CreateObject(), *list = NULL;
  cJSON_AddBoolToObject(object, "seeded", seeded);
  cJSON_AddItemToObject(object, "trials", cJSON_CreateIntArray(wisp_replay_after, WISP_REPLAY_POINTS));
  cJSON_AddItemToObject(object, "geometric_mean", row(replay->mean));
  cJSON_AddItemToObject(object, "random", row(replay->random));
  cJSON_AddItemToObject(object, "worst", row(replay->worst));
  list = cJSON_AddArrayToObject(object, "targets");
  for (size_t i = 0; i < replay->count; i++) {
    const wisp_replay_target *t = &replay->targets[i];
    const wisp_json_text kernel = {"kernel", t->kernel};
    cJSON *item = wisp_json_object(1, &kernel, 1, &(wisp_json_number){"order", t->order});
    const wisp_json_number numbers[] = {{"candidates", (double)t->candidates}, {"optimum_ms", t->optimum}};
    wisp_json_add_texts(item, 1, &(wisp_json_text){"precision", wisp_precision_name(t->precision)});
    wisp_json_add_numbers(item, WISP_COUNT(numbers), numbers);
    cJSON_AddItemToObject(item, "percent", row(t->percent));
    cJSON_AddItemToArray(list, item);
  }
  return wisp_json_put(err, object);
}

wisp_status wisp_cli_replay(wisp_error *err, const wisp_arguments *args)
{
  const char *path = wisp_option_value(args, "db"), *family = wisp_option_family(args);
  bool unseeded = wisp_option_given(args, "unseeded");
  wisp_orders orders;
  wisp_precisions precisions;
  size_t count = 0;
  OWNED(free) wisp_trial *trials = NULL;
  HELD(wisp_replay_free) wisp_replay replay = {0};
  CALL(wisp_require(err, !unseeded || !wisp_option_given(args, "seeded"), WISP_EUSAGE,
                    "--seeded and --unseeded exclude each other: leave one out"));
  CALL(wisp_option_orders(err, args, "orders", family, NULL, &orders));
  CALL(wisp_option_precisions(err, args, "precision", "f32,f64", &precisions));
  wisp_replay_request request = {.family = family,
                                 .kernel = wisp_option_value(args, "kernel"),
                                 .orders = orders.count,
                                 .precisions = precisions.count,
                                 .seeded = !unseeded};
  for (int i = 0; i < orders.count; i++) request.order[i] = orders.list[i];
  for (int i = 0; i < precisions.count; i++) request.precision[i] = precisions.list[i];
  CALL(wisp_replay_load(err, path ? path : SWEEP, &count, &trials));
  CALL(wisp_replay_run(err, count, trials, &request, &replay));
  if (wisp_option_given(args, "json"))
    CALL(print_json(err, &replay, !unseeded));
  else
    print_table(&replay, !unseeded);
  return WISP_OK;
}
