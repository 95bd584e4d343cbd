/* The geometry that operators on hexahedra read, on a device. */
#ifndef WISP_HEX_UPLOAD_H
#define WISP_HEX_UPLOAD_H

#include "../arrays.h"
#include "hex_reference.h"

/* Fills those of gauss_factors, gauss_mass, gll_factors and vertices that are there. WISP_EINPUT, naming the element,
 * where a Jacobian is not positive. */
wisp_status wisp_hex_upload(wisp_error *err, const wisp_hex *hex, const wisp_hexmesh *mesh, wisp_arrays *arrays);

#endif
