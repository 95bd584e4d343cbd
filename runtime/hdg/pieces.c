#include "pieces.h"

#include <math.h>

static double area_of(const wisp_hdg *s, size_t e)
{
  return wisp_mesh_corner(s->mesh, e, wisp_cells[3].frame[0], NULL) / 2;
}

/* From one element to all that it hangs together with. stack: as many as there are elements. */
static void flood(wisp_hdg_pieces *p, size_t start, const double *lambda, int32_t *stack)
{
  const wisp_hdg *s = p->hdg;
  size_t height = 0;
  stack[height++] = (int32_t)start;
  p->piece[start] = (int32_t)p->count;
  p->floats[p->count] = true;
  while (height) {
    const size_t e = (size_t)stack[--height];
    if (lambda[e] > 0) p->floats[p->count] = false;
    p->area[p->count] += area_of(s, e);
    for (size_t face = 3 * e; face < 3 * e + 3; face++) {
      const int32_t other = s->mesh->neighbour[face];
      if ((size_t)s->edge[face] / 2 >= s->free_edges) p->floats[p->count] = false;
      if (other == WISP_BOUNDARY || p->piece[other] >= 0) continue;
      p->piece[other] = (int32_t)p->count;
      stack[height++] = other;
    }
  }
  p->count++;
}

wisp_status wisp_hdg_pieces_create(wisp_error *err, const wisp_hdg *hdg, const double *lambda, wisp_hdg_pieces **out)
{
  OWNED(wisp_hdg_pieces_destroy) wisp_hdg_pieces *p = NULL;
  OWNED(free) int32_t *stack = NULL;
  const size_t elements = hdg->mesh->elements;
  CALL(wisp_new(err, 1, sizeof *p, &p));
  p->hdg = hdg;
  CALL(wisp_new(err, elements, sizeof *p->piece, &p->piece));
  CALL(wisp_new(err, elements, sizeof *p->floats, &p->floats));
  CALL(wisp_new(err, elements, sizeof *p->area, &p->area));
  CALL(wisp_new(err, elements, sizeof *stack, &stack));
  memset(p->piece, 0xff, elements * sizeof *p->piece); /* -1 */
  for (size_t e = 0; e < elements; e++)
    if (p->piece[e] < 0) flood(p, e, lambda, stack);
  return GIVE(p, out);
}

void wisp_hdg_pieces_destroy(wisp_hdg_pieces *p)
{
  if (!p) return;
  free(p->piece), free(p->floats), free(p->area);
  free(p);
}

/* --- balances: integrals of a field of orthonormal modes are sqrt 2 times its first mode, on edges likewise --- */

wisp_status wisp_hdg_pieces_balance(wisp_error *err, const wisp_hdg_pieces *p, const char *name, const double *given,
                                    double *load)
{
  enum { SUM, SIZE };
  const wisp_hdg *s = p->hdg;
  const size_t Np = (size_t)s->tables->Np, n = (size_t)s->tables->n;
  OWNED(free) double *flow = NULL;
  CALL(wisp_new(err, 2 * p->count, sizeof *flow, &flow));
  for (size_t e = 0; e < s->mesh->elements; e++) {
    double *to = flow + 2 * p->piece[e];
    const double source = load[WISP_SLAB(Np, e, 0)];
    to[SUM] += source, to[SIZE] += fabs(source);
    for (size_t face = 3 * e; face < 3 * e + 3; face++) {
      if (s->mesh->neighbour[face] != WISP_BOUNDARY || (size_t)s->edge[face] / 2 >= s->free_edges) continue;
      const double in = given[(size_t)s->edge[face] / 2 * n];
      to[SUM] += in, to[SIZE] += fabs(in);
    }
  }
  for (size_t i = 0; i < p->count; i++)
    CALL(wisp_require(
        err, !p->floats[i] || fabs(flow[2 * i]) <= 1e-6 * flow[2 * i + 1], WISP_EUSAGE,
        "%s: piece %zu of %zu: lambda is 0 and no edge of the boundary holds u: source and flux must balance, and "
        "%.3g flows in, of %.3g: give u somewhere, or other data",
        name, i + 1, p->count, sqrt(2) * flow[2 * i], sqrt(2) * flow[2 * i + 1]));
  for (size_t e = 0; e < s->mesh->elements; e++)
    if (p->floats[p->piece[e]])
      load[WISP_SLAB(Np, e, 0)] -= flow[2 * p->piece[e]] * area_of(s, e) / p->area[p->piece[e]];
  return WISP_OK;
}

wisp_status wisp_hdg_pieces_center(wisp_error *err, const wisp_hdg_pieces *p, size_t modes, double *field)
{
  OWNED(free) double *mean = NULL;
  CALL(wisp_new(err, p->count, sizeof *mean, &mean));
  for (size_t e = 0; e < p->hdg->mesh->elements; e++)
    mean[p->piece[e]] += field[WISP_SLAB(modes, e, 0)] * area_of(p->hdg, e) / p->area[p->piece[e]];
  for (size_t e = 0; e < p->hdg->mesh->elements; e++)
    if (p->floats[p->piece[e]]) field[WISP_SLAB(modes, e, 0)] -= mean[p->piece[e]];
  return WISP_OK;
}
