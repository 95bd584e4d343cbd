#include "irregular.h"

#include "../../gen/random.h"
#include "../../gen/nodal/tet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A corner and the three that its edges lead to, so that they span a positive volume. Tets, with any corner first. */
static const int tet_frames[][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 0, 1, 3}, {3, 0, 2, 1}};

/* Hexes: corners are v = vr + 2 vs + 4 vt. */
static const int hex_frames[][4] = {{0, 1, 2, 4}, {1, 3, 0, 5}, {2, 0, 3, 6}, {3, 2, 1, 7},
                                    {4, 6, 5, 0}, {5, 4, 7, 1}, {6, 7, 4, 2}, {7, 5, 6, 3}};

/* What moving vertices must know of a mesh, of either kind. */
typedef struct cells {
  size_t vertices, elements, corners; /* corners of an element */
  double *xyz;
  const int32_t *cell; /* corners x elements */
  const int (*frame)[4];
  unsigned char *outside; /* vertices: 1 on the boundary */
  double *shortest;       /* vertices: its shortest edge */
  double *least;          /* elements: the volume that must be left at every corner */
  size_t *start;          /* vertices + 2: where a vertex's list of elements begins */
  uint32_t *around;       /* corners x elements */
} cells;

enum { X, Y, Z, DIRECTIONS };

static double edge(const cells *c, const int32_t *v, const int frame[4], int to, double e[DIRECTIONS])
{
  double square = 0;
  for (size_t d = 0; d < DIRECTIONS; d++) {
    e[d] = c->xyz[3 * (size_t)v[frame[to]] + d] - c->xyz[3 * (size_t)v[frame[0]] + d];
    square += e[d] * e[d];
  }
  return sqrt(square);
}

/* The smallest of the volumes that an element's edges span at its corners, up to a factor. */
static double smallest_volume(const cells *c, size_t element)
{
  const int32_t *v = c->cell + c->corners * element;
  double least = INFINITY, a[DIRECTIONS], b[DIRECTIONS], h[DIRECTIONS];
  for (size_t i = 0; i < c->corners; i++) {
    edge(c, v, c->frame[i], 1, a);
    edge(c, v, c->frame[i], 2, b);
    edge(c, v, c->frame[i], 3, h);
    least = fmin(least, a[X] * (b[Y] * h[Z] - b[Z] * h[Y]) - a[Y] * (b[X] * h[Z] - b[Z] * h[X]) +
                            a[Z] * (b[X] * h[Y] - b[Y] * h[X]));
  }
  return least;
}

/* Each vertex's shortest edge, and the elements around it. */
static wisp_status look_around(wisp_error *err, cells *c)
{
  double e[DIRECTIONS];
  CALL(wisp_new(err, c->vertices, sizeof *c->shortest, &c->shortest));
  CALL(wisp_new(err, c->elements, sizeof *c->least, &c->least));
  CALL(wisp_new(err, c->vertices + 2, sizeof *c->start, &c->start));
  CALL(wisp_new(err, c->corners * c->elements, sizeof *c->around, &c->around));
  for (size_t v = 0; v < c->vertices; v++) c->shortest[v] = INFINITY;
  for (size_t k = 0; k < c->elements; k++) {
    const int32_t *v = c->cell + c->corners * k;
    c->least[k] = smallest_volume(c, k) / 10;
    for (size_t i = 0; i < c->corners; i++) {
      double *shortest = &c->shortest[v[c->frame[i][0]]];
      for (int to = 1; to < 4; to++) *shortest = fmin(*shortest, edge(c, v, c->frame[i], to, e));
      c->start[v[i] + 2]++;
    }
  }
  for (size_t v = 2; v < c->vertices + 2; v++) c->start[v] += c->start[v - 1];
  for (size_t i = 0; i < c->corners * c->elements; i++)
    c->around[c->start[c->cell[i] + 1]++] = (uint32_t)(i / c->corners);
  return WISP_OK;
}

static bool room_around(const cells *c, size_t vertex)
{
  for (size_t i = c->start[vertex]; i < c->start[vertex + 1]; i++)
    if (!(smallest_volume(c, c->around[i]) >= c->least[c->around[i]])) return false;
  return true;
}

/* Takes from a move what would leave the boundary: of the mesh's bounding box the side's own direction, of any other
 * boundary everything. */
static void keep_to_boundary(const cells *c, size_t vertex, double low[DIRECTIONS], double high[DIRECTIONS],
                             double move[DIRECTIONS])
{
  const double *x = c->xyz + 3 * vertex;
  int sides = 0;
  if (!c->outside[vertex]) return;
  for (int d = 0; d < DIRECTIONS; d++)
    if (x[d] <= low[d] || x[d] >= high[d]) sides++, move[d] = 0;
  for (int d = 0; d < DIRECTIONS && !sides; d++) move[d] = 0;
}

