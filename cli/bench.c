/* wisp bench: every kernel's winner against the vendor's library, the default candidate and the floor. */
#include "cli.h"
#include "print.h"
#include "../runtime/blas.h"
#include "../tuner/compare/compare.h"
#include "../tuner/trial/workload.h"

/* ---- What the families' rows have for columns: the nodal one beside the vendor's product, the tensor one beside a
 * copy. */

/* A number of a row, or one as so many times another. */
enum { AS_POWER = -1, AS_TEXT = -2 };
typedef struct column {
  const char *title;
  int width, digits; /* AS_POWER: 1.2e-07; AS_TEXT: a text in the place of the number */
  size_t number, of; /* where they stand in it; of 0: the number itself */
} column;

#define AT(member) offsetof(wisp_comparison, member)

static const column beside_product[] = {
    {"ms", 7, 4, AT(ms), 0},
    {"GDOF/s", 6, 2, AT(gdofs), 0},
    {"mesh", 6, 2, AT(mesh_gdofs), 0},
    {"of box", 6, 2, AT(mesh_gdofs), AT(gdofs)},
    {"eff.", 5, 2, AT(efficiency), 0},
    {"floor", 5, AS_TEXT, AT(floor), 0},
    {"copy", 5, 2, AT(copy_share), 0},
    {"issue", 5, 2, AT(issue), 0},
    {"x def.", 6, 2, AT(default_ms), AT(ms)},
    {"x BLAS", 6, 2, AT(rival_ms), AT(ms)},
    {"error", 7, AS_POWER, AT(error), 0},
};
static const column beside_copy[] = {
    {"ms", 8, 4, AT(ms), 0},
    {"GB/s", 6, 0, AT(gbps), 0},
    {"of copy", 7, 2, AT(rival_ms), AT(ms)},
    {"eff.", 5, 2, AT(efficiency), 0},
    {"floor", 5, AS_TEXT, AT(floor), 0},
    {"GDOF/s", 6, 2, AT(gdofs), 0},
    {"of box", 6, 2, AT(mesh_gdofs), AT(gdofs)},
    {"GFLOP/s", 7, 0, AT(gflops), 0},
    {"x def.", 6, 2, AT(default_ms), AT(ms)},
    {"x stored", 8, 2, AT(alternative_ms), AT(ms)},
};

static double number_at(const wisp_comparison *row, size_t offset)
{
  return *(const double *)((const char *)row + offset);
}

typedef struct table {
  int kernel, who; /* widths */
  const char *title;
  bool with_layout; /* beside the strategy; else its parameters */
  size_t count;
  const column *columns;
} table;

static const table of_layouts = {12, 25, "strategy, layout", true, WISP_COUNT(beside_product), beside_product},
                   of_params = {20, 28, "strategy, parameters", false, WISP_COUNT(beside_copy), beside_copy};

/* Kernels of a family with several layouts are products, beside the vendor's; those of others move numbers. */
static const table *table_of(const char *name)
{
  wisp_layout layouts[8];
  const wisp_family *family = wisp_family_find(name);
  if (!family) return &of_layouts;
  const wisp_spec spec = wisp_family_spec(family, family->elements->orders[0], NULL, WISP_F64);
  return wisp_family_layouts(&spec, layouts) > 1 ? &of_layouts : &of_params;
}

/* A number in so many columns, with as many digits as fit, or a dash. */
static void print_number(int width, int digits, double value)
{
  while (digits > 0 && snprintf(NULL, 0, "%.*f", digits, value) > width) digits--;
  if (isfinite(value) && digits == AS_POWER)
    printf(" %*.1e", width, value);
  else if (isfinite(value))
    printf(" %*.*f", width, digits, value);
  else
    printf(" %*s", width, "-");
}

