/* wisp db diff: what changed from one store to another. */
#include "db_diff.h"
#include "cli.h"
#include "print.h"
#include "../cache/reader.h"
#include "../runtime/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A time that differs by less is the same within noise. */
static const double NOISE = 1.02;
/* Changed winners that are printed; JSON has all. */
enum { MOST_PRINTED = 40 };

/* The trials of one store: sorted by candidate, and by kernel, layout and surroundings with the winner first. */
typedef struct side {
  wisp_trials list;
  const wisp_trial **winners; /* of each ranking one */
  size_t rankings;
} side;

static void free_side(side *s)
{
  wisp_trials_free(&s->list);
  free(s->winners);
}

static int by_candidate(const void *x, const void *y)
{
  const wisp_trial *a = x, *b = y;
  const int order[] = {strcmp(a->device, b->device), wisp_ranking_order(a, b), strcmp(a->strategy, b->strategy),
                       strcmp(a->params, b->params), strcmp(a->template_hash, b->template_hash)};
  for (size_t i = 0; i < WISP_COUNT(order); i++)
    if (order[i]) return order[i];
  return 0;
}

static wisp_status load(wisp_error *err, const char *path, const char *device, side *out)
{
  HELD(wisp_scratch_remove) char folder[WISP_PACKED_FOLDER] = "";
  HELD(wisp_text_free) wisp_text place = {0};
  HELD(free_side) side made = {.rankings = 0};
  size_t kept = 0;
  CALL(wisp_require(err, access(path, F_OK) == 0, WISP_EMISSING, "%s: there is no such file: check the name", path));
  CALL(wisp_unpack(err, path, folder, &place));
  CALL(wisp_reader_load_there(err, place.data, false, &made.list));
  for (size_t i = 0; i < made.list.count; i++)
    if (strcasestr(made.list.trials[i].device, device)) made.list.trials[kept++] = made.list.trials[i];
  made.list.count = kept;
  if (kept) qsort(made.list.trials, kept, sizeof *made.list.trials, by_candidate);
  CALL(wisp_new(err, kept + 1, sizeof *made.winners, &made.winners));
  size_t right = 0;
  for (size_t i = 0; i < kept; i++)
    if (wisp_trial_outcome(&made.list.trials[i]) == WISP_TRIAL_OK) made.winners[right++] = &made.list.trials[i];
  made.rankings = wisp_ranking_winners(right, made.winners);
  return GIVE(made, out);
}

/* --- counts by device --- */

typedef struct counts {
  const char *device;
  size_t before, after, both, faster, slower;
} counts;

typedef struct count_list {
  counts *list;
  size_t count, capacity;
} count_list;

static void free_counts(count_list *l)
{
  free(l->list);
}

static wisp_status counts_of(wisp_error *err, count_list *l, const char *device, counts **out)
{
  for (size_t i = 0; i < l->count; i++)
    if (strcmp(l->list[i].device, device) == 0) return *out = &l->list[i], WISP_OK;
  CALL(wisp_grow(err, &l->list, &l->capacity, l->count + 1, sizeof *l->list));
  l->list[l->count] = (counts){.device = device};
  *out = &l->list[l->count++];
  return WISP_OK;
}

static wisp_status count_trials(wisp_error *err, const side *a, const side *b, count_list *out)
{
  for (size_t i = 0, k = 0; i < a->list.count || k < b->list.count;) {
    const wisp_trial *x = i < a->list.count ? &a->list.trials[i] : NULL;
    const wisp_trial *y = k < b->list.count ? &b->list.trials[k] : NULL;
    const int order = !x ? 1 : !y ? -1 : by_candidate(x, y);
    counts *c = NULL;
    CALL(counts_of(err, out, order <= 0 ? x->device : y->device, &c));
    c->before += order<0, c->after += order> 0, c->both += order == 0;
    if (order == 0 && x->ms > 0 && y->ms > 0) c->faster += x->ms > NOISE * y->ms, c->slower += y->ms > NOISE * x->ms;
    i += order <= 0, k += order >= 0;
  }
  return WISP_OK;
}

/* --- winners --- */

typedef struct change {
  const wisp_trial *before, *after; /* NULL: it had none */
} change;

typedef struct change_list {
  change *list;
  size_t count, capacity;
} change_list;

static void free_changes(change_list *l)
{
  free(l->list);
}

static bool same_candidate(const wisp_trial *a, const wisp_trial *b)
{
  return strcmp(a->strategy, b->strategy) == 0 && strcmp(a->params, b->params) == 0;
}

/* Winners that are another candidate, took another time, or are on one side alone. */
static wisp_status find_changes(wisp_error *err, const side *a, const side *b, change_list *out)
{
  for (size_t i = 0, k = 0; i < a->rankings || k < b->rankings;) {
    const wisp_trial *x = i < a->rankings ? a->winners[i] : NULL, *y = k < b->rankings ? b->winners[k] : NULL;
    const int order = !x ? 1 : !y ? -1 : wisp_ranking_order(x, y);
    const change c = {order <= 0 ? x : NULL, order >= 0 ? y : NULL};
    i += order <= 0, k += order >= 0;
    if (order == 0 && same_candidate(x, y) && x->ms < NOISE * y->ms && y->ms < NOISE * x->ms) continue;
    CALL(wisp_grow(err, &out->list, &out->capacity, out->count + 1, sizeof *out->list));
    out->list[out->count++] = c;
  }
  return WISP_OK;
}

