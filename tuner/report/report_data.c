#include "report_data.h"

#include "../../gen/family.h"
#include "../../runtime/solve/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool wanted(const wisp_report_request *request, const wisp_trial *trial, const wisp_spec *spec)
{
  return spec->order > 0 && spec->order < WISP_REPORT_ORDERS && request->orders[spec->order] &&
         (spec->precision == WISP_F32 ? request->f32 : request->f64) && strcasestr(trial->device, request->device) &&
         (!request->family || strcmp(spec->family, request->family) == 0);
}

/* The order of cells. */
static int by_cell(const wisp_report_entry *a, const wisp_report_entry *b)
{
  const int order[] = {strcmp(a->trial->device, b->trial->device), wisp_spec_orders(&a->spec, &b->spec),
                       a->rank - b->rank, strcmp(a->spec.kernel, b->spec.kernel)};
  for (size_t i = 0; i < WISP_COUNT(order); i++)
    if (order[i]) return order[i];
  return 0;
}

/* Which candidate it is, apart from how near its layer is. */
static int by_key(const wisp_report_entry *a, const wisp_report_entry *b)
{
  const wisp_trial *t = a->trial, *u = b->trial;
  const int order[] = {by_cell(a, b),
                       strcmp(t->strategy, u->strategy),
                       strcmp(t->layout, u->layout),
                       strcmp(t->params, u->params),
                       wisp_ranking_order(t, u),
                       strcmp(t->template_hash, u->template_hash)};
  for (size_t i = 0; i < WISP_COUNT(order); i++)
    if (order[i]) return order[i];
  return 0;
}

static int by_place(const void *x, const void *y)
{
  const wisp_report_entry *a = x, *b = y;
  int key = by_key(a, b);
  return key ? key : a->layer - b->layer;
}

/* The wanted trials, sorted, a candidate that several layers hold only from the nearest. */
static wisp_status list_entries(wisp_error *err, const wisp_store *store, const wisp_report_request *request,
                                wisp_report_data *out)
{
  size_t most = wisp_store_count(store), count = 0, kept = 0;
  CALL(wisp_new(err, most + 1, sizeof *out->entries, &out->entries));
  for (size_t i = 0; i < most; i++) {
    wisp_layer layer;
    wisp_report_entry entry = {.trial = wisp_store_trial(store, i, &layer)};
    if (wisp_spec_parse(NULL, entry.trial->spec, &entry.spec) != WISP_OK) continue;
    if (!wanted(request, entry.trial, &entry.spec)) continue;
    const wisp_family *family = wisp_family_find(entry.spec.family);
    const wisp_kernel_decl *kernel = family ? wisp_family_kernel(family, entry.spec.kernel) : NULL;
    entry.rank = kernel ? (int)(kernel - family->kernels) : 1000; /* the step comes last */
    entry.layer = (int)layer;
    out->entries[count++] = entry;
  }
  qsort(out->entries, count, sizeof *out->entries, by_place);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || by_key(&out->entries[i], &out->entries[kept - 1]) != 0) out->entries[kept++] = out->entries[i];
  out->entry_count = kept;
  return WISP_OK;
}

bool wisp_report_seen(const wisp_report_cell *cell, const wisp_trial *trial)
{
  return (wisp_trial_is_right(trial)) && cell->timed && trial->elements == cell->elements &&
         wisp_ranking_meshes(trial, cell->timed) == 0 && trial->ms > 0 && isfinite(trial->ms);
}

static void fill_cell(wisp_report_cell *cell)
{
  cell->spec = cell->entries->spec;
  for (size_t i = 0; i < cell->count; i++) {
    const wisp_trial *t = cell->entries[i].trial;
    size_t *const counts[WISP_VERDICTS] = {&cell->ok, &cell->slow, &cell->refused, &cell->bad, &cell->unfinished};
    ++*counts[wisp_trial_verdict(t)];
    if (wisp_trial_verdict(t) != WISP_VERDICT_OK) continue;
    const int mesh = cell->timed ? wisp_ranking_meshes(t, cell->timed) : -1;
    if (mesh < 0 || (mesh == 0 && t->elements > cell->elements)) cell->elements = t->elements, cell->timed = t;
  }
}

bool wisp_report_same_subject(const wisp_report_cell *a, const wisp_report_cell *b)
{
  return strcmp(a->entries->trial->device, b->entries->trial->device) == 0 &&
         wisp_spec_subjects(&a->spec, &b->spec) == 0;
}

bool wisp_report_same_order(const wisp_report_cell *a, const wisp_report_cell *b)
{
  return wisp_report_same_subject(a, b) && wisp_spec_orders(&a->spec, &b->spec) == 0;
}

/* The trial that a choice in a cell is reported by. */
static const wisp_trial *pick(const wisp_report_cell *cell, const wisp_choice *choice, const char **remark)
{
  const wisp_shown shown = wisp_choice_shown(choice, cell->entries->trial->device);
  *remark = shown.remark;
  return shown.answer.trial;
}

