/* The list of all that can be solved. */
#pragma once

#include "../solve/solver.h"

/* The kind that solves a problem; NULL: there is none. */
const wisp_solver_kind *wisp_solver_kind_of(const char *problem);
/* "acoustics, maxwell, poisson, heat, helmholtz". */
wisp_status wisp_solver_names(wisp_error *err, wisp_text *out);

/* The solver of a program's request, as far as that needs no device: its mesh is there. */
wisp_status wisp_solver_make(wisp_error *err, const char *caller, const wisp_solver_request *request,
                             wisp_solver **out);
