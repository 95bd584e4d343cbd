#include "bent_box.h"

#include <math.h>

wisp_status bend_box(wisp_error *err, wisp_hexmesh *mesh, double amplitude)
{
  const double pi = acos(-1);
  for (size_t v = 0; v < mesh->vertices; v++) {
    double *x = mesh->xyz + 3 * v, wave[3];
    for (int d = 0; d < 3; d++) wave[d] = sin(pi * x[d]);
    const double both = amplitude * wave[0] * wave[1] * wave[2];
    x[0] += both * cos(2 * x[1]);
    x[1] += both * cos(3 * x[2] + 1);
    x[2] += both * sin(2 * x[0] + 3 * x[1]);
  }
  return wisp_mesh_connect(err, "bent box", mesh);
}
