/* Meshes that programs bring, and reports to them, whatever they open. */
#include "api.h"

wisp_status wisp_api_mesh(wisp_error *err, const char *what, int corners, size_t vertices, size_t elements,
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

/* Kernels square the edges of triangles, and products of two edges of tets and hexes. */
wisp_status wisp_api_frame(wisp_error *err, const char *what, const wisp_mesh *mesh, wisp_precision precision,
                           wisp_frame *out)
{
  const int dimension = wisp_mesh_dimension(mesh);
  const double element = wisp_mesh_frame(mesh).length / pow((double)mesh->elements, 1.0 / dimension);
  const double squares = pow(element, dimension == 2 ? 2 : 4);
  CALL(wisp_require(err, precision == WISP_F64 || (squares > 1e-35 && squares < 1e35), WISP_EUSAGE,
                    "%s: elements with a length of about %g leave the range of single precision: take another unit of "
                    "length, or double precision",
                    what, element));
  *out = wisp_mesh_shift(mesh);
  return WISP_OK;
}

wisp_kernel_info wisp_api_info(const wisp_choice *c)
{
  return (wisp_kernel_info){
      c->kernel, c->strategy, c->params, c->layout, wisp_match_name(c->match), wisp_layer_name(c->layer), c->note};
}
