/* wisp run: a problem is solved, its report printed, its fields written. All that is particular to a problem is in its
 * table (runtime/solve/solver.h). */
#include "cli.h"
#include "print.h"
#include "run_file.h"
#include "run_ranks.h"
#include "run_tuning.h"
#include "verify.h"
#include "../runtime/api/solvers.h"
#include "../runtime/api/tune.h"
#include "../tuner/workers/worker.h"

#include <unistd.h>

/* ---- The request. */

static wisp_status read_order(wisp_error *err, const wisp_arguments *args, const wisp_solver_kind *kind, int *out)
{
  const wisp_family *family = wisp_family_find(kind->family);
  const int *orders = family->elements->orders;
  int highest = orders[1];
  const char *text = wisp_option_value(args, "orders");
  long long order = 0;
  for (const wisp_element *e = family->elements; e->name; e++)
    highest = e->orders[1] > highest ? e->orders[1] : highest;
  CALL(wisp_require(err, text, WISP_EUSAGE, "give the order of the elements: -n %d to %d", orders[0], highest));
  CALL(wisp_require(err, wisp_value_integer(NULL, "orders", text, orders[0], highest, &order) == WISP_OK, WISP_EUSAGE,
                    "option -n is '%s', must be an order from %d to %d", text, orders[0], highest));
  *out = (int)order;
  return WISP_OK;
}

/* The options of the problem: those of its table, and those behind the page. Files that are written are looked at
 * before anything begins. */
static wisp_status read_own(wisp_error *err, const wisp_arguments *args, wisp_solver *s)
{
  char beside[WISP_PATH_TEXT], endings[64];
  for (const wisp_solver_option *o = s->kind->option; o->name; o++) {
    const char *path = NULL;
    if (o->kind == WISP_OPTION_FILE)
      CALL(wisp_option_output(err, args, o->name, o->choices ? o->choices : wisp_fields_endings(endings), &path));
    if (path && o->beside) {
      CALL(wisp_path_beside(err, path, o->beside, beside));
      CALL(wisp_output_check(err, args, o->name, beside));
    }
    if (wisp_option_given(args, o->name)) CALL(wisp_solver_take(err, s, o->name, wisp_option_value(args, o->name)));
  }
  for (size_t i = args->help.own; i < args->help.common; i++)
    if (args->values[i]) CALL(wisp_solver_take(err, s, args->help.option[i].name, args->values[i]));
  return WISP_OK;
}

/* The problem, which may also be named by --system where its options have that; the options that all problems have,
 * and its own. */
static wisp_status read_request(wisp_error *err, const wisp_arguments *args, wisp_solver **out)
{
  OWNED(wisp_solver_discard) wisp_solver *s = NULL;
  const char *problem = args->syntax->subject, *system = wisp_option_value(args, "system");
  const char *precision = wisp_option_value(args, "precision");
  const bool named = args->operand_count == 1 && strcmp(args->operands[0], problem) == 0;
  const bool defaults = wisp_option_given(args, "default");
  size_t match = 0;
  CALL(wisp_require(err, !system || strcmp(system, problem) == 0, WISP_EUSAGE,
                    "option --system is '%s', and the problem is %s", system, problem));
  CALL(wisp_require(err, named || (system && !args->operand_count), WISP_EUSAGE,
                    "name one problem to solve, such as 'wisp run %s -n 3'", problem));
  CALL(wisp_solver_new(err, wisp_solver_kind_of(problem), problem, &s));
  CALL(wisp_option_mesh(err, args, &s->source));
  CALL(wisp_require(err, !s->source.file || !wisp_option_given(args, "box"), WISP_EUSAGE,
                    "--mesh and --box both give the domain: leave one out"));
  CALL(read_order(err, args, s->kind, &s->order));
  if (precision) CALL(wisp_precision_parse(err, precision, &s->precision));
  CALL(wisp_option_choice(err, args, "match", "any exact", 0, &match));
  s->exact = match == 1;
  CALL(wisp_require(err, !defaults || (!match && !wisp_option_given(args, "db") && !wisp_option_given(args, "tune")),
                    WISP_EUSAGE, "--default reads no store: leave --db, --match and --tune out"));
  CALL(read_own(err, args, s));
  CALL(wisp_solver_begin(err, s, wisp_option_value(args, "box")));
  return GIVE(s, out);
}

