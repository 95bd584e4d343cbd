#include "cg_parts.h"
#include "../parallel.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int wisp_cg_blocks(const wisp_cg *cg, wisp_cg_kernel kernel)
{
  unsigned grid[2] = {1, 1};
  if ((int)kernel < cg->step->kernels) wisp_plan_grid(NULL, cg->step->plan[kernel], 1, 0, grid);
  return (int)grid[0];
}

size_t wisp_cg_padded(size_t unknowns)
{
  return (unknowns + 3) / 4 * 4;
}

/* Kernels on a GPU count in 31 bits; the geometry is by far the largest. */
static wisp_status check_addresses(wisp_error *err, const wisp_cg *cg, const wisp_array *list, size_t count)
{
  if (strcmp(wisp_device_limits(cg->device)->kind, "host") == 0) return WISP_OK;
  for (size_t i = 0; i < count; i++)
    if (list[i].size > INT_MAX)
      return wisp_fail(
          err, WISP_EUSAGE,
          "%zu hexes of order %d: array %s has %zu numbers, more than kernels can count (2.1e9): take fewer "
          "elements, or geometry made of the vertices",
          cg->problem->mesh->elements, cg->problem->hex->N, list[i].name, list[i].size);
  return WISP_OK;
}

wisp_status wisp_cg_make_arrays(wisp_error *err, wisp_cg *cg, wisp_precision precision)
{
  const wisp_poisson *p = cg->problem;
  const size_t E = p->mesh->elements, n = p->copies->unknowns, padded = wisp_cg_padded(n),
               locals = E * (size_t)p->hex->Np;
  const size_t gauss = E * (size_t)p->hex->glNp;
  const size_t most = (size_t)(wisp_cg_blocks(cg, WISP_CG_ADVANCE) > wisp_cg_blocks(cg, WISP_CG_SMOOTH)
                                   ? wisp_cg_blocks(cg, WISP_CG_ADVANCE)
                                   : wisp_cg_blocks(cg, WISP_CG_SMOOTH));
  const wisp_array all[] = {
      {"solution", WISP_REAL, padded},
      {"p", WISP_REAL, padded},
      {"z", WISP_REAL, padded},
      {"r", WISP_REAL, padded},
      {"Ap", WISP_REAL, padded},
      {"inverse", WISP_SINGLE, padded},
      {"d", WISP_REAL, n},
      {"u", WISP_REAL, locals},
      {"y", WISP_REAL, locals},
      {"copy_one", WISP_INT, n - p->copies->within},
      {"copy_two", WISP_INT, n - p->copies->within},
      {"copy_more", WISP_INT, p->copies->more_count},
      {"surface", WISP_INT, p->copies->surfaces},
      {"rz_sums", WISP_REAL, most},
      {"rr_sums", WISP_REAL, most},
      {"pAp_sums", WISP_REAL, (size_t)wisp_cg_blocks(cg, WISP_CG_GATHER)},
      {"state", WISP_REAL, WISP_CG_STATE},
      {"history", WISP_REAL, 3 * WISP_CG_HISTORY},
      {"left", WISP_INT, 1},
      {"gauss_factors", WISP_REAL, WISP_HEX_FACTORS * gauss},
      {"gauss_mass", WISP_REAL, gauss},
      {"gll_factors", WISP_REAL, WISP_HEX_FACTORS * locals},
      {"vertices", WISP_REAL, 24 * E},
  };
  wisp_array list[sizeof all / sizeof *all];
  char what[96];
  size_t count = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (wisp_step_has(cg->step, all[i].name)) list[count++] = all[i];
  wisp_status status = check_addresses(err, cg, list, count);
  if (status != WISP_OK) return status;
  snprintf(what, sizeof what, "a problem of %zu hexes of order %d", E, p->hex->N);
  return wisp_arrays_create(err, cg->device, precision, what, list, count, &cg->arrays);
}

/* Geometry of a part of the elements, as one of the family's arrays has it. */
typedef struct geometry {
  const wisp_poisson *problem;
  wisp_hex_points points;
  bool mass_alone; /* gauss_mass: the last of the seven factors */
  size_t first;    /* element of the part */
  double *out;
} geometry;

static size_t numbers(const geometry *g)
{
  const wisp_hex *hex = g->problem->hex;
  const size_t points = (size_t)(g->points == WISP_HEX_GAUSS ? hex->glNp : hex->Np);
  return g->mass_alone ? points : WISP_HEX_FACTORS * points;
}

