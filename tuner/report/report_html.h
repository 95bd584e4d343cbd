/* The writer of a report: text with its markup, numbers for reading, and axes of a plot. */
#pragma once

#include "report_data.h"

/* A page in the making. The first failure stays in status, and everything after it does nothing. */
typedef struct wisp_page {
  wisp_error *err;
  wisp_text *text;
  wisp_status status;
} wisp_page;

/* Markup, as it is. */
__attribute__((format(printf, 2, 3))) void wisp_page_print(wisp_page *page, const char *format, ...);
/* Text from outside: whatever it holds, it is read as text, in an element as in an attribute. */
void wisp_page_text(wisp_page *page, const char *text);
/* A part of the page that says the same of every subject but for its number: templates/report/PART.html. */
void wisp_page_part(wisp_page *page, const char *part, size_t number);
/* Such a text with markup before and after it. */
void wisp_page_around(wisp_page *page, const char *before, const char *text, const char *after);

/* A number with so many significant digits, never with an exponent, thousands apart; digits 0: a count, in full.
 * "–" where it is not known. */
enum { WISP_NUMBER_TEXT = 48 };
const char *wisp_number(char out[WISP_NUMBER_TEXT], double value, int digits);
/* A cell of a table with that number. */
void wisp_page_number(wisp_page *page, double value, int digits);

/* One axis of a plot: values between low and high lie between the pixels from and to. */
typedef struct wisp_axis {
  double low, high, from, to;
  bool log;
} wisp_axis;
double wisp_axis_place(const wisp_axis *axis, double value);
/* Widens low and high so that [least, most] lies in between with some room. */
wisp_axis wisp_axis_over(double least, double most, bool log, double from, double to);

/* Opens a figure with a title, and grid lines with their numbers left of the plot, in this unit. */
void wisp_page_figure(wisp_page *page, int width, int height, const char *label, const wisp_axis *x, const wisp_axis *y,
                      const char *title, const char *unit);
/* The numbers below a plot. */
void wisp_page_grid_x(wisp_page *page, const wisp_axis *x, const wisp_axis *y, const char *title);

/* A line of a plot, and a label: markup, at its "start", "middle" or "end". kind: their class in templates/report. */
void wisp_page_line(wisp_page *page, const char *kind, double x1, double y1, double x2, double y2);
void wisp_page_label(wisp_page *page, const char *kind, double x, double y, const char *anchor, const char *label);

/* The i-th colour, of as many as are told apart; later ones begin again. */
const char *wisp_colour(size_t i);

/* ---- The parts of a report's page: all show one subject, a run of cells that differ in precision,
 * order and kernel alone. */

typedef struct wisp_report_subject {
  const wisp_report_cell *cells;
  size_t count;
  size_t number; /* of the subject on the page, and of its first cell: together they make names for links */
  size_t first;
  const wisp_report_cell *bare; /* of the same without its arithmetic; NULL: there is none */
  size_t bare_count;
  const wisp_report_cell *then; /* what it is compared with, of whatever subject; NULL: nothing */
  size_t then_count;
  const char *against;
} wisp_report_subject;

void wisp_report_stages(wisp_page *page, const wisp_report_subject *subject);
void wisp_report_winners(wisp_page *page, const wisp_report_subject *subject);
/* Nothing where it is compared with nothing. */
void wisp_report_compare(wisp_page *page, const wisp_report_subject *subject);
void wisp_report_roofline(wisp_page *page, const wisp_report_subject *subject);
void wisp_report_strategies(wisp_page *page, const wisp_report_subject *subject);
void wisp_report_studies(wisp_page *page, const wisp_report_subject *subject);
void wisp_report_refusals(wisp_page *page, const wisp_report_subject *subject);
void wisp_report_failures(wisp_page *page, const wisp_report_subject *subject);

void wisp_page_param_name(wisp_page *page, const char *name);
