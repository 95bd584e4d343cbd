/* The order in which elements are laid out in memory, and that of tets' corners. */
#include "source.h"

/* ---- A Hilbert curve through points (Skilling, "Programming the Hilbert curve", 2004). */

enum { AXES = 3, BITS = 21, DIGIT = 11, DIGITS = 6 }; /* 3 x 21 bits are 6 digits of 11 */

typedef struct keyed_point {
  uint64_t key;
  int32_t point;
} keyed_point;

/* The place on the curve of a point of BITS bits: bit b of x[0], x[1], x[2] are three bits of it (transposed). */
static uint64_t place_of(uint32_t x[AXES])
{
  uint32_t t = 0;
  uint64_t key = 0;
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
    for (int i = 0; i < AXES; i++) {
      const uint32_t low = q - 1, differ = (x[0] ^ x[i]) & low;
      if (x[i] & q)
        x[0] ^= low; /* invert */
      else
        x[0] ^= differ, x[i] ^= differ; /* exchange */
    }
  for (int i = 1; i < AXES; i++) x[i] ^= x[i - 1]; /* Gray code */
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
    if (x[AXES - 1] & q) t ^= q - 1;
  for (int b = BITS - 1; b >= 0; b--)
    for (int i = 0; i < AXES; i++) key = key << 1 | ((x[i] ^ t) >> b & 1);
  return key;
}

static void find_keys(size_t count, const double *xyz, keyed_point *points)
{
  double low[AXES], high[AXES];
  const double side = wisp_extent(count, xyz, low, high);
  const double scale = side > 0 ? ((1 << BITS) - 1) / side : 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t x[AXES];
    for (size_t c = 0; c < AXES; c++) x[c] = (uint32_t)((xyz[AXES * i + c] - low[c]) * scale);
    points[i] = (keyed_point){place_of(x), (int32_t)i};
  }
}

/* Digit by digit, lowest first, between two arrays; after an even number of digits `from` is sorted, stably. */
static void sort_points(size_t count, keyed_point *from, keyed_point *to)
{
  for (int digit = 0; digit < DIGITS; digit++) {
    size_t start[(1 << DIGIT) + 1] = {0};
    for (size_t i = 0; i < count; i++) start[(from[i].key >> DIGIT * digit & ((1 << DIGIT) - 1)) + 1]++;
    for (size_t d = 1; d <= 1 << DIGIT; d++) start[d] += start[d - 1];
    for (size_t i = 0; i < count; i++) to[start[from[i].key >> DIGIT * digit & ((1 << DIGIT) - 1)]++] = from[i];
    keyed_point *const sorted = to;
    to = from;
    from = sorted;
  }
}

wisp_status wisp_curve(wisp_error *err, size_t count, const double *xyz, int32_t *order)
{
  OWNED(free) keyed_point *points = NULL, *spare = NULL;
  CALL(wisp_new(err, count, sizeof *points, &points));
  CALL(wisp_new(err, count, sizeof *spare, &spare));
  find_keys(count, xyz, points);
  sort_points(count, points, spare);
  for (size_t i = 0; i < count; i++) order[i] = points[i].point;
  return WISP_OK;
}

const char *const wisp_ordering_names[WISP_ORDERINGS] = {"as-given", "curve", "metis", "levels"};

/* Elements of a cluster: those of a slab, and the lanes of a warp. A Maxwell stage of order 2 in single precision on an
 * unstructured mesh of 98782 tets has 0.39 of a box's speed on an H200 as the mesher ordered it, 0.81 along the curve
 * alone, 0.83 in clusters, 0.85 in parts by METIS, which takes five times as long. */
enum { SLAB = 32 };

/* Along the curve through the elements' middles. */
static wisp_status order_plainly(wisp_error *err, const wisp_mesh *mesh, int32_t *order)
{
  const size_t corners = (size_t)mesh->corners;
  OWNED(free) double *centre = NULL;
  CALL(wisp_new(err, 3 * mesh->elements, sizeof *centre, &centre));
  for (size_t i = 0; i < corners * mesh->elements; i++)
    for (size_t d = 0; d < 3; d++)
      centre[i / corners * 3 + d] += mesh->xyz[3 * (size_t)mesh->cell[i] + d] / (double)corners;
  return wisp_curve(err, mesh->elements, centre, order);
}

/* Clusters grow along the curve, from the first element that is left, by the best joined neighbour. */
typedef struct growth {
  const wisp_mesh *mesh;
  int32_t *place;              /* of an element on the curve */
  int32_t *cluster;            /* of an element; -1: left */
  int32_t candidate[4 * SLAB]; /* what is left beside the cluster at hand */
  int candidates;
} growth;