/* A wisp_range over the part's elements. */
static wisp_status fill_factors(wisp_error *err, void *context, size_t from, size_t to)
{
  wisp_status status = WISP_OK;
  const geometry *g = context;
  const size_t own = numbers(g), whole = g->mass_alone ? WISP_HEX_FACTORS * own : own;
  double vertices[24], *factors = NULL;
  TRY(wisp_new(err, whole, sizeof *factors, &factors));
  for (size_t k = from; k < to; k++) {
    wisp_hex_vertices(g->problem->mesh, g->first + k, 1, vertices);
    TRY(wisp_hex_factors(err, g->problem->hex, g->points, vertices, wisp_hexmesh_number(g->problem->mesh, g->first + k),
                         1, factors));
    memcpy(g->out + k * own, factors + whole - own, own * sizeof *factors);
  }
done:
  free(factors);
  return status;
}

/* A part at a time: all of a large problem's factors in double could need more memory than the machine has. */
static wisp_status upload_factors(wisp_error *err, wisp_cg *cg, const char *array, geometry g)
{
  enum { PART_BYTES = 1 << 26 };
  wisp_status status = WISP_OK;
  const size_t elements = g.problem->mesh->elements, own = numbers(&g);
  const size_t fit = PART_BYTES / (own * sizeof *g.out), part = fit ? fit : 1;
  if (!wisp_step_has(cg->step, array)) return WISP_OK;
  TRY(wisp_new(err, part * own, sizeof *g.out, &g.out));
  for (; g.first < elements; g.first += part) {
    const size_t count = elements - g.first < part ? elements - g.first : part;
    TRY(wisp_parallel(err, count, fill_factors, &g));
    TRY(wisp_arrays_upload_part(err, cg->arrays, array, g.first * own, count * own, g.out));
  }
done:
  free(g.out);
  return status;
}

static wisp_status upload_vertices(wisp_error *err, wisp_cg *cg)
{
  wisp_status status = WISP_OK;
  const wisp_hexmesh *mesh = cg->problem->mesh;
  double *vertices = NULL;
  if (!wisp_step_has(cg->step, "vertices")) return WISP_OK;
  TRY(wisp_new(err, mesh->elements, 24 * sizeof *vertices, &vertices));
  wisp_hex_vertices(mesh, 0, mesh->elements, vertices);
  TRY(wisp_arrays_upload(err, cg->arrays, "vertices", vertices));
done:
  free(vertices);
  return status;
}

static wisp_status upload_inverse(wisp_error *err, wisp_cg *cg, bool diagonal)
{
  wisp_status status = WISP_OK;
  const size_t n = cg->problem->copies->unknowns;
  const double one = 1;
  double *inverse = NULL;
  if (!diagonal) return wisp_arrays_repeat(err, cg->arrays, "inverse", 1, &one);
  TRY(wisp_new(err, n, sizeof *inverse, &inverse));
  TRY(wisp_poisson_diagonal(err, cg->problem, inverse));
  for (size_t i = 0; i < n; i++) inverse[i] = 1 / inverse[i];
  TRY(wisp_arrays_upload_part(err, cg->arrays, "inverse", 0, n, inverse));
done:
  free(inverse);
  return status;
}

wisp_status wisp_cg_upload(wisp_error *err, wisp_cg *cg, bool diagonal)
{
  wisp_status status = WISP_OK;
  const wisp_poisson *p = cg->problem;
  TRY(wisp_arrays_upload_ints(err, cg->arrays, "copy_one", p->copies->one));
  TRY(wisp_arrays_upload_ints(err, cg->arrays, "copy_two", p->copies->two));
  TRY(wisp_arrays_upload_ints(err, cg->arrays, "copy_more", p->copies->more));
  TRY(wisp_arrays_upload_ints(err, cg->arrays, "surface", p->copies->surface));
  TRY(upload_factors(err, cg, "gauss_factors", (geometry){.problem = p, .points = WISP_HEX_GAUSS}));
  TRY(upload_factors(err, cg, "gauss_mass", (geometry){.problem = p, .points = WISP_HEX_GAUSS, .mass_alone = true}));
  TRY(upload_factors(err, cg, "gll_factors", (geometry){.problem = p, .points = WISP_HEX_GLL}));
  TRY(upload_vertices(err, cg));
  TRY(upload_inverse(err, cg, diagonal));
done:
  return status;
}
