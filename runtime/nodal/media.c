#include "media.h"
#include "../mesh/piecewise.h"
#include "../mesh/simplexnodes.h"

wisp_status wisp_media_create(wisp_error *err, const wisp_system *system, const wisp_mesh *mesh,
                              const char *const *texts, double **medium)
{
  const size_t n = (size_t)system->quantities;
  OWNED(free) double *values = NULL;
  CALL(wisp_new(err, mesh->elements * n + 1, sizeof *values, &values));
  wisp_system_default_medium(system, mesh->elements, values);
  for (size_t q = 0; q < n; q++) {
    HELD(wisp_piecewise_free) wisp_piecewise given = {.piece = NULL};
    char what[64];
    if (!texts[q]) continue;
    snprintf(what, sizeof what, "coefficient %s", system->quantity[q].name);
    CALL(wisp_piecewise_create(err, what, texts[q], mesh, &given));
    CALL(wisp_piecewise_middles(err, &given, mesh, n, values + q));
  }
  CALL(wisp_system_complete_medium(err, system, mesh->elements, values));
  return GIVE(values, medium);
}

wisp_status wisp_media_check(wisp_error *err, const wisp_system *system, size_t elements, const double *medium,
                             wisp_precision precision)
{
  const bool single = precision == WISP_F32;
  const double most = single ? 1e15 : 1e30;
  const size_t n = (size_t)system->quantities;
  for (size_t i = 0; i < elements * n; i++) {
    const wisp_quantity *q = &system->quantity[i % n];
    const bool none = medium[i] == 0 && q->otherwise == 0;
    CALL(wisp_require(err, q->expression || none || (medium[i] >= 1 / most && medium[i] <= most), WISP_EUSAGE,
                      "coefficient %s is %g in element %zu, must be from %g to %g in %s: take other units%s", q->name,
                      medium[i], i / n, 1 / most, most, wisp_precision_name(precision), single ? ", or f64" : ""));
  }
  return WISP_OK;
}

void wisp_media_range(const wisp_system *system, size_t elements, const double *medium, int q, double range[2])
{
  const size_t n = (size_t)system->quantities;
  range[0] = INFINITY, range[1] = -INFINITY;
  for (size_t e = 0; e < elements; e++) {
    range[0] = fmin(range[0], medium[e * n + (size_t)q]);
    range[1] = fmax(range[1], medium[e * n + (size_t)q]);
  }
}

double wisp_media_jump(const wisp_system *system, size_t elements, const double *medium, int *quantity)
{
  double largest = 1, range[2];
  *quantity = 0;
  for (int q = 0; q < system->quantities; q++) {
    wisp_media_range(system, elements, medium, q, range);
    if (system->quantity[q].expression || system->quantity[q].otherwise == 0) continue; /* losses may be none */
    if (!(range[1] / range[0] > largest)) continue;
    largest = range[1] / range[0];
    *quantity = q;
  }
  return largest;
}

double wisp_media_resolved(wisp_precision precision)
{
  return precision == WISP_F32 ? 1e6 : 1e12;
}

/* --- walls --- */

void wisp_walls_free(wisp_walls *walls)
{
  free(walls->of_face);
  *walls = (wisp_walls){0};
}

static wisp_status find_kind(wisp_error *err, const char *what, const wisp_system *system, const char *kind, int *out)
{
  char kinds[WISP_MAX_BOUNDARIES * (sizeof system->boundary->name + 4)] = "";
  for (int b = 0, at = 0; b < system->boundaries; b++)
    at += snprintf(kinds + at, sizeof kinds - (size_t)at, "%s%s", at ? " or " : "", system->boundary[b].name);
  *out = wisp_system_boundary(system, kind);
  return wisp_require(err, *out >= 0, WISP_EUSAGE, "%s: '%s' is no boundary of %s: must be %s", what, kind,
                      system->name, kinds);
}

/* Gives the faces of a group their boundary. */
static wisp_status put_group(wisp_error *err, const char *what, const char *name, const wisp_mesh *mesh,
                             const wisp_group_word *word, int kind, int8_t *of_face)
{
  OWNED(free) int32_t *numbers = NULL;
  wisp_fixing group = {.all = false};
  const wisp_status status =
      wisp_groups_find(err, &mesh->groups, wisp_mesh_dimension(mesh) - 1, word, &numbers, &group.count);
  if (status != WISP_OK) return wisp_context(err, status, "%s: ", what);
  group.tag = numbers;
  CALL(wisp_fixing_check(err, name, mesh, &group));
  for (size_t face = 0; face < 4 * mesh->elements; face++)
    if (mesh->neighbour[face] == WISP_BOUNDARY && wisp_fixing_has(&group, mesh, face)) of_face[face] = (int8_t)kind;
  return WISP_OK;
}

/* The one boundary that all have; else -1. */
static int same_everywhere(const wisp_mesh *mesh, const int8_t *of_face)
{
  int same = -1;
  for (size_t face = 0; face < 4 * mesh->elements; face++) {
    if (mesh->neighbour[face] != WISP_BOUNDARY) continue;
    if (same >= 0 && of_face[face] != same) return -1;
    same = of_face[face];
  }
  return same;
}

wisp_status wisp_walls_read(wisp_error *err, const char *what, const char *name, const wisp_system *system,
                            const wisp_mesh *mesh, const char *text, wisp_walls *out)
{
  HELD(wisp_group_list_free) wisp_group_list list = {.count = 0};
  HELD(wisp_walls_free) wisp_walls walls = {0};
  size_t rest = 0;
  int kind = 0;
  const wisp_status status = text ? wisp_group_list_read(err, text, true, &list) : WISP_OK;
  if (status != WISP_OK) return wisp_context(err, status, "%s is '%s': ", what, text);
  for (size_t i = 0; i < list.count; i++) {
    const wisp_group_item *item = &list.item[i];
    CALL(find_kind(err, what, system, item->value ? item->value : item->word.text, &kind));
    if (!item->value) rest++, walls.boundary = kind;
  }
  CALL(wisp_require(err, rest <= 1, WISP_EUSAGE, "%s is '%s': more than one kind stands without a group", what, text));
  if (!mesh || list.count == rest) return GIVE(walls, out);
  CALL(wisp_new(err, 4 * mesh->elements, 1, &walls.of_face));
  memset(walls.of_face, walls.boundary, 4 * mesh->elements);
  for (size_t i = 0; i < list.count; i++) {
    const wisp_group_item *item = &list.item[i];
    if (!item->value) continue;
    CALL(find_kind(err, what, system, item->value, &kind));
    CALL(put_group(err, what, name, mesh, &item->word, kind, walls.of_face));
  }
  walls.boundary = same_everywhere(mesh, walls.of_face);
  if (walls.boundary >= 0) free(walls.of_face), walls.of_face = NULL;
  return GIVE(walls, out);
}
