#include "source.h"

#include <stdio.h>

wisp_ordering wisp_mesh_source_ordering(const wisp_mesh_source *source)
{
  if (source->as_asked) return source->ordering;
  return source->file || source->shuffle ? WISP_ORDER_CURVE : WISP_ORDER_AS_GIVEN;
}

wisp_status wisp_mesh_make(wisp_error *err, const wisp_mesh_source *source, wisp_mesh **out)
{
  wisp_status status = WISP_OK;
  wisp_mesh *mesh = NULL;
  TRY(source->file ? wisp_mesh_read(err, source->file, &mesh) : wisp_mesh_box(err, source->box[0], &mesh));
  if (source->jitter > 0) TRY(wisp_mesh_jitter(err, mesh, source->jitter, source->seed));
  if (source->shuffle) TRY(wisp_mesh_shuffle(err, mesh, source->seed));
  TRY(wisp_mesh_order(err, mesh, wisp_mesh_source_ordering(source)));
  *out = mesh;
  mesh = NULL;
done:
  wisp_mesh_destroy(mesh);
  return status;
}

void wisp_mesh_source_print(const wisp_mesh_source *source, char text[256])
{
  static const char *const ordered[WISP_ORDERINGS] = {"", ", along a curve", ", in clusters along a curve",
                                                      ", in parts by METIS"};
  char edges[64] = "", moved[64] = "", shuffled[64] = "";
  const int *n = source->box;
  if (n[0] == n[1] && n[1] == n[2])
    snprintf(edges, sizeof edges, "unit box, %d cubes an edge", n[0]);
  else
    snprintf(edges, sizeof edges, "unit box, %d x %d x %d cubes", n[0], n[1], n[2]);
  if (source->jitter > 0) snprintf(moved, sizeof moved, ", moved by %g", source->jitter);
  if (source->shuffle) snprintf(shuffled, sizeof shuffled, ", shuffled");
  snprintf(text, 256, "%.120s%s%s%s", source->file ? source->file : edges, moved, shuffled,
           ordered[wisp_mesh_source_ordering(source)]);
}
