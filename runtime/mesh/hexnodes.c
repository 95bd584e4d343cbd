/* A node belongs to a vertex, an edge, a face or an element, where its place follows from vertex numbers. */
#include "../parallel.h"
#include "hexmesh.h"

enum { EDGES = 12, FACES = 6, MAX_ORDER = 15 };

/* An edge by its two vertices (the third -1), a face by its lowest vertex and that one's two neighbours; ascending. */
typedef struct entity {
  int32_t vertex[3], opposite; /* of a face: the vertex across from the lowest */
  int32_t elements;            /* that have it */
  size_t first;                /* of them */
  int side;                    /* of a face: 1 where it turns counterclockwise as seen from that element, else -1 */
} entity;

typedef struct entities {
  entity *list;
  size_t count;
} entities;

/* The order in which a face's nodes are counted: from its lowest corner, along its two directions. */
typedef struct orientation {
  int corner[2]; /* the lowest corner's place in either direction, 0 or 1 */
  int swap;      /* 1: the second direction is fastest */
} orientation;

/* Directions of the plane that is normal to d, ascending. */
static const int in_plane[3][2] = {{1, 2}, {0, 2}, {0, 1}};

/* Is the third direction the vector product of the two in its plane, or the negative of that? */
static const int plane_sign[3] = {1, -1, 1};

/* A face, counted in the order *out; its side is 1 where that turns counterclockwise as seen from inside. Elements are
 * positively oriented (wisp_mesh_connect), so that inside is where the numbering says it is. */
static entity face_entity(const int32_t *hex, int face, orientation *out)
{
  const int *plane = in_plane[face / 2];
  int low = 0;
  int32_t v[4];
  for (int c = 0; c < 4; c++) {
    v[c] = hex[(face % 2) << (face / 2) | (c & 1) << plane[0] | (c >> 1) << plane[1]];
    if (v[c] < v[low]) low = c;
  }
  const int32_t along[2] = {v[low ^ 1], v[low ^ 2]};
  *out = (orientation){{low & 1, low >> 1}, along[0] > along[1]};
  const int inward = face % 2 ? -1 : 1, odd = out->corner[0] ^ out->corner[1] ^ out->swap;
  return (entity){.vertex = {v[low], along[out->swap], along[1 - out->swap]},
                  .opposite = v[low ^ 3],
                  .side = inward * plane_sign[face / 2] * (odd ? -1 : 1)};
}

/* Edge 4 d + 2 b + a goes along direction d from this corner; (a, b) are its places in the plane normal to d. */
static int edge_corner(int edge)
{
  const int *across = in_plane[edge / 4];
  return (edge & 1) << across[0] | (edge >> 1 & 1) << across[1];
}

/* The parts of an element, by their places in each direction: at the low end (0), between (1), at the high end (2). */
enum { PARTS = 27, INSIDE = 13 };

typedef struct element {
  const int32_t *hex;
  int32_t edge[EDGES], face[FACES];
  orientation orientation[FACES];
  bool own[PARTS]; /* it is the first element that has this part */
} element;

typedef struct numbering {
  const wisp_hexmesh *mesh;
  wisp_hexnodes *nodes;
  int N;
  entities edges, faces;
  int32_t *face;   /* FACES x elements */
  int32_t *edge;   /* EDGES x elements */
  int32_t *owner;  /* vertices: the first element that has it, plus one */
  int32_t *before; /* elements + 1: how many nodes the elements before it have brought */
  int32_t *shared; /* the final number of each node on surfaces */
  bool own;        /* an element's own nodes are numbered, else those of others copied */
} numbering;

/* Compares a face with its first element's: another may have it too, cut alike, on its other side. */
static wisp_status check_face(wisp_error *err, const char *name, const wisp_hexmesh *mesh, const entity *met,
                              const entity *face)
{
  const int32_t *v = face->vertex;
  CALL(wisp_require(
      err, met->elements <= 2 && met->opposite == face->opposite, WISP_EINPUT,
      "%s: the mesh does not conform: face (%d %d %d %d) of hex %zu is shared by %d hexes or cut another way", name,
      v[0], v[1], face->opposite, v[2], wisp_mesh_number(mesh, face->first), met->elements));
  return wisp_require(
      err, met->elements == 1 || met->side != face->side, WISP_EINPUT,
      "%s: hexes %zu and %zu overlap: both lie on one side of face (%d %d %d %d); was one element saved twice?", name,
      wisp_mesh_number(mesh, met->first), wisp_mesh_number(mesh, face->first), v[0], v[1], face->opposite, v[2]);
}

/* --- all edges and faces of the mesh --- */

