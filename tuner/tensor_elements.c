#include "tensor_elements.h"
#include "../gen/random.h"
#include "../runtime/solve/hex_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const wisp_tensor_names[WISP_TENSOR_ARRAYS] = {"u",          "y",           "gauss_factors",
                                                           "gauss_mass", "gll_factors", "vertices"};

size_t wisp_tensor_elements(const wisp_device *device, int order, long long asked)
{
  static const size_t gpu_nodes = 10000000, host_nodes = 100000;
  const size_t nodes = strcmp(wisp_device_limits(device)->kind, "host") == 0 ? host_nodes : gpu_nodes;
  const size_t Nq = (size_t)order + 1, Np = Nq * Nq * Nq;
  return asked > 0 ? (size_t)asked : (nodes + Np - 1) / Np;
}

size_t wisp_tensor_numbers(const wisp_hex *hex, int array)
{
  const size_t Np = (size_t)hex->Np, glNp = (size_t)hex->glNp;
  const size_t numbers[WISP_TENSOR_ARRAYS] = {
      Np, Np, WISP_HEX_FACTORS * glNp, glNp, WISP_HEX_FACTORS * Np, 3 * WISP_HEX_VERTICES};
  return numbers[array];
}

/* Coordinate d of a unit cube's vertex v, the cube turned to one of the twelve directions that axes in cyclic order
 * have: kernels must not mind which way an element lies. */
static double turned_cube(size_t element, size_t v, size_t d)
{
  size_t axis = (d + element) % 3, kept = element / 3 % 4;
  double sign = kept < 3 && kept != d ? -1 : 1; /* two axes change sign, or none */
  return sign * (double)(v >> axis & 1);
}

static void move_vertices(size_t count, uint64_t *state, double *vertices)
{
  for (size_t i = 0; i < 3 * WISP_HEX_VERTICES * count; i++) {
    size_t v = i % WISP_HEX_VERTICES, d = i / WISP_HEX_VERTICES % 3, element = i / (3 * WISP_HEX_VERTICES);
    vertices[i] = turned_cube(element, v, d) + wisp_random_real(state) / 8;
  }
}

wisp_status wisp_tensor_make(wisp_error *err, const wisp_hex *hex, size_t count, uint64_t seed,
                             double *values[WISP_TENSOR_ARRAYS])
{
  wisp_status status = WISP_OK;
  const size_t glNp = (size_t)hex->glNp, wJ = 6 * glNp;
  double *made[WISP_TENSOR_ARRAYS] = {NULL};
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++)
    if (a != WISP_TENSOR_Y) TRY(wisp_new(err, count * wisp_tensor_numbers(hex, a), sizeof *made[a], &made[a]));
  double *gauss = made[WISP_TENSOR_GAUSS_FACTORS], *vertices = made[WISP_TENSOR_VERTICES];
  move_vertices(count, &seed, vertices);
  for (size_t i = 0; i < count * (size_t)hex->Np; i++) made[WISP_TENSOR_U][i] = wisp_random_real(&seed);
  TRY(wisp_hex_factors(err, hex, WISP_HEX_GAUSS, vertices, 0, count, gauss));
  TRY(wisp_hex_factors(err, hex, WISP_HEX_GLL, vertices, 0, count, made[WISP_TENSOR_GLL_FACTORS]));
  for (size_t e = 0; e < count; e++)
    memcpy(made[WISP_TENSOR_GAUSS_MASS] + e * glNp, gauss + e * WISP_HEX_FACTORS * glNp + wJ, glNp * sizeof *gauss);
  memcpy(values, made, sizeof made);
  memset(made, 0, sizeof made);
done:
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++) free(made[a]);
  return status;
}

wisp_status wisp_tensor_arrays(wisp_error *err, wisp_device *device, const wisp_hex *hex, wisp_precision precision,
                               size_t elements, wisp_arrays **out)
{
  wisp_array list[WISP_TENSOR_ARRAYS];
  char what[64];
  for (int a = 0; a < WISP_TENSOR_ARRAYS; a++)
    list[a] = (wisp_array){wisp_tensor_names[a], WISP_REAL, elements * wisp_tensor_numbers(hex, a)};
  snprintf(what, sizeof what, "a problem of %zu elements", elements);
  return wisp_arrays_create(err, device, precision, what, list, WISP_TENSOR_ARRAYS, out);
}

wisp_status wisp_tensor_launch(wisp_error *err, wisp_arrays *arrays, const wisp_kernel *kernel, size_t elements,
                               double lambda)
{
  const wisp_binding scalars[] = {{"groups", 0, (double)elements}, {"lambda", 0, lambda}};
  return wisp_arrays_launch(err, arrays, kernel, elements, 0, scalars, sizeof scalars / sizeof *scalars);
}
