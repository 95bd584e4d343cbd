#include "print.h"
#include "../runtime/process.h"

#include <math.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

int wisp_terminal_columns(int fd)
{
  struct winsize window = {0};
  if (!isatty(fd)) return 0;
  return ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col ? window.ws_col : 80;
}

wisp_status wisp_wrap(wisp_error *err, wisp_text *out, const char *text, int at, int indent, int width)
{
  for (bool first = true; *text; first = false) {
    int length = (int)strcspn(text, " ");
    if (!first && width && at + 1 + length > width) {
      CALL(wisp_text_print(err, out, "\n%*s", indent, ""));
      at = indent;
    } else if (!first) {
      CALL(wisp_text_print(err, out, " "));
      at++;
    }
    CALL(wisp_text_print(err, out, "%.*s", length, text));
    at += length;
    text += length + (int)strspn(text + length, " ");
  }
  return wisp_text_print(err, out, "\n");
}

const char *wisp_plural(long long count)
{
  return count == 1 ? "" : "s";
}

enum {
  PLAIN = 80,
  LEAST = 30,
  INDENT = 4
}; /* columns: of any window; for the last column beside the others, below them */

struct wisp_table {
  char *heading;
  const wisp_table_column *columns;
  size_t count, rows, capacity;
  char **cells; /* count a row; an empty line's are NULL */
};

wisp_status wisp_table_create(wisp_error *err, const char *heading, size_t count, const wisp_table_column *columns,
                              wisp_table **out)
{
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  CALL(wisp_new(err, 1, sizeof *table, &table));
  table->columns = columns;
  table->count = count;
  CALL(wisp_copy_text(err, heading, &table->heading));
  return GIVE(table, out);
}

wisp_status wisp_table_add(wisp_error *err, wisp_table *t, const char *const *cells)
{
  CALL(wisp_grow(err, &t->cells, &t->capacity, t->rows + 1, t->count * sizeof *t->cells));
  char **row = t->cells + t->rows * t->count;
  memset(row, 0, t->count * sizeof *row);
  t->rows++;
  for (size_t c = 0; cells && c < t->count; c++) {
    const size_t size = 4 * strlen(cells[c]) + 1; /* it may hold what a store does */
    CALL(wisp_new(err, size, 1, &row[c]));
    wisp_show_text(cells[c], row[c], size);
  }
  return WISP_OK;
}

wisp_status wisp_table_print_row(wisp_error *err, wisp_table *t, const char *format, ...)
{
  OWNED(free) char *line = NULL;
  const char *cells[WISP_MOST_COLUMNS];
  va_list list;
  va_start(list, format);
  const int length = vasprintf(&line, format, list);
  va_end(list);
  CALL(wisp_require(err, length >= 0, WISP_EMEMORY, "out of memory: a row of a table"));
  char *rest = line;
  for (size_t c = 0; c < t->count; c++) {
    char *cell = strsep(&rest, "\t");
    const bool finite = strcmp(cell, "nan") != 0 && strcmp(cell, "-nan") != 0 && strcmp(cell, "inf") != 0;
    cells[c] = finite ? cell : "-";
  }
  return wisp_table_add(err, t, cells);
}

/* Finds the width of each column; 0 where it holds nothing. */
static void find_widths(const wisp_table *t, int *width)
{
  for (size_t c = 0; c < t->count; c++) {
    width[c] = 0;
    for (size_t r = 0; r < t->rows; r++) {
      const char *cell = t->cells[r * t->count + c];
      int length = cell && strcmp(cell, "-") != 0 ? (int)strlen(cell) : 0;
      width[c] = length > width[c] ? length : width[c];
    }
    int title = (int)strlen(t->columns[c].title);
    if (width[c] && width[c] < title) width[c] = title;
  }
}

