#include "step_case.h"
#include "test.h"
#include "solving.h"

int step_open(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  fixture_folder(f->folder);
  f->path = fixture_path(f->folder, "wisp.db");
  GOOD(wisp_strategies_load(err, &f->strategies));
  GOOD(wisp_device_open(err, test_device_name(), &f->device));
  f->limits = wisp_device_limits(f->device);
  *state = f;
  return 0;
}

int step_close(void **state)
{
  OWNED(free) fixture *f = *state;
  wisp_device_close(f->device);
  wisp_strategies_free(f->strategies);
  fixture_remove(f->folder);
  return 0;
}

static void put(char *to, size_t capacity, const char *from)
{
  snprintf(to, capacity, "%s", from);
}

void step_add(fixture *f, const entry *e)
{
  wisp_writer *writer = NULL;
  wisp_trial t;
  const wisp_strategy *s = wisp_strategies_find(f->strategies, "nodal", e->kernel, e->strategy);
  wisp_trial_blank(&t);
  snprintf(t.spec, sizeof t.spec, "nodal.%s:tet:p2:maxwell:f64", e->kernel);
  put(t.layout, sizeof t.layout, e->layout);
  put(t.strategy, sizeof t.strategy, e->strategy);
  put(t.params, sizeof t.params, e->params);
  put(t.device, sizeof t.device, e->device ? e->device : f->limits->name);
  put(t.target, sizeof t.target, e->target ? e->target : f->limits->target);
  put(t.driver, sizeof t.driver, e->driver ? e->driver : f->limits->driver);
  put(t.compiler, sizeof t.compiler, f->limits->compiler);
  if (s) wisp_strategy_hash(s, "maxwell", wisp_target_dialect(t.target), t.template_hash);
  if (e->hash) strcpy(t.template_hash, e->hash);
  strcpy(t.version, WISP_VERSION), strcpy(t.mode, "made up");
  strcpy(t.when, "2026-11-21T08:00:00Z"), strcpy(t.outcome, "ok");
  t.units = f->limits->units;
  t.elements = 1000;
  t.ms = e->ms;
  GOOD(wisp_writer_open(err, f->path, NULL, &writer));
  GOOD(wisp_writer_add(err, writer, &t));
  GOOD(wisp_writer_close(err, writer));
}

wisp_choose_request step_request(void)
{
  return (wisp_choose_request){.spec = wisp_family_spec(wisp_family_find("nodal"), 2, "maxwell", WISP_F64),
                               .elements = 1000};
}

wisp_stage step_choose_for(fixture *f, const wisp_choose_request *r)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  wisp_stage stage;
  GOOD(wisp_store_open(err, f->path, false, NULL, &store));
  GOOD(wisp_choose(err, &(wisp_chooser){f->strategies, store, f->limits, NULL}, r, &stage));
  return stage;
}

wisp_stage step_choose(fixture *f)
{
  wisp_choose_request r = step_request();
  return step_choose_for(f, &r);
}

const wisp_choice *step_choice(const wisp_stage *stage, const char *kernel)
{
  for (int i = 0; i < stage->kernels; i++)
    if (strcmp(stage->choice[i].kernel, kernel) == 0) return &stage->choice[i];
  fail_msg("%s has no kernel %s", stage->composition, kernel);
  return NULL;
}

wisp_status step_choose_exact(fixture *f, wisp_error *err)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  wisp_choose_request r = step_request();
  r.exact_match_only = true;
  assert_int_equal(wisp_store_open(err, f->path, false, NULL, &store), WISP_OK);
  wisp_status status = wisp_choose(err, &(wisp_chooser){f->strategies, store, f->limits, NULL}, &r, &stage);
  return status;
}
