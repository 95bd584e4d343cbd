/* The rows of `wisp best`: what a solver takes of each subject, order and precision that the store has; or the best of
 * one strategy or layout. */
#include "best.h"
#include "cli.h"
#include "../gen/family.h"
#include "../runtime/api/api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One column of paper 0's table: everything that shares a stage. spec.kernel is empty. */
typedef struct group {
  wisp_spec spec;
  const wisp_trial *newest; /* its surroundings are those that count */
  bool ships;               /* a sweep of this card: no other card's rows stand beside its own */
} group;

typedef struct group_list {
  group *list;
  size_t count, capacity;
} group_list;

static void free_groups(group_list *groups)
{
  free(groups->list);
}

void wisp_best_free(wisp_best_rows *rows)
{
  free(rows->rows);
  wisp_text_free(&rows->others);
}

/* --- groups --- */

/* Device, then spec. */
static int by_place(const void *x, const void *y)
{
  const group *a = x, *b = y;
  const int device = strcmp(a->newest->device, b->newest->device);
  return device ? device : wisp_spec_orders(&a->spec, &b->spec);
}

static wisp_status note_group(wisp_error *err, group_list *groups, const wisp_spec *spec, const wisp_trial *trial,
                              wisp_layer layer)
{
  group fresh = {*spec, trial, layer == WISP_LAYER_SHIPPED};
  for (size_t i = 0; i < groups->count; i++) {
    group *g = &groups->list[i];
    if (by_place(g, &fresh) != 0) continue;
    if (strcmp(trial->when, g->newest->when) > 0) g->newest = trial;
    g->ships |= fresh.ships;
    return WISP_OK;
  }
  CALL(wisp_grow(err, &groups->list, &groups->capacity, groups->count + 1, sizeof *groups->list));
  fresh.spec.kernel[0] = '\0';
  groups->list[groups->count++] = fresh;
  return WISP_OK;
}

static bool is_wanted(const char *asked, const char *name)
{
  return !asked || strcmp(asked, name) == 0;
}

static wisp_status collect(wisp_error *err, const wisp_store *store, const wisp_best_request *request, group_list *out)
{
  wisp_spec spec;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer = WISP_LAYER_NONE;
    const wisp_trial *trial = wisp_store_trial(store, i, &layer);
    if (!wisp_trial_is_right(trial) || wisp_spec_parse(NULL, trial->spec, &spec) != WISP_OK) continue;
    if (!wisp_family_find(spec.family) || !strcasestr(trial->device, request->device)) continue;
    if (!is_wanted(request->family, spec.family) || !is_wanted(request->system, spec.system) ||
        !is_wanted(request->element, spec.element))
      continue;
    bool precision = false;
    for (int p = 0; p < request->precisions.count; p++) precision |= request->precisions.list[p] == spec.precision;
    if (precision && wisp_orders_have(&request->orders, spec.order)) CALL(note_group(err, out, &spec, trial, layer));
  }
  if (out->count) qsort(out->list, out->count, sizeof *out->list, by_place);
  return WISP_OK;
}

/* The rank of a subject: 0 for the first family with its first element and own system. */
static int rank(const wisp_spec *spec)
{
  int family = 0, element = 0;
  while (strcmp(wisp_family_at((size_t)family)->name, spec->family) != 0) family++;
  const wisp_family *f = wisp_family_at((size_t)family);
  while (f->elements[element].name && strcmp(f->elements[element].name, spec->element) != 0) element++;
  return 100 * family + 10 * (strcmp(f->default_system, spec->system) != 0) + element;
}

/* Leaves the first subject of each device in the list, and names the others. */
static wisp_status leave_first(wisp_error *err, group_list *groups, wisp_text *others)
{
  size_t kept = 0;
  for (size_t from = 0, to; from < groups->count; from = to) {
    const group *first = &groups->list[from];
    for (to = from; to < groups->count; to++) {
      const group *g = &groups->list[to];
      if (strcmp(g->newest->device, groups->list[from].newest->device) != 0) break;
      if (rank(&g->spec) < rank(&first->spec)) first = g;
    }
    const wisp_spec chosen = first->spec;
    for (size_t i = from; i < to; i++) {
      const group g = groups->list[i];
      const bool is_new = i == from || wisp_spec_subjects(&g.spec, &groups->list[i - 1].spec) != 0;
      if (wisp_spec_subjects(&g.spec, &chosen) == 0)
        groups->list[kept++] = g;
      else if (is_new && from == 0)
        CALL(wisp_text_print(err, others, "%s%s %s %s", others->length ? ", " : "", g.spec.family, g.spec.element,
                             g.spec.system));
    }
  }
  groups->count = kept;
  return WISP_OK;
}

/* --- rows --- */

/* The values of what the trial's strategy does not vary. plan: what was chosen in its place, or of it; NULL: nothing.
 */
