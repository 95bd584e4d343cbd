/* The parts of a report's page, one file each: all tell of one subject, a run of cells that differ in precision, order
 * and kernel alone. */
#ifndef WISP_REPORT_PARTS_H
#define WISP_REPORT_PARTS_H

#include "../../gen/family.h"
#include "report_data.h"
#include "report_html.h"

typedef struct wisp_report_subject {
  const wisp_report_cell *cells;
  size_t count;
  size_t number; /* of the subject on the page, and of its first cell: together they make names for links */
  size_t first;
} wisp_report_subject;

void wisp_report_stages(wisp_page *page, const wisp_report_subject *subject);
void wisp_report_winners(wisp_page *page, const wisp_report_subject *subject);
void wisp_report_roofline(wisp_page *page, const wisp_report_subject *subject);
void wisp_report_studies(wisp_page *page, const wisp_report_subject *subject);
void wisp_report_refusals(wisp_page *page, const wisp_report_subject *subject);
void wisp_report_failures(wisp_page *page, const wisp_report_subject *subject);

/* Shared by parts: "w_p 8 · w_i 2" of "wi=2 wp=8", and the name of a parameter alone. */
void wisp_page_params(wisp_page *page, const wisp_trial *trial);
void wisp_page_param_name(wisp_page *page, const char *name);

#endif