/* Blocks of lowest vertices: each is one thread's own, and the result does not depend on the number of threads. */
enum { BLOCKS = 64 };
typedef struct block {
  entity *list;
  int32_t *next; /* beside the list: the next one with the same lowest vertex, plus one */
  size_t count, list_capacity, next_capacity;
  size_t before; /* entities in the blocks before this one */
} block;

typedef struct listing {
  const char *name;
  const wisp_hexmesh *mesh;
  bool faces;    /* else edges */
  int each;      /* of an element */
  int32_t *low;  /* each x elements: the lowest vertex */
  int32_t *out;  /* likewise: the number of the entity, first in its block, then in all */
  entities *all; /* at the end */
  block block[BLOCKS];
} listing;

static size_t block_of(const listing *l, int32_t vertex)
{
  return (size_t)vertex * BLOCKS / l->mesh->vertices;
}

static entity entity_at(const listing *l, size_t i)
{
  const size_t k = i / (size_t)l->each;
  const int32_t *hex = l->mesh->hex + 8 * k;
  const int which = (int)(i % (size_t)l->each);
  orientation ignored;
  entity new = {.opposite = -1};
  if (l->faces)
    new = face_entity(hex, which, &ignored);
  else {
    const int32_t a = hex[edge_corner(which)], b = hex[edge_corner(which) | 1 << (which / 4)];
    memcpy(new.vertex, (const int32_t[3]){a < b ? a : b, a < b ? b : a, -1}, sizeof new.vertex);
  }
  new.first = k;
  return new;
}

/* A wisp_sweep over elements. */
static void find_lowest(void *context, size_t from, size_t to)
{
  const listing *l = context;
  for (size_t i = from * (size_t)l->each; i < to * (size_t)l->each; i++) l->low[i] = entity_at(l, i).vertex[0];
}

/* The number in its block of an entity, which is new or has been met before; head: the first of its lowest vertex. */
static wisp_status find_entity(wisp_error *err, block *b, const entity *new, int32_t *head, int32_t *out)
{
  int32_t at = *head;
  while (at && memcmp(b->list[at - 1].vertex, new->vertex, sizeof new->vertex) != 0) at = b->next[at - 1];
  if (!at) {
    CALL(wisp_grow(err, &b->list, &b->list_capacity, b->count + 1, sizeof *b->list));
    CALL(wisp_grow(err, &b->next, &b->next_capacity, b->count + 1, sizeof *b->next));
    b->list[b->count] = *new;
    b->next[b->count] = *head;
    *head = at = (int32_t)++b->count;
  }
  b->list[at - 1].elements++;
  *out = at - 1;
  return WISP_OK;
}

static wisp_status list_block(wisp_error *err, const listing *l, size_t number, block *b)
{
  const size_t vertices = l->mesh->vertices, count = l->mesh->elements * (size_t)l->each;
  OWNED(free) int32_t *heads = NULL;
  const size_t first = (number * vertices + BLOCKS - 1) / BLOCKS;
  CALL(wisp_new(err, vertices / BLOCKS + 2, sizeof *heads, &heads));
  for (size_t i = 0; i < count; i++) {
    if (block_of(l, l->low[i]) != number) continue;
    const entity new = entity_at(l, i);
    CALL(find_entity(err, b, &new, &heads[(size_t)l->low[i] - first], &l->out[i]));
    if (l->faces) CALL(check_face(err, l->name, l->mesh, &b->list[l->out[i]], &new));
  }
  return WISP_OK;
}

/* Wisp_ranges over blocks, and over elements. */
static wisp_status list_blocks(wisp_error *err, void *context, size_t from, size_t to)
{
  listing *l = context;
  for (size_t b = from; b < to; b++) CALL(list_block(err, l, b, &l->block[b]));
  return WISP_OK;
}

static void join_blocks(void *context, size_t from, size_t to)
{
  const listing *l = context;
  for (size_t b = from; b < to; b++)
    if (l->block[b].count)
      memcpy(l->all->list + l->block[b].before, l->block[b].list, l->block[b].count * sizeof *l->all->list);
}

static void number_all(void *context, size_t from, size_t to)
{
  const listing *l = context;
  for (size_t i = from * (size_t)l->each; i < to * (size_t)l->each; i++)
    l->out[i] += (int32_t)l->block[block_of(l, l->low[i])].before;
}

static wisp_status list_entities(wisp_error *err, const char *name, const wisp_hexmesh *mesh, bool faces, int32_t *out,
                                 entities *all)
{
  wisp_status status = WISP_OK;
  const size_t K = mesh->elements;
  listing l = {.name = name, .mesh = mesh, .faces = faces, .each = faces ? FACES : EDGES, .out = out, .all = all};
  TRY(wisp_new(err, K * (size_t)l.each, sizeof *l.low, &l.low));
  wisp_parallel_for(K, find_lowest, &l);
  TRY(wisp_parallel(err, BLOCKS, list_blocks, &l));
  for (size_t b = 0; b < BLOCKS; b++) l.block[b].before = all->count, all->count += l.block[b].count;
  TRY(wisp_new(err, all->count, sizeof *all->list, &all->list));
  wisp_parallel_for(BLOCKS, join_blocks, &l);
  wisp_parallel_for(K, number_all, &l);
done:
  for (size_t b = 0; b < BLOCKS; b++) free(l.block[b].list), free(l.block[b].next);
  free(l.low);
  return status;
}

