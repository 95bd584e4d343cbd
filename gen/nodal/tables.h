/* Tables of operators, as the nodal family's texts and spaces name them (templates/nodal/names). D stacks Dr, Ds, Dt;
 * turnlist[turn*Nfp+i] is their face node that meets our face node i. The sparse operators of the Bernstein-Bezier
 * basis are bernstein.h's; the nodal basis has what half_turns.h makes instead. */
#pragma once

#include "../language/expr.h"
#include "../spec.h"

/* Sizes of the tables, and the tables' names: the environment makes a table at its first look-up. */
wisp_status wisp_nodal_defer_tables(wisp_error *err, wisp_env *env, const wisp_spec *spec);
