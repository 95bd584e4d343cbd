#include "entity.h"

#include <math.h>
#include <stdlib.h>

/* The corners of element e that node a is inside of, by rising vertices, then the others; the entity's dimension. */
static int order_corners(const wisp_entity_tables *tables, size_t e, int a, int corner[4])
{
  const int dimension = tables->s->simplex->dimension;
  const int32_t *vertex = tables->s->corners->node + e * (size_t)(dimension + 1);
  int count = 0, others = dimension;
  for (int c = 0; c <= dimension; c++) {
    if (!tables->step[a][c]) {
      corner[others--] = c;
      continue;
    }
    int at = count++;
    for (; at && vertex[corner[at - 1]] > vertex[c]; at--) corner[at] = corner[at - 1];
    corner[at] = c;
  }
  return count - 1;
}

int32_t wisp_entity_row(const wisp_entity_tables *tables, size_t e, int orientation, int dimension, int i)
{
  const wisp_simplexnodes *nodes = tables->s->nodes;
  const int own = tables->inside[tables->first[dimension] + i];
  return nodes->node[e * (size_t)nodes->Np + (size_t)tables->node[orientation][own]];
}

size_t wisp_entity_element(const wisp_entity_tables *tables, const wisp_entity *entity, size_t j, int corner[4])
{
  const wisp_pattern *p = tables->s->pattern;
  const int Np = tables->s->nodes->Np, from = p->around[(size_t)p->around_start[entity->row] + j];
  order_corners(tables, (size_t)(from / Np), from % Np, corner);
  return (size_t)(from / Np);
}

int32_t wisp_entity_oriented(const wisp_entity_tables *tables, size_t e, const int corner[4])
{
  const int dimension = tables->s->simplex->dimension;
  return (int32_t)e * wisp_orientations(dimension) + wisp_orientation_number(dimension, corner);
}

/* The entity that a row is inside of; whether it is the lowest of those, by which the entity is known. */
static bool find_entity(const wisp_entity_tables *tables, int32_t row, wisp_entity *out)
{
  const wisp_pattern *p = tables->s->pattern;
  const int Np = tables->s->nodes->Np;
  const int32_t from = p->around[p->around_start[row]];
  int corner[4], lowest = row;
  const int k = order_corners(tables, (size_t)(from / Np), from % Np, corner);
  const int orientation = wisp_orientation_number(tables->s->simplex->dimension, corner);
  for (int i = 0; i < tables->first[k + 1] - tables->first[k]; i++) {
    const int32_t other = wisp_entity_row(tables, (size_t)(from / Np), orientation, k, i);
    lowest = other < lowest ? other : lowest;
  }
  *out = (wisp_entity){k, p->around_start[row + 1] - p->around_start[row], row};
  return lowest == row;
}

wisp_status wisp_entity_tables_make(wisp_error *err, const wisp_assembly *s, int (*by)(const void *, const void *),
                                    wisp_entity_tables *out)
{
  const int dimension = s->simplex->dimension, N = s->simplex->N;
  const size_t rows = s->pattern->rows;
  size_t from = 0;
  out->s = s;
  wisp_simplex_steps(dimension, N, out->step);
  wisp_orientation_inside(dimension, N, out->inside, out->first);
  for (int orientation = 0; orientation < wisp_orientations(dimension); orientation++)
    wisp_orientation_nodes(dimension, N, orientation, out->node[orientation]);
  CALL(wisp_require(err, s->mesh->elements <= (size_t)(INT32_MAX / wisp_orientations(dimension)), WISP_EREFUSED,
                    "lists by entity: %zu elements in all orientations are more than 31 bits count",
                    s->mesh->elements));
  CALL(wisp_new(err, rows + 1, sizeof *out->entity, &out->entity));
  for (size_t row = 0; row < rows; row++) {
    if (find_entity(out, (int32_t)row, out->entity + out->count)) out->count++;
    if (row % WISP_ENTITY_WINDOW != WISP_ENTITY_WINDOW - 1 && row + 1 < rows) continue;
    qsort(out->entity + from, out->count - from, sizeof *out->entity, by);
    from = out->count;
  }
  return WISP_OK;
}

void wisp_entity_tables_free(wisp_entity_tables *tables)
{
  free(tables->entity);
}

wisp_status wisp_list_allocate_groups(wisp_error *err, size_t groups, wisp_index_list *list)
{
  int32_t *start = list->array[0].ints;
  double numbers = 0;
  for (size_t i = 1; i <= groups; i++) {
    numbers += start[i];
    start[i] = (int32_t)fmin(numbers, INT32_MAX);
  }
  CALL(wisp_require(err, numbers <= INT32_MAX, WISP_EREFUSED, "lists by entity: %.4g words, more than 2^31 - 1",
                    numbers));
  list->count[0].value = groups, list->count[1].value = (size_t)numbers;
  return wisp_new(err, (size_t)numbers, sizeof(int32_t), &list->array[1].ints);
}
