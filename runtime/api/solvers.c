/* Solvers for programs: the list of their kinds, and the functions of wisp.h. */
#include "solvers.h"
#include "../assembly/heat_solver.h"
#include "../hdg/helmholtz_solver.h"
#include "../nodal/system_kind.h"
#include "../tensor/poisson_solver.h"

#include <limits.h>
#include <math.h>

static const wisp_solver_kind *const kinds[] = {&wisp_system_kind, &wisp_poisson_kind, &wisp_heat_kind,
                                                &wisp_helmholtz_kind};

const wisp_solver_kind *wisp_solver_kind_of(const char *problem)
{
  for (size_t i = 0; i < WISP_COUNT(kinds); i++)
    if (kinds[i]->problem ? strcmp(kinds[i]->problem, problem) == 0 : kinds[i]->knows(problem)) return kinds[i];
  return NULL;
}

wisp_status wisp_solver_names(wisp_error *err, wisp_text *out)
{
  CALL(wisp_named_list(err, &wisp_systems, out));
  for (size_t i = 0; i < WISP_COUNT(kinds); i++)
    if (kinds[i]->problem) CALL(wisp_text_print(err, out, ", %s", kinds[i]->problem));
  return WISP_OK;
}

/* ---- A solver of a program. */

static wisp_status find_kind(wisp_error *err, const char *problem, const wisp_solver_kind **out)
{
  HELD(wisp_text_free) wisp_text names = {0};
  *out = wisp_solver_kind_of(problem);
  if (*out) return WISP_OK;
  CALL(wisp_solver_names(err, &names));
  return wisp_fail(err, WISP_EUSAGE, "'%s' cannot be solved: there are %s", problem, names.data);
}

static wisp_status take_request(wisp_error *err, const wisp_solver_request *r, wisp_solver *s)
{
  s->order = r->order;
  s->own_mesh = r->xyz || r->vertices;
  CALL(wisp_require(err, !r->precision || r->precision == WISP_F32 || r->precision == WISP_F64, WISP_EUSAGE,
                    "solver: there is no precision %d: take WISP_F32 or WISP_F64", (int)r->precision));
  if (r->precision) s->precision = r->precision;
  const wisp_spec spec = wisp_family_spec(wisp_family_find(s->kind->family), s->order, NULL, s->precision);
  CALL(wisp_family_check(err, &spec));
  if (r->mesh) s->source = wisp_mesh_source_file(r->mesh, r->merge, r->cracks);
  CALL(wisp_require(err, !s->own_mesh + !r->mesh + !r->box >= 2, WISP_EUSAGE,
                    "solver: mesh, box and xyz exclude each other: leave all but one out"));
  for (const wisp_solver_setting *set = r->settings; set && set->name; set++)
    CALL(wisp_solver_take(err, s, set->name, set->value ? set->value : ""));
  return wisp_solver_begin(err, s, r->box);
}

wisp_status wisp_solver_make(wisp_error *err, const char *caller, const wisp_solver_request *request, wisp_solver **out)
{
  OWNED(wisp_solver_discard) wisp_solver *s = NULL;
  const wisp_solver_kind *kind = NULL;
  wisp_solver_request own;
  CALL(wisp_require(err, request, WISP_EUSAGE, "%s: request is NULL", caller));
  CALL(wisp_request_take(err, caller, request, sizeof own, &own));
  request = &own;
  CALL(wisp_require(err, request->problem, WISP_EUSAGE, "%s: request->problem is NULL", caller));
  CALL(find_kind(err, request->problem, &kind));
  CALL(wisp_solver_new(err, kind, request->problem, &s));
  CALL(take_request(err, request, s));
  if (s->own_mesh)
    CALL(wisp_api_mesh(err, s->problem, s->corners, request->vertices, request->elements, request->xyz,
                       request->corners, &s->mesh));
  return GIVE(s, out);
}

wisp_status wisp_solver_create(wisp_error *err, wisp_session *session, const wisp_solver_request *request,
                               wisp_solver **out)
{
  OWNED(wisp_solver_discard) wisp_solver *s = NULL;
  CALL(WISP_OPEN(err, "session", session));
  CALL(WISP_GIVEN(err, out));
  CALL(wisp_solver_make(err, __func__, request, &s));
  CALL(wisp_solver_open(err, s, session, NULL));
  wisp_handle_add(session, &s->handle, "solver", s, wisp_solver_release, free);
  return GIVE(s, out);
}

void wisp_solver_destroy(wisp_solver *s)
{
  wisp_handle_close("solver", s);
}

/* NaN compares as no goal, and would be taken for one that is not set. */
static wisp_status check_until(wisp_error *err, const char *caller, const wisp_until *until)
{
  const struct {
    const char *name;
    double value;
  } goals[] = {{"time", until->time}, {"dt", until->dt}, {"tolerance", until->tolerance}};
  for (size_t i = 0; i < WISP_COUNT(goals); i++)
    CALL(wisp_require(err, goals[i].value >= 0 && isfinite(goals[i].value), WISP_EUSAGE,
                      "%s: until->%s is %g: must be finite, and not negative", caller, goals[i].name, goals[i].value));
  return wisp_require(err, until->steps >= 0 && until->steps <= INT_MAX, WISP_EUSAGE,
                      "%s: until->steps is %lld: must be from 0 to %d", caller, until->steps, INT_MAX);
}

