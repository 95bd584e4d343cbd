#include "sources.h"
#include "initial.h"
#include "locate.h"

#include <math.h>

void wisp_sources_free(wisp_sources *sources)
{
  for (size_t i = 0; i < sources->count; i++) {
    wisp_piecewise_free(&sources->list[i].where);
    wisp_formula_parts_free(&sources->list[i].part);
  }
  free(sources->list);
  *sources = (wisp_sources){0};
}

/* ---- The list. */

/* The functions of t of a point stand alone: places are given. */
static wisp_status check_alone(wisp_error *err, const char *what, const wisp_source *source)
{
  const double middle[2][3] = {{0.1, 0.2, 0.3}, {-0.7, 0.9, 0.5}};
  for (size_t j = 0; source->point && j < source->part.count; j++) {
    double value[2];
    wisp_formula_at(source->part.space[j], 2, middle[0], 0, 0, value);
    CALL(wisp_require(err, value[0] == value[1], WISP_EUSAGE, "%s: at a point the expression is one of t alone", what));
  }
  return WISP_OK;
}

static wisp_status read_source(wisp_error *err, const char *what, const wisp_system *system, const wisp_mesh *mesh,
                               const wisp_item *item, wisp_source *out)
{
  const char *group = NULL;
  char name[96];
  CALL(wisp_require(err, item->key, WISP_EUSAGE, "%s: '%s' has no field: write FIELD=EXPRESSION", what, item->value));
  CALL(wisp_field_key(err, what, system, item->key, &group, &out->field));
  snprintf(name, sizeof name, "%s: %s", what, system->field[out->field]);
  out->point = group && *group == '(';
  if (out->point) CALL(wisp_point_read(err, name, group, out->at));
  if (!mesh) return WISP_OK;
  CALL(wisp_piecewise_add(err, name, out->point ? NULL : group, item->value, mesh, WISP_FORMULA_IN_TIME, &out->where));
  CALL(wisp_formula_split(err, out->where.piece->formula, &out->part));
  return check_alone(err, name, out);
}

wisp_status wisp_sources_read(wisp_error *err, const char *what, const wisp_system *system, const wisp_mesh *mesh,
                              const char *text, wisp_sources *out)
{
  HELD(wisp_items_free) wisp_items items = {.text = NULL};
  HELD(wisp_sources_free) wisp_sources sources = {.list = NULL};
  const wisp_status status = wisp_items_read(err, text, &items);
  if (status != WISP_OK) return wisp_context(err, status, "%s: ", what);
  for (size_t i = 0; i < items.count; i++) {
    CALL(wisp_grow(err, &sources.list, &sources.capacity, i + 1, sizeof *sources.list));
    sources.list[i] = (wisp_source){.field = 0};
    sources.count = i + 1; /* from here on it is freed with the others */
    CALL(read_source(err, what, system, mesh, &items.item[i], &sources.list[i]));
  }
  return GIVE(sources, out);
}

size_t wisp_sources_terms(const wisp_sources *sources)
{
  size_t terms = 0;
  for (size_t i = 0; i < sources->count; i++) terms += sources->list[i].part.count;
  return terms;
}

void wisp_sources_when(const wisp_sources *sources, size_t count, const double *t, double *out)
{
  for (size_t i = 0; i < sources->count; i++)
    for (size_t j = 0; j < sources->list[i].part.count; j++, out += count)
      wisp_formula_when(sources->list[i].part.time[j], count, t, out);
}

/* ---- What they are multiplied with. */

void wisp_source_rows_free(wisp_source_rows *rows)
{
  WISP_FREE(rows->address, rows->first, rows->term, rows->value);
  *rows = (wisp_source_rows){0};
}

/* The factors of all functions of t in the nodes of one element, of one field: factor[j * Np + i]. */
typedef struct factors {
  const char *what;
  const wisp_dg *dg;
  const wisp_sources *sources;
  const wisp_located *located; /* of each source that is a point */
  size_t slot;
  int field;
  double *factor, *xyz;
  bool *present; /* of each function */
} factors;

/* The delta function's projection: phi(x) over the Jacobian, as coefficients of the basis. */
static wisp_status add_point(wisp_error *err, const factors *f, const wisp_located *at, double strength, double *own)
{
  const wisp_tet *tet = f->dg->tet;
  const int Np = tet->Np;
  double row[WISP_TET_MAX_NP], mode[WISP_TET_MAX_NP];
  CALL(wisp_tet_interpolation(err, tet, 1, &at->r, &at->s, &at->t, row));
  for (int m = 0; m < Np; m++) {
    mode[m] = 0;
    for (int i = 0; i < Np; i++) mode[m] += row[i] * tet->V[i * Np + m];
  }
  for (int i = 0; i < Np; i++) {
    own[i] = 0;
    for (int m = 0; m < Np; m++) own[i] += tet->V[i * Np + m] * mode[m];
    own[i] *= strength / f->dg->jacobian[f->slot];
  }
  return WISP_OK;
}

