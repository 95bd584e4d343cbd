#include "cg_parts.h"
#include "../parallel.h"

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

static wisp_status fill_copies(wisp_error *err, const void *copies, wisp_arrays *arrays)
{
  wisp_status status = WISP_OK;
  const wisp_hexcopies *c = copies;
  TRY(wisp_arrays_upload_ints(err, arrays, "copy_one", c->one));
  TRY(wisp_arrays_upload_ints(err, arrays, "copy_two", c->two));
  TRY(wisp_arrays_upload_ints(err, arrays, "copy_more", c->more));
  TRY(wisp_arrays_upload_ints(err, arrays, "surface", c->surface));
done:
  return status;
}

wisp_discretisation wisp_cg_discretisation(const wisp_hexcopies *copies, size_t elements, int order,
                                           const wisp_cg_room *room)
{
  const size_t Nq = (size_t)order + 1, Gl = (size_t)order + 2;
  return (wisp_discretisation){.family = wisp_family_find("tensor"),
                               .counts = {{"elements", elements},
                                          {"groups", elements},
                                          {"Np", Nq * Nq * Nq},
                                          {"glNp", Gl * Gl * Gl},
                                          {"unknowns", copies->unknowns},
                                          {"within", copies->within},
                                          {"padded", wisp_cg_padded(copies->unknowns)},
                                          {"more", copies->more_count},
                                          {"surfaces", copies->surfaces},
                                          {"rz_room", room->rz_parts},
                                          {"pAp_room", room->pAp_parts},
                                          {"states", WISP_CG_STATE},
                                          {"history_room", room->iterations},
                                          {"solves", 1}},
                               .self = (void *)(uintptr_t)copies,
                               .fill = fill_copies};
}

static bool is_wanted(const void *step, const char *array)
{
  return wisp_step_has(step, array);
}

wisp_status wisp_cg_make_arrays(wisp_error *err, wisp_cg *cg, wisp_precision precision)
{
  wisp_status status = WISP_OK;
  const wisp_poisson *p = cg->problem;
  const int advance = wisp_cg_blocks(cg, WISP_CG_ADVANCE), smooth = wisp_cg_blocks(cg, WISP_CG_SMOOTH);
  const wisp_cg_room room = {.rz_parts = (size_t)(advance > smooth ? advance : smooth),
                             .pAp_parts = (size_t)wisp_cg_blocks(cg, WISP_CG_GATHER),
                             .iterations = WISP_CG_HISTORY};
  wisp_discretisation d = wisp_cg_discretisation(p->copies, p->mesh->elements, p->hex->N, &room);
  TRY(wisp_problem_open(err, cg->device, &d, precision, WISP_NARROW_GUARD, is_wanted, cg->step, &cg->vectors));
  cg->arrays = wisp_problem_arrays(cg->vectors);
done:
  return status;
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
  TRY(upload_factors(err, cg, "gauss_factors", (geometry){.problem = p, .points = WISP_HEX_GAUSS}));
  TRY(upload_factors(err, cg, "gauss_mass", (geometry){.problem = p, .points = WISP_HEX_GAUSS, .mass_alone = true}));
  TRY(upload_factors(err, cg, "gll_factors", (geometry){.problem = p, .points = WISP_HEX_GLL}));
  TRY(upload_vertices(err, cg));
  TRY(upload_inverse(err, cg, diagonal));
done:
  return status;
}
