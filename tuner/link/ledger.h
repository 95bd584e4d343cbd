/* What the time of a sweep goes to: every moment to one purpose. */
#ifndef WISP_LEDGER_H
#define WISP_LEDGER_H

typedef enum wisp_purpose {
  WISP_ELSE,      /* opening the device, choosing candidates, telling the tuner */
  WISP_PREPARING, /* making the problems to time on */
  WISP_COMPILING, /* waiting for compilers */
  WISP_VERIFYING, /* making references, and comparing with them and with the default candidate */
  WISP_TIMING,
  WISP_PURPOSES
} wisp_purpose;

typedef struct wisp_ledger {
  wisp_purpose purpose;
  double since; /* of the monotonic clock, like wisp_seconds; 0: not begun */
  double spent[WISP_PURPOSES];
} wisp_ledger;

/* From now on time goes to this purpose. */
void wisp_turn(wisp_ledger *ledger, wisp_purpose purpose);

/* The same, and where the block is left again to the one before: HELD(wisp_turn_back) wisp_turning now = ... */
typedef struct __attribute__((unused)) wisp_turning { /* there for its end */
  wisp_ledger *ledger;
  wisp_purpose before;
} wisp_turning;
wisp_turning wisp_turn_to(wisp_ledger *ledger, wisp_purpose purpose);
void wisp_turn_back(const wisp_turning *turning);

/* Moves what was spent so far to an account of the same purposes. */
void wisp_ledger_settle(wisp_ledger *ledger, double spent[WISP_PURPOSES]);

/* Whatever else these seconds were spent on, which a worker that ended did not come to tell, is WISP_ELSE. */
void wisp_ledger_balance(double spent[WISP_PURPOSES], double seconds);

#endif
