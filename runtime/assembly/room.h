/* Kernels that won elsewhere may have no room for a mesh where many elements meet at one node: others in their place.
 */
#ifndef WISP_ASSEMBLY_ROOM_H
#define WISP_ASSEMBLY_ROOM_H

#include "../solve/choose.h"
#include "assembly.h"

/* Where wisp_assembly_discretise refused what the stage asks for: kernels whose lists have no room become others like
 * them, with room for more, or else such as have no lists (wisp_stage_make_fit). The stage is not loaded. */
wisp_status wisp_assembly_fit_stage(wisp_error *err, const wisp_assembly *assembly, wisp_stage *stage);

#endif
