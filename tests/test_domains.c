/* Claim: a mesh is divided so that each element is in one part, and ghosts are the elements across its cut; after an
 * exchange by their lists each domain finds, at every face of the cut, what the one domain has there, in node-fastest
 * and slab layouts, of u and of trace; so do ranks by shared memory, message after message. Swapped nodes, a neighbour
 * that is left out, an inbox of the other parity and a rank with other kernels are found out. Ranks gather, add up and
 * agree; one that fails, dies or goes its own way ends all, in a line that names it. */
#include "test.h"
#include "dg_case.h"
#include "../runtime/domain/exchange_parts.h"
#include "../runtime/nodal/dg_parts.h"
#include "../runtime/nodal/system_kind.h"

#include <signal.h>

enum { PARTS = 3 };

/* ---- Parts. */

static void divide(const wisp_mesh *mesh, int rank, int count, wisp_mesh_part *out)
{
  int32_t *part_of = NULL;
  GOOD(wisp_mesh_partition(err, mesh, count, &part_of));
  GOOD(wisp_mesh_part_create(err, mesh, part_of, rank, count, out));
}

/* The number of faces of `element` that lead to an element of the part. */
static int count_faces(const wisp_mesh_part *part, const wisp_mesh *mesh, int32_t element)
{
  int count = 0;
  for (size_t f = 0; f < 4; f++) {
    const int32_t other = mesh->neighbour[4 * (size_t)element + f];
    count += other != WISP_BOUNDARY && part->part_of[other] == part->rank;
  }
  return count;
}

static void check_parts(const wisp_mesh *mesh, int count)
{
  OWNED(free) int *seen = allocate(mesh->elements, sizeof *seen);
  memset(seen, 0, mesh->elements * sizeof *seen);
  for (int rank = 0; rank < count; rank++) {
    HELD(wisp_mesh_part_free) wisp_mesh_part part = {.count = 0};
    size_t ghosts = 0;
    divide(mesh, rank, count, &part);
    for (size_t i = 0; i < part.own; i++) {
      const int32_t e = part.element[i];
      bool cut = false;
      seen[e]++;
      assert_int_equal(part.part_of[e], rank);
      for (int f = 0; f < 4; f++) cut |= wisp_mesh_part_across(&part, mesh, e, f) != rank;
      assert_int_equal(cut, i < part.cut);
    }
    for (size_t e = 0; e < mesh->elements; e++)
      ghosts += part.part_of[e] != rank && count_faces(&part, mesh, (int32_t)e);
    assert_int_equal(ghosts, part.ghosts);
    for (size_t i = 0; i < part.ghosts; i++) assert_true(count_faces(&part, mesh, part.ghost[i]) > 0);
  }
  for (size_t e = 0; e < mesh->elements; e++) assert_int_equal(seen[e], 1);
}

TEST(test_parts)
{
  for (int random = 0; random < 2; random++)
    for (int n = 1; n <= 3; n++)
      for (int count = 1; count <= 7; count += 2) {
        dg_case c;
        dg_case_make(&c, 1, n, 0.2);
        random ? setenv("WISP_PARTITION", "random", 1) : unsetenv("WISP_PARTITION");
        check_parts(c.mesh, count);
        dg_case_free(&c);
      }
  unsetenv("WISP_PARTITION");
}

/* METIS cuts few faces, and leaves parts of about one size. */
TEST(test_metis)
{
  dg_case c;
  HELD(wisp_mesh_part_free) wisp_mesh_part part = {.count = 0};
  dg_case_make(&c, 1, 6, 0);
  divide(c.mesh, 0, 2, &part);
  assert_in_range(part.own, c.mesh->elements * 45 / 100, c.mesh->elements * 55 / 100);
  assert_true(part.cut < c.mesh->elements / 10); /* 6 x 6 squares of two faces, and what is crooked */
  dg_case_free(&c);
}

/* ---- Lists, with all domains in one process. */

typedef struct domains {
  wisp_domain domain[PARTS];
  wisp_dg *dg[PARTS];
  wisp_halo halo[PARTS];
  double *u[PARTS], *trace[PARTS];
  bool traced;
} domains;

