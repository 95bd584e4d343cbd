/* Small meshes to check kernels on besides the ragged box: a single element; two pieces, one of them tiny; a fan around
 * one vertex, or one edge, whose elements are thin, and one of them tiny; one of few elements; and a tiny element with
 * a large neighbour at each face. */
#include "source.h"

#include <math.h>

enum { AROUND = 128, SOME_AROUND = 12, STARS = 4 };

/* Triangles that share a centre, or tets that share an axis, one beside the other; all around where it is closed. */
typedef struct fan {
  size_t elements;
  bool closed;
  double x;    /* of the centre */
  double size; /* times that of others */
} fan;

static const struct {
  size_t fans;
  fan fan[2];
  double star; /* the size of an element whose neighbours are as large as a fan's; 0: there is none */
} meshes[WISP_CHECK_MESHES] = {{0},
                               {1, {{1, false, 0, 1}}, 0},
                               {2, {{2, false, 0, 1}, {3, false, 2, 0x1p-16}}, 0},
                               {1, {{AROUND, true, 0, 1}}, 0},
                               {1, {{SOME_AROUND, true, 0, 1}}, 0},
                               {0, {{0}}, 0x1p-17}};

static size_t rim(const fan *f)
{
  return f->closed ? f->elements : f->elements + 1;
}

/* A closed fan has two points near its centre, the others at two distances: aspect ratios reach a thousand. */
static double radius(const fan *f, size_t i)
{
  return f->closed && i / 2 == f->elements / 4 ? 0.02 : i % 3 ? 1 : 0.75;
}

/* Tags of the boundary's faces, in turn. Half the faces have 1 or 2, which HDG gives, a quarter where many elements
 * meet; some vertices touch neither. */
static const int32_t tags[] = {0, 1, 2, 0, 0, 0, 0, 0};
static size_t tag_period(size_t elements)
{
  return elements < AROUND ? 4 : WISP_COUNT(tags);
}

/* Coordinates are exact in single precision. */
static void put(double *xyz, double x, double y, double z)
{
  const double steps = 0x1p20;
  xyz[0] = round(steps * x) / steps, xyz[1] = round(steps * y) / steps, xyz[2] = round(steps * z) / steps;
}

static void add_fan(const fan *f, wisp_mesh *mesh, size_t *vertices, size_t *elements)
{
  const double pi = acos(-1), step = f->closed ? 2 * pi / (double)f->elements : 0.7;
  const size_t corners = (size_t)mesh->corners, shared = corners - 2, from = *vertices;
  for (size_t i = 0; i < shared; i++)
    put(mesh->xyz + 3 * (*vertices)++, f->x, 0, shared == 1 ? 0 : f->size * ((double)i - 0.5));
  for (size_t i = 0; i < rim(f); i++) {
    const double angle = step * (double)i, r = f->size * radius(f, i);
    put(mesh->xyz + 3 * (*vertices)++, f->x + r * cos(angle), r * sin(angle), 0);
  }
  for (size_t e = 0; e < f->elements; e++) {
    int32_t *cell = mesh->cell + corners * (*elements)++;
    for (size_t i = 0; i < shared; i++) cell[i] = (int32_t)(from + i);
    cell[shared] = (int32_t)(from + shared + e);
    cell[shared + 1] = (int32_t)(from + shared + (e + 1) % rim(f));
  }
}

/* A simplex of this size at x, and a neighbour that reaches far from each of its faces, of which some come before it.
 */
static void add_star(double x, double size, size_t before, wisp_mesh *mesh, size_t *vertices, size_t *elements)
{
  static const double far[4][3] = {{0.625, 0.75, 0.5}, {-1, 0.25, 0.125}, {0.25, -0.875, 0.25}, {0.125, 0.25, -0.75}};
  const size_t corners = (size_t)mesh->corners, from = *vertices;
  const bool solid = corners == 4;
  for (size_t i = 0; i < corners; i++)
    put(mesh->xyz + 3 * (*vertices)++, x + size * (i == 1), size * (i == 2), size * (i == 3));
  for (size_t i = 0; i < corners; i++)
    put(mesh->xyz + 3 * (*vertices)++, x + far[i][0], far[i][1], solid ? far[i][2] : 0);
  for (size_t e = 0; e <= corners; e++) {
    int32_t *cell = mesh->cell + corners * (*elements)++;
    const size_t face = e < before ? e : e - 1;
    for (size_t i = 0; i < corners; i++) cell[i] = (int32_t)(from + i);
    if (e != before) cell[face] = (int32_t)(from + corners + face);
  }
}

wisp_status wisp_mesh_fans(wisp_error *err, int corners, int number, wisp_mesh **out)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  size_t vertices = 0, elements = 0;
  for (const fan *f = meshes[number].fan; f < meshes[number].fan + meshes[number].fans; f++)
    vertices += (size_t)corners - 2 + rim(f), elements += f->elements;
  const size_t stars = meshes[number].star > 0 ? STARS : 0;
  vertices += 2 * stars * (size_t)corners, elements += stars * ((size_t)corners + 1);
  CALL(wisp_mesh_create(err, corners, vertices, elements, &mesh));
  vertices = elements = 0;
  for (const fan *f = meshes[number].fan; f < meshes[number].fan + meshes[number].fans; f++)
    add_fan(f, mesh, &vertices, &elements);
  for (size_t i = 0; i < stars; i++) add_star(3 * (double)i, meshes[number].star, i, mesh, &vertices, &elements);
  wisp_mesh_reverse(mesh);
  CALL(wisp_mesh_connect(err, "mesh to check on", mesh));
  size_t outside = 0;
  for (size_t face = 0; face < (size_t)corners * elements; face++)
    if (mesh->neighbour[face] == WISP_BOUNDARY) mesh->tag[face] = tags[outside++ % tag_period(elements)];
  return GIVE(mesh, out);
}
