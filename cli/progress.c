#include "progress.h"
#include "print.h"
#include "../runtime/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIDEST = 512, BAR = 20, NARROW = 60 }; /* in a window narrower than NARROW the bar has half the length */

wisp_progress wisp_progress_begin(bool quiet)
{
  const char *term = getenv("TERM");
  bool terminal = isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
  double now = wisp_seconds();
  return (wisp_progress){
      .quiet = quiet, .terminal = terminal, .every = terminal ? 0.1 : 5, .began = now, .last = terminal ? 0 : now};
}

double wisp_progress_seconds(const wisp_progress *p)
{
  return wisp_seconds() - p->began;
}

void wisp_print_duration(double s, char text[16])
{
  if (!isfinite(s))
    snprintf(text, 16, "?");
  else if (s < 100)
    snprintf(text, 16, "%.0fs", s);
  else if (s < 6000)
    snprintf(text, 16, "%.0fm", s / 60);
  else
    snprintf(text, 16, "%.1fh", fmin(s / 3600, 99999));
}

/* "[#####...............] " */
static void draw_bar(double fraction, int width, char *bar)
{
  int length = width < NARROW ? BAR / 2 : BAR, filled = (int)(fraction * length);
  *bar++ = '[';
  for (int i = 0; i < length; i++) *bar++ = i < filled ? '#' : '.';
  memcpy(bar, "] ", 3);
}

/* Cuts a line to a number of bytes, never within a character; what would move the cursor becomes a question mark. */
static void fit(char *line, size_t most)
{
  size_t length = strlen(line);
  if (length > most) {
    length = most;
    while (length && ((unsigned char)line[length] & 0xc0) == 0x80) length--;
  }
  line[length] = '\0';
  for (char *c = line; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
}

void wisp_progress_show(wisp_progress *p, double fraction, const char *text)
{
  double now = wisp_seconds(), elapsed = now - p->began;
  if (p->quiet || now - p->last < p->every) return;
  char bar[BAR + 4] = "", left[16], ahead[48] = "", line[WIDEST];
  int width = wisp_terminal_columns(STDERR_FILENO);
  p->last = now;
  if (isfinite(fraction)) {
    fraction = fmin(fmax(fraction, 0), 1);
    wisp_print_duration(fraction > 0 ? elapsed * (1 - fraction) / fraction : NAN, left);
    snprintf(ahead, sizeof ahead, "%3.0f%%, %s left: ", 100 * fraction, left);
    if (p->terminal) draw_bar(fraction, width, bar);
  }
  snprintf(line, sizeof line, "%s%s%s", bar, ahead, text);
  fit(line, p->terminal ? (size_t)width - 1 : sizeof line);
  if (p->terminal)
    fprintf(stderr, "\r\033[K%s", line);
  else
    fprintf(stderr, "%s\n", line);
  fflush(stderr);
  p->shown = true;
}

void wisp_progress_clear(wisp_progress *p)
{
  if (p->shown && p->terminal) {
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
  }
  p->shown = false;
}