static void open_domains(const dg_case *c, const wisp_layout *layout, bool traced, domains *d)
{
  const wisp_fixed fixed = {0};
  d->traced = traced;
  for (int r = 0; r < PARTS; r++) {
    d->domain[r].ranks = NULL;
    divide(c->mesh, r, PARTS, &d->domain[r].part);
    GOOD(wisp_dg_create_part(err, &d->domain[r], c->mesh, c->tet, c->system, layout, &fixed,
                             &(wisp_walls){.boundary = 0}, &d->dg[r]));
    GOOD(wisp_halo_create(err, d->dg[r], traced, &d->halo[r]));
    d->u[r] = dg_case_volume(d->dg[r]);
    const size_t traces = wisp_dg_all_slots(d->dg[r]) * (size_t)(c->system->fields * layout->Nf);
    d->trace[r] = allocate(traces, sizeof *d->trace[r]);
    dg_case_poison(d->trace[r], traces);
    OWNED(free) double *noise = zeros(wisp_dg_volume_size(d->dg[r]));
    wisp_dg_noise(d->dg[r], noise);
    memcpy(d->u[r], noise, d->dg[r]->groups * (size_t)(c->system->fields * layout->NpM) * sizeof *noise);
  }
}

static void close_domains(domains *d)
{
  for (int r = 0; r < PARTS; r++) {
    wisp_halo_free(&d->halo[r]);
    wisp_dg_destroy(d->dg[r]);
    wisp_mesh_part_free(&d->domain[r].part);
    free(d->u[r]), free(d->trace[r]);
  }
}

static wisp_exchange_list *list_between(domains *d, int of, int with)
{
  for (size_t i = 0; i < d->halo[of].neighbours; i++)
    if (d->halo[of].list[i].rank == with) return &d->halo[of].list[i];
  return NULL;
}

/* The same as an exchange by kernels does. */
static void exchange_all(domains *d)
{
  for (int from = 0; from < PARTS; from++)
    for (int to = 0; to < PARTS; to++) {
      const wisp_exchange_list *send = list_between(d, from, to), *receive = list_between(d, to, from);
      if (!send || !receive) continue;
      assert_int_equal(send->sent, receive->received);
      double *into = d->traced ? d->trace[to] : d->u[to];
      for (size_t i = 0; i < send->sent; i++) into[receive->receive[i]] = d->u[from][send->send[i]];
    }
}

/* The numbers beyond the faces of the cut that are not those of the element there. */
static size_t count_wrong(const dg_case *c, const domains *d, int rank, const double *whole)
{
  const wisp_dg *dg = d->dg[rank];
  const int n = c->system->fields, Nfp = c->tet->Nfp, *turnlist = dg->turnlist;
  size_t wrong = 0;
  for (size_t k = 0; k < dg->cut * (size_t)dg->layout.KM; k++)
    for (int f = 0; f < 4 && dg->slot[k] != WISP_EMPTY; f++) {
      const int32_t there = c->mesh->neighbour[4 * (size_t)dg->slot[k] + (size_t)f];
      const int code = dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, 4 + f, k)] % 32;
      const size_t slot = wisp_dg_slot_at(dg, (size_t)dg->face_int[wisp_dg_at(dg, WISP_FACE_INTS, f, k)]);
      if (there == WISP_BOUNDARY || slot < dg->slots) continue;
      assert_int_equal(dg->slot[slot], there);
      for (int i = 0; i < n * Nfp; i++) {
        const int field = i / Nfp, node = c->tet->facelist[code * Nfp + i % Nfp];
        const size_t face = slot * 4 + (size_t)(code / 6);
        const int j = turnlist[code % 6 * Nfp + i % Nfp];
        const double got = d->traced ? d->trace[rank][(face * (size_t)n + (size_t)field) * (size_t)Nfp + (size_t)j]
                                     : d->u[rank][wisp_layout_volume(&dg->layout, n, field, slot, (size_t)node)];
        const double wanted = whole[((size_t)there * (size_t)n + (size_t)field) * (size_t)c->tet->Np + (size_t)node];
        wrong += !(got == wanted);
      }
    }
  return wrong;
}

