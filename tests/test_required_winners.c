/* Claim: what cache/required_winners.list says ships does: a winner of every kernel, element, system, order and
 * precision, measured on that device with today's texts. All that are missing are named. And every kernel that ships
 * although no candidate beside the defaults was ever tried stands there as `untried`. Runs in the root of the tree. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../gen/family.h"
#include "../runtime/process.h"
#include "../runtime/solve/choose.h"

typedef struct requirement {
  const wisp_strategies *all;
  const wisp_store *store;
  wisp_scopes scopes;
  wisp_limits limits; /* of the device */
  int asked, missing;
} requirement;

static void ask(void *context, const wisp_spec *spec)
{
  requirement *p = context;
  wisp_error err = {0};
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  char text[WISP_SPEC_TEXT];
  wisp_spec_print(spec, text);
  const wisp_status status = wisp_choose(&err, &(wisp_chooser){p->all, p->store, &p->limits, &p->scopes},
                                         &(wisp_choose_request){.spec = *spec}, &stage);
  if (status != WISP_OK) fail_msg("%s: %s", text, err.text);
  const wisp_trial *trial = stage.record.trial;
  p->asked++;
  if (!trial || stage.record.stale || stage.record.layer != WISP_LAYER_SHIPPED ||
      strcmp(trial->device, p->limits.name) != 0) {
    print_error("%s: no winner ships for %s\n", text, p->limits.name);
    p->missing++;
  }
}

/* One line of the list: specs of a family. */
typedef struct required_line {
  bool untried;
  char family[16], element[24], system[24], orders[24], precisions[16];
  const char *kernels;
} required_line;

/* "[untried] FAMILY ELEMENT SYSTEM 1-4,7 f32,f64 KERNEL..." */
static required_line read_line(const char *text)
{
  required_line l = {.untried = strncmp(text, "untried ", 8) == 0};
  int end = 0;
  if (l.untried) text += 8;
  if (sscanf(text, "%15s %23s %23s %23s %15s%n", l.family, l.element, l.system, l.orders, l.precisions, &end) != 5)
    fail_msg("no promise: %s", text);
  if (!wisp_family_find(l.family)) fail_msg("no family: %s", text);
  l.kernels = text + end;
  return l;
}

/* Is the order one of "1-4,7"? */
static bool has_order(const char *orders, int order)
{
  for (const char *at = orders; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    int low = 0, high = 0;
    const int numbers = sscanf(at, "%d-%d", &low, &high);
    if (numbers < 1) fail_msg("'%s' are no orders", orders);
    if (order >= low && order <= (numbers == 2 ? high : low)) return true;
  }
  return false;
}

/* Calls visit for each spec of the line. */
static void each_spec(const required_line *l, void (*visit)(void *context, const wisp_spec *spec), void *context)
{
  char kernel[WISP_NAME_TEXT];
  int length = 0, specs = 0;
  for (const char *at = l->kernels; sscanf(at, "%31s%n", kernel, &length) == 1; at += length)
    for (int order = 1; order <= HIGHEST_ORDER; order++)
      for (int single = 0; single < 2 && has_order(l->orders, order); single++) {
        wisp_spec spec = wisp_family_spec(wisp_family_find(l->family), order, l->system, single ? WISP_F32 : WISP_F64);
        wisp_spec_name_element(&spec, l->element);
        wisp_spec_name_kernel(&spec, kernel);
        if (!strstr(l->precisions, wisp_precision_name(spec.precision))) continue;
        visit(context, &spec);
        specs++;
      }
  if (!specs) fail_msg("a line of %s %s names no kernel", l->family, l->orders);
}

/* Calls take for each line of the list but comments. */
static void each_line(void (*take)(void *context, const char *text), void *context)
{
  char text[512];
  FILE *list = fopen("cache/required_winners.list", "r");
  if (!list) fail_msg("cache/required_winners.list cannot be opened: run this in the root of the tree");
  while (fgets(text, sizeof text, list)) {
    text[strcspn(text, "\n")] = '\0';
    if (*text && *text != '#') take(context, text);
  }
  fclose(list);
}

static void ask_line(void *context, const char *text)
{
  requirement *p = context;
  char target[32], device[128];
  if (sscanf(text, "device %31s %127[^\n]", target, device) == 2) {
    wisp_scopes_free(&p->scopes);
    p->limits = target_limits(target);
    strcpy(p->limits.name, device);
    return;
  }
  const required_line l = read_line(text);
  if (!l.untried) each_spec(&l, ask, p);
}

