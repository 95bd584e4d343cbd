/* Makes the nodal tet's operators exactly symmetric under all 24 permutations of its vertices: each entry gets the mean
 * of its images. G_v, with Dr = G_1 - G_0, Ds = G_2 - G_0, Dt = G_3 - G_0 and G_0 + G_1 + G_2 + G_3 = 0, are one matrix
 * in four places: a permutation that takes vertex v to w takes entry (x, y) of G_v to an entry of G_w. */
#include "tet_internal.h"

const int wisp_tet_face_vertices[WISP_TET_FACES][3] = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}};

const int wisp_tet_orientations[WISP_TET_ORIENTATIONS][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                                             {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

enum { PERMUTATIONS = 24 };

typedef struct images {
  int to[PERMUTATIONS][4]; /* where vertices go */
  int *node, *face_node;   /* PERMUTATIONS x Np, and x 4 Nfp: where volume and face nodes go */
} images;

static void free_images(images *all)
{
  free(all->node), free(all->face_node);
}

int wisp_tet_image(int N, int node, const int to[4])
{
  int at[4] = {0};
  for (int k = 0; k <= N; k++)
    for (int j = 0; j <= N - k; j++) {
      const int i = node - wisp_tet_node(N, 0, j, k);
      if (i >= 0 && i <= N - k - j) at[to[0]] = N - i - j - k, at[to[1]] = i, at[to[2]] = j, at[to[3]] = k;
    }
  return wisp_tet_node(N, at[1], at[2], at[3]);
}

int wisp_tet_face_opposite(int vertex)
{
  static const int face[4] = {2, 3, 1, 0};
  return face[vertex];
}

int wisp_tet_on_face(const wisp_tet *tet, int face, int node)
{
  int at = face * tet->Nfp;
  while (tet->Fmask[at] != node) at++;
  return at;
}

/* Permutation number p: of the vertices left, the p mod 4th first, and so on. */
static void permute(int p, int to[4])
{
  int left[4] = {0, 1, 2, 3};
  for (int v = 0, choices = 4; v < 4; v++, choices--) {
    const int taken = p % choices;
    to[v] = left[taken];
    for (int i = taken; i + 1 < choices; i++) left[i] = left[i + 1];
    p /= choices;
  }
}

static wisp_status find_images(wisp_error *err, const wisp_tet *tet, images *all)
{
  const int Np = tet->Np, Nfp = tet->Nfp;
  CALL(wisp_new(err, PERMUTATIONS * (size_t)Np, sizeof *all->node, &all->node));
  CALL(wisp_new(err, PERMUTATIONS * WISP_TET_FACES * (size_t)Nfp, sizeof *all->face_node, &all->face_node));
  for (int p = 0; p < PERMUTATIONS; p++) {
    permute(p, all->to[p]);
    for (int x = 0; x < Np; x++) all->node[p * Np + x] = wisp_tet_image(tet->N, x, all->to[p]);
    for (int v = 0; v < 4; v++)
      for (int j = 0, face = wisp_tet_face_opposite(v); j < Nfp; j++)
        all->face_node[(p * WISP_TET_FACES + face) * Nfp + j] = wisp_tet_on_face(
            tet, wisp_tet_face_opposite(all->to[p][v]), all->node[p * Np + tet->Fmask[face * Nfp + j]]);
  }
  return WISP_OK;
}

/* The mean over (x, y)'s images to all of them: A is `places` matrices of Np x width, and permutation p takes the one
 * numbered 0 to the one numbered to[p]; every entry is an image of one of number 0. */
static void average(const images *all, int Np, int width, const int *columns, const int to[PERMUTATIONS], double *A)
{
  for (int x = 0; x < Np; x++)
    for (int y = 0; y < width; y++) {
      double *entry[PERMUTATIONS], sum = 0;
      bool first = true;
      for (int p = 0; p < PERMUTATIONS && first; p++) {
        entry[p] = A + (to[p] * Np + all->node[p * Np + x]) * width + columns[p * width + y];
        first = first && entry[p] >= A + x * width + y;
        sum += *entry[p];
      }
      for (int p = 0; p < PERMUTATIONS && first; p++) *entry[p] = sum / PERMUTATIONS;
    }
}

wisp_status wisp_tet_make_symmetric(wisp_error *err, wisp_tet *tet)
{
  const size_t size = (size_t)tet->Np * (size_t)tet->Np;
  const int same[PERMUTATIONS] = {0};
  int vertex0[PERMUTATIONS];
  HELD(free_images) images all = {.node = NULL};
  OWNED(free) double *G = NULL;
  CALL(find_images(err, tet, &all));
  CALL(wisp_new(err, 4 * size, sizeof *G, &G));
  for (int p = 0; p < PERMUTATIONS; p++) vertex0[p] = all.to[p][0];
  for (size_t q = 0; q < size; q++) { /* G_0 to G_3, one after the other */
    G[q] = -(tet->D[0][q] + tet->D[1][q] + tet->D[2][q]) / 4;
    for (size_t c = 0; c < 3; c++) G[(c + 1) * size + q] = tet->D[c][q] + G[q];
  }
  average(&all, tet->Np, tet->Np, all.node, vertex0, G);
  for (size_t c = 0; c < 3; c++)
    for (size_t q = 0; q < size; q++) tet->D[c][q] = G[(c + 1) * size + q] - G[q];
  average(&all, tet->Np, WISP_TET_FACES * tet->Nfp, all.face_node, same, tet->LIFT);
  return WISP_OK;
}
