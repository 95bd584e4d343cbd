/* What the families' rows have for columns: the nodal one beside the vendor's product, the tensor one beside a copy. */
#include "bench.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct column {
  const char *title;
  int width, digits;
  double (*value)(const wisp_comparison *row); /* NaN: a dash */
} column;

static double ms(const wisp_comparison *row)
{
  return row->ms;
}

static double gdofs(const wisp_comparison *row)
{
  return row->gdofs;
}

static double gbps(const wisp_comparison *row)
{
  return row->gbps;
}

static double gflops(const wisp_comparison *row)
{
  return row->gflops;
}

static double efficiency(const wisp_comparison *row)
{
  return row->efficiency;
}

static double copy_share(const wisp_comparison *row)
{
  return row->copy_share;
}

static double mesh_gdofs(const wisp_comparison *row)
{
  return row->mesh_gdofs;
}

static double of_box(const wisp_comparison *row)
{
  return row->mesh_gdofs / row->gdofs;
}

static double by_default(const wisp_comparison *row)
{
  return row->ours.match == WISP_MATCH_DEFAULT ? NAN : row->default_ms / row->ms;
}

static double rival_ms(const wisp_comparison *row)
{
  return row->rival_ms;
}

static double by_rival(const wisp_comparison *row)
{
  return row->rival_ms / row->ms;
}

static double by_alternative(const wisp_comparison *row)
{
  return row->alternative_ms / row->ms;
}

static const column beside_product[] = {
    {"ms", 8, 4, ms},           {"GDOF/s", 7, 2, gdofs},    {"mesh", 7, 2, mesh_gdofs},   {"of box", 6, 2, of_box},
    {"eff.", 5, 2, efficiency}, {"copy", 5, 2, copy_share}, {"x def.", 6, 2, by_default}, {"BLAS ms", 8, 4, rival_ms},
    {"x BLAS", 6, 2, by_rival},
};
static const column beside_copy[] = {
    {"ms", 8, 4, ms},
    {"GB/s", 6, 0, gbps},
    {"of copy", 7, 2, by_rival},
    {"GDOF/s", 6, 2, gdofs},
    {"of box", 6, 2, of_box},
    {"GFLOP/s", 7, 0, gflops},
    {"x def.", 6, 2, by_default},
    {"x stored", 8, 2, by_alternative},
};

typedef struct table {
  int kernel, who; /* widths */
  const char *title;
  bool with_layout; /* beside the strategy; else its parameters */
  size_t count;
  const column *columns;
} table;

static const table
    of_layouts = {10, 35, "strategy, layout", true, sizeof beside_product / sizeof *beside_product, beside_product},
    of_params = {20, 34, "strategy, parameters", false, sizeof beside_copy / sizeof *beside_copy, beside_copy};

/* Kernels of a family with several layouts are products, beside the vendor's; those of others move numbers. */
static const table *table_of(const char *name)
{
  wisp_layout layouts[8];
  const wisp_family *family = wisp_family_find(name);
  return !family || family->layouts(family->orders[0], layouts) > 1 ? &of_layouts : &of_params;
}

/* A number in so many columns, with as many digits as fit, or a dash. */
static void print_number(int width, int digits, double value)
{
  while (digits > 0 && snprintf(NULL, 0, "%.*f", digits, value) > width) digits--;
  if (isfinite(value))
    printf(" %*.*f", width, digits, value);
  else
    printf(" %*s", width, "-");
}

/* Rows are printed as they come, so that their columns are fixed: where they do not fit, that is said. */
static void say_width(const table *t)
{
  int width = 2 + 1 + 3 + 1 + t->kernel + 1 + t->who, room = wisp_terminal_columns(STDOUT_FILENO);
  for (size_t i = 0; i < t->count; i++) width += 1 + t->columns[i].width;
  if (width > (room ? room : 80)) printf("%d columns wide\n", width);
}

void wisp_bench_print(const wisp_comparison *row, bool first)
{
  const table *t = table_of(row->spec.family);
  const char *more = t->with_layout ? row->ours.layout : row->ours.params;
  char who[64]; /* more than any table shows */
  if (first) {
    say_width(t);
    printf("%-2s %-3s %-*s %-*s", "N", "", t->kernel, "kernel", t->who, t->title);
    for (size_t i = 0; i < t->count; i++) printf(" %*s", t->columns[i].width, t->columns[i].title);
    printf("\n");
  }
  snprintf(who, sizeof who, "%s %s", row->ours.strategy, more);
  printf("%-2d %-3s %-*s %-*.*s", row->spec.order, wisp_precision_name(row->spec.precision), t->kernel,
         row->spec.kernel, t->who, t->who, who);
  for (size_t i = 0; i < t->count; i++)
    print_number(t->columns[i].width, t->columns[i].digits, t->columns[i].value(row));
  printf("\n");
  fflush(stdout);
}

cJSON *wisp_bench_row(const char *device, const wisp_comparison *row)
{
  cJSON *object = cJSON_CreateObject();
  const struct {
    const char *key, *value;
  } texts[] = {{"device", device},
               {"family", row->spec.family},
               {"kernel", row->spec.kernel},
               {"strategy", row->ours.strategy},
               {"precision", wisp_precision_name(row->spec.precision)},
               {"system", row->spec.system},
               {"layout", row->ours.layout},
               {"params", row->ours.params},
               {"match", wisp_match_name(row->ours.match)},
               {"layer", wisp_layer_name(row->ours.layer)},
               {"default_strategy", row->standard.strategy},
               {"default_layout", row->standard.layout},
               {"default_params", row->standard.params},
               {"rival", row->rival},
               {"alternative", row->alternative}};
  const struct {
    const char *key;
    double value;
  } numbers[] = {{"order", row->spec.order},
                 {"elements", (double)row->elements},
                 {"ms", row->ms},
                 {"gdofs", row->gdofs},
                 {"mesh_elements", (double)row->mesh_elements},
                 {"mesh_gdofs", row->mesh_gdofs},
                 {"gbps", row->gbps},
                 {"gflops", row->gflops},
                 {"efficiency", row->efficiency},
                 {"copy_share", row->copy_share},
                 {"default_ms", row->default_ms},
                 {"speedup", row->default_ms / row->ms},
                 {"rival_ms", row->rival_ms},
                 {"rival_error", row->rival_error},
                 {"ratio", row->rival_ms / row->ms},
                 {"alternative_ms", row->alternative_ms},
                 {"alternative_ratio", row->alternative_ms / row->ms}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].value && *texts[i].value)
      cJSON_AddStringToObject(object, texts[i].key, texts[i].value);
    else
      cJSON_AddNullToObject(object, texts[i].key);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    cJSON_AddNumberToObject(object, numbers[i].key, numbers[i].value);
  return object;
}