static void jitter(cells *c, double amount, uint64_t seed)
{
  double low[DIRECTIONS] = {INFINITY, INFINITY, INFINITY}, high[DIRECTIONS] = {-INFINITY, -INFINITY, -INFINITY};
  uint64_t random = wisp_random_from(seed);
  for (size_t i = 0; i < 3 * c->vertices; i++) {
    low[i % 3] = fmin(low[i % 3], c->xyz[i]);
    high[i % 3] = fmax(high[i % 3], c->xyz[i]);
  }
  for (size_t v = 0; v < c->vertices; v++) {
    double *x = c->xyz + 3 * v, move[DIRECTIONS];
    const double from[DIRECTIONS] = {x[X], x[Y], x[Z]};
    for (int d = 0; d < DIRECTIONS; d++) move[d] = amount * wisp_random_real(&random) * c->shortest[v];
    if (c->start[v] == c->start[v + 1]) continue; /* no element's */
    keep_to_boundary(c, v, low, high, move);
    double share = 1;
    do {
      for (int d = 0; d < DIRECTIONS; d++) x[d] = share > 1e-3 ? from[d] + share * move[d] : from[d];
      share /= 2;
    } while (share > 1e-4 && !room_around(c, v));
  }
}

static wisp_status move_vertices(wisp_error *err, cells *c, double amount, uint64_t seed)
{
  wisp_status status = WISP_OK;
  TRY(wisp_require(err, amount >= 0 && amount <= 0.5, WISP_EUSAGE,
                   "jitter: %g of a vertex's shortest edge, must be 0 to 0.5", amount));
  TRY(look_around(err, c));
  jitter(c, amount, seed);
done:
  free(c->shortest);
  free(c->least);
  free(c->start);
  free(c->around);
  return status;
}

wisp_status wisp_mesh_jitter(wisp_error *err, wisp_mesh *mesh, double amount, uint64_t seed)
{
  wisp_status status = WISP_OK;
  cells c = {mesh->vertices, mesh->elements, 4, mesh->xyz, mesh->tet, tet_frames, NULL, NULL, NULL, NULL, NULL};
  TRY(wisp_new(err, mesh->vertices, 1, &c.outside));
  for (size_t f = 0; f < 4 * mesh->elements; f++)
    for (int a = 0; a < 3 && mesh->neighbour[f] == WISP_BOUNDARY; a++)
      c.outside[mesh->tet[f / 4 * 4 + (size_t)wisp_tet_face_vertices[f % 4][a]]] = 1;
  TRY(move_vertices(err, &c, amount, seed));
done:
  free(c.outside);
  return status;
}

wisp_status wisp_hexmesh_jitter(wisp_error *err, wisp_hexmesh *mesh, double amount, uint64_t seed)
{
  wisp_status status = WISP_OK;
  wisp_hexnodes *nodes = NULL;
  cells c = {mesh->vertices, mesh->elements, 8, mesh->xyz, mesh->hex, hex_frames, NULL, NULL, NULL, NULL, NULL};
  TRY(wisp_new(err, mesh->vertices, 1, &c.outside));
  TRY(wisp_hexnodes_create(err, "jitter", mesh, 1, &nodes));
  for (size_t i = 0; i < 8 * mesh->elements; i++) c.outside[mesh->hex[i]] = nodes->outside[nodes->global[i]];
  TRY(move_vertices(err, &c, amount, seed));
done:
  wisp_hexnodes_destroy(nodes);
  free(c.outside);
  return status;
}

/* The numbers 0 .. count - 1 in random order (Fisher & Yates). */
static wisp_status permutation(wisp_error *err, size_t count, uint64_t *random, int32_t **out)
{
  int32_t *order = NULL;
  CALL(wisp_new(err, count, sizeof *order, &order));
  for (size_t i = 0; i < count; i++) {
    size_t other = wisp_random_below(random, i + 1);
    order[i] = order[other];
    order[other] = (int32_t)i;
  }
  *out = order;
  return WISP_OK;
}

/* Vertex v becomes to[v]; xyz is replaced. */
static wisp_status renumber(wisp_error *err, size_t vertices, const int32_t *to, double **xyz)
{
  double *moved = NULL;
  CALL(wisp_new(err, 3 * vertices, sizeof *moved, &moved));
  for (size_t i = 0; i < 3 * vertices; i++) moved[3 * (size_t)to[i / 3] + i % 3] = (*xyz)[i];
  free(*xyz);
  *xyz = moved;
  return WISP_OK;
}

/* The even permutations of a tet's corners: any first corner of tet_frames, the other three turned. */
static void turn_tet(uint64_t *random, int corner[4])
{
  const int *frame = tet_frames[wisp_random_below(random, 4)];
  const size_t turn = wisp_random_below(random, 3);
  corner[0] = frame[0];
  for (size_t i = 0; i < 3; i++) corner[1 + i] = frame[1 + (i + turn) % 3];
}

/* A rotation of the cube takes corner 0 anywhere, and its three edges in one of three turns; corner v is then where
 * those of its bits that are set lead. */
static void turn_hex(uint64_t *random, int corner[8])
{
  const int *frame = hex_frames[wisp_random_below(random, 8)];
  const size_t turn = wisp_random_below(random, 3);
  for (int v = 0; v < 8; v++) {
    corner[v] = frame[0];
    for (size_t d = 0; d < 3; d++)
      if (v >> d & 1) corner[v] ^= frame[0] ^ frame[1 + (d + turn) % 3];
  }
}