/* A measure of how well an element is joined to the cluster: its faces with the cluster, and those that are no longer
 * free. Without the latter holes would stay for later clusters. An element inside a hole comes first. */
static int joint(const growth *g, int32_t cluster, int32_t element)
{
  enum { SHARED = 4, CLOSED = 3, HOLE = 100 };
  int shared = 0, closed = 0;
  for (size_t f = 0; f < 4; f++) {
    const int32_t other = g->mesh->neighbour[4 * (size_t)element + f];
    closed += other == WISP_BOUNDARY || g->cluster[other] >= 0;
    shared += other != WISP_BOUNDARY && g->cluster[other] == cluster;
  }
  return SHARED * shared + CLOSED * closed + (closed == 4 ? HOLE : 0);
}

/* Takes the best candidate, the first on the curve of equals; WISP_EMPTY where there is none. */
static int32_t take_candidate(growth *g, int32_t cluster)
{
  int best = -1, at = 0;
  for (int i = 0; i < g->candidates; i++) {
    const int how = joint(g, cluster, g->candidate[i]);
    if (how > best || (how == best && g->place[g->candidate[i]] < g->place[g->candidate[at]])) best = how, at = i;
  }
  if (best < 0) return WISP_EMPTY;
  const int32_t taken = g->candidate[at];
  g->candidate[at] = g->candidate[--g->candidates];
  return taken;
}

static void add_candidates(growth *g, int32_t element)
{
  for (size_t f = 0; f < 4; f++) {
    const int32_t other = g->mesh->neighbour[4 * (size_t)element + f];
    bool known = other == WISP_BOUNDARY || g->cluster[other] >= 0;
    for (int i = 0; i < g->candidates && !known; i++) known = g->candidate[i] == other;
    if (!known) g->candidate[g->candidates++] = other;
  }
}

static void grow_clusters(growth *g, const int32_t *curve, int32_t *order)
{
  size_t first = 0; /* on the curve, that may be left */
  for (size_t i = 0; i < g->mesh->elements; i++) {
    const int32_t cluster = (int32_t)(i / SLAB);
    if (i % SLAB == 0) g->candidates = 0;
    int32_t element = take_candidate(g, cluster);
    while (element == WISP_EMPTY && g->cluster[curve[first]] >= 0) first++;
    if (element == WISP_EMPTY) element = curve[first];
    g->cluster[element] = cluster;
    order[i] = element;
    add_candidates(g, element);
  }
}

static wisp_status order_by_curve(wisp_error *err, const wisp_mesh *mesh, int32_t *order)
{
  OWNED(free) int32_t *curve = NULL, *place = NULL, *cluster = NULL;
  CALL(wisp_new(err, mesh->elements, sizeof *curve, &curve));
  CALL(wisp_new(err, mesh->elements, sizeof *place, &place));
  CALL(wisp_new(err, mesh->elements, sizeof *cluster, &cluster));
  CALL(order_plainly(err, mesh, curve));
  for (size_t i = 0; i < mesh->elements; i++) {
    place[curve[i]] = (int32_t)i;
    cluster[i] = -1;
  }
  grow_clusters(&(growth){.mesh = mesh, .place = place, .cluster = cluster}, curve, order);
  return WISP_OK;
}

static wisp_status order_by_metis(wisp_error *err, const wisp_mesh *mesh, int32_t *order)
{
  OWNED(free) int32_t *slot = NULL;
  size_t slots = 0, count = 0;
  CALL(wisp_mesh_group(err, mesh, WISP_GROUP_METIS, SLAB, &slots, &slot));
  for (size_t i = 0; i < slots; i++)
    if (slot[i] != WISP_EMPTY) order[count++] = slot[i];
  return WISP_OK;
}

/* ---- From level to level: elements as they are come upon from a corner of the mesh (E. Cuthill, J. McKee, 1969).
 * Neighbours in memory then have neighbours beside them, as in the rows of a box. Elements are numbered along the
 * curve, vertices as elements come upon them, so that memory is read where it was read before. */
typedef struct spread {
  size_t corners, elements, vertices;
  int32_t *vertex; /* of elements */
  size_t *start;
  uint32_t *around; /* the elements of a vertex, from start on */
  bool *reached, *placed;
  int32_t *queue; /* of vertices */
} spread;

