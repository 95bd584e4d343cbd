/* Claim: the corners of tets that are put into order are turned so that faces meet in few ways, and the lanes of a warp
 * find what they read of their neighbours in fewer lines; elements stay what they were in space, their tags with them,
 * and each remembers its own corners. */
#include "test.h"
#include "../gen/nodal/tet.h"
#include "../runtime/mesh/source.h"

enum { SLAB = 32, FACES = WISP_TET_FACES };

static int compare(const void *left, const void *right)
{
  const int32_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static void face_vertices(const wisp_mesh *mesh, size_t face, int32_t vertex[3])
{
  for (int a = 0; a < 3; a++) vertex[a] = mesh->tet[face / 4 * 4 + (size_t)wisp_tet_face_vertices[face % 4][a]];
  qsort(vertex, 3, sizeof *vertex, compare);
}

/* Every way in which faces meet, and random tags; turned and as it was. */
TEST(test_turned)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *was = NULL, *is = NULL;
  GOOD(wisp_mesh_all_pairings(err, &was));
  GOOD(wisp_mesh_all_pairings(err, &is));
  assert_null(is->corner);
  GOOD(wisp_mesh_sort_corners(err, is)); /* which finds all volumes positive */
  size_t moved = 0;
  for (size_t k = 0; k < is->elements; k++) {
    const int32_t *v = is->tet + 4 * k;
    for (size_t i = 0; i < 4; i++) {
      assert_int_equal(v[i], was->tet[4 * k + (size_t)is->corner[4 * k + i]]);
      moved += is->corner[4 * k + i] != (int8_t)i;
    }
    assert_true(v[2] < v[3] && v[0] < v[2] && v[1] < v[2]);
    for (size_t f = 4 * k; f < 4 * k + FACES; f++) {
      int32_t ours[3], theirs[3];
      size_t other = 4 * k;
      face_vertices(is, f, ours);
      for (face_vertices(was, other, theirs); memcmp(ours, theirs, sizeof ours); face_vertices(was, other, theirs))
        assert_true(++other < 4 * k + FACES);
      assert_int_equal(is->tag[f], was->tag[other]);
      assert_int_equal(is->neighbour[f], was->neighbour[other]);
    }
  }
  assert_true(moved > is->elements);
}

/* The lines of 32 numbers that a warp reads as its lanes take one node each of their neighbours' faces. */
static double lines(const wisp_mesh *mesh, const wisp_tet *tet)
{
  size_t total = 0, loads = 0, *place = allocate(mesh->elements, sizeof *place);
  for (size_t i = 0; i < mesh->elements; i++) place[wisp_mesh_at(mesh, i)] = i;
  for (size_t slab = 0; slab + SLAB <= mesh->elements; slab += SLAB)
    for (size_t n = 0; n < FACES * (size_t)tet->Nfp; n++, loads++) {
      int32_t line[SLAB], count = 0;
      for (size_t i = slab; i < slab + SLAB; i++) {
        const size_t face = 4 * (size_t)wisp_mesh_at(mesh, i) + n / (size_t)tet->Nfp;
        if (mesh->neighbour[face] == WISP_BOUNDARY) continue;
        const size_t code = (size_t)(6 * mesh->neighbour_face[face] + mesh->neighbour_orientation[face]);
        const int node = tet->facelist[code * (size_t)tet->Nfp + n % (size_t)tet->Nfp];
        line[count++] = (int32_t)(place[mesh->neighbour[face]] / SLAB) * tet->Np + node;
      }
      qsort(line, (size_t)count, sizeof *line, compare);
      for (int32_t c = 0; c < count; c++) total += c == 0 || line[c] != line[c - 1];
    }
  free(place);
  return (double)total / (double)loads;
}

/* A turned mesh is read in two thirds of the lines, whatever its vertices are called. */
TEST(test_lines)
{
  double read[2];
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  GOOD(wisp_tet_create(err, 3, &tet));
  for (int sorted = 0; sorted < 2; sorted++) {
    const wisp_mesh_source source = {
        .box = {12, 12, 12}, .jitter = 0.2, .shuffle = true, .seed = 5, .sorts_corners = (bool)sorted};
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
    GOOD(wisp_mesh_make(err, 4, &source, &mesh));
    assert_true((mesh->corner != NULL) == (bool)sorted);
    read[sorted] = lines(mesh, tet);
  }
  print_message("%.1f lines a load, turned %.1f\n", read[0], read[1]);
  assert_true(read[1] < 0.68 * read[0]);
}

/* As given is as given. */
TEST(test_as_given)
{
  const wisp_mesh_source sources[] = {{.box = {3, 3, 3}, .sorts_corners = true},
                                      {.box = {3, 3, 3}, .shuffle = true, .as_asked = true, .sorts_corners = true}};
  for (size_t i = 0; i < 2; i++) {
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
    GOOD(wisp_mesh_make(err, 4, &sources[i], &mesh));
    assert_null(mesh->corner);
  }
}
