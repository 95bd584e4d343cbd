#include "hdg.h"
#include "aggregation.h"
#include "../process.h"
#include "../solve/cg.h"

#include <math.h>
#include <stdio.h>

/* --- edges --- */

/* Those that are given come last. */
static wisp_status put_free_first(wisp_error *err, wisp_hdg *s, const wisp_fixing *fixed)
{
  OWNED(free) int32_t *to = NULL, *side = NULL;
  const wisp_mesh *mesh = s->mesh;
  int32_t next = 0;
  CALL(wisp_new(err, s->edges, sizeof *to, &to));
  CALL(wisp_new(err, 2 * s->edges, sizeof *side, &side));
  for (int given = 0; given < 2; given++) {
    for (size_t i = 0; i < s->edges; i++) {
      const int32_t face = s->side[2 * i];
      const bool is_given = mesh->neighbour[face] == WISP_BOUNDARY && wisp_fixing_has(fixed, mesh, (size_t)face);
      if (is_given == given) to[i] = next++;
    }
    if (!given) s->free_edges = (size_t)next;
  }
  for (size_t i = 0; i < 2 * s->edges; i++) side[2 * (size_t)to[i / 2] + i % 2] = s->side[i];
  for (size_t i = 0; i < 3 * mesh->elements; i++) s->edge[i] = 2 * to[s->edge[i] / 2] + s->edge[i] % 2;
  memcpy(s->side, side, 2 * s->edges * sizeof *side);
  return WISP_OK;
}

/* --- the coarse space --- */

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
  return wisp_cycle_create(err, &A, NULL, direct, false, &c->cycle);
}

static void destroy_coarse(wisp_hdg_coarse *c)
{
  if (!c) return;
  wisp_cycle_destroy(c->cycle);
  WISP_FREE(c->ends, c->start, c->touched, c);
}
WISP_OWNED(wisp_hdg_coarse, destroy_coarse)

wisp_status wisp_hdg_coarsen(wisp_error *err, wisp_hdg *s, size_t direct)
{
  const double begin = wisp_seconds();
  OWNED(destroy_coarse) wisp_hdg_coarse *c = NULL;
  if (s->coarse) return WISP_OK;
  CALL(wisp_new(err, 1, sizeof *c, &c));
  CALL(make_lists(err, s, c));
  CALL(make_cycle(err, c, direct));
  s->seconds += wisp_seconds() - begin;
  return GIVE(c, &s->coarse);
}

/* --- the skeleton --- */

wisp_status wisp_hdg_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                            const wisp_fixing *fixed, wisp_hdg **out)
{
  static const wisp_fixing nothing = {.all = false};
  OWNED(wisp_hdg_destroy) wisp_hdg *s = NULL;
  const double begin = wisp_seconds();
  CALL(wisp_new(err, 1, sizeof *s, &s));
  s->mesh = mesh;
  s->frame = wisp_frame_none;
  CALL(wisp_hdg_tables_create(err, order, &s->tables));
  CALL(wisp_simplexnodes_create(err, name, mesh, 1, &nothing, &s->corners));
  CALL(wisp_fixing_check(err, name, mesh, fixed));
  CALL(wisp_new(err, 3 * mesh->elements, sizeof *s->edge, &s->edge));
  CALL(wisp_new(err, 6 * mesh->elements, sizeof *s->side, &s->side));
  memset(s->side, 0xff, 6 * mesh->elements * sizeof *s->side); /* -1 */
  for (size_t face = 0; face < 3 * mesh->elements; face++) {   /* an edge that an earlier triangle has, or a new one */
    const int32_t other = mesh->neighbour[face], *v = mesh->tri + face / 3 * 3;
    const bool known = other != WISP_BOUNDARY && (size_t)other < face / 3;
    const size_t theirs = known ? 3 * (size_t)other + (size_t)mesh->neighbour_face[face] : 0;
    const int32_t number = known ? s->edge[theirs] / 2 : (int32_t)s->edges++;
    s->edge[face] = 2 * number + (v[face % 3] > v[(face + 1) % 3]);
    s->side[2 * number + known] = (int32_t)face;
  }
  CALL(put_free_first(err, s, fixed));
  CALL(wisp_require(err, s->free_edges, WISP_EUSAGE,
                    "%s: all %zu edges are given, and nothing is left to solve for: take more elements", name,
                    s->edges));
  s->seconds = wisp_seconds() - begin;
  return GIVE(s, out);
}

