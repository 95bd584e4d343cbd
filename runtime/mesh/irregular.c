#include "source.h"

#include "../../gen/random.h"
#include "../../gen/nodal/tet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What moving vertices must know of a mesh. */
typedef struct cells {
  const wisp_mesh *mesh;
  size_t corners; /* of an element */
  const int (*frame)[4];
  unsigned char *outside; /* vertices: 1 on the boundary */
  double *shortest;       /* vertices: its shortest edge */
  double *least;          /* elements: the volume that must be left at every corner */
  size_t *start;          /* vertices + 2: where a vertex's list of elements begins */
  uint32_t *around;       /* corners x elements */
} cells;

enum { X, Y, Z, DIRECTIONS };

static double edge_length(const wisp_mesh *mesh, int32_t a, int32_t b)
{
  double square = 0;
  for (size_t d = 0; d < DIRECTIONS; d++) {
    const double e = mesh->xyz[3 * (size_t)b + d] - mesh->xyz[3 * (size_t)a + d];
    square += e * e;
  }
  return sqrt(square);
}

/* The smallest of the volumes that an element's edges span at its corners, up to a factor. */
static double smallest_volume(const cells *c, size_t element)
{
  double least = INFINITY;
  for (size_t i = 0; i < c->corners; i++) least = fmin(least, wisp_mesh_corner(c->mesh, element, c->frame[i], NULL));
  return least;
}

/* Each vertex's shortest edge, and the elements around it. */
static wisp_status look_around(wisp_error *err, cells *c)
{
  const wisp_mesh *mesh = c->mesh;
  CALL(wisp_new(err, mesh->vertices, sizeof *c->shortest, &c->shortest));
  CALL(wisp_new(err, mesh->elements, sizeof *c->least, &c->least));
  CALL(wisp_new(err, mesh->vertices + 2, sizeof *c->start, &c->start));
  CALL(wisp_new(err, c->corners * mesh->elements, sizeof *c->around, &c->around));
  for (size_t v = 0; v < mesh->vertices; v++) c->shortest[v] = INFINITY;
  for (size_t k = 0; k < mesh->elements; k++) {
    const int32_t *v = mesh->cell + c->corners * k;
    c->least[k] = smallest_volume(c, k) / 10;
    for (size_t i = 0; i < c->corners; i++) {
      const int *frame = c->frame[i];
      double *shortest = &c->shortest[v[frame[0]]];
      for (int to = 1; to < 4; to++) *shortest = fmin(*shortest, edge_length(mesh, v[frame[0]], v[frame[to]]));
      c->start[v[i] + 2]++;
    }
  }
  for (size_t v = 2; v < mesh->vertices + 2; v++) c->start[v] += c->start[v - 1];
  for (size_t i = 0; i < c->corners * mesh->elements; i++)
    c->around[c->start[mesh->cell[i] + 1]++] = (uint32_t)(i / c->corners);
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
  const double *x = c->mesh->xyz + 3 * vertex;
  int sides = 0;
  if (!c->outside[vertex]) return;
  for (int d = 0; d < DIRECTIONS; d++)
    if (low[d] < high[d] && (x[d] <= low[d] || x[d] >= high[d])) sides++, move[d] = 0;
  for (int d = 0; d < DIRECTIONS && !sides; d++) move[d] = 0;
}

static void jitter(cells *c, double amount, uint64_t seed)
{
  double low[DIRECTIONS], high[DIRECTIONS];
  uint64_t random = wisp_random_from(seed);
  wisp_mesh_extent(c->mesh, low, high);
  for (size_t v = 0; v < c->mesh->vertices; v++) {
    double *x = c->mesh->xyz + 3 * v, move[DIRECTIONS];
    const double from[DIRECTIONS] = {x[X], x[Y], x[Z]};
    for (int d = 0; d < DIRECTIONS; d++) move[d] = amount * wisp_random_real(&random) * c->shortest[v];
    if (c->start[v] == c->start[v + 1]) continue; /* no element's */
    if (wisp_mesh_dimension(c->mesh) == 2) move[Z] = 0;
    keep_to_boundary(c, v, low, high, move);
    double share = 1;
    do {
      for (int d = 0; d < DIRECTIONS; d++) x[d] = share > 1e-3 ? from[d] + share * move[d] : from[d];
      share /= 2;
    } while (share > 1e-4 && !room_around(c, v));
  }
}