/* The one domain's noise: elements, their fields, their nodes. */
static double *whole_noise(dg_case *c)
{
  const int n = c->system->fields, Np = c->tet->Np;
  const wisp_layout one = wisp_layout_padded(Np, 4 * c->tet->Nfp, 1);
  double *whole = zeros(c->mesh->elements * (size_t)(n * Np));
  dg_case_discretise(c, &one, WISP_GROUP_NATURAL, 1, "pec");
  OWNED(free) double *u = zeros(wisp_dg_volume_size(c->dg));
  wisp_dg_noise(c->dg, u);
  for (size_t k = 0; k < c->mesh->elements; k++)
    for (int i = 0; i < n * Np; i++)
      whole[(size_t)c->dg->slot[k] * (size_t)(n * Np) + (size_t)i] =
          u[wisp_layout_volume(&one, n, i / Np, k, (size_t)(i % Np))];
  return whole;
}

static size_t wrong_in_all(dg_case *c, domains *d, const double *whole)
{
  size_t wrong = 0;
  exchange_all(d);
  for (int r = 0; r < PARTS; r++) wrong += count_wrong(c, d, r, whole);
  return wrong;
}

TEST(test_lists)
{
  enum { N = 3 };
  dg_case c;
  dg_case_make(&c, N, 3, 0.2);
  const int Np = c.tet->Np, Nf = 4 * c.tet->Nfp;
  const wisp_layout layouts[] = {wisp_layout_slab(Np, Nf, 32), wisp_layout_microblocked(Np, Nf, 16),
                                 wisp_layout_padded(Np, Nf, 16)};
  OWNED(free) double *whole = whole_noise(&c);
  for (size_t i = 0; i < 2 * 2 * WISP_COUNT(layouts); i++) {
    domains d;
    i / 2 % 2 ? setenv("WISP_PARTITION", "random", 1) : unsetenv("WISP_PARTITION");
    open_domains(&c, &layouts[i / 4], i % 2, &d);
    assert_int_equal(wrong_in_all(&c, &d, whole), 0);
    wisp_exchange_list *list = list_between(&d, 0, 1); /* two nodes of a face that meet the wrong ones */
    const int32_t first = list->send[0];
    const size_t other = list->sent / 2;
    list->send[0] = list->send[other], list->send[other] = first;
    assert_true(wrong_in_all(&c, &d, whole) > 0);
    list->send[other] = list->send[0], list->send[0] = first;
    assert_int_equal(wrong_in_all(&c, &d, whole), 0);
    list->rank = PARTS; /* a neighbour that is left out */
    dg_case_poison(d.u[1] + d.dg[1]->groups * (size_t)(c.system->fields * layouts[i / 4].NpM),
                   d.dg[1]->ghosts * (size_t)(c.system->fields * layouts[i / 4].NpM));
    dg_case_poison(d.trace[1], wisp_dg_all_slots(d.dg[1]) * (size_t)(c.system->fields * Nf));
    assert_true(wrong_in_all(&c, &d, whole) > 0);
    list->rank = 1;
    close_domains(&d);
  }
  unsetenv("WISP_PARTITION");
  dg_case_free(&c);
}

/* ---- Ranks. */

typedef wisp_status (*rank_body)(wisp_error *err, wisp_ranks *ranks, int plant);

/* No assertion in a rank: a failure is its status. */
static wisp_status on_ranks(wisp_error *err, int count, rank_body body, int plant)
{
  wisp_ranks *ranks = NULL;
  wisp_error why = {.text = ""};
  int exit_status = -1;
  CALL(wisp_ranks_fork(err, count, NULL, NULL, &ranks, &exit_status));
  if (!ranks) return WISP_OK;
  const wisp_status status = body(&why, ranks, plant);
  wisp_ranks_end(ranks, status, &why);
  _exit(status != WISP_OK);
}

static void expect_failure(int count, rank_body body, int plant, const char *words)
{
  wisp_error err = {.text = ""};
  assert_int_not_equal(on_ranks(&err, count, body, plant), WISP_OK);
  if (!strstr(err.text, words)) fail_msg("'%s' does not say '%s'", err.text, words);
}

