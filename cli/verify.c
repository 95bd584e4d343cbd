/* wisp verify, and wisp run --verify: the kernels of a run on its own mesh. */
#include "verify.h"
#include "cli.h"
#include "print.h"
#include "../cache/change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RESULT = 640 };

/* The result of a kernel in words. */
static void describe(const wisp_checked_kernel *k, char text[RESULT])
{
  char reference[160] = "not compared with the reference", standard[160] = "";
  if (k->referenced)
    snprintf(reference, sizeof reference, "%zu numbers of %d launches as the reference, to %.1e of %.1e", k->numbers,
             k->referenced, k->error, k->tolerance);
  if (*k->standard)
    snprintf(standard, sizeof standard, "; all of %d as the default, %s", k->launches, k->standard);
  else if (k->alone)
    snprintf(standard, sizeof standard, "; %s", k->alone);
  if (k->wrong)
    snprintf(text, RESULT, "WRONG: %s", k->text);
  else if (!k->launches)
    snprintf(text, RESULT, "not launched");
  else
    snprintf(text, RESULT, "right: %s%s%s%s", reference, *k->text ? ": " : "", k->text, standard);
}

static wisp_status print_lines(wisp_error *err, const wisp_checked_kernels *checks)
{
  static const wisp_table_column columns[] = {
      {"kernel", false}, {"strategy", false}, {"layer", false}, {"result", false}};
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  HELD(wisp_text_free) wisp_text text = {0};
  CALL(wisp_table_create(err, "", WISP_COUNT(columns), columns, &table));
  for (size_t i = 0; i < checks->count; i++) {
    const wisp_checked_kernel *k = &checks->list[i];
    char result[RESULT];
    describe(k, result);
    const char *const cells[] = {k->choice->kernel, k->choice->strategy, wisp_layer_name(k->choice->layer), result};
    CALL(wisp_table_add(err, table, cells));
  }
  CALL(wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), &text));
  printf("%s", text.data);
  return WISP_OK;
}

static cJSON *make_json(const wisp_checked_kernels *checks)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddBoolToObject(object, "right", !wisp_checked_kernels_wrong(checks));
  cJSON_AddNumberToObject(object, "seconds", checks->seconds);
  cJSON *list = cJSON_AddArrayToObject(object, "kernels");
  for (size_t i = 0; i < checks->count; i++) {
    const wisp_checked_kernel *k = &checks->list[i];
    cJSON *one = cJSON_CreateObject();
    cJSON_AddStringToObject(one, "kernel", k->choice->kernel);
    cJSON_AddStringToObject(one, "strategy", k->choice->strategy);
    wisp_json_add_params(one, "params", k->choice->params);
    cJSON_AddStringToObject(one, "layer", wisp_layer_name(k->choice->layer));
    cJSON_AddBoolToObject(one, "right", !k->wrong);
    cJSON_AddNumberToObject(one, "launches", k->launches);
    cJSON_AddNumberToObject(one, "referenced", k->referenced);
    cJSON_AddNumberToObject(one, "compared", (double)k->numbers);
    cJSON_AddNumberToObject(one, "error", k->error);
    cJSON_AddNumberToObject(one, "tolerance", k->tolerance);
    cJSON_AddStringToObject(one, "default", *k->standard ? k->standard : k->alone ? k->alone : "");
    if (*k->text) cJSON_AddStringToObject(one, "note", k->text);
    cJSON_AddItemToArray(list, one);
  }
  return object;
}

static wisp_status check_wrong(wisp_error *err, const wisp_checked_kernels *checks)
{
  const wisp_checked_kernel *wrong = wisp_checked_kernels_wrong(checks);
  if (!wrong) return WISP_OK;
  return wisp_fail(err, WISP_EWRONG,
                   "kernel %s (%s%s%s) is wrong on this mesh: %s: tune it again, or run with --default",
                   wrong->choice->kernel, wrong->choice->strategy, *wrong->choice->params ? " " : "",
                   wrong->choice->params, wrong->text);
}

static wisp_status check(wisp_error *err, const wisp_arguments *args, wisp_solver *s, wisp_checked_kernels *out)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  wisp_progress_show(&progress, NAN, "comparing kernels");
  return wisp_verify_solver(err, s, out);
}

wisp_status wisp_run_print_checks(wisp_error *err, const wisp_arguments *args, wisp_solver *s)
{
  HELD(wisp_checked_kernels_free) wisp_checked_kernels checks = {.count = 0};
  CALL(check(err, args, s, &checks));
  CALL(wisp_option_given(args, "json") ? wisp_json_put(err, make_json(&checks)) : print_lines(err, &checks));
  return check_wrong(err, &checks);
}