/* One cell's winner: what is compared is of its size, on its kind of mesh. */
static wisp_status find_best(wisp_error *err, const wisp_chooser *from, wisp_report_cell *cell)
{
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  CALL(wisp_choose_if_any(err, from, &(wisp_choose_request){.spec = cell->spec}, &stage));
  cell->best = pick(cell, &stage.record, &cell->remark);
  cell->default_ms = NAN;
  if (!cell->best) return WISP_OK;
  cell->elements = cell->best->elements;
  cell->timed = cell->best;
  return wisp_standard_ms(err, from, cell->best, &cell->default_ms);
}

/* The cells of one order; and those of the stage that is taken there. */
static wisp_status find_winners(wisp_error *err, const wisp_chooser *from, wisp_report_cell *cells, size_t count)
{
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  wisp_choose_request request = {.spec = cells->spec};
  wisp_spec_name_kernel(&request.spec, WISP_COMPOSITION);
  CALL(wisp_choose_if_any(err, from, &request, &stage));
  for (wisp_report_cell *cell = cells; cell < cells + count; cell++) {
    CALL(find_best(err, from, cell));
    if (wisp_spec_is_composition(&cell->spec))
      cell->in_composition = cell->best, cell->composition_remark = cell->remark;
    for (int k = 0; stage.record.trial && k < stage.kernels; k++)
      if (strcmp(stage.choice[k].kernel, cell->spec.kernel) == 0)
        cell->in_composition = pick(cell, &stage.choice[k], &cell->composition_remark);
  }
  return WISP_OK;
}

/* Asks as the device does whose trial is the newest. */
static wisp_status ask(wisp_error *err, const wisp_session *session, wisp_report_data *data)
{
  wisp_limits limits = {.target = ""};
  HELD(wisp_scopes_free) wisp_scopes scopes = {0};
  const wisp_chooser from = {session->strategies, session->store, &limits, &scopes};
  for (size_t i = 0, end; i < data->cell_count; i = end) {
    wisp_report_cell *cells = &data->cells[i];
    const wisp_trial *newest = cells->entries->trial;
    for (end = i; end < data->cell_count && wisp_report_same_order(&data->cells[end], cells); end++)
      for (size_t e = 0; e < data->cells[end].count; e++)
        if (strcmp(data->cells[end].entries[e].trial->when, newest->when) > 0)
          newest = data->cells[end].entries[e].trial;
    if (wisp_trial_limits(NULL, newest, &limits) != WISP_OK) continue;
    wisp_scopes_serve(&scopes, &limits);
    CALL(find_winners(err, &from, cells, end - i));
  }
  return WISP_OK;
}

/* The study in the foreground is of this kernel and order, in each precision and for each subject that has it. */
static wisp_status choose_front(wisp_error *err, const wisp_report_request *request, wisp_report_data *data)
{
  const wisp_family *family = wisp_family_find(request->family ? request->family : data->cells->spec.family);
  const char *kernel = *request->kernel ? request->kernel : family ? family->kernels->name : "";
  int order = request->order ? request->order : 4;
  bool any = false;
  wisp_report_cell *most = NULL;
  for (size_t i = 0; i < data->cell_count; i++) {
    wisp_report_cell *cell = &data->cells[i];
    bool kernel_fits = strcmp(cell->spec.kernel, kernel) == 0;
    cell->front = kernel_fits && cell->spec.order == order && cell->best;
    any |= cell->front;
    if (*request->kernel && !kernel_fits) continue;
    if (cell->best && (!most || cell->ok + cell->slow > most->ok + most->slow)) most = cell;
  }
  if (any) return WISP_OK;
  if (request->order || !most)
    return *request->kernel || request->order
               ? wisp_fail(err, WISP_EMISSING,
                           "no time is stored for kernel '%s' at order %d: 'wisp tune' fills the store", kernel, order)
               : WISP_OK;
  most->front = true;
  return WISP_OK;
}

wisp_status wisp_report_gather(wisp_error *err, const wisp_session *session, const wisp_report_request *request,
                               wisp_report_data *out)
{
  HELD(wisp_report_forget) wisp_report_data data = {0};
  CALL(list_entries(err, session->store, request, &data));
  CALL(
      wisp_require(err, data.entry_count, WISP_EMISSING,
                   "nothing is stored for %s with these options: 'wisp tune' fills the store, and 'wisp db show' tells "
                   "what is there",
                   *request->device ? request->device : "any device"));
  CALL(wisp_new(err, data.entry_count, sizeof *data.cells, &data.cells));
  for (size_t i = 0; i < data.entry_count; i++) {
    if (i == 0 || by_cell(&data.entries[i], &data.entries[i - 1]) != 0)
      data.cells[data.cell_count++].entries = &data.entries[i];
    data.cells[data.cell_count - 1].count++;
  }
  for (size_t i = 0; i < data.cell_count; i++) fill_cell(&data.cells[i]);
  CALL(ask(err, session, &data));
  CALL(choose_front(err, request, &data));
  return GIVE(data, out);
}

void wisp_report_forget(wisp_report_data *data)
{
  free(data->entries);
  free(data->cells);
}
