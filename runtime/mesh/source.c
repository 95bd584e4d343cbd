#include "source.h"
#include "touching.h"

#include "../../cache/store.h"

/* Along the curve, but for a box that was not shuffled: that one's own order is a good one. */
static wisp_ordering ordering_of(const wisp_mesh_source *source)
{
  if (source->as_asked) return source->ordering;
  return source->file || source->shuffle ? WISP_ORDER_CURVE : WISP_ORDER_AS_GIVEN;
}

const char *wisp_mesh_source_kind(const wisp_mesh_source *source)
{
  const wisp_ordering ordering = ordering_of(source);
  const bool simple = !source->file && !source->shuffle && !(source->jitter > 0);
  if (ordering == WISP_ORDER_CURVE) return WISP_MESH_ORDERED;
  return simple && ordering == WISP_ORDER_AS_GIVEN ? WISP_MESH_BOX : wisp_ordering_names[ordering];
}

wisp_mesh_source wisp_mesh_source_irregular(void)
{
  return (wisp_mesh_source){.jitter = 0.2, .shuffle = true, .seed = 1};
}

wisp_mesh_source wisp_mesh_source_file(const char *path, double merge, bool cracks)
{
  return (wisp_mesh_source){
      .file = path, .as_asked = true, .ordering = WISP_ORDER_AS_GIVEN, .merge = merge, .cracks = cracks};
}

wisp_status wisp_mesh_source_read(wisp_error *err, int corners, const wisp_mesh_source *source, wisp_mesh **out)
{
  return source->data ? wisp_mesh_parse(err, corners, source->merge, source->file, source->data, source->length, out)
                      : wisp_mesh_read(err, corners, source->merge, source->file, out);
}

bool wisp_mesh_source_count(const wisp_mesh_source *source, int corners, size_t count[4])
{
  const int *n = source->box, cube[3] = {n[0], n[0], n[0]};
  return !source->file && wisp_mesh_grid_count(corners, wisp_cells[corners].in_cubes ? cube : n, count);
}

wisp_status wisp_mesh_make(wisp_error *err, int corners, const wisp_mesh_source *source, wisp_mesh **out)
{
  const wisp_ordering ordering = ordering_of(source);
  const int cube[3] = {source->box[0], source->box[0], source->box[0]};
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  if (source->file)
    CALL(wisp_mesh_source_read(err, corners, source, &mesh));
  else
    CALL(wisp_mesh_cut(err, corners, source->falling, wisp_cells[corners].in_cubes ? cube : source->box, &mesh));
  if (source->file && !source->cracks) CALL(wisp_mesh_refuse_touching(err, source->file, mesh));
  if (source->jitter > 0) CALL(wisp_mesh_jitter(err, mesh, source->jitter, source->seed));
  if (source->shuffle) CALL(wisp_mesh_shuffle(err, mesh, source->seed));
  if (source->sorts_corners && wisp_cells[corners].keeps_number && ordering != WISP_ORDER_AS_GIVEN)
    CALL(wisp_mesh_sort_corners(err, mesh));
  CALL(wisp_mesh_order(err, mesh, ordering));
  return GIVE(mesh, out);
}

wisp_status wisp_mesh_some(wisp_error *err, int corners, const wisp_mesh_source *source, size_t elements,
                           wisp_mesh **out)
{
  const wisp_cell *cell = &wisp_cells[corners];
  const size_t in_cell = (size_t)cell->split, cells = (elements + in_cell - 1) / in_cell;
  const int side = (int)ceil(pow((double)cells, 1.0 / cell->dimension) - 1e-9);
  const size_t layer = (size_t)side * (size_t)side;
  wisp_mesh_source what = source ? *source : (wisp_mesh_source){.jitter = 0};
  what.box[0] = what.box[1] = what.box[2] = side;
  if (in_cell == 1) what.box[2] = (int)((elements + layer - 1) / layer);
  CALL(wisp_mesh_make(err, corners, &what, out));
  if (in_cell == 1 && strcmp(wisp_mesh_source_kind(&what), WISP_MESH_BOX) == 0) (*out)->elements = elements;
  return WISP_OK;
}

/* A wisp_groups_filter. Points, and curves in space, are not counted, and nothing asks for them. */
static bool is_unused(const wisp_groups *groups, const wisp_physical *group)
{
  const bool counted = groups->total[group->dimension] > 0;
  const bool some = group->members > 0 && group->members < groups->total[group->dimension];
  return !group->used && (some || !counted);
}

wisp_status wisp_mesh_note_unused(wisp_error *err, const char *name, wisp_mesh *mesh)
{
  HELD(wisp_text_free) wisp_text all = {0};
  size_t count = 0;
  for (int dimension = wisp_mesh_dimension(mesh); dimension >= 0; dimension--) {
    HELD(wisp_text_free) wisp_text list = {0};
    CALL(wisp_groups_print_some(err, &mesh->groups, dimension, is_unused, &count, &list));
    if (count)
      CALL(wisp_text_print(err, &all, "%s%s%s %s", all.length ? "; " : "", wisp_groups_word(dimension),
                           count > 1 ? "s" : "", list.data));
  }
  if (!all.length) return WISP_OK;
  return wisp_notes_add(err, &mesh->notes, "unused", "%s: nothing asks for these, which have no effect: %s", name,
                        all.data);
}

void wisp_mesh_source_print(const wisp_mesh_source *source, char text[256])
{
  static const char *const ordered[WISP_ORDERINGS] = {"", ", along a curve", ", in parts by METIS",
                                                      ", from level to level"};
  char edges[64] = "", moved[64] = "", shuffled[64] = "";
  const int *n = source->box;
  if (n[2] == 0)
    snprintf(edges, sizeof edges, "unit square, %d x %d squares%s", n[0], n[1], source->falling ? " cut falling" : "");
  else if (n[0] == n[1] && n[1] == n[2])
    snprintf(edges, sizeof edges, "unit box, %d cubes an edge", n[0]);
  else
    snprintf(edges, sizeof edges, "unit box, %d x %d x %d cubes", n[0], n[1], n[2]);
  if (source->jitter > 0) snprintf(moved, sizeof moved, ", moved by %g", source->jitter);
  if (source->shuffle) snprintf(shuffled, sizeof shuffled, ", shuffled");
  snprintf(text, 256, "%.120s%s%s%s", source->file ? source->file : edges, moved, shuffled,
           ordered[ordering_of(source)]);
}