wisp_status wisp_run_verify(wisp_error *err, const wisp_arguments *args, wisp_solver *s, wisp_checked_kernels *out)
{
  CALL(check(err, args, s, out));
  return check_wrong(err, out);
}

void wisp_run_explain(const wisp_arguments *args, wisp_solver *s, wisp_error *why)
{
  HELD(wisp_checked_kernels_free) wisp_checked_kernels checks = {.count = 0};
  wisp_error wrong = {.text = ""};
  const size_t length = strlen(why->text), left = sizeof why->text - length;
  if (check(NULL, args, s, &checks) != WISP_OK) return;
  if (check_wrong(&wrong, &checks) != WISP_OK)
    snprintf(why->text + length, left, "; %s", wrong.text);
  else if (!s->reports)
    snprintf(why->text + length, left,
             WISP_MESSAGE("; its kernels compute what the reference and the default kernels do on this mesh"));
}

/* ---- A user's winners of earlier rules. */

static bool is_unproven(const wisp_choice *choice)
{
  return choice->trial && choice->layer == WISP_LAYER_USER && choice->trial->rules < WISP_VERIFYING_RULES;
}

static size_t count_unproven(const wisp_solver *s)
{
  size_t count = 0;
  for (int part = 0; part < WISP_SOLVER_STAGES; part++)
    for (int i = 0; i < s->stage[part].kernels; i++) count += is_unproven(&s->stage[part].choice[i]);
  return count;
}

/* The verdicts on those that the check launched; *wrong: how many were. */
static wisp_status store_verdicts(wisp_error *err, const char *path, const wisp_checked_kernels *checks, size_t *wrong)
{
  OWNED(wisp_writer_close) wisp_writer *writer = NULL;
  CALL(wisp_writer_open(err, path, NULL, &writer));
  for (size_t i = 0; i < checks->count; i++) {
    const wisp_checked_kernel *k = &checks->list[i];
    if (!is_unproven(k->choice) || !k->launches) continue;
    wisp_trial t = *k->choice->trial;
    t.rules = WISP_VERIFYING_RULES;
    if (k->wrong) wisp_trial_end(&t, WISP_TRIAL_WRONG, "in a run, on its mesh: %s", k->text);
    *wrong += k->wrong;
    CALL(wisp_writer_add(err, writer, &t));
  }
  return WISP_OK;
}

static void report_verdicts(const wisp_arguments *args, const wisp_checked_kernels *checks, const char *unstored)
{
  char note[512];
  for (size_t i = 0; i < checks->count; i++) {
    const wisp_checked_kernel *k = &checks->list[i];
    if (!is_unproven(k->choice) || !k->wrong) continue;
    snprintf(note, sizeof note, WISP_MESSAGE("the stored winner %s of %s is wrong on this mesh: %.200s; %s"),
             k->choice->strategy, k->choice->kernel, k->text,
             unstored ? "it stays in the store" : "it is stored as wrong, and another is taken");
    wisp_cli_warn(args, note);
  }
  if (!unstored) return;
  snprintf(note, sizeof note, WISP_MESSAGE("what verifying stored winners found cannot be stored: %.300s"), unstored);
  wisp_cli_warn(args, note);
}

wisp_status wisp_run_prove(wisp_error *err, const wisp_arguments *args, wisp_solver *s, bool *wrong)
{
  HELD(wisp_checked_kernels_free) wisp_checked_kernels checks = {.count = 0};
  OWNED(free) char *path = NULL;
  wisp_error why = {.text = ""};
  char note[160];
  size_t found = 0;
  const size_t unproven = count_unproven(s);
  const char *db = wisp_option_value(args, "db");
  *wrong = false;
  if (!unproven) return WISP_OK;
  snprintf(note, sizeof note,
           WISP_MESSAGE("%zu winners of the user's store are from before today's rules of verification: they are "
                        "verified on this mesh, once"),
           unproven);
  wisp_cli_warn(args, note);
  CALL(check(err, args, s, &checks));
  CALL(db ? wisp_copy_text(err, db, &path) : wisp_store_user_path(err, &path));
  const bool stored = store_verdicts(&why, path, &checks, &found) == WISP_OK;
  report_verdicts(args, &checks, stored ? NULL : why.text);
  *wrong = stored && found;
  return *wrong ? WISP_OK : check_wrong(err, &checks);
}
