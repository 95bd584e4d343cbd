/* What commands open. */
#ifndef WISP_CLI_OPEN_H
#define WISP_CLI_OPEN_H

#include "options.h"
#include "../runtime/door/door.h"

/* The session of a command that reads the store at --db, which must be there, or the usual ones; its device is not
 * opened. tolerant: as of wisp_session_read. Says what is odd. */
wisp_status wisp_cli_open_store(wisp_error *err, const wisp_arguments *args, bool tolerant, wisp_session **out);

/* The session of a command that solves, with its device and, unless defaults are asked for, the store, of which db is
 * the user's file, NULL for the default place. Says what is odd. */
wisp_status wisp_cli_open_device(wisp_error *err, const wisp_arguments *args, const char *device, const char *db,
                                 bool defaults, wisp_session **out);

#endif
