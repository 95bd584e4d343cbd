#include "touching.h"
#include "facets.h"
#include "../../gen/random.h"

/* ---- Points that are near each other. */

/* Points that stay, in cells of a grid: an open hash from a cell to a chain of its points. A cell's side is at least
 * twice the tolerance, so that what is near a point lies in eight cells at the most, and mostly in one. */
typedef struct grid {
  const double *xyz;
  double low[3], side, tolerance;
  int32_t *head, *next; /* of each place of the hash; of each point: a point plus one, 0 at the end */
  size_t mask;
} grid;

static int32_t *place_of(const grid *g, const int64_t cell[3])
{
  uint64_t h = 0;
  for (int c = 0; c < 3; c++) h = wisp_random_mix(h + (uint64_t)cell[c] + WISP_RANDOM_SEED);
  return g->head + (h & g->mask);
}

/* The cell of a place that is `off` away from the point in each direction. */
static void cell_of(const grid *g, size_t point, double off, int64_t cell[3])
{
  for (size_t c = 0; c < 3; c++)
    cell[c] =
        g->side > 0 && isfinite(g->side) ? (int64_t)floor((g->xyz[3 * point + c] + off - g->low[c]) / g->side) : 0;
}

/* The lowest point that stays and is closer than the tolerance, or the point itself. */
static int32_t find_target(const grid *g, size_t point)
{
  int64_t first[3], last[3], cell[3];
  int32_t best = (int32_t)point;
  cell_of(g, point, -g->tolerance, first);
  cell_of(g, point, g->tolerance, last);
  for (cell[0] = first[0]; cell[0] <= last[0]; cell[0]++)
    for (cell[1] = first[1]; cell[1] <= last[1]; cell[1]++)
      for (cell[2] = first[2]; cell[2] <= last[2]; cell[2]++)
        for (int32_t at = *place_of(g, cell); at; at = g->next[at - 1])
          if (at - 1 < best && wisp_distance(g->xyz + 3 * point, g->xyz + 3 * (size_t)(at - 1)) < g->tolerance)
            best = at - 1;
  return best;
}

/* For each of count points, xyz of each together: the lowest point that stays and is closer than the tolerance, or
 * itself, where it stays. target: caller's memory. Fewer than 2^31 points. */
static wisp_status join_points(wisp_error *err, size_t count, const double *xyz, double tolerance, int32_t *target)
{
  OWNED(free) int32_t *heads = NULL, *next = NULL;
  grid g = {.xyz = xyz, .tolerance = tolerance};
  int64_t cell[3];
  double high[3];
  size_t size = 16;
  while (size < 2 * count) size *= 2;
  g.side = fmax(2 * tolerance, 1e-7 * wisp_extent(count, xyz, g.low, high)); /* and cells can be counted */
  CALL(wisp_new(err, size, sizeof *heads, &heads));
  CALL(wisp_new(err, count, sizeof *next, &next));
  g.mask = size - 1, g.head = heads, g.next = next;
  for (size_t i = 0; i < count; i++) {
    target[i] = find_target(&g, i);
    if (target[i] != (int32_t)i) continue;
    cell_of(&g, i, 0, cell); /* it stays */
    int32_t *head = place_of(&g, cell);
    next[i] = *head;
    *head = (int32_t)i + 1;
  }
  return WISP_OK;
}

/* ---- Vertices. */

/* No element may lose an edge. */
static wisp_status check_edges(wisp_error *err, const char *name, const wisp_mesh *mesh, double tolerance)
{
  const size_t corners = (size_t)mesh->corners;
  double shortest = INFINITY;
  size_t element = 0;
  for (size_t k = 0; k < mesh->elements; k++)
    for (size_t a = 0; a < corners; a++)
      for (size_t b = 0; b < a; b++) {
        const double *x = mesh->xyz + 3 * (size_t)mesh->cell[corners * k + a];
        const double *y = mesh->xyz + 3 * (size_t)mesh->cell[corners * k + b];
        const double length = wisp_distance(x, y);
        if (length < shortest) shortest = length, element = k;
      }
  return wisp_require(err, tolerance < shortest, WISP_EUSAGE,
                      "%s: --merge %g would join two corners of element %zu, which are %g apart: take less", name,
                      tolerance, wisp_mesh_number(mesh, element), shortest);
}

