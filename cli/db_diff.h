/* wisp db diff BEFORE AFTER. */
#pragma once

#include "options.h"

/* Prints, by device, how many trials one of two stores has that the other lacks, or that are faster or slower there by
 * more than 2 %; and the winners of kernels that are another candidate, or took another time. path: the user's store,
 * which is not read. */
wisp_status wisp_db_diff(wisp_error *err, const wisp_arguments *args, const char *path);
