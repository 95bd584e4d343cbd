/* The actions of wisp db that have a file of their own (cli/db_care.c): each on the store at path; operands are
 * args->operands[1..]. */
#ifndef WISP_CLI_DB_H
#define WISP_CLI_DB_H

#include "options.h"

wisp_status wisp_db_prune(wisp_error *err, const wisp_arguments *args, const char *path);
wisp_status wisp_db_salvage(wisp_error *err, const wisp_arguments *args, const char *path);
wisp_status wisp_db_cache(wisp_error *err, const wisp_arguments *args, const char *path);

#endif