static element look_at(const numbering *n, size_t k)
{
  static const int step[3] = {1, 3, 9}; /* between parts, in each direction */
  element at = {.hex = n->mesh->hex + 8 * k, .own[INSIDE] = true};
  memcpy(at.edge, n->edge + EDGES * k, sizeof at.edge);
  memcpy(at.face, n->face + FACES * k, sizeof at.face);
  for (int v = 0; v < 8; v++)
    at.own[2 * (v & 1) + 6 * (v >> 1 & 1) + 18 * (v >> 2)] = n->owner[at.hex[v]] == (int32_t)k + 1;
  for (int e = 0; e < EDGES; e++) {
    const int d = e / 4, *across = in_plane[d];
    at.own[step[d] + 2 * (e & 1) * step[across[0]] + 2 * (e >> 1 & 1) * step[across[1]]] =
        n->edges.list[at.edge[e]].first == k;
  }
  for (int f = 0; f < FACES; f++) {
    face_entity(at.hex, f, &at.orientation[f]);
    at.own[INSIDE + (f % 2 ? 1 : -1) * step[f / 2]] = n->faces.list[at.face[f]].first == k;
  }
  return at;
}

/* A node inside an edge: counted from the edge's lower vertex. p: its place in each direction, 0..N. */
static size_t edge_node(const numbering *n, const element *at, int d, const int p[3])
{
  const int *across = in_plane[d];
  const int edge = 4 * d + (p[across[0]] > 0) + 2 * (p[across[1]] > 0), corner = edge_corner(edge);
  const int place = at->hex[corner] < at->hex[corner | 1 << d] ? p[d] : n->N - p[d];
  return (size_t)at->edge[edge] * (size_t)(n->N - 1) + (size_t)(place - 1);
}

static size_t face_node(const numbering *n, const element *at, int d, const int p[3])
{
  const int face = 2 * d + (p[d] > 0);
  const orientation *o = &at->orientation[face];
  size_t inside = (size_t)(n->N - 1), place[2];
  for (int i = 0; i < 2; i++) {
    int along = p[in_plane[d][i]];
    place[i] = (size_t)(o->corner[i] ? n->N - along : along) - 1;
  }
  return ((size_t)at->face[face] * inside + place[1 - o->swap]) * inside + place[o->swap];
}

/* A number that all elements give the node at p of a surface alike: vertices first, then nodes of edges and faces. */
static size_t raw_number(const numbering *n, const element *at, const int p[3])
{
  const size_t inside = n->N > 1 ? (size_t)(n->N - 1) : 0;
  size_t from = n->mesh->vertices;
  int on_side[3], sides = 0, corner = 0;
  for (int d = 0; d < 3; d++) {
    on_side[d] = p[d] == 0 || p[d] == n->N;
    sides += on_side[d];
    corner |= (p[d] == n->N) << d;
  }
  if (sides == 3) return (size_t)at->hex[corner];
  if (sides == 2) return from + edge_node(n, at, !on_side[0] ? 0 : !on_side[1] ? 1 : 2, p);
  from += n->edges.count * inside;
  return from + face_node(n, at, on_side[0] ? 0 : on_side[1] ? 1 : 2, p);
}

/* Numbers an element's own nodes in the order of their places, or copies those that others have numbered. */
static void number_element(const numbering *n, size_t k)
{
  const element at = look_at(n, k);
  const int N = n->N, Nq = N + 1;
  int32_t *global = n->nodes->global + k * (size_t)(Nq * Nq * Nq), next = n->before[k];
  int p[3], part[3];
  for (p[2] = 0; p[2] < Nq; p[2]++)
    for (p[1] = 0; p[1] < Nq; p[1]++)
      for (p[0] = 0; p[0] < Nq; p[0]++, global++) {
        for (int d = 0; d < 3; d++) part[d] = (p[d] > 0) + (p[d] == N);
        const int here = part[0] + 3 * part[1] + 9 * part[2];
        if (at.own[here] != n->own) continue;
        if (n->own) *global = next++;
        if (here == INSIDE) continue;
        int32_t *shared = &n->shared[raw_number(n, &at, p)];
        *(n->own ? shared : global) = *(n->own ? global : shared);
      }
}

