#include "half_turns.h"
#include "tet_internal.h"

#include <math.h>

enum { FACE_OF_VERTEX_0 = 2 }; /* the face opposite vertex 0, which stays in its place by third turns */

/* The node that this one becomes by m third turns about vertex 0, which take vertices 1 2 3 to 2 3 1, then half turn g,
 * which takes vertex v to v ^ g. */
static int image(int N, int node, int m, int g)
{
  int to[4];
  for (int v = 0; v < 4; v++) to[v] = (v ? (v + m - 1) % 3 + 1 : 0) ^ g;
  return wisp_tet_image(N, node, to);
}

/* The next orbit, of x and its images, unless x lies in one already. orbit says of each node in which it is, -1 first.
 */
static void add_orbit(wisp_half_turns *t, int N, int x, int *orbit)
{
  if (orbit[x] >= 0) return;
  for (int g = 0; g < 4; g++) orbit[t->node[4 * t->orbits + g] = image(N, x, 0, g)] = t->orbits;
  t->orbits++;
}

/* As many as class k occurs among the nodes: the mean over g of chi_k(g) times the nodes that g leaves in place. A half
 * turn leaves N/2 + 1 nodes of an even order in place, and none of an odd one. */
void wisp_half_turns_classes(int N, int size[4])
{
  const int Np = wisp_tet_size(N), in_place = N % 2 ? 0 : N / 2 + 1;
  for (int k = 0; k < 4; k++) size[k] = (Np + (k ? -1 : 3) * in_place) / 4;
}

/* Orbits of four begin with a node that third turns leave in its place, where there is one; they and those on axes
 * follow one another as their first nodes are turned, so that no class value changes its sign by a turn. */
static void list_orbits(wisp_half_turns *t, const wisp_tet *tet, int *orbit)
{
  const int N = tet->N, Np = tet->Np;
  for (int x = 0; x < Np; x++) orbit[x] = -1;
  for (int x = 0; x < Np; x++)
    if (image(N, x, 1, 0) == x && image(N, x, 0, 1) != x) add_orbit(t, N, x, orbit);
  for (int x = 0; x < Np; x++) {
    bool alone = true;
    for (int g = 1; g < 4; g++) alone = alone && image(N, x, 0, g) != x;
    for (int m = 0; m < 3 && alone; m++) add_orbit(t, N, image(N, x, m, 0), orbit);
  }
  t->size[1] = t->orbits;
  for (int m = 0; m < 3; m++) {
    for (int x = 0; x < Np; x++)
      if (image(N, x, 0, 1) == x && image(N, x, 0, 2) != x) add_orbit(t, N, image(N, x, m, 0), orbit);
    if (m == 0) t->size[1] = t->size[2] = t->size[3] = t->orbits;
  }
  for (int x = 0; x < Np; x++) add_orbit(t, N, x, orbit); /* the centre */
  t->size[0] = t->orbits;
}

/* The images of orbits under third turns, and the orbits' places in the classes. */
static void list_rows(wisp_half_turns *t, const wisp_tet *tet, const int *orbit)
{
  const int S = t->orbits;
  for (int m = 0; m < 3; m++)
    for (int i = 0; i < S; i++) t->rotated[m * S + i] = orbit[image(tet->N, t->node[4 * i], m, 0)];
  for (int i = 0; i < S; i++)
    for (int k = 0; k < 4; k++) t->row[4 * i + k] = k ? -1 : i;
  for (int k = 1; k < 4; k++)
    for (int i = 0; i < t->size[k]; i++) t->row[4 * t->rotated[(k - 1) * S + i] + k] = i;
}

/* A half turn takes a face to that opposite another vertex. */
static void list_faces(wisp_half_turns *t, const wisp_tet *tet)
{
  for (int j = 0; j < tet->Nfp; j++) {
    const int node = tet->Fmask[FACE_OF_VERTEX_0 * tet->Nfp + j];
    for (int g = 0; g < 4; g++) {
      const int at = t->face_node[4 * j + g] =
          wisp_tet_on_face(tet, wisp_tet_face_opposite(g), image(tet->N, node, 0, g));
      t->face_orbit[at] = 4 * j + g;
    }
    for (int m = 0; m < 3; m++)
      t->face_turned[m * tet->Nfp + j] =
          wisp_tet_on_face(tet, FACE_OF_VERTEX_0, image(tet->N, node, m, 0)) - FACE_OF_VERTEX_0 * tet->Nfp;
  }
}

