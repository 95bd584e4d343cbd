#include "link.h"
#include "../../runtime/process.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

bool wisp_link_send(int socket, const void *data, size_t size)
{
  const char *at = data;
  while (size > 0) {
    ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= (size_t)sent;
  }
  return true;
}

bool wisp_link_receive(int socket, void *data, size_t size)
{
  char *at = data;
  while (size > 0) {
    ssize_t got = recv(socket, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = 0;
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}

wisp_status wisp_link_ask(wisp_error *err, const wisp_link *link, const wisp_note *note, wisp_answer_note *answer)
{
  wisp_answer_note unread;
  if (!answer) answer = &unread;
  if (!wisp_link_send(link->socket, note, sizeof *note) || !wisp_link_receive(link->socket, answer, sizeof *answer))
    return wisp_fail(err, WISP_ESYSTEM, "the tuner does not answer its worker: tune again");
  return wisp_require(err, answer->status == WISP_OK, answer->status, "%s", answer->error.text);
}

wisp_status wisp_link_next(wisp_error *err, const wisp_link *link, wisp_tune_summary *summary, wisp_unit *unit,
                           bool *there)
{
  wisp_note note = {.kind = WISP_NOTE_NEXT, .summary = *summary, .unit = *unit};
  wisp_answer_note answer;
  CALL(wisp_link_ask(err, link, &note, &answer));
  *there = answer.found;
  *unit = answer.unit;
  *summary = answer.summary;
  return WISP_OK;
}

wisp_status wisp_link_has(wisp_error *err, const wisp_link *link, const wisp_trial *key, bool *found, bool *tried,
                          wisp_trial *trial)
{
  wisp_note note = {.kind = WISP_NOTE_HAS, .trial = *key};
  wisp_answer_note answer;
  CALL(wisp_link_ask(err, link, &note, &answer));
  *found = answer.found;
  if (tried) *tried = answer.tried;
  if (answer.found && trial) *trial = answer.trial;
  return WISP_OK;
}

wisp_status wisp_link_put(wisp_error *err, const wisp_link *link, const wisp_trial *trial)
{
  return wisp_link_ask(err, link, &(wisp_note){.kind = WISP_NOTE_PUT, .trial = *trial}, NULL);
}

wisp_status wisp_link_begin(wisp_error *err, const wisp_link *link, wisp_note_kind kind, const wisp_trial *trial,
                            double seconds)
{
  return wisp_link_ask(err, link, &(wisp_note){.kind = kind, .trial = *trial, .seconds = seconds}, NULL);
}

/* ---- What time goes to. */

void wisp_profile_switch(wisp_profile *profile, wisp_phase purpose)
{
  const double now = wisp_seconds();
  if (profile->since > 0) profile->spent[profile->purpose] += now - profile->since;
  profile->since = now;
  profile->purpose = purpose;
}

wisp_profile_scope wisp_profile_enter(wisp_profile *profile, wisp_phase purpose)
{
  const wisp_profile_scope turning = {profile, profile->purpose};
  wisp_profile_switch(profile, purpose);
  return turning;
}

void wisp_profile_leave(const wisp_profile_scope *turning)
{
  wisp_profile_switch(turning->profile, turning->before);
}

void wisp_profile_flush(wisp_profile *profile, double spent[WISP_PHASES])
{
  wisp_profile_switch(profile, profile->purpose);
  for (int p = 0; p < WISP_PHASES; p++) {
    spent[p] += profile->spent[p];
    profile->spent[p] = 0;
  }
}

void wisp_profile_balance(double spent[WISP_PHASES], double seconds)
{
  spent[WISP_ELSE] = seconds;
  for (int p = WISP_ELSE + 1; p < WISP_PHASES; p++) spent[WISP_ELSE] -= spent[p];
  spent[WISP_ELSE] = fmax(spent[WISP_ELSE], 0);
}

/* ---- The summary of a sweep: counts of outcomes, and the reasons of failures. */

static const char left_out[] = "left out";

wisp_tuned *wisp_summary_target(wisp_tune_summary *summary, int order, wisp_precision precision, const char *part)
{
  for (int i = 0; i < summary->targets; i++) {
    wisp_tuned *t = &summary->target[i];
    if (t->order == order && t->precision == precision && strcmp(t->part, part) == 0) return t;
  }
  if (summary->targets == WISP_MOST_TARGETS) return NULL;
  wisp_tuned *made = &summary->target[summary->targets++];
  *made = (wisp_tuned){.order = order, .precision = precision};
  snprintf(made->part, sizeof made->part, "%s", part);
  return made;
}

void wisp_summary_fail(wisp_tune_summary *summary, const wisp_failure *failure)
{
  wisp_failure *last = &summary->failure[WISP_MOST_FAILURES - 1];
  for (int i = 0; i < summary->failures; i++) {
    wisp_failure *known = &summary->failure[i];
    if (strcmp(known->outcome, failure->outcome) != 0 || !wisp_reason_alike(known->reason, failure->reason)) continue;
    known->count += failure->count;
    return;
  }
  if (summary->failures < WISP_MOST_FAILURES) {
    summary->failure[summary->failures++] = *failure;
    return;
  }
  last->count += failure->count;
  snprintf(last->outcome, sizeof last->outcome, "failed");
  snprintf(last->reason, sizeof last->reason, "for other reasons");
}

void wisp_summary_leave_out(wisp_tune_summary *summary, const wisp_trial *why)
{
  wisp_failure failure = {.count = 1};
  snprintf(failure.outcome, sizeof failure.outcome, "%s", left_out);
  snprintf(failure.reason, sizeof failure.reason, "%.40s on %.60s: %.130s", why->outcome, why->device, why->reason);
  summary->left_out++;
  wisp_summary_fail(summary, &failure);
}

void wisp_summary_recount(wisp_tune_summary *summary, const wisp_tune_summary *before)
{
  int kept = 0;
  for (int i = 0; i < summary->failures; i++)
    if (strcmp(summary->failure[i].outcome, left_out) != 0) summary->failure[kept++] = summary->failure[i];
  summary->failures = kept;
  summary->left_out = before->left_out;
  for (int i = 0; i < before->failures; i++)
    if (strcmp(before->failure[i].outcome, left_out) == 0) wisp_summary_fail(summary, &before->failure[i]);
}

void wisp_summary_count(wisp_tune_summary *summary, const wisp_trial *trial)
{
  const wisp_verdict verdict = wisp_trial_verdict(trial);
  const bool ok = verdict <= WISP_VERDICT_SLOW;
  wisp_failure why = {.count = 1};
  snprintf(why.outcome, sizeof why.outcome, "%s", trial->outcome);
  snprintf(why.reason, sizeof why.reason, "%.239s", trial->reason);
  summary->trials++;
  summary->ok += ok;
  summary->refused += verdict == WISP_VERDICT_REFUSED;
  if (verdict == WISP_VERDICT_FAILED) {
    summary->failed++;
    wisp_summary_fail(summary, &why);
  }
  /* The first that failed says more than one that was refused. */
  const bool first = verdict == WISP_VERDICT_FAILED ? summary->failed == 1 : !summary->failed && summary->refused == 1;
  if (!ok && first) wisp_summary_why(summary, trial);
}

void wisp_summary_why(wisp_tune_summary *summary, const wisp_trial *trial)
{
  snprintf(summary->why, sizeof summary->why, "%s%s%s, layout %s: %s: %.300s", trial->strategy,
           *trial->params ? " " : "", trial->params, trial->layout, trial->outcome, trial->reason);
}