TEST_IN_FOLDER(test_required_winners)
{
  requirement p = {.asked = 0};
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  OWNED(wisp_store_close) wisp_store *store = fixture_open(fixture_path(*state, "none.db"));
  GOOD(wisp_strategies_load(err, &all));
  p.all = all, p.store = store;
  each_line(ask_line, &p);
  assert_true(p.asked > 1500);
  if (p.missing) fail_msg("%d of %d promised winners are missing", p.missing, p.asked);
  wisp_scopes_free(&p.scopes);
}

/* ---- Kernels of which nothing but defaults was tried. */

/* A spec that ships: what is on record of it. */
typedef struct record {
  char spec[WISP_SPEC_TEXT];
  int others; /* trials of candidates that are no defaults */
  bool listed;
} record;

typedef struct records {
  record *list;
  size_t count;
} records;

static int by_spec(const void *x, const void *y)
{
  return strcmp(((const record *)x)->spec, ((const record *)y)->spec);
}

static record *find_record(const records *all, const char *spec)
{
  record wanted;
  snprintf(wanted.spec, sizeof wanted.spec, "%s", spec);
  return bsearch(&wanted, all->list, all->count, sizeof wanted, by_spec);
}

/* Lists what ships of a card, without compositions, each spec once. */
static records list_shipped(const wisp_store *store, const char *device)
{
  const size_t most = wisp_store_count(store);
  records all = {.list = calloc(most, sizeof *all.list)};
  record *fresh = calloc(most, sizeof *fresh);
  assert_true(all.list && fresh);
  size_t count = 0;
  for (size_t i = 0; i < most; i++) {
    const wisp_trial *t = wisp_store_trial(store, i, NULL);
    if (strcmp(t->device, device) != 0) continue;
    snprintf(fresh[count].spec, sizeof fresh->spec, "%s", t->spec);
    fresh[count++].others = t->is_default != 1;
  }
  assert_true(count > 1000);
  qsort(fresh, count, sizeof *fresh, by_spec);
  for (size_t i = 0; i < count; i++) {
    if (strstr(fresh[i].spec, ".step:")) continue;
    if (all.count && strcmp(all.list[all.count - 1].spec, fresh[i].spec) == 0)
      all.list[all.count - 1].others += fresh[i].others;
    else
      all.list[all.count++] = fresh[i];
  }
  free(fresh);
  return all;
}

/* Adds the trials of a sweep of that card that the tree keeps. */
static void add_sweep(const char *name, records *all)
{
  char path[128];
  char scratch[WISP_PACKED_FOLDER] = "";
  wisp_text file = {0};
  OWNED(wisp_store_close) wisp_store *sweep = NULL;
  snprintf(path, sizeof path, "bench/sweeps/%s", name);
  GOOD(wisp_unpack(err, path, scratch, &file));
  setenv("WISP_SHIPPED", "none", 1); /* the sweep alone */
  GOOD(wisp_store_open(err, file.data, false, NULL, &sweep));
  unsetenv("WISP_SHIPPED");
  assert_true(wisp_store_count(sweep) > 1000);
  for (size_t i = 0; i < wisp_store_count(sweep); i++) {
    const wisp_trial *t = wisp_store_trial(sweep, i, NULL);
    record *found = find_record(all, t->spec);
    if (found) found->others += t->is_default != 1;
  }
  wisp_text_free(&file);
  wisp_scratch_remove(scratch);
}

static void mark(void *context, const wisp_spec *spec)
{
  char text[WISP_SPEC_TEXT];
  wisp_spec_print(spec, text);
  record *found = find_record(context, text);
  if (!found) fail_msg("%s is listed as untried, and does not ship", text);
  if (found->others) fail_msg("%s is listed as untried: %d other trials are on record", text, found->others);
  found->listed = true;
}

static void mark_line(void *context, const char *text)
{
  if (strncmp(text, "device ", 7) == 0) return;
  const required_line l = read_line(text);
  if (l.untried) each_spec(&l, mark, context);
}

TEST_IN_FOLDER(test_untried)
{
  static const char *const sweeps[] = {"nvidia-h200.db.gz", "nvidia-h200-ordered.db.gz", "nvidia-h200-tensor.db.gz",
                                       "nvidia-h200-hdg.db.gz"};
  OWNED(wisp_store_close) wisp_store *store = fixture_open(fixture_path(*state, "none.db"));
  records all = list_shipped(store, "NVIDIA H200"); /* a second card starts from what the first one tried */
  int unlisted = 0;
  for (size_t i = 0; i < WISP_COUNT(sweeps); i++) add_sweep(sweeps[i], &all);
  each_line(mark_line, &all);
  for (size_t i = 0; i < all.count; i++) {
    if (all.list[i].others || all.list[i].listed) continue;
    print_error("%s ships, and nothing but its defaults was tried: tune it, or list it as untried\n", all.list[i].spec);
    unlisted++;
  }
  free(all.list);
  assert_int_equal(unlisted, 0);
}
