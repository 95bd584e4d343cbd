/* LSRK4(5), solution 3 of Carpenter & Kennedy 1994 (NASA TM 109112), as their fractions. */
#include "dg.h"

static const wisp_rk_stage stages[] = {
    {0.0, 1432997174477.0 / 9575080441755.0, 0.0},
    {-567301805773.0 / 1357537059087.0, 5161836677717.0 / 13612068292357.0, 1432997174477.0 / 9575080441755.0},
    {-2404267990393.0 / 2016746695238.0, 1720146321549.0 / 2090206949498.0, 2526269341429.0 / 6820363962896.0},
    {-3550918686646.0 / 2091501179385.0, 3134564353537.0 / 4481467310338.0, 2006345519317.0 / 3224310063776.0},
    {-1275806237668.0 / 842570457699.0, 2277821191437.0 / 14882151754819.0, 2802321613138.0 / 2924317926251.0},
};

static const double nested[] = {3.0 / 25, 1.0 / 4, 1.0 / 3, 1.0 / 2, 1};

_Static_assert(WISP_COUNT(nested) == WISP_COUNT(stages) && WISP_COUNT(stages) <= WISP_MOST_STAGES, "one method");

const wisp_scheme wisp_lsrk45 = {.stages = WISP_COUNT(stages), .stage = stages, .nested = nested};
