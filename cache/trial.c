/* Questions to trials: the outcome and its reason, and which of two answers. */
#include "store.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What became of a candidate, by name. */

static const char *const names[] = {
    [WISP_TRIAL_OK] = "ok",
    [WISP_TRIAL_SLOW] = "slow",
    [WISP_TRIAL_WRONG] = "wrong",
    [WISP_TRIAL_REFUSED] = "refused",
    [WISP_TRIAL_COMPILE_ERROR] = "compile-error",
    [WISP_TRIAL_CRASH] = "crash",
    [WISP_TRIAL_HANG] = "hang",
    [WISP_TRIAL_UNFINISHED] = "unfinished",
    [WISP_TRIAL_OTHER] = "other",
};

wisp_outcome wisp_trial_outcome(const wisp_trial *trial)
{
  int outcome = WISP_TRIAL_OK;
  while (outcome < WISP_TRIAL_OTHER && strcmp(trial->outcome, names[outcome]) != 0) outcome++;
  return (wisp_outcome)outcome;
}

bool wisp_trial_is_right(const wisp_trial *trial)
{
  return wisp_trial_outcome(trial) <= WISP_TRIAL_SLOW;
}

static const char *const verdicts[] = {"ok", "slow", "refused", "failed", "unfinished"};

const char *wisp_verdict_name(wisp_verdict verdict)
{
  return verdicts[verdict];
}

wisp_verdict wisp_trial_verdict(const wisp_trial *trial)
{
  const char *outcome = names[wisp_trial_outcome(trial)];
  for (int v = 0; v < WISP_VERDICTS; v++)
    if (strcmp(outcome, verdicts[v]) == 0) return (wisp_verdict)v;
  return WISP_VERDICT_FAILED;
}

void wisp_tally_add(wisp_tally *tally, const wisp_trial *trial)
{
  const wisp_verdict verdict = wisp_trial_verdict(trial);
  tally->trials++;
  tally->of[verdict]++;
  if (verdict != WISP_VERDICT_REFUSED) return;
  tally->refused_candidates += wisp_reason_candidates(trial);
}

wisp_status wisp_tally_print(wisp_error *err, const wisp_tally *tally, wisp_text *out)
{
  const char *between = "";
  for (int v = 0; v < WISP_VERDICTS; v++) {
    if (!tally->of[v]) continue;
    CALL(wisp_text_print(err, out, "%s%zu %s", between, tally->of[v], verdicts[v]));
    if (v == WISP_VERDICT_REFUSED) CALL(wisp_text_print(err, out, " (%lld candidates)", tally->refused_candidates));
    between = ", ";
  }
  return WISP_OK;
}

void wisp_trial_end(wisp_trial *trial, wisp_outcome outcome, const char *why, ...)
{
  va_list list;
  snprintf(trial->outcome, sizeof trial->outcome, "%s", names[outcome]);
  trial->candidates = trial->begun = -1;
  trial->ratio = NAN;
  va_start(list, why);
  vsnprintf(trial->reason, sizeof trial->reason, why, list);
  va_end(list);
}

/* ---- Which of two trials of one kernel, layout and size answers: time, and the fixed rule for ties. */

const double wisp_ranking_margin = 1.03;
const double wisp_most_efficiency = 1.05;

double wisp_ranking_ms(const wisp_trial *trial)
{
  return strcmp(trial->tie, WISP_TIE_CHOSEN) == 0 ? trial->ms : trial->ms * wisp_ranking_margin;
}

/* Texts in which numbers count as numbers: "wi=8" is before "wi=16". */
static int compare_numbers(const char *a, const char *b)
{
  while (*a && *b) {
    if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      char *a_end = NULL, *b_end = NULL;
      unsigned long long x = strtoull(a, &a_end, 10), y = strtoull(b, &b_end, 10);
      if (x != y) return x < y ? -1 : 1;
      a = a_end, b = b_end;
    } else if (*a != *b)
      return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
    else
      a++, b++;
  }
  return (*a != '\0') - (*b != '\0');
}

bool wisp_ranking_simpler(const wisp_trial *a, const wisp_trial *b)
{
  int a_registers = a->registers < 0 ? INT_MAX : a->registers, b_registers = b->registers < 0 ? INT_MAX : b->registers;
  if (a_registers != b_registers) return a_registers < b_registers;
  int strategy = strcmp(a->strategy, b->strategy);
  return strategy ? strategy < 0 : compare_numbers(a->params, b->params) < 0;
}

const char *wisp_trial_mesh(const wisp_trial *trial)
{
  return *trial->mesh ? trial->mesh : WISP_MESH_BOX;
}

static int rank(const wisp_trial *trial)
{
  static const char *const meshes[] = {WISP_MESH_ORDERED, WISP_MESH_BOX};
  int rank = 0;
  while (rank < 2 && strcmp(wisp_trial_mesh(trial), meshes[rank]) != 0) rank++;
  return rank;
}

