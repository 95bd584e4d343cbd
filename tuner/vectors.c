#include "vectors.h"
#include "../gen/random.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const wisp_vector_names[WISP_VECTORS] = {
    "solution", "p", "z", "r", "Ap", "inverse", "d", "u", "y", "rz_sums", "rr_sums", "pAp_sums", "state", "history"};

/* The first hexes of a box, layer by layer: the last layer may end anywhere. Vertices behind them are nobody's. */
static wisp_status make_mesh(wisp_error *err, size_t elements, const wisp_mesh_source *source, wisp_hexmesh **out)
{
  wisp_status status = WISP_OK;
  const int side = (int)ceil(cbrt((double)elements));
  const size_t layer = (size_t)side * (size_t)side;
  wisp_mesh_source what = *source;
  what.box[0] = what.box[1] = side;
  what.box[2] = (int)((elements + layer - 1) / layer);
  TRY(wisp_hexmesh_make(err, &what, out));
  if (strcmp(wisp_mesh_source_kind(source), WISP_MESH_BOX) == 0) (*out)->elements = elements;
done:
  return status;
}

static size_t count_numbers(const wisp_vectors *v, int array, size_t locals)
{
  const size_t padded = wisp_cg_padded(v->copies->unknowns);
  if (array == WISP_VECTOR_STATE) return WISP_CG_STATE;
  if (array == WISP_VECTOR_HISTORY) return 3 * WISP_VECTOR_ITERATIONS;
  return array >= WISP_VECTOR_RZ_SUMS ? WISP_VECTOR_PARTS : array >= WISP_VECTOR_U ? locals : padded;
}

wisp_status wisp_vectors_create(wisp_error *err, int order, size_t elements, const wisp_mesh_source *source,
                                wisp_vectors **out)
{
  wisp_status status = WISP_OK;
  wisp_hexmesh *mesh = NULL;
  wisp_hexnodes *nodes = NULL;
  wisp_vectors *v = NULL;
  const size_t Nq = (size_t)order + 1;
  TRY(make_mesh(err, elements, source, &mesh));
  elements = mesh->elements;
  TRY(wisp_hexnodes_create(err, "box", mesh, order, &nodes));
  TRY(wisp_new(err, 1, sizeof *v, &v));
  v->elements = elements;
  TRY(wisp_hexcopies_create(err, nodes, true, &v->copies));
  TRY(wisp_require(err, v->copies->unknowns, WISP_EUSAGE, "%zu hexes of order %d have no node inside: take more",
                   elements, order));
  for (int a = 0; a < WISP_VECTORS; a++) v->size[a] = count_numbers(v, a, elements * Nq * Nq * Nq);
  *out = v;
  v = NULL;
done:
  wisp_vectors_destroy(v);
  wisp_hexnodes_destroy(nodes);
  wisp_hexmesh_destroy(mesh);
  return status;
}

void wisp_vectors_destroy(wisp_vectors *v)
{
  if (!v) return;
  wisp_hexcopies_destroy(v->copies);
  free(v);
}

wisp_status wisp_vectors_arrays(wisp_error *err, wisp_device *device, const wisp_vectors *v, wisp_precision precision,
                                wisp_arrays **out)
{
  wisp_status status = WISP_OK;
  wisp_arrays *arrays = NULL;
  const wisp_hexcopies *c = v->copies;
  wisp_array list[WISP_VECTORS + 5];
  char what[64];
  for (int a = 0; a < WISP_VECTORS; a++)
    list[a] = (wisp_array){wisp_vector_names[a], a == WISP_VECTOR_INVERSE ? WISP_SINGLE : WISP_REAL, v->size[a]};
  list[WISP_VECTORS] = (wisp_array){"copy_one", WISP_INT, c->unknowns - c->within};
  list[WISP_VECTORS + 1] = (wisp_array){"copy_two", WISP_INT, c->unknowns - c->within};
  list[WISP_VECTORS + 2] = (wisp_array){"copy_more", WISP_INT, c->more_count};
  list[WISP_VECTORS + 3] = (wisp_array){"surface", WISP_INT, c->surfaces};
  list[WISP_VECTORS + 4] = (wisp_array){"left", WISP_INT, 1};
  snprintf(what, sizeof what, "a problem of %zu elements", v->elements);
  TRY(wisp_arrays_create(err, device, precision, what, list, WISP_VECTORS + 5, &arrays));
  TRY(wisp_arrays_upload_ints(err, arrays, "copy_one", c->one));
  TRY(wisp_arrays_upload_ints(err, arrays, "copy_two", c->two));
  TRY(wisp_arrays_upload_ints(err, arrays, "copy_more", c->more));
  TRY(wisp_arrays_upload_ints(err, arrays, "surface", c->surface));
  *out = arrays;
  arrays = NULL;
done:
  wisp_arrays_destroy(arrays);
  return status;
}

void wisp_vectors_fill(const wisp_vectors *v, int array, uint64_t *state, size_t count, double *numbers)
{
  const bool positive = array == WISP_VECTOR_INVERSE || (array >= WISP_VECTOR_RZ_SUMS && array < WISP_VECTOR_STATE);
  for (size_t i = 0; i < count && i < v->size[array]; i++) {
    const double number = wisp_random_real(state);
    numbers[i] = positive ? fabs(number) + 0.5 : number;
    if (array < WISP_VECTOR_U && i >= v->copies->unknowns) numbers[i] = 0;
  }
}

wisp_status wisp_vectors_launch(wisp_error *err, wisp_arrays *arrays, const wisp_vectors *v, const wisp_kernel *kernel,
                                const wisp_vector_scalars *s)
{
  const wisp_binding scalars[] = {{"vector", wisp_arrays_at(arrays, s->polynomial ? "z" : "p"), 0},
                                  {"groups", 0, (double)v->elements},
                                  {"within", 0, (double)v->copies->within},
                                  {"unknowns", 0, (double)v->copies->unknowns},
                                  {"padded", 0, (double)v->size[WISP_VECTOR_R]},
                                  {"polynomial", 0, s->polynomial},
                                  {"rz_parts", 0, s->parts},
                                  {"rr_parts", 0, s->parts},
                                  {"pAp_parts", 0, s->parts},
                                  {"history_room", 0, WISP_VECTOR_ITERATIONS},
                                  {"scale", 0, s->scale},
                                  {"first_step", 0, 0},
                                  {"keep", 0, s->keep},
                                  {"gain", 0, s->gain}};
  return wisp_arrays_launch(err, arrays, kernel, v->elements, 0, scalars, sizeof scalars / sizeof *scalars);
}
