/* wisp run: the list of problems. */
#include "run.h"
#include "cli.h"
#include "options.h"
#include "../gen/system.h"
#include "print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct problem {
  const char *name;
  const wisp_syntax *syntax;
} problems[] = {
    {"poisson", &wisp_poisson_syntax},
    {"heat", &wisp_heat_syntax},
    {"helmholtz", &wisp_helmholtz_syntax},
};
enum { PROBLEMS = WISP_COUNT(problems) };

wisp_status wisp_run_check_problem(wisp_error *err, const wisp_arguments *args, const char *problem)
{
  return wisp_require(err, args->operand_count == 1 && strcmp(args->operands[0], problem) == 0, WISP_EUSAGE,
                      "name one problem to solve, such as 'wisp run %s -n 3'", problem);
}

static wisp_status refuse(wisp_error *err, const char *named)
{
  HELD(wisp_text_free) wisp_text list = {0};
  OWNED(free) char *names = NULL;
  char meant[64], *rest = NULL;
  wisp_suggestion suggestion = wisp_suggest(named ? named : "");
  if (!named) return wisp_fail(err, WISP_EUSAGE, "name what to solve, such as 'wisp run maxwell -n 3'");
  CALL(wisp_system_names(err, &list));
  for (size_t p = 0; p < PROBLEMS; p++) CALL(wisp_text_print(err, &list, ", %s", problems[p].name));
  names = strdup(list.data);
  for (char *name = names; names && (name = strtok_r(name, ", ", &rest)); name = NULL)
    wisp_suggest_one(&suggestion, name);
  return wisp_fail(err, WISP_EUSAGE, "'%s' cannot be solved:%s there are %s", named,
                   wisp_suggestion_text(&suggestion, "", meant), list.data);
}

/* Where no problem is named; argc is 1, unless it asks for help. */
static wisp_status run_none(wisp_error *err, wisp_arguments *args)
{
  return refuse(err, args->syntax->subject);
}

/* The problem is the first word that is one, wherever it stands among the options. */
int wisp_cli_run(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    for (int p = 0; p < PROBLEMS; p++)
      if (strcmp(argv[i], problems[p].name) == 0) return wisp_cli_run_command(problems[p].syntax, argc, argv);
    if (wisp_system_exists(argv[i])) return wisp_run_system(argv[i], argc, argv);
  }
  const bool named = argc > 1 && argv[1][0] != '-';
  const bool help = argc > 1 && !named && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
  return wisp_cli_run_command(
      &(wisp_syntax){.page = "run", .act = run_none, .most_operands = -1, .subject = named ? argv[1] : NULL},
      help ? argc : 1, argv);
}

wisp_status wisp_run_read(wisp_error *err, const wisp_arguments *args, const wisp_family *family, wisp_run_request *out)
{
  static const char *const matches[] = {"any", "exact"};
  const char *precision = wisp_option_value(args, "precision"), *device = wisp_option_value(args, "device");
  const int *orders = family->elements->orders;
  int highest = orders[1];
  for (const wisp_element *e = family->elements; e->name; e++)
    highest = e->orders[1] > highest ? e->orders[1] : highest;
  size_t match = 0;
  long long order = 0;
  *out = (wisp_run_request){.device = device ? device : "auto",
                            .db = wisp_option_value(args, "db"),
                            .precision = WISP_F64,
                            .defaults = wisp_option_given(args, "default"),
                            .json = wisp_option_given(args, "json")};
  CALL(wisp_option_mesh(err, args, &out->mesh));
  CALL(wisp_require(err, !out->mesh.file || !wisp_option_given(args, "box"), WISP_EUSAGE,
                    "--mesh and --box both give the domain: leave one out"));
  CALL(wisp_require(err, wisp_option_given(args, "orders"), WISP_EUSAGE, "give the order of the elements: -n %d to %d",
                    orders[0], orders[1]));
  CALL(wisp_option_integer(err, args, "orders", orders[0], highest, 0, &order));
  if (precision) CALL(wisp_precision_parse(err, precision, &out->precision));
  CALL(wisp_option_choice(err, args, "match", 2, matches, 0, &match));
  out->order = (int)order;
  out->exact = match == 1;
  return wisp_require(err, !out->defaults || (!match && !out->db), WISP_EUSAGE,
                      "--default reads no store: leave --db and --match out");
}

