#include "formula_parts.h"

#include <ctype.h>

enum {
  X = WISP_FORMULA_X,
  Z = WISP_FORMULA_Z,
  REGION = WISP_FORMULA_REGION,
  TAG = WISP_FORMULA_TAG,
  NAMES = WISP_FORMULA_NAMES
};

struct wisp_formula {
  wisp_expr *expression;
  char what[64];
  bool moved; /* points are those of this plane, x, y and z the file's */
  wisp_plane plane;
};

/* A wisp_slot_of. */
static int slot_of(const void *context, const char *name)
{
  (void)context;
  return wisp_formula_slot(name);
}

/* Can a name of a group stand in an expression without quotes? */
static bool is_plain(const char *name)
{
  bool plain = isalpha((unsigned char)*name) || *name == '_';
  for (; *name; name++) plain &= (isalnum((unsigned char)*name) || *name == '_') && *name > 0;
  return plain;
}

/* Says of a name that stands in the text without the quotes that it needs. */
static void hint(wisp_error *err, const char *text, const wisp_mesh *mesh)
{
  for (size_t i = 0; err && i < mesh->groups.count; i++) {
    const char *name = mesh->groups.list[i].name, *at = name ? strstr(text, name) : NULL;
    const size_t length = strlen(err->text);
    if (!at || is_plain(name) || (at > text && (at[-1] == '"' || at[-1] == '\''))) continue;
    snprintf(err->text + length, sizeof err->text - length, ": write \"%.60s\" in quotes", name);
    return;
  }
}

/* A fault of the expression is one of the request. */
static wisp_status blame(wisp_error *err, wisp_status status, const char *what)
{
  wisp_context(err, status, "%s: ", what);
  if (status == WISP_EINPUT) status = WISP_EUSAGE;
  if (err && status != WISP_OK) err->status = status;
  return status;
}

static wisp_status read_text(wisp_error *err, const char *text, const wisp_mesh *mesh, bool on_faces, wisp_expr **out)
{
  OWNED(wisp_expr_destroy) wisp_expr *expression = NULL;
  CALL(wisp_expr_parse(err, text, &expression));
  CALL(wisp_formula_put_groups(err, expression, mesh, on_faces));
  wisp_expr_put(expression, "pi", acos(-1.0));
  CALL(wisp_expr_bind(err, expression, slot_of, NULL));
  return GIVE(expression, out);
}

wisp_status wisp_formula_create(wisp_error *err, const char *what, const char *text, const wisp_mesh *mesh,
                                bool on_faces, wisp_formula **out)
{
  OWNED(wisp_formula_destroy) wisp_formula *formula = NULL;
  CALL(wisp_new(err, 1, sizeof *formula, &formula));
  snprintf(formula->what, sizeof formula->what, "%s", what);
  const wisp_status status = read_text(err, text, mesh, on_faces, &formula->expression);
  if (status != WISP_OK) hint(err, text, mesh);
  CALL(blame(err, status, what));
  formula->moved = mesh->plane;
  if (mesh->plane) formula->plane = *mesh->plane;
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
  const double *axis = formula->plane.axis[along];
  wisp_expr_along by[4] = {{wisp_formula_names[along], 1}, {NULL, 0}};
  for (int c = 0; c < 3 && formula->moved; c++) by[c] = (wisp_expr_along){wisp_formula_names[c], axis[c]};
  memcpy(made->what, formula->what, sizeof made->what);
  made->moved = formula->moved, made->plane = formula->plane;
  CALL(blame(err, wisp_expr_slope_along(err, formula->expression, by, &made->expression), made->what));
  return GIVE(made, out);
}

void wisp_formula_at(const wisp_formula *formula, size_t count, const double *xyz, int32_t region, int32_t tag,
                     double *out)
{
  double table[NAMES][WISP_EXPR_MANY];
  for (size_t first = 0; first < count; first += WISP_EXPR_MANY) {
    const size_t some = count - first < WISP_EXPR_MANY ? count - first : WISP_EXPR_MANY;
    for (size_t i = 0; i < some; i++) {
      double at[3] = {xyz[3 * (first + i)], xyz[3 * (first + i) + 1], xyz[3 * (first + i) + 2]};
      if (formula->moved) wisp_plane_place(&formula->plane, 1, at);
      for (size_t c = X; c <= Z; c++) table[c][i] = at[c];
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
