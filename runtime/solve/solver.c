/* The parts that all solvers share: from a request to a mesh, kernels and memory, and from there to a report. */
#include "solver.h"
#include "../assembly/pattern.h"
#include "../domain/ranks.h"
#include "../process.h"

#include <stdarg.h>

void wisp_watch_report(const wisp_watch *watch, double share, const char *text)
{
  if (watch) watch->progress(watch->context, share, text);
}

/* A wisp_cg_watch's. */
static void report_iterations(void *context, long long iterations, double share)
{
  const wisp_iteration_watch *w = context;
  char text[64];
  const int length = snprintf(text, sizeof text, "iteration %lld", iterations);
  if (w->most) snprintf(text + length, sizeof text - (size_t)length, " of at most %lld", w->most);
  wisp_watch_report(w->watch, share, text);
}

wisp_cg_watch wisp_watch_iterations(wisp_iteration_watch *watch)
{
  return (wisp_cg_watch){report_iterations, watch};
}

/* ---- The report: its rows. */

static void clear_report(wisp_solver_report *report)
{
  for (size_t i = 0; i < report->count; i++) free((char *)report->row[i].key), free((char *)report->row[i].text);
  free(report->row);
  *report = (wisp_solver_report){.count = 0};
}

static wisp_status add_row(wisp_error *err, wisp_solver_report *to, const wisp_solver_row *row)
{
  OWNED(free) char *key = NULL, *text = NULL;
  CALL(wisp_copy_text(err, row->key, &key));
  CALL(wisp_copy_text(err, row->text, &text));
  CALL(wisp_grow(err, &to->row, &to->capacity, to->count + 1, sizeof *to->row));
  wisp_solver_row *out = &to->row[to->count++];
  *out = *row;
  out->key = key, out->text = text;
  key = text = NULL;
  return WISP_OK;
}

wisp_status wisp_report_numbers(wisp_error *err, wisp_solver_report *to, size_t count,
                                const wisp_report_number *numbers)
{
  for (size_t i = 0; i < count; i++)
    CALL(
        add_row(err, to, &(wisp_solver_row){WISP_ROW_NUMBER, numbers[i].key, numbers[i].value, numbers[i].unit, NULL}));
  return WISP_OK;
}

wisp_status wisp_report_text(wisp_error *err, wisp_solver_report *to, const char *key, const char *text)
{
  return add_row(err, to, &(wisp_solver_row){WISP_ROW_TEXT, key, NAN, "", text});
}

wisp_status wisp_report_truth(wisp_error *err, wisp_solver_report *to, const char *key, bool truth)
{
  return add_row(err, to, &(wisp_solver_row){WISP_ROW_TRUTH, key, truth, "", NULL});
}

wisp_status wisp_report_line(wisp_error *err, wisp_solver_report *to, const char *label, const char *format, ...)
{
  char text[2048];
  const int length = snprintf(text, sizeof text, "%-11s ", label);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
  va_end(arguments);
  return add_row(err, to, &(wisp_solver_row){WISP_ROW_LINE, NULL, NAN, "", text});
}

wisp_status wisp_report_kernels(wisp_error *err, wisp_solver_report *to, int stage)
{
  return add_row(err, to, &(wisp_solver_row){WISP_ROW_KERNELS, NULL, stage, "", NULL});
}

/* ---- For the kinds. */

wisp_choose_request wisp_solver_choose_request(const wisp_solver *s, const char *system, size_t elements)
{
  return (wisp_choose_request){.spec =
                                   wisp_family_spec(wisp_family_find(s->kind->family), s->order, system, s->precision),
                               .elements = (long long)elements,
                               .exact_match_only = s->exact};
}

wisp_status wisp_solver_check_count(wisp_error *err, const wisp_solver *s, double elements, double numbers,
                                    const char *what)
{
  return wisp_require(err, numbers < 2147483648.0, WISP_EUSAGE,
                      "%.0f %s of order %d have %.3g %s, more than kernels can count (2.1e9): take fewer elements or a "
                      "lower order",
                      elements, wisp_cells[s->corners].many, s->order, numbers, what);
}

wisp_status wisp_solver_note_zero(wisp_error *err, wisp_solver *s, long long iterations, double residual)
{
  if (iterations || residual > 0) return WISP_OK;
  return wisp_notes_add(
      err, &s->mesh->notes, "zero_right_hand_side",
      "the residual is 0 before the first iteration, and nothing was solved: give a source or boundary "
      "values that are not 0, in single precision above 1e-18");
}

/* ---- A request. */