/* One line of cells; the last one goes on below where it does not fit the room. */
static wisp_status print_cells(wisp_error *err, const wisp_table *t, const int *width, char *const *cells, int window,
                               wisp_text *out)
{
  size_t last = t->count - 1;
  int at = 0;
  for (size_t c = 0; c < last; c++) {
    if (!width[c]) continue;
    const char *text = cells ? cells[c] : t->columns[c].title;
    CALL(wisp_text_print(err, out, "%s%*s", at ? " " : "", t->columns[c].right ? width[c] : -width[c], text));
    at += width[c] + (at > 0);
  }
  const char *text = cells ? cells[last] : t->columns[last].title;
  bool empty = !width[last] || !*text || strcmp(text, "-") == 0, below = window && window - at - 2 < LEAST;
  if (empty) return wisp_text_print(err, out, "\n");
  CALL(below ? wisp_text_print(err, out, "\n%*s", INDENT, "") : wisp_text_print(err, out, "  "));
  at = below ? INDENT : at + 2;
  return wisp_wrap(err, out, text, at, at, window);
}

wisp_status wisp_table_print(wisp_error *err, const wisp_table *t, int window, wisp_text *out)
{
  int width[WISP_MOST_COLUMNS], total = 0;
  find_widths(t, width);
  for (size_t c = 0; c < t->count; c++) total += width[c] ? width[c] + 1 : 0;
  if (total <= window) window = 0; /* nothing needs to be broken */
  if (*t->heading) CALL(wisp_text_print(err, out, "%s", t->heading));
  if (*t->heading && !window && total > PLAIN) CALL(wisp_text_print(err, out, " (%d columns wide)", total));
  if (*t->heading) CALL(wisp_text_print(err, out, "\n"));
  CALL(print_cells(err, t, width, NULL, window, out));
  for (size_t r = 0; r < t->rows; r++) {
    char *const *row = t->cells + r * t->count;
    CALL(*row ? print_cells(err, t, width, row, window, out) : wisp_text_print(err, out, "\n"));
  }
  return WISP_OK;
}

void wisp_table_destroy(wisp_table *t)
{
  if (!t) return;
  for (size_t i = 0; i < t->rows * t->count; i++) free(t->cells[i]);
  free(t->cells);
  free(t->heading);
  free(t);
}

void wisp_json_add_texts(cJSON *object, size_t count, const wisp_json_text *texts)
{
  for (size_t i = 0; i < count; i++)
    cJSON_AddItemToObject(object, texts[i].name,
                          texts[i].value && *texts[i].value ? cJSON_CreateString(texts[i].value) : cJSON_CreateNull());
}

/* cJSON prints what is no finite number as null. */
void wisp_json_add_numbers(cJSON *object, size_t count, const wisp_json_number *numbers)
{
  for (size_t i = 0; i < count; i++) cJSON_AddNumberToObject(object, numbers[i].name, numbers[i].value);
}

cJSON *wisp_json_object(size_t texts, const wisp_json_text *text, size_t numbers, const wisp_json_number *number)
{
  cJSON *object = cJSON_CreateObject();
  wisp_json_add_texts(object, texts, text);
  wisp_json_add_numbers(object, numbers, number);
  return object;
}

void wisp_json_add_params(cJSON *object, const char *key, const char *params)
{
  cJSON *list = cJSON_AddObjectToObject(object, key);
  for (char name[32], value[32], *end = NULL; wisp_next_param(&params, name, value);) {
    const double number = strtod(value, &end);
    cJSON_AddItemToObject(list, name, *end ? cJSON_CreateString(value) : cJSON_CreateNumber(number));
  }
}

wisp_status wisp_json_put(wisp_error *err, cJSON *json)
{
  char *text = cJSON_Print(json);
  cJSON_Delete(json);
  if (!text) return wisp_fail(err, WISP_EMEMORY, "out of memory: a report as JSON");
  puts(text);
  cJSON_free(text);
  return WISP_OK;
}

void wisp_json_add_notes(cJSON *object, const wisp_notes *notes)
{
  cJSON *list = cJSON_AddArrayToObject(object, "notes");
  for (size_t i = 0; i < notes->count; i++) {
    cJSON *note = cJSON_CreateObject();
    cJSON_AddStringToObject(note, "key", notes->list[i].key);
    cJSON_AddStringToObject(note, "text", notes->list[i].text);
    cJSON_AddItemToArray(list, note);
  }
}

/* ---- Progress. */

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
