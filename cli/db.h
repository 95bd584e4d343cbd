/* The actions of wisp db that have files of their own (cli/db_show.c, cli/db_care.c): each on the store at path;
 * operands are args->operands[1..]. */
#ifndef WISP_CLI_DB_H
#define WISP_CLI_DB_H

#include "options.h"
#include "../cache/store.h"

wisp_status wisp_db_show(wisp_error *err, const wisp_arguments *args, const char *path);
wisp_status wisp_db_prune(wisp_error *err, const wisp_arguments *args, const char *path);
wisp_status wisp_db_salvage(wisp_error *err, const wisp_arguments *args, const char *path);
wisp_status wisp_db_cache(wisp_error *err, const wisp_arguments *args, const char *path);

/* Does the text begin with a day that there is: YYYY-MM-DD? */
bool wisp_is_day(const char *text);
/* When a trial was measured, its first ten characters; "unknown" where it does not say. */
const char *wisp_db_day(const wisp_trial *trial);

#endif
