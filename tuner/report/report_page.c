/* The page as a whole: its parts for every subject, and how it gets into its folder. */
#include "report_html.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- The data: trials of the store, each once, in cells of one kernel, order, precision and device. */

typedef struct data {
  wisp_report_entry *entries; /* sorted */
  wisp_report_cell *cells;
  size_t entry_count, cell_count;
} data;

static void forget(data *d)
{
  free(d->entries);
  free(d->cells);
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
static wisp_status list_entries(wisp_error *err, const wisp_store *store, const wisp_report_request *request, data *out)
{
  size_t most = wisp_store_count(store), count = 0, kept = 0;
  CALL(wisp_new(err, most + 1, sizeof *out->entries, &out->entries));
  for (size_t i = 0; i < most; i++) {
    wisp_layer layer;
    wisp_report_entry entry = {.trial = wisp_store_trial(store, i, &layer)};
    if (wisp_spec_parse(NULL, entry.trial->spec, &entry.spec) != WISP_OK) continue;
    const int order = entry.spec.order;
    if (order <= 0 || order >= WISP_REPORT_ORDERS || !request->orders[order]) continue;
    if (!(entry.spec.precision == WISP_F32 ? request->f32 : request->f64)) continue;
    if (!strcasestr(entry.trial->device, request->device)) continue;
    if (request->family && strcmp(entry.spec.family, request->family) != 0) continue;
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

/* The trial that a choice in a cell is reported by. */
static const wisp_trial *pick(const wisp_report_cell *cell, const wisp_choice *choice, const char **remark,
                              const wisp_trial **timed)
{
  const wisp_shown shown = wisp_choice_shown(choice, cell->entries->trial->device);
  *remark = shown.remark;
  *timed = shown.timed;
  return shown.answer.trial;
}

/* One cell's winner: what is compared is of its size, on its kind of mesh. */
static wisp_status find_best(wisp_error *err, const wisp_chooser *from, wisp_report_cell *cell)
{
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  CALL(wisp_choose_if_any(err, from, &(wisp_choose_request){.spec = cell->spec}, &stage));
  cell->best = pick(cell, &stage.record, &cell->remark, &cell->times[0]);
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
        cell->in_composition = pick(cell, &stage.choice[k], &cell->composition_remark, &cell->times[1]);
  }
  return WISP_OK;
}

/* A stage of one kernel and that kernel are one measurement: they are shown with the time that counts. */
static void take_times(wisp_store *store, wisp_report_cell *cell)
{
  const wisp_trial *const shown[] = {cell->best, cell->in_composition};
  for (int i = 0; i < 2; i++) {
    if (!shown[i] || !cell->times[i]) continue;
    const bool is_default = shown[i] == cell->best && cell->default_ms == cell->best->ms;
    wisp_store_retime(store, shown[i], cell->times[i]);
    if (is_default) cell->default_ms = cell->best->ms;
  }
}

/* Asks as the device does whose trial is the newest. */
static wisp_status ask(wisp_error *err, const wisp_session *session, data *d)
{
  wisp_limits limits = {.target = ""};
  HELD(wisp_scopes_free) wisp_scopes scopes = {0};
  const wisp_chooser from = {session->strategies, session->store, &limits, &scopes};
  for (size_t i = 0, end; i < d->cell_count; i = end) {
    wisp_report_cell *cells = &d->cells[i];
    const wisp_trial *newest = cells->entries->trial;
    for (end = i; end < d->cell_count && wisp_report_same_order(&d->cells[end], cells); end++)
      for (size_t e = 0; e < d->cells[end].count; e++)
        if (strcmp(d->cells[end].entries[e].trial->when, newest->when) > 0) newest = d->cells[end].entries[e].trial;
    if (wisp_trial_limits(NULL, newest, &limits) != WISP_OK) continue;
    wisp_scopes_serve(&scopes, &limits);
    CALL(find_winners(err, &from, cells, end - i));
  }
  for (size_t i = 0; i < d->cell_count; i++) take_times(session->store, &d->cells[i]);
  return WISP_OK;
}

/* The study in the foreground is of this kernel and order, in each precision and for each subject that has it. */
static wisp_status choose_front(wisp_error *err, const wisp_report_request *request, data *d)
{
  const wisp_family *family = wisp_family_find(request->family ? request->family : d->cells->spec.family);
  const char *kernel = *request->kernel ? request->kernel : family ? family->kernels->name : "";
  int order = request->order ? request->order : 4;
  bool any = false;
  wisp_report_cell *most = NULL;
  for (size_t i = 0; i < d->cell_count; i++) {
    wisp_report_cell *cell = &d->cells[i];
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

/* WISP_EMISSING where nothing fits. The trials stay the store's. */
static wisp_status gather(wisp_error *err, const wisp_session *session, const wisp_report_request *request, data *out)
{
  HELD(forget) data made = {0};
  CALL(list_entries(err, session->store, request, &made));
  CALL(
      wisp_require(err, made.entry_count, WISP_EMISSING,
                   "nothing is stored for %s with these options: 'wisp tune' fills the store, and 'wisp db show' tells "
                   "what is there",
                   *request->device ? request->device : "any device"));
  CALL(wisp_new(err, made.entry_count, sizeof *made.cells, &made.cells));
  for (size_t i = 0; i < made.entry_count; i++) {
    if (i == 0 || by_cell(&made.entries[i], &made.entries[i - 1]) != 0)
      made.cells[made.cell_count++].entries = &made.entries[i];
    made.cells[made.cell_count - 1].count++;
  }
  for (size_t i = 0; i < made.cell_count; i++) fill_cell(&made.cells[i]);
  CALL(ask(err, session, &made));
  CALL(choose_front(err, request, &made));
  return GIVE(made, out);
}

/* ---- Summary: where it was measured, and a few numbers. */

typedef struct totals {
  size_t timed, slow, refused, bad, layered;
  double speedup[2]; /* sums of logarithms of default over winner: kernels, whole stages */
  size_t speedups[2];
  double efficiency;
  size_t efficiencies;
  const wisp_report_cell *fastest[2]; /* step with the most GDOF/s, f32 and f64 */
  const wisp_trial *newest;           /* it tells where and with what */
} totals;

static void add_up(const wisp_report_subject *subject, totals *sum)
{
  *sum = (totals){.newest = subject->cells->entries->trial};
  for (size_t i = 0; i < subject->count; i++) {
    const wisp_report_cell *cell = &subject->cells[i];
    bool composed = wisp_spec_is_composition(&cell->spec);
    sum->timed += cell->ok, sum->slow += cell->slow, sum->bad += cell->bad, sum->refused += cell->refused;
    for (size_t e = 0; e < cell->count; e++) {
      sum->layered += cell->entries[e].layer == WISP_LAYER_SHIPPED;
      if (strcmp(cell->entries[e].trial->when, sum->newest->when) > 0) sum->newest = cell->entries[e].trial;
    }
    if (!cell->best) continue;
    if (isfinite(cell->default_ms))
      sum->speedup[composed] += log(cell->default_ms / cell->best->ms), sum->speedups[composed]++;
    if (cell->in_composition && !composed && cell->in_composition->efficiency > 0)
      sum->efficiency += log(cell->in_composition->efficiency), sum->efficiencies++;
    const wisp_report_cell **best = &sum->fastest[cell->spec.precision == WISP_F64];
    if (composed && (!*best || cell->best->gdofs > (*best)->best->gdofs)) *best = cell;
  }
}

static void print_tile(wisp_page *page, double value, int digits, const char *unit, const char *what)
{
  char number[WISP_NUMBER_TEXT];
  wisp_page_print(page, "<div><b>%s%s</b><span>%s</span></div>\n", wisp_number(number, value, digits), unit, what);
}

static void print_tiles(wisp_page *page, const totals *sum)
{
  char what[128];
  wisp_page_print(page, "<div class=\"tiles\">");
  for (int p = 0; p < 2; p++) {
    if (!sum->fastest[p]) continue;
    snprintf(what, sizeof what, "GDOF/s, best whole stage in %s (<i>N</i> = %d)", p ? "f64" : "f32",
             sum->fastest[p]->spec.order);
    print_tile(page, sum->fastest[p]->best->gdofs, 3, "", what);
  }
  for (int composed = 1; composed >= 0; composed--)
    if (sum->speedups[composed])
      print_tile(page, exp(sum->speedup[composed] / (double)sum->speedups[composed]), 3, "&#8201;×",
                 composed ? "faster whole stages than by default, geometric mean"
                          : "faster than what runs by default, geometric mean over kernels");
  if (sum->efficiencies)
    print_tile(page, 100 * exp(sum->efficiency / (double)sum->efficiencies), 2, "&#8201;%",
               "of the floor: the fastest stages' kernels, geometric mean");
  snprintf(what, sizeof what, sum->slow ? "candidates timed to the end; %zu more dropped early" : "candidates timed",
           sum->slow);
  print_tile(page, (double)sum->timed, 0, "", what);
  print_tile(page, (double)sum->bad, 0, "",
             sum->bad == 1 ? "failure stored" : "failures stored: crash, hang, wrong, not compiled");
  wisp_page_print(page, "</div>\n");
}

static void print_place(wisp_page *page, const wisp_trial *t)
{
  const struct {
    const char *before, *text;
  } parts[] = {{"", t->target}, {"driver ", t->driver}, {"", t->compiler}, {"wisp ", t->version}};
  wisp_page_print(page, "<p class=\"sub\">");
  if (t->units > 0) wisp_page_print(page, "%d multiprocessors", t->units);
  for (size_t i = 0; i < WISP_COUNT(parts); i++) {
    if (!*parts[i].text) continue;
    wisp_page_print(page, " · ");
    wisp_page_around(page, parts[i].before, parts[i].text, "");
  }
  char day[11];
  snprintf(day, sizeof day, "%.10s", t->when);
  wisp_page_around(page, " · measured ", day, "</p>\n");
}

/* The plural of an element as specs name it. */
static const char *plural(const char *element)
{
  static const struct {
    const char *element, *plural;
  } names[] = {{"tet", "tetrahedra"},
               {"bernstein-tet", "tetrahedra, Bernstein-Bezier"},
               {"hex", "hexahedra"},
               {"tri", "triangles"}};
  for (size_t i = 0; i < WISP_COUNT(names); i++)
    if (strcmp(names[i].element, element) == 0) return names[i].plural;
  return "its elements";
}

static void print_summary(wisp_page *page, const wisp_report_subject *subject)
{
  static const struct {
    const char *link, *name;
  } links[] = {{"whole", "Whole stage"},       {"roofline", "Roofline"}, {"strategies", "Strategies"},
               {"studies", "Parameter study"}, {"winners", "Winners"},   {"refused", "Refused"},
               {"failures", "Failures"}};
  totals sum;
  add_up(subject, &sum);
  const wisp_trial *t = sum.newest;
  const wisp_spec *spec = &subject->cells->spec;
  wisp_page_print(page, "<header id=\"subject-%zu\">", subject->number);
  wisp_page_around(page, "<h1>", t->device, "</h1>\n");
  wisp_page_around(page, "<p class=\"sub\">Tuned kernels of the ", spec->family, " family: ");
  wisp_page_around(page, "", spec->system, " on ");
  wisp_page_print(page, "%s</p>\n", plural(spec->element));
  print_place(page, t);
  print_tiles(page, &sum);
  if (!sum.slow && !sum.refused && !sum.bad)
    wisp_page_print(page,
                    "<p class=\"note\">This store holds the winners and the defaults%s, not the whole sweep: the "
                    "parameter studies show few candidates, and what was refused is not known. "
                    "<code>wisp report --db SWEEP.db</code> shows a sweep.</p>\n",
                    sum.layered ? " that wisp ships" : " only");
  wisp_page_print(page, "<p class=\"jump\">");
  bool stages = sum.fastest[0] || sum.fastest[1];
  for (size_t i = stages ? 0 : 1; i < WISP_COUNT(links); i++)
    wisp_page_print(page, "<a href=\"#%s-%zu\">%s</a> ", links[i].link, subject->number, links[i].name);
  wisp_page_print(page, "</p></header>\n");
}

/* ---- The page. */

static size_t subject_end(const data *d, size_t from)
{
  size_t end = from;
  while (end < d->cell_count && wisp_report_same_subject(&d->cells[end], &d->cells[from])) end++;
  return end;
}

/* A subject's cells, those of what stands in for its system, and those to compare with. */
static wisp_report_subject subject_at(const data *d, const data *then, size_t from, size_t number)
{
  const wisp_report_cell *cells = &d->cells[from];
  const wisp_family *family = wisp_family_find(cells->spec.family);
  wisp_report_subject subject = {.cells = cells,
                                 .count = subject_end(d, from) - from,
                                 .number = number,
                                 .first = from,
                                 .then = then->cells,
                                 .then_count = then->cell_count};
  for (size_t i = 0, end; family && family->proxy_for && i < d->cell_count; i = end) {
    const wisp_report_cell *other = &d->cells[i];
    end = subject_end(d, i);
    if (strcmp(other->spec.family, family->name) == 0 && strcmp(other->spec.element, cells->spec.element) == 0 &&
        strcmp(other->entries->trial->device, cells->entries->trial->device) == 0 &&
        family->proxy_for(other->spec.system, cells->spec.system))
      subject.bare = other, subject.bare_count = end - i;
  }
  return subject;
}

/* Links to the subjects, where there are several. */
static void print_index(wisp_page *page, const data *d)
{
  if (subject_end(d, 0) == d->cell_count) return;
  wisp_page_print(page, "<nav class=\"jump\">");
  for (size_t i = 0, number = 1; i < d->cell_count; i = subject_end(d, i), number++) {
    const wisp_report_cell *cell = &d->cells[i];
    wisp_page_print(page, "<a href=\"#subject-%zu\">", number);
    wisp_page_around(page, "", cell->entries->trial->device, ": ");
    wisp_page_around(page, "", cell->spec.family, ", ");
    wisp_page_print(page, "%s</a> ", plural(cell->spec.element));
  }
  wisp_page_print(page, "</nav>\n");
}

/* The cells to compare with; none where the request names nothing. */
static wisp_status gather_against(wisp_error *err, const wisp_report_request *request, data *out)
{
  wisp_error why = {.text = ""};
  wisp_report_request other = *request;
  const wisp_report_against *against = request->against;
  if (!against) return WISP_OK;
  snprintf(other.device, sizeof other.device, "%s", against->device);
  const wisp_status status = gather(&why, against->session, &other, out);
  CALL(wisp_require(err, status != WISP_EMISSING, status, "--against %s: nothing of these is stored there",
                    against->name));
  return wisp_require(err, status == WISP_OK, status, "%s", why.text);
}

wisp_status wisp_report_page(wisp_error *err, const wisp_session *session, const wisp_report_request *request,
                             wisp_text *out)
{
  HELD(forget) data made = {0}, then = {0};
  wisp_page page = {err, out, WISP_OK};
  CALL(gather(err, session, request, &made));
  CALL(gather_against(err, request, &then));
  wisp_page_around(&page,
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
                   "content=\"width=device-width, initial-scale=1\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n"
                   "<title>wisp report: ",
                   made.entries->trial->device, "</title>\n");
  wisp_page_print(&page, "<style>\n%s</style>\n</head>\n<body>\n<main>\n",
                  wisp_embedded_text("templates/report/style.css"));
  wisp_page_part(&page, "marks", 0);
  print_index(&page, &made);
  size_t number = 1;
  for (size_t i = 0; i < made.cell_count; number++) {
    wisp_report_subject subject = subject_at(&made, &then, i, number);
    if (request->against) subject.against = request->against->name;
    print_summary(&page, &subject);
    wisp_report_stages(&page, &subject);
    wisp_report_compare(&page, &subject);
    wisp_report_roofline(&page, &subject);
    wisp_report_strategies(&page, &subject);
    wisp_report_studies(&page, &subject);
    wisp_report_winners(&page, &subject);
    wisp_report_refusals(&page, &subject);
    wisp_report_failures(&page, &subject);
    i += subject.count;
  }
  wisp_page_print(&page,
                  "<footer>Written by wisp %s. Paper 0: Klöckner, Warburton, Bridge, Hesthaven, <cite>Nodal "
                  "discontinuous Galerkin methods on graphics processors</cite>, 2009.</footer>\n</main>\n</body>\n"
                  "</html>\n",
                  WISP_VERSION);
  return page.status;
}

/* ---- Its folder. */

wisp_status wisp_report_write(wisp_error *err, const char *folder, const wisp_text *page)
{
  HELD(wisp_text_free) wisp_text path = {0};
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return wisp_fail(err, WISP_ESYSTEM, "%s: the folder cannot be made: %s: name another by -o", folder,
                     strerror(errno));
  CALL(wisp_text_print(err, &path, "%s/index.html", folder));
  return wisp_write_file(err, path.data, wisp_fill_text, page);
}
