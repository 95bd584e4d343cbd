#include "names.h"

wisp_status wisp_names_sizes(wisp_error *err, wisp_env *env, const wisp_size *sizes, size_t count)
{
  for (size_t i = 0; i < count; i++) CALL(wisp_env_int(err, env, sizes[i].name, sizes[i].value));
  return WISP_OK;
}

wisp_status wisp_names_target(wisp_error *err, wisp_env *env, wisp_precision precision, const wisp_target *target)
{
  const wisp_size sizes[] = {
      {"real_bytes", (int)precision},
      {"T", 32},
      {"warp", 32},
      {"gpu", target->cuda},
      {"cuda", target->cuda},
      {"sm", target->sm},
      {"units", target->units},
      {"max_threads", target->max_threads},
      {"max_shared", target->max_shared},
      {"shared_per_unit", target->shared_per_unit},
      {"registers_per_unit", target->registers_per_unit},
  };
  return wisp_names_sizes(err, env, sizes, WISP_COUNT(sizes));
}
