#include "levels.h"

#include <stdlib.h>
#include <string.h>

/* Elements are numbered as they stand on the curve, vertices as those come upon them, so that what is near lies near
 * while they are walked. */
typedef struct spread {
  size_t corners, elements, vertices;
  int32_t *vertex; /* of elements */
  size_t *start;
  int32_t *around; /* the elements of a vertex, from start on */
  bool *reached, *placed;
  int32_t *queue; /* of vertices */
} spread;

static void release(spread *s)
{
  free(s->vertex);
  free(s->start);
  free(s->around);
  free(s->reached);
  free(s->placed);
  free(s->queue);
}

static wisp_status number_vertices(wisp_error *err, const wisp_mesh *mesh, const int32_t *curve, spread *s)
{
  OWNED(free) int32_t *number = NULL;
  CALL(wisp_new(err, mesh->vertices, sizeof *number, &number));
  CALL(wisp_new(err, s->corners * s->elements, sizeof *s->vertex, &s->vertex));
  for (size_t v = 0; v < mesh->vertices; v++) number[v] = -1;
  for (size_t i = 0; i < s->corners * s->elements; i++) {
    const int32_t v = mesh->cell[s->corners * (size_t)curve[i / s->corners] + i % s->corners];
    if (number[v] < 0) number[v] = (int32_t)s->vertices++;
    s->vertex[i] = number[v];
  }
  return WISP_OK;
}

static wisp_status list_around(wisp_error *err, spread *s)
{
  const size_t count = s->corners * s->elements;
  CALL(wisp_new(err, s->vertices + 2, sizeof *s->start, &s->start));
  CALL(wisp_new(err, count, sizeof *s->around, &s->around));
  for (size_t i = 0; i < count; i++) s->start[s->vertex[i] + 2]++;
  for (size_t v = 2; v < s->vertices + 2; v++) s->start[v] += s->start[v - 1];
  for (size_t i = 0; i < count; i++) s->around[s->start[s->vertex[i] + 1]++] = (int32_t)(i / s->corners);
  return WISP_OK;
}

/* From this vertex over what hangs together, then from the first that is left; the last that is reached. Elements are
 * placed when the first of their vertices has its turn. */
static int32_t go(spread *s, int32_t from, const int32_t *curve, int32_t *order)
{
  size_t ended = 0, known = 0, placed = 0;
  int32_t first = 0;
  memset(s->reached, 0, s->vertices * sizeof *s->reached);
  memset(s->placed, 0, s->elements * sizeof *s->placed);
  s->reached[from] = true, s->queue[known++] = from;
  for (; ended < s->vertices; ended++) {
    while (ended == known && s->reached[first]) first++;
    if (ended == known) s->reached[first] = true, s->queue[known++] = first;
    const int32_t v = s->queue[ended];
    for (size_t i = s->start[v]; i < s->start[v + 1]; i++) {
      const int32_t *vertex = s->vertex + s->corners * (size_t)s->around[i];
      if (s->placed[s->around[i]]) continue;
      s->placed[s->around[i]] = true, order[placed++] = curve[s->around[i]];
      for (size_t c = 0; c < s->corners; c++)
        if (!s->reached[vertex[c]]) s->reached[vertex[c]] = true, s->queue[known++] = vertex[c];
    }
  }
  return s->queue[s->vertices - 1];
}

wisp_status wisp_levels(wisp_error *err, const wisp_mesh *mesh, const int32_t *curve, int32_t *order)
{
  HELD(release) spread s = {.corners = (size_t)mesh->corners, .elements = mesh->elements};
  CALL(number_vertices(err, mesh, curve, &s));
  CALL(list_around(err, &s));
  CALL(wisp_new(err, s.vertices, sizeof *s.reached, &s.reached));
  CALL(wisp_new(err, s.elements, sizeof *s.placed, &s.placed));
  CALL(wisp_new(err, s.vertices, sizeof *s.queue, &s.queue));
  if (s.elements) go(&s, go(&s, 0, curve, order), curve, order);
  return WISP_OK;
}
