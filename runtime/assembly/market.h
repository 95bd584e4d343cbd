/* Matrices as files that others read. */
#pragma once

#include "pattern.h"

/* Writes a matrix as Matrix Market, and the vector beside it, under the same name with _b before its ending. Numbers
 * have all their digits. A failure names the file that could not be written; nothing is left of
 * either. */
wisp_status wisp_market_write(wisp_error *err, const char *path, const wisp_pattern *pattern, const double *values,
                              const double *vector);
