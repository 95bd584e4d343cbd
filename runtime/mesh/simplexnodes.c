/* A node belongs to a vertex, an edge, a face or an element, where its place follows from vertex numbers. */
#include "simplexnodes.h"
#include "../../gen/assembly/simplex.h"

/* In the list of the end that fewer elements have: many may have the other. */
typedef struct edge {
  int32_t other, next;
} edge;

typedef struct numbering {
  const wisp_mesh *mesh;
  wisp_simplexnodes *nodes;
  size_t corners, pairs;                  /* of an element; its edges */
  int (*step)[4];                         /* of each node, towards the corners */
  edge *edge;                             /* of the mesh */
  size_t capacity;                        /* for edges */
  int32_t *first;                         /* vertices: its list, or -1 */
  int32_t *elements_at;                   /* vertices: elements that have it */
  int32_t *edge_of;                       /* elements x pairs; corners a < b are joined by b (b - 1) / 2 + a */
  int32_t *on_vertex, *on_edge, *on_face; /* what is numbered, or -1; on_face by 4 e + f of its first element */
  unsigned char *fixed;                   /* nodes: whether they are given */
} numbering;

/* --- edges --- */

static wisp_status find_edge(wisp_error *err, numbering *n, int32_t a, int32_t b, int32_t *out)
{
  const int32_t more = n->elements_at[a] - n->elements_at[b], one = more < 0 || (!more && a < b) ? a : b,
                other = a + b - one;
  int32_t at = n->first[one];
  size_t *count = &n->nodes->count[1];
  while (at >= 0 && n->edge[at].other != other) at = n->edge[at].next;
  if (at < 0) {
    CALL(wisp_grow(err, &n->edge, &n->capacity, *count + 1, sizeof *n->edge));
    at = (int32_t)(*count)++;
    n->edge[at] = (edge){other, n->first[one]};
    n->first[one] = at;
  }
  *out = at;
  return WISP_OK;
}

/* --- nodes --- */

/* The element that comes first of those that have this face, and its own face there: 4 e + f, of tets. */
static size_t first_face(const wisp_mesh *mesh, size_t face)
{
  const int32_t other = mesh->neighbour[face];
  const size_t across = other == WISP_BOUNDARY ? face : 4 * (size_t)other + (size_t)mesh->neighbour_face[face];
  return across < face ? across : face;
}

/* The place of the number of an element's node that others may have too; NULL: nobody else has it. */
static int32_t *find_shared(const numbering *n, size_t e, const int step[4])
{
  const size_t N = (size_t)n->nodes->N, corners = n->corners;
  const int32_t *vertex = n->mesh->cell + e * corners;
  size_t on[4], count = 0, off = 0; /* corners that the node is a mean of, by rising vertices; one that it is not */
  for (size_t c = 0; c < corners; c++) {
    size_t at = count;
    if (!step[c]) off = c;
    if (!step[c]) continue;
    for (; at && vertex[on[at - 1]] > vertex[c]; at--) on[at] = on[at - 1];
    on[at] = c, count++;
  }
  if (count == 1) return n->on_vertex + vertex[on[0]];
  const size_t low = (size_t)step[on[0]] - 1, high = on[0] > on[1] ? on[0] : on[1], other = on[0] + on[1] - high;
  if (count == 2) return n->on_edge + (size_t)n->edge_of[e * n->pairs + high * (high - 1) / 2 + other] * (N - 1) + low;
  if (count == corners) return NULL;
  const size_t face = first_face(n->mesh, 4 * e + (size_t)wisp_cells[4].across[off]);
  return n->on_face + (face * (N - 2) + low) * (N - 2) + (size_t)step[on[1]] - 1;
}

static wisp_status unnumbered(wisp_error *err, size_t count, int32_t **out)
{
  CALL(wisp_new(err, count, sizeof **out, out));
  memset(*out, 0xff, count * sizeof **out);
  return WISP_OK;
}

static wisp_status number_edges(wisp_error *err, numbering *n)
{
  const wisp_mesh *mesh = n->mesh;
  const size_t K = mesh->elements;
  CALL(unnumbered(err, mesh->vertices, &n->first));
  CALL(wisp_new(err, mesh->vertices, sizeof *n->elements_at, &n->elements_at));
  CALL(wisp_new(err, K * n->pairs, sizeof *n->edge_of, &n->edge_of));
  for (size_t i = 0; i < K * n->corners; i++) n->elements_at[mesh->cell[i]]++;
  int32_t *to = n->edge_of;
  for (const int32_t *vertex = mesh->cell; vertex < mesh->cell + K * n->corners; vertex += n->corners)
    for (size_t b = 1; b < n->corners; b++)
      for (size_t a = 0; a < b; a++) CALL(find_edge(err, n, vertex[a], vertex[b], to++));
  return WISP_OK;
}