/* One line in the columns of the row's family; their titles before the first. */
static void print_row(const wisp_comparison *row, bool first)
{
  const table *t = table_of(row->spec.family);
  const char *more = t->with_layout ? row->ours.layout : row->ours.params;
  char who[64], line[128]; /* more than any table shows */
  if (first) {
    printf("%-2s %-3s %-*s %-*s", "N", "", t->kernel, "kernel", t->who, t->title);
    for (size_t i = 0; i < t->count; i++) printf(" %*s", t->columns[i].width, t->columns[i].title);
    printf("\n");
  }
  const int both = t->kernel + 1 + t->who; /* a long name of a kernel takes of the other's room */
  snprintf(who, sizeof who, "%s %s", row->ours.strategy, more);
  snprintf(line, sizeof line, "%-*s %s", t->kernel, row->spec.kernel, who);
  printf("%-2d %-3s %-*.*s", row->spec.order, wisp_precision_name(row->spec.precision), both, both, line);
  for (size_t i = 0; i < t->count; i++) {
    const column *c = &t->columns[i];
    const bool itself = c->number == AT(default_ms) && row->ours.match == WISP_MATCH_DEFAULT; /* a dash, by NaN */
    if (c->digits == AS_TEXT)
      printf(" %*s", c->width, (const char *)row + c->number);
    else
      print_number(c->width, c->digits, itself ? NAN : number_at(row, c->number) / (c->of ? number_at(row, c->of) : 1));
  }
  printf("\n");
  for (int i = 0; i < row->others; i++) {
    const wisp_other *other = &row->other[i];
    printf("%8s%-55s %8.4g ms, %6.2f x ours", "", other->name, other->ms, other->times);
    if (!isnan(other->error)) printf(", error %.1e", other->error);
    printf("\n");
  }
  fflush(stdout);
}

/* Others that do the same. */
static cJSON *others_to_json(const wisp_comparison *row)
{
  cJSON *list = cJSON_CreateArray();
  for (int i = 0; i < row->others; i++) {
    const wisp_other *other = &row->other[i];
    const wisp_json_text texts[] = {{"name", other->name}, {"params", other->params}};
    const wisp_json_number numbers[] = {{"ms", other->ms}, {"ratio", other->times}, {"error", other->error}};
    cJSON_AddItemToArray(list, wisp_json_object(WISP_COUNT(texts), texts, WISP_COUNT(numbers), numbers));
  }
  return list;
}

/* All that is known of it: what is not there is null. */
static cJSON *to_json(const char *device, const wisp_comparison *row)
{
  const wisp_json_text texts[] = {{"device", device},
                                  {"family", row->spec.family},
                                  {"kernel", row->spec.kernel},
                                  {"strategy", row->ours.strategy},
                                  {"precision", wisp_precision_name(row->spec.precision)},
                                  {"system", row->spec.system},
                                  {"element", row->spec.element},
                                  {"layout", row->ours.layout},
                                  {"params", row->ours.params},
                                  {"match", wisp_match_name(row->ours.match)},
                                  {"layer", wisp_layer_name(row->ours.layer)},
                                  {"default_strategy", row->standard.strategy},
                                  {"default_layout", row->standard.layout},
                                  {"default_params", row->standard.params},
                                  {"floor", row->floor},
                                  {"rival", row->rival},
                                  {"alternative", row->alternative}};
  const wisp_json_number numbers[] = {{"order", row->spec.order},
                                      {"elements", (double)row->elements},
                                      {"ms", row->ms},
                                      {"gdofs", row->gdofs},
                                      {"mesh_elements", (double)row->mesh_elements},
                                      {"mesh_gdofs", row->mesh_gdofs},
                                      {"gbps", row->gbps},
                                      {"gflops", row->gflops},
                                      {"efficiency", row->efficiency},
                                      {"copy_share", row->copy_share},
                                      {"issue", row->issue},
                                      {"error", row->error},
                                      {"default_ms", row->default_ms},
                                      {"speedup", row->default_ms / row->ms},
                                      {"rival_ms", row->rival_ms},
                                      {"rival_error", row->rival_error},
                                      {"ratio", row->rival_ms / row->ms},
                                      {"alternative_ms", row->alternative_ms},
                                      {"alternative_ratio", row->alternative_ms / row->ms}};
  cJSON *object = wisp_json_object(WISP_COUNT(texts), texts, WISP_COUNT(numbers), numbers);
  cJSON_AddItemToObject(object, "others", others_to_json(row));
  return object;
}

