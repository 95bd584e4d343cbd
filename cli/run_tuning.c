/* The lines of a run about the store: kernels that run defaults, stored timings that it does not take, and the commands
 * that change it. */
#include "run_tuning.h"
#include "../gen/family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options of wisp tune that say what a kernel is of; those that it has by default are left out. */
static void print_subject(const wisp_spec *spec)
{
  const wisp_family *family = wisp_family_find(spec->family);
  printf(" -f %s", spec->family);
  if (strcmp(spec->system, family->default_system) != 0) printf(" --system %s", spec->system);
  if (strcmp(spec->element, family->elements->name) != 0) printf(" --element %s", spec->element);
  printf(" -n %d -p %s", spec->order, wisp_precision_name(spec->precision));
}

/* Kernels of one subject, of one family as well: another one may have lent some. */
enum { MOST_SUBJECTS = 8 };
typedef struct untuned {
  const wisp_spec *subject;
  int kernels, defaults;
} untuned;

static void count_kernel(const wisp_stage *stage, int kernel, int *count, untuned *list)
{
  const wisp_spec *spec = &stage->plan[kernel]->spec;
  int at = 0;
  while (at < *count && wisp_spec_subjects(list[at].subject, spec) != 0) at++;
  if (at == MOST_SUBJECTS) return;
  if (at == *count) list[(*count)++] = (untuned){.subject = spec};
  list[at].kernels++;
  list[at].defaults += stage->choice[kernel].match == WISP_MATCH_DEFAULT;
}

/* ---- Stored timings that no kernel of the run takes. */

enum { MOST_UNUSED = 16 };
typedef struct unused {
  const wisp_spec *subject; /* a stage's */
  int kernels;
  char kernel[MOST_UNUSED][WISP_NAME_TEXT];
} unused;

static bool launches(const wisp_solver *s, const char *kernel)
{
  for (int part = 0; part < WISP_SOLVER_STAGES; part++)
    for (int i = 0; i < s->stage[part].kernels; i++)
      if (strcmp(s->stage[part].plan[i]->spec.kernel, kernel) == 0) return true;
  return false;
}

static void add_unused(const char *kernel, unused *out)
{
  for (int i = 0; i < out->kernels; i++)
    if (strcmp(out->kernel[i], kernel) == 0) return;
  if (out->kernels < MOST_UNUSED) snprintf(out->kernel[out->kernels++], WISP_NAME_TEXT, "%s", kernel);
}

static bool is_asked_for(const wisp_solver *s)
{
  for (const wisp_solver_option *o = s->kind->option; o->name; o++)
    if (strcmp(o->name, "composition") == 0 && wisp_solver_given(s, o->name)) return true;
  return false;
}

/* Kernels of the family's compositions that the user's store has timings of on this device, where no record of a whole
 * stage chose others: nothing says whether they would be faster. */
static unused find_unused(const wisp_solver *s, const wisp_stage *stage)
{
  unused out = {.kernels = 0};
  const wisp_store *store = s->session->store;
  const wisp_limits *limits = wisp_device_limits(s->session->device);
  wisp_layer layer;
  wisp_spec spec;
  if (!store || !stage->kernels || stage->record.trial || is_asked_for(s)) return out;
  out.subject = &stage->plan[0]->spec;
  const wisp_family *family = wisp_family_find(out.subject->family);
  if (!family->compositions || !wisp_family_composes(family, out.subject->kernel)) return out;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    const wisp_trial *t = wisp_store_trial(store, i, &layer);
    if (layer != WISP_LAYER_USER || wisp_trial_outcome(t) != WISP_TRIAL_OK || strcmp(t->device, limits->name) != 0)
      continue;
    if (wisp_spec_parse(NULL, t->spec, &spec) != WISP_OK || wisp_spec_orders(&spec, out.subject) != 0) continue;
    if (wisp_family_composes(family, spec.kernel) && !launches(s, spec.kernel)) add_unused(spec.kernel, &out);
  }
  return out;
}

static void print_command(const wisp_arguments *args, const wisp_spec *subject, const char *more)
{
  const char *device = wisp_option_value(args, "device"), *db = wisp_option_value(args, "db");
  printf("            wisp tune -d %s", device ? device : "auto");
  print_subject(subject);
  printf("%s", more);
  if (db) printf(" --db '%s'", db);
  printf("\n");
}

void wisp_run_print_unused(const wisp_arguments *args, const wisp_solver *s)
{
  for (int part = 0; part < WISP_SOLVER_STAGES; part++) {
    const unused u = find_unused(s, &s->stage[part]);
    if (!u.kernels) continue;
    printf("unused      stored timings of %s", u.kernel[0]);
    for (int i = 1; i < u.kernels; i++) printf(", %s", u.kernel[i]);
    printf(" are not used: no whole stage with %s was timed; time these by\n", u.kernels > 1 ? "them" : "it");
    print_command(args, u.subject, " -k step");
  }
}

