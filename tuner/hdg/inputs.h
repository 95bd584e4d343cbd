/* The inputs of the hdg family's test cases: what its solvers pass. */
#pragma once

#include "../trial/workload.h"
#include "../../runtime/hdg/hdg.h"

/* Sides of elements, edges' unknowns and what lists have of their ends are more than 2^16; fewer at high orders, where
 * the reference takes long. As wisp_workload's many. */
long long wisp_hdg_many(const wisp_spec *spec);

/* As wisp_workload's cases and fill_inputs. */
int wisp_hdg_cases(const char *kernel);
wisp_status wisp_hdg_fill_inputs(wisp_error *err, wisp_test_case *test_case);

/* The scalars of a step of the coarse cycle. */
void wisp_hdg_add_step(const wisp_cycle_step *step, wisp_scalar_list *out);
/* The n-th of the coarse cycle's steps of a kind, or its last where there is none of that kind. */
const wisp_cycle_step *wisp_hdg_find_step(const wisp_cycle *cycle, enum wisp_cycle_how how, int n);
/* The first spans that are one launch; of a cycle without such, or a large one's, one. */
void wisp_hdg_add_small(const wisp_cycle *cycle, wisp_scalar_list *out);
