/* The sections of a Gmsh file of format 2, and those that both formats share. */
#include "gmsh.h"

wisp_status wisp_gmsh_tag(wisp_error *err, wisp_gmsh *gmsh, int dimension, int64_t value, int32_t *out)
{
  if (value < -INT32_MAX || value > INT32_MAX)
    return wisp_gmsh_fail(err, gmsh, "physical group %lld does not fit 32 bits", (long long)value);
  *out = (int32_t)(value < 0 ? -value : value);
  return *out ? wisp_groups_add(err, &gmsh->groups, dimension, *out, NULL, 0) : WISP_OK;
}

/* ---- Names of physical groups, text in any file: a count, then lines such as 2 7 "steel"; in format 2.0 without the
 * dimension. A line of another form is passed. */

/* Takes a whole number that is not negative off the front of a line; -1: there is none. */
static int32_t take_number(const char **at, const char *end)
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
  const int32_t dimension = with ? take_number(&at, end) : 0, number = take_number(&at, end);
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
  CALL(wisp_gmsh_count_line(err, gmsh, &count));
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
  CALL(wisp_gmsh_count_line(err, gmsh, &count));
  for (size_t i = 0; i < count; i++) {
    wisp_gmsh_node node;
    CALL(wisp_gmsh_integer(err, gmsh, 4, &node.tag));
    for (int c = 0; c < 3; c++) CALL(wisp_gmsh_real(err, gmsh, &node.xyz[c]));
    CALL(wisp_grow(err, &gmsh->node, &gmsh->node_capacity, gmsh->nodes + 1, sizeof node));
    gmsh->node[gmsh->nodes++] = node;
  }
  return WISP_OK;
}

/* One element: in text "number type tags... nodes", in binary its type and count of tags stand before a run of them.
 * The first tag is the physical group. */
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
  CALL(wisp_gmsh_count_line(err, gmsh, &count));
  for (size_t done_so_far = 0, run = 0; done_so_far < count; done_so_far += run)
    CALL(read_run(err, gmsh, count - done_so_far, &run));
  return WISP_OK;
}
