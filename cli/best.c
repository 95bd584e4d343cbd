#include "best.h"
#include "cli.h"

/* The options. */
typedef struct best_request {
  char device[128];            /* what is in its name */
  const char *family, *system; /* NULL: any */
  wisp_orders orders;
  wisp_precisions precisions;
  bool any_layout;
} best_request;

/* One column of paper 0's table: everything that shares a stage. spec.kernel is empty. */
typedef struct group {
  wisp_spec spec;
  const wisp_trial *newest; /* its surroundings are those that count */
} group;

typedef struct group_list {
  group *list;
  size_t count, capacity;
} group_list;

static void free_groups(group_list *groups)
{
  free(groups->list);
}

/* Device, then spec. */
static int by_place(const void *x, const void *y)
{
  const group *a = x, *b = y;
  const int device = strcmp(a->newest->device, b->newest->device);
  return device ? device : wisp_spec_orders(&a->spec, &b->spec);
}

static wisp_status note_group(wisp_error *err, group_list *groups, const wisp_spec *spec, const wisp_trial *trial)
{
  group fresh = {*spec, trial};
  for (size_t i = 0; i < groups->count; i++) {
    group *g = &groups->list[i];
    if (by_place(g, &fresh) != 0) continue;
    if (strcmp(trial->when, g->newest->when) > 0) g->newest = trial;
    return WISP_OK;
  }
  CALL(wisp_grow(err, &groups->list, &groups->capacity, groups->count + 1, sizeof *groups->list));
  fresh.spec.kernel[0] = '\0';
  groups->list[groups->count++] = fresh;
  return WISP_OK;
}

static wisp_status collect(wisp_error *err, const wisp_store *store, const best_request *request, group_list *out)
{
  wisp_spec spec;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    const wisp_trial *trial = wisp_store_trial(store, i, NULL);
    if (!wisp_trial_is_right(trial) || wisp_spec_parse(NULL, trial->spec, &spec) != WISP_OK) continue;
    if (!wisp_family_find(spec.family) || !strcasestr(trial->device, request->device)) continue;
    if (request->family && strcmp(spec.family, request->family) != 0) continue;
    if (request->system && strcmp(spec.system, request->system) != 0) continue;
    bool precision = false;
    for (int p = 0; p < request->precisions.count; p++) precision |= request->precisions.list[p] == spec.precision;
    if (precision && wisp_orders_have(&request->orders, spec.order)) CALL(note_group(err, out, &spec, trial));
  }
  if (out->count) qsort(out->list, out->count, sizeof *out->list, by_place);
  return WISP_OK;
}

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

/* Adds the chosen trial, or else the one of this very device that it was chosen over. */
static wisp_status add_row(wisp_error *err, const wisp_chooser *from, const group *g, const wisp_choice *choice,
                           const wisp_plan *plan, wisp_best_rows *rows)
{
  const wisp_shown shown = wisp_choice_shown(choice, NULL);
  const wisp_answer answer = shown.answer;
  if (!answer.trial || (!choice->trial && answer.match > WISP_MATCH_DRIVER)) return WISP_OK;
  CALL(wisp_grow(err, &rows->rows, &rows->capacity, rows->count + 1, sizeof *rows->rows));
  wisp_best_row *row = &rows->rows[rows->count];
  *row = (wisp_best_row){.spec = g->spec,
                         .of = g->newest,
                         .trial = answer.trial,
                         .timed = shown.timed,
                         .default_ms = NAN,
                         .remark = shown.remark,
                         .match = answer.match,
                         .layer = answer.layer};
  wisp_spec_name_kernel(&row->spec, choice->kernel);
  CALL(note_constants(err, from, plan, row));
  if (!*row->remark) CALL(wisp_standard_ms(err, from, answer.trial, &row->default_ms));
  rows->count++;
  return WISP_OK;
}

/* The kernels of the stage that a solver takes, the fastest of those that no stage has, and last the stage; where no
 * stage was measured, each kernel's fastest. */
static wisp_status add_group(wisp_error *err, const wisp_chooser *from, const group *g, const best_request *request,
                             wisp_best_rows *rows)
{
  const wisp_family *family = wisp_family_find(g->spec.family);
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0}, one = {.kernels = 0};
  wisp_choose_request of_one = {.spec = g->spec};
  CALL(wisp_choose_if_any(err, from, &of_one, &stage));
  const bool stepped = stage.record.trial && !request->any_layout;
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