static wisp_status add_density(wisp_error *err, const factors *f, const wisp_source *source, size_t part, double *own)
{
  const wisp_mesh *mesh = f->dg->mesh;
  const size_t Np = (size_t)f->dg->tet->Np, element = (size_t)f->dg->slot[f->slot];
  wisp_formula_at(source->part.space[part], Np, f->xyz, mesh->region[element], 0, own);
  for (size_t i = 0; i < Np; i++)
    CALL(wisp_require(err, isfinite(own[i]), WISP_EUSAGE, "%s: %s is %g at (%g, %g, %g)", f->what,
                      f->dg->system->field[f->field], own[i], f->xyz[3 * i], f->xyz[3 * i + 1], f->xyz[3 * i + 2]));
  wisp_tet_from_nodes(f->dg->tet, own);
  return WISP_OK;
}

static bool reaches(const factors *f, size_t i)
{
  const wisp_source *source = &f->sources->list[i];
  if (source->field != f->field) return false;
  if (source->point) return f->located[i].slot == f->slot;
  return wisp_piece_holds(source->where.piece, f->dg->mesh, (size_t)f->dg->slot[f->slot]);
}

static wisp_status compute_factors(wisp_error *err, const factors *f, bool *any)
{
  const size_t Np = (size_t)f->dg->tet->Np;
  const double origin[3] = {0};
  size_t term = 0;
  *any = false;
  for (size_t i = 0; i < f->sources->count; i++) {
    const wisp_source *source = &f->sources->list[i];
    const bool here = reaches(f, i);
    *any |= here;
    for (size_t j = 0; j < source->part.count; j++, term++) {
      double strength = 0, *own = f->factor + term * Np;
      f->present[term] = here;
      if (source->point) wisp_formula_at(source->part.space[j], 1, origin, 0, 0, &strength);
      if (here)
        CALL(source->point ? add_point(err, f, &f->located[i], strength, own) : add_density(err, f, source, j, own));
    }
  }
  return WISP_OK;
}

static wisp_status append_row(wisp_error *err, const factors *f, size_t terms, size_t node, wisp_source_rows *to)
{
  const size_t Np = (size_t)f->dg->tet->Np, begin = to->entries, wanted = to->entries + terms;
  CALL(wisp_grow(err, &to->term, &to->entry_capacity[0], wanted, sizeof *to->term));
  CALL(wisp_grow(err, &to->value, &to->entry_capacity[1], wanted, sizeof *to->value));
  for (size_t j = 0; j < terms; j++) {
    if (!f->present[j] || f->factor[j * Np + node] == 0) continue;
    to->term[to->entries] = (int32_t)j;
    to->value[to->entries++] = f->factor[j * Np + node];
  }
  if (to->entries == begin) return WISP_OK;
  if (to->row_capacity < to->rows + 2) {
    size_t capacity = to->row_capacity;
    CALL(wisp_grow(err, &to->address, &capacity, to->rows + 2, sizeof *to->address));
    CALL(wisp_grow(err, &to->first, &to->row_capacity, to->rows + 2, sizeof *to->first));
  }
  to->address[to->rows] = (int32_t)wisp_layout_volume(&f->dg->layout, f->dg->system->fields, f->field, f->slot, node);
  to->first[to->rows++] = (int32_t)begin;
  to->first[to->rows] = (int32_t)to->entries;
  return wisp_require(err, to->entries < INT32_MAX / 2, WISP_EUSAGE,
                      "%s: sources have more than 2^30 values: give them to smaller groups", f->what);
}

/* Finds the points' elements. */
static wisp_status locate_points(wisp_error *err, const char *what, const wisp_sources *sources, const wisp_dg *dg,
                                 wisp_located *located)
{
  for (size_t i = 0; i < sources->count; i++)
    if (sources->list[i].point) CALL(wisp_dg_locate(err, what, dg, sources->list[i].at, &located[i]));
  return WISP_OK;
}

wisp_status wisp_source_rows_make(wisp_error *err, const char *what, const wisp_sources *sources, const wisp_dg *dg,
                                  wisp_source_rows *out)
{
  HELD(wisp_source_rows_free) wisp_source_rows rows = {0};
  OWNED(free) double *factor = NULL;
  OWNED(free) bool *present = NULL;
  OWNED(free) wisp_located *located = NULL;
  const size_t Np = (size_t)dg->tet->Np, terms = wisp_sources_terms(sources);
  double xyz[3 * WISP_TET_MAX_NP];
  bool any = false;
  CALL(wisp_new(err, terms * Np + 1, sizeof *factor, &factor));
  CALL(wisp_new(err, terms + 1, sizeof *present, &present));
  CALL(wisp_new(err, sources->count + 1, sizeof *located, &located));
  CALL(locate_points(err, what, sources, dg, located));
  factors f = {what, dg, sources, located, 0, 0, factor, xyz, present};
  for (f.slot = 0; f.slot < dg->slots; f.slot++) {
    if (dg->slot[f.slot] == WISP_EMPTY) continue;
    wisp_dg_nodes(dg, f.slot, xyz);
    for (f.field = 0; f.field < dg->system->fields; f.field++) {
      CALL(compute_factors(err, &f, &any));
      for (size_t i = 0; any && i < Np; i++) CALL(append_row(err, &f, terms, i, &rows));
    }
  }
  return GIVE(rows, out);
}