static wisp_status check(wisp_error *err, bool good, const char *what)
{
  return wisp_require(err, good, WISP_EWRONG, "%s", what);
}

/* Texts of different lengths, of which rank 1 has none; sums whose last bits depend on the order. */
static wisp_status talk(wisp_error *err, wisp_ranks *ranks, int plant)
{
  HELD(wisp_gathered_free) wisp_gathered all = {.data = NULL};
  HELD(wisp_gathered_free) wisp_gathered root = {.data = NULL};
  const int own = wisp_ranks_own(ranks);
  const char *const texts[] = {"nought", "", "three"};
  const double parts[] = {1, 1e-16, 1e-16};
  double sum[2] = {parts[own], own}, least = own == 1 ? -1 : own;
  char word[8] = "";
  (void)plant;
  CALL(check(err, wisp_ranks_count(ranks) == 3, "count"));
  CALL(wisp_ranks_gather(err, ranks, texts[own], strlen(texts[own]), true, &all));
  CALL(check(err, all.begin[3] == 11 && memcmp(all.data, "noughtthree", 11) == 0, "gather"));
  CALL(wisp_ranks_gather(err, ranks, texts[own], strlen(texts[own]), false, &root));
  CALL(check(err, root.begin[3] == (own ? 0 : 11), "gather on rank 0"));
  CALL(wisp_ranks_sum(err, ranks, 2, sum));
  CALL(check(err, sum[0] == (1 + 1e-16) + 1e-16 && sum[1] == 3, "sum"));
  CALL(wisp_ranks_least(err, ranks, &least));
  CALL(check(err, least == -1, "least"));
  if (!own) strcpy(word, "first");
  CALL(wisp_ranks_agree(err, ranks, word, sizeof word));
  CALL(check(err, strcmp(word, "first") == 0, "agree"));
  return wisp_ranks_meet(err, ranks);
}

enum { FAILS, ALL_FAIL, DIES, LEAVES, DIFFERS };

static wisp_status misbehave(wisp_error *err, wisp_ranks *ranks, int plant)
{
  HELD(wisp_gathered_free) wisp_gathered all = {.data = NULL};
  const bool odd = wisp_ranks_own(ranks) == 1;
  CALL(wisp_ranks_meet(err, ranks));
  if (plant == ALL_FAIL || (odd && plant == FAILS)) return wisp_fail(err, WISP_EINPUT, "it is broken");
  if (odd && plant == DIES) raise(SIGKILL);
  if (odd && plant == LEAVES) return WISP_OK;
  if (odd && plant == DIFFERS) return wisp_ranks_gather(err, ranks, "", 0, false, &all);
  return wisp_ranks_meet(err, ranks);
}

TEST(test_ranks)
{
  GOOD(on_ranks(err, 3, talk, 0));
  expect_failure(3, misbehave, FAILS, "rank 1 of 3: it is broken");
  expect_failure(2, misbehave, DIES, "rank 1 of 2 (process ");
  expect_failure(2, misbehave, DIES, "was ended by signal 9");
  expect_failure(2, misbehave, LEAVES, "rank 1 of 2 has ended before the others");
  expect_failure(2, misbehave, DIFFERS, "rank 1 and rank 0 wait for different things");
  wisp_error err = {.text = ""};
  assert_int_equal(on_ranks(&err, 3, misbehave, ALL_FAIL), WISP_EINPUT);
  assert_string_equal(err.text, "it is broken");
}

/* ---- Exchanges between processes. */

enum { NUMBERS = 1000, MESSAGES = 7, RIGHT = 0, STALE, UNEXPECTED };

static double number_of(int rank, int message, size_t i)
{
  return rank * 1e6 + message * 1e3 + (double)i;
}