/* A boundary face of tets or triangles has no neighbour; the order-1 nodes of hexes are their vertices, and know. */
static wisp_status mark_outside(wisp_error *err, const wisp_mesh *mesh, unsigned char *outside)
{
  const wisp_cell *cell = wisp_mesh_cell(mesh);
  const size_t faces = (size_t)cell->faces; /* of those below as many as corners */
  wisp_hexnodes *nodes = NULL;
  if (!cell->is_connected) {
    CALL(wisp_hexnodes_create(err, "jitter", mesh, 1, &nodes));
    for (size_t i = 0; i < 8 * mesh->elements; i++) outside[mesh->hex[i]] = nodes->outside[nodes->global[i]];
    wisp_hexnodes_destroy(nodes);
    return WISP_OK;
  }
  for (size_t f = 0; f < faces * mesh->elements; f++)
    for (int a = 0; a < cell->face_corners && mesh->neighbour[f] == WISP_BOUNDARY; a++)
      outside[mesh->cell[f / faces * faces + (size_t)cell->face[f % faces][a]]] = 1;
  return WISP_OK;
}

wisp_status wisp_mesh_jitter(wisp_error *err, wisp_mesh *mesh, double amount, uint64_t seed)
{
  wisp_status status = WISP_OK;
  cells c = {.mesh = mesh, .corners = (size_t)mesh->corners};
  c.frame = wisp_mesh_cell(mesh)->frame;
  TRY(wisp_require(err, amount >= 0 && amount <= 0.5, WISP_EUSAGE,
                   "jitter: %g of a vertex's shortest edge, must be 0 to 0.5", amount));
  TRY(wisp_new(err, mesh->vertices, 1, &c.outside));
  TRY(mark_outside(err, mesh, c.outside));
  TRY(look_around(err, &c));
  jitter(&c, amount, seed);
done:
  free(c.outside);
  free(c.shortest);
  free(c.least);
  free(c.start);
  free(c.around);
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

/* The even permutations of a tet's corners: any first corner of their frames, the other three turned. */
static void turn_tet(uint64_t *random, int *corner)
{
  const int *frame = wisp_cells[4].frame[wisp_random_below(random, 4)];
  const size_t turn = wisp_random_below(random, 3);
  corner[0] = frame[0];
  for (size_t i = 0; i < 3; i++) corner[1 + i] = frame[1 + (i + turn) % 3];
}

/* A rotation of the cube takes corner 0 anywhere, and its three edges in one of three turns; corner v is then where
 * those of its bits that are set lead. */
static void turn_hex(uint64_t *random, int *corner)
{
  const int *frame = wisp_cells[8].frame[wisp_random_below(random, 8)];
  const size_t turn = wisp_random_below(random, 3);
  for (int v = 0; v < 8; v++) {
    corner[v] = frame[0];
    for (size_t d = 0; d < 3; d++)
      if (v >> d & 1) corner[v] ^= frame[0] ^ frame[1 + (d + turn) % 3];
  }
}

static void turn_tri(uint64_t *random, int *corner)
{
  const int turn = (int)wisp_random_below(random, 3);
  for (int i = 0; i < 3; i++) corner[i] = (i + turn) % 3;
}

wisp_status wisp_mesh_shuffle(wisp_error *err, wisp_mesh *mesh, uint64_t seed)
{
  static void (*const turns[])(uint64_t * random, int *corner) = {[3] = turn_tri, [4] = turn_tet, [8] = turn_hex};
  const wisp_cell *kind = wisp_mesh_cell(mesh);
  const size_t corners = (size_t)mesh->corners, faces = kind->is_connected ? corners : 0;
  uint64_t random = wisp_random_from(seed);
  OWNED(free) int32_t *vertex = NULL, *element = NULL, *cell = NULL, *tag = NULL, *region = NULL;
  CALL(permutation(err, mesh->vertices, &random, &vertex));
  CALL(permutation(err, mesh->elements, &random, &element));
  CALL(wisp_new(err, corners * mesh->elements, sizeof *cell, &cell));
  CALL(wisp_new(err, faces * mesh->elements, sizeof *tag, &tag));
  CALL(wisp_new(err, faces ? mesh->elements : 0, sizeof *region, &region));
  for (size_t k = 0; k < mesh->elements; k++) {
    const size_t from = corners * (size_t)element[k];
    int corner[8];
    if (faces) region[k] = mesh->region[element[k]];
    turns[corners](&random, corner);
    for (size_t i = 0; i < corners; i++) cell[corners * k + i] = vertex[mesh->cell[from + (size_t)corner[i]]];
    for (size_t i = 0; i < faces; i++)
      tag[faces * k + i] = mesh->tag[from + (size_t)kind->across[corner[kind->opposite[i]]]];
  }
  CALL(renumber(err, mesh->vertices, vertex, &mesh->xyz));
  int32_t *const old[] = {mesh->cell, mesh->tag, mesh->region};
  mesh->cell = cell;
  mesh->tag = tag;
  mesh->region = region;
  cell = old[0];
  tag = old[1];
  region = old[2];
  return faces ? wisp_mesh_connect(err, "shuffled mesh", mesh) : WISP_OK;
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
    bool *way = &seen[face % FACES][mesh->neighbour_face[face]][mesh->neighbour_orientation[face]];
    ways += !*way;
    *way = true;
  }
  return ways;
}

