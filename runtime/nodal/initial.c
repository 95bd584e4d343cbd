#include "initial.h"

void wisp_initial_free(wisp_initial *initial)
{
  for (int f = 0; f < WISP_MAX_FIELDS; f++) wisp_piecewise_free(&initial->field[f]);
}

wisp_status wisp_field_key(wisp_error *err, const char *what, const wisp_system *system, char *key, const char **group,
                           int *field)
{
  char list[WISP_MAX_FIELDS * (sizeof *system->field + 2)] = "";
  char *at = strchr(key, '@');
  *group = at ? at + 1 : NULL;
  while (at > key && (at[-1] == ' ' || at[-1] == '\t')) at--;
  if (at) *at = '\0';
  *field = wisp_system_field(system, key);
  for (int f = 0, end = 0; f < system->fields; f++)
    end += snprintf(list + end, sizeof list - (size_t)end, "%s%s", f ? ", " : "", system->field[f]);
  return wisp_require(err, *field >= 0, WISP_EUSAGE, "%s: '%s' is no field of %s: there are %s", what, key,
                      system->name, list);
}

wisp_status wisp_initial_read(wisp_error *err, const char *what, const wisp_system *system, const wisp_mesh *mesh,
                              const char *text, wisp_initial *out)
{
  HELD(wisp_items_free) wisp_items items = {.text = NULL};
  HELD(wisp_initial_free) wisp_initial initial = {.field = {{.piece = NULL}}};
  const wisp_status status = wisp_items_read(err, text, &items);
  if (status != WISP_OK) return wisp_context(err, status, "%s: ", what);
  for (size_t i = 0; i < items.count; i++) {
    const wisp_item *item = &items.item[i];
    const char *group = NULL;
    char name[96];
    int field = 0;
    CALL(wisp_require(err, item->key, WISP_EUSAGE, "%s: '%s' has no field: write FIELD=EXPRESSION", what, item->value));
    CALL(wisp_field_key(err, what, system, item->key, &group, &field));
    snprintf(name, sizeof name, "%s: %s", what, system->field[field]);
    if (mesh) CALL(wisp_piecewise_add(err, name, group, item->value, mesh, WISP_FORMULA_INSIDE, &initial.field[field]));
  }
  return GIVE(initial, out);
}

/* The values of one field in the nodes of an element. */
static void evaluate(const wisp_piecewise *field, const wisp_mesh *mesh, size_t element, size_t Np, const double *xyz,
                     double *own)
{
  memset(own, 0, Np * sizeof *own);
  for (size_t i = 0; i < field->count; i++)
    if (wisp_piece_holds(&field->piece[i], mesh, element))
      wisp_formula_at(field->piece[i].formula, Np, xyz, mesh->region[element], 0, own);
}

wisp_status wisp_initial_fill(wisp_error *err, const char *what, const wisp_initial *initial, const wisp_dg *dg,
                              double *u)
{
  const int n = dg->system->fields;
  const size_t Np = (size_t)dg->tet->Np;
  double xyz[3 * WISP_TET_MAX_NP], own[WISP_TET_MAX_NP];
  memset(u, 0, wisp_dg_volume_size(dg) * sizeof *u);
  for (size_t k = 0; k < dg->slots; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    wisp_dg_nodes(dg, k, xyz);
    for (int f = 0; f < n; f++) {
      if (!initial->field[f].count) continue;
      evaluate(&initial->field[f], dg->mesh, (size_t)dg->slot[k], Np, xyz, own);
      for (size_t i = 0; i < Np; i++)
        CALL(wisp_require(err, isfinite(own[i]), WISP_EUSAGE, "%s: %s is %g at (%g, %g, %g)", what,
                          dg->system->field[f], own[i], xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]));
      wisp_tet_from_nodes(dg->tet, own);
      for (size_t i = 0; i < Np; i++) u[wisp_layout_volume(&dg->layout, n, f, k, i)] = own[i];
    }
  }
  return WISP_OK;
}