static wisp_status fill(wisp_error *err, const wisp_session *session, const best_request *request, wisp_best_rows *rows)
{
  HELD(free_groups) group_list groups = {0};
  wisp_limits limits = {.target = ""};
  HELD(wisp_scopes_free) wisp_scopes scopes = {0};
  const wisp_chooser from = {session->strategies, session->store, &limits, &scopes};
  CALL(collect(err, session->store, request, &groups));
  for (size_t i = 0; i < groups.count; i++) {
    const wisp_trial *newest = groups.list[i].newest;
    if (wisp_trial_limits(NULL, newest, &limits) != WISP_OK) continue; /* a kind of device that is not known here */
    wisp_scopes_serve(&scopes, &limits);
    CALL(add_group(err, &from, &groups.list[i], request, rows));
  }
  for (size_t i = 0; i < rows->count; i++) {
    const wisp_best_row *row = &rows->rows[i];
    const bool same = row->default_ms == row->trial->ms; /* it is the default */
    wisp_store_retime(session->store, row->trial, row->timed);
    if (same) rows->rows[i].default_ms = row->trial->ms;
  }
  return wisp_require(err, rows->count, WISP_EMISSING,
                      "nothing is stored for %s%s: 'wisp tune' fills the store, and "
                      "'wisp db show' tells what is there, -d all shows it",
                      *request->device ? request->device : "any device",
                      *request->device ? " and these options" : " with these options");
}

static void free_rows(wisp_best_rows *rows)
{
  free(rows->rows);
}

/* The device that is meant where none is named: the one that would be tuned here. "": any. */
static wisp_status read_device(wisp_error *err, const wisp_arguments *args, char name[128])
{
  const char *given = wisp_option_value(args, "device");
  OWNED(wisp_device_close) wisp_device *device = NULL;
  bool every = wisp_option_given(args, "all"), all = given && strcmp(given, "all") == 0;
  name[0] = '\0';
  CALL(wisp_require(err, !every || !given || all, WISP_EUSAGE, "--all and -d %s exclude each other: leave one out",
                    given));
  if (every || all) return WISP_OK;
  if (given) return wisp_option_stored_device(err, args, name);
  CALL(wisp_device_open(err, "auto", &device));
  snprintf(name, 128, "%s", wisp_device_limits(device)->name);
  return WISP_OK;
}

static wisp_status best(wisp_error *err, wisp_arguments *args)
{
  static const wisp_best_print printers[] = {wisp_best_print_text, wisp_best_print_json, wisp_best_print_csv,
                                             wisp_best_print_markdown};
  best_request request = {.family = wisp_option_value(args, "family"),
                          .system = wisp_option_value(args, "system"),
                          .any_layout = wisp_option_given(args, "any-layout")};
  OWNED(wisp_session_close) wisp_session *session = NULL;
  HELD(free_rows) wisp_best_rows rows = {0};
  HELD(wisp_text_free) wisp_text text = {0};
  size_t format;
  CALL(wisp_option_known(err, args));
  CALL(read_device(err, args, request.device));
  CALL(wisp_option_orders(err, args, "orders", request.family, "all", &request.orders));
  CALL(wisp_option_precisions(err, args, "precision", "f32,f64", &request.precisions));
  CALL(wisp_require(err, !wisp_option_given(args, "json") || !wisp_option_given(args, "format"), WISP_EUSAGE,
                    "--json and --format both say how to print: leave one out"));
  CALL(wisp_option_choice(err, args, "format", "text json csv markdown", wisp_option_given(args, "json"), &format));
  CALL(wisp_cli_open_store(err, args, true, &session));
  if (printers[format] != wisp_best_print_json) wisp_store_show(session->store); /* JSON escapes by itself */
  CALL(fill(err, session, &request, &rows));
  CALL(printers[format](err, &rows, &text));
  fwrite(text.data, 1, text.length, stdout);
  return WISP_OK;
}

const wisp_syntax wisp_best_syntax = {.page = "best", .act = best};
