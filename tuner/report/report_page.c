/* The page as a whole: its parts for every subject, and how it gets into its folder. */
#include "report_html.h"

#include "../../gen/embedded.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

static void print_subject(wisp_page *page, const wisp_report_subject *subject)
{
  print_summary(page, subject);
  wisp_report_stages(page, subject);
  wisp_report_roofline(page, subject);
  wisp_report_strategies(page, subject);
  wisp_report_studies(page, subject);
  wisp_report_winners(page, subject);
  wisp_report_refusals(page, subject);
  wisp_report_failures(page, subject);
}

static size_t subject_end(const wisp_report_data *data, size_t from)
{
  size_t end = from;
  while (end < data->cell_count && wisp_report_same_subject(&data->cells[end], &data->cells[from])) end++;
  return end;
}

/* A subject's cells, and those of what stands in for its system. */
static wisp_report_subject subject_at(const wisp_report_data *data, size_t from, size_t number)
{
  const wisp_report_cell *cells = &data->cells[from];
  const wisp_family *family = wisp_family_find(cells->spec.family);
  wisp_report_subject subject = {
      .cells = cells, .count = subject_end(data, from) - from, .number = number, .first = from};
  for (size_t i = 0, end; family && family->proxy_for && i < data->cell_count; i = end) {
    const wisp_report_cell *other = &data->cells[i];
    end = subject_end(data, i);
    if (strcmp(other->spec.family, family->name) == 0 && strcmp(other->spec.element, cells->spec.element) == 0 &&
        strcmp(other->entries->trial->device, cells->entries->trial->device) == 0 &&
        family->proxy_for(other->spec.system, cells->spec.system))
      subject.bare = other, subject.bare_count = end - i;
  }
  return subject;
}

/* Links to the subjects, where there are several. */
static void print_index(wisp_page *page, const wisp_report_data *data)
{
  if (subject_end(data, 0) == data->cell_count) return;
  wisp_page_print(page, "<nav class=\"jump\">");
  for (size_t i = 0, number = 1; i < data->cell_count; i = subject_end(data, i), number++) {
    const wisp_report_cell *cell = &data->cells[i];
    wisp_page_print(page, "<a href=\"#subject-%zu\">", number);
    wisp_page_around(page, "", cell->entries->trial->device, ": ");
    wisp_page_around(page, "", cell->spec.family, ", ");
    wisp_page_print(page, "%s</a> ", plural(cell->spec.element));
  }
  wisp_page_print(page, "</nav>\n");
}

wisp_status wisp_report_page(wisp_error *err, const wisp_session *session, const wisp_report_request *request,
                             wisp_text *out)
{
  HELD(wisp_report_forget) wisp_report_data data = {0};
  wisp_page page = {err, out, WISP_OK};
  CALL(wisp_report_gather(err, session, request, &data));
  wisp_page_around(&page,
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
                   "content=\"width=device-width, initial-scale=1\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n"
                   "<title>wisp report: ",
                   data.entries->trial->device, "</title>\n");
  wisp_page_print(&page, "<style>\n%s</style>\n</head>\n<body>\n<main>\n",
                  wisp_embedded_text("templates/report/style.css"));
  wisp_page_part(&page, "marks", 0);
  print_index(&page, &data);
  size_t number = 1;
  for (size_t i = 0; i < data.cell_count; number++) {
    const wisp_report_subject subject = subject_at(&data, i, number);
    print_subject(&page, &subject);
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