void wisp_hdg_destroy(wisp_hdg *s)
{
  if (!s) return;
  destroy_coarse(s->coarse);
  wisp_hdg_tables_destroy(s->tables);
  wisp_simplexnodes_destroy(s->corners);
  WISP_FREE(s->edge, s->side, s);
}

wisp_hdg_triangle wisp_hdg_triangle_at(const wisp_hdg *s, size_t e, const double *tau, double kappa, double lambda)
{
  wisp_hdg_triangle out = {.tau = {tau[0], tau[1], tau[2]}, .kappa = kappa, .lambda = lambda};
  for (size_t i = 0; i < 6; i++)
    out.xy[i / 2][i % 2] = wisp_frame_vertex(&s->frame, s->mesh, s->mesh->tri[3 * e + i / 2], i % 2);
  return out;
}

int32_t wisp_hdg_column(const wisp_hdg *s, size_t edge, int place)
{
  if (place == 0) return (int32_t)edge;
  const int32_t face = s->side[2 * edge + (size_t)(place - 1) / 2];
  if (face < 0) return -1;
  return s->edge[face / 3 * 3 + (face + 1 + (place - 1) % 2) % 3] / 2;
}

/* --- lists --- */

static wisp_status upload_vertices(wisp_error *err, const wisp_hdg *s, wisp_arrays *arrays)
{
  OWNED(free) double *xy = NULL;
  CALL(wisp_new(err, 2 * s->mesh->vertices, sizeof *xy, &xy));
  for (size_t i = 0; i < 6 * s->mesh->elements; i++)
    xy[2 * (size_t)s->corners->node[i / 2] + i % 2] = wisp_frame_vertex(&s->frame, s->mesh, s->mesh->tri[i / 2], i % 2);
  return wisp_arrays_upload(err, arrays, "vertices", xy);
}

/* `width` numbers of each of `count`, put into slabs; empty places are 0. */
static wisp_status upload_list(wisp_error *err, const char *array, size_t width, size_t count, const int32_t *from,
                               wisp_arrays *arrays)
{
  OWNED(free) int *list = NULL;
  CALL(wisp_new(err, wisp_arrays_size(arrays, array), sizeof *list, &list));
  for (size_t i = 0; i < count * width; i++) list[WISP_SLAB(width, i / width, i % width)] = from[i];
  return wisp_arrays_upload_ints(err, arrays, array, list);
}

/* Columns of other blocks, or of the scalar matrix: of all blocks, mode by mode. */
static wisp_status upload_columns(wisp_error *err, const wisp_hdg *s, bool scalar, wisp_arrays *arrays)
{
  const size_t n = scalar ? (size_t)s->tables->n : 1, first = scalar ? 0 : 1;
  const size_t width = (WISP_HDG_ROW - first) * n, rows = s->free_edges * n;
  OWNED(free) int32_t *list = NULL;
  CALL(wisp_new(err, width * rows, sizeof *list, &list));
  for (size_t i = 0; i < width * rows; i++)
    list[i] = (int32_t)(wisp_hdg_free_column(s, i / width / n, (int)(i % width / n + first)) * n + i % n);
  return upload_list(err, scalar ? "scalar_columns" : "columns", width, rows, list, arrays);
}

static wisp_status upload_coarse(wisp_error *err, const wisp_hdg *s, wisp_arrays *arrays)
{
  const wisp_hdg_coarse *c = s->coarse;
  if (wisp_arrays_size(arrays, "touch_start")) CALL(wisp_arrays_upload_ints(err, arrays, "touch_start", c->start));
  if (wisp_arrays_size(arrays, "touched")) CALL(wisp_arrays_upload_ints(err, arrays, "touched", c->touched));
  CALL(wisp_cycle_upload_lists(err, c->cycle, arrays));
  return wisp_arrays_size(arrays, "ends")
             ? upload_list(err, "ends", WISP_HDG_COARSE_ENDS, s->free_edges, c->ends, arrays)
             : WISP_OK;
}

