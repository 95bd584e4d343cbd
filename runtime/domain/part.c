#include "part.h"
#include "../../gen/environment.h"

#include <metis.h>

/* ---- The partition. */

/* Fewer elements a part than this are cut by their order: METIS leaves some parts empty, and prints about it. */
enum { METIS_LEAST = 8 };

/* Elements across faces, as METIS takes them: those of k are adjacent[start[k]] .. adjacent[start[k+1]-1]. */
static void list_neighbours(const wisp_mesh *mesh, idx_t *start, idx_t *adjacent)
{
  idx_t edges = 0;
  for (size_t k = 0; k < mesh->elements; k++) {
    start[k] = edges;
    for (size_t f = 0; f < (size_t)mesh->corners; f++) {
      const int32_t other = mesh->neighbour[(size_t)mesh->corners * k + f];
      if (other != WISP_BOUNDARY) adjacent[edges++] = other;
    }
  }
  start[mesh->elements] = edges;
}

static wisp_status cut_by_metis(wisp_error *err, const wisp_mesh *mesh, int count, int32_t *part_of, bool *done)
{
  OWNED(free) idx_t *start = NULL, *adjacent = NULL, *part = NULL;
  idx_t options[METIS_NOPTIONS], elements = (idx_t)mesh->elements, constraints = 1, parts = count, cut = 0;
  *done = false;
  if (count < 2 || mesh->elements < METIS_LEAST * (size_t)count) return WISP_OK;
  CALL(wisp_new(err, mesh->elements + 1, sizeof *start, &start));
  CALL(wisp_new(err, (size_t)mesh->corners * mesh->elements, sizeof *adjacent, &adjacent));
  CALL(wisp_new(err, mesh->elements, sizeof *part, &part));
  list_neighbours(mesh, start, adjacent);
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1; /* the same parts of the same mesh */
  *done = METIS_PartGraphKway(&elements, &constraints, start, adjacent, NULL, NULL, NULL, &parts, NULL, NULL, options,
                              &cut, part) == METIS_OK;
  for (size_t k = 0; k < mesh->elements; k++) part_of[k] = (int32_t)part[k];
  return WISP_OK;
}

static void cut_by_order(const wisp_mesh *mesh, int count, int32_t *part_of)
{
  for (size_t i = 0; i < mesh->elements; i++)
    part_of[wisp_mesh_at(mesh, i)] = (int32_t)(i * (size_t)count / mesh->elements);
}

static void scatter(const wisp_mesh *mesh, int count, int32_t *part_of)
{
  for (size_t i = 0; i < mesh->elements; i++)
    part_of[i] = (int32_t)(wisp_hash_number(WISP_HASH_SEED, i) % (uint64_t)count);
}

wisp_status wisp_mesh_partition(wisp_error *err, const wisp_mesh *mesh, int count, int32_t **part_of)
{
  OWNED(free) int32_t *made = NULL;
  const bool random = wisp_environment_is("WISP_PARTITION", "random");
  bool done = random;
  CALL(wisp_new(err, mesh->elements, sizeof *made, &made));
  if (random) scatter(mesh, count, made);
  if (!done) CALL(cut_by_metis(err, mesh, count, made, &done));
  if (!done) cut_by_order(mesh, count, made);
  return GIVE(made, part_of);
}

/* ---- One part. */

int wisp_mesh_part_across(const wisp_mesh_part *part, const wisp_mesh *mesh, int32_t element, int face)
{
  const int32_t other = mesh->neighbour[(size_t)mesh->corners * (size_t)element + (size_t)face];
  return part->part_of[other == WISP_BOUNDARY ? element : other];
}

static bool is_cut(const wisp_mesh_part *part, const wisp_mesh *mesh, int32_t element)
{
  for (int f = 0; f < mesh->corners; f++)
    if (wisp_mesh_part_across(part, mesh, element, f) != part->part_of[element]) return true;
  return false;
}

/* Whether an element of another part shares a face with this one's. */
static bool is_ghost(const wisp_mesh_part *part, const wisp_mesh *mesh, int32_t element)
{
  for (int f = 0; f < mesh->corners; f++)
    if (wisp_mesh_part_across(part, mesh, element, f) == part->rank) return true;
  return false;
}

