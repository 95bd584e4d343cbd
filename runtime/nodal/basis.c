#include "basis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NODAL, BERNSTEIN };
const char *const wisp_basis_names[WISP_BASES] = {"nodal", "bernstein"};
static const char *const elements[WISP_BASES] = {"tet", "bernstein-tet"};

static wisp_status choose(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request, int basis,
                          wisp_stage *out)
{
  wisp_choose_request own = *request;
  wisp_spec_name_element(&own.spec, elements[basis]);
  return wisp_choose(err, from, &own, out);
}

/* What tells of a stage that was measured: the record of the whole, or of one kernel that has a winner, that. NULL
 * where there is no entry. */
static const wisp_choice *measured_choice(const wisp_stage *stage)
{
  if (!stage->kernels || !stage->record.trial) return NULL;
  if (stage->kernels == 1 && stage->choice[0].trial) return stage->choice;
  return stage->record.stale ? NULL : &stage->record;
}

/* What an element takes; NaN where there is no entry. */
static double seconds(const wisp_stage *stage)
{
  const wisp_choice *choice = measured_choice(stage);
  return choice ? choice->ms / 1e3 / (double)choice->trial->elements : NAN;
}

/* Both as is expected here, where that is known of both. */
static void expect(const wisp_stage stage[WISP_BASES], double time[WISP_BASES], bool *known)
{
  *known = true;
  for (int b = 0; b < WISP_BASES; b++) *known &= !isnan(time[b]) && !isnan(measured_choice(&stage[b])->expected);
  for (int b = 0; *known && b < WISP_BASES; b++) time[b] = measured_choice(&stage[b])->expected / 1e3;
}

/* The faster, as is expected here, or else of those that match best; -1: nothing was measured. */
static int faster(const wisp_stage stage[WISP_BASES], const double time[WISP_BASES], bool known)
{
  int best = -1;
  if (known) return time[BERNSTEIN] < time[NODAL] ? BERNSTEIN : NODAL;
  for (int b = 0; b < WISP_BASES; b++) {
    if (isnan(time[b])) continue;
    const bool closer = best < 0 || stage[b].record.match < stage[best].record.match;
    const bool as_close = best >= 0 && stage[b].record.match == stage[best].record.match;
    if (closer || (as_close && time[b] < time[best])) best = b;
  }
  return best;
}

/* Why `taken`, where `best` is the one that measurements say, or none. */
static void explain(const wisp_stage stage[WISP_BASES], const double time[WISP_BASES], bool known, int best, int taken,
                    wisp_basis *basis)
{
  const int other = WISP_BASES - 1 - taken;
  const char *const name = wisp_basis_names[other];
  if (!stage[other].kernels)
    snprintf(basis->reason, sizeof basis->reason, "there is no such stage of the %s basis here", name);
  else if (best < 0)
    snprintf(basis->reason, sizeof basis->reason, "no whole stage was measured on this device");
  else if (isnan(time[other]))
    snprintf(basis->reason, sizeof basis->reason, "no whole stage of the %s basis was measured on this device", name);
  else if (!known && stage[other].record.match != stage[taken].record.match)
    snprintf(basis->reason, sizeof basis->reason, "its stage was measured: %s; the %s one: %s",
             wisp_match_name(stage[taken].record.match), name, wisp_match_name(stage[other].record.match));
  else
    snprintf(basis->reason, sizeof basis->reason, "its stage takes %.3g of the time of the %s one",
             time[taken] / time[other], name);
}

static wisp_status choose_faster(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                                 wisp_basis *basis, wisp_stage *out)
{
  wisp_stage stage[WISP_BASES] = {{.kernels = 0}};
  double time[WISP_BASES] = {NAN, NAN};
  wisp_error why[WISP_BASES] = {{.text = ""}};
  wisp_status status = WISP_OK;
  for (int b = 0; b < WISP_BASES; b++) {
    status = choose(&why[b], from, request, b, &stage[b]);
    if (status != WISP_EREFUSED) TRY(wisp_require(err, status == WISP_OK, status, "%s", why[b].text));
    time[b] = status == WISP_OK ? seconds(&stage[b]) : NAN;
  }
  const bool has_one = stage[NODAL].kernels || stage[BERNSTEIN].kernels;
  TRY(wisp_require(err, has_one, WISP_EREFUSED, "%s", why[NODAL].text));
  status = WISP_OK;
  bool known;
  expect(stage, time, &known);
  const int best = faster(stage, time, known), taken = best >= 0 ? best : stage[NODAL].kernels ? NODAL : BERNSTEIN;
  basis->name = wisp_basis_names[taken];
  explain(stage, time, known, best, taken, basis);
  *out = stage[taken];
  stage[taken] = (wisp_stage){.kernels = 0};
done:
  for (int b = 0; b < WISP_BASES; b++) wisp_stage_free(&stage[b]);
  return status;
}

wisp_status wisp_basis_choose(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                              const char *name, wisp_basis *basis, wisp_stage *out)
{
  int b = 0;
  basis->reason[0] = '\0';
  if (name && strcmp(name, "auto") == 0) return choose_faster(err, from, request, basis, out);
  while (name && b < WISP_BASES && strcmp(wisp_basis_names[b], name) != 0) b++;
  CALL(wisp_require(err, b < WISP_BASES, WISP_EUSAGE, "basis '%s' is not known: use one of nodal, bernstein, auto",
                    name));
  basis->name = wisp_basis_names[b];
  return choose(err, from, request, b, out);
}

const char *wisp_basis_element(const wisp_basis *basis)
{
  int b = 0;
  while (strcmp(wisp_basis_names[b], basis->name) != 0) b++;
  return elements[b];
}
