#include "cg_problem.h"
#include "../solve/cg.h"

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

void wisp_cg_bind(const wisp_cg_scalars *s, wisp_binding out[WISP_CG_SCALARS])
{
  const wisp_binding all[WISP_CG_SCALARS] = {
      {"scale", 0, s->scale},
      {"keep", 0, s->keep},
      {"gain", 0, s->gain},
      {"polynomial", 0, s->polynomial},
      {"first_step", 0, s->first_step},
      {"rz_parts", 0, s->rz_parts},
      {"rr_parts", 0, s->rr_parts},
      {"pAp_parts", 0, s->pAp_parts},
  };
  for (int i = 0; i < WISP_CG_SCALARS; i++) out[i] = all[i];
}
