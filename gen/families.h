/* Every family, a line each: what gen/ says of it, wisp_family_NAME, and what the tuner knows of it,
 * wisp_workload_NAME. */
#pragma once

/* clang-format off */
#define WISP_FAMILIES(EACH) \
  EACH(nodal) \
  EACH(tensor) \
  EACH(assembly) \
  EACH(hdg)
/* clang-format on */

/* A program's own families stand in such a list as well: #define MINE(EACH) EACH(filter), and once, where
 * tuner/trial/workload.h is included, WISP_OWN_FAMILIES(MINE). */
#define WISP_FAMILY_ADDRESS(name) &wisp_family_##name,
#define WISP_WORKLOAD_ADDRESS(name) &wisp_workload_##name,
#define WISP_OWN_FAMILIES(LIST)                                                    \
  const wisp_family *const wisp_own_families[] = {LIST(WISP_FAMILY_ADDRESS) NULL}; \
  const wisp_workload *const wisp_own_workloads[] = {LIST(WISP_WORKLOAD_ADDRESS) NULL}