/* Logarithms of how many times as fast as the default the tuned ones are. */
typedef struct speedup {
  int count;
  double sum;
} speedup;

enum { MOST_STAGES = 64 };

typedef struct printer {
  const wisp_arguments *args;
  cJSON *list; /* NULL: text, as it comes */
  int rows;
  speedup speedup[2][2]; /* [double precision][whole stage] */
  const char *device;
  char blas[sizeof((wisp_comparison *)0)->rival]; /* what x BLAS is beside; "": nothing yet */
  int stages;                                     /* that were measured, as what one core takes is held beside */
  struct {
    wisp_spec spec;
    double gdofs;
  } stage[MOST_STAGES];
} printer;

static wisp_status take_row(wisp_error *err, void *context, const wisp_comparison *row)
{
  printer *p = context;
  const bool composition = wisp_spec_is_composition(&row->spec);
  speedup *g = &p->speedup[row->spec.precision == WISP_F64][composition];
  (void)err;
  if (p->list)
    cJSON_AddItemToArray(p->list, to_json(p->device, row));
  else
    print_row(row, p->rows == 0);
  if (row->ours.match != WISP_MATCH_DEFAULT && row->default_ms > 0) {
    g->count++;
    g->sum += log(row->default_ms / row->ms);
  }
  if (composition && p->stages < MOST_STAGES) {
    p->stage[p->stages].spec = row->spec;
    p->stage[p->stages++].gdofs = row->gdofs;
  }
  if (!*p->blas && table_of(row->spec.family) == &of_layouts) { /* "OpenBLAS 0.3.21 (A transposed)" to the blank */
    snprintf(p->blas, sizeof p->blas, "%.*s", (int)strcspn(row->rival, "("), row->rival);
    while (*p->blas && p->blas[strlen(p->blas) - 1] == ' ') p->blas[strlen(p->blas) - 1] = '\0';
  }
  p->rows++;
  return WISP_OK;
}

/* A whole stage on one core of the host, and how many of them the device is. */
static wisp_status take_core(wisp_error *err, void *context, const wisp_comparison *row)
{
  printer *p = context;
  double times = NAN;
  (void)err;
  for (int i = 0; i < p->stages; i++) {
    const wisp_spec *spec = &p->stage[i].spec;
    if (spec->order == row->spec.order && spec->precision == row->spec.precision &&
        strcmp(spec->element, row->spec.element) == 0)
      times = p->stage[i].gdofs / row->gdofs;
  }
  if (p->list) return cJSON_AddItemToArray(p->list, to_json("one core of the host", row)), WISP_OK;
  printf("%-2d %-3s one core: %s, %lld elements in %.3f ms, %.4f GDOF/s", row->spec.order,
         wisp_precision_name(row->spec.precision), row->ours.strategy, row->elements, row->ms, row->gdofs);
  if (isfinite(times)) printf("; %s is %.0f of it", p->device, times);
  printf("\n");
  fflush(stdout);
  return WISP_OK;
}

/* Each of the elements in turn, "tri,tet"; none: the family's first. */
static wisp_status compare_elements(wisp_error *err, wisp_session *session, const wisp_compare_request *request,
                                    printer *p)
{
  wisp_compare_request one = *request;
  char list[64] = "";
  char *rest = list;
  const bool several = request->element && strchr(request->element, ',');
  if (!several) return wisp_compare(err, session, request);
  snprintf(list, sizeof list, "%s", request->element);
  CALL(wisp_require(err, strlen(request->element) < sizeof list && list[strspn(list, ",")], WISP_EUSAGE,
                    "option --element is '%s', must be elements such as tri,tet", request->element));
  for (one.element = strtok_r(rest, ",", &rest); one.element; one.element = strtok_r(NULL, ",", &rest)) {
    if (!p->list) printf("%s\n", one.element);
    CALL(wisp_compare(err, session, &one));
  }
  return WISP_OK;
}

