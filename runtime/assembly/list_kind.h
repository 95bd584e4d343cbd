/* A kind of lists by which kernels of the assembly family go. A kind is one file with such a table, and one line in the
 * list of kinds (discretise.c). Its lists are made where a discretisation has the kind's parameter. */
#pragma once

#include "assembly.h"

typedef struct wisp_list_kind {
  const char *param; /* whose value, not 0, asks for such lists */
  /* The list is empty before. Kinds above it in the list of kinds are made first. WISP_EREFUSED: there is no room. */
  wisp_status (*make)(wisp_error *err, wisp_assembly *view, const wisp_fixed *fixed, wisp_index_list *list);
  /* WISP_EWRONG where kernels that go by the list would add at once to one number; NULL: none ever would. */
  wisp_status (*check)(wisp_error *err, const wisp_assembly *view, const wisp_index_list *list, int value);
} wisp_list_kind;
