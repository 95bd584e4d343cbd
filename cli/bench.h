/* Rows of `wisp bench`. */
#ifndef WISP_CLI_BENCH_H
#define WISP_CLI_BENCH_H

#include "print.h"
#include "../tuner/compare/compare.h"

/* One line in the columns of the row's family; their titles before the first. */
void wisp_bench_print(const wisp_comparison *row, bool first);

/* All that is known of it: what is not there is null. */
cJSON *wisp_bench_row(const char *device, const wisp_comparison *row);

#endif
