#include "discretisation.h"

void wisp_discretisation_destroy(wisp_discretisation *d)
{
  if (d->destroy && d->self) d->destroy(d->self);
  *d = (wisp_discretisation){.self = NULL};
}

size_t wisp_discretisation_count(const wisp_discretisation *d, const char *count)
{
  for (const wisp_count *c = d->counts; c->name; c++)
    if (strcmp(c->name, count) == 0) return c->value;
  return 0;
}

bool wisp_discretisation_size(const wisp_discretisation *d, const wisp_array_decl *array, size_t *size)
{
  wisp_status status = WISP_OK;
  OWNED(wisp_env_destroy) wisp_env *counts = NULL;
  int64_t value = 0;
  TRY(wisp_env_create(NULL, NULL, &counts));
  for (const wisp_count *c = d->counts; c->name; c++) TRY(wisp_env_int(NULL, counts, c->name, (int64_t)c->value));
  TRY(wisp_eval_int(NULL, array->size, counts, &value));
  *size = (size_t)value;
done:
  return status == WISP_OK;
}

size_t wisp_discretisation_origin(const wisp_discretisation *d, const wisp_array_decl *array, size_t i)
{
  return d->origin ? d->origin(d->self, array, i) : i;
}

void wisp_discretisation_place(const wisp_discretisation *d, const wisp_array_decl *array, size_t i,
                               char text[WISP_PLACE_TEXT])
{
  if (d->place)
    d->place(d->self, array, i, text);
  else
    snprintf(text, WISP_PLACE_TEXT, "number %zu", i);
}
