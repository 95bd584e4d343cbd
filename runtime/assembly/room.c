#include "room.h"

/* A wisp_plan_fits: the lists of this plan alone are made, and thrown away. */
static wisp_status has_room(wisp_error *err, const void *assembly, const wisp_plan *plan)
{
  static const wisp_assembly_capacity capacity = {.pAp_parts = 1};
  const wisp_assembly *s = assembly;
  HELD(wisp_discretisation_destroy) wisp_discretisation d = {.family = NULL};
  wisp_fixed fixed = {.made = true};
  wisp_fixed_add(&fixed, plan);
  return wisp_assembly_discretise(err, s, s->form->name, &fixed, &capacity, &d);
}

wisp_status wisp_assembly_fit_stage(wisp_error *err, const wisp_assembly *assembly, wisp_stage *stage)
{
  for (int i = 0; i < stage->kernels; i++) CALL(wisp_stage_make_fit(err, stage, i, has_room, assembly));
  return WISP_OK;
}
