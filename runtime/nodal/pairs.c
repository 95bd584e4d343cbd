/* Face pairs by gather block (paper 0, section 5.3 and Algorithm 3): a pair within a block stands once and drives both
 * its faces, a face with the other side in another block or on a boundary stands alone. */
#include "dg_parts.h"
#include "../parallel.h"

/* ---- What each face sees of the other side: an address, and a code for the order of its nodes and for its boundary.
 */

static void set_face(wisp_dg *dg, size_t k, int f, size_t neighbour, int code)
{
  size_t address = wisp_layout_volume(&dg->layout, dg->system->fields, 0, neighbour, 0);
  dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, f, k)] = (int)address;
  dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, 4 + f, k)] = code;
}

typedef struct joining {
  wisp_dg *dg;
  const int32_t *where;
  const wisp_walls *walls;
} joining;

static void join(const joining *j, size_t k, int f)
{
  wisp_dg *dg = j->dg;
  const wisp_mesh *mesh = dg->mesh;
  if (dg->slot[k] == WISP_EMPTY) {
    set_face(dg, k, f, k, 32 * (1 + 0)); /* the first boundary's, whichever was asked for */
    return;
  }
  const size_t face = 4 * (size_t)dg->slot[k] + (size_t)f;
  const int count = dg->system->boundaries, boundary = j->walls->of_face ? j->walls->of_face[face] : j->walls->boundary;
  if (mesh->neighbour[face] == WISP_BOUNDARY)
    set_face(dg, k, f, k, 32 * (1 + (boundary == WISP_BY_TAG ? (mesh->tag[face] % count + count) % count : boundary)));
  else {
    const size_t neighbour = (size_t)j->where[mesh->neighbour[face]];
    const int theirs = mesh->neighbour_face[face];
    set_face(dg, k, f, neighbour, theirs * WISP_TET_ORIENTATIONS + mesh->neighbour_orientation[face]);
    /* The two sides of a face have one normal, of opposite sign: what leaves one enters the other, to the last bit. It
     * is that of the element with the lower number, wherever the two lie. */
    for (int c = 0; c < 3 && mesh->neighbour[face] < dg->slot[k]; c++)
      dg->face_real[wisp_dg_face_at(dg, 4 * f + c, k)] = -dg->face_real[wisp_dg_face_at(dg, 4 * theirs + c, neighbour)];
  }
}

/* A wisp_sweep over slots. Of two sides one alone is written: the other keeps its normal. */
static void join_slots(void *context, size_t from, size_t to)
{
  for (size_t k = from; k < to; k++)
    for (int f = 0; f < WISP_TET_FACES; f++) join(context, k, f);
}

void wisp_dg_faces(wisp_dg *dg, const int32_t *where, const wisp_walls *walls)
{
  wisp_parallel_for(dg->slots, join_slots, &(joining){dg, where, walls});
}

/* A face's nodes are numbered alike on all faces, so that face 0 tells for all. */
wisp_status wisp_dg_orientations(wisp_error *err, wisp_dg *dg)
{
  const int *Fmask = dg->tet->Fmask, *facelist = dg->tet->facelist;
  int Nfp = dg->tet->Nfp;
  for (int i = 0; i < WISP_TET_ORIENTATIONS * Nfp; i++) {
    int j = 0;
    while (j < Nfp && Fmask[j] != facelist[i]) j++;
    if (j == Nfp) return wisp_fail(err, WISP_EINPUT, "facelist of turn %d has a node off face 0", i / Nfp);
    dg->turnlist[i] = j;
  }
  return WISP_OK;
}

typedef enum pair_kind { INTRA, INTER, BOUNDARY, CLASSES, OTHER_SIDE } pair_kind;

typedef struct face {
  size_t k; /* slot */
  int f;
} face;

/* The face across, where there is one. */
static face across(const wisp_dg *dg, const int32_t *where, face m)
{
  size_t at = 4 * (size_t)dg->slot[m.k] + (size_t)m.f;
  return (face){(size_t)where[dg->mesh->neighbour[at]], dg->mesh->neighbour_face[at]};
}

static size_t block_of(const wisp_dg *dg, face m)
{
  return m.k / ((size_t)dg->layout.KM * (size_t)dg->MB);
}

