/* How far a long command is: one line on stderr that is rewritten on a terminal, as wide as the terminal, and a plain
 * line every few seconds elsewhere (a pipe, TERM=dumb).
 *
 *     wisp_progress progress = wisp_progress_begin(wisp_option_given(&args, "quiet"));
 *     ...
 *     wisp_progress_show(&progress, (double)step / steps, "step 120 of 400");
 *     ...
 *     wisp_progress_clear(&progress);
 */
#ifndef WISP_CLI_PROGRESS_H
#define WISP_CLI_PROGRESS_H

#include <stdbool.h>

typedef struct wisp_progress {
  bool quiet, terminal;
  double every; /* seconds from one line to the next: 0.1 on a terminal, else 5 */
  double began, last;
  bool shown; /* a line stands on the terminal */
} wisp_progress;

/* The clock starts here: begin again for each part that has a fraction of its own. */
wisp_progress wisp_progress_begin(bool quiet);
/* Seconds since it began: over the seconds that are allowed, the fraction of what ends by the clock. */
double wisp_progress_seconds(const wisp_progress *progress);
/* fraction: of the time that it takes, 0 to 1, from which the time left is told; NaN: not known. Cheap to call often:
 * most calls show nothing. */
void wisp_progress_show(wisp_progress *progress, double fraction, const char *text);
/* Erases the line: before anything else is printed, and at the end. */
void wisp_progress_clear(wisp_progress *progress);

/* "90s", "12m", "3.4h"; "?" where it is not finite. */
void wisp_print_duration(double seconds, char text[16]);

#endif