/* ---- The report, as lines. */

static wisp_status print_kernels(wisp_error *err, const wisp_stage *stage, bool as_asked)
{
  static const wisp_table_column columns[] = {
      {"kernel", false}, {"strategy", false}, {"match", false}, {"layer", false}, {"params", false}};
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  HELD(wisp_text_free) wisp_text text = {0};
  CALL(wisp_table_create(err, "", WISP_COUNT(columns), columns, &table));
  for (int i = 0; i < stage->kernels; i++) {
    const wisp_choice *c = &stage->choice[i];
    const char *match = as_asked && c->match == WISP_MATCH_DEFAULT ? "default, as asked" : wisp_match_name(c->match);
    const char *const cells[] = {c->kernel, c->strategy, match, wisp_layer_name(c->layer), c->params};
    CALL(wisp_table_add(err, table, cells));
    char note[sizeof c->note + 64];
    snprintf(note, sizeof note, WISP_MESSAGE("the stored winner was not taken: %s"), c->note);
    if (*c->note) CALL(wisp_table_add(err, table, (const char *const[]){"", "", "", "", note}));
  }
  CALL(wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), &text));
  printf("\n%s\n", text.data);
  return WISP_OK;
}

static wisp_status print_lines(wisp_error *err, const wisp_arguments *args, const wisp_solver *s)
{
  const bool defaults = wisp_option_given(args, "default");
  const wisp_solver_report *report = &s->report;
  const char *output = wisp_option_value(args, "output");
  size_t last = 0; /* table of kernels */
  for (size_t i = 0; i < report->count; i++)
    if (report->row[i].kind == WISP_ROW_KERNELS) last = i;
  if (!defaults) CALL(wisp_run_offer_tuning(err, args, s));
  for (size_t i = 0; i < report->count; i++) {
    const wisp_solver_row *row = &report->row[i];
    if (row->kind == WISP_ROW_LINE) printf("%s\n", row->text);
    if (row->kind == WISP_ROW_KERNELS) CALL(print_kernels(err, &s->stage[(int)row->value], defaults));
    if (i == last && !defaults) wisp_run_print_unused(args, s);
  }
  if (output) printf("output      %s\n", output);
  return WISP_OK;
}

/* ---- The report, as JSON. */

static cJSON *make_value(const wisp_solver_row *row)
{
  if (row->kind == WISP_ROW_TRUTH) return cJSON_CreateBool(row->value > 0);
  if (row->kind == WISP_ROW_NUMBER && row->value == row->value) return cJSON_CreateNumber(row->value);
  return row->text ? cJSON_CreateString(row->text) : cJSON_CreateNull();
}

/* "a.b" is b of the object a; a key that comes again makes a list. */
static void add_row(cJSON *object, const wisp_solver_row *row)
{
  const char *key = row->key, *dot = strchr(key, '.');
  char part[64];
  if (dot) {
    snprintf(part, sizeof part, "%.*s", (int)(dot - key), key);
    cJSON *inner = cJSON_GetObjectItem(object, part);
    object = inner ? inner : cJSON_AddObjectToObject(object, part);
    key = dot + 1;
  }
  cJSON *value = make_value(row), *there = cJSON_GetObjectItem(object, key);
  if (!there) {
    cJSON_AddItemToObject(object, key, value);
  } else if (cJSON_IsArray(there)) {
    cJSON_AddItemToArray(there, value);
  } else {
    cJSON *list = cJSON_CreateArray();
    cJSON_AddItemToArray(list, cJSON_DetachItemViaPointer(object, there));
    cJSON_AddItemToArray(list, value);
    cJSON_AddItemToObject(object, key, list);
  }
}

static void add_kernel(cJSON *kernels, const wisp_choice *choice)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "kernel", choice->kernel);
  cJSON_AddStringToObject(object, "strategy", choice->strategy);
  wisp_json_add_params(object, "params", choice->params);
  cJSON_AddStringToObject(object, "layout", choice->layout);
  cJSON_AddStringToObject(object, "match", wisp_match_name(choice->match));
  cJSON_AddStringToObject(object, "layer", wisp_layer_name(choice->layer));
  cJSON_AddNumberToObject(object, "ms", choice->ms);
  if (*choice->note) cJSON_AddStringToObject(object, "note", choice->note);
  cJSON_AddItemToArray(kernels, object);
}

