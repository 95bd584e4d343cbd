/* The list of all that can be solved. */
#ifndef WISP_SOLVERS_H
#define WISP_SOLVERS_H

#include "../solve/solver.h"

/* Its i-th kind; NULL behind the last. */
const wisp_solver_kind *wisp_solver_kind_at(size_t i);
/* The kind that solves a problem; NULL: there is none. */
const wisp_solver_kind *wisp_solver_kind_of(const char *problem);
/* "acoustics, maxwell, poisson, heat, helmholtz". */
wisp_status wisp_solver_names(wisp_error *err, wisp_text *out);

#endif
