/* What programs bring and are told, whatever they open. */
#include "door.h"

wisp_status wisp_door_mesh(wisp_error *err, const char *what, int corners, size_t vertices, size_t elements,
                           const double *xyz, const int *cells, wisp_mesh **out)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  CALL(wisp_require(err, xyz, WISP_EUSAGE, "%s: xyz is NULL", what));
  CALL(wisp_require(err, cells, WISP_EUSAGE, "%s: corners is NULL", what));
  CALL(wisp_require(err, elements, WISP_EUSAGE, "%s: no elements", what));
  CALL(wisp_mesh_create(err, corners, vertices, elements, &mesh));
  memcpy(mesh->xyz, xyz, 3 * vertices * sizeof *xyz);
  for (size_t i = 0; i < (size_t)corners * elements; i++) mesh->cell[i] = cells[i];
  CALL(wisp_mesh_flatten(err, what, mesh));
  CALL(wisp_mesh_connect(err, what, mesh));
  return GIVE(mesh, out);
}

wisp_kernel_info wisp_door_info(const wisp_choice *c)
{
  return (wisp_kernel_info){
      c->kernel, c->strategy, c->params, c->layout, wisp_match_name(c->match), wisp_layer_name(c->layer), c->note};
}
