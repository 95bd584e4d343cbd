/* Walks the list of strategies: every one in every layout, precision and order, with its default candidate. */
#ifndef EACH_PLAN_H
#define EACH_PLAN_H

#include "../gen/family.h"
#include "../runtime/device.h"

typedef struct plan_case {
  const wisp_family *family;
  const wisp_strategy *strategy;
  wisp_spec spec;
  wisp_layout layout;
  const wisp_env *names;
  const wisp_plan *plan; /* the default candidate; NULL where there is none */
  const char *reason;    /* why there is none */
  bool last;             /* the last strategy in this layout: names end after it */
} plan_case;

typedef struct plan_range {
  int orders[2];
  wisp_precision precisions[2]; /* the second may be 0 */
} plan_range;

typedef void plan_visit(void *context, const plan_case *c);

/* All families' strategies on a device with these limits, at those of the orders that a family has. Fails the test
 * where a plan fails otherwise than by a refusal. */
void each_plan(const wisp_limits *limits, const plan_range *range, plan_visit *visit, void *context);

/* "volume.field-in-shared node-km4-pad144 p3 f32", for messages; valid until the next call. */
const char *plan_case_text(const plan_case *c);

/* The device that tests run on: $WISP_TEST_DEVICE, "host" unless set. */
const char *test_device_name(void);
wisp_device *open_test_device(void);

#endif