/* The same stages, of a size that suits the host, in one thread. */
static wisp_status compare_core(wisp_error *err, const wisp_arguments *args, const wisp_compare_request *of, printer *p)
{
  OWNED(wisp_session_close) wisp_session *session = NULL;
  wisp_compare_request request = *of;
  request.kernel = WISP_COMPOSITION, request.composition = NULL, request.every_alternative = false;
  request.elements = 0, request.nodes = request.dofs = 0, request.beside = NULL;
  request.row = take_core, request.context = p;
  CALL(wisp_cli_open_store(err, args, true, &session));
  CALL(wisp_device_open(err, "host", &session->device));
  return compare_elements(err, session, &request, p);
}

static void warn(void *context, const char *text)
{
  const printer *p = context;
  wisp_cli_warn(p->args, text);
}

static void print_summary(const printer *p)
{
  if (*p->blas) printf("x BLAS: times as fast as %s\n", p->blas);
  if (*p->blas && strncmp(p->blas, WISP_REFERENCE_BLAS, strlen(WISP_REFERENCE_BLAS)) == 0)
    wisp_cli_warn(p->args, "the reference BLAS is slow, so that x BLAS says little: install OpenBLAS (scripts/setup)");
  for (int d = 0; d < 2; d++) {
    const speedup *kernels = &p->speedup[d][0], *stages = &p->speedup[d][1];
    if (!kernels->count && !stages->count) continue;
    printf("%s: tuned against default, geometric means:", d ? "f64" : "f32");
    if (kernels->count) printf(" %.2f over %d kernels", exp(kernels->sum / kernels->count), kernels->count);
    if (stages->count)
      printf("%s %.2f over %d stages", kernels->count ? "," : "", exp(stages->sum / stages->count), stages->count);
    printf("\n");
  }
}

/* --- errors of single precision, from size to size */

typedef struct accuracy_printer {
  cJSON *list;                           /* NULL: text, as it comes */
  double before[WISP_ACCURACY_VARIANTS]; /* the last size's medians; 0: there was none */
} accuracy_printer;

static void print_accuracy(accuracy_printer *p, const wisp_accuracy *row)
{
  if (!(p->before[0] > 0)) {
    printf("%8s", "");
    for (int w = 0; w < WISP_ACCURACY_VARIANTS; w++) printf("  %-22s", row->variant[w]);
    printf("  published\n%8s", "nodes");
    for (int w = 0; w < WISP_ACCURACY_VARIANTS; w++) printf("  %7s %7s %6s", "mean", "median", "times");
    printf("  %9s\n", "mean");
  }
  printf("%8zu", row->nodes);
  for (int w = 0; w < WISP_ACCURACY_VARIANTS; w++) {
    char times[16] = "-";
    if (p->before[w] > 0) snprintf(times, sizeof times, "%.2f", row->median[w] / p->before[w]);
    printf("  %7.1e %7.1e %6s", row->mean[w], row->median[w], times);
    p->before[w] = row->median[w];
  }
  printf("  %9.1e\n", row->published);
  fflush(stdout);
}

/* A wisp_accuracy_row. */
static wisp_status take_accuracy(wisp_error *err, void *context, const wisp_accuracy *row)
{
  accuracy_printer *p = context;
  (void)err;
  if (!p->list) return print_accuracy(p, row), WISP_OK;
  for (int w = 0; w < WISP_ACCURACY_VARIANTS; w++) {
    const wisp_json_text variant = {"coordinates", row->variant[w]};
    const wisp_json_number numbers[] = {{"elements", (double)row->elements},
                                        {"nodes", (double)row->nodes},
                                        {"mean", row->mean[w]},
                                        {"median", row->median[w]},
                                        {"published_mean", row->published}};
    cJSON_AddItemToArray(p->list, wisp_json_object(1, &variant, WISP_COUNT(numbers), numbers));
  }
  return WISP_OK;
}

