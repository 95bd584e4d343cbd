/* The rows of `wisp best`, and their printers. */
#pragma once

#include "../cache/store.h"
#include "../gen/strategy/strategy.h"

typedef struct wisp_best_row {
  wisp_spec spec;
  const wisp_trial *of;             /* one of the device that it is for */
  const wisp_trial *trial, *timed;  /* timed: whose time counts (wisp_choice) */
  char constants[WISP_PARAMS_TEXT]; /* what its strategy does not vary, "wi=1 ws=1" */
  double default_ms;                /* NaN: not measured */
  const char *remark;               /* "stale", "refused": no solver takes it; else empty */
  wisp_match match;
  wisp_layer layer;
} wisp_best_row;

typedef struct wisp_best_rows {
  wisp_best_row *rows;
  size_t count, capacity;
} wisp_best_rows;

/* Appends the rows, which stand in groups of one device, family, system and precision, to out. */
typedef wisp_status (*wisp_best_print)(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
wisp_status wisp_best_print_text(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
wisp_status wisp_best_print_json(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
wisp_status wisp_best_print_csv(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
wisp_status wisp_best_print_markdown(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
