/* The command's parts: what each subcommand takes and does. */
#pragma once

#include "options.h"

#include <cjson/cJSON.h>

extern const wisp_syntax wisp_devices_syntax, wisp_tune_syntax, wisp_best_syntax, wisp_report_syntax, wisp_emit_syntax,
    wisp_bench_syntax, wisp_db_syntax, wisp_mesh_syntax;

/* wisp run: its options depend on the problem. argv[0] is "run"; returns the exit status. */
int wisp_cli_run(int argc, char **argv);

/* wisp bench --accuracy: a row a size, up to so many elements (0: all). */
wisp_status wisp_bench_accuracy(wisp_error *err, const wisp_session *session, const char *family, long long most,
                                bool json);
/* A published program's tables beside ours. Rows become objects in list; NULL: tables are printed. alone: WISP_EUSAGE
 * where the family has no tables. */
wisp_status wisp_bench_paper(wisp_error *err, const wisp_session *session, const char *family,
                             const wisp_orders *orders, long long most, bool alone, cJSON *list);