int wisp_ranking_meshes(const wisp_trial *a, const wisp_trial *b)
{
  return rank(a) - rank(b);
}

int wisp_ranking_order(const wisp_trial *a, const wisp_trial *b)
{
  const int order[] = {strcmp(a->spec, b->spec),
                       strcmp(a->layout, b->layout),
                       strcmp(a->device, b->device),
                       strcmp(a->target, b->target),
                       a->units - b->units,
                       strcmp(a->driver, b->driver),
                       strcmp(a->compiler, b->compiler),
                       (a->elements > b->elements) - (a->elements < b->elements),
                       strcmp(wisp_trial_mesh(a), wisp_trial_mesh(b))};
  for (size_t i = 0; i < WISP_COUNT(order); i++)
    if (order[i]) return order[i];
  return 0;
}

int wisp_ranking_compare(const wisp_trial *a, const wisp_trial *b)
{
  const int order = wisp_ranking_order(a, b);
  if (order) return order;
  const bool a_ok = wisp_trial_outcome(a) == WISP_TRIAL_OK, b_ok = wisp_trial_outcome(b) == WISP_TRIAL_OK;
  const double a_ms = wisp_ranking_ms(a), b_ms = wisp_ranking_ms(b);
  if (a_ok != b_ok) return a_ok ? -1 : 1;
  if (a_ms < b_ms || a_ms > b_ms) return a_ms < b_ms ? -1 : 1;
  return wisp_ranking_simpler(b, a) - wisp_ranking_simpler(a, b);
}

static int by_ranking(const void *a, const void *b)
{
  return wisp_ranking_compare(*(const wisp_trial *const *)a, *(const wisp_trial *const *)b);
}

size_t wisp_ranking_winners(size_t count, const wisp_trial **trials)
{
  size_t kept = 0;
  if (count) qsort(trials, count, sizeof *trials, by_ranking);
  for (size_t i = 0; i < count; i++)
    if (kept == 0 || wisp_ranking_order(trials[i], trials[kept - 1]) != 0) trials[kept++] = trials[i];
  return kept;
}

/* ---- Reasons that are asked for again. */

bool wisp_reason_alike(const char *a, const char *b)
{
  for (;; a++, b++) {
    while (isdigit((unsigned char)*a)) a++;
    while (isdigit((unsigned char)*b)) b++;
    if (*a != *b) return false;
    if (!*a) return true;
  }
}

static const char slower[] = " times the time of ";

void wisp_reason_refuse(wisp_trial *t, long long candidates, const char *why)
{
  wisp_trial_end(t, WISP_TRIAL_REFUSED, "%s", why);
  t->candidates = candidates < INT_MAX ? (int)candidates : INT_MAX;
}

long long wisp_reason_candidates(const wisp_trial *t)
{
  return t->candidates > 0 ? t->candidates : 1;
}

void wisp_reason_drop(wisp_trial *t, double ratio, const char *than)
{
  wisp_trial_end(t, WISP_TRIAL_SLOW, "%.2f%s%s, dropped", ratio, slower, than);
  t->ratio = ratio;
}

bool wisp_reason_slower_than(const wisp_trial *t, const char *name)
{
  const char *than = strstr(t->reason, slower);
  return than && strncmp(than + strlen(slower), name, strlen(name)) == 0;
}

void wisp_reason_begin(wisp_trial *t, int times)
{
  wisp_trial_end(t, WISP_TRIAL_UNFINISHED, "begun %d times, never ended", times);
  t->begun = times;
}

int wisp_reason_begun(const wisp_trial *t)
{
  if (wisp_trial_outcome(t) != WISP_TRIAL_UNFINISHED) return 0;
  return t->begun > 0 ? t->begun : 1;
}

void wisp_trial_take_words(wisp_trial *t)
{
  const wisp_outcome outcome = wisp_trial_outcome(t);
  int read = 0;
  int number = 0;
  if (outcome == WISP_TRIAL_REFUSED && t->candidates < 0 &&
      sscanf(t->reason, "%d candidates: %n", &number, &read) == 1 && read) {
    t->candidates = number;
    memmove(t->reason, t->reason + read, strlen(t->reason + read) + 1);
  }
  if (outcome == WISP_TRIAL_SLOW && isnan(t->ratio) && strstr(t->reason, slower)) t->ratio = strtod(t->reason, NULL);
  if (outcome == WISP_TRIAL_UNFINISHED && t->begun < 0 && sscanf(t->reason, "begun %d", &number) == 1)
    t->begun = number;
  if (t->efficiency > wisp_most_efficiency && strcmp(t->floor, WISP_FLOOR_CACHE) != 0)
    t->efficiency = NAN, t->floor[0] = '\0';
}

uint64_t wisp_composition_hash(uint64_t step, const char *kernel)
{
  return wisp_hash(step, kernel, strlen(kernel));
}