wisp_status wisp_run_read_grid(wisp_error *err, const wisp_arguments *args, int edges, wisp_run_request *run)
{
  static const struct grid {
    int otherwise, most;
    const char *must;
  } grids[] = {{8, 400, "cubes a side such as 8"},
               {16, 16384, "squares a side such as 16, or 16,32"},
               {8, 400, "hexes a side such as 8, or 8,8,16"}};
  const struct grid *grid = &grids[edges - 1];
  const char *box = wisp_option_value(args, "box");
  int count = 0, end = 0, *n = run->mesh.box;
  bool good = true;
  n[0] = grid->otherwise;
  for (const char *at = box; good && at; at = at[end] ? at + end + 1 : NULL, count++)
    good = count < edges && sscanf(at, "%5d%n", &n[count], &end) == 1 && (!at[end] || at[end] == ',');
  CALL(wisp_require(err, good && (count <= 1 || count == edges), WISP_EUSAGE, "option --box is '%s', must be %s", box,
                    grid->must));
  for (int d = count ? count : 1; d < 3; d++) n[d] = n[0];
  for (int d = 0; d < 3; d++)
    CALL(wisp_require(err, n[d] >= 1 && n[d] <= grid->most, WISP_EUSAGE, "option --box is '%s', must be from 1 to %d",
                      box, grid->most));
  if (edges == 2) n[2] = 0;
  return WISP_OK;
}

wisp_status wisp_run_say_notes(wisp_error *err, const wisp_arguments *args, const wisp_run_request *run,
                               wisp_mesh *mesh)
{
  if (run->mesh.file) CALL(wisp_mesh_note_unused(err, run->mesh.file, mesh));
  wisp_cli_say_notes(args, &mesh->notes);
  return WISP_OK;
}

wisp_status wisp_run_check_count(wisp_error *err, double elements, const char *cells, int order, double numbers,
                                 const char *what)
{
  return wisp_require(err, numbers < 2147483648.0, WISP_EUSAGE,
                      "%.0f %s of order %d have %.3g %s, more than kernels can count (2.1e9): take fewer elements or a "
                      "lower order",
                      elements, cells, order, numbers, what);
}

wisp_status wisp_run_note_zero(wisp_error *err, const wisp_cg_report *report, wisp_notes *notes)
{
  if (report->iterations || report->residual > 0) return WISP_OK;
  return wisp_notes_add(
      err, notes, "zero_right_hand_side",
      "the residual is 0 before the first iteration, and nothing was solved: give a source or boundary "
      "values that are not 0, in single precision above 1e-18");
}

void wisp_run_print_domain(const wisp_run_request *request, const wisp_session *session, size_t elements,
                           const char *cells, int nodes, double numbers, const char *what)
{
  const wisp_limits *limits = wisp_device_limits(session->device);
  char domain[256];
  wisp_mesh_source_print(&request->mesh, domain);
  printf("domain      %s: %zu %s of order %d, %d nodes each, %.0f %s\n", domain, elements, cells, request->order, nodes,
         numbers, what);
  printf("device      %s (%s), %s\n", limits->name, limits->kind, wisp_precision_name(request->precision));
}

static wisp_status list_kernels(wisp_error *err, const wisp_stage *stage, bool as_asked, wisp_text *out)
{
  static const wisp_column columns[] = {
      {"kernel", false}, {"strategy", false}, {"match", false}, {"layer", false}, {"params", false}};
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
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
  return wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), out);
}

void wisp_run_print_kernels(const wisp_stage *stage, bool as_asked)
{
  wisp_error err = {0};
  wisp_text text = {0};
  printf("\n%s\n", list_kernels(&err, stage, as_asked, &text) == WISP_OK ? text.data : err.text);
  wisp_text_free(&text);
}

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

void wisp_run_print_tuning(const wisp_run_request *request, int count, const wisp_stage *const *stages)
{
  untuned list[MOST_SUBJECTS];
  int subjects = 0;
  for (int s = 0; s < count && !request->defaults; s++)
    for (int k = 0; k < stages[s]->kernels; k++) count_kernel(stages[s], k, &subjects, list);
  for (int i = 0; i < subjects; i++) {
    if (!list[i].defaults) continue;
    printf("untuned     %d of %d kernels run defaults; tune them by\n            wisp tune -d %s", list[i].defaults,
           list[i].kernels, request->device);
    print_subject(list[i].subject);
    if (request->db) printf(" --db '%s'", request->db);
    printf("\n");
  }
}

static void add_choice(cJSON *kernels, const wisp_choice *choice)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "kernel", choice->kernel);
  cJSON_AddStringToObject(object, "strategy", choice->strategy);
  wisp_json_add_params(object, choice->params);
  cJSON_AddStringToObject(object, "layout", choice->layout);
  cJSON_AddStringToObject(object, "match", wisp_match_name(choice->match));
  cJSON_AddStringToObject(object, "layer", wisp_layer_name(choice->layer));
  cJSON_AddNumberToObject(object, "ms", choice->ms);
  if (*choice->note) cJSON_AddStringToObject(object, "note", choice->note);
  cJSON_AddItemToArray(kernels, object);
}

void wisp_run_add_kernels(cJSON *object, const wisp_stage *stage)
{
  cJSON *kernels = cJSON_AddArrayToObject(object, "kernels");
  for (int i = 0; i < stage->kernels; i++) add_choice(kernels, &stage->choice[i]);
}
