/* wisp db verify. */
#pragma once

#include "options.h"

/* Verifies the winners of the store at path anew, or those that ship, and prints by family how many are right, failed,
 * or are not legal on the device. WISP_EWRONG where one failed. */
wisp_status wisp_db_verify(wisp_error *err, const wisp_arguments *args, const char *path);