/* The kernels are those of the first stage. */
static wisp_status print_json(wisp_error *err, const wisp_solver *s, const wisp_checked_kernels *checks,
                              const wisp_tuning *tuned)
{
  cJSON *object = cJSON_CreateObject();
  for (size_t i = 0; i < s->report.count; i++)
    if (s->report.row[i].key) add_row(object, &s->report.row[i]);
  cJSON *kernels = cJSON_AddArrayToObject(object, "kernels");
  wisp_run_add_unused(object, s);
  for (int i = 0; i < s->stage->kernels; i++) add_kernel(kernels, &s->stage->choice[i]);
  wisp_json_add_notes(object, &s->mesh->notes);
  if (checks->count) cJSON_AddNumberToObject(object, "seconds_verify", checks->seconds);
  if (tuned->seconds > 0) {
    const wisp_json_number numbers[] = {{"trials", (double)tuned->trials},
                                        {"seconds", tuned->seconds},
                                        {"before_ms", tuned->before_ms},
                                        {"after_ms", tuned->after_ms}};
    cJSON_AddItemToObject(object, "tuning", wisp_json_object(0, NULL, WISP_COUNT(numbers), numbers));
  }
  return wisp_json_put(err, object);
}

/* ---- The run. */

/* A wisp_watch's. What has no share is shown at once, however soon after another. */
static void report_progress(void *context, double share, const char *text)
{
  wisp_progress *progress = context;
  if (progress->terminal && isnan(share)) progress->last = 0;
  wisp_progress_show(progress, share, text);
}

static wisp_status open_solver(wisp_error *err, const wisp_arguments *args, const char *device, wisp_ranks *ranks,
                               wisp_solver *s, wisp_session **session)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  const wisp_watch watch = {report_progress, &progress, NULL};
  wisp_watch_report(&watch, 0, "opening store and device");
  CALL(wisp_cli_open_device(err, args, device, wisp_option_value(args, "db"), wisp_option_given(args, "default"),
                            session));
  (*session)->ranks = ranks;
  wisp_error why = {.text = ""};
  const wisp_status status = wisp_solver_open(&why, s, *session, &watch);
  wisp_progress_clear(&progress);
  if (status == WISP_EWRONG && !ranks) wisp_run_explain(args, s, &why); /* set-ups launch kernels, too */
  return wisp_require(err, status == WISP_OK, status, "%s", why.text);
}

/* The solver, opened, with no winner of the user's store that is found wrong: then others are taken. Several ranks
 * verify none. */
static wisp_status open_proven(wisp_error *err, const wisp_arguments *args, const char *device, wisp_ranks *ranks,
                               wisp_solver **out, wisp_session **session)
{
  bool wrong = true;
  while (wrong) {
    wisp_solver_discard(*out), *out = NULL;
    wisp_session_close(*session), *session = NULL;
    CALL(read_request(err, args, out));
    CALL(open_solver(err, args, device, ranks, *out, session));
    if (ranks) return WISP_OK;
    CALL(wisp_run_prove(err, args, *out, &wrong));
  }
  return WISP_OK;
}

/* A solve that signals may stop, and the one that did; 0: none. */
typedef struct watching {
  wisp_progress *progress;
  wisp_interrupt *interrupt; /* NULL: signals end the process */
  int signal;
} watching;

static void show_progress(void *context, double share, const char *text)
{
  const watching *w = context;
  if (!w->progress->quiet) report_progress(w->progress, share, text);
}

static bool is_interrupted(void *context)
{
  watching *w = context;
  if (w->interrupt && !w->signal) w->signal = wisp_interrupt_take(w->interrupt);
  return w->signal;
}

/* A run with a checkpoint ends on a signal as it would at the end of its time. */
static wisp_status solve(wisp_error *err, const wisp_arguments *args, wisp_solver *s, int *signal)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  wisp_interrupt interrupt;
  const bool waits = wisp_option_given(args, "checkpoint");
  watching w = {&progress, waits ? &interrupt : NULL, 0};
  const wisp_watch watch = {show_progress, &w, is_interrupted};
  if (waits) CALL(wisp_interrupt_begin(err, &interrupt));
  const wisp_status status = wisp_solver_run(err, s, NULL, &watch);
  if (waits) wisp_interrupt_end(&interrupt);
  *signal = s->stopped ? w.signal : 0;
  return status;
}

