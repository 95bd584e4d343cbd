/* Reads what files of both formats hold, numbers, words and names; then the nodes and elements of format 2. */
#include "gmsh.h"

#include <ctype.h>
#include <stdarg.h>

/* ---- Numbers and words. */

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

/* A count on a line of its own, text even in a binary file (version 2). */
static wisp_status read_count_line(wisp_error *err, wisp_gmsh *gmsh, size_t *out)
{
  const bool binary = gmsh->binary;
  const char *rest;
  size_t length;
  gmsh->binary = false;
  wisp_status status = wisp_gmsh_count(err, gmsh, out);
  gmsh->binary = binary;
  if (status == WISP_OK && binary) wisp_gmsh_line(gmsh, &rest, &length);
  return status;
}

wisp_status wisp_gmsh_real(wisp_error *err, wisp_gmsh *gmsh, double *out)
{
  char text[LONGEST_NUMBER + 1], *end;
  bool whole = false;
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
      whole = end == text + length;
    }
    if (!whole || !isfinite(value)) return refuse_word(err, gmsh, "a finite number", length);
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
    bool whole = (c == from || c[-1] == '\n') && (after == gmsh->end || is_space(*after));
    if (whole && memcmp(name, section, length) == 0) {
      gmsh->at = after;
      return WISP_OK;
    }
  }
  return wisp_gmsh_fail(err, gmsh, "section $%s has no end: truncated?", wisp_gmsh_excerpt(section, length).text);
}

/* ---- Physical groups. */

wisp_status wisp_gmsh_tag(wisp_error *err, wisp_gmsh *gmsh, int dimension, int64_t value, int32_t *out)
{
  if (value < -INT32_MAX || value > INT32_MAX)
    return wisp_gmsh_fail(err, gmsh, "physical group %lld does not fit 32 bits", (long long)value);
  *out = (int32_t)(value < 0 ? -value : value);
  return *out ? wisp_groups_add(err, &gmsh->groups, dimension, *out, NULL, 0) : WISP_OK;
}

/* ---- Names of physical groups, always text: a count, then lines such as 2 7 "steel" (in format 2.0: 7 "steel"). */

/* Takes a whole number that is not negative off the front of a line; -1: there is none. */
static int32_t read_number(const char **at, const char *end)
{
  int64_t value = -1;
  while (*at < end && is_space(**at)) ++*at;
  for (; *at < end && **at >= '0' && **at <= '9' && value < INT32_MAX; ++*at)
    value = (value < 0 ? 0 : 10 * value) + (**at - '0');
  return value <= INT32_MAX ? (int32_t)value : -1;
}

static wisp_status read_name(wisp_error *err, wisp_gmsh *gmsh, const char *at, const char *end)
{
  const bool with = gmsh->version > 2 || gmsh->minor > 0;
  const int32_t dimension = with ? read_number(&at, end) : 0, number = read_number(&at, end);
  const char *quote = memchr(at, '"', (size_t)(end - at)), *last = end;
  while (quote && last > quote + 1 && last[-1] != '"') last--;
  if (dimension < 0 || dimension > 3 || number <= 0 || !quote || last <= quote + 2) return WISP_OK;
  const size_t length = (size_t)(last - 1 - (quote + 1));
  if (memchr(quote, '\0', length + 1)) return WISP_OK;
  return wisp_groups_add(err, &gmsh->groups, with ? dimension : WISP_ANY_DIMENSION, number, quote + 1, length);
}

wisp_status wisp_gmsh_names(wisp_error *err, wisp_gmsh *gmsh)
{
  const char *line = NULL;
  size_t count = 0, length = 0;
  CALL(read_count_line(err, gmsh, &count));
  while (count && wisp_gmsh_line(gmsh, &line, &length)) {
    if (!length) continue;
    count--;
    CALL(read_name(err, gmsh, line, line + length));
  }
  return WISP_OK;
}

/* ---- Gmsh's format 2.2: counts are text on their own line, even in binary files. */

wisp_status wisp_gmsh_nodes_2(wisp_error *err, wisp_gmsh *gmsh)
{
  size_t count = 0;
  CALL(read_count_line(err, gmsh, &count));
  for (size_t i = 0; i < count; i++) {
    wisp_gmsh_node node;
    CALL(wisp_gmsh_integer(err, gmsh, 4, &node.tag));
    for (int c = 0; c < 3; c++) CALL(wisp_gmsh_real(err, gmsh, &node.xyz[c]));
    CALL(wisp_grow(err, &gmsh->node, &gmsh->node_capacity, gmsh->nodes + 1, sizeof node));
    gmsh->node[gmsh->nodes++] = node;
  }
  return WISP_OK;
}

/* An element, "number type tags... nodes"; binary has type and count of tags before a run. Tag 1 is the group. */
static wisp_status read_element(wisp_error *err, wisp_gmsh *gmsh, const wisp_gmsh_kind *kind, int64_t tags)
{
  int32_t physical = 0;
  for (int64_t i = 0; i < tags; i++) {
    int64_t tag = 0;
    CALL(wisp_gmsh_integer(err, gmsh, 4, &tag));
    if (i == 0) CALL(wisp_gmsh_tag(err, gmsh, kind->dimension, tag, &physical));
  }
  return wisp_gmsh_element(err, gmsh, kind, 4, physical);
}

/* A run of elements of one kind: one element in text, as many as its header says in binary. */
static wisp_status read_run(wisp_error *err, wisp_gmsh *gmsh, size_t left, size_t *run)
{
  const wisp_gmsh_kind *kind = NULL;
  int64_t number = 0, type = 0, count = 1, tags = 0;
  if (!gmsh->binary) CALL(wisp_gmsh_integer(err, gmsh, 4, &number));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &type));
  if (gmsh->binary) CALL(wisp_gmsh_integer(err, gmsh, 4, &count));
  CALL(wisp_gmsh_integer(err, gmsh, 4, &tags));
  CALL(wisp_gmsh_find_kind(err, gmsh, type, &kind));
  if (count <= 0 || (uint64_t)count > left || tags < 0)
    CALL(wisp_gmsh_fail(err, gmsh, "a run of %lld elements with %lld tags, where %zu elements are left",
                        (long long)count, (long long)tags, left));
  for (int64_t i = 0; i < count; i++) {
    if (gmsh->binary) CALL(wisp_gmsh_integer(err, gmsh, 4, &number));
    CALL(read_element(err, gmsh, kind, tags));
  }
  *run = (size_t)count;
  return WISP_OK;
}

wisp_status wisp_gmsh_elements_2(wisp_error *err, wisp_gmsh *gmsh)
{
  size_t count = 0;
  CALL(read_count_line(err, gmsh, &count));
  for (size_t done_so_far = 0, run = 0; done_so_far < count; done_so_far += run)
    CALL(read_run(err, gmsh, count - done_so_far, &run));
  return WISP_OK;
}
