#include "facets.h"
#include "source.h"
#include "../../gen/random.h"

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

/* The smallest of the volumes that an element's edges span at its corners, up to a factor. */
static double smallest_volume(const cells *c, size_t element)
{
  double least = INFINITY;
  for (size_t i = 0; i < c->corners; i++) least = fmin(least, wisp_mesh_corner(c->mesh, element, c->frame[i], NULL));
  return least;
}

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
      const double *from = mesh->xyz + 3 * (size_t)v[frame[0]];
      double *shortest = &c->shortest[v[frame[0]]];
      for (int to = 1; to < 4; to++)
        *shortest = fmin(*shortest, wisp_distance(from, mesh->xyz + 3 * (size_t)v[frame[to]]));
    }
  }
  wisp_list_around(c->corners, mesh->elements, mesh->cell, mesh->vertices, c->start, c->around);
  return WISP_OK;
}

static bool keeps_volumes(const cells *c, size_t vertex)
{
  for (size_t i = c->start[vertex]; i < c->start[vertex + 1]; i++)
    if (!(smallest_volume(c, c->around[i]) >= c->least[c->around[i]])) return false;
  return true;
}

/* Keeps a move to the boundary: a side of the bounding box takes its own direction from it, any other all. */
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
    } while (share > 1e-4 && !keeps_volumes(c, v));
  }
}

static void free_cells(cells *c)
{
  WISP_FREE(c->outside, c->shortest, c->least, c->start, c->around);
}