/* Says where a stopped run goes on, and exits as a shell tells of the signal. */
static void report_stop(wisp_arguments *args, const wisp_ranks *ranks, int signal)
{
  const char *path = wisp_option_value(args, "checkpoint");
  args->exit_status = 128 + signal;
  if (wisp_ranks_own(ranks)) return;
  fprintf(stderr, "wisp %s: stopped by signal %d (%s): --restart %s goes on from there\n", args->command, signal,
          strsignal(signal), path);
}

/* ---- Tuning before the start. */

/* The result of tuning; seconds 0: there was none. */
typedef struct tuned {
  wisp_tuning sum;
  char why[256]; /* it failed; else empty */
} tuned;

/* The kernels of the run are tuned, which another process does, on a device that this one has given back. A failure is
 * told of, and the run goes on as without. */
static wisp_status tune_first(wisp_error *err, const wisp_arguments *args, const char *named, wisp_solver **s,
                              wisp_session **session, tuned *out)
{
  HELD(wisp_progress_clear) wisp_progress progress = wisp_progress_begin(wisp_option_given(args, "quiet"));
  const char *db = wisp_option_value(args, "db");
  wisp_tuning_targets targets;
  wisp_error why = {.text = ""};
  char device[32], text[64];
  double seconds = 0;
  CALL(wisp_option_duration(err, args, "tune", 0, &seconds));
  CALL(read_request(err, args, s));
  CALL(open_solver(err, args, named, NULL, *s, session));
  wisp_tuning_targets_of(*s, &targets);
  wisp_device_name((*session)->device, device);
  snprintf(text, sizeof text, "tuning for %.0f s", seconds);
  report_progress(&progress, NAN, text);
  wisp_solver_discard(*s), *s = NULL;
  wisp_session_close(*session), *session = NULL;
  const wisp_status status = wisp_tune_targets(&why, NULL, device, db, &targets, seconds, &out->sum);
  if (status == WISP_EMEMORY) return wisp_fail(err, status, "%s", why.text);
  if (status == WISP_OK) return WISP_OK;
  snprintf(out->why, sizeof out->why, WISP_MESSAGE("not tuned: %.200s"), why.text);
  wisp_progress_clear(&progress);
  wisp_cli_warn(args, out->why);
  return WISP_OK;
}

static void print_tuned(const tuned *t)
{
  const wisp_tuning *sum = &t->sum;
  if (!(sum->seconds > 0)) return;
  printf("tuned       %lld candidates in %.3g s", sum->trials, sum->seconds);
  if (sum->before_ms > 0)
    printf(": a stage takes %.4g ms, %.4g before (%+.1f %%)", sum->after_ms, sum->before_ms,
           100 * (sum->before_ms / sum->after_ms - 1));
  printf("\n");
}

/* A solve that missed its goal is told of, and fails after that; of it nothing is written. A wisp_run_on. */
static wisp_status solve_on(wisp_error *err, wisp_arguments *args, const char *device, wisp_ranks *ranks)
{
  OWNED(wisp_session_close) wisp_session *session = NULL;
  OWNED(wisp_solver_discard) wisp_solver *s = NULL;
  HELD(wisp_checked_kernels_free) wisp_checked_kernels checks = {.count = 0};
  const char *output = wisp_option_value(args, "output");
  wisp_error why = {.text = ""};
  tuned tuning = {.why = ""};
  if (wisp_option_given(args, "tune")) CALL(tune_first(err, args, device, &s, &session, &tuning));
  CALL(open_proven(err, args, device, ranks, &s, &session));
  if (wisp_option_given(args, "verify")) CALL(wisp_run_verify(err, args, s, &checks));
  CALL(wisp_solver_start(err, s));
  wisp_cli_print_notes(args, &s->mesh->notes);
  int signal = 0;
  const wisp_status status = solve(&why, args, s, &signal);
  if (status == WISP_OK) CALL(wisp_ranks_agree(err, ranks, &signal, sizeof signal));
  wisp_cli_print_notes(args, &s->mesh->notes);
  if (signal) return report_stop(args, ranks, signal), WISP_OK;
  if (status == WISP_EWRONG && !checks.count && !ranks) wisp_run_explain(args, s, &why);
  if (status != WISP_OK && !s->reports) return wisp_fail(err, status, "%s", why.text);
  if (output && status == WISP_OK) CALL(wisp_solver_write_to(err, s, output));
  CALL(wisp_solver_make_report(err, s));
  CALL(wisp_option_given(args, "json") ? print_json(err, s, &checks, &tuning.sum) : print_lines(err, args, s));
  if (!wisp_option_given(args, "json")) print_tuned(&tuning);
  if (checks.count && !wisp_option_given(args, "json"))
    printf("verified    %zu kernels, in %.3g s\n", checks.count, checks.seconds);
  return wisp_require(err, status == WISP_OK, status, "%s", why.text);
}