/* A wisp_sweep over elements. An entity's nodes are written by its first element alone. */
static void number_elements(void *context, size_t from, size_t to)
{
  for (size_t k = from; k < to; k++) number_element(context, k);
}

/* A wisp_sweep over elements. */
static void count_own(void *context, size_t from, size_t to)
{
  const numbering *n = context;
  const int32_t inside = n->N - 1;
  for (size_t k = from; k < to; k++) {
    const element at = look_at(n, k);
    int32_t count = 0;
    for (int part = 0; part < PARTS; part++) {
      const int sides = (part % 3 != 1) + (part / 3 % 3 != 1) + (part / 9 != 1);
      int32_t nodes = at.own[part];
      for (int d = sides; d < 3; d++) nodes *= inside;
      count += nodes;
    }
    n->before[k + 1] = count;
  }
}

/* Final numbers, in the order in which nodes are first met: an element's own follow those of all before it. */
static wisp_status number_nodes(wisp_error *err, numbering *n)
{
  const size_t inside = (size_t)(n->N - 1), K = n->mesh->elements;
  CALL(wisp_new(err, n->mesh->vertices, sizeof *n->owner, &n->owner));
  CALL(wisp_new(err, K + 1, sizeof *n->before, &n->before));
  CALL(wisp_new(err, n->mesh->vertices + n->edges.count * inside + n->faces.count * inside * inside, sizeof *n->shared,
                &n->shared));
  for (size_t i = 0; i < 8 * K; i++)
    if (!n->owner[n->mesh->hex[i]]) n->owner[n->mesh->hex[i]] = (int32_t)(i / 8) + 1;
  wisp_parallel_for(K, count_own, n);
  for (size_t k = 0; k < K; k++) n->before[k + 1] += n->before[k];
  n->nodes->nodes = (size_t)n->before[K];
  for (int others = 0; others < 2; others++) {
    n->own = !others;
    wisp_parallel_for(K, number_elements, n);
  }
  return WISP_OK;
}

static void mark_boundary(const numbering *n)
{
  wisp_hexnodes *nodes = n->nodes;
  const size_t N = (size_t)n->N, Nq = N + 1, step[3] = {1, Nq, Nq * Nq};
  for (size_t f = 0; f < FACES * nodes->elements; f++) {
    if (n->faces.list[n->face[f]].elements != 1) continue;
    const size_t d = f % FACES / 2;
    const int32_t *global = nodes->global + f / FACES * Nq * Nq * Nq + (f % 2 ? N : 0) * step[d];
    for (size_t q = 0; q < Nq * Nq; q++)
      nodes->outside[global[q % Nq * step[in_plane[d][0]] + q / Nq * step[in_plane[d][1]]]] = 1;
  }
}

static void free_numbering(numbering *n)
{
  WISP_FREE(n->edges.list, n->faces.list, n->edge, n->face, n->owner, n->before, n->shared);
}

wisp_status wisp_hexnodes_create(wisp_error *err, const char *name, const wisp_hexmesh *mesh, int order,
                                 wisp_hexnodes **out)
{
  HELD(free_numbering) numbering n = {.mesh = mesh, .N = order};
  OWNED(wisp_hexnodes_destroy) wisp_hexnodes *nodes = NULL;
  CALL(wisp_require(err, order >= 1 && order <= MAX_ORDER, WISP_EUSAGE, "hexes: order %d is out of range: use 1 to %d",
                    order, MAX_ORDER));
  size_t Nq = (size_t)order + 1, Np = Nq * Nq * Nq;
  CALL(
      wisp_require(err, mesh->elements <= INT32_MAX / Np, WISP_EUSAGE,
                   "%s: %zu hexes of order %d have more nodes than kernels can count (2.1e9): take fewer elements or a "
                   "lower order",
                   name, mesh->elements, order));
  CALL(wisp_new(err, EDGES * mesh->elements, sizeof *n.edge, &n.edge));
  CALL(wisp_new(err, FACES * mesh->elements, sizeof *n.face, &n.face));
  CALL(list_entities(err, name, mesh, false, n.edge, &n.edges));
  CALL(list_entities(err, name, mesh, true, n.face, &n.faces));
  CALL(wisp_new(err, 1, sizeof *nodes, &nodes));
  nodes->Nq = (int)Nq;
  nodes->elements = mesh->elements;
  CALL(wisp_new(err, mesh->elements * Np, sizeof *nodes->global, &nodes->global));
  n.nodes = nodes;
  CALL(number_nodes(err, &n));
  CALL(wisp_new(err, nodes->nodes, 1, &nodes->outside));
  mark_boundary(&n);
  return GIVE(nodes, out);
}

void wisp_hexnodes_destroy(wisp_hexnodes *nodes)
{
  if (!nodes) return;
  WISP_FREE(nodes->global, nodes->outside, nodes);
}
