/* Fields by place and time, from the texts of a system. */
#include "system_internal.h"

const char *const wisp_state_names[WISP_STATE_MEDIUM] = {"x",        "y",        "z",      "t",       "middle_x",
                                                         "middle_y", "middle_z", "edge",   "spacing", "axis_x",
                                                         "axis_y",   "axis_z",   "mode_x", "mode_y",  "mode_z"};

const wisp_state *wisp_system_state(const wisp_system *system, const char *name)
{
  for (int i = 0; i < system->states; i++)
    if (strcmp(system->state[i].name, name) == 0) return &system->state[i];
  return NULL;
}

void wisp_state_look(wisp_state *state)
{
  const size_t last = state->values.count - 1;
  const char *name = NULL;
  for (size_t i = 0; (name = wisp_expr_name(state->values.expressions[last], i)); i++) {
    const int slot = wisp_slot_find(state->symbols, name);
    state->varies[last] |=
        slot < WISP_STATE_TIME || (slot >= WISP_STATE_SLOTS && state->varies[slot - WISP_STATE_SLOTS]);
  }
}

/* The names' values at some points, by slot. */
typedef struct table {
  double value[WISP_STATE_SLOTS + WISP_MAX_STATEMENTS][WISP_EXPR_MANY];
} table;

static void set_all(double column_of[WISP_EXPR_MANY], double value)
{
  for (int p = 0; p < WISP_EXPR_MANY; p++) column_of[p] = value;
}

/* The values that are the same at all points. */
static void set_up(table *all, const wisp_state *state, const wisp_surroundings *given, double t)
{
  set_all(all->value[WISP_STATE_TIME], t);
  set_all(all->value[WISP_STATE_EDGE], given->edge);
  set_all(all->value[WISP_STATE_SPACING], given->spacing);
  for (int c = 0; c < 3; c++) {
    set_all(all->value[WISP_STATE_DOMAIN + c], given->middle[c]);
    set_all(all->value[WISP_STATE_AXIS + c], given->axis[c]);
    set_all(all->value[WISP_STATE_MODE + c], given->mode[c]);
  }
  for (int q = 0; q < WISP_MAX_QUANTITIES; q++) set_all(all->value[WISP_STATE_MEDIUM + q], given->medium[q]);
  for (size_t i = 0; i < state->values.count; i++) {
    double *value = all->value[WISP_STATE_SLOTS + i];
    if (state->varies[i]) continue;
    wisp_expr_many(state->values.expressions[i], all->value[0], 1, value);
    set_all(value, value[0]);
  }
}

void wisp_state_fields(const wisp_system *system, const wisp_state *state, const wisp_surroundings *given, size_t count,
                       const double *xyz, double t, double *u)
{
  const int n = system->fields;
  table all;
  set_up(&all, state, given, t);
  for (size_t from = 0; from < count; from += WISP_EXPR_MANY, xyz += 3 * WISP_EXPR_MANY, u += n * WISP_EXPR_MANY) {
    const int points = count - from < WISP_EXPR_MANY ? (int)(count - from) : WISP_EXPR_MANY;
    for (int p = 0; p < points; p++)
      for (int c = 0; c < WISP_STATE_TIME; c++) all.value[c][p] = xyz[3 * p + c];
    for (size_t i = 0; i < state->values.count; i++)
      if (state->varies[i])
        wisp_expr_many(state->values.expressions[i], all.value[0], points, all.value[WISP_STATE_SLOTS + i]);
    for (int f = 0; f < n; f++) {
      const double *field = all.value[wisp_slot_find(state->symbols, system->field[f])];
      for (int p = 0; p < points; p++) u[p * n + f] = field[p];
    }
  }
}
