#include "run.h"
#include "table.h"
#include "terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

wisp_status wisp_run_read_squares(wisp_error *err, const wisp_arguments *args, wisp_run_request *run)
{
  enum { MOST = 16384 };
  const char *box = wisp_option_value(args, "box");
  int end = 0, *n = run->mesh.box;
  n[0] = n[1] = 16;
  const bool one = box && sscanf(box, "%5d%n", &n[0], &end) == 1 && !box[end];
  if (one) n[1] = n[0];
  const bool two = box && !one && sscanf(box, "%5d,%5d%n", &n[0], &n[1], &end) == 2 && !box[end];
  CALL(wisp_require(err, !box || one || two, WISP_EUSAGE,
                    "option --box is '%s', must be squares a side such as 16, or 16,32", box));
  for (int d = 0; d < 2; d++)
    CALL(wisp_require(err, n[d] >= 1 && n[d] <= MOST, WISP_EUSAGE, "option --box is '%s', must be from 1 to %d", box,
                      MOST));
  return WISP_OK;
}

wisp_status wisp_run_check_size(wisp_error *err, const wisp_session *session, int order, const wisp_run_size *size)
{
  const wisp_limits *limits = wisp_device_limits(session->device);
  CALL(wisp_require(err, size->numbers < 2147483648.0, WISP_EUSAGE,
                    "%.0f %s of order %d have %.3g %s, more than kernels can count (2.1e9): take fewer elements or a "
                    "lower order",
                    size->elements, size->cells, order, size->numbers, size->what));
  return wisp_require(err, size->bytes <= (double)limits->memory, WISP_EMEMORY,
                      "%.0f %s of order %d need more than %.2f GB, %s has %.2f GB: take fewer elements, a lower order "
                      "or f32",
                      size->elements, size->cells, order, size->bytes / 1e9, limits->name,
                      (double)limits->memory / 1e9);
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
    snprintf(note, sizeof note, "the stored winner was not taken: %s", c->note);
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
