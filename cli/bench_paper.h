/* wisp bench: a published program's tables beside ours. */
#pragma once

#include "options.h"
#include "../runtime/api/api.h"

#include <cjson/cJSON.h>

/* list: where objects of rows go; NULL: tables are printed. alone: nothing else is asked for, so that it is WISP_EUSAGE
 * where there are none. */
wisp_status wisp_bench_paper(wisp_error *err, const wisp_session *session, const char *family,
                             const wisp_orders *orders, long long most, bool alone, cJSON *list);
