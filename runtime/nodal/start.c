#include "start.h"
#include "../mesh/vtu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct extent {
  double low[3], high[3], volume;
} extent;

static extent measure(const wisp_mesh *mesh)
{
  extent box = {.volume = 0};
  wisp_mesh_extent(mesh, box.low, box.high);
  for (size_t k = 0; k < mesh->elements; k++) box.volume += wisp_mesh_corner(mesh, k, wisp_tet_frames[0], NULL) / 6;
  return box;
}

/* Files carry coordinates with few digits: seven are enough to know the unit box. */
static bool is_unit(const extent *box)
{
  const double near = 1e-7;
  bool unit = fabs(box->volume - 1) < near;
  for (int c = 0; c < 3; c++) unit &= fabs(box->low[c]) < near && fabs(box->high[c] - 1) < near;
  return unit;
}

/* The state of that name; or the first that solves the equations, or the first that does not. */
static wisp_status find_state(wisp_error *err, const wisp_system *system, const char *name, bool solution,
                              const wisp_state **out)
{
  char list[WISP_MAX_STATES * (sizeof system->state->name + 2)] = "";
  const wisp_state *found = name ? wisp_system_state(system, name) : NULL;
  for (int i = 0, at = 0; i < system->states; i++) {
    const wisp_state *state = &system->state[i];
    if (!name && !found && (state->walls >= 0) == solution) found = state;
    at += snprintf(list + at, sizeof list - (size_t)at, "%s%s", at ? ", " : "", state->name);
  }
  CALL(wisp_require(err, found || !name, WISP_EUSAGE, "system %s has no start or solution '%s'; there are: %s",
                    system->name, name, *list ? list : "none"));
  CALL(wisp_require(err, found, WISP_EUSAGE,
                    "system %s states no %s: add one to its file, or name one that there is by --start: %s",
                    system->name, solution ? "solution of the unit box" : "start", *list ? list : "none"));
  *out = found;
  return WISP_OK;
}

static wisp_status set_mode(wisp_error *err, const extent *box, const int *mode, wisp_start *start)
{
  CALL(wisp_require(err, !mode || start->state->modal, WISP_EUSAGE, "%s has no modes", start->state->name));
  CALL(wisp_require(err, !mode || (mode[0] >= 0 && mode[1] >= 0 && mode[2] >= 0), WISP_EUSAGE,
                    "mode %d,%d,%d: none may be negative", mode ? mode[0] : 0, mode ? mode[1] : 0, mode ? mode[2] : 0));
  CALL(wisp_require(err, !mode || is_unit(box), WISP_EUSAGE,
                    "%s modes are those of the unit box, this mesh spans %g..%g, %g..%g, %g..%g with volume %g",
                    start->state->name, box->low[0], box->high[0], box->low[1], box->high[1], box->low[2], box->high[2],
                    box->volume));
  for (int c = 0; c < 3; c++) start->surroundings.mode[c] = mode ? mode[c] : start->state->mode[c];
  const int *used = start->surroundings.mode;
  snprintf(start->text, sizeof start->text, "%s", start->state->name);
  if (start->state->modal)
    snprintf(start->text, sizeof start->text, "%s mode %d,%d,%d", start->state->name, used[0], used[1], used[2]);
  return WISP_OK;
}

/* Not in the middle, where symmetric fields vanish. */
static wisp_status check_finite(wisp_error *err, const wisp_start *start)
{
  const wisp_surroundings *s = &start->surroundings;
  double at[3], u[WISP_MAX_FIELDS];
  bool finite = true;
  for (int c = 0; c < 3; c++) at[c] = s->middle[c] + (c + 1) / 16.0 * s->edge;
  wisp_start_field(start, 1, at, 0, u);
  for (int f = 0; f < start->system->fields; f++) finite &= isfinite(u[f]);
  return wisp_require(err, finite, WISP_EUSAGE, "%s gives fields that are not finite: take another", start->text);
}

wisp_status wisp_start_choose(wisp_error *err, const wisp_mesh *mesh, const wisp_system *system, const char *name,
                              const int *mode, wisp_start *out)
{
  const extent box = measure(mesh);
  wisp_start start = {.system = system, .surroundings.edge = INFINITY};
  CALL(find_state(err, system, name, mode || is_unit(&box), &start.state));
  for (int c = 0; c < 3; c++) {
    start.surroundings.middle[c] = (box.low[c] + box.high[c]) / 2;
    start.surroundings.edge = fmin(start.surroundings.edge, box.high[c] - box.low[c]);
  }
  wisp_system_default_medium(system, 1, start.surroundings.medium);
  CALL(set_mode(err, &box, mode, &start));
  CALL(check_finite(err, &start));
  start.exact = start.state->walls >= 0 && is_unit(&box);
  *out = start;
  return WISP_OK;
}

