/* Walks the list of strategies: every one for every element, in every layout, precision and order, with its default
 * candidate; a strategy's layouts one after the other, so that what its kernel is checked with is made once. */
#pragma once

#include "../gen/family.h"
#include "../runtime/device.h"

/* The highest order of any family, and of a whole stage. */
enum { HIGHEST_ORDER = 15, HIGHEST_STAGE = 9 };

typedef struct plan_case {
  const wisp_family *family;
  const wisp_element *element;
  bool repeated; /* the strategy applies to the family's first element too, and this is another */
  const wisp_strategy *strategy;
  wisp_spec spec;
  wisp_layout layout;
  const wisp_env *names;
  const wisp_plan *plan;              /* the default candidate; NULL where there is none */
  const char *reason;                 /* why there is none */
  int strategy_number, layout_number; /* of its name; in their list */
  int system_number;                  /* 0: the family's own; else another that ships */
  int at, count; /* the strategy has candidates in so many layouts of this order, here the at-th; -1: none here */
  bool last;     /* the last of this element, order and precision: names end after it */
} plan_case;

typedef struct plan_range {
  int orders[2];
  wisp_precision precisions[2]; /* the second may be 0 */
} plan_range;

typedef void plan_visit(void *context, const plan_case *c);

/* All families' strategies ($WISP_TEST_FAMILY: of one alone) on a device with these limits, at those of the orders that
 * a family has. Fails the test where a plan fails otherwise than by a refusal. */
void each_plan(const wisp_limits *limits, const plan_range *range, plan_visit *visit, void *context);
/* The same for every system of equations that ships, not a family's own alone. */
void each_plan_of_systems(const wisp_limits *limits, const plan_range *range, plan_visit *visit, void *context);
/* The same, with every form at every order, where the above takes forms in turns. */
void each_plan_of_every_system(const wisp_limits *limits, const plan_range *range, plan_visit *visit, void *context);

/* If a walk would be too long, cases take turns, so that no strategy, layout, precision or range of orders is left
 * out: a layout of those that the strategy has candidates in at this order; a precision; of systems beside the family's
 * own one, at the orders up to 3; and strategies at every fifth order above `low`, of an element of many orders at
 * every seventh, those of another element that the first one has too at every seventh: numbers that no count of
 * layouts divides, so that these change from turn to turn. Always their turn where WISP_TEST_FULL=1. */
bool layout_has_turn(const plan_case *c);
bool precision_has_turn(const plan_case *c);
bool system_has_turn(const plan_case *c);
bool order_has_turn(const plan_case *c, int low);
bool walks_in_full(void);

/* "volume.field-in-shared node-km4-pad144 p3 maxwell f32", for messages; valid until the next call. */
const char *plan_case_text(const plan_case *c);

/* $WISP_TEST_SHARE, "1/8", is one of so many processes that share out a list: whether this number is its own. */
bool share_has_turn(size_t number);

wisp_device *open_test_device(void);
/* cmocka's set-up and tear-down: *state is that device. */
int device_set_up(void **state);
int device_tear_down(void **state);

/* The limits of a target that is known by name, and the names of a spec and layout within limits. */
wisp_limits target_limits(const char *target);
wisp_env *plan_names(const wisp_limits *limits, const wisp_spec *spec, const wisp_layout *layout);

/* Kernels of the host are compiled at -O1 from here on ($WISP_TEST_CFLAGS), in half the time: for tests of what a text
 * does, not how fast. Lanes are vectorised all the same. Flags that are set stand. */
void compile_quickly(void);
