/* A mesh to check kernels on whose elements add to the same numbers at any time. */
#include "source.h"
#include "../../gen/random.h"

/* A random multiple of 2^-12 about `middle`. */
static double draw_about(uint64_t *random, double middle)
{
  return middle + ((double)wisp_random_below(random, 2049) - 1024) / 4096;
}

wisp_status wisp_mesh_pages(wisp_error *err, int corners, size_t elements, wisp_mesh **out)
{
  static const double shared[3][3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}};
  const size_t common = (size_t)corners - 1;
  uint64_t random = wisp_random_from(1);
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  CALL(wisp_mesh_create(err, corners, common + elements, elements, &mesh));
  for (size_t i = 0; i < 3 * common; i++) mesh->xyz[i] = shared[i / 3][i % 3];
  for (size_t e = 0; e < elements; e++) {
    double *apex = mesh->xyz + 3 * (common + e);
    apex[0] = draw_about(&random, 0.5);
    apex[1] = draw_about(&random, common == 2 ? 0.75 : 0.375);
    if (common == 3) apex[2] = draw_about(&random, 0.75);
    for (size_t i = 0; i < common; i++) mesh->cell[(common + 1) * e + i] = (int32_t)i;
    mesh->cell[(common + 1) * (e + 1) - 1] = (int32_t)(common + e);
  }
  for (size_t f = 0; f < (size_t)corners * elements; f++) mesh->neighbour[f] = WISP_BOUNDARY;
  return GIVE(mesh, out);
}
