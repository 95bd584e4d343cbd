/* Paper 1's tables of times and memory, beside what this program takes for the same problems. */
#pragma once

#include "../trial/workload.h"

/* As wisp_workload's paper. */
wisp_status wisp_hdg_paper(wisp_error *err, const wisp_session *session, const int *orders, size_t order_count,
                           long long most, wisp_paper_take take, void *context);