/* Removes the vertices that were joined. target: the vertex to which each goes, then its number. */
static void renumber_vertices(wisp_mesh *mesh, int32_t *target)
{
  size_t kept = 0;
  for (size_t v = 0; v < mesh->vertices; v++) {
    const bool stays = target[v] == (int32_t)v;
    if (stays) memmove(mesh->xyz + 3 * kept, mesh->xyz + 3 * v, 3 * sizeof *mesh->xyz);
    target[v] = stays ? (int32_t)kept++ : target[target[v]]; /* a target is lower, so it has its number */
  }
  mesh->vertices = kept;
  for (size_t i = 0; i < (size_t)mesh->corners * mesh->elements; i++) mesh->cell[i] = target[mesh->cell[i]];
}

wisp_status wisp_mesh_merge(wisp_error *err, const char *name, wisp_mesh *mesh, double tolerance, int32_t **to)
{
  OWNED(free) int32_t *target = NULL;
  CALL(wisp_require(err, tolerance > 0 && isfinite(tolerance), WISP_EUSAGE,
                    "%s: nodes that are closer than %g cannot be joined: take a length above 0", name, tolerance));
  CALL(check_edges(err, name, mesh, tolerance));
  CALL(wisp_new(err, mesh->vertices, sizeof *target, &target));
  CALL(join_points(err, mesh->vertices, mesh->xyz, tolerance, target));
  renumber_vertices(mesh, target);
  return GIVE(target, to);
}

/* ---- A tree over the faces: boxes of places and normals. Faces of a large side meet none that look elsewhere. */

enum { AXES = 6, LEAF = 8 }; /* x y z, and the normal's three */

typedef struct range {
  double low[AXES], high[AXES];
} range;

typedef struct tree {
  range *own;    /* of each face */
  size_t *order; /* faces, as leaves hold them */
  range *node;   /* the children of node i are 2 i + 1 and 2 i + 2 */
  size_t count;
} tree;

/* fmin and fmax are calls, for the sake of numbers that are none. */
static void widen(range *r, int axis, double low, double high)
{
  if (low < r->low[axis]) r->low[axis] = low;
  if (high > r->high[axis]) r->high[axis] = high;
}

static range empty_range(void)
{
  range r;
  for (int a = 0; a < AXES; a++) r.low[a] = INFINITY, r.high[a] = -INFINITY;
  return r;
}

static double middle(const tree *t, size_t place, int axis)
{
  const range *r = &t->own[t->order[place]];
  return r->low[axis] + r->high[axis];
}

/* Orders the faces begin .. end - 1 so that those before `nth` are the lowest along the axis (Hoare's selection). */
static void select_nth(tree *t, size_t begin, size_t end, size_t nth, int axis)
{
  while (end - begin > 1) {
    const double pivot = middle(t, begin + (end - 1 - begin) / 2, axis); /* not the last: both parts get a face */
    size_t i = begin, k = end - 1;
    for (;; i++, k--) {
      while (middle(t, i, axis) < pivot) i++;
      while (middle(t, k, axis) > pivot) k--;
      if (i >= k) break;
      const size_t moved = t->order[i];
      t->order[i] = t->order[k], t->order[k] = moved;
    }
    const size_t border = k + 1;
    if (nth < border)
      end = border;
    else
      begin = border;
  }
}

/* A node's box and children, halves along its widest axis. scale: of lengths, to about those of normals. */
static void build_node(tree *t, size_t node, size_t begin, size_t end, double scale)
{
  range r = empty_range();
  int widest = 0;
  for (size_t i = begin; i < end; i++)
    for (int a = 0; a < AXES; a++) widen(&r, a, t->own[t->order[i]].low[a], t->own[t->order[i]].high[a]);
  t->node[node] = r;
  for (int a = 1; a < AXES; a++)
    if ((r.high[a] - r.low[a]) * (a < 3 ? scale : 1) > (r.high[widest] - r.low[widest]) * (widest < 3 ? scale : 1))
      widest = a;
  if (end - begin <= LEAF) return;
  const size_t half = begin + (end - begin) / 2;
  select_nth(t, begin, end, half, widest);
  build_node(t, 2 * node + 1, begin, half, scale);
  build_node(t, 2 * node + 2, half, end, scale);
}

