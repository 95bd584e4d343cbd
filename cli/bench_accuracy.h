/* wisp bench --accuracy. */
#pragma once

#include "../runtime/api/api.h"

/* A row a size, of up to so many elements (0: all). */
wisp_status wisp_bench_accuracy(wisp_error *err, const wisp_session *session, const char *family, long long most,
                                bool json);
