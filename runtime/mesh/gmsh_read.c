/* Reads numbers and words of Gmsh files, text or binary. */
#include "gmsh.h"

#include <ctype.h>
#include <stdarg.h>

enum { LONGEST_NUMBER = 63 };

wisp_status wisp_gmsh_fail(wisp_error *err, const wisp_gmsh *gmsh, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  size_t line = 1;
  if (gmsh->binary) return wisp_fail(err, WISP_EINPUT, "%s: byte %td: %s", gmsh->name, gmsh->at - gmsh->begin, text);
  for (const char *c = gmsh->begin; c < gmsh->at; c++) line += *c == '\n';
  return wisp_fail(err, WISP_EINPUT, "%s:%zu: %s", gmsh->name, line, text);
}

/* The next word of text, which is not passed yet. Its length is 0 at the end of the file. */
static size_t find_word(wisp_gmsh *gmsh)
{
  while (gmsh->at < gmsh->end && is_space(*gmsh->at)) gmsh->at++;
  const char *c = gmsh->at;
  while (c < gmsh->end && !is_space(*c)) c++;
  return (size_t)(c - gmsh->at);
}

wisp_gmsh_quote wisp_gmsh_excerpt(const char *from, size_t length)
{
  wisp_gmsh_quote quoted = {{0}};
  for (size_t i = 0; i < length && i < sizeof quoted.text - 1; i++)
    quoted.text[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
  return quoted;
}

static wisp_status refuse_word(wisp_error *err, const wisp_gmsh *gmsh, const char *expected, size_t length)
{
  if (!length) return wisp_gmsh_fail(err, gmsh, "the file ends where %s is expected: truncated?", expected);
  return wisp_gmsh_fail(err, gmsh, "expected %s, found '%s'", expected, wisp_gmsh_excerpt(gmsh->at, length).text);
}

/* Copies the next bytes of a binary file into a number, in our byte order. */
static wisp_status read_raw(wisp_error *err, wisp_gmsh *gmsh, size_t bytes, void *out)
{
  unsigned char raw[8];
  if ((size_t)(gmsh->end - gmsh->at) < bytes)
    return wisp_gmsh_fail(err, gmsh, "the file ends inside a number of %zu bytes: truncated?", bytes);
  for (size_t i = 0; i < bytes; i++) raw[gmsh->swap ? bytes - 1 - i : i] = (unsigned char)gmsh->at[i];
  memcpy(out, raw, bytes);
  gmsh->at += bytes;
  return WISP_OK;
}

static wisp_status text_integer(wisp_error *err, wisp_gmsh *gmsh, int bytes, int64_t *out)
{
  size_t length = find_word(gmsh), i = length && *gmsh->at == '-';
  uint64_t value = 0, most = bytes == 4 ? INT32_MAX : INT64_MAX;
  if (i == length) return refuse_word(err, gmsh, "an integer", length);
  bool negative = i;
  for (; i < length; i++) {
    if (gmsh->at[i] < '0' || gmsh->at[i] > '9') return refuse_word(err, gmsh, "an integer", length);
    value = 10 * value + (uint64_t)(gmsh->at[i] - '0');
    if (value > most)
      return refuse_word(err, gmsh, bytes == 4 ? "an integer of 32 bits" : "an integer of 64 bits", length);
  }
  *out = negative ? -(int64_t)value : (int64_t)value;
  gmsh->at += length;
  return WISP_OK;
}

wisp_status wisp_gmsh_integer(wisp_error *err, wisp_gmsh *gmsh, int bytes, int64_t *out)
{
  int32_t narrow = 0;
  if (!gmsh->binary) {
    CALL(text_integer(err, gmsh, bytes, out));
  } else if (bytes == 4) {
    CALL(read_raw(err, gmsh, sizeof narrow, &narrow));
    *out = narrow;
  } else {
    CALL(read_raw(err, gmsh, sizeof *out, out));
  }
  return WISP_OK;
}

wisp_status wisp_gmsh_count(wisp_error *err, wisp_gmsh *gmsh, size_t *out)
{
  int64_t value = 0;
  CALL(wisp_gmsh_integer(err, gmsh, 8, &value));
  if (value < 0) return wisp_gmsh_fail(err, gmsh, "a count of %lld is negative", (long long)value);
  *out = (size_t)value;
  return WISP_OK;
}

wisp_status wisp_gmsh_real(wisp_error *err, wisp_gmsh *gmsh, double *out)
{
  char text[LONGEST_NUMBER + 1], *end;
  bool complete = false;
  double value = 0;
  if (gmsh->binary) {
    wisp_status status = read_raw(err, gmsh, sizeof value, &value);
    if (status != WISP_OK) return status;
    if (!isfinite(value)) return wisp_gmsh_fail(err, gmsh, "a coordinate is not finite");
  } else {
    size_t length = find_word(gmsh);
    if (length && length <= LONGEST_NUMBER) {
      memcpy(text, gmsh->at, length);
      text[length] = '\0';
      value = strtod_l(text, &end, gmsh->locale);
      complete = end == text + length;
    }
    if (!complete || !isfinite(value)) return refuse_word(err, gmsh, "a finite number", length);
    gmsh->at += length;
  }
  *out = value;
  return WISP_OK;
}

bool wisp_gmsh_line(wisp_gmsh *gmsh, const char **line, size_t *length)
{
  if (gmsh->at == gmsh->end) return false;
  const char *stop = memchr(gmsh->at, '\n', (size_t)(gmsh->end - gmsh->at));
  const char *last = stop ? stop : gmsh->end;
  *line = gmsh->at;
  gmsh->at = stop ? stop + 1 : gmsh->end;
  while (last > *line && is_space(last[-1])) last--;
  *length = (size_t)(last - *line);
  return true;
}

wisp_status wisp_gmsh_end(wisp_error *err, wisp_gmsh *gmsh, const char *section)
{
  char mark[64];
  int length = snprintf(mark, sizeof mark, "$End%s", section);
  size_t found = find_word(gmsh);
  if (found != (size_t)length || memcmp(gmsh->at, mark, found) != 0) return refuse_word(err, gmsh, mark, found);
  gmsh->at += found;
  return WISP_OK;
}

wisp_status wisp_gmsh_skip(wisp_error *err, wisp_gmsh *gmsh, const char *section, size_t length)
{
  const char *from = gmsh->at;
  for (const char *c = from; (c = memmem(c, (size_t)(gmsh->end - c), "$End", 4)); c++) {
    const char *name = c + 4;
    if ((size_t)(gmsh->end - name) < length) break;
    const char *after = name + length;
    bool complete = (c == from || c[-1] == '\n') && (after == gmsh->end || is_space(*after));
    if (complete && memcmp(name, section, length) == 0) {
      gmsh->at = after;
      return WISP_OK;
    }
  }
  return wisp_gmsh_fail(err, gmsh, "section $%s has no end: truncated?", wisp_gmsh_excerpt(section, length).text);
}