/* The tree of the faces that are not left out; extent: the mesh's. It has as many nodes as a whole one of its depth. */
static wisp_status make_tree(wisp_error *err, size_t count, const wisp_facet *facet, const unsigned char *left_out,
                             double extent, tree *out)
{
  size_t nodes = 1;
  CALL(wisp_new(err, count, sizeof *out->own, &out->own));
  CALL(wisp_new(err, count, sizeof *out->order, &out->order));
  for (size_t i = 0; i < count; i++) {
    range *own = &out->own[i];
    *own = empty_range();
    for (int c = 0; c < 3; c++) {
      for (int k = 0; k < facet[i].corners; k++) widen(own, c, facet[i].xyz[k][c], facet[i].xyz[k][c]);
      widen(own, 3 + c, facet[i].normal[c], facet[i].normal[c]);
    }
    if (!left_out[i]) out->order[out->count++] = i;
  }
  for (size_t leaf = out->count; leaf > LEAF; leaf = (leaf + 1) / 2) nodes = 2 * nodes + 1;
  CALL(wisp_new(err, nodes, sizeof *out->node, &out->node));
  build_node(out, 0, 0, out->count, 2 / extent);
  return WISP_OK;
}

static void release_tree(tree *t)
{
  WISP_FREE(t->own, t->order, t->node);
}

/* ---- Two faces. */

static double shortest_edge(const wisp_facet *f)
{
  double shortest = INFINITY;
  for (int i = 0; i < f->corners; i++)
    shortest = fmin(shortest, wisp_distance(f->xyz[i], f->xyz[(i + 1) % f->corners]));
  return shortest;
}

static bool coincide(const wisp_facet *a, const wisp_facet *b, double near)
{
  bool all = a->corners == b->corners;
  for (int i = 0; all && i < a->corners; i++) {
    double nearest = INFINITY;
    for (int k = 0; k < b->corners; k++) nearest = fmin(nearest, wisp_distance(a->xyz[i], b->xyz[k]));
    all = nearest <= near;
  }
  return all;
}

/* Does b lie in the plane, or on the line, of a? */
static bool is_in_plane(const wisp_facet *a, const wisp_facet *b, double near)
{
  bool all = true;
  for (int k = 0; k < b->corners; k++) {
    double from[3];
    wisp_subtract(b->xyz[k], a->xyz[0], from);
    all &= fabs(wisp_dot(a->normal, from)) <= near;
  }
  return all;
}

/* A convex polygon; a quadrangle that is cut by another one's four sides has eight corners at the most. */
typedef struct polygon {
  int corners;
  double at[8][2];
} polygon;

/* A face in the plane of `frame`, along its first edge and across, seen from the side to which its normal points. */
static polygon flatten(const wisp_facet *frame, const wisp_facet *f)
{
  polygon p = {.corners = f->corners};
  double u[3], v[3];
  const double length = wisp_distance(frame->xyz[1], frame->xyz[0]);
  for (int c = 0; c < 3; c++) u[c] = (frame->xyz[1][c] - frame->xyz[0][c]) / length;
  wisp_cross(frame->normal, u, v);
  for (int i = 0; i < f->corners; i++) {
    double from[3];
    wisp_subtract(f->xyz[i], frame->xyz[0], from);
    p.at[i][0] = wisp_dot(u, from), p.at[i][1] = wisp_dot(v, from);
  }
  return p;
}

static double signed_area(const polygon *p)
{
  double twice = 0;
  for (int i = 0; i < p->corners; i++) {
    const double *a = p->at[i], *b = p->at[(i + 1) % p->corners];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return twice / 2;
}

/* On which side of the line from a to b a point lies: positive on the left. */
static double side_of(const double a[2], const double b[2], const double x[2])
{
  return (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]);
}