/* The first of two faces in one block, in the order of slots, stands for the pair. */
static pair_kind classify(const wisp_dg *dg, const int32_t *where, face m)
{
  if (dg->mesh->neighbour[4 * (size_t)dg->slot[m.k] + (size_t)m.f] == WISP_BOUNDARY) return BOUNDARY;
  face p = across(dg, where, m);
  if (block_of(dg, p) != block_of(dg, m)) return INTER;
  return m.k < p.k || (m.k == p.k && m.f < p.f) ? INTRA : OTHER_SIDE;
}

/* Address of face DOF 0, relative to the block's first flux number. */
static int store(const wisp_dg *dg, face m)
{
  int n = dg->system->fields;
  size_t first = block_of(dg, m) * (size_t)(dg->MB * n) * (size_t)dg->layout.NfM;
  return (int)(wisp_layout_face(&dg->layout, n, 0, m.k, (size_t)(m.f * dg->tet->Nfp)) - first);
}

static int fetch(const wisp_dg *dg, face m)
{
  return (int)wisp_layout_volume(&dg->layout, dg->system->fields, 0, m.k, 0);
}

static double real(const wisp_dg *dg, face m, int c)
{
  return dg->face_real[wisp_dg_face_at(dg, 4 * m.f + c, m.k)];
}

/* Descriptor `at`, of face m: list_p and boundary come from its face code. On a boundary p is m itself. */
static void set_pair(const wisp_dg *dg, const int32_t *where, face m, pair_kind kind, size_t at)
{
  face p = kind == BOUNDARY ? m : across(dg, where, m);
  int code = dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, 4 + m.f, m.k)];
  int *ints = dg->pair_int + WISP_PAIR_INTS * at;
  double *reals = dg->pair_real + (size_t)dg->records.pair_reals * at;
  ints[0] = fetch(dg, m);
  ints[1] = fetch(dg, p);
  ints[2] = m.f * WISP_TET_ORIENTATIONS + 32 * (code % 32) + 1024 * (code / 32);
  ints[3] = store(dg, m);
  ints[4] = kind == INTRA ? store(dg, p) : ints[3];
  for (int c = 0; c < 4; c++) reals[c] = real(dg, m, c);
  reals[4] = kind == BOUNDARY ? 0 : real(dg, p, 3);
  wisp_dg_pair_quantities(dg, m.k, p.k, reals);
}

typedef struct pairing {
  wisp_dg *dg;
  const int32_t *where;
  bool set; /* else counted */
} pairing;

/* Every face of one kind in block b, the first of which has descriptor `at`; returns the one behind the last. */
static int visit(const pairing *p, size_t b, pair_kind kind, int at)
{
  const wisp_dg *dg = p->dg;
  const size_t size = (size_t)dg->layout.KM * (size_t)dg->MB;
  for (size_t k = b * size; k < (b + 1) * size; k++)
    for (int f = 0; f < WISP_TET_FACES && dg->slot[k] != WISP_EMPTY; f++) {
      const face m = {k, f};
      if (classify(dg, p->where, m) != kind) continue;
      if (p->set) set_pair(dg, p->where, m, kind, (size_t)at);
      at++;
    }
  return at;
}

/* A wisp_sweep over blocks. */
static void visit_blocks(void *context, size_t from, size_t to)
{
  const pairing *p = context;
  for (size_t b = from; b < to; b++) {
    int *block = p->dg->pair_block + WISP_BLOCK_INTS * b;
    for (int kind = 0; kind < CLASSES; kind++) block[kind + 1] = visit(p, b, (pair_kind)kind, block[kind]);
  }
}

wisp_status wisp_dg_add_pairs(wisp_error *err, wisp_dg *dg)
{
  OWNED(free) int32_t *where = NULL;
  int first = 0;
  pairing p = {.dg = dg};
  if (dg->pairs) return WISP_OK;
  CALL(wisp_dg_where(err, dg, &where));
  p.where = where;
  wisp_parallel_for(dg->blocks, visit_blocks, &p);
  for (size_t b = 0; b < dg->blocks; b++) {
    int *block = dg->pair_block + WISP_BLOCK_INTS * b;
    block[0] = first;
    first += block[CLASSES];
  }
  CALL(wisp_new(err, (size_t)first, WISP_PAIR_INTS * sizeof *dg->pair_int, &dg->pair_int));
  CALL(wisp_new(err, (size_t)first, (size_t)dg->records.pair_reals * sizeof *dg->pair_real, &dg->pair_real));
  p.set = true;
  wisp_parallel_for(dg->blocks, visit_blocks, &p);
  dg->pairs = (size_t)first;
  return WISP_OK;
}
