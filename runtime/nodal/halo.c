#include "halo.h"
#include "dg_parts.h"

/* The faces of `owner` that `reader` sees, one after the other: elements by their numbers, their faces, nodes and
 * fields. Both sides list them so, each with its own addresses. */
typedef struct shared_faces {
  const wisp_dg *dg;
  const int32_t *where;
  int owner, reader;
  bool traced;     /* a node of two faces comes with each */
  bool from_trace; /* addresses are of trace, not of u */
  size_t count;
  int32_t *address; /* NULL: they are counted */
} shared_faces;

static size_t address_of(const shared_faces *s, size_t slot, int face, int j, int field)
{
  const wisp_dg *dg = s->dg;
  const int n = dg->system->fields, Nfp = dg->tet->Nfp;
  if (s->from_trace)
    return ((slot * WISP_TET_FACES + (size_t)face) * (size_t)n + (size_t)field) * (size_t)Nfp + (size_t)j;
  return wisp_layout_volume(&dg->layout, n, field, slot, (size_t)dg->tet->Fmask[face * Nfp + j]);
}

static void list_element(shared_faces *s, int32_t element)
{
  const wisp_dg *dg = s->dg;
  const int Nfp = dg->tet->Nfp;
  bool listed[WISP_TET_MAX_NP] = {false};
  for (int f = 0; f < WISP_TET_FACES; f++) {
    if (wisp_mesh_part_across(&dg->domain->part, dg->mesh, element, f) != s->reader) continue;
    for (int j = 0; j < Nfp; j++) {
      const int node = dg->tet->Fmask[f * Nfp + j];
      if (!s->traced && listed[node]) continue;
      listed[node] = true;
      for (int field = 0; field < dg->system->fields; field++, s->count++)
        if (s->address) s->address[s->count] = (int32_t)address_of(s, (size_t)s->where[element], f, j, field);
    }
  }
}

static void list_all(shared_faces *s)
{
  const wisp_mesh_part *part = &s->dg->domain->part;
  s->count = 0;
  for (size_t e = 0; e < s->dg->mesh->elements; e++)
    if (part->part_of[e] == s->owner) list_element(s, (int32_t)e);
}

static wisp_status make_list(wisp_error *err, shared_faces s, size_t *count, int32_t **out)
{
  list_all(&s);
  CALL(wisp_new(err, s.count, sizeof *s.address, out));
  s.address = *out;
  list_all(&s);
  *count = s.count;
  return WISP_OK;
}

wisp_status wisp_halo_create(wisp_error *err, const wisp_dg *dg, bool traced, wisp_halo *out)
{
  HELD(wisp_halo_free) wisp_halo halo = {.list = NULL};
  OWNED(free) int32_t *where = NULL;
  const wisp_mesh_part *part = &dg->domain->part;
  CALL(wisp_dg_where(err, dg, &where));
  CALL(wisp_new(err, (size_t)part->count, sizeof *halo.list, &halo.list));
  for (int r = 0; r < part->count; r++) {
    shared_faces s = {
        .dg = dg, .where = where, .owner = r, .reader = part->rank, .traced = traced, .from_trace = traced};
    if (r != part->rank) list_all(&s);
    if (!s.count) continue;
    wisp_exchange_list *list = &halo.list[halo.neighbours++];
    list->rank = r;
    CALL(make_list(err, s, &list->received, &list->receive));
    s.owner = part->rank, s.reader = r, s.from_trace = false;
    CALL(make_list(err, s, &list->sent, &list->send));
  }
  return GIVE(halo, out);
}

void wisp_halo_free(wisp_halo *halo)
{
  for (size_t i = 0; i < halo->neighbours; i++) WISP_FREE(halo->list[i].send, halo->list[i].receive);
  free(halo->list);
  *halo = (wisp_halo){.list = NULL};
}