/* --- printing --- */

static void name_candidate(const wisp_trial *t, char out[352])
{
  snprintf(out, 352, "%s%s%s", t ? t->strategy : "-", t && *t->params ? " " : "", t ? t->params : "");
}

static wisp_status print_counts(wisp_error *err, const count_list *l, wisp_text *out)
{
  static const wisp_table_column titles[] = {{"device", false}, {"only before", true}, {"only after", true},
                                             {"in both", true}, {"faster", true},      {"slower", true}};
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  CALL(wisp_table_create(err, "trials", WISP_COUNT(titles), titles, &table));
  for (size_t i = 0; i < l->count; i++) {
    const counts *c = &l->list[i];
    CALL(wisp_table_print_row(err, table, "%s\t%zu\t%zu\t%zu\t%zu\t%zu", c->device, c->before, c->after, c->both,
                              c->faster, c->slower));
  }
  return wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), out);
}

static wisp_status print_changes(wisp_error *err, const change_list *l, wisp_text *out)
{
  static const wisp_table_column titles[] = {{"winner of", false}, {"layout", false}, {"ms before", true},
                                             {"after", true},      {"ratio", true},   {"candidate", false}};
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  CALL(wisp_table_create(err, "", WISP_COUNT(titles), titles, &table));
  for (size_t i = 0; i < l->count && i < MOST_PRINTED; i++) {
    const change *c = &l->list[i];
    const wisp_trial *any = c->after ? c->after : c->before;
    const double before = c->before ? c->before->ms : (double)NAN, after = c->after ? c->after->ms : (double)NAN;
    char was[352], is[352];
    const bool same = c->before && c->after && same_candidate(c->before, c->after);
    name_candidate(c->before, was), name_candidate(c->after, is);
    CALL(wisp_table_print_row(err, table, "%s\t%s\t%.4g\t%.4g\t%.2f\t%s%s%s", any->spec, any->layout, before, after,
                              before / after, is, same ? "" : ", was ", same ? "" : was));
  }
  if (l->count) CALL(wisp_text_print(err, out, "\n"));
  if (l->count) CALL(wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), out));
  if (l->count > MOST_PRINTED)
    CALL(wisp_text_print(err, out, "and %zu more: --json lists all\n", l->count - MOST_PRINTED));
  return wisp_text_print(err, out, "%zu winner%s changed\n", l->count, wisp_plural((long long)l->count));
}

static cJSON *trial_to_json(const wisp_trial *t)
{
  if (!t) return cJSON_CreateNull();
  const wisp_json_text texts[] = {{"strategy", t->strategy}, {"params", t->params}, {"when", t->when}};
  const wisp_json_number numbers[] = {{"ms", t->ms}, {"gdofs", t->gdofs}};
  return wisp_json_object(WISP_COUNT(texts), texts, WISP_COUNT(numbers), numbers);
}

static wisp_status print_json(wisp_error *err, const count_list *devices, const change_list *changes)
{
  cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "devices");
  for (size_t i = 0; i < devices->count; i++) {
    const counts *c = &devices->list[i];
    const wisp_json_text name = {"device", c->device};
    const wisp_json_number numbers[] = {{"only_before", (double)c->before},
                                        {"only_after", (double)c->after},
                                        {"both", (double)c->both},
                                        {"faster", (double)c->faster},
                                        {"slower", (double)c->slower}};
    cJSON_AddItemToArray(list, wisp_json_object(1, &name, WISP_COUNT(numbers), numbers));
  }
  list = cJSON_AddArrayToObject(object, "winners");
  for (size_t i = 0; i < changes->count; i++) {
    const change *c = &changes->list[i];
    const wisp_trial *any = c->after ? c->after : c->before;
    const wisp_json_text texts[] = {{"device", any->device}, {"spec", any->spec}, {"layout", any->layout}};
    cJSON *one = wisp_json_object(WISP_COUNT(texts), texts, 0, NULL);
    cJSON_AddItemToObject(one, "before", trial_to_json(c->before));
    cJSON_AddItemToObject(one, "after", trial_to_json(c->after));
    cJSON_AddItemToArray(list, one);
  }
  return wisp_json_put(err, object);
}

wisp_status wisp_db_diff(wisp_error *err, const wisp_arguments *args, const char *path)
{
  HELD(free_side) side before = {.rankings = 0}, after = {.rankings = 0};
  HELD(free_counts) count_list devices = {.count = 0};
  HELD(free_changes) change_list changes = {.count = 0};
  HELD(wisp_text_free) wisp_text out = {0};
  char device[128] = "";
  (void)path;
  CALL(wisp_require(err, args->operand_count == 3, WISP_EUSAGE, "diff takes two stores: wisp db diff BEFORE AFTER"));
  CALL(wisp_option_stored_device(err, args, device));
  CALL(load(err, args->operands[1], device, &before));
  CALL(load(err, args->operands[2], device, &after));
  CALL(count_trials(err, &before, &after, &devices));
  CALL(find_changes(err, &before, &after, &changes));
  if (wisp_option_given(args, "json")) return print_json(err, &devices, &changes);
  CALL(print_counts(err, &devices, &out));
  CALL(print_changes(err, &changes, &out));
  char *shown = out.data; /* texts of stores that anybody wrote */
  for (char *c = shown; *c; c++)
    if ((unsigned char)*c < ' ' && *c != '\n') *c = '?';
  fputs(shown, stdout);
  return WISP_OK;
}
