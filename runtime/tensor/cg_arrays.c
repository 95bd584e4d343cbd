#include "cg_parts.h"
#include "hex_upload.h"

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

static wisp_status fill_copies(wisp_error *err, const void *copies, wisp_arrays *arrays)
{
  const wisp_hexcopies *c = copies;
  CALL(wisp_arrays_upload_ints(err, arrays, "copy_one", c->one));
  CALL(wisp_arrays_upload_ints(err, arrays, "copy_two", c->two));
  CALL(wisp_arrays_upload_ints(err, arrays, "copy_more", c->more));
  return wisp_arrays_upload_ints(err, arrays, "surface", c->surface);
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
  const wisp_poisson *p = cg->problem;
  const int advance = wisp_cg_blocks(cg, WISP_CG_ADVANCE), smooth = wisp_cg_blocks(cg, WISP_CG_SMOOTH);
  const wisp_cg_room room = {.rz_parts = (size_t)(advance > smooth ? advance : smooth),
                             .pAp_parts = (size_t)wisp_cg_blocks(cg, WISP_CG_GATHER),
                             .iterations = WISP_CG_HISTORY};
  wisp_discretisation d = wisp_cg_discretisation(p->copies, p->mesh->elements, p->hex->N, &room);
  for (int k = 0; k < cg->step->kernels; k++)
    CALL(wisp_discretisation_countable(err, &d, wisp_device_limits(cg->device), cg->step->plan[k]));
  CALL(wisp_problem_open(err, cg->device, &d, precision, WISP_NARROW_GUARD, is_wanted, cg->step, &cg->vectors));
  cg->arrays = wisp_problem_arrays(cg->vectors);
  return WISP_OK;
}

static wisp_status upload_inverse(wisp_error *err, wisp_cg *cg, bool diagonal)
{
  const size_t n = cg->problem->copies->unknowns;
  const double one = 1;
  OWNED(free) double *inverse = NULL;
  if (!diagonal) return wisp_arrays_repeat(err, cg->arrays, "inverse", 1, &one);
  CALL(wisp_new(err, n, sizeof *inverse, &inverse));
  CALL(wisp_poisson_diagonal(err, cg->problem, inverse));
  for (size_t i = 0; i < n; i++) inverse[i] = 1 / inverse[i];
  return wisp_arrays_upload_part(err, cg->arrays, "inverse", 0, n, inverse);
}

wisp_status wisp_cg_upload(wisp_error *err, wisp_cg *cg, bool diagonal)
{
  CALL(wisp_hex_upload(err, cg->problem->hex, cg->problem->mesh, cg->arrays));
  return upload_inverse(err, cg, diagonal);
}