static wisp_status note_constants(wisp_error *err, const wisp_chooser *from, const wisp_plan *plan, wisp_best_row *row)
{
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  int values[WISP_MAX_PARAMS];
  const char *params = row->trial->params;
  const wisp_strategy *s =
      wisp_strategies_find(from->strategies, row->spec.family, row->spec.kernel, row->trial->strategy);
  if (!s) return WISP_OK;
  const bool is_its = plan && plan->strategy == s && strcmp(plan->params, params) == 0;
  CALL(wisp_strategy_scope(err, s, NULL, &env));
  if (!is_its && wisp_strategy_values(NULL, s, params, true, NULL, values) == WISP_OK)
    for (int i = 0; i < s->params; i++) CALL(wisp_env_int(err, env, s->param[i].name, values[i]));
  wisp_strategy_constants(s, is_its ? plan->env : env, row->constants);
  return WISP_OK;
}

/* Threads that a multiprocessor has at a time, by the kernel's blocks, registers and shared memory; 0: not known. */
static int count_resident(const wisp_limits *limits, const wisp_plan *plan, const wisp_trial *t)
{
  enum { WARP = 32, BLOCKS = 32, RESERVED = 1024, REGISTERS = 256 }; /* of a block; registers come by so many a warp */
  const int threads = plan ? (int)(plan->block[0] * plan->block[1] * plan->block[2]) : 0;
  if (!limits->gpu || threads <= 0 || t->registers <= 0 || strcmp(plan->params, t->params) != 0) return 0;
  const int warps = (threads + WARP - 1) / WARP;
  const int registers = warps * ((t->registers * WARP + REGISTERS - 1) / REGISTERS) * REGISTERS;
  int blocks = limits->threads_per_unit / (warps * WARP);
  if (blocks > BLOCKS) blocks = BLOCKS;
  if (blocks > limits->registers_per_unit / registers) blocks = limits->registers_per_unit / registers;
  const int shared = (t->shared_bytes > 0 ? t->shared_bytes : 0) + RESERVED;
  if (blocks > limits->shared_per_unit / shared) blocks = limits->shared_per_unit / shared;
  return blocks * threads;
}

/* Adds a row of what is shown; plan: of it, NULL: none is known. */
static wisp_status add_shown(wisp_error *err, const wisp_chooser *from, const group *g, const char *kernel,
                             const wisp_shown *shown, const wisp_plan *plan, wisp_best_rows *rows)
{
  CALL(wisp_grow(err, &rows->rows, &rows->capacity, rows->count + 1, sizeof *rows->rows));
  wisp_best_row *row = &rows->rows[rows->count];
  *row = (wisp_best_row){.spec = g->spec,
                         .of = g->newest,
                         .trial = shown->answer.trial,
                         .timed = shown->timed,
                         .default_ms = NAN,
                         .remark = shown->remark,
                         .match = shown->answer.match,
                         .layer = shown->answer.layer,
                         .resident = count_resident(from->limits, plan, shown->answer.trial)};
  wisp_spec_name_kernel(&row->spec, kernel);
  CALL(note_constants(err, from, plan, row));
  if (!*row->remark) CALL(wisp_standard_ms(err, from, row->trial, &row->default_ms));
  rows->count++;
  return WISP_OK;
}

/* The device whose rows alone are shown; NULL: others as well. */
static const char *only_device(const group *g)
{
  return g->ships ? g->newest->device : NULL;
}

/* Adds the chosen trial, or else the one of this very device that it was chosen over. */
static wisp_status add_row(wisp_error *err, const wisp_chooser *from, const group *g, const wisp_choice *choice,
                           const wisp_plan *plan, wisp_best_rows *rows)
{
  const wisp_shown shown = wisp_choice_shown(choice, only_device(g));
  if (!shown.answer.trial || (!choice->trial && shown.answer.match > WISP_MATCH_DRIVER)) return WISP_OK;
  return add_shown(err, from, g, choice->kernel, &shown, plan, rows);
}

/* The kernels of the stage that a solver takes, the fastest of those that no stage has, and last the stage; where no
 * stage was measured, each kernel's fastest. */
static wisp_status add_group(wisp_error *err, const wisp_chooser *from, const group *g,
                             const wisp_best_request *request, wisp_best_rows *rows)
{
  const wisp_family *family = wisp_family_find(g->spec.family);
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0}, one = {.kernels = 0};
  wisp_choose_request of_one = {.spec = g->spec};
  CALL(wisp_choose_if_any(err, from, &of_one, &stage));
  const wisp_trial *record = stage.record.trial;
  const bool own = record && (!only_device(g) || strcmp(record->device, only_device(g)) == 0);
  const bool stepped = own && !request->any_layout;
  const size_t before = rows->count;
  if (request->stages) CALL(add_row(err, from, g, &stage.record, NULL, rows));
  if (rows->count > before) return WISP_OK;
  for (int k = 0; stepped && k < stage.kernels; k++) CALL(add_row(err, from, g, &stage.choice[k], stage.plan[k], rows));
  for (const wisp_kernel_decl *k = family->kernels; k->name; k++) {
    if (stepped && wisp_family_composes(family, k->name)) continue;
    wisp_spec_name_kernel(&of_one.spec, k->name);
    CALL(wisp_choose_if_any(err, from, &of_one, &one));
    CALL(add_row(err, from, g, &one.record, one.kernels ? one.plan[0] : NULL, rows));
    wisp_stage_free(&one);
  }
  return add_row(err, from, g, &stage.record, NULL, rows);
}