/* In each direction numbers i of 0 .. NUMBERS - 1 to NUMBERS + i, of neighbours on a ring; rank 3 has none. */
static void make_ring(int own, wisp_exchange_list list[2], int32_t *address)
{
  for (int side = 0; side < 2; side++) {
    const int other = (own + (side ? 2 : 1)) % 3;
    list[side] = (wisp_exchange_list){other, NUMBERS, NUMBERS, address + 0, address + (size_t)(side + 1) * NUMBERS};
  }
  for (int32_t i = 0; i < 3 * NUMBERS; i++) address[i] = i;
}

/* An inbox is read at the other parity. */
static wisp_status swap_boxes(wisp_error *err, const wisp_exchange *x)
{
  long long table[WISP_OF_TABLE];
  const size_t bytes = sizeof table;
  CALL(wisp_device_download(err, x->device, table, x->receive.table, bytes));
  const long long first = table[2];
  table[2] = table[3], table[3] = first;
  return wisp_device_upload(err, x->device, x->receive.table, table, bytes);
}

static wisp_status send_round(wisp_error *err, wisp_ranks *ranks, int plant)
{
  OWNED(wisp_device_close) wisp_device *device = NULL;
  OWNED(wisp_exchange_destroy) wisp_exchange *x = NULL;
  static int32_t address[3 * NUMBERS];
  static double u[3 * NUMBERS];
  wisp_exchange_list list[2];
  wisp_pointer field = 0;
  const int own = wisp_ranks_own(ranks);
  const size_t neighbours = own < 3 ? 2 : 0;
  make_ring(own, list, address);
  if (own == 1 && plant == UNEXPECTED) list[0].received--;
  CALL(wisp_device_open(err, "host", &device));
  CALL(wisp_exchange_create(err, device, ranks, WISP_F64, neighbours, list, &x));
  if (!own && plant == STALE) CALL(swap_boxes(err, x));
  CALL(wisp_device_alloc(err, device, sizeof u, &field));
  for (int message = 0; message < MESSAGES; message++) {
    for (size_t i = 0; i < NUMBERS; i++) u[i] = number_of(own, message, i);
    CALL(wisp_device_upload(err, device, field, u, sizeof u));
    CALL(wisp_exchange_post(err, x, field));
    CALL(wisp_exchange_collect(err, x, field));
    CALL(wisp_device_finish(err, device));
    CALL(wisp_exchange_check(err, x));
    CALL(wisp_device_download(err, device, u, field, sizeof u));
    for (size_t i = 0; i < neighbours * NUMBERS; i++)
      CALL(check(err, u[NUMBERS + i] == number_of(list[i / NUMBERS].rank, message, i % NUMBERS), "a number is wrong"));
  }
  wisp_device_free(device, field);
  return WISP_OK;
}

TEST(test_exchange)
{
  GOOD(on_ranks(err, 4, send_round, RIGHT));
  expect_failure(4, send_round, STALE, "rank 0 of 4: a number is wrong");
  expect_failure(4, send_round, UNEXPECTED, "sends 1000 numbers to rank 1, which does not expect them");
}

/* ---- Kernels. */

/* Opens a solver whose rank 1, if so planted, runs another composition. */
static wisp_status open_solver(wisp_error *err, wisp_ranks *ranks, int plant)
{
  OWNED(wisp_session_close) wisp_session *session = NULL;
  OWNED(wisp_solver_discard) wisp_solver *s = NULL;
  const wisp_session_request request = {WISP_INIT(wisp_session_request), .device = "host", .defaults_only = 1};
  const bool other = plant && wisp_ranks_own(ranks) == 1;
  CALL(wisp_session_open(err, &request, &session));
  session->ranks = ranks;
  CALL(wisp_solver_new(err, &wisp_system_kind, "maxwell", &s));
  s->order = 1;
  CALL(wisp_solver_take(err, s, "steps", "1"));
  CALL(wisp_solver_take(err, s, "layout", "slab-km32"));
  CALL(wisp_solver_take(err, s, "composition", other ? "stage" : "stage_nested"));
  CALL(wisp_solver_begin(err, s, "2"));
  return wisp_solver_open(err, s, session, NULL);
}

TEST(test_kernels)
{
  GOOD(on_ranks(err, 2, open_solver, 0));
  expect_failure(2, open_solver, 1, "rank 1 has chosen other kernels than rank 0");
}
