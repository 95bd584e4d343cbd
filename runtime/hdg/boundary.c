#include "boundary.h"

static bool is_listed(const int32_t *tags, size_t count, int32_t tag)
{
  for (size_t i = 0; i < count; i++)
    if (tags[i] == tag) return true;
  return false;
}

/* Those with a flux: as many as *count, tags are the caller's. */
static wisp_status find_neumann(wisp_error *err, const char *what, const wisp_mesh *mesh, const char *neumann,
                                int32_t **tags, size_t *count)
{
  OWNED(free) char *text = strdup(neumann);
  char *rest = NULL;
  size_t room = 0;
  CALL(wisp_require(err, text, WISP_EMEMORY, "out of memory: %s", what));
  for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    CALL(wisp_grow(err, tags, &room, *count + 1, sizeof **tags));
    const int32_t tag = (*tags)[(*count)++] = wisp_mesh_tag(mesh, 1, name);
    CALL(wisp_require(err, tag, WISP_EUSAGE, "%s: '%s' is no tag, nor a name, of the mesh's boundary", what, name));
  }
  return wisp_require(err, *count, WISP_EUSAGE, "%s is empty, must be tags or names such as 1,3", what);
}

wisp_status wisp_hdg_dirichlet(wisp_error *err, const char *what, const char *name, const wisp_mesh *mesh,
                               const char *neumann, int32_t **tags, wisp_fixing *out)
{
  OWNED(free) int32_t *with_flux = NULL, *others = NULL;
  wisp_fixing flux = {.count = 0}, fixing = {.count = 0};
  if (!neumann) return *out = (wisp_fixing){.all = true}, WISP_OK;
  CALL(find_neumann(err, what, mesh, neumann, &with_flux, &flux.count));
  flux.tag = with_flux;
  CALL(wisp_fixing_check(err, name, mesh, &flux));
  CALL(wisp_new(err, 3 * mesh->elements, sizeof *others, &others));
  for (size_t f = 0; f < 3 * mesh->elements; f++)
    if (mesh->neighbour[f] == WISP_BOUNDARY && !wisp_fixing_has(&flux, mesh->tag[f]) &&
        !is_listed(others, fixing.count, mesh->tag[f]))
      others[fixing.count++] = mesh->tag[f];
  fixing.tag = others;
  *out = fixing;
  return GIVE(others, tags);
}
