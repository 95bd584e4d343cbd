#include "start.h"
#include "../mesh/health.h"
#include "../mesh/vtu.h"

typedef struct extent {
  double low[3], high[3], volume;
} extent;

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
  CALL(wisp_require(err, !mode || start->state->modal, WISP_EUSAGE, "%s has no modes: leave --mode out",
                    start->state->name));
  CALL(wisp_require(err, !mode || (mode[0] >= 0 && mode[1] >= 0 && mode[2] >= 0), WISP_EUSAGE,
                    "mode %d,%d,%d: none may be negative", mode ? mode[0] : 0, mode ? mode[1] : 0, mode ? mode[2] : 0));
  CALL(wisp_require(
      err, !mode || is_unit(box), WISP_EUSAGE,
      "%s modes are those of the unit box, this mesh spans %g..%g, %g..%g, %g..%g with volume %g: leave --mode out",
      start->state->name, box->low[0], box->high[0], box->low[1], box->high[1], box->low[2], box->high[2],
      box->volume));
  for (int c = 0; c < 3; c++) start->surroundings.mode[c] = mode ? mode[c] : start->state->mode[c];
  const int *used = start->surroundings.mode;
  snprintf(start->text, sizeof start->text, "%s", start->state->name);
  if (start->state->modal)
    snprintf(start->text, sizeof start->text, "%s mode %d,%d,%d", start->state->name, used[0], used[1], used[2]);
  return WISP_OK;
}

/* --- the domain, as starts see it --- */

/* Six times the signed volume of four points. */
static double six_volumes(const double *const v[4])
{
  double d[3][3];
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 3; c++) d[i][c] = v[i + 1][c] - v[0][c];
  return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
         d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

/* Whether a tet holds a point, on its faces too: with the point in place of any corner its volume keeps its sign. */
static bool holds(const wisp_mesh *mesh, size_t e, const double point[3])
{
  const double *v[4];
  for (int c = 0; c < 4; c++) v[c] = mesh->xyz + 3 * (size_t)mesh->tet[4 * e + (size_t)c];
  for (int c = 0; c < 3; c++) {
    const double low = fmin(fmin(v[0][c], v[1][c]), fmin(v[2][c], v[3][c]));
    const double high = fmax(fmax(v[0][c], v[1][c]), fmax(v[2][c], v[3][c]));
    if (point[c] < low || point[c] > high) return false;
  }
  const double least = -1e-9 * six_volumes(v);
  bool inside = true;
  for (int c = 0; c < 4; c++) {
    const double *const corner = v[c];
    v[c] = point;
    inside &= six_volumes(v) >= least;
    v[c] = corner;
  }
  return inside;
}

static double square_between(const double *a, const double *b)
{
  double sum = 0;
  for (int c = 0; c < 3; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

static double longest_edge(const wisp_mesh *mesh, size_t e)
{
  double longest = 0;
  for (size_t i = 0; i < 4; i++)
    for (size_t k = 0; k < i; k++)
      longest = fmax(longest, square_between(mesh->xyz + 3 * (size_t)mesh->tet[4 * e + i],
                                             mesh->xyz + 3 * (size_t)mesh->tet[4 * e + k]));
  return sqrt(longest);
}

static void find_barycentre(const wisp_mesh *mesh, size_t e, double point[3])
{
  for (int c = 0; c < 3; c++) {
    point[c] = 0;
    for (size_t i = 0; i < 4; i++) point[c] += mesh->xyz[3 * (size_t)mesh->tet[4 * e + i] + (size_t)c] / 4;
  }
}

/* The middle and the size of the largest element there. A middle in a hole of the domain, or beside it, moves to the
 * nearest barycentre of an element. */
static void find_middle(const wisp_mesh *mesh, wisp_surroundings *s)
{
  size_t nearest = 0;
  double least = INFINITY, barycentre[3];
  s->spacing = 0;
  for (size_t e = 0; e < mesh->elements; e++) {
    if (holds(mesh, e, s->middle)) s->spacing = fmax(s->spacing, longest_edge(mesh, e));
    find_barycentre(mesh, e, barycentre);
    const double distance = square_between(barycentre, s->middle);
    if (distance < least) nearest = e, least = distance;
  }
  if (s->spacing > 0) return;
  s->spacing = longest_edge(mesh, nearest);
  find_barycentre(mesh, nearest, s->middle);
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
  extent box = {.volume = 0};
  int shortest = 2;
  wisp_start start = {.system = system};
  wisp_mesh_extent(mesh, box.low, box.high);
  for (size_t k = 0; k < mesh->elements; k++) box.volume += wisp_mesh_measure(mesh, k);
  CALL(find_state(err, system, name, mode || is_unit(&box), &start.state));
  wisp_surroundings *s = &start.surroundings;
  for (int c = 0; c < 3; c++) {
    s->middle[c] = (box.low[c] + box.high[c]) / 2;
    if (box.high[c] - box.low[c] < (1 - 1e-9) * (box.high[shortest] - box.low[shortest])) shortest = c;
  }
  s->edge = box.high[shortest] - box.low[shortest];
  s->axis[shortest] = 1;
  find_middle(mesh, s);
  wisp_system_default_medium(system, 1, start.surroundings.medium);
  CALL(set_mode(err, &box, mode, &start));
  CALL(check_finite(err, &start));
  start.exact = start.state->walls >= 0 && is_unit(&box);
  *out = start;
  return WISP_OK;
}

void wisp_start_order(wisp_start *start, int order)
{
  start->surroundings.spacing /= order;
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
  if (!n) return WISP_OK;
  CALL(wisp_system_complete_medium(err, start->system, 1, mean));
  return check_finite(err, start);
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

wisp_status wisp_solution_fields(wisp_error *err, const wisp_dg *dg, const double *u, wisp_fields *out)
{
  HELD(wisp_fields_free) wisp_fields fields = {.count = 0};
  const wisp_layout *l = &dg->layout;
  const size_t Np = (size_t)l->Np;
  const int n = dg->system->fields;
  OWNED(free) double *rst = NULL, *I = NULL, *own = NULL;
  const char *name[WISP_MAX_FIELDS];
  for (int f = 0; f < n; f++) name[f] = dg->system->field[f];
  CALL(wisp_new(err, 3 * Np, sizeof *rst, &rst));
  CALL(wisp_new(err, Np * Np, sizeof *I, &I));
  CALL(wisp_new(err, Np, sizeof *own, &own));
  CALL(wisp_vtu_lattice(err, dg->tet->N, rst, rst + Np, rst + 2 * Np)); /* the file's, r then s then t */
  CALL(wisp_tet_interpolation(err, dg->tet, Np, rst, rst + Np, rst + 2 * Np, I));
  CALL(wisp_fields_create(err, 4, dg->tet->N, dg->mesh->elements, Np, (size_t)n, name, &fields));
  for (size_t k = 0; k < dg->slots; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    const size_t element = (size_t)dg->slot[k] * Np;
    wisp_dg_coordinates(dg, k, Np, rst, rst + Np, rst + 2 * Np, fields.xyz + 3 * element);
    for (int f = 0; f < n; f++) {
      for (size_t i = 0; i < Np; i++) own[i] = u[wisp_layout_volume(l, n, f, k, i)];
      for (size_t i = 0; i < Np * Np; i++) fields.value[f][element + i / Np] += I[i] * own[i % Np];
    }
  }
  return GIVE(fields, out);
}
