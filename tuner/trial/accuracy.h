/* A family's study of what single precision loses (runtime/api/accuracy.h). */
#pragma once

#include "../../runtime/api/accuracy.h"

/* On the session's device, of sizes up to so many elements (0: all), each as it is measured. WISP_EUSAGE where the
 * family has no such study. */
wisp_status wisp_accuracy_study(wisp_error *err, const wisp_session *session, const char *family, long long most,
                                wisp_accuracy_row take, void *context);
