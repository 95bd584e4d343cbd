/* The rows of `wisp best`, and their printers. */
#pragma once

#include "options.h"
#include "../cache/store.h"
#include "../gen/strategy/strategy.h"

/* The options. */
typedef struct wisp_best_request {
  char device[128];                      /* what is in its name */
  const char *family, *system, *element; /* NULL: any */
  const char *strategy, *layout;         /* each kernel's best of these; a layout's name, or how it begins; NULL: any */
  wisp_orders orders;
  wisp_precisions precisions;
  bool any_layout;
  bool stages; /* of the first subject on each device, and of each of its orders, the whole stage alone if it has one */
} wisp_best_request;

typedef struct wisp_best_row {
  wisp_spec spec;
  const wisp_trial *of;             /* one of the device that it is for */
  const wisp_trial *trial, *timed;  /* timed: whose time counts (wisp_choice) */
  char constants[WISP_PARAMS_TEXT]; /* what its strategy does not vary, "wi=1 ws=1" */
  double default_ms;                /* NaN: not measured */
  const char *remark;               /* "stale", "older", "refused": no solver takes it; else empty */
  wisp_match match;
  wisp_layer layer;
  int resident;                     /* threads of a multiprocessor at a time; 0: not known, or a host's */
  const struct wisp_best_row *then; /* of what it is compared with; NULL: there is none */
} wisp_best_row;

typedef struct wisp_best_rows {
  wisp_best_row *rows;
  size_t count, capacity;
  const char *against; /* what they are compared with, for people; NULL: nothing */
  wisp_text others;    /* subjects that are stored as well, "nodal tet acoustics, ..." */
} wisp_best_rows;
void wisp_best_free(wisp_best_rows *rows);

/* The rows of the session's store, in groups of one device, family, system and precision, with the times that count
 * (wisp_store_retime). None where nothing is stored. */
wisp_status wisp_best_fill(wisp_error *err, const wisp_session *session, const wisp_best_request *request,
                           wisp_best_rows *rows);

/* The row's match, or why it does not count; and what is to be remarked on it, mostly nothing. */
const char *wisp_best_match(const wisp_best_row *row);
const char *wisp_best_remark(const wisp_best_row *row);

/* Appends the rows to out: stages, a line an order and precision; all that is known of each kernel; or how the times of
 * both differ from those that they are compared with. */
typedef wisp_status (*wisp_best_print)(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
wisp_status wisp_best_print_stages(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
wisp_status wisp_best_print_against(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
wisp_status wisp_best_print_text(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
wisp_status wisp_best_print_json(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
wisp_status wisp_best_print_csv(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
wisp_status wisp_best_print_markdown(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
/* The meanings of remarks, a line each, for those that there are. */
wisp_status wisp_best_print_notes(wisp_error *err, const wisp_best_rows *rows, wisp_text *out);