static wisp_status bench_accuracy(wisp_error *err, const wisp_session *session, const char *family, long long most,
                                  bool json)
{
  accuracy_printer p = {.list = NULL};
  const wisp_workload *workload = NULL;
  CALL(wisp_workload_find(err, family, NULL, &workload));
  CALL(wisp_require(err, workload->accuracy, WISP_EUSAGE,
                    "the %s family has no study of single precision from size to size: leave --accuracy out", family));
  if (json) p.list = cJSON_CreateArray();
  const wisp_status status = workload->accuracy(err, session, most, take_accuracy, &p);
  if (status == WISP_OK && p.list) return wisp_json_put(err, p.list);
  cJSON_Delete(p.list);
  return status;
}

/* --- a published program's tables beside ours */

typedef struct paper_printer {
  cJSON *list; /* NULL: text, as it comes */
  int rows;
  char table[96];
} paper_printer;

/* Three digits that count, in nine columns. */
static void print_cell(double value)
{
  if (isfinite(value))
    printf(" %8.*f", value < 0.0995 ? 4 : value < 0.995 ? 3 : value < 9.95 ? 2 : value < 99.5 ? 1 : 0, value);
  else
    printf(" %8s", "-");
}

static void print_paper_row(paper_printer *p, const wisp_paper_row *row)
{
  if (strcmp(p->table, row->table) != 0) {
    printf("\n%s (%s)\nN       ", row->table, row->units);
    for (size_t i = 0; i < row->columns; i++) printf(" %8s", row->column[i].name);
    printf("\n");
    snprintf(p->table, sizeof p->table, "%s", row->table);
  }
  printf("%-2d %-5s", row->order, row->published_by);
  for (size_t i = 0; i < row->columns; i++) print_cell(row->column[i].published);
  printf("\n%-2s %-5s", "", "ours");
  for (size_t i = 0; i < row->columns; i++) print_cell(row->column[i].ours);
  printf("\n");
  fflush(stdout);
}

/* Adds the columns; a name that begins with + follows the name before it: "local + copy". */
static void add_columns(cJSON *to, const wisp_paper_row *row)
{
  char name[96] = "", before[96];
  for (size_t i = 0; i < row->columns; i++) {
    const char *own = row->column[i].name;
    const wisp_json_number numbers[] = {{"published", row->column[i].published}, {"ours", row->column[i].ours}};
    memcpy(before, name, sizeof name);
    snprintf(name, sizeof name, "%.63s%s%.31s", *own == '+' ? before : "", *own == '+' ? " " : "", own);
    cJSON_AddItemToObject(to, name, wisp_json_object(0, NULL, WISP_COUNT(numbers), numbers));
  }
}

/* A wisp_paper_take. */
static wisp_status take_paper_row(wisp_error *err, void *context, const wisp_paper_row *row)
{
  paper_printer *p = context;
  (void)err;
  p->rows++;
  if (!p->list) return print_paper_row(p, row), WISP_OK;
  const wisp_json_text title = {"table", row->table};
  const wisp_json_number numbers[] = {{"order", row->order}, {"elements", (double)row->elements}};
  cJSON *object = wisp_json_object(1, &title, WISP_COUNT(numbers), numbers);
  add_columns(object, row);
  cJSON_AddItemToArray(p->list, object);
  return WISP_OK;
}

static wisp_status bench_paper(wisp_error *err, const wisp_session *session, const char *family,
                               const wisp_orders *orders, long long most, bool alone, cJSON *list)
{
  paper_printer p = {.list = list};
  const wisp_workload *workload = NULL;
  CALL(wisp_workload_find(err, family, NULL, &workload));
  if (workload->paper)
    CALL(workload->paper(err, session, orders->list, (size_t)orders->count, most, take_paper_row, &p));
  return wisp_require(err, p.rows || !alone, WISP_EUSAGE,
                      "the %s family has no published tables of these orders: leave --paper out", family);
}

/* --- the command */

