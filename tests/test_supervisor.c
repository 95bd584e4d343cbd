/* Claim: devices that are alike share the units of a sweep, each done once and whole; one of another kind does all of
 * them; a unit whose device is given up half-way is finished by another of its kind, also where that was through; where
 * there is none, the sweep fails with what that device said; one whose workers are stopped is given up. A compilation
 * that is overdue is tried again by the next worker, and is the candidate's fault where that one does not come to its
 * end either. Shown with workers that only pretend to try something. */
#include "test.h"
#include "store_fixture.h"
#include "../tuner/workers/supervisor.h"
#include "../tuner/sweep/sweep.h"
#include "../runtime/process.h"

#include <signal.h>

enum { ORDERS = 4, TRIALS = 3, CARDS = 2, MAX_DEVICES = 3 };

/* A device is named by its card, a or b, and by what its worker does: r is right; after the first trial of its first
 * unit, f fails and d dies, whoever comes after it too; n is not there. Of order 1's first candidate the compilation
 * hangs with c once, with w each time. */
typedef struct play {
  int gate[2]; /* a byte for each faulty device that has a unit: right ones wait for all */
  int faulty;
  int done[CARDS][ORDERS + 1];
  char warning[1024];
  int warned, devices, failed;
  wisp_trial failure; /* the last of them, as it is stored */
} play;

static wisp_trial trial_of(const wisp_link *link, const wisp_unit *unit, int number)
{
  wisp_trial trial = fixture_trial(number);
  snprintf(trial.spec, sizeof trial.spec, "nodal.update:tet:p%d:maxwell:f64", unit->order);
  snprintf(trial.device, sizeof trial.device, "card %c", link->device[0]);
  snprintf(trial.params, sizeof trial.params, "wi=%d", number);
  snprintf(trial.outcome, sizeof trial.outcome, "ok");
  return trial;
}

/* A worker that hangs has a second for it, and one that goes on a minute. */
static wisp_status compile_one(wisp_error *err, const wisp_link *link, const wisp_unit *unit, const wisp_trial *trial)
{
  const bool hangs = link->device[1] == 'w' || (link->device[1] == 'c' && !unit->resumed);
  CALL(wisp_link_begin(err, link, WISP_NOTE_COMPILE, trial, hangs ? 1 : 60));
  if (hangs) raise(SIGSTOP);
  return wisp_link_begin(err, link, WISP_NOTE_COMPILED, trial, 0);
}

static wisp_status try_one(wisp_error *err, const wisp_link *link, const wisp_unit *unit, int number,
                           wisp_tune_summary *summary)
{
  wisp_status status = WISP_OK;
  wisp_trial trial = trial_of(link, unit, number);
  wisp_answer_note answer;
  bool found = false, tried = false;
  TRY(wisp_link_has(err, link, &trial, &found, &tried, NULL));
  TRY(wisp_require(err, found == tried && found <= unit->resumed, WISP_EINPUT, "known too early"));
  if (found) goto done;
  if (unit->order == 1 && number == 0) TRY(compile_one(err, link, unit, &trial));
  TRY(wisp_link_begin(err, link, WISP_NOTE_LAUNCH, &trial, 60));
  wisp_summary_count(summary, &trial);
  wisp_note note = {.kind = WISP_NOTE_ADD, .trial = trial, .left = TRIALS - number - 1, .summary = *summary};
  TRY(wisp_link_ask(err, link, &note, &answer));
done:
  return status;
}

/* The message that one has read is written for the next. */
static wisp_status await_faulty(wisp_error *err, const play *p)
{
  wisp_status status = WISP_OK;
  char byte = 0;
  for (int i = 0; i < p->faulty; i++)
    TRY(wisp_require(err, read(p->gate[0], &byte, 1) == 1, WISP_ESYSTEM, "the gate is shut"));
  for (int i = 0; i < p->faulty; i++)
    TRY(wisp_require(err, write(p->gate[1], "", 1) == 1, WISP_ESYSTEM, "the gate is full"));
done:
  return status;
}

static wisp_status pretend(wisp_error *err, void *context, const wisp_link *link)
{
  wisp_status status = WISP_OK;
  play *p = context;
  wisp_tune_summary summary = {.limits = {.kind = "fake"}};
  wisp_unit unit = {.order = 0};
  bool there = false;
  char does = link->device[1];
  snprintf(summary.limits.name, sizeof summary.limits.name, "card %c", link->device[0]);
  TRY(wisp_require(err, does != 'n', WISP_EDEVICE, "%s is not there", link->device));
  if (does == 'h') wisp_link_send(link->socket, &(wisp_note){.kind = WISP_NOTE_NEXT}, sizeof(wisp_note) / 2);
  if (does == 'h' || does == 's') raise(SIGSTOP);
  if (does == 'r') TRY(await_faulty(err, p));
  for (;;) {
    TRY(wisp_link_next(err, link, &summary, &unit, &there));
    if (!there) break;
    for (int i = 0; i < TRIALS; i++) {
      TRY(try_one(err, link, &unit, i, &summary));
      if (strchr("rcw", does)) continue;
      if (write(p->gate[1], "", 1) != 1 || does == 'd') _exit(3);
      TRY(wisp_fail(err, WISP_EMEMORY, "%s has no memory", link->device));
    }
  }
done:
  return status;
}

static void on_progress(void *context, const wisp_tune_progress *progress)
{
  play *p = context;
  int order = 0;
  assert_int_equal(sscanf(progress->spec, "nodal.update:tet:p%d", &order), 1);
  p->done[progress->device[0] - 'a'][order]++;
  if (wisp_trial_is_right(progress->last)) return;
  p->failed++;
  p->failure = *progress->last;
}