wisp_status wisp_mesh_all_pairings(wisp_error *err, wisp_mesh **out)
{
  enum { BOX = 3, LEFT_OUT = 5, WAYS = 48, SEED = 1, TAGS = 8 };
  static const double jitter = 0.3;
  OWNED(wisp_mesh_destroy) wisp_mesh *box = NULL, *mesh = NULL;
  CALL(wisp_mesh_box(err, BOX, &box));
  CALL(wisp_mesh_create(err, 4, box->vertices, box->elements - LEFT_OUT, &mesh));
  memcpy(mesh->xyz, box->xyz, 3 * box->vertices * sizeof *mesh->xyz);
  memcpy(mesh->tet, box->tet, 4 * mesh->elements * sizeof *mesh->tet);
  CALL(wisp_mesh_connect(err, "ragged box", mesh));
  CALL(wisp_mesh_jitter(err, mesh, jitter, SEED));
  CALL(wisp_mesh_shuffle(err, mesh, SEED));
  const int ways = ways_to_meet(mesh);
  CALL(wisp_require(err, ways == WAYS, WISP_ESYSTEM,
                    "the mesh for verification shows %d ways in which faces meet, not %d", ways, WAYS));
  uint64_t random = wisp_random_from(SEED);
  for (size_t face = 0; face < 4 * mesh->elements; face++)
    if (mesh->neighbour[face] == WISP_BOUNDARY) mesh->tag[face] = (int32_t)wisp_random_below(&random, TAGS);
  return GIVE(mesh, out);
}

wisp_status wisp_mesh_to_check(wisp_error *err, int corners, wisp_mesh **out)
{
  static const int squares[2] = {7, 6};
  static const double jitter = 0.2, steps = 65536;
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  const bool flat = wisp_cells[corners].dimension == 2;
  CALL(flat ? wisp_mesh_grid(err, corners, squares, &mesh) : wisp_mesh_all_pairings(err, &mesh));
  if (flat) {
    mesh->elements--;
    CALL(wisp_mesh_connect(err, "ragged box", mesh));
    CALL(wisp_mesh_jitter(err, mesh, jitter, 1));
    CALL(wisp_mesh_shuffle(err, mesh, 1));
  }
  for (size_t i = 0; i < 3 * mesh->vertices; i++) mesh->xyz[i] = round(steps * mesh->xyz[i]) / steps;
  return GIVE(mesh, out);
}
