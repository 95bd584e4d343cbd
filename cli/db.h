/* Shared by the actions of wisp db. */
#pragma once

#include "options.h"

/* Shows the store at path. */
wisp_status wisp_db_show(wisp_error *err, const wisp_arguments *args, const char *path);

/* Prints the path of the backup; nothing where it is NULL. */
void wisp_db_print_backup(const char *backup);

/* Does the text begin with a day that there is: YYYY-MM-DD? */
bool wisp_db_is_day(const char *text);
/* When a trial was measured, its first ten characters; "unknown" where it does not say. */
const char *wisp_db_day_of(const wisp_trial *trial);