static wisp_status fill(wisp_error *err, const void *self, wisp_arrays *arrays)
{
  const wisp_hdg *s = self;
  const struct {
    const char *array;
    size_t width, count;
    const int32_t *from;
  } lists[] = {{"corners", 3, s->mesh->elements, s->corners->node},
               {"edges", 3, s->mesh->elements, s->edge},
               {"sides", 2, s->free_edges, s->side}};
  if (wisp_arrays_size(arrays, "vertices")) CALL(upload_vertices(err, s, arrays));
  if (s->coarse) CALL(upload_coarse(err, s, arrays));
  for (size_t i = 0; i < WISP_COUNT(lists); i++)
    if (wisp_arrays_size(arrays, lists[i].array))
      CALL(upload_list(err, lists[i].array, lists[i].width, lists[i].count, lists[i].from, arrays));
  if (wisp_arrays_size(arrays, "scalar_columns")) CALL(upload_columns(err, s, true, arrays));
  return wisp_arrays_size(arrays, "columns") ? upload_columns(err, s, false, arrays) : WISP_OK;
}

/* --- the discretisation --- */

/* Names the owner of a number of an array in slabs, or of a vector, and which of its own it is. */
static void place(const void *self, const wisp_array_decl *array, size_t i, char text[WISP_PLACE_TEXT])
{
  const wisp_hdg_tables *t = ((const wisp_hdg *)self)->tables;
  const size_t n = (size_t)t->n, m = (size_t)t->m, Np = (size_t)t->Np;
  const struct {
    const char *array, *of;
    size_t width;
  } slabs[] = {{"element_data", "element", m * (m + 1) / 2 + m},
               {"continuous_data", "element", (m - 3) * (m - 2) / 2 + m - 3},
               {"inside_matrix", "element", Np * (Np + 1) / 2},
               {"inside_border", "element", Np * m},
               {"inside_inverse", "element", Np * (Np + 1) / 2},
               {"inside_solved", "element", Np * m},
               {"inside_factor", "element", Np * (Np + 1) / 2},
               {"scalar_rows", "row", WISP_HDG_ROW * n},
               {"inner_load", "element", (size_t)t->inside},
               {"u", "element", Np},
               {"flux", "element", 2 * Np},
               {"ustar", "element", (size_t)t->Ns},
               {"blocks", "edge", WISP_HDG_ROW * n * n},
               {"corner_parts", "edge", 2 * WISP_HDG_COARSE_ENDS},
               {"inverses", "edge", n * (n + 1) / 2}};
  for (size_t k = 0; k < WISP_COUNT(slabs); k++) {
    const size_t slab = slabs[k].width * WISP_SLAB_ELEMENTS, within = i % slab;
    if (strcmp(slabs[k].array, array->name) != 0) continue;
    snprintf(text, WISP_PLACE_TEXT, "%s %zu, number %zu", slabs[k].of,
             i / slab * WISP_SLAB_ELEMENTS + within % WISP_SLAB_ELEMENTS, within / WISP_SLAB_ELEMENTS);
    return;
  }
  snprintf(text, WISP_PLACE_TEXT, "edge %zu, mode %zu", i / n, i % n);
}

/* The place in slabs of a number of element_data that lies matrix by matrix. */
static size_t origin_aos(const void *self, const wisp_array_decl *array, size_t i)
{
  const size_t m = (size_t)((const wisp_hdg *)self)->tables->m, width = m * (m + 1) / 2 + m;
  return strcmp(array->name, "element_data") == 0 ? WISP_SLAB(width, i / width, i % width) : i;
}

static void place_aos(const void *self, const wisp_array_decl *array, size_t i, char text[WISP_PLACE_TEXT])
{
  place(self, array, origin_aos(self, array, i), text);
}