void wisp_run_add_unused(cJSON *object, const wisp_solver *s)
{
  cJSON *list = cJSON_CreateArray();
  for (int part = 0; part < WISP_SOLVER_STAGES; part++) {
    const unused u = find_unused(s, &s->stage[part]);
    for (int i = 0; i < u.kernels; i++) cJSON_AddItemToArray(list, cJSON_CreateString(u.kernel[i]));
  }
  cJSON_AddItemToObject(object, "unused_timings", list);
}

/* ---- What tuning is expected to speedup. */

/* The distance of a trial's spec from the subject: another system or element counts more than other orders; -1: no
 * tuned kernel of this family and precision, on a device of this kind. */
static int distance(const wisp_trial *t, const wisp_spec *subject, const wisp_limits *here)
{
  wisp_spec spec;
  const bool alike = strcmp(wisp_target_dialect(t->target), here->kind) == 0;
  if (wisp_trial_outcome(t) != WISP_TRIAL_OK || t->is_default == 1 || !alike ||
      wisp_spec_parse(NULL, t->spec, &spec) != WISP_OK)
    return -1;
  if (strcmp(spec.family, subject->family) != 0 || spec.precision != subject->precision) return -1;
  return abs(spec.order - subject->order) + 20 * (strcmp(spec.system, subject->system) != 0) +
         20 * (strcmp(spec.element, subject->element) != 0);
}

/* The speed of the tuned kernels over that of defaults, geometric mean, where the store knows both on a device of this
 * kind, of the nearest subject; NAN: it does not. *where is such a trial. */
static wisp_status find_gain(wisp_error *err, const wisp_solver *s, const wisp_spec *subject, const wisp_trial **where,
                             double *speedup)
{
  const wisp_store *store = s->session->store;
  if (!store) return *speedup = NAN, WISP_OK;
  const wisp_limits *here = wisp_device_limits(s->session->device);
  int nearest = -1, known = 0;
  double sum = 0;
  wisp_limits limits = {.target = ""};
  HELD(wisp_scopes_free) wisp_scopes scopes = {0};
  *speedup = NAN;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    const wisp_trial *t = wisp_store_trial(store, i, NULL);
    const int far = distance(t, subject, here);
    if (far >= 0 && (nearest < 0 || far < nearest)) nearest = far, *where = t;
  }
  if (nearest < 0 || wisp_trial_limits(NULL, *where, &limits) != WISP_OK) return WISP_OK;
  const wisp_chooser from = {s->session->strategies, store, &limits, &scopes};
  wisp_choose_request request = {.spec = *subject};
  CALL(wisp_spec_parse(err, (*where)->spec, &request.spec));
  const wisp_family *family = wisp_family_find(subject->family);
  for (const wisp_kernel_decl *k = family->kernels;; k++) {
    HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
    double ms = NAN;
    wisp_spec_name_kernel(&request.spec, k->name ? k->name : WISP_COMPOSITION);
    CALL(wisp_choose_if_any(err, &from, &request, &stage));
    const wisp_choice *c = &stage.record;
    if (stage.kernels && c->trial && !c->stale) CALL(wisp_standard_ms(err, &from, c->trial, &ms));
    if (ms > 0 && !k->name) sum = log(ms / c->ms), known = 1; /* a whole stage says all */
    if (ms > 0 && k->name) sum += log(ms / c->ms), known++;
    if (!k->name) break;
  }
  if (known) *speedup = exp(sum / known);
  return WISP_OK;
}

wisp_status wisp_run_offer_tuning(wisp_error *err, const wisp_arguments *args, const wisp_solver *s)
{
  untuned list[MOST_SUBJECTS];
  int subjects = 0;
  for (int part = 0; part < WISP_SOLVER_STAGES; part++)
    for (int k = 0; k < s->stage[part].kernels; k++) count_kernel(&s->stage[part], k, &subjects, list);
  for (int i = 0; i < subjects; i++) {
    const wisp_trial *where = NULL;
    double speedup = NAN;
    if (!list[i].defaults) continue;
    printf("untuned     %d of %d kernels run defaults; --tune 20s tunes them before the start, and so does\n",
           list[i].defaults, list[i].kernels);
    print_command(args, list[i].subject, "");
    CALL(find_gain(err, s, list[i].subject, &where, &speedup));
    if (speedup > 1.05)
      printf("            on %s tuned kernels are %.2g times as fast as defaults\n", where->device, speedup);
  }
  return WISP_OK;
}