static wisp_status number_nodes(wisp_error *err, numbering *n, bool vertices_first)
{
  wisp_simplexnodes *nodes = n->nodes;
  const wisp_mesh *mesh = n->mesh;
  const size_t N = (size_t)nodes->N, K = mesh->elements;
  CALL(number_edges(err, n));
  CALL(unnumbered(err, mesh->vertices, &n->on_vertex));
  CALL(unnumbered(err, nodes->count[1] * (N - 1), &n->on_edge));
  CALL(unnumbered(err, N > 2 && nodes->dimension == 3 ? 4 * K * (N - 2) * (N - 2) : 0, &n->on_face));
  nodes->count[0] = mesh->vertices;
  for (size_t face = 0; nodes->dimension == 3 && face < 4 * K; face++)
    nodes->count[2] += first_face(mesh, face) == face;
  nodes->count[nodes->dimension] = K;
  for (size_t v = 0; vertices_first && v < mesh->vertices; v++) n->on_vertex[v] = (int32_t)nodes->nodes++;
  for (size_t i = 0; i < K * (size_t)nodes->Np; i++) {
    int32_t *known = find_shared(n, i / (size_t)nodes->Np, n->step[i % (size_t)nodes->Np]);
    nodes->node[i] = known && *known >= 0 ? *known : (int32_t)nodes->nodes++;
    if (known) *known = nodes->node[i];
  }
  return WISP_OK;
}

/* --- fixed ones --- */

bool wisp_fixing_has(const wisp_fixing *fixing, const wisp_mesh *mesh, size_t face)
{
  for (size_t i = 0; i < fixing->count; i++)
    if (wisp_groups_have(&mesh->groups, mesh->tag[face], fixing->tag[i])) return !fixing->all;
  return fixing->all;
}

/* Marks the nodes of all boundary edges, or faces, that are given, or sets u there: either may be NULL. */
static void set_fixed(const wisp_simplexnodes *nodes, const wisp_mesh *mesh, const wisp_fixing *fixing,
                      unsigned char *fixed, double value, double *u)
{
  const size_t corners = (size_t)mesh->corners, Np = (size_t)nodes->Np;
  int step[WISP_SIMPLEX_MAX_NP][4];
  wisp_simplex_steps(nodes->dimension, nodes->N, step);
  for (size_t i = 0; i < mesh->elements * corners; i++) {
    const size_t face = i / corners * corners + (size_t)wisp_mesh_cell(mesh)->across[i % corners];
    if (mesh->neighbour[face] != WISP_BOUNDARY || !wisp_fixing_has(fixing, mesh, face)) continue;
    for (size_t a = 0; a < Np; a++) {
      const int32_t node = nodes->node[i / corners * Np + a];
      if (step[a][i % corners] == 0 && fixed) fixed[node] = 1;
      if (step[a][i % corners] == 0 && u) u[node] = value;
    }
  }
}

void wisp_simplexnodes_set(const wisp_simplexnodes *nodes, const wisp_mesh *mesh, int32_t tag, double value, double *u)
{
  const wisp_fixing group = {.count = 1, .tag = &tag};
  set_fixed(nodes, mesh, &group, NULL, value, u);
}

static wisp_status put_unknowns_first(wisp_error *err, numbering *n)
{
  wisp_simplexnodes *nodes = n->nodes;
  OWNED(free) int32_t *to = NULL;
  int32_t next = 0;
  CALL(wisp_new(err, nodes->nodes, sizeof *to, &to));
  for (int fixed = 0; fixed < 2; fixed++) {
    for (size_t i = 0; i < nodes->nodes; i++)
      if (n->fixed[i] == fixed) to[i] = next++;
    if (!fixed) nodes->unknowns = (size_t)next;
  }
  for (size_t i = 0; i < nodes->elements * (size_t)nodes->Np; i++) nodes->node[i] = to[nodes->node[i]];
  return WISP_OK;
}

/* WISP_EUSAGE: nothing is in the group; which groups the boundary has. */
static wisp_status refuse_group(wisp_error *err, const char *name, const wisp_mesh *mesh, int32_t tag)
{
  HELD(wisp_groups_free) wisp_groups of = {.list = NULL};
  HELD(wisp_text_free) wisp_text list = {0};
  const int dimension = wisp_mesh_dimension(mesh) - 1;
  for (size_t f = 0; f < (size_t)mesh->corners * mesh->elements; f++) {
    const int32_t *number = NULL;
    const size_t count = wisp_groups_numbers(&mesh->groups, &mesh->tag[f], &number);
    for (size_t i = 0; mesh->neighbour[f] == WISP_BOUNDARY && i < count; i++)
      CALL(wisp_groups_copy(err, &mesh->groups, dimension, number[i], &of));
  }
  wisp_groups_sort(&of);
  CALL(wisp_groups_print(err, &of, dimension, &list));
  return wisp_fail(err, WISP_EUSAGE, "%s: no %s of the boundary has the tag %d: there are %s", name,
                   wisp_mesh_cell(mesh)->face_one, tag, list.data);
}

