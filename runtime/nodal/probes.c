#include "probes.h"

/* Samples on the device. */
enum { SAMPLES = 256 };

struct wisp_probes {
  wisp_device *device;
  wisp_module *module;
  const wisp_dg *dg;
  long long every, last; /* the step of the last sample */
  size_t points, rows;
  wisp_pointer address, point, weight, table;
  double time[SAMPLES];
  size_t samples; /* in the table */
  wisp_text text;
};

/* ---- Points. */

/* Reads the next point of a list and moves behind it. */
static wisp_status read_point(wisp_error *err, const char *what, const char **text, double at[3])
{
  char one[128];
  const size_t length = strcspn(*text, ";");
  snprintf(one, sizeof one, "%.*s", (int)length, *text);
  CALL(wisp_point_read(err, what, one + strspn(one, " \t"), at));
  *text += length + ((*text)[length] == ';');
  return WISP_OK;
}

static wisp_status put(wisp_error *err, wisp_probes *p, const void *from, size_t bytes, wisp_pointer *out)
{
  CALL(wisp_device_alloc(err, p->device, bytes, out));
  return wisp_device_upload(err, p->device, *out, from, bytes);
}

/* The addresses of an element's numbers, of each field. */
static void list_addresses(const wisp_dg *dg, size_t slot, int32_t *address)
{
  for (int f = 0; f < dg->system->fields; f++)
    for (int i = 0; i < dg->tet->Np; i++)
      *address++ = (int32_t)wisp_layout_volume(&dg->layout, dg->system->fields, f, slot, (size_t)i);
}

static wisp_status find_points(wisp_error *err, const char *what, const char *text, wisp_probes *p)
{
  const wisp_dg *dg = p->dg;
  const size_t Np = (size_t)dg->tet->Np, n = (size_t)dg->system->fields;
  OWNED(free) int32_t *address = NULL, *point = NULL;
  OWNED(free) double *weight = NULL;
  CALL(wisp_new(err, p->rows * Np, sizeof *address, &address));
  CALL(wisp_new(err, p->rows, sizeof *point, &point));
  CALL(wisp_new(err, p->points * Np, sizeof *weight, &weight));
  for (size_t i = 0; i < p->points; i++) {
    double at[3];
    wisp_located here;
    CALL(read_point(err, what, &text, at));
    CALL(wisp_dg_locate(err, what, dg, at, &here));
    for (size_t f = 0; f < n; f++) point[i * n + f] = (int32_t)i;
    if (here.slot == WISP_ELSEWHERE) continue; /* the values here are 0, of the first number times 0 */
    CALL(wisp_tet_interpolation(err, dg->tet, 1, &here.r, &here.s, &here.t, weight + i * Np));
    list_addresses(dg, here.slot, address + i * n * Np);
  }
  CALL(put(err, p, address, p->rows * Np * sizeof *address, &p->address));
  CALL(put(err, p, point, p->rows * sizeof *point, &p->point));
  CALL(put(err, p, weight, p->points * Np * sizeof *weight, &p->weight));
  return wisp_device_alloc(err, p->device, SAMPLES * p->rows * sizeof(double), &p->table);
}

static wisp_status print_names(wisp_error *err, wisp_probes *p)
{
  CALL(wisp_text_print(err, &p->text, "t"));
  for (size_t i = 0; i < p->points; i++)
    for (int f = 0; f < p->dg->system->fields; f++)
      CALL(wisp_text_print(err, &p->text, ",%s@%zu", p->dg->system->field[f], i + 1));
  return wisp_text_print(err, &p->text, "\n");
}

wisp_status wisp_probes_create(wisp_error *err, const char *what, const char *text, wisp_device *device,
                               const wisp_dg *dg, wisp_precision precision, long long every, wisp_probes **out)
{
  OWNED(wisp_probes_destroy) wisp_probes *p = NULL;
  size_t points = 0;
  double at[3];
  for (const char *next = text; !points || *next; points++) CALL(read_point(err, what, &next, at));
  if (!dg) return WISP_OK;
  CALL(wisp_new(err, 1, sizeof *p, &p));
  p->device = device, p->dg = dg, p->every = every, p->last = -1;
  p->points = points, p->rows = points * (size_t)dg->system->fields;
  CALL(find_points(err, what, text, p));
  CALL(print_names(err, p));
  CALL(wisp_dialect_module(err, device, "solve/probe", precision, "", &p->module));
  return GIVE(p, out);
}

void wisp_probes_destroy(wisp_probes *probes)
{
  if (!probes) return;
  const wisp_pointer memory[] = {probes->address, probes->point, probes->weight, probes->table};
  for (size_t i = 0; i < WISP_COUNT(memory); i++)
    if (memory[i]) wisp_device_free(probes->device, memory[i]);
  if (probes->module) wisp_module_unload(probes->module);
  wisp_text_free(&probes->text);
  free(probes);
}

/* ---- Samples. */

static wisp_status fetch(wisp_error *err, wisp_probes *p)
{
  OWNED(free) double *values = NULL;
  if (!p->samples) return WISP_OK;
  CALL(wisp_new(err, p->samples * p->rows, sizeof *values, &values));
  CALL(wisp_device_download(err, p->device, values, p->table, p->samples * p->rows * sizeof *values));
  if (p->dg->domain) CALL(wisp_ranks_sum(err, p->dg->domain->ranks, p->samples * p->rows, values));
  for (size_t i = 0; i < p->samples; i++) {
    CALL(wisp_text_print(err, &p->text, "%.17g", p->time[i]));
    for (size_t r = 0; r < p->rows; r++) CALL(wisp_text_print(err, &p->text, ",%.9g", values[i * p->rows + r]));
    CALL(wisp_text_print(err, &p->text, "\n"));
  }
  p->samples = 0;
  return WISP_OK;
}

wisp_status wisp_probes_take(wisp_error *err, wisp_probes *p, wisp_pointer u, long long step, double time)
{
  const unsigned grid[2] = {(unsigned)((p->rows + 255) / 256), 1}, block[3] = {256, 1, 1};
  union { /* 8 bytes, as a launch wants them */
    int number;
    long long wide;
  } count = {.number = p->dg->tet->Np};
  if (step % p->every || step == p->last) return WISP_OK;
  if (p->samples == SAMPLES) CALL(fetch(err, p));
  long long from = (long long)(p->samples * p->rows), rows = (long long)p->rows;
  void *args[] = {&p->address, &p->point, &p->weight, &u, &p->table, &count, &from, &rows};
  p->time[p->samples++] = time;
  p->last = step;
  return wisp_launch(err, p->module, NULL, grid, block, args, WISP_COUNT(args));
}

wisp_status wisp_probes_write(wisp_error *err, wisp_probes *p, const char *path)
{
  CALL(fetch(err, p));
  if (p->dg->domain && wisp_ranks_own(p->dg->domain->ranks)) return WISP_OK; /* rank 0 has all values */
  return wisp_write_file(err, path, wisp_fill_text, &p->text);
}