/* The part of p on one side of a line (Sutherland & Hodgman 1974); sign: 1 for the left. */
static polygon cut_polygon(const polygon *p, const double a[2], const double b[2], double sign)
{
  polygon rest = {.corners = 0};
  for (int i = 0; i < p->corners; i++) {
    const double *from = p->at[i], *to = p->at[(i + 1) % p->corners];
    const double s = sign * side_of(a, b, from), t = sign * side_of(a, b, to);
    if (s >= 0 && rest.corners < 8) memcpy(rest.at[rest.corners++], from, sizeof *rest.at);
    if ((s < 0) == (t < 0) || rest.corners >= 8) continue;
    for (int c = 0; c < 2; c++) rest.at[rest.corners][c] = from[c] + s / (s - t) * (to[c] - from[c]);
    rest.corners++;
  }
  return rest;
}

static double shared_area(const wisp_facet *a, const wisp_facet *b)
{
  const polygon frame = flatten(a, a);
  polygon p = flatten(a, b);
  if (a->corners == 2) return fmin(a->area, fmax(p.at[0][0], p.at[1][0])) - fmax(0, fmin(p.at[0][0], p.at[1][0]));
  const double sign = signed_area(&frame) > 0 ? 1 : -1;
  for (int i = 0; i < a->corners; i++) p = cut_polygon(&p, frame.at[i], frame.at[(i + 1) % a->corners], sign);
  return fabs(signed_area(&p));
}

/* ---- All of them. */

enum { APART, OVERLAPS, COINCIDES };

/* The boundary's faces, and what was found of each; near: the distance within which they touch. */
typedef struct boundary {
  wisp_facet *facet;
  unsigned char *found;
  size_t count;
  double extent, near;
  size_t pair[2]; /* the first that touch */
} boundary;

static double near_of(const boundary *b, size_t one, size_t other)
{
  return fmin(b->near, 1e-5 * fmin(shortest_edge(&b->facet[one]), shortest_edge(&b->facet[other])));
}

static void note_pair(boundary *b, size_t one, size_t other, unsigned char found)
{
  const size_t low = one < other ? one : other, high = one < other ? other : one;
  if (b->found[one] < found) b->found[one] = found;
  if (b->found[other] < found) b->found[other] = found;
  if (low < b->pair[0]) b->pair[0] = low, b->pair[1] = high;
}

/* Faces that coincide have one middle. */
static wisp_status find_coincident(wisp_error *err, boundary *b)
{
  OWNED(free) double *middle = NULL;
  OWNED(free) int32_t *target = NULL;
  CALL(wisp_require(err, b->count < INT32_MAX, WISP_EINPUT, "the boundary has %zu faces, must have fewer than 2^31",
                    b->count));
  CALL(wisp_new(err, b->count, 3 * sizeof *middle, &middle));
  CALL(wisp_new(err, b->count, sizeof *target, &target));
  for (size_t i = 0; i < b->count; i++) wisp_facet_middle(&b->facet[i], middle + 3 * i);
  CALL(join_points(err, b->count, middle, b->near, target));
  for (size_t i = 0; i < b->count; i++) {
    const size_t other = (size_t)target[i];
    if (other != i && coincide(&b->facet[i], &b->facet[other], near_of(b, i, other))) note_pair(b, other, i, COINCIDES);
  }
  return WISP_OK;
}

/* Can faces of a box overlap the face? Normals of faces that do differ by rounding, which is much for thin faces. */
static bool can_overlap(const range *own, const range *box, double near)
{
  const double tolerance = 1e-3;
  bool all = true;
  for (int a = 0; a < 3; a++) {
    const double n = -own->low[3 + a];
    all &= own->low[a] <= box->high[a] + near && own->high[a] >= box->low[a] - near;
    all &= n >= box->low[3 + a] - tolerance && n <= box->high[3 + a] + tolerance;
  }
  return all;
}

