#include "coarse.h"
#include "hdg.h"

#include <math.h>

double wisp_hdg_coarse_weight(int mode, int end)
{
  return mode == 0 ? sqrt(0.5) : end ? sqrt(1.0 / 6) : -sqrt(1.0 / 6);
}

/* Numbers for the vertices that no given edge touches, along the elements; -1 for all others. */
static size_t number_vertices(const wisp_hdg *s, int32_t *number)
{
  const wisp_mesh *mesh = s->mesh;
  int32_t next = 0;
  for (size_t i = 0; i < 3 * mesh->elements; i++) number[mesh->tri[i]] = -2;
  for (size_t face = 0; face < 3 * mesh->elements; face++)
    if ((size_t)s->edge[face] / 2 >= s->free_edges)
      number[mesh->tri[face]] = number[mesh->tri[face / 3 * 3 + (face + 1) % 3]] = -1;
  for (size_t i = 0; i < 3 * mesh->elements; i++)
    if (number[mesh->tri[i]] == -2) number[mesh->tri[i]] = next++;
  return (size_t)next;
}

enum { ENDS = WISP_HDG_COARSE_ENDS };

static wisp_status make_lists(wisp_error *err, const wisp_hdg *s, wisp_hdg_coarse *c)
{
  OWNED(free) int32_t *number = NULL, *next = NULL;
  CALL(wisp_new(err, s->mesh->vertices, sizeof *number, &number));
  c->vertices = number_vertices(s, number);
  CALL(wisp_new(err, ENDS * s->free_edges, sizeof *c->ends, &c->ends));
  CALL(wisp_new(err, ENDS * s->free_edges, sizeof *c->touched, &c->touched));
  CALL(wisp_new(err, c->vertices + 1, sizeof *c->start, &c->start));
  CALL(wisp_new(err, c->vertices + 1, sizeof *next, &next));
  for (size_t i = 0; i < 2 * s->free_edges; i++) {
    const int32_t face = s->side[i], *tri = s->mesh->tri;
    const size_t to = i / 2 * ENDS + i % 2;
    c->ends[to] = number[tri[wisp_hdg_corner(s, i / 2, (int)(i % 2))]];
    c->ends[to + 2] = face < 0 ? -1 : number[tri[face / 3 * 3 + (face + 2) % 3]];
  }
  for (size_t i = 0; i < ENDS * s->free_edges; i++)
    if (c->ends[i] >= 0) c->start[c->ends[i] + 1]++, c->touches++;
  for (size_t v = 0; v < c->vertices; v++) next[v + 1] = c->start[v + 1] += c->start[v];
  for (size_t i = 0; i < ENDS * s->free_edges; i++)
    if (c->ends[i] >= 0) c->touched[next[c->ends[i]]++] = (int32_t)i;
  return WISP_OK;
}

/* A wisp_sparse_row of I^T K I: the vertices of the elements around a vertex. */
static size_t list_row(const void *context, size_t v, int32_t *columns)
{
  const wisp_hdg_coarse *c = context;
  size_t count = 0;
  for (int32_t q = c->start[v]; q < c->start[v + 1]; q++)
    for (size_t k = 0; k < ENDS && c->touched[q] % ENDS < 2; k++) {
      columns[count] = c->ends[(size_t)c->touched[q] / ENDS * ENDS + k];
      count += columns[count] >= 0;
    }
  return count;
}

static wisp_status make_cycle(wisp_error *err, wisp_hdg_coarse *c, size_t direct)
{
  HELD(wisp_sparse_free) wisp_sparse A = {.rows = 0};
  size_t most = 0;
  for (size_t v = 0; v < c->vertices; v++) {
    const size_t touches = (size_t)(c->start[v + 1] - c->start[v]);
    if (touches > most) most = touches;
  }
  CALL(wisp_sparse_make(err, c->vertices, c->vertices, most * ENDS + 1, list_row, c, &A));
  return wisp_cycle_create(err, &A, direct, &c->cycle);
}

wisp_status wisp_hdg_coarse_create(wisp_error *err, const wisp_hdg *hdg, size_t direct, wisp_hdg_coarse **out)
{
  OWNED(wisp_hdg_coarse_destroy) wisp_hdg_coarse *c = NULL;
  CALL(wisp_new(err, 1, sizeof *c, &c));
  c->hdg = hdg;
  CALL(make_lists(err, hdg, c));
  CALL(make_cycle(err, c, direct));
  return GIVE(c, out);
}

void wisp_hdg_coarse_destroy(wisp_hdg_coarse *c)
{
  if (!c) return;
  wisp_cycle_destroy(c->cycle);
  free(c->ends), free(c->start), free(c->touched);
  free(c);
}
