#include "piecewise.h"

void wisp_piecewise_free(wisp_piecewise *values)
{
  for (size_t i = 0; i < values->count; i++) {
    free(values->piece[i].number);
    wisp_formula_destroy(values->piece[i].formula);
  }
  free(values->piece);
  *values = (wisp_piecewise){0};
}

/* Finds the groups of elements that a key names. */
static wisp_status find_groups(wisp_error *err, const char *what, const char *key, const wisp_mesh *mesh,
                               wisp_piece *piece)
{
  HELD(wisp_group_list_free) wisp_group_list list = {.count = 0};
  wisp_status status = wisp_group_list_read(err, key, false, &list);
  if (status == WISP_OK)
    status = wisp_groups_find(err, &mesh->groups, wisp_mesh_dimension(mesh), &list.item->word, &piece->number,
                              &piece->numbers);
  return wisp_context(err, status, "%s: ", what);
}

wisp_status wisp_piecewise_add(wisp_error *err, const char *what, const char *key, const char *text,
                               const wisp_mesh *mesh, wisp_formula_use use, wisp_piecewise *to)
{
  CALL(wisp_grow(err, &to->piece, &to->capacity, to->count + 1, sizeof *to->piece));
  wisp_piece *piece = &to->piece[to->count];
  *piece = (wisp_piece){.number = NULL};
  to->count++; /* from here on it is freed with the others */
  if (key) CALL(find_groups(err, what, key, mesh, piece));
  return wisp_formula_create(err, what, text, mesh, use, &piece->formula);
}

wisp_status wisp_piecewise_create(wisp_error *err, const char *what, const char *text, const wisp_mesh *mesh,
                                  wisp_piecewise *out)
{
  HELD(wisp_items_free) wisp_items items = {.text = NULL};
  HELD(wisp_piecewise_free) wisp_piecewise values = {.piece = NULL};
  size_t rest = 0, named = 0;
  const wisp_status status = wisp_items_read(err, text, &items);
  if (status != WISP_OK) return wisp_context(err, status, "%s: ", what);
  for (size_t i = 0; i < items.count; i++) *(items.item[i].key ? &named : &rest) += 1;
  if (!named) {
    CALL(wisp_piecewise_add(err, what, NULL, text, mesh, WISP_FORMULA_INSIDE, &values));
    return GIVE(values, out);
  }
  CALL(wisp_require(err, rest <= 1, WISP_EUSAGE, "%s is '%s': more than one value stands without a group", what, text));
  for (size_t i = 0; i < items.count; i++)
    if (!items.item[i].key)
      CALL(wisp_piecewise_add(err, what, NULL, items.item[i].value, mesh, WISP_FORMULA_INSIDE, &values));
  for (size_t i = 0; i < items.count; i++) {
    const wisp_item *item = &items.item[i];
    if (item->key) CALL(wisp_piecewise_add(err, what, item->key, item->value, mesh, WISP_FORMULA_INSIDE, &values));
  }
  return GIVE(values, out);
}

bool wisp_piece_holds(const wisp_piece *piece, const wisp_mesh *mesh, size_t e)
{
  bool holds = !piece->number;
  for (size_t i = 0; i < piece->numbers && !holds; i++)
    holds = wisp_groups_have(&mesh->groups, mesh->region[e], piece->number[i]);
  return holds;
}

wisp_status wisp_piecewise_middles(wisp_error *err, const wisp_piecewise *values, const wisp_mesh *mesh, size_t stride,
                                   double *out)
{
  OWNED(free) double *own = NULL;
  CALL(wisp_new(err, mesh->elements + 1, sizeof *own, &own));
  for (size_t i = 0; i < values->count; i++) {
    wisp_formula_middles(values->piece[i].formula, mesh, 1, own);
    for (size_t e = 0; e < mesh->elements; e++)
      if (wisp_piece_holds(&values->piece[i], mesh, e)) out[e * stride] = own[e];
  }
  return WISP_OK;
}
