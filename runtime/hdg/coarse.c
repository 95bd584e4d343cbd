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

static wisp_status make_lists(wisp_error *err, const wisp_hdg *s, wisp_hdg_coarse *c)
{
  OWNED(free) int32_t *number = NULL, *next = NULL;
  CALL(wisp_new(err, s->mesh->vertices, sizeof *number, &number));
  c->vertices = number_vertices(s, number);
  CALL(wisp_new(err, 2 * s->free_edges, sizeof *c->ends, &c->ends));
  CALL(wisp_new(err, 2 * s->free_edges, sizeof *c->touched, &c->touched));
  CALL(wisp_new(err, c->vertices + 1, sizeof *c->start, &c->start));
  CALL(wisp_new(err, c->vertices + 1, sizeof *next, &next));
  for (size_t i = 0; i < 2 * s->free_edges; i++) {
    const size_t face = (size_t)s->side[i / 2 * 2], turned = (i + (size_t)s->edge[face]) % 2;
    c->ends[i] = number[s->mesh->tri[face / 3 * 3 + (face + turned) % 3]];
    if (c->ends[i] >= 0) c->start[c->ends[i] + 1]++, c->touches++;
  }
  for (size_t v = 0; v < c->vertices; v++) next[v + 1] = c->start[v + 1] += c->start[v];
  for (size_t i = 0; i < 2 * s->free_edges; i++)
    if (c->ends[i] >= 0) c->touched[next[c->ends[i]]++] = (int32_t)i;
  return WISP_OK;
}

/* Row v of I^T K I, through the edges that touch it. place: of each vertex where this row has it, counted from 1. */
static wisp_status add_row(wisp_error *err, const wisp_hdg_coarse *c, const double *corners, size_t v, int32_t *place,
                           wisp_sparse *A)
{
  const wisp_hdg *s = c->hdg;
  const int32_t begin = A->start[v];
  for (int32_t q = c->start[v]; q < c->start[v + 1]; q++)
    for (size_t k = 0; k < 2 * WISP_HDG_ROW; k++) {
      const size_t edge = (size_t)c->touched[q] / 2;
      const int32_t to = wisp_hdg_column(s, edge, (int)(k / 2));
      if (to < 0 || (size_t)to >= s->free_edges || c->ends[2 * to + (int32_t)(k % 2)] < 0) continue;
      const int32_t other = c->ends[2 * to + (int32_t)(k % 2)];
      double term = corners ? 0 : (size_t)other == v;
      for (size_t ij = 0; corners && ij < 4; ij++)
        term += wisp_hdg_coarse_weight((int)ij / 2, c->touched[q] % 2) * wisp_hdg_coarse_weight((int)ij % 2, k % 2) *
                corners[WISP_SLAB(4 * WISP_HDG_ROW, edge, k / 2 * 4 + ij)];
      if (place[other] <= begin) {
        CALL(wisp_sparse_append(err, A, v, (size_t)other, 0));
        place[other] = (int32_t)A->count;
      }
      A->value[place[other] - 1] += term;
    }
  return WISP_OK;
}

wisp_status wisp_hdg_coarse_cycle(wisp_error *err, const wisp_hdg_coarse *c, const double *corners, wisp_cycle **out)
{
  HELD(wisp_sparse_free) wisp_sparse A = {.rows = 0};
  OWNED(free) int32_t *place = NULL;
  CALL(wisp_sparse_begin(err, c->vertices, c->vertices, &A));
  CALL(wisp_new(err, c->vertices, sizeof *place, &place));
  for (size_t v = 0; v < c->vertices; v++) CALL(add_row(err, c, corners, v, place, &A));
  return wisp_cycle_create(err, &A, out);
}

wisp_status wisp_hdg_coarse_create(wisp_error *err, const wisp_hdg *hdg, wisp_hdg_coarse **out)
{
  OWNED(wisp_hdg_coarse_destroy) wisp_hdg_coarse *c = NULL;
  CALL(wisp_new(err, 1, sizeof *c, &c));
  c->hdg = hdg;
  CALL(make_lists(err, hdg, c));
  CALL(wisp_hdg_coarse_cycle(err, c, NULL, &c->cycle));
  return GIVE(c, out);
}

void wisp_hdg_coarse_destroy(wisp_hdg_coarse *c)
{
  if (!c) return;
  wisp_cycle_destroy(c->cycle);
  free(c->ends), free(c->start), free(c->touched);
  free(c);
}
