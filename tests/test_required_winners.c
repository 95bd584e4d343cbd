/* Claim: what cache/required_winners.list says ships does: a winner of every kernel, order and precision, measured on
 * that device with today's texts. All that are missing are named. Runs in the root of the tree. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "../gen/family.h"
#include "../runtime/solve/choose.h"

typedef struct requirement {
  const wisp_strategies *all;
  const wisp_store *store;
  wisp_scopes scopes;
  wisp_limits limits; /* of the device */
  int asked, missing;
} requirement;

static void ask(requirement *p, const wisp_spec *spec)
{
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

/* "FAMILY A-B f32,f64 KERNEL..." */
static void ask_line(requirement *p, const char *line)
{
  char name[16], precisions[16], kernel[24];
  int from = 0, to = 0, end = 0, length = 0;
  if (sscanf(line, "%15s %d-%d %15s%n", name, &from, &to, precisions, &end) != 4) fail_msg("no promise: %s", line);
  const wisp_family *family = wisp_family_find(name);
  if (!family) fail_msg("no family: %s", line);
  for (const char *at = line + end; sscanf(at, "%23s%n", kernel, &length) == 1; at += length)
    for (int order = from; order <= to; order++)
      for (int single = 0; single < 2; single++) {
        wisp_spec spec = wisp_family_spec(family, order, NULL, single ? WISP_F32 : WISP_F64);
        wisp_spec_name_kernel(&spec, kernel);
        if (strstr(precisions, wisp_precision_name(spec.precision))) ask(p, &spec);
      }
}

TEST_IN_FOLDER(test_required_winners)
{
  char line[512];
  requirement p = {.asked = 0};
  OWNED(wisp_strategies_free) wisp_strategies *all = NULL;
  OWNED(wisp_store_close) wisp_store *store = fixture_open(fixture_path(*state, "none.db"));
  FILE *list = fopen("cache/required_winners.list", "r");
  if (!list) fail_msg("cache/required_winners.list cannot be opened: run this in the root of the tree");
  GOOD(wisp_strategies_load(err, &all));
  p.all = all, p.store = store;
  while (fgets(line, sizeof line, list)) {
    line[strcspn(line, "\n")] = '\0';
    if (!*line || *line == '#') continue;
    char target[32], device[128];
    if (sscanf(line, "device %31s %127[^\n]", target, device) != 2) {
      ask_line(&p, line);
      continue;
    }
    wisp_scopes_free(&p.scopes);
    p.limits = target_limits(target);
    strcpy(p.limits.name, device);
  }
  fclose(list);
  assert_true(p.asked > 400);
  if (p.missing) fail_msg("%d of %d promised winners are missing", p.missing, p.asked);
  wisp_scopes_free(&p.scopes);
}