static void on_warning(void *context, const char *text)
{
  play *p = context;
  p->warned++;
  snprintf(p->warning, sizeof p->warning, "%s", text);
}

static void on_device(void *context, const char *device, const wisp_tune_summary *part)
{
  play *p = context;
  p->devices++;
  if (!strchr("rcw", device[1])) assert_true(part->trials <= (strchr("fd", device[1]) != NULL));
}

/* Seconds. Not less: on a busy machine one that speaks may be late by some. */
#define PATIENCE "5"

/* If a worker is to be found silent, all are soon called so; else none is, however busy the machine is. */
static void set_patience(size_t count, char *const *devices)
{
  bool stopped = false;
  for (size_t i = 0; i < count; i++) stopped |= strchr("sh", devices[i][1]) != NULL;
  setenv("WISP_WORKER_SECONDS", stopped ? PATIENCE : "120", 1);
}

/* The devices end with a NULL. */
static wisp_status supervise(wisp_error *err, play *p, char *const *devices, wisp_tune_summary *summary)
{
  size_t count = 0;
  while (devices[count]) count++;
  static const int orders[ORDERS] = {1, 2, 3, 4};
  static const wisp_precision precision = WISP_F64;
  char folder[64];
  wisp_tune_request request = {.orders = orders,
                               .order_count = ORDERS,
                               .precisions = &precision,
                               .precision_count = 1,
                               .progress = on_progress,
                               .warn = on_warning,
                               .device_done = on_device,
                               .context = p};
  wisp_crew crew = {.request = &request,
                    .count = count,
                    .devices = devices,
                    .body = pretend,
                    .context = p,
                    .warden = &(wisp_warden){0},
                    .deadline = INFINITY,
                    .stop = INFINITY,
                    .late = INFINITY};
  *p = (play){0};
  set_patience(count, devices);
  for (size_t i = 0; i < count; i++) p->faulty += strchr("fd", devices[i][1]) != NULL;
  fixture_folder(folder);
  assert_int_equal(pipe(p->gate), 0);
  if (wisp_writer_open(err, fixture_path(folder, "user.db"), NULL, &crew.writer) != WISP_OK) fail_msg("%s", err->text);
  wisp_status status = wisp_supervise(err, &crew, summary);
  wisp_writer_close(NULL, crew.writer);
  close(p->gate[0]), close(p->gate[1]);
  fixture_remove(folder);
  return status;
}

TEST(test_ends_well)
{
  static const struct {
    char *devices[MAX_DEVICES + 1];
    int cards, warned;
  } cases[] = {{{"ar"}, 1, 0},
               {{"ar", "ar"}, 1, 0},
               {{"ar", "br", "ar"}, 2, 0},
               {{"an", "ar"}, 1, 1},
               {{"ar", "bn"}, 1, 1},
               {{"af", "ar"}, 1, 1},
               {{"ad", "ar", "br"}, 2, 1},
               {{"af", "af", "ar"}, 1, 2},
               {{"as", "ar", "bh"}, 1, 2}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    play p;
    wisp_error err = {0};
    wisp_tune_summary summary;
    if (supervise(&err, &p, cases[c].devices, &summary) != WISP_OK) fail_msg("%zu: %s", c, err.text);
    assert_int_equal(summary.trials, cases[c].cards * ORDERS * TRIALS);
    assert_int_equal(summary.ok, summary.trials);
    assert_int_equal(p.warned, cases[c].warned);
    assert_true(p.devices > 0 && !cases[c].devices[p.devices]);
    for (int card = 0; card < cases[c].cards; card++)
      for (int order = 1; order <= ORDERS; order++) assert_int_equal(p.done[card][order], TRIALS);
  }
}

TEST(test_ends_badly)
{
  static const struct {
    char *devices[MAX_DEVICES + 1];
    wisp_status status;
    const char *words;
  } cases[] = {{{"an"}, WISP_EDEVICE, "an is not there"},
               {{"an", "bn"}, WISP_EDEVICE, "is not there"},
               {{"af"}, WISP_EMEMORY, "af has no memory"},
               {{"af", "af"}, WISP_EMEMORY, "device af: af has no memory"},
               {{"bf", "ar", "ar"}, WISP_EMEMORY, "device bf: bf has no memory"},
               {{"ad"}, WISP_ESYSTEM, "status 3, outside of any trial"},
               {{"as"}, WISP_ESYSTEM, "sent nothing for " PATIENCE " s"},
               {{"ah"}, WISP_ESYSTEM, "sent nothing for " PATIENCE " s"}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    play p;
    wisp_error err = {0};
    wisp_tune_summary summary;
    assert_int_equal(supervise(&err, &p, cases[c].devices, &summary), cases[c].status);
    if (!strstr(err.text, cases[c].words)) fail_msg("%zu: %s", c, err.text);
  }
}

TEST(test_overdue_compilation)
{
  for (int each_time = 0; each_time <= 1; each_time++) {
    play p;
    wisp_tune_summary summary;
    char *const devices[] = {each_time ? "aw" : "ac", NULL};
    GOOD(supervise(err, &p, devices, &summary));
    assert_int_equal(summary.trials, ORDERS * TRIALS); /* the others come to no harm */
    assert_int_equal(summary.failed, each_time);
    assert_int_equal(p.failed, each_time);
    if (!each_time) continue;
    assert_int_equal(wisp_trial_outcome(&p.failure), WISP_TRIAL_COMPILE_ERROR);
    assert_string_equal(p.failure.params, "wi=0");
    assert_string_equal(p.failure.reason, "its compilation did not end within 1 s: see WISP_COMPILE_SECONDS");
  }
}