wisp_status wisp_mesh_jitter(wisp_error *err, wisp_mesh *mesh, double amount, uint64_t seed)
{
  HELD(free_cells) cells c = {.mesh = mesh, .corners = (size_t)mesh->corners, .frame = wisp_mesh_cell(mesh)->frame};
  OWNED(free) unsigned char *face = NULL;
  const size_t faces = (size_t)wisp_mesh_cell(mesh)->faces;
  int32_t vertex[4];
  CALL(wisp_require(err, amount >= 0 && amount <= 0.5, WISP_EUSAGE,
                    "jitter: %g of a vertex's shortest edge, must be 0 to 0.5", amount));
  CALL(wisp_new(err, mesh->vertices, 1, &c.outside));
  CALL(wisp_mesh_outside(err, mesh, &face));
  for (size_t f = 0; f < faces * mesh->elements; f++)
    for (int a = face[f] ? wisp_mesh_face(mesh, f / faces, (int)(f % faces), vertex) : 0; a-- > 0;)
      c.outside[vertex[a]] = 1;
  CALL(look_around(err, &c));
  jitter(&c, amount, seed);
  return WISP_OK;
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

/* A random even permutation of an element's corners: any first corner; the edges that lead from it are rotated. Corner
 * v of a hex is then where those of its bits that are set lead. */
static void orient(uint64_t *random, int corners, int8_t *corner)
{
  const int edges = wisp_cells[corners].dimension;
  const int *frame = edges == 3 ? wisp_cells[corners].frame[wisp_random_below(random, (size_t)corners)] : NULL;
  const int shift = (int)wisp_random_below(random, 3);
  for (int v = 0; v < corners; v++) {
    if (edges == 2) corner[v] = (int8_t)((v + shift) % 3);
    if (corners == 4) corner[v] = (int8_t)(v ? frame[1 + (v - 1 + shift) % 3] : frame[0]);
    if (corners == 8) corner[v] = (int8_t)frame[0];
    for (int d = 0; d < 3 && corners == 8; d++)
      if (v >> d & 1) corner[v] = (int8_t)(corner[v] ^ frame[0] ^ frame[1 + (d + shift) % 3]);
  }
}

wisp_status wisp_mesh_shuffle(wisp_error *err, wisp_mesh *mesh, uint64_t seed)
{
  uint64_t random = wisp_random_from(seed);
  OWNED(free) int32_t *vertex = NULL, *element = NULL;
  OWNED(free) int8_t *corner = NULL;
  OWNED(free) double *xyz = NULL;
  CALL(permutation(err, mesh->vertices, &random, &vertex));
  CALL(permutation(err, mesh->elements, &random, &element));
  CALL(wisp_new(err, mesh->elements, (size_t)mesh->corners, &corner));
  for (size_t k = 0; k < mesh->elements; k++) orient(&random, mesh->corners, corner + (size_t)mesh->corners * k);
  CALL(wisp_new(err, mesh->vertices, 3 * sizeof *xyz, &xyz));
  memcpy(xyz, mesh->xyz, 3 * mesh->vertices * sizeof *xyz);
  for (size_t i = 0; i < 3 * mesh->vertices; i++) mesh->xyz[3 * (size_t)vertex[i / 3] + i % 3] = xyz[i];
  for (size_t i = 0; i < (size_t)mesh->corners * mesh->elements; i++) mesh->cell[i] = vertex[mesh->cell[i]];
  CALL(wisp_mesh_rearrange(err, "shuffled mesh", mesh, element, corner));
  free(mesh->number);
  mesh->number = NULL; /* messages name the elements as they are now */
  return WISP_OK;
}

/* --- a mesh to check on --- */

/* Counts the pairings of faces, of the 4 x 4 x 3 that there are: two numbers of faces, and an orientation. */
static int count_pairings(const wisp_mesh *mesh)
{
  enum { FACES = 4, ORIENTATIONS = 6 };
  bool seen[FACES][FACES][ORIENTATIONS] = {0};
  int count = 0;
  for (size_t face = 0; face < FACES * mesh->elements; face++) {
    if (mesh->neighbour[face] == WISP_BOUNDARY) continue;
    bool *pairing = &seen[face % FACES][mesh->neighbour_face[face]][mesh->neighbour_orientation[face]];
    count += !*pairing;
    *pairing = true;
  }
  return count;
}

wisp_status wisp_mesh_all_pairings(wisp_error *err, wisp_mesh **out)
{
  enum { BOX = 3, LEFT_OUT = 5, PAIRINGS = 48, SEED = 1, TAGS = 8 };
  static const double jitter = 0.3;
  OWNED(wisp_mesh_destroy) wisp_mesh *box = NULL, *mesh = NULL;
  CALL(wisp_mesh_box(err, BOX, &box));
  CALL(wisp_mesh_create(err, 4, box->vertices, box->elements - LEFT_OUT, &mesh));
  memcpy(mesh->xyz, box->xyz, 3 * box->vertices * sizeof *mesh->xyz);
  memcpy(mesh->tet, box->tet, 4 * mesh->elements * sizeof *mesh->tet);
  CALL(wisp_mesh_connect(err, "ragged box", mesh));
  CALL(wisp_mesh_jitter(err, mesh, jitter, SEED));
  CALL(wisp_mesh_shuffle(err, mesh, SEED));
  const int pairings = count_pairings(mesh);
  CALL(wisp_require(err, pairings == PAIRINGS, WISP_ESYSTEM,
                    "the mesh for verification shows %d ways in which faces meet, not %d", pairings, PAIRINGS));
  uint64_t random = wisp_random_from(SEED);
  for (size_t face = 0; face < 4 * mesh->elements; face++)
    if (mesh->neighbour[face] == WISP_BOUNDARY) mesh->tag[face] = (int32_t)wisp_random_below(&random, TAGS);
  return GIVE(mesh, out);
}

wisp_status wisp_mesh_to_check(wisp_error *err, int corners, int number, wisp_mesh **out)
{
  static const int squares[2] = {7, 6};
  static const double jitter = 0.2, steps = 65536;
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  const bool flat = wisp_cells[corners].dimension == 2;
  CALL(wisp_require(err, number >= 0 && number < WISP_CHECK_MESHES, WISP_EUSAGE, "there is no mesh %d to check on",
                    number));
  if (number) return wisp_mesh_fans(err, corners, number, out);
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
