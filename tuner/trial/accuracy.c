#include "accuracy.h"
#include "workload.h"

wisp_status wisp_accuracy_study(wisp_error *err, const wisp_session *session, const char *family, long long most,
                                wisp_accuracy_row take, void *context)
{
  const wisp_workload *workload = NULL;
  CALL(wisp_workload_find(err, family, NULL, &workload));
  CALL(wisp_require(err, workload->accuracy, WISP_EUSAGE,
                    "the %s family has no study of single precision from size to size: leave --accuracy out", family));
  return workload->accuracy(err, session, most, take, context);
}
