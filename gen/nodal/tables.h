/* Tables of operators, as the nodal family's texts and spaces name them (templates/nodal/names). */
#ifndef WISP_NODAL_TABLES_H
#define WISP_NODAL_TABLES_H

#include "../language/expr.h"
#include "tet.h"

/* D stacks Dr, Ds, Dt; turnlist[turn*Nfp+i] is their face node that meets our face node i. */
wisp_status wisp_nodal_tables(wisp_error *err, wisp_env *env, const wisp_tet *tet);

/* The sparse operators of the Bernstein-Bezier basis, which are bernstein.h's. */
wisp_status wisp_nodal_sparse_tables(wisp_error *err, wisp_env *env, int order);

/* What half_turns.h has of the nodal basis. */
wisp_status wisp_nodal_class_tables(wisp_error *err, wisp_env *env, const wisp_tet *tet);

#endif