/* From class `from` of a column's orbit, `size` nodes or face nodes of it counting once each, to a quarter of class
 * `to` of a row's: A has `width` columns. Sums over the whole group are what is symmetric in A. */
static double between(const double *A, int width, const int rows[4], const int columns[4], int size, int to, int from)
{
  double sum = 0;
  for (int g = 0; g < 4; g++)
    for (int h = 0; h < 4; h++)
      sum += wisp_half_turn_sign(to, g) * wisp_half_turn_sign(from, h) * A[rows[g] * width + columns[h]];
  return sum * size / 64;
}

static int orbit_size(const int node[4])
{
  int size = 0;
  for (int g = 0; g < 4; g++) size += node[g] == node[0];
  return 4 / size;
}

/* Class 1's orbits are not turned, class 2's once, class 3's twice; class 0's as often as the direction is. */
static int rotated(const wisp_half_turns *t, int class, int m, int i)
{
  return t->rotated[(class ? class - 1 : m) * t->orbits + i];
}

/* The class that one becomes by m third turns. */
static int rotated_class(int class, int m)
{
  return class ? (class - 1 + m) % 3 + 1 : 0;
}

/* Block k of direction 1, and of 2 and 3 what it is turned into: each entry is the mean of the three. */
static void derive(wisp_half_turns *t, int Np, double *const D[3], int k)
{
  const int S = t->orbits;
  for (int i = 0; i < t->size[k]; i++)
    for (int j = 0; j < t->size[k ^ 1]; j++) {
      double mean = 0;
      for (int m = 0; m < 3; m++) {
        const int to = rotated_class(k, m), from = rotated_class(k ^ 1, m);
        const int *row = t->node + 4 * rotated(t, to, m, i), *column = t->node + 4 * rotated(t, from, m, j);
        mean += between(D[m], Np, row, column, orbit_size(column), to, from) / 3;
      }
      for (int m = 0; m < 3; m++) {
        const int to = rotated_class(k, m), from = rotated_class(k ^ 1, m);
        const int row = to ? i : rotated(t, 0, m, i), column = from ? j : rotated(t, 0, m, j);
        t->D[((m * 4 + to) * S + row) * S + column] = mean;
      }
    }
}

/* Block 0 of LIFT, or 1, and what they are turned into. */
static void lift(wisp_half_turns *t, const wisp_tet *tet, int k)
{
  const int S = t->orbits, Nfp = tet->Nfp;
  for (int i = 0; i < t->size[k]; i++)
    for (int j = 0; j < Nfp; j++) {
      double mean = 0;
      for (int m = 0; m < 3; m++) {
        const int class = rotated_class(k, m);
        const int *row = t->node + 4 * rotated(t, class, m, i),
                  *column = t->face_node + 4 * t->face_turned[m * Nfp + j];
        mean += between(tet->LIFT, 4 * Nfp, row, column, 4, class, class) / 3;
      }
      for (int m = 0; m < 3; m++) {
        const int row = k ? i : rotated(t, 0, m, i);
        t->LIFT[(rotated_class(k, m) * S + row) * Nfp + t->face_turned[m * Nfp + j]] = mean;
      }
    }
}

/* D_1, D_2 and D_3 from Dr, Ds and Dt, Np x Np each. */
static wisp_status find_along(wisp_error *err, const wisp_tet *tet, double **along)
{
  const size_t size = (size_t)tet->Np * (size_t)tet->Np;
  CALL(wisp_new(err, 3 * size, sizeof **along, along));
  for (size_t m = 0; m < 3; m++)
    for (size_t q = 0; q < size; q++)
      (*along)[m * size + q] = tet->D[m][q] - (tet->D[0][q] + tet->D[1][q] + tet->D[2][q]) / 2;
  return WISP_OK;
}

