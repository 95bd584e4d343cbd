/* The scalars of a launch, and samples of a mesh, for checks on a solver's own one. */
#include "workload.h"
#include "../../gen/random.h"
#include "../../runtime/mesh/frame.h"

#include <string.h>

double wisp_scalar_of(const wisp_scalar_list *list, const char *name, double otherwise)
{
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->of[i].name, name) == 0) return list->of[i].value;
  return otherwise;
}

static size_t take(unsigned char *picked, size_t i)
{
  const size_t more = !picked[i];
  picked[i] = 1;
  return more;
}

wisp_status wisp_sample_pick(wisp_error *err, size_t count, size_t most, uint64_t *random, unsigned char **picked)
{
  static const size_t every[] = {32, 256, 1024};
  enum { ENDS = 8 };
  size_t taken = 0;
  CALL(wisp_new(err, count, 1, picked));
  if (count <= most) {
    memset(*picked, 1, count);
    return WISP_OK;
  }
  for (size_t i = 0; i < ENDS && i < count; i++) taken += take(*picked, i) + take(*picked, count - 1 - i);
  for (size_t k = 0; k < 4 * WISP_COUNT(every) && taken < most; k++) {
    const size_t step = every[k % WISP_COUNT(every)], at = step * (1 + wisp_random_below(random, count / step + 1));
    if (at < count) taken += take(*picked, at - 1) + take(*picked, at);
  }
  while (taken < most) taken += take(*picked, wisp_random_below(random, count));
  return WISP_OK;
}

wisp_status wisp_sample_round(wisp_error *err, wisp_precision precision, const wisp_mesh *mesh, const wisp_frame *frame,
                              wisp_mesh *out)
{
  *out = *mesh, out->xyz = NULL;
  CALL(wisp_new(err, 3 * mesh->vertices, sizeof *out->xyz, &out->xyz));
  for (size_t i = 0; i < 3 * mesh->vertices; i++) {
    const double x = wisp_frame_vertex(frame, mesh, (int32_t)(i / 3), i % 3);
    out->xyz[i] = precision == WISP_F32 ? (double)(float)x : x;
  }
  return WISP_OK;
}