static wisp_status read_request(wisp_error *err, const wisp_arguments *args, wisp_orders *orders,
                                wisp_precisions *precisions, wisp_mesh_source *beside, wisp_compare_request *r)
{
  long long jobs = 0;
  double nonzeros = 0;
  const char *family = wisp_option_family(args);
  CALL(wisp_option_known(err, args));
  CALL(wisp_option_orders(err, args, "orders", family, "1-9", orders));
  CALL(wisp_option_precisions(err, args, "precision", "f32,f64", precisions));
  CALL(wisp_option_integer(err, args, "jobs", 1, 1024, 0, &jobs));
  *r = (wisp_compare_request){.family = family,
                              .system = wisp_option_value(args, "system"),
                              .element = wisp_option_value(args, "element"),
                              .orders = orders->list,
                              .order_count = (size_t)orders->count,
                              .precisions = precisions->list,
                              .precision_count = (size_t)precisions->count,
                              .kernel = wisp_option_value(args, "kernel"),
                              .composition = wisp_option_value(args, "composition"),
                              .every_alternative = wisp_option_given(args, "alternatives"),
                              .jobs = (int)jobs,
                              .row = take_row,
                              .warn = warn};
  if (r->composition && !r->kernel) r->kernel = WISP_COMPOSITION;
  CALL(wisp_option_timed_mesh(err, args, beside));
  r->beside = beside;
  CALL(wisp_option_elements(err, args, &r->elements));
  CALL(wisp_option_real(err, args, "nodes", 1, 1e12, 0, &r->nodes));
  CALL(wisp_option_real(err, args, "dofs", 1, 1e12, 0, &r->dofs));
  CALL(wisp_option_real(err, args, "nonzeros", 1, 1e12, 0, &nonzeros));
  CALL(wisp_require(err, (r->nodes > 0) + (r->dofs > 0) + (nonzeros > 0) + (r->elements > 0) <= 1, WISP_EUSAGE,
                    "--nodes, --dofs, --nonzeros, --elements and --box all give the size: leave all but one out"));
  if (nonzeros > 0) r->dofs = nonzeros;
  return WISP_OK;
}

static wisp_status bench(wisp_error *err, wisp_arguments *args)
{
  OWNED(wisp_session_close) wisp_session *session = NULL;
  wisp_orders orders;
  wisp_precisions precisions;
  wisp_mesh_source beside;
  wisp_compare_request request;
  HELD(wisp_notes_free) wisp_notes notes = {0};
  const char *name = wisp_option_value(args, "device");
  CALL(read_request(err, args, &orders, &precisions, &beside, &request));
  CALL(wisp_cli_note_mesh(err, args, &beside, &notes));
  if (wisp_option_given(args, "one-core")) setenv("OMP_NUM_THREADS", "1", 1); /* before a host kernel brings threads */
  CALL(wisp_cli_open_store(err, args, true, &session));
  CALL(wisp_device_open(err, name ? name : "auto", &session->device));
  if (wisp_option_given(args, "accuracy"))
    return bench_accuracy(err, session, request.family, request.elements, wisp_option_given(args, "json"));
  printer p = {.args = args, .device = wisp_device_limits(session->device)->name};
  if (wisp_option_given(args, "json")) p.list = cJSON_CreateArray();
  request.context = &p;
  const bool tables = wisp_option_given(args, "paper");
  wisp_status status = tables ? WISP_OK : compare_elements(err, session, &request, &p);
  if (status == WISP_OK && wisp_option_given(args, "one-core")) status = compare_core(err, args, &request, &p);
  if (status == WISP_OK && !p.list) print_summary(&p);
  if (status == WISP_OK && (tables || !request.kernel))
    status = bench_paper(err, session, request.family, &orders, request.elements, tables, p.list);
  if (status == WISP_OK && p.list) return wisp_json_put(err, p.list);
  cJSON_Delete(p.list);
  return status;
}

const wisp_syntax wisp_bench_syntax = {.page = "bench", .act = bench};
