/* What is compared: for each kernel and order, the store's winner and the default, each as the step of its own. */
#ifndef WISP_COMPARE_LIST_H
#define WISP_COMPARE_LIST_H

#include "../../gen/family.h"
#include "compare.h"

typedef struct wisp_match_up {
  wisp_spec spec;
  wisp_stage tuned, standard; /* kernels 0: there is none */
} wisp_match_up;

typedef struct wisp_match_ups {
  size_t count, room;
  wisp_match_up *list;
} wisp_match_ups;

/* The size asked for, in elements of this order; 0: none was. request->family exists. */
long long wisp_compare_elements(const wisp_compare_request *request, int order);

/* Orders, precisions, kernels in this order, the step last; kernels that have no candidate here are left out. */
wisp_status wisp_match_ups_create(wisp_error *err, const wisp_session *session, const wisp_compare_request *request,
                                  wisp_match_ups *out);
void wisp_match_ups_free(wisp_match_ups *ups);

#endif
