/* What each face sees of the other side: an address, and a code for the order of its nodes and for its boundary. */
#include "../parallel.h"
#include "dg_parts.h"

static void set_face(wisp_dg *dg, size_t k, int f, size_t neighbour, int code)
{
  size_t address = wisp_layout_volume(&dg->layout, dg->system->fields, 0, neighbour, 0);
  dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, f, k)] = (int)address;
  dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, 4 + f, k)] = code;
}

/* The boundary of a face of the mesh's boundary, by index. */
static int boundary_of(const wisp_dg *dg, size_t face, int boundary)
{
  const int count = dg->system->boundaries;
  return boundary == WISP_BY_TAG ? (dg->mesh->tag[face] % count + count) % count : boundary;
}

/* The two sides of a face have one normal, of opposite sign: what leaves one enters the other, to the last bit. It is
 * that of the element with the lower number, wherever the two lie. */
static void share_normal(wisp_dg *dg, size_t k, int f, size_t neighbour, int face)
{
  for (int c = 0; c < 3; c++)
    dg->face_real[wisp_dg_face_at(dg, 4 * f + c, k)] = -dg->face_real[wisp_dg_face_at(dg, 4 * face + c, neighbour)];
}

typedef struct joining {
  wisp_dg *dg;
  const int32_t *where;
  int boundary;
} joining;

static void join(const joining *j, size_t k, int f)
{
  wisp_dg *dg = j->dg;
  const wisp_mesh *mesh = dg->mesh;
  const size_t face = 4 * (size_t)dg->slot[k] + (size_t)f;
  if (dg->slot[k] == WISP_EMPTY)
    set_face(dg, k, f, k, 32 * (1 + 0)); /* the first boundary's, whichever was asked for */
  else if (mesh->neighbour[face] == WISP_BOUNDARY)
    set_face(dg, k, f, k, 32 * (1 + boundary_of(dg, face, j->boundary)));
  else {
    const size_t neighbour = (size_t)j->where[mesh->neighbour[face]];
    const int theirs = mesh->neighbour_face[face];
    set_face(dg, k, f, neighbour, theirs * WISP_TET_TURNS + mesh->neighbour_turn[face]);
    if (mesh->neighbour[face] < dg->slot[k]) share_normal(dg, k, f, neighbour, theirs);
  }
}

/* A wisp_sweep over slots. Of two sides one alone is written: the other keeps its normal. */
static void join_slots(void *context, size_t from, size_t to)
{
  for (size_t k = from; k < to; k++)
    for (int f = 0; f < WISP_TET_FACES; f++) join(context, k, f);
}

void wisp_dg_faces(wisp_dg *dg, const int32_t *where, int boundary)
{
  wisp_parallel_for(dg->slots, join_slots, &(joining){dg, where, boundary});
}

/* A face's nodes are numbered alike on all faces, so that face 0 tells for all. */
wisp_status wisp_dg_turns(wisp_error *err, wisp_dg *dg)
{
  const int *Fmask = dg->tet->Fmask, *facelist = dg->tet->facelist;
  int Nfp = dg->tet->Nfp;
  for (int i = 0; i < WISP_TET_TURNS * Nfp; i++) {
    int j = 0;
    while (j < Nfp && Fmask[j] != facelist[i]) j++;
    if (j == Nfp) return wisp_fail(err, WISP_EINPUT, "facelist of turn %d has a node off face 0", i / Nfp);
    dg->turnlist[i] = j;
  }
  return WISP_OK;
}