wisp_discretisation wisp_hdg_discretisation(const wisp_hdg *s, const wisp_hdg_capacity *capacity)
{
  const wisp_hdg_tables *t = s->tables;
  const size_t n = (size_t)t->n, m = (size_t)t->m, unknowns = s->free_edges * n;
  wisp_discretisation d = {
      .family = wisp_family_find("hdg"),
      .counts = {{"elements", s->mesh->elements},
                 {"groups", s->mesh->elements},
                 {"slots", WISP_SLAB_SLOTS(s->mesh->elements)},
                 {"batch_slots", WISP_SLAB_SLOTS(capacity->batch ? capacity->batch : s->mesh->elements)},
                 {"vertex_count", s->mesh->vertices},
                 {"edge_count", s->edges},
                 {"free_edges", s->free_edges},
                 {"edge_slots", WISP_SLAB_SLOTS(s->free_edges)},
                 {"unknowns", unknowns},
                 {"padded", (unknowns + 3) / 4 * 4},
                 {"n", n},
                 {"m", m},
                 {"Np", (size_t)t->Np},
                 {"Ns", (size_t)t->Ns}},
      .self = (void *)(uintptr_t)s,
      .fill = fill,
      .origin = capacity->aos ? origin_aos : NULL,
      .place = capacity->aos ? place_aos : place};
  const wisp_count solving[] = {{"pAp_room", capacity->pAp_parts},
                                {"rz_room", capacity->rz_parts},
                                {"states", WISP_CG_STATE},
                                {"history_room", capacity->iterations},
                                {"solves", 1}};
  wisp_count *next = d.counts;
  while (next->name) next++;
  for (size_t i = 0; capacity->iterations && i < WISP_COUNT(solving); i++) *next++ = solving[i];
  if (s->coarse && s->coarse->vertices) {
    const wisp_hdg_coarse *c = s->coarse;
    *next++ = (wisp_count){"coarse_vertices", c->vertices};
    *next++ = (wisp_count){"touches", c->touches};
    wisp_cycle_counts(c->cycle, next);
  }
  return d;
}

/* --- connected pieces --- */

wisp_status wisp_hdg_pieces_create(wisp_error *err, const wisp_hdg *hdg, const double *lambda, wisp_hdg_pieces **out)
{
  OWNED(wisp_hdg_pieces_destroy) wisp_hdg_pieces *p = NULL;
  const size_t elements = hdg->mesh->elements;
  CALL(wisp_new(err, 1, sizeof *p, &p));
  p->hdg = hdg;
  CALL(wisp_new(err, elements, sizeof *p->piece, &p->piece));
  CALL(wisp_new(err, elements, sizeof *p->floats, &p->floats));
  CALL(wisp_new(err, elements, sizeof *p->area, &p->area));
  wisp_join_neighbours(elements, 3, hdg->mesh->neighbour, p->piece);
  for (size_t e = 0; e < elements; e++) {
    const bool is_first = p->piece[e] == (int32_t)e;
    if (is_first) p->floats[p->count] = true;
    const size_t piece = is_first ? p->count++ : (size_t)p->piece[p->piece[e]];
    p->piece[e] = (int32_t)piece;
    p->area[piece] += wisp_hdg_area(hdg, e);
    if (lambda[e] > 0) p->floats[piece] = false;
    for (size_t face = 3 * e; face < 3 * e + 3; face++)
      if ((size_t)hdg->edge[face] / 2 >= hdg->free_edges) p->floats[piece] = false;
  }
  return GIVE(p, out);
}

void wisp_hdg_pieces_destroy(wisp_hdg_pieces *p)
{
  if (!p) return;
  WISP_FREE(p->piece, p->floats, p->area, p);
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
      load[WISP_SLAB(Np, e, 0)] -= flow[2 * p->piece[e]] * wisp_hdg_area(s, e) / p->area[p->piece[e]];
  return WISP_OK;
}

wisp_status wisp_hdg_pieces_center(wisp_error *err, const wisp_hdg_pieces *p, size_t modes, double *field)
{
  OWNED(free) double *mean = NULL;
  CALL(wisp_new(err, p->count, sizeof *mean, &mean));
  for (size_t e = 0; e < p->hdg->mesh->elements; e++)
    mean[p->piece[e]] += field[WISP_SLAB(modes, e, 0)] * wisp_hdg_area(p->hdg, e) / p->area[p->piece[e]];
  for (size_t e = 0; e < p->hdg->mesh->elements; e++)
    if (p->floats[p->piece[e]]) field[WISP_SLAB(modes, e, 0)] -= mean[p->piece[e]];
  return WISP_OK;
}
