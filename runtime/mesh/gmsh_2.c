/* Gmsh's format 2.2: counts are text on their own line, even in binary files. */
#include "gmsh.h"

wisp_status wisp_gmsh_nodes_2(wisp_error *err, wisp_gmsh *gmsh)
{
  size_t count = 0;
  CALL(wisp_gmsh_count_line(err, gmsh, &count));
  for (size_t i = 0; i < count; i++) {
    wisp_gmsh_node node;
    CALL(wisp_gmsh_integer(err, gmsh, 4, &node.tag));
    for (int c = 0; c < 3; c++) CALL(wisp_gmsh_real(err, gmsh, &node.xyz[c]));
    CALL(wisp_grow(err, &gmsh->node, &gmsh->node_room, gmsh->nodes + 1, sizeof node));
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
    if (i == 0) CALL(wisp_gmsh_tag(err, gmsh, tag, &physical));
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
