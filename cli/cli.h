/* The command's parts: what each subcommand takes and does. */
#pragma once

#include "options.h"

extern const wisp_syntax wisp_devices_syntax, wisp_tune_syntax, wisp_best_syntax, wisp_report_syntax, wisp_emit_syntax,
    wisp_bench_syntax, wisp_db_syntax, wisp_mesh_syntax;

/* wisp run: what it takes depends on the problem. argv[0] is "run"; returns the exit status. */
int wisp_cli_run(int argc, char **argv);

/* wisp tune --replay: the search against a stored sweep, as a table or as JSON. */
wisp_status wisp_cli_replay(wisp_error *err, const wisp_arguments *args);
