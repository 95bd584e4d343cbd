#include "media.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { X, Y, Z, REGION, PI, NAMES };
static const char *const names[NAMES] = {"x", "y", "z", "region", "pi"};

/* A wisp_slot_of. */
static int slot_of(const void *context, const char *name)
{
  (void)context;
  for (int i = 0; i < NAMES; i++)
    if (strcmp(name, names[i]) == 0) return i;
  return -1;
}

/* Where the middle of an element is, and its region. */
static void look_at(const wisp_mesh *mesh, size_t element, double at[PI])
{
  const size_t corners = (size_t)mesh->corners;
  for (size_t c = 0; c < 3; c++) {
    at[c] = 0;
    for (size_t v = 0; v < corners; v++) at[c] += mesh->xyz[3 * (size_t)mesh->cell[corners * element + v] + c];
    at[c] /= (double)corners;
  }
  at[REGION] = mesh->region[element];
}

/* A text and its expression; WISP_EUSAGE where it is none. */
static wisp_status read_text(wisp_error *err, const char *name, const char *text, wisp_expr **out)
{
  OWNED(wisp_expr_destroy) wisp_expr *expression = NULL;
  wisp_status status = wisp_expr_parse(err, text, &expression);
  if (status == WISP_OK) status = wisp_expr_bind(err, expression, slot_of, NULL);
  wisp_context(err, status, "coefficient %s: ", name);
  if (status == WISP_EINPUT) status = WISP_EUSAGE;
  if (err && status != WISP_OK) err->status = status;
  CALL(status);
  return GIVE(expression, out);
}

/* Values of one coefficient; `stride` numbers from one element's to the next's. */
static wisp_status evaluate(wisp_error *err, const wisp_mesh *mesh, const char *name, const char *text, size_t stride,
                            double *values)
{
  OWNED(wisp_expr_destroy) wisp_expr *expression = NULL;
  double table[NAMES][WISP_EXPR_MANY], at[PI], out[WISP_EXPR_MANY];
  CALL(read_text(err, name, text, &expression));
  for (int i = 0; i < WISP_EXPR_MANY; i++) table[PI][i] = acos(-1.0);
  for (size_t first = 0; first < mesh->elements; first += WISP_EXPR_MANY) {
    const size_t left = mesh->elements - first, some = left < WISP_EXPR_MANY ? left : WISP_EXPR_MANY;
    for (size_t e = 0; e < some; e++) {
      look_at(mesh, first + e, at);
      for (int c = X; c < PI; c++) table[c][e] = at[c];
    }
    wisp_expr_many(expression, table[0], (int)some, out);
    for (size_t e = 0; e < some; e++) values[(first + e) * stride] = out[e];
  }
  return WISP_OK;
}

wisp_status wisp_media_create(wisp_error *err, const wisp_system *system, const wisp_mesh *mesh,
                              const char *const *texts, double **medium)
{
  const size_t n = (size_t)system->quantities;
  OWNED(free) double *values = NULL;
  CALL(wisp_new(err, mesh->elements * n + 1, sizeof *values, &values));
  wisp_system_default_medium(system, mesh->elements, values);
  for (size_t q = 0; q < n; q++)
    if (texts[q]) CALL(evaluate(err, mesh, system->quantity[q].name, texts[q], n, values + q));
  CALL(wisp_system_complete_medium(err, system, mesh->elements, values));
  return GIVE(values, medium);
}
