/* The data of a report: trials of the store, each once, in cells of one kernel, order, precision and device. */
#pragma once

#include "../../runtime/api/api.h"

/* ---- The report: what a store knows, as one HTML page that needs nothing else: no network, no script. */

enum { WISP_REPORT_ORDERS = 32 };

/* The other side of a comparison. */
typedef struct wisp_report_against {
  const wisp_session *session;
  const char *device; /* what its name has */
  const char *name;   /* for people: "store old.db" */
} wisp_report_against;

/* The subject of the page. */
typedef struct wisp_report_request {
  char device[128];   /* what its name begins with; empty: any */
  const char *family; /* NULL: any */
  bool orders[WISP_REPORT_ORDERS];
  bool f32, f64;
  char kernel[WISP_NAME_TEXT];        /* the parameter study in the foreground; empty: the volume kernel's */
  int order;                          /* its order; 0: 4, or else the one with the most trials */
  const wisp_report_against *against; /* NULL: nothing */
} wisp_report_request;

/* Appends the whole page to out: what the session's store holds. WISP_EMISSING: nothing that was measured fits the
 * request, or nothing of it is in the store to compare with. */
wisp_status wisp_report_page(wisp_error *err, const wisp_session *session, const wisp_report_request *request,
                             wisp_text *out);

/* Writes the page as folder/index.html, under another name first; makes the folder, its parents must be there.
 * WISP_ESYSTEM names the path and the reason. */
wisp_status wisp_report_write(wisp_error *err, const char *folder, const wisp_text *page);

typedef struct wisp_report_entry {
  const wisp_trial *trial;
  wisp_spec spec;
  int rank;  /* the kernel's place in its family */
  int layer; /* nearer is less */
} wisp_report_entry;

/* One kernel of one order; every pointer is NULL where there is no such trial. */
typedef struct wisp_report_cell {
  const wisp_report_entry *entries;
  size_t count;
  wisp_spec spec;
  const wisp_trial *timed;          /* one of the kind of mesh that is compared; NULL: none was timed */
  long long elements;               /* the largest size measured: what is compared is of this size */
  const wisp_trial *best;           /* what a solver takes, of all layouts, or would had it not to pass it over */
  double default_ms;                /* what runs without a store takes in its place; NaN: not measured */
  const wisp_trial *in_composition; /* likewise in the step that a solver takes, where that has this kernel */
  const wisp_trial *times[2];       /* whose times count (wisp_choice): of best and in_composition */
  const char *remark, *composition_remark;   /* of these two: "stale", "older", "refused", "slower", or empty; not set
                                                where there is none */
  size_t ok, slow, refused, bad, unfinished; /* trials by verdict; bad: failed */
  bool front;                                /* its parameter study stands in the foreground */
} wisp_report_cell;

/* Cells stand by device, family, element and system, precision, order, kernel. The same in all but precision and order?
 * In all but the kernel? */
bool wisp_report_same_subject(const wisp_report_cell *a, const wisp_report_cell *b);
bool wisp_report_same_order(const wisp_report_cell *a, const wisp_report_cell *b);

/* Whether the trial is a time that may be compared in its cell, or one that was dropped early as slow: that time is
 * rough, but no winner's. */
bool wisp_report_seen(const wisp_report_cell *cell, const wisp_trial *trial);