wisp_status wisp_start_medium(wisp_error *err, size_t elements, const double *medium, wisp_start *start)
{
  const size_t n = (size_t)start->system->quantities;
  double *mean = start->surroundings.medium;
  for (size_t q = 0; q < n; q++) {
    double sum = 0;
    bool alike = true;
    for (size_t e = 0; e < elements; e++) {
      alike &= medium[e * n + q] == medium[q];
      sum += medium[e * n + q];
    }
    mean[q] = alike ? medium[q] : sum / (double)elements;
    start->exact &= alike;
  }
  return n ? wisp_system_complete_medium(err, start->system, 1, mean) : WISP_OK;
}

void wisp_start_field(const void *context, size_t count, const double *xyz, double t, double *u)
{
  const wisp_start *start = context;
  wisp_state_fields(start->system, start->state, &start->surroundings, count, xyz, t, u);
}

/* ---- Solutions, moved between device and host. */

wisp_status wisp_solution_put(wisp_error *err, wisp_problem *problem, const double *u)
{
  const wisp_status status = wisp_arrays_upload(err, problem->arrays, "u", u);
  return status == WISP_OK ? wisp_arrays_fill(err, problem->arrays, "res", 0) : status;
}

wisp_status wisp_solution_energy(wisp_error *err, wisp_problem *problem, double *out)
{
  OWNED(free) double *u = NULL;
  CALL(wisp_new(err, wisp_arrays_size(problem->arrays, "u"), sizeof *u, &u));
  CALL(wisp_arrays_download(err, problem->arrays, "u", u));
  return wisp_dg_energy(err, wisp_problem_dg(problem), u, out);
}

/* The file's lattice, r then s then t, and evaluation there, Np x Np. */
static wisp_status make_lattice(wisp_error *err, const wisp_tet *tet, double *rst, double *I)
{
  const size_t Np = (size_t)tet->Np;
  CALL(wisp_vtu_lattice(err, tet->N, rst, rst + Np, rst + 2 * Np));
  return wisp_tet_interpolation(err, tet, Np, rst, rst + Np, rst + 2 * Np, I);
}

/* to = I from */
static void apply(const double *I, size_t Np, const double *from, double *to)
{
  for (size_t i = 0; i < Np; i++) {
    double sum = 0;
    for (size_t j = 0; j < Np; j++) sum += I[i * Np + j] * from[j];
    to[i] = sum;
  }
}

/* Fills the file's arrays: coordinates, then the values of field f at values + f * elements * Np. own: Np numbers. */
static void sample(const wisp_dg *dg, const double *rst, const double *I, const double *u, double *own, double *xyz,
                   double *values)
{
  const wisp_layout *l = &dg->layout;
  size_t Np = (size_t)l->Np, field = dg->mesh->elements * Np;
  for (size_t k = 0; k < dg->slots; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    size_t element = (size_t)dg->slot[k] * Np;
    wisp_dg_places(dg, k, Np, rst, rst + Np, rst + 2 * Np, xyz + 3 * element);
    for (int f = 0; f < dg->system->fields; f++) {
      for (size_t i = 0; i < Np; i++) own[i] = u[wisp_layout_volume(l, dg->system->fields, f, k, i)];
      apply(I, Np, own, values + (size_t)f * field + element);
    }
  }
}

wisp_status wisp_solution_write_vtu(wisp_error *err, const wisp_dg *dg, const double *u, const char *path)
{
  size_t Np = (size_t)dg->layout.Np, elements = dg->mesh->elements, fields = (size_t)dg->system->fields;
  OWNED(free) double *rst = NULL, *I = NULL, *own = NULL, *xyz = NULL, *values = NULL;
  const char *name[WISP_MAX_FIELDS];
  const double *value[WISP_MAX_FIELDS];
  CALL(wisp_new(err, 3 * Np, sizeof *rst, &rst));
  CALL(wisp_new(err, Np * Np, sizeof *I, &I));
  CALL(wisp_new(err, Np, sizeof *own, &own));
  CALL(make_lattice(err, dg->tet, rst, I));
  CALL(wisp_new(err, 3 * Np * elements, sizeof *xyz, &xyz));
  CALL(wisp_new(err, fields * Np * elements, sizeof *values, &values));
  sample(dg, rst, I, u, own, xyz, values);
  for (size_t f = 0; f < fields; f++) {
    name[f] = dg->system->field[f];
    value[f] = values + f * Np * elements;
  }
  return wisp_vtu_write(err, path, 3, dg->tet->N, elements, xyz, fields, name, value);
}
