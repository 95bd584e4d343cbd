/* wisp tune --replay: the search against a stored sweep, as a table or as JSON. */
#ifndef WISP_CLI_REPLAY_H
#define WISP_CLI_REPLAY_H

#include "options.h"

wisp_status wisp_cli_replay(wisp_error *err, const wisp_arguments *args);

#endif
