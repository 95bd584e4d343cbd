/* Sweeps of a test's own, and the search that they go by. */
#pragma once

#include "../tuner/search/search.h"
#include "../tuner/workers/tune.h"

/* A request of order 1 in double precision, into the store at db; all else is zero. */
wisp_tune_request tune_request(const char *family, const char *kernel, const char *db);

/* The sweep on the test device; the test fails where it does. */
wisp_tune_summary run_tune(const wisp_tune_request *request);

/* The first layout of the nodal family at order 1, as text; valid until the next call. */
const char *first_layout(void);

/* A search of one kernel's candidates, without a guide. */
typedef struct search_case {
  wisp_strategies *strategies;
  wisp_target target;
  wisp_spec spec;
  wisp_scope scope;
  wisp_search search;
} search_case;

void search_open(search_case *c, const char *spec, const char *target);
void search_close(search_case *c);