/* The elements of its own that are in the cut, or are not; returns how many. */
static size_t list_own(const wisp_mesh_part *part, const wisp_mesh *mesh, bool cut, int32_t *out)
{
  size_t count = 0;
  for (size_t i = 0; i < mesh->elements; i++) {
    const int32_t e = wisp_mesh_at(mesh, i);
    if (part->part_of[e] == part->rank && is_cut(part, mesh, e) == cut) out[count++] = e;
  }
  return count;
}

static size_t list_ghosts(const wisp_mesh_part *part, const wisp_mesh *mesh, int32_t *out)
{
  size_t count = 0;
  for (int r = 0; r < part->count; r++)
    for (size_t e = 0; r != part->rank && e < mesh->elements; e++)
      if (part->part_of[e] == r && is_ghost(part, mesh, (int32_t)e)) out[count++] = (int32_t)e;
  return count;
}

wisp_status wisp_mesh_part_create(wisp_error *err, const wisp_mesh *mesh, int32_t *part_of, int rank, int count,
                                  wisp_mesh_part *out)
{
  HELD(wisp_mesh_part_free) wisp_mesh_part part = {.rank = rank, .count = count, .part_of = part_of};
  CALL(wisp_new(err, mesh->elements, sizeof *part.element, &part.element));
  CALL(wisp_new(err, mesh->elements, sizeof *part.ghost, &part.ghost));
  part.cut = list_own(&part, mesh, true, part.element);
  part.own = part.cut + list_own(&part, mesh, false, part.element + part.cut);
  part.ghosts = list_ghosts(&part, mesh, part.ghost);
  return GIVE(part, out);
}

void wisp_mesh_part_free(wisp_mesh_part *part)
{
  WISP_FREE(part->part_of, part->element, part->ghost);
  *part = (wisp_mesh_part){.count = 0};
}

/* ---- Slots. */

/* Groups the elements list[0 .. count - 1], whose neighbours are those among them; slot holds numbers of the mesh. */
static wisp_status group_some(wisp_error *err, const wisp_mesh *mesh, size_t count, const int32_t *list,
                              wisp_grouping how, size_t size, size_t *slots, int32_t **slot)
{
  OWNED(free) int32_t *place = NULL, *neighbour = NULL, *made = NULL;
  const size_t faces = (size_t)mesh->corners;
  CALL(wisp_new(err, mesh->elements, sizeof *place, &place));
  CALL(wisp_new(err, faces * count, sizeof *neighbour, &neighbour));
  for (size_t e = 0; e < mesh->elements; e++) place[e] = WISP_BOUNDARY;
  for (size_t i = 0; i < count; i++) place[list[i]] = (int32_t)i;
  for (size_t i = 0; i < faces * count; i++) {
    const int32_t other = mesh->neighbour[faces * (size_t)list[i / faces] + i % faces];
    neighbour[i] = other == WISP_BOUNDARY ? WISP_BOUNDARY : place[other];
  }
  const wisp_mesh some = {.elements = count, .corners = mesh->corners, .neighbour = neighbour};
  CALL(wisp_mesh_group(err, &some, how, size, slots, &made));
  for (size_t k = 0; k < *slots; k++)
    if (made[k] != WISP_EMPTY) made[k] = list[made[k]];
  return GIVE(made, slot);
}

wisp_status wisp_mesh_part_group(wisp_error *err, const wisp_mesh_part *part, const wisp_mesh *mesh, wisp_grouping how,
                                 size_t size, size_t unit, wisp_mesh_part_slots *out)
{
  OWNED(free) int32_t *cut = NULL, *interior = NULL;
  size_t inside = 0;
  wisp_mesh_part_slots made = {.slot = NULL};
  CALL(group_some(err, mesh, part->cut, part->element, how, size, &made.cut, &cut));
  CALL(group_some(err, mesh, part->own - part->cut, part->element + part->cut, how, size, &inside, &interior));
  made.own = made.cut + inside;
  made.all = made.own + (part->ghosts + unit - 1) / unit * unit;
  CALL(wisp_new(err, made.all, sizeof *made.slot, &made.slot));
  memcpy(made.slot, cut, made.cut * sizeof *made.slot);
  memcpy(made.slot + made.cut, interior, inside * sizeof *made.slot);
  for (size_t k = made.own; k < made.all; k++)
    made.slot[k] = k - made.own < part->ghosts ? part->ghost[k - made.own] : WISP_EMPTY;
  *out = made;
  return WISP_OK;
}