wisp_status wisp_solver_new(wisp_error *err, const wisp_solver_kind *kind, const char *problem, wisp_solver **out)
{
  OWNED(wisp_solver_discard) wisp_solver *s = NULL;
  CALL(wisp_new(err, 1, kind->bytes, &s));
  s->kind = kind;
  s->precision = WISP_F64;
  CALL(wisp_copy_text(err, problem, &s->problem));
  return GIVE(s, out);
}

/* Numbers of cells along the edges of a box that can differ: of tets all are alike. */
static wisp_status read_box(wisp_error *err, const char *box, wisp_solver *s)
{
  static const struct grid {
    int edges, most;
    const char *must;
  } grids[] = {[3] = {2, 16384, "squares a side such as 16, or 16,32"},
               [4] = {1, 400, "cubes a side such as 8"},
               [8] = {3, 400, "hexes a side such as 8, or 8,8,16"}};
  const struct grid *grid = &grids[s->corners];
  int count = 0, end = 0, *n = s->source.box;
  bool good = true;
  for (const char *at = box; good && at; at = at[end] ? at + end + 1 : NULL, count++)
    good = count < grid->edges && *at >= '0' && *at <= '9' && sscanf(at, "%5d%n", &n[count], &end) == 1 &&
           (!at[end] || at[end] == ',');
  CALL(wisp_require(err, good && (count <= 1 || count == grid->edges), WISP_EUSAGE, "option --box is '%s', must be %s",
                    box, grid->must));
  for (int d = count ? count : 1; d < 3; d++) n[d] = n[0];
  for (int d = 0; d < 3; d++)
    CALL(wisp_require(err, n[d] >= 1 && n[d] <= grid->most, WISP_EUSAGE, "option --box is '%s', must be from 1 to %d",
                      box, grid->most));
  if (grid->edges == 2) n[2] = 0;
  return WISP_OK;
}

wisp_status wisp_solver_begin(wisp_error *err, wisp_solver *s, const char *box)
{
  const char *name = s->source.file ? s->source.file : s->own_mesh ? s->problem : "box";
  CALL(wisp_copy_text(err, name, &s->mesh_name));
  CALL(s->kind->read(err, s));
  return s->source.file || s->own_mesh ? WISP_OK : read_box(err, box, s);
}

/* ---- A solver. */

/* Adds the time since `begin` to a part's, and returns now. */
static double add_seconds(double begin, double *part)
{
  const double now = wisp_seconds();
  *part += now - begin;
  return now;
}

static wisp_status choose(wisp_error *err, wisp_solver *s, const size_t count[4])
{
  const double begin = wisp_seconds();
  const wisp_status status = s->kind->choose(err, s, count);
  add_seconds(begin, &s->seconds.choice);
  return status;
}

static wisp_status make_mesh(wisp_error *err, wisp_solver *s)
{
  const double begin = wisp_seconds();
  const wisp_status status = s->mesh ? WISP_OK : wisp_mesh_make(err, s->corners, &s->source, &s->mesh);
  add_seconds(begin, &s->seconds.mesh);
  return status;
}

/* The time of compilers is apart from the rest. */
static wisp_status build(wisp_error *err, wisp_solver *s, const wisp_watch *watch)
{
  const double begin = wisp_seconds();
  const wisp_status status = s->kind->build(err, s, watch);
  add_seconds(begin, &s->seconds.setup);
  for (int i = 0; i < WISP_SOLVER_STAGES; i++) s->seconds.compilation += s->stage[i].seconds_compiling;
  s->seconds.setup -= s->seconds.compilation;
  return status;
}

wisp_status wisp_solver_open(wisp_error *err, wisp_solver *s, const wisp_session *session, const wisp_watch *watch)
{
  size_t count[4];
  CALL(wisp_require(err, !session->ranks || s->kind->divides, WISP_EUSAGE,
                    "%s is not solved on several devices yet: name one", s->problem));
  s->session = session;
  s->exact |= session->exact_match_only;
  wisp_watch_report(watch, 0.1, "making the mesh");
  const bool known = !s->mesh && wisp_mesh_source_count(&s->source, s->corners, count); /* of a box */
  if (known) CALL(choose(err, s, count));
  CALL(make_mesh(err, s));
  if (!known) wisp_pattern_count(s->mesh, count);
  if (!known) CALL(choose(err, s, count));
  CALL(build(err, s, watch));
  return s->source.file ? wisp_mesh_note_unused(err, s->mesh_name, s->mesh) : WISP_OK;
}

wisp_status wisp_solver_start(wisp_error *err, wisp_solver *s)
{
  return s->kind->start ? s->kind->start(err, s) : WISP_OK;
}