/* Looks for faces that overlap the own one, among those begin .. end - 1 of a node. */
static void find_overlaps(boundary *b, const tree *t, size_t own, size_t node, size_t begin, size_t end)
{
  if (!can_overlap(&t->own[own], &t->node[node], b->near)) return;
  if (end - begin > LEAF) {
    const size_t half = begin + (end - begin) / 2;
    find_overlaps(b, t, own, 2 * node + 1, begin, half);
    find_overlaps(b, t, own, 2 * node + 2, half, end);
    return;
  }
  for (size_t i = begin; i < end; i++) {
    const size_t other = t->order[i];
    if (other <= own || !can_overlap(&t->own[own], &t->own[other], b->near)) continue;
    const wisp_facet *one = &b->facet[own], *two = &b->facet[other];
    const double near = near_of(b, own, other);
    bool in_one_plane = true;
    for (int k = 0; k < 4; k++) in_one_plane &= is_in_plane(k % 2 ? one : two, k / 2 ? one : two, near);
    if (in_one_plane && shared_area(one, two) > 1e-6 * fmin(one->area, two->area)) note_pair(b, own, other, OVERLAPS);
  }
}

static double extent_of(const wisp_mesh *mesh)
{
  double low[3], high[3];
  return wisp_mesh_extent(mesh, low, high);
}

wisp_status wisp_mesh_find_touching(wisp_error *err, const wisp_mesh *mesh, wisp_touching *out)
{
  OWNED(free) wisp_facet *facet = NULL;
  OWNED(free) unsigned char *found = NULL;
  boundary b = {.extent = extent_of(mesh), .pair = {SIZE_MAX, SIZE_MAX}};
  HELD(release_tree) tree t = {.count = 0}; /* of faces that coincide with none */
  wisp_touching touching = {.coincident = 0};
  b.near = 1e-9 * b.extent;
  CALL(wisp_mesh_boundary(err, mesh, &b.count, &facet));
  CALL(wisp_new(err, b.count, 1, &found));
  b.facet = facet, b.found = found;
  CALL(find_coincident(err, &b));
  CALL(make_tree(err, b.count, b.facet, b.found, b.extent, &t));
  for (size_t i = 0; i < b.count; i++)
    if (b.found[i] == APART) find_overlaps(&b, &t, i, 0, 0, t.count);
  for (size_t i = 0; i < b.count; i++) {
    touching.coincident += b.found[i] == COINCIDES;
    touching.overlapping += b.found[i] == OVERLAPS;
  }
  for (int i = 0; i < 2 && b.pair[0] < b.count; i++) touching.element[i] = b.facet[b.pair[i]].element;
  if (b.pair[0] < b.count) {
    wisp_facet_middle(&b.facet[b.pair[0]], touching.at);
    wisp_plane_place(mesh->plane, 1, touching.at);
  }
  *out = touching;
  return WISP_OK;
}

/* ---- What a solver does with them. */

wisp_status wisp_mesh_refuse_touching(wisp_error *err, const char *name, const wisp_mesh *mesh)
{
  wisp_touching t;
  char where[128], join[64] = "";
  CALL(wisp_mesh_find_touching(err, mesh, &t));
  if (!t.coincident && !t.overlapping) return WISP_OK;
  const bool flat = wisp_mesh_dimension(mesh) == 2;
  const char *many = wisp_mesh_cell(mesh)->many;
  if (wisp_mesh_axes(mesh) == 2)
    snprintf(where, sizeof where, "(%g, %g)", t.at[0], t.at[1]);
  else
    snprintf(where, sizeof where, "(%g, %g, %g)", t.at[0], t.at[1], t.at[2]);
  if (t.coincident) snprintf(join, sizeof join, " --merge %.0e to join nodes, or", 1e-8 * extent_of(mesh));
  return wisp_fail(err, WISP_EINPUT,
                   "%s: %zu %s lie on one another, the first at %s: %s %zu and %zu touch there without "
                   "shared nodes, which makes a wall. Join the parts before meshing (Gmsh: Coherence or "
                   "BooleanFragments), or give%s --cracks to keep the walls",
                   name, t.coincident + t.overlapping, flat ? "boundary edges" : "boundary faces", where, many,
                   wisp_mesh_number(mesh, t.element[0]), wisp_mesh_number(mesh, t.element[1]), join);
}