/* --- one strategy or layout --- */

typedef struct filter {
  const wisp_best_request *request;
  const wisp_strategies *strategies;
} filter;

/* A wisp_current. */
static bool suits_request(const void *context, const wisp_trial *trial)
{
  const filter *f = context;
  const wisp_best_request *r = f->request;
  if (r->layout && strncmp(trial->layout, r->layout, strlen(r->layout)) != 0) return false;
  return is_wanted(r->strategy, trial->strategy) && wisp_trial_is_current(f->strategies, trial);
}

/* The trial's plan; NULL where it is a stage, or has none here any more. */
static wisp_status plan_of(wisp_error *err, const wisp_chooser *from, const wisp_spec *spec, const wisp_trial *trial,
                           wisp_env **names, wisp_plan **out)
{
  const wisp_strategy *s = wisp_strategies_find(from->strategies, spec->family, spec->kernel, trial->strategy);
  const wisp_target target = wisp_limits_target(from->limits);
  wisp_layout layouts[8];
  char text[WISP_LAYOUT_TEXT];
  int l = s ? wisp_family_layouts(spec, layouts) : 0;
  while (l-- > 0) {
    wisp_layout_print(&layouts[l], text);
    if (strcmp(text, trial->layout) == 0) break;
  }
  if (l < 0) return WISP_OK;
  CALL(wisp_family_names(err, spec, &target, 1, &layouts[l], names));
  (void)wisp_plan_from_text(NULL, s, spec, &layouts[l], *names, trial->params, out);
  return WISP_OK;
}

/* The best of each kernel, and of stages, that the request's strategy or layout has. */
static wisp_status add_filtered(wisp_error *err, const wisp_chooser *from, const group *g,
                                const wisp_best_request *request, wisp_best_rows *rows)
{
  const wisp_family *family = wisp_family_find(g->spec.family);
  const filter f = {request, from->strategies};
  wisp_asker asker = {.units = from->limits->units};
  snprintf(asker.device, sizeof asker.device, "%s", from->limits->name);
  snprintf(asker.target, sizeof asker.target, "%s", from->limits->target);
  snprintf(asker.driver, sizeof asker.driver, "%s", from->limits->driver);
  snprintf(asker.compiler, sizeof asker.compiler, "%s", from->limits->compiler);
  for (const wisp_kernel_decl *k = family->kernels;; k++) {
    OWNED(wisp_env_destroy) wisp_env *names = NULL;
    OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
    wisp_answer each[WISP_ANSWER_CLASSES];
    wisp_spec spec = g->spec;
    char text[WISP_SPEC_TEXT];
    wisp_spec_name_kernel(&spec, k->name ? k->name : WISP_COMPOSITION);
    wisp_spec_print(&spec, text);
    wisp_store_find_each(from->store, &asker, text, NULL, 0, suits_request, &f, each);
    const wisp_answer answer = wisp_store_resolve(from->store, &asker, 0, each);
    if (answer.trial) {
      CALL(plan_of(err, from, &spec, answer.trial, &names, &plan));
      CALL(add_shown(err, from, g, spec.kernel, &(wisp_shown){answer, "", answer.trial}, plan, rows));
    }
    if (!k->name) return WISP_OK;
  }
}

/* A winner that is the default itself is compared with its own time. */
static void take_times(wisp_store *store, const wisp_best_rows *rows)
{
  for (size_t i = 0; i < rows->count; i++) {
    wisp_best_row *row = &rows->rows[i];
    const bool is_default = row->default_ms >= row->trial->ms && row->default_ms <= row->trial->ms;
    wisp_store_retime(store, row->trial, row->timed);
    if (is_default) row->default_ms = row->trial->ms;
  }
}

wisp_status wisp_best_fill(wisp_error *err, const wisp_session *session, const wisp_best_request *request,
                           wisp_best_rows *rows)
{
  HELD(free_groups) group_list groups = {0};
  wisp_limits limits = {.target = ""};
  HELD(wisp_scopes_free) wisp_scopes scopes = {0};
  const wisp_chooser from = {session->strategies, session->store, &limits, &scopes};
  CALL(collect(err, session->store, request, &groups));
  if (request->stages) CALL(leave_first(err, &groups, &rows->others));
  for (size_t i = 0; i < groups.count; i++) {
    const wisp_trial *newest = groups.list[i].newest;
    if (wisp_trial_limits(NULL, newest, &limits) != WISP_OK) continue; /* a kind of device that is not known here */
    wisp_scopes_serve(&scopes, &limits);
    CALL(request->strategy || request->layout ? add_filtered(err, &from, &groups.list[i], request, rows)
                                              : add_group(err, &from, &groups.list[i], request, rows));
  }
  take_times(session->store, rows);
  return WISP_OK;
}