static wisp_status make_blocks(wisp_error *err, wisp_half_turns *t, const wisp_tet *tet)
{
  const size_t size = (size_t)tet->Np * (size_t)tet->Np, S = (size_t)t->orbits, Nfp = (size_t)tet->Nfp;
  OWNED(free) double *along = NULL;
  CALL(find_along(err, tet, &along));
  CALL(wisp_new(err, 12 * S * S, sizeof *t->D, &t->D));
  CALL(wisp_new(err, 4 * S * Nfp, sizeof *t->LIFT, &t->LIFT));
  for (int k = 0; k < 4; k++) derive(t, tet->Np, (double *const[]){along, along + size, along + 2 * size}, k);
  for (int k = 0; k < 2; k++) lift(t, tet, k);
  wisp_tet_drop_rounding(t->D, 12 * S * S);
  wisp_tet_drop_rounding(t->LIFT, 4 * S * Nfp);
  return WISP_OK;
}

wisp_status wisp_half_turns_create(wisp_error *err, const wisp_tet *tet, wisp_half_turns **out)
{
  const size_t Np = (size_t)tet->Np, Nfp = (size_t)tet->Nfp;
  OWNED(wisp_half_turns_destroy) wisp_half_turns *t = NULL;
  OWNED(free) int *orbit = NULL;
  CALL(wisp_new(err, Np, sizeof *orbit, &orbit));
  CALL(wisp_new(err, 1, sizeof *t, &t));
  CALL(wisp_new(err, 4 * Np, sizeof *t->node, &t->node));
  CALL(wisp_new(err, 4 * Np, sizeof *t->row, &t->row));
  CALL(wisp_new(err, 3 * Np, sizeof *t->rotated, &t->rotated));
  CALL(wisp_new(err, 4 * Nfp, sizeof *t->face_node, &t->face_node));
  CALL(wisp_new(err, 4 * Nfp, sizeof *t->face_orbit, &t->face_orbit));
  CALL(wisp_new(err, 3 * Nfp, sizeof *t->face_turned, &t->face_turned));
  list_orbits(t, tet, orbit);
  list_rows(t, tet, orbit);
  list_faces(t, tet);
  CALL(make_blocks(err, t, tet));
  return GIVE(t, out);
}

void wisp_half_turns_destroy(wisp_half_turns *t)
{
  if (!t) return;
  free(t->node), free(t->row), free(t->rotated);
  free(t->face_node), free(t->face_orbit), free(t->face_turned);
  free(t->D), free(t->LIFT);
  free(t);
}

/* Each row's magnitudes, added up over the images of a column, to those columns of out. */
static void add_images(int rows, int width, const double *A, int orbits, const int *images, double *out)
{
  for (int x = 0; x < rows; x++)
    for (int j = 0; j < orbits; j++) {
      double all = 0;
      const int *at = images + 4 * j, size = orbit_size(at);
      for (int g = 0; g < 4; g++) all += fabs(A[x * width + at[g]]);
      for (int g = 0; g < 4; g++) out[x * width + at[g]] += all * size / 4;
    }
}

wisp_status wisp_half_turns_sizes(wisp_error *err, const wisp_tet *tet, double **sizes)
{
  const int Np = tet->Np, Nfp = tet->Nfp;
  const size_t size = (size_t)Np * (size_t)Np;
  OWNED(wisp_half_turns_destroy) wisp_half_turns *t = NULL;
  OWNED(free) double *along = NULL, *out = NULL;
  CALL(wisp_half_turns_create(err, tet, &t));
  CALL(find_along(err, tet, &along));
  CALL(wisp_new(err, 3 * size + (size_t)Np * 4 * (size_t)Nfp, sizeof *out, &out));
  for (size_t mu = 0; mu < 3; mu++)
    for (size_t m = 0; m < 3; m++)
      if (m != mu) add_images(Np, Np, along + m * size, t->orbits, t->node, out + mu * size);
  add_images(Np, 4 * Nfp, tet->LIFT, Nfp, t->face_node, out + 3 * size);
  return GIVE(out, sizes);
}
