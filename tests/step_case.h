/* A store of a test's own, entries in it of the nodal family's kernels at order 2, and the stage that is chosen from
 * them. */
#pragma once

#include "store_fixture.h"
#include "../runtime/solve/choose.h"

/* A store of the test's own and the device that it is about. */
typedef struct fixture {
  char folder[64];
  const char *path;
  wisp_strategies *strategies;
  wisp_device *device;
  const wisp_limits *limits;
} fixture;

/* cmocka's set-up and tear-down: *state is a fixture. */
int step_open(void **state);
int step_close(void **state);

/* The part of an entry that a test sets; the rest is as if measured here. */
typedef struct entry {
  const char *kernel, *layout, *strategy, *params;
  double ms;
  const char *hash, *device, *target, *driver; /* NULL: today's, this one's */
} entry;

void step_add(fixture *f, const entry *e);

/* A whole stage. */
wisp_choose_request step_request(void);
wisp_stage step_choose_for(fixture *f, const wisp_choose_request *r);
wisp_stage step_choose(fixture *f);
/* The same by the strict mode, without the stage. */
wisp_status step_choose_exact(fixture *f, wisp_error *err);
/* That of the stage's kernel. */
const wisp_choice *step_choice(const wisp_stage *stage, const char *kernel);
