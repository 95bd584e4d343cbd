/* What the files of references share. */
#ifndef WISP_HDG_REFERENCE_PARTS_H
#define WISP_HDG_REFERENCE_PARTS_H

#include "../round.h"

/* Number i of an output, and the sum of the magnitudes that it is added up from. */
static inline void wisp_hdg_leave(wisp_round *r, int array, size_t i, double value, double size)
{
  r->after[array][i] = value;
  r->size[array][i] = size;
}

static inline double wisp_hdg_scalar(const wisp_round *r, const char *name)
{
  size_t i = 0;
  while (strcmp(r->scalars.of[i].name, name) != 0) i++;
  return r->scalars.of[i].value;
}

/* Of the second level's kernels. */
wisp_status wisp_hdg_solve_coarse(wisp_error *err, wisp_round *round);

#endif
