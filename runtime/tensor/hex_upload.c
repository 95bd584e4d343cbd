#include "hex_upload.h"
#include "../parallel.h"

#include <stdlib.h>
#include <string.h>

/* Geometry of a part of the elements, as one of the family's arrays has it. */
typedef struct geometry {
  const wisp_hex *hex;
  const wisp_hexmesh *mesh;
  wisp_hex_points points;
  bool mass_alone; /* gauss_mass: the last of the seven factors */
  size_t first;    /* element of the part */
  double *out;
} geometry;

static size_t numbers(const geometry *g)
{
  const size_t points = (size_t)(g->points == WISP_HEX_GAUSS ? g->hex->glNp : g->hex->Np);
  return g->mass_alone ? points : WISP_HEX_FACTORS * points;
}

/* A wisp_range over the part's elements. */
static wisp_status fill_factors(wisp_error *err, void *context, size_t from, size_t to)
{
  const geometry *g = context;
  const size_t own = numbers(g), whole = g->mass_alone ? WISP_HEX_FACTORS * own : own;
  OWNED(free) double *factors = NULL;
  double vertices[24];
  CALL(wisp_new(err, whole, sizeof *factors, &factors));
  for (size_t k = from; k < to; k++) {
    wisp_hex_vertices(g->mesh, g->first + k, 1, vertices);
    CALL(wisp_hex_factors(err, g->hex, g->points, vertices, wisp_hexmesh_number(g->mesh, g->first + k), 1, factors));
    memcpy(g->out + k * own, factors + whole - own, own * sizeof *factors);
  }
  return WISP_OK;
}

/* A part at a time: all of a large problem's factors in double could need more memory than the machine has. */
static wisp_status upload_factors(wisp_error *err, wisp_arrays *arrays, const char *array, geometry g)
{
  enum { PART_BYTES = 1 << 26 };
  const size_t elements = g.mesh->elements, own = numbers(&g);
  const size_t fit = PART_BYTES / (own * sizeof *g.out), part = fit ? fit : 1;
  if (!wisp_arrays_size(arrays, array)) return WISP_OK;
  OWNED(free) double *room = NULL;
  CALL(wisp_new(err, part * own, sizeof *room, &room));
  g.out = room;
  for (; g.first < elements; g.first += part) {
    const size_t count = elements - g.first < part ? elements - g.first : part;
    CALL(wisp_parallel(err, count, fill_factors, &g));
    CALL(wisp_arrays_upload_part(err, arrays, array, g.first * own, count * own, g.out));
  }
  return WISP_OK;
}

static wisp_status upload_vertices(wisp_error *err, const wisp_hexmesh *mesh, wisp_arrays *arrays)
{
  OWNED(free) double *vertices = NULL;
  if (!wisp_arrays_size(arrays, "vertices")) return WISP_OK;
  CALL(wisp_new(err, mesh->elements, 24 * sizeof *vertices, &vertices));
  wisp_hex_vertices(mesh, 0, mesh->elements, vertices);
  return wisp_arrays_upload(err, arrays, "vertices", vertices);
}

wisp_status wisp_hex_upload(wisp_error *err, const wisp_hex *hex, const wisp_hexmesh *mesh, wisp_arrays *arrays)
{
  const geometry gll = {.hex = hex, .mesh = mesh, .points = WISP_HEX_GLL};
  geometry gauss = {.hex = hex, .mesh = mesh, .points = WISP_HEX_GAUSS};
  CALL(upload_factors(err, arrays, "gll_factors", gll));
  CALL(upload_factors(err, arrays, "gauss_factors", gauss));
  gauss.mass_alone = true;
  CALL(upload_factors(err, arrays, "gauss_mass", gauss));
  return upload_vertices(err, mesh, arrays);
}
