/* The report: what a store knows, as one HTML page that needs nothing else: no network, no script. */
#ifndef WISP_REPORT_H
#define WISP_REPORT_H

#include "../../runtime/door/door.h"

enum { WISP_REPORT_ORDERS = 32 };

/* What the page is about. */
typedef struct wisp_report_wish {
  char device[128];   /* what its name begins with; empty: any */
  const char *family; /* NULL: any */
  bool orders[WISP_REPORT_ORDERS];
  bool f32, f64;
  char kernel[WISP_NAME_TEXT]; /* the parameter study in the foreground; empty: the volume kernel's */
  int order;                   /* its order; 0: 4, or else the one with the most trials */
} wisp_report_wish;

/* Appends the whole page to out: what the session's store holds. WISP_EMISSING: nothing that was measured fits the
 * wish. */
wisp_status wisp_report_page(wisp_error *err, const wisp_session *session, const wisp_report_wish *wish,
                             wisp_text *out);

/* Writes the page as folder/index.html, under another name first; makes the folder, its parents must be there.
 * WISP_ESYSTEM names the path and the reason. */
wisp_status wisp_report_write(wisp_error *err, const char *folder, const wisp_text *page);

#endif
