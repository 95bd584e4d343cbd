#include "formula.h"
#include "../../gen/language/expr.h"

#include <math.h>
#include <stdio.h>

enum { X, Y, Z, REGION, TAG, NAMES };
static const char *const names[NAMES] = {"x", "y", "z", "region", "tag"};

struct wisp_formula {
  wisp_expr *expression;
  char what[64];
};

/* A wisp_slot_of. */
static int slot_of(const void *context, const char *name)
{
  (void)context;
  for (int i = 0; i < NAMES; i++)
    if (strcmp(name, names[i]) == 0) return i;
  return -1;
}

/* What is wrong with an expression is wrong with the request. */
static wisp_status blame(wisp_error *err, wisp_status status, const char *what)
{
  wisp_context(err, status, "%s: ", what);
  if (status == WISP_EINPUT) status = WISP_EUSAGE;
  if (err && status != WISP_OK) err->status = status;
  return status;
}

static wisp_status bind(wisp_error *err, wisp_expr *expression, const wisp_mesh *mesh)
{
  wisp_expr_put(expression, "pi", acos(-1.0));
  for (size_t i = 0; i < mesh->names; i++)
    if (slot_of(NULL, mesh->name[i].text) < 0) wisp_expr_put(expression, mesh->name[i].text, mesh->name[i].tag);
  return wisp_expr_bind(err, expression, slot_of, NULL);
}

wisp_status wisp_formula_create(wisp_error *err, const char *what, const char *text, const wisp_mesh *mesh,
                                wisp_formula **out)
{
  OWNED(wisp_formula_destroy) wisp_formula *formula = NULL;
  CALL(wisp_new(err, 1, sizeof *formula, &formula));
  snprintf(formula->what, sizeof formula->what, "%s", what);
  CALL(blame(err, wisp_expr_parse(err, text, &formula->expression), what));
  CALL(blame(err, bind(err, formula->expression, mesh), what));
  return GIVE(formula, out);
}

void wisp_formula_destroy(wisp_formula *formula)
{
  if (!formula) return;
  wisp_expr_destroy(formula->expression);
  free(formula);
}

wisp_status wisp_formula_slope(wisp_error *err, const wisp_formula *formula, int along, wisp_formula **out)
{
  OWNED(wisp_formula_destroy) wisp_formula *made = NULL;
  CALL(wisp_new(err, 1, sizeof *made, &made));
  memcpy(made->what, formula->what, sizeof made->what);
  CALL(blame(err, wisp_expr_slope(err, formula->expression, names[along], &made->expression), made->what));
  return GIVE(made, out);
}

void wisp_formula_at(const wisp_formula *formula, size_t count, const double *xyz, int32_t region, int32_t tag,
                     double *out)
{
  double table[NAMES][WISP_EXPR_MANY];
  for (size_t first = 0; first < count; first += WISP_EXPR_MANY) {
    const size_t some = count - first < WISP_EXPR_MANY ? count - first : WISP_EXPR_MANY;
    for (size_t i = 0; i < some; i++) {
      for (size_t c = X; c <= Z; c++) table[c][i] = xyz[3 * (first + i) + c];
      table[REGION][i] = region, table[TAG][i] = tag;
    }
    wisp_expr_many(formula->expression, table[0], (int)some, out + first);
  }
}

void wisp_formula_middles(const wisp_formula *formula, const wisp_mesh *mesh, size_t stride, double *out)
{
  const size_t corners = (size_t)mesh->corners;
  for (size_t e = 0; e < mesh->elements; e++) {
    double at[3] = {0};
    for (size_t i = 0; i < 3 * corners; i++)
      at[i % 3] += mesh->xyz[3 * (size_t)mesh->cell[corners * e + i / 3] + i % 3];
    for (int c = 0; c < 3; c++) at[c] /= (double)corners;
    wisp_formula_at(formula, 1, at, mesh->region[e], 0, out + e * stride);
  }
}
