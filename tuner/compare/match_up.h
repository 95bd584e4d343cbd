/* The contenders of `wisp bench`, for each kernel or whole stage: the winner over all layouts, as a solver looks it up;
 * the default, which runs without a store; and alternatives to the same stage. */
#pragma once

#include "compare.h"

/* Another way to a stage: a composition, one of its kernels by a strategy that was asked for. */
typedef struct wisp_stage_alternative {
  char name[80]; /* "matrices+reduce.permuted" */
  wisp_stage stage;
  int asked; /* the kernel whose strategy was asked for */
} wisp_stage_alternative;

typedef struct wisp_match_up {
  wisp_spec spec;
  wisp_stage tuned, standard; /* kernels 0: there is none */
  wisp_stage beside;          /* tuned, else standard, once more, for a mesh where they have no room; likewise */
  size_t alternatives, capacity;
  wisp_stage_alternative *alternative;
} wisp_match_up;

typedef struct wisp_match_ups {
  size_t count, capacity;
  wisp_match_up *list;
} wisp_match_ups;
void wisp_match_ups_free(wisp_match_ups *ups);

/* Orders, precisions, kernels in this order, the step last; kernels that have no candidate here are left out.
 * WISP_EUSAGE for what the family does not have. */
wisp_status wisp_match_ups_list(wisp_error *err, const wisp_session *session, const wisp_compare_request *request,
                                wisp_match_ups *out);

/* The requested spec of one order; request->family exists. */
wisp_spec wisp_compare_spec(const wisp_compare_request *request, int order, wisp_precision precision);

/* The size asked for, in elements of this order; 0: none was. */
long long wisp_compare_elements(const wisp_compare_request *request, int order);
