#include "system.h"
#include "system_internal.h"

#include <math.h>

static void free_statements(wisp_statements *statements)
{
  for (size_t i = 0; i < statements->count; i++) wisp_expr_destroy(statements->expressions[i]);
  free(statements->names);
  free(statements->expressions);
}

void wisp_system_destroy(wisp_system *system)
{
  if (!system) return;
  free_statements(&system->flux);
  for (int b = 0; b < system->boundaries; b++) free_statements(&system->boundary[b].ghost);
  for (int i = 0; i < system->states; i++) {
    free_statements(&system->state[i].values);
    wisp_env_destroy(system->state[i].symbols);
  }
  for (int q = 0; q < system->quantities; q++) wisp_expr_destroy(system->quantity[q].expression);
  wisp_env_destroy(system->symbols);
  free(system);
}

int wisp_system_field(const wisp_system *system, const char *name)
{
  for (int f = 0; f < system->fields; f++)
    if (strcmp(system->field[f], name) == 0) return f;
  return -1;
}

int wisp_system_boundary(const wisp_system *system, const char *name)
{
  for (int b = 0; b < system->boundaries; b++)
    if (strcmp(system->boundary[b].name, name) == 0) return b;
  return -1;
}

/* The slots of a flux's names: values, and the magnitudes that they are added up from. */
typedef struct slots {
  double value[WISP_MAX_SLOTS], size[WISP_MAX_SLOTS];
} slots;

static void evaluate(const wisp_expr *expression, slots *all, int slot)
{
  wisp_expr_real(expression, all->value, all->size, &all->value[slot], &all->size[slot]);
}

static void set(slots *all, int at, int count, const double *values)
{
  for (int i = 0; i < count; i++) all->value[at + i] = values[i], all->size[at + i] = fabs(values[i]);
}

/* The quantities of a side. */
static void set_medium(slots *all, const wisp_system *system, int at, const double *medium)
{
  for (int q = 0; q < system->quantities; q++)
    set(all, at + q, 1, medium ? &medium[q] : &system->quantity[q].otherwise);
}

void wisp_system_flux(const wisp_system *system, int boundary, const double normal[3], double alpha, const double *u_m,
                      const double *u_p, double *flux, double *sizes)
{
  wisp_system_flux_between(system, boundary, normal, alpha, (wisp_side){u_m, NULL}, (wisp_side){u_p, NULL}, flux,
                           sizes);
}

/* Fills the slots that a face's texts read. At a wall the state outside follows from the one inside. */
static void fill_slots(const wisp_system *system, int boundary, const double normal[3], double alpha, wisp_side m,
                       wisp_side p, slots *all)
{
  const wisp_statements *ghost = boundary < 0 ? NULL : &system->boundary[boundary].ghost;
  set(all, 0, system->fields, m.u);
  set_medium(all, system, wisp_slot_medium(system), m.medium);
  set(all, wisp_slot_normal(system), 3, normal);
  set(all, wisp_slot_normal(system) + 3, 1, &alpha);
  set_medium(all, system, wisp_slot_beyond(system), ghost ? m.medium : p.medium);
  if (!ghost) set(all, wisp_slot_outside(system), system->fields, p.u);
  for (size_t i = 0; ghost && i < ghost->count; i++) /* every FIELD_p from FIELD_m and the normal */
    evaluate(ghost->expressions[i], all, wisp_slot_find(system->symbols, ghost->names[i]));
}

void wisp_system_ghost(const wisp_system *system, int boundary, const double normal[3], wisp_side m, double *outside)
{
  slots all;
  fill_slots(system, boundary, normal, 0, m, m, &all);
  memcpy(outside, all.value + wisp_slot_outside(system), (size_t)system->fields * sizeof *outside);
}

void wisp_system_flux_between(const wisp_system *system, int boundary, const double normal[3], double alpha,
                              wisp_side m, wisp_side p, double *flux, double *sizes)
{
  slots all;
  const int first = wisp_slot_statement(system);
  fill_slots(system, boundary, normal, alpha, m, p, &all);
  for (int i = 0; i < (int)system->flux.count; i++) {
    evaluate(system->flux.expressions[i], &all, first + i);
    const char *name = system->flux.names[i];
    if (strncmp(name, "flux_", 5) != 0) continue;
    const int field = wisp_system_field(system, name + 5);
    flux[field] = all.value[first + i];
    if (sizes) sizes[field] = all.size[first + i];
  }
}

/* ---- Parts of a system: Maxwell's E is driven by H alone and H by E alone, so half of the fields can be worked on at
 * a time. */

/* The p-th range of m fields is driven by one range of m fields; gives its first field, or -1. */
static int driving_range(const wisp_system *system, int p, int m)
{
  int first = -1;
  for (size_t i = 0; i < system->terms; i++) {
    const wisp_term *term = &system->term[i];
    if (term->out / m != p) continue;
    if (first >= 0 && term->in / m * m != first) return -1;
    first = term->in / m * m;
  }
  return first;
}

const wisp_term *wisp_system_nth_term(const wisp_system *system, int out, int k)
{
  for (size_t i = 0; i < system->terms; i++)
    if (system->term[i].out == out && k-- == 0) return &system->term[i];
  return NULL;
}

/* Part p's fields have the terms of part 0's, field for field, but for coefficients and where the ranges begin. */
static bool same_pattern(const wisp_system *system, int p, int m, const int *in0)
{
  for (int f = 0; f < m; f++)
    for (int k = 0;; k++) {
      const wisp_term *a = wisp_system_nth_term(system, f, k), *b = wisp_system_nth_term(system, p * m + f, k);
      if (!a && !b) break;
      if (!a || !b || a->axis != b->axis || a->in - in0[0] != b->in - in0[p]) return false;
    }
  return true;
}

int wisp_system_parts(const wisp_system *system, int in0[WISP_MAX_FIELDS])
{
  for (int parts = system->fields; parts > 1; parts--) {
    int m = system->fields / parts;
    bool fits = system->fields % parts == 0;
    for (int p = 0; fits && p < parts; p++) {
      in0[p] = driving_range(system, p, m);
      fits = in0[p] >= 0 && same_pattern(system, p, m, in0);
    }
    if (fits) return parts;
  }
  in0[0] = 0;
  return 1;
}