wisp_status wisp_solver_advance(wisp_error *err, wisp_solver *s, const wisp_until *until)
{
  wisp_until own;
  CALL(WISP_OPEN(err, "solver", s));
  CALL(WISP_TAKE(err, until, &own));
  CALL(check_until(err, __func__, &own));
  const bool goal = own.steps || own.time != 0 || own.dt != 0 || own.tolerance != 0;
  return wisp_solver_run(err, s, goal ? &own : NULL,
                         own.progress ? &(const wisp_watch){own.progress, own.context, NULL} : NULL);
}

/* ---- Asking. */

wisp_status wisp_solver_report_row(wisp_error *err, wisp_solver *s, size_t i, wisp_solver_row *out)
{
  CALL(WISP_OPEN(err, "solver", s));
  CALL(WISP_GIVEN(err, out));
  if (i == 0) CALL(wisp_solver_make_report(err, s));
  CALL(wisp_require(err, i < s->report.count, WISP_EMISSING, "solver: its report has no more rows"));
  *out = s->report.row[i];
  return WISP_OK;
}

wisp_status wisp_solver_number(wisp_error *err, wisp_solver *s, const char *key, double *out)
{
  CALL(WISP_OPEN(err, "solver", s));
  CALL(WISP_GIVEN(err, key));
  CALL(WISP_GIVEN(err, out));
  CALL(wisp_solver_make_report(err, s));
  for (size_t i = 0; i < s->report.count; i++) {
    const wisp_solver_row *row = &s->report.row[i];
    if (row->kind != WISP_ROW_NUMBER || strcmp(row->key, key) != 0) continue;
    *out = row->value;
    return WISP_OK;
  }
  return wisp_fail(err, WISP_EMISSING, "solver: the report of %s has no number '%s'", s->problem, key);
}

wisp_status wisp_solver_kernel(wisp_error *err, const wisp_solver *s, size_t i, wisp_kernel_info *info)
{
  CALL(WISP_OPEN(err, "solver", s));
  CALL(WISP_GIVEN(err, info));
  for (int part = 0; part < WISP_SOLVER_STAGES; part++) {
    const wisp_stage *stage = &s->stage[part];
    if (i < (size_t)stage->kernels) return *info = wisp_api_info(&stage->choice[i]), WISP_OK;
    i -= (size_t)stage->kernels;
  }
  return wisp_fail(err, WISP_EMISSING, "solver: it has no more kernels");
}

wisp_status wisp_solver_note(wisp_error *err, const wisp_solver *s, size_t i, wisp_mesh_note *note)
{
  CALL(WISP_OPEN(err, "solver", s));
  CALL(WISP_GIVEN(err, note));
  return wisp_notes_at(err, &s->mesh->notes, i, note);
}

wisp_status wisp_solver_fields(wisp_error *err, wisp_solver *s, const wisp_fields **out)
{
  CALL(WISP_OPEN(err, "solver", s));
  CALL(WISP_GIVEN(err, out));
  CALL(wisp_solver_make_fields(err, s));
  *out = &s->fields;
  return WISP_OK;
}

wisp_status wisp_solver_write(wisp_error *err, wisp_solver *s, const char *path)
{
  char endings[64];
  CALL(WISP_OPEN(err, "solver", s));
  CALL(WISP_GIVEN(err, path));
  CALL(wisp_require(err, wisp_path_ends(path, wisp_fields_endings(endings)), WISP_EUSAGE,
                    "solver: '%s' must end in %s: no other format is written", path, endings));
  return wisp_solver_write_to(err, s, path);
}

/* ---- Values. */

static wisp_status check_values(wisp_error *err, const char *caller, const wisp_solver *s, const void *memory)
{
  CALL(wisp_handle_check(err, caller, "solver", s));
  CALL(wisp_require(err, memory, WISP_EUSAGE, "%s: the array is NULL", caller));
  return wisp_require(err, s->kind->set, WISP_EUSAGE, "solver: %s exchanges no values: ask for its fields", s->problem);
}

wisp_status wisp_solver_size(wisp_error *err, const wisp_solver *s, wisp_solver_sizes *out)
{
  CALL(check_values(err, __func__, s, out));
  return s->kind->size(err, s, out);
}

wisp_status wisp_solver_nodes(wisp_error *err, const wisp_solver *s, double *xyz)
{
  CALL(check_values(err, __func__, s, xyz));
  return s->kind->nodes(err, s, xyz);
}

wisp_status wisp_solver_set(wisp_error *err, wisp_solver *s, const char *name, const double *values)
{
  CALL(check_values(err, __func__, s, values));
  return s->kind->set(err, s, name, values);
}

wisp_status wisp_solver_get(wisp_error *err, wisp_solver *s, double *u)
{
  CALL(check_values(err, __func__, s, u));
  return s->kind->get(err, s, u);
}

wisp_status wisp_solver_option_at(wisp_error *err, const char *problem, size_t i, wisp_solver_option *out)
{
  const wisp_solver_kind *kind = NULL;
  CALL(WISP_GIVEN(err, problem));
  CALL(WISP_GIVEN(err, out));
  CALL(find_kind(err, problem, &kind));
  size_t count = 0;
  while (kind->option[count].name) count++;
  CALL(wisp_require(err, i < count, WISP_EMISSING, "solver: %s has no more options", problem));
  *out = kind->option[i];
  return WISP_OK;
}
