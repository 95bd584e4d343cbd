/* The assembly family's study of single precision, for its workload. */
#pragma once

#include "../api/accuracy.h"

wisp_status wisp_assembly_accuracy(wisp_error *err, const wisp_session *session, long long most, wisp_accuracy_row take,
                                   void *context);