static void free_spread(spread *s)
{
  WISP_FREE(s->vertex, s->start, s->around, s->reached, s->placed, s->queue);
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

/* Places elements with their first vertex, from this one, then from the first that is left; the last vertex. */
static int32_t spread_from(spread *s, int32_t from, const int32_t *curve, int32_t *order)
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

static wisp_status order_by_levels(wisp_error *err, const wisp_mesh *mesh, int32_t *order)
{
  HELD(free_spread) spread s = {.corners = (size_t)mesh->corners, .elements = mesh->elements};
  OWNED(free) int32_t *curve = NULL;
  CALL(wisp_new(err, mesh->elements, sizeof *curve, &curve));
  CALL(order_plainly(err, mesh, curve));
  CALL(number_vertices(err, mesh, curve, &s));
  CALL(wisp_new(err, s.vertices + 2, sizeof *s.start, &s.start));
  CALL(wisp_new(err, s.corners * s.elements, sizeof *s.around, &s.around));
  wisp_list_around(s.corners, s.elements, s.vertex, s.vertices, s.start, s.around);
  CALL(wisp_new(err, s.vertices, sizeof *s.reached, &s.reached));
  CALL(wisp_new(err, s.elements, sizeof *s.placed, &s.placed));
  CALL(wisp_new(err, s.vertices, sizeof *s.queue, &s.queue));
  if (s.elements) spread_from(&s, spread_from(&s, 0, curve, order), curve, order);
  return WISP_OK;
}

/* ---- All orderings. */

/* Orderings of tets, and of elements that are put into order themselves. */
typedef wisp_status ordering(wisp_error *err, const wisp_mesh *mesh, int32_t *order);
static ordering *const of_tets[WISP_ORDERINGS] = {NULL, order_by_curve, order_by_metis, order_by_levels};
static ordering *const of_cells[WISP_ORDERINGS] = {NULL, order_plainly, order_by_metis, order_by_levels};

wisp_status wisp_mesh_apply_order(wisp_error *err, wisp_mesh *mesh)
{
  OWNED(free) int32_t *order = mesh->order;
  mesh->order = NULL;
  return order ? wisp_mesh_rearrange(err, "ordered mesh", mesh, order, NULL) : WISP_OK;
}

wisp_status wisp_mesh_order(wisp_error *err, wisp_mesh *mesh, wisp_ordering how)
{
  const wisp_cell *cell = wisp_mesh_cell(mesh);
  OWNED(free) int32_t *order = NULL;
  CALL(wisp_require(err, (int)how >= 0 && (int)how < WISP_ORDERINGS, WISP_EUSAGE, "order %d is not known", (int)how));
  CALL(wisp_require(err, how != WISP_ORDER_METIS || cell->is_connected, WISP_EUSAGE,
                    "order metis is for tets and triangles: take curve for hexes"));
  ordering *const make = (cell->keeps_number ? of_tets : of_cells)[how];
  if (cell->keeps_number) free(mesh->order), mesh->order = NULL; /* groups are made by the mesh's own numbers */
  if (!make) return WISP_OK;
  CALL(wisp_new(err, mesh->elements, sizeof *order, &order));
  CALL(make(err, mesh, order));
  if (cell->keeps_number) return GIVE(order, &mesh->order);
  return wisp_mesh_rearrange(err, "ordered mesh", mesh, order, NULL);
}

/* ---- The order of a tet's corners. */

enum { CORNERS = 4 };

/* The corners by their vertices' numbers; after an odd permutation, a reversal, the first two change. */
static void sort_corners(const int32_t *vertex, int8_t *corner)
{
  int exchanges = 0;
  for (int8_t i = 0; i < CORNERS; i++) {
    int8_t at = i;
    for (; at > 0 && vertex[corner[at - 1]] > vertex[i]; at--, exchanges++) corner[at] = corner[at - 1];
    corner[at] = i;
  }
  if (exchanges % 2 == 0) return;
  const int8_t first = corner[0];
  corner[0] = corner[1];
  corner[1] = first;
}

wisp_status wisp_mesh_sort_corners(wisp_error *err, wisp_mesh *mesh)
{
  OWNED(free) int8_t *corner = NULL;
  CALL(wisp_new(err, CORNERS * mesh->elements, sizeof *corner, &corner));
  for (size_t k = 0; k < mesh->elements; k++) sort_corners(mesh->tet + CORNERS * k, corner + CORNERS * k);
  CALL(wisp_mesh_rearrange(err, "turned mesh", mesh, NULL, corner));
  free(mesh->corner);
  return GIVE(corner, &mesh->corner);
}
