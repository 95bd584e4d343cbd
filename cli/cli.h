/* The command's parts: what each subcommand takes and does. */
#pragma once

#include "options.h"

#include <cjson/cJSON.h>

extern const wisp_syntax wisp_devices_syntax, wisp_tune_syntax, wisp_best_syntax, wisp_report_syntax, wisp_emit_syntax,
    wisp_bench_syntax, wisp_db_syntax, wisp_mesh_syntax;

/* wisp run, and wisp verify: their options depend on the problem. argv[0] is "run" or "verify"; returns the exit
 * status.
 */
int wisp_cli_run(int argc, char **argv);
