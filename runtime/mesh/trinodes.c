/* Continuous numbering of triangles' nodes: a vertex's node is the vertex's, those within an edge are counted from its
 * first corner in one triangle and from its last in the other, those inside are nobody else's. */
#include "trimesh.h"
#include "../../gen/assembly/tri.h"

typedef struct numbering {
  const wisp_mesh *mesh;
  wisp_trinodes *nodes;
  int32_t *of_vertex;   /* vertices: its node, or -1 */
  unsigned char *fixed; /* nodes: whether they are given */
} numbering;

/* A new number where *node has none. */
static void number(numbering *n, int32_t *node)
{
  if (*node < 0) *node = (int32_t)n->nodes->nodes++;
}

/* Takes over the nodes of an edge that an earlier triangle has numbered. */
static void copy_edge(const numbering *n, size_t k, int edge)
{
  const wisp_trinodes *nodes = n->nodes;
  const size_t Np = (size_t)nodes->Np, face = 3 * k + (size_t)edge;
  const int32_t other = n->mesh->neighbour[face];
  if (other == WISP_BOUNDARY || (size_t)other > k) return;
  for (int i = 1; i < nodes->N; i++)
    nodes->node[k * Np + (size_t)wisp_tri_edge_node(nodes->N, edge, i)] =
        nodes->node[(size_t)other * Np +
                    (size_t)wisp_tri_edge_node(nodes->N, n->mesh->neighbour_face[face], nodes->N - i)];
}

static void number_element(numbering *n, size_t k)
{
  const wisp_trinodes *nodes = n->nodes;
  const int32_t *vertex = n->mesh->tri + 3 * k;
  int32_t *node = nodes->node + k * (size_t)nodes->Np;
  for (int a = 0; a < nodes->Np; a++) node[a] = -1;
  for (int edge = 0; edge < 3; edge++) {
    node[wisp_tri_edge_node(nodes->N, edge, 0)] = n->of_vertex[vertex[edge]];
    copy_edge(n, k, edge);
    n->nodes->edges +=
        n->mesh->neighbour[3 * k + (size_t)edge] < (int32_t)k + 1; /* the boundary's, and earlier ones' */
  }
  for (int a = 0; a < nodes->Np; a++) number(n, &node[a]);
  for (int edge = 0; edge < 3; edge++) n->of_vertex[vertex[edge]] = node[wisp_tri_edge_node(nodes->N, edge, 0)];
}

bool wisp_fixing_has(const wisp_fixing *fixing, int32_t tag)
{
  for (size_t i = 0; i < fixing->count; i++)
    if (fixing->tag[i] == tag) return true;
  return fixing->all;
}

static void fix(numbering *n, const wisp_fixing *fixing)
{
  const wisp_trinodes *nodes = n->nodes;
  for (size_t f = 0; f < 3 * nodes->elements; f++) {
    if (n->mesh->neighbour[f] != WISP_BOUNDARY || !wisp_fixing_has(fixing, n->mesh->tag[f])) continue;
    for (int i = 0; i <= nodes->N; i++)
      n->fixed[nodes->node[f / 3 * (size_t)nodes->Np + (size_t)wisp_tri_edge_node(nodes->N, (int)(f % 3), i)]] = 1;
  }
}

/* Unknowns first, in their order. */
static wisp_status renumber(wisp_error *err, numbering *n)
{
  wisp_trinodes *nodes = n->nodes;
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

wisp_status wisp_fixing_check(wisp_error *err, const char *name, const wisp_mesh *mesh, const wisp_fixing *fixing)
{
  for (size_t i = 0; i < fixing->count; i++) {
    bool there = false;
    for (size_t f = 0; f < 3 * mesh->elements && !there; f++)
      there = mesh->neighbour[f] == WISP_BOUNDARY && mesh->tag[f] == fixing->tag[i];
    CALL(wisp_require(err, there, WISP_EUSAGE, "%s: no edge of the boundary has the tag %d", name, fixing->tag[i]));
  }
  return WISP_OK;
}

wisp_status wisp_trinodes_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                                 const wisp_fixing *fixed, wisp_trinodes **out)
{
  OWNED(wisp_trinodes_destroy) wisp_trinodes *nodes = NULL;
  OWNED(free) int32_t *of_vertex = NULL;
  OWNED(free) unsigned char *is_given = NULL;
  CALL(wisp_require(err, order >= 1 && order <= WISP_TRI_MAX_ORDER, WISP_EUSAGE,
                    "order %d: triangles have orders 1 to %d", order, WISP_TRI_MAX_ORDER));
  const size_t Np = (size_t)(order + 1) * (size_t)(order + 2) / 2;
  CALL(wisp_require(err, mesh->elements <= INT32_MAX / Np, WISP_EUSAGE,
                    "%s: %zu triangles of order %d have more nodes than kernels can count (2.1e9): take fewer elements "
                    "or a lower order",
                    name, mesh->elements, order));
  CALL(wisp_fixing_check(err, name, mesh, fixed));
  CALL(wisp_new(err, 1, sizeof *nodes, &nodes));
  *nodes = (wisp_trinodes){.N = order, .Np = (int)Np, .elements = mesh->elements};
  CALL(wisp_new(err, mesh->elements * Np, sizeof *nodes->node, &nodes->node));
  CALL(wisp_new(err, mesh->vertices, sizeof *of_vertex, &of_vertex));
  numbering n = {.mesh = mesh, .nodes = nodes, .of_vertex = of_vertex};
  for (size_t v = 0; v < mesh->vertices; v++) of_vertex[v] = -1;
  for (size_t k = 0; k < mesh->elements; k++) number_element(&n, k);
  CALL(wisp_new(err, nodes->nodes, 1, &is_given));
  n.fixed = is_given;
  fix(&n, fixed);
  CALL(renumber(err, &n));
  return GIVE(nodes, out);
}

void wisp_trinodes_destroy(wisp_trinodes *nodes)
{
  if (!nodes) return;
  free(nodes->node);
  free(nodes);
}

wisp_status wisp_trinodes_places(wisp_error *err, const wisp_trinodes *nodes, const wisp_mesh *mesh, double *xy)
{
  OWNED(wisp_tri_destroy) wisp_tri *tri = NULL;
  const size_t Np = (size_t)nodes->Np;
  CALL(wisp_tri_create(err, nodes->N, &tri));
  for (size_t i = 0; i < nodes->elements * Np; i++) {
    const double r = tri->r[i % Np], s = tri->s[i % Np], share[3] = {-(r + s) / 2, (1 + r) / 2, (1 + s) / 2};
    double *to = xy + 2 * (size_t)nodes->node[i];
    for (size_t d = 0; d < 2; d++) {
      to[d] = 0;
      for (size_t v = 0; v < 3; v++) to[d] += share[v] * mesh->xyz[3 * (size_t)mesh->tri[i / Np * 3 + v] + d];
    }
  }
  return WISP_OK;
}
