/* Claim: what set-up, energies and errors give does not depend on the number of threads, to the last bit. */
#include "test.h"
#include "bent_box.h"
#include "../runtime/parallel.h"
#include "../runtime/nodal/start.h"
#include "../runtime/tensor/poisson_solver.h"

static const char *const threads[] = {"1", "2", "5"};
enum { COUNTS = sizeof threads / sizeof *threads };

/* Bytes that are the first time's, or else wrong. */
static void keep_or_compare(void **first, const void *now, size_t bytes)
{
  if (*first) {
    assert_memory_equal(*first, now, bytes);
    return;
  }
  *first = malloc(bytes);
  memcpy(*first, now, bytes);
}

/* --- the loop itself --- */

/* Counts how often it is called, and marks its own. */
typedef struct marks {
  int calls;
  unsigned char done[1000];
} marks;

static void mark(void *context, size_t from, size_t to)
{
  marks *m = context;
  __atomic_add_fetch(&m->calls, 1, __ATOMIC_SEQ_CST);
  for (size_t i = from; i < to; i++) m->done[i]++;
}

TEST(test_as_many_as_asked)
{
  const int wanted[COUNTS] = {1, 2, 5};
  for (int i = 0; i < COUNTS; i++) {
    marks m = {.calls = 0};
    setenv("WISP_THREADS", threads[i], 1);
    wisp_parallel_for(sizeof m.done, mark, &m);
    assert_int_equal(m.calls, wanted[i]);
    for (size_t k = 0; k < sizeof m.done; k++) assert_int_equal(m.done[k], 1);
  }
}

/* --- tets --- */

TEST(test_tets)
{
  OWNED(free)
  void *field = NULL, *sums = NULL, *geo = NULL, *faces = NULL, *normals = NULL, *blocks = NULL, *pairs = NULL,
       *neighbours = NULL;
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  OWNED(wisp_tet_destroy) wisp_tet *tet = NULL;
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  wisp_layout layout;
  wisp_start cavity;
  GOOD(wisp_mesh_box(err, 7, &mesh)); /* 2058 tets, more than one block of sums */
  GOOD(wisp_tet_create(err, 3, &tet));
  GOOD(wisp_system_load(err, "maxwell", &system));
  GOOD(wisp_layout_parse(err, "slab-km32", tet->Np, WISP_TET_FACES * tet->Nfp, &layout));
  GOOD(wisp_start_choose(err, mesh, system, "cavity", (int[]){1, 2, 1}, &cavity));
  for (int i = 0; i < COUNTS; i++) {
    wisp_mesh *repeated = NULL;
    OWNED(wisp_dg_destroy) wisp_dg *dg = NULL;
    double both[2];
    setenv("WISP_THREADS", threads[i], 1);
    GOOD(wisp_mesh_box(err, 7, &repeated));
    keep_or_compare(&neighbours, repeated->neighbour, 4 * repeated->elements * sizeof *repeated->neighbour);
    wisp_mesh_destroy(repeated);
    GOOD(wisp_dg_create(err, mesh, tet, system, &layout, WISP_GROUP_NATURAL, 1, 0, &dg));
    OWNED(free) double *u = malloc(wisp_dg_volume_size(dg) * sizeof *u);
    wisp_dg_fill(dg, wisp_start_field, &cavity, 0.3, u);
    GOOD(wisp_dg_energy(err, dg, u, &both[0]));
    GOOD(wisp_dg_l2_error(err, dg, u, wisp_start_field, &cavity, 0.3, &both[1]));
    keep_or_compare(&geo, dg->geo, dg->slots * WISP_GEO * sizeof *dg->geo);
    keep_or_compare(&faces, dg->face_int, dg->slots * WISP_FACE_INTS * sizeof *dg->face_int);
    keep_or_compare(&normals, dg->face_real, dg->slots * WISP_FACE_REALS * sizeof *dg->face_real);
    keep_or_compare(&blocks, dg->pair_block, dg->blocks * WISP_BLOCK_INTS * sizeof *dg->pair_block);
    keep_or_compare(&pairs, dg->pair_int, dg->pairs * WISP_PAIR_INTS * sizeof *dg->pair_int);
    keep_or_compare(&field, u, wisp_dg_volume_size(dg) * sizeof *u);
    keep_or_compare(&sums, both, sizeof both);
  }
}

/* --- hexes --- */

TEST(test_hexes)
{
  OWNED(free)
  void *numbers = NULL, *surface = NULL, *copies = NULL, *two = NULL, *more = NULL, *load = NULL, *diagonal = NULL,
       *distance = NULL;
  OWNED(wisp_mesh_destroy) wisp_hexmesh *mesh = NULL;
  GOOD(wisp_mesh_grid(err, 8, (int[]){10, 9, 8}, &mesh));
  GOOD(bend_box(err, mesh, 0.05));
  for (int i = 0; i < COUNTS; i++) {
    OWNED(wisp_poisson_destroy) wisp_poisson *p = NULL;
    double off = 0;
    setenv("WISP_THREADS", threads[i], 1);
    GOOD(wisp_poisson_create(err, "box", mesh, 4, WISP_HEX_COLLOCATED, 1, &p));
    const size_t n = p->copies->unknowns;
    OWNED(free) double *values = malloc(n * sizeof *values);
    keep_or_compare(&numbers, p->nodes->global, mesh->elements * (size_t)p->hex->Np * sizeof *p->nodes->global);
    keep_or_compare(&surface, p->copies->surface, p->copies->surfaces * sizeof *p->copies->surface);
    keep_or_compare(&copies, p->copies->copy, p->copies->copies * sizeof *p->copies->copy);
    keep_or_compare(&two, p->copies->two, (n - p->copies->within) * sizeof *p->copies->two);
    keep_or_compare(&more, p->copies->more, p->copies->more_count * sizeof *p->copies->more);
    keep_or_compare(&load, p->b, n * sizeof *p->b);
    GOOD(wisp_poisson_diagonal(err, p, values));
    keep_or_compare(&diagonal, values, n * sizeof *values);
    GOOD(wisp_poisson_error(err, p, p->b, &off));
    keep_or_compare(&distance, &off, sizeof off);
  }
}