wisp_status wisp_solver_run(wisp_error *err, wisp_solver *s, const wisp_until *until, const wisp_watch *watch)
{
  const double begin = wisp_seconds();
  s->reports = false;
  const wisp_status status = s->kind->advance(err, s, until, watch);
  add_seconds(begin, &s->seconds.solution);
  return status;
}

static wisp_status report_seconds(wisp_error *err, wisp_solver *s)
{
  const wisp_solver_seconds *t = &s->seconds;
  const wisp_report_number numbers[] = {
      {"wall_mesh", "s", t->mesh},   {"wall_choice", "s", t->choice},     {"wall_compilation", "s", t->compilation},
      {"wall_setup", "s", t->setup}, {"wall_solution", "s", t->solution}, {"wall_output", "s", t->output}};
  char output[32] = "";
  if (t->output > 0) snprintf(output, sizeof output, ", %.3g output", t->output);
  CALL(wisp_report_numbers(err, &s->report, WISP_COUNT(numbers), numbers));
  return wisp_report_line(err, &s->report, "wall time",
                          "%.3g s mesh, %.3g choice of kernels, %.3g compilation, %.3g set-up, %.3g solution%s",
                          t->mesh, t->choice, t->compilation, t->setup, t->solution, output);
}

wisp_status wisp_solver_make_report(wisp_error *err, wisp_solver *s)
{
  const wisp_limits *limits = wisp_device_limits(s->session->device);
  const char *precision = wisp_precision_name(s->precision);
  char domain[256];
  wisp_mesh_source_print(&s->source, domain);
  clear_report(&s->report);
  const wisp_report_number numbers[] = {{"elements", "", (double)s->mesh->elements}, {"order", "", s->order}};
  CALL(wisp_report_text(err, &s->report, "system", s->problem));
  CALL(wisp_report_text(err, &s->report, "precision", precision));
  CALL(wisp_report_text(err, &s->report, "device", limits->name));
  CALL(wisp_report_numbers(err, &s->report, WISP_COUNT(numbers), numbers));
  CALL(wisp_report_line(err, &s->report, "domain", "%s: %zu %s of order %d, %d nodes each, %.0f %s", domain,
                        s->mesh->elements, wisp_cells[s->corners].many, s->order, s->nodes, s->unknowns, s->unknown));
  CALL(wisp_report_line(err, &s->report, "device", "%s (%s), %s", limits->name, limits->kind, precision));
  CALL(s->kind->report(err, s, &s->report));
  return report_seconds(err, s);
}

/* The elements' groups, where the mesh knows them. */
static wisp_status add_regions(wisp_error *err, const wisp_mesh *mesh, wisp_fields *fields)
{
  if (!mesh->region || !wisp_mesh_cell(mesh)->is_connected || fields->elements != mesh->elements) return WISP_OK;
  CALL(wisp_new(err, mesh->elements, sizeof *fields->region, &fields->region));
  for (size_t e = 0; e < mesh->elements; e++) {
    const int32_t *numbers = NULL;
    if (wisp_groups_numbers(&mesh->groups, &mesh->region[e], &numbers)) fields->region[e] = *numbers;
  }
  return WISP_OK;
}

wisp_status wisp_solver_make_fields(wisp_error *err, wisp_solver *s)
{
  wisp_fields_free(&s->fields);
  CALL(wisp_require(err, s->kind->fields, WISP_EUSAGE, "%s has no fields to write: leave the output out", s->problem));
  CALL(s->kind->fields(err, s, &s->fields));
  return add_regions(err, s->mesh, &s->fields);
}

wisp_status wisp_solver_write_to(wisp_error *err, wisp_solver *s, const char *path)
{
  const double begin = wisp_seconds();
  CALL(wisp_solver_make_fields(err, s));
  if (!wisp_ranks_own(s->session->ranks)) CALL(wisp_fields_write(err, &s->fields, path));
  add_seconds(begin, &s->seconds.output);
  return WISP_OK;
}

void wisp_solver_discard(wisp_solver *s)
{
  if (!s) return;
  wisp_solver_release(s);
  free(s);
}

void wisp_solver_release(void *self)
{
  wisp_solver *s = self;
  s->kind->release(s);
  for (int i = 0; i < WISP_SOLVER_STAGES; i++) wisp_stage_free(&s->stage[i]);
  for (int i = 0; i < WISP_SOLVER_OPTIONS; i++) free(s->value[i]);
  clear_report(&s->report);
  wisp_fields_free(&s->fields);
  wisp_mesh_destroy(s->mesh);
  WISP_FREE(s->problem, s->mesh_name);
}
