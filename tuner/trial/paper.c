#include "paper.h"
#include "workload.h"

wisp_status wisp_paper_tables(wisp_error *err, const wisp_session *session, const char *family, const int *orders,
                              size_t order_count, long long most, wisp_paper_take take, void *context)
{
  const wisp_workload *workload = NULL;
  CALL(wisp_workload_find(err, family, NULL, &workload));
  return workload->paper ? workload->paper(err, session, orders, order_count, most, take, context) : WISP_OK;
}