wisp_status wisp_fixing_check(wisp_error *err, const char *name, const wisp_mesh *mesh, const wisp_fixing *fixing)
{
  for (size_t i = 0; i < fixing->count; i++) {
    bool there = false;
    for (size_t f = 0; f < (size_t)mesh->corners * mesh->elements && !there; f++)
      there = mesh->neighbour[f] == WISP_BOUNDARY && wisp_groups_have(&mesh->groups, mesh->tag[f], fixing->tag[i]);
    if (!there) return refuse_group(err, name, mesh, fixing->tag[i]);
    wisp_groups_use(&mesh->groups, wisp_mesh_dimension(mesh) - 1, fixing->tag[i]);
  }
  return WISP_OK;
}

wisp_status wisp_fixing_read(wisp_error *err, const char *what, const char *name, const wisp_mesh *mesh,
                             const char *list, bool all, int32_t **numbers, wisp_fixing *out)
{
  wisp_fixing fixing = {.all = all};
  const wisp_status status =
      wisp_groups_find_all(err, &mesh->groups, wisp_mesh_dimension(mesh) - 1, list, numbers, &fixing.count);
  if (status != WISP_OK) return wisp_context(err, status, "%s: ", what);
  fixing.tag = *numbers;
  CALL(wisp_fixing_check(err, name, mesh, &fixing));
  *out = fixing;
  return WISP_OK;
}

/* --- all --- */

static void free_numbering(numbering *n)
{
  WISP_FREE(n->step, n->edge, n->first, n->elements_at, n->edge_of, n->on_vertex, n->on_edge, n->on_face, n->fixed);
}

wisp_status wisp_simplexnodes_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                                     const wisp_fixing *fixed, wisp_simplexnodes **out)
{
  OWNED(wisp_simplexnodes_destroy) wisp_simplexnodes *nodes = NULL;
  HELD(free_numbering) numbering n = {.mesh = mesh, .corners = (size_t)mesh->corners};
  CALL(wisp_require(err, order >= 1 && order <= WISP_SIMPLEX_MAX_ORDER, WISP_EUSAGE,
                    "continuous triangles and tets: order %d is out of range: use 1 to %d", order,
                    WISP_SIMPLEX_MAX_ORDER));
  const int dimension = wisp_mesh_dimension(mesh), Np = wisp_simplex_size(dimension, order);
  CALL(wisp_require(err, mesh->elements <= (size_t)(INT32_MAX / Np), WISP_EUSAGE,
                    "%s: %zu elements of order %d have more nodes than kernels can count (2.1e9): take fewer elements "
                    "or a lower order",
                    name, mesh->elements, order));
  CALL(wisp_fixing_check(err, name, mesh, fixed));
  CALL(wisp_new(err, 1, sizeof *nodes, &nodes));
  *nodes = (wisp_simplexnodes){.dimension = dimension, .N = order, .Np = Np, .elements = mesh->elements};
  CALL(wisp_new(err, mesh->elements * (size_t)Np, sizeof *nodes->node, &nodes->node));
  CALL(wisp_new(err, (size_t)Np, sizeof *n.step, &n.step));
  wisp_simplex_steps(dimension, order, n.step);
  n.nodes = nodes, n.pairs = n.corners * (n.corners - 1) / 2;
  CALL(number_nodes(err, &n, fixed->vertices_first));
  CALL(wisp_new(err, nodes->nodes, 1, &n.fixed));
  set_fixed(nodes, mesh, fixed, n.fixed, 0, NULL);
  CALL(put_unknowns_first(err, &n));
  return GIVE(nodes, out);
}

void wisp_simplexnodes_destroy(wisp_simplexnodes *nodes)
{
  if (!nodes) return;
  WISP_FREE(nodes->node, nodes);
}

wisp_status wisp_simplexnodes_points(wisp_error *err, const wisp_simplexnodes *nodes, const wisp_mesh *mesh,
                                     const wisp_frame *frame, double *xyz)
{
  double at[3][WISP_SIMPLEX_MAX_NP] = {{0}};
  const size_t Np = (size_t)nodes->Np, corners = (size_t)mesh->corners;
  CALL(wisp_simplex_nodes(err, nodes->dimension, nodes->N, at[0], at[1], at[2]));
  for (size_t i = 0; i < nodes->elements * Np; i++) {
    double *to = xyz + 3 * (size_t)nodes->node[i], share[4] = {1};
    for (size_t v = 1; v < corners; v++) share[v] = (1 + at[v - 1][i % Np]) / 2, share[0] -= share[v];
    for (size_t d = 0; d < 3; d++) {
      to[d] = 0;
      for (size_t v = 0; v < corners; v++)
        to[d] += share[v] * wisp_frame_vertex(frame, mesh, mesh->cell[i / Np * corners + v], d);
    }
  }
  return WISP_OK;
}