static wisp_status run_solver(wisp_error *err, wisp_arguments *args)
{
  return wisp_run_divided(err, args, solve_on);
}

/* wisp verify. */
static wisp_status verify_solver(wisp_error *err, wisp_arguments *args)
{
  OWNED(wisp_session_close) wisp_session *session = NULL;
  OWNED(wisp_solver_discard) wisp_solver *s = NULL;
  const char *device = wisp_option_value(args, "device");
  CALL(read_request(err, args, &s));
  CALL(open_solver(err, args, device ? device : "auto", NULL, s, &session));
  wisp_cli_print_notes(args, &s->mesh->notes);
  return wisp_run_print_checks(err, args, s);
}

/* ---- Which problem. */

/* No problem is named; argc is 1, unless it asks for help. */
static wisp_status refuse(wisp_error *err, wisp_arguments *args)
{
  const char *named = args->syntax->subject;
  HELD(wisp_text_free) wisp_text list = {0};
  OWNED(free) char *names = NULL;
  char meant[64], *rest = NULL;
  wisp_suggestion suggestion = wisp_suggest(named ? named : "");
  if (!named) return wisp_fail(err, WISP_EUSAGE, "name what to solve, such as 'wisp run maxwell -n 3'");
  CALL(wisp_solver_names(err, &list));
  names = strdup(list.data);
  for (char *name = names; names && (name = strtok_r(name, ", ", &rest)); name = NULL)
    wisp_suggest_one(&suggestion, name);
  return wisp_fail(err, WISP_EUSAGE, "'%s' cannot be solved:%s there are %s", named,
                   wisp_suggestion_text(&suggestion, "", meant), list.data);
}

/* The problem is the first word that is one, wherever it stands among the options. */
static int run_arguments(int argc, char **argv)
{
  const bool verifies = strcmp(argv[0], "verify") == 0;
  HELD(wisp_text_free) wisp_text more = {0};
  for (int i = 1; i < argc; i++) {
    const wisp_solver_kind *kind = wisp_solver_kind_of(argv[i]);
    char page[32];
    if (!kind) continue;
    snprintf(page, sizeof page, "run-%s", kind->problem ? kind->problem : "system");
    if (kind->list && kind->list(NULL, argv[i], &more) != WISP_OK) wisp_text_free(&more); /* reported later */
    return wisp_cli_run_command(&(wisp_syntax){.page = page,
                                               .act = verifies ? verify_solver : run_solver,
                                               .most_operands = 1,
                                               .subject = argv[i],
                                               .more = more.data},
                                argc, argv);
  }
  const bool named = argc > 1 && argv[1][0] != '-';
  const bool help = argc > 1 && !named && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
  return wisp_cli_run_command(
      &(wisp_syntax){
          .page = verifies ? "verify" : "run", .act = refuse, .most_operands = -1, .subject = named ? argv[1] : NULL},
      help ? argc : 1, argv);
}

/* wisp run, and wisp verify by its name; a run file stands first. */
int wisp_cli_run(int argc, char **argv)
{
  HELD(wisp_run_file_free) wisp_run_file file = {.argv = NULL};
  wisp_error err = {.text = ""};
  if (argc < 2 || !wisp_run_file_named(argv[1])) return run_arguments(argc, argv);
  if (wisp_run_file_read(&err, argc, argv, 1, &file) == WISP_OK) return run_arguments(file.argc, file.argv);
  fprintf(stderr, "wisp %s: %s\n", argv[0], err.text);
  return 1;
}