wisp_status wisp_mesh_shuffle(wisp_error *err, wisp_mesh *mesh, uint64_t seed)
{
  static const int face_across[4] = {2, 3, 1, 0}; /* the face without corner 0, 1, 2, 3; and of a face: its corner */
  static const int corner_across[4] = {3, 2, 0, 1};
  wisp_status status = WISP_OK;
  uint64_t random = wisp_random_from(seed);
  int32_t *vertex = NULL, *element = NULL, *tet = NULL, *tag = NULL;
  TRY(permutation(err, mesh->vertices, &random, &vertex));
  TRY(permutation(err, mesh->elements, &random, &element));
  TRY(wisp_new(err, 4 * mesh->elements, sizeof *tet, &tet));
  TRY(wisp_new(err, 4 * mesh->elements, sizeof *tag, &tag));
  for (size_t k = 0; k < mesh->elements; k++) {
    const size_t from = 4 * (size_t)element[k];
    int corner[4];
    turn_tet(&random, corner);
    for (size_t i = 0; i < 4; i++) {
      tet[4 * k + i] = vertex[mesh->tet[from + (size_t)corner[i]]];
      tag[4 * k + i] = mesh->tag[from + (size_t)face_across[corner[corner_across[i]]]];
    }
  }
  TRY(renumber(err, mesh->vertices, vertex, &mesh->xyz));
  int32_t *const old[] = {mesh->tet, mesh->tag};
  mesh->tet = tet;
  mesh->tag = tag;
  tet = old[0];
  tag = old[1];
  TRY(wisp_mesh_connect(err, "shuffled mesh", mesh));
done:
  free(vertex);
  free(element);
  free(tet);
  free(tag);
  return status;
}

wisp_status wisp_hexmesh_shuffle(wisp_error *err, wisp_hexmesh *mesh, uint64_t seed)
{
  wisp_status status = WISP_OK;
  uint64_t random = wisp_random_from(seed);
  int32_t *vertex = NULL, *element = NULL, *hex = NULL;
  TRY(permutation(err, mesh->vertices, &random, &vertex));
  TRY(permutation(err, mesh->elements, &random, &element));
  TRY(wisp_new(err, 8 * mesh->elements, sizeof *hex, &hex));
  for (size_t k = 0; k < mesh->elements; k++) {
    int corner[8];
    turn_hex(&random, corner);
    for (size_t v = 0; v < 8; v++) hex[8 * k + v] = vertex[mesh->hex[8 * (size_t)element[k] + (size_t)corner[v]]];
  }
  TRY(renumber(err, mesh->vertices, vertex, &mesh->xyz));
  int32_t *old = mesh->hex;
  mesh->hex = hex;
  hex = old;
done:
  free(vertex);
  free(element);
  free(hex);
  return status;
}

/* --- a mesh to check on --- */

/* Ways in which faces meet, of the 4 x 4 x 3 that there are: their numbers, and how one is turned against the other. */
static int ways_to_meet(const wisp_mesh *mesh)
{
  enum { FACES = 4, TURNS = 6 };
  bool seen[FACES][FACES][TURNS] = {0};
  int ways = 0;
  for (size_t face = 0; face < FACES * mesh->elements; face++) {
    if (mesh->neighbour[face] == WISP_BOUNDARY) continue;
    bool *way = &seen[face % FACES][mesh->neighbour_face[face]][mesh->neighbour_turn[face]];
    ways += !*way;
    *way = true;
  }
  return ways;
}

wisp_status wisp_mesh_all_ways(wisp_error *err, wisp_mesh **out)
{
  enum { BOX = 3, LEFT_OUT = 5, WAYS = 48, SEED = 1, TAGS = 8 };
  static const double jitter = 0.3;
  wisp_status status = WISP_OK;
  wisp_mesh *box = NULL, *mesh = NULL;
  TRY(wisp_mesh_box(err, BOX, &box));
  TRY(wisp_mesh_create(err, box->vertices, box->elements - LEFT_OUT, &mesh));
  memcpy(mesh->xyz, box->xyz, 3 * box->vertices * sizeof *mesh->xyz);
  memcpy(mesh->tet, box->tet, 4 * mesh->elements * sizeof *mesh->tet);
  TRY(wisp_mesh_connect(err, "ragged box", mesh));
  TRY(wisp_mesh_jitter(err, mesh, jitter, SEED));
  TRY(wisp_mesh_shuffle(err, mesh, SEED));
  const int ways = ways_to_meet(mesh);
  TRY(wisp_require(err, ways == WAYS, WISP_ESYSTEM,
                   "the mesh for verification shows %d ways in which faces meet, not %d", ways, WAYS));
  uint64_t random = wisp_random_from(SEED);
  for (size_t face = 0; face < 4 * mesh->elements; face++)
    if (mesh->neighbour[face] == WISP_BOUNDARY) mesh->tag[face] = (int32_t)wisp_random_below(&random, TAGS);
  *out = mesh;
done:
  if (status != WISP_OK) wisp_mesh_destroy(mesh);
  wisp_mesh_destroy(box);
  return status;
}
