/* Unknowns of continuous elements and their copies: numbered so that kernels read few indices. */
#include "../parallel.h"
#include "hexmesh.h"

/* --- numbers in order, on all cores --- */

/* Visits things from .. to - 1, the first of which gets number `at`; returns the number behind the last. */
typedef struct making making;
typedef size_t (*visit)(const making *m, size_t from, size_t to, size_t at, bool write);

/* Blocks of fixed size are visited twice: to count, and with the number that each begins with, to write. */
enum { BLOCK = 1 << 15 };

struct making {
  const wisp_hexnodes *nodes;
  bool inside_only;
  wisp_hexcopies *copies;
  int32_t *local, *inside; /* places among an element's nodes: of those on its surface, and of the others */
  size_t locals, insides;
  visit visit;
  bool write;
  size_t things, *first; /* to visit; the number of each block's first */
};

static void free_making(making *m)
{
  WISP_FREE(m->local, m->inside, m->first);
}

/* A wisp_sweep over blocks: counts, or writes. */
static void visit_blocks(void *context, size_t from, size_t to)
{
  const making *m = context;
  for (size_t b = from; b < to; b++) {
    const size_t end = (b + 1) * BLOCK;
    const size_t after =
        m->visit(m, b * BLOCK, end < m->things ? end : m->things, m->write ? m->first[b] : 0, m->write);
    if (!m->write) m->first[b + 1] = after;
  }
}

static size_t blocks(const making *m)
{
  return (m->things + BLOCK - 1) / BLOCK;
}

static wisp_status count_all(wisp_error *err, making *m, visit what, size_t things, size_t at, size_t *end)
{
  m->visit = what;
  m->things = things;
  free(m->first);
  m->first = NULL;
  CALL(wisp_new(err, blocks(m) + 1, sizeof *m->first, &m->first));
  m->write = false;
  wisp_parallel_for(blocks(m), visit_blocks, m);
  m->first[0] = at;
  for (size_t b = 0; b < blocks(m); b++) m->first[b + 1] += m->first[b];
  *end = m->first[blocks(m)];
  return WISP_OK;
}

static void write_all(making *m)
{
  m->write = true;
  wisp_parallel_for(blocks(m), visit_blocks, m);
}

/* --- unknowns --- */

/* A wisp_sweep over elements: those within them, which have one copy each. */
static void number_within(void *context, size_t from, size_t to)
{
  const making *m = context;
  const size_t Np = m->locals + m->insides;
  for (size_t e = from; e < to; e++)
    for (size_t i = 0; i < m->insides; i++)
      m->copies->unknown[m->nodes->global[e * Np + (size_t)m->inside[i]]] = (int32_t)(e * m->insides + i);
}

static size_t number_others(const making *m, size_t from, size_t to, size_t at, bool write)
{
  int32_t *unknown = m->copies->unknown;
  for (size_t g = from; g < to; g++) {
    if (unknown[g] >= 0 || (m->inside_only && m->nodes->outside[g])) continue;
    if (write) unknown[g] = (int32_t)at;
    at++;
  }
  return at;
}

static wisp_status number_unknowns(wisp_error *err, making *m)
{
  wisp_hexcopies *c = m->copies;
  const size_t nodes = m->nodes->nodes;
  c->within = m->nodes->elements * m->insides;
  wisp_parallel_fill(c->unknown, 0xff, nodes * sizeof *c->unknown); /* -1 */
  if (c->within) wisp_parallel_for(m->nodes->elements, number_within, m);
  CALL(count_all(err, m, number_others, nodes, c->within, &c->unknowns));
  write_all(m);
  return WISP_OK;
}

/* --- copies --- */

/* A wisp_sweep over elements: the unknowns of surfaces, and the one copy of each within. */
static void list_elements(void *context, size_t from, size_t to)
{
  const making *m = context;
  wisp_hexcopies *c = m->copies;
  const size_t Np = m->locals + m->insides;
  for (size_t e = from; e < to; e++) {
    const int32_t *global = m->nodes->global + e * Np;
    for (size_t s = 0; s < m->locals; s++) c->surface[e * m->locals + s] = c->unknown[global[m->local[s]]];
    for (size_t i = 0; i < m->insides; i++) {
      const int32_t g = c->unknown[global[m->inside[i]]];
      c->start[g] = g;
      c->copy[g] = (int32_t)(e * Np) + m->inside[i];
    }
  }
}

/* Wisp_sweeps over the shared unknowns: each thread looks for its own among all surfaces. start[g + 2] first counts the
 * copies of g; summed up, start[g + 1] is the place of the next copy of g, and at the end of the first of g + 1. */
static void count_copies(void *context, size_t from, size_t to)
{
  const wisp_hexcopies *c = ((const making *)context)->copies;
  const uint32_t first = (uint32_t)(c->within + from), count = (uint32_t)(to - from);
  for (size_t s = 0; s < c->surfaces; s++)
    if ((uint32_t)c->surface[s] - first < count) c->start[c->surface[s] + 2]++;
}

static void place_copies(void *context, size_t from, size_t to)
{
  const making *m = context;
  const wisp_hexcopies *c = m->copies;
  const size_t Nq = (size_t)m->nodes->Nq, Np = Nq * Nq * Nq;
  const uint32_t first = (uint32_t)(c->within + from), count = (uint32_t)(to - from);
  const int32_t *surface = c->surface;
  for (size_t local = 0; local < m->nodes->elements * Np; local += Np)
    for (size_t s = 0; s < m->locals; s++, surface++)
      if ((uint32_t)*surface - first < count) c->copy[c->start[*surface + 1]++] = (int32_t)local + m->local[s];
}

static void list_copies(making *m)
{
  wisp_hexcopies *c = m->copies;
  const size_t shared = c->unknowns - c->within;
  wisp_parallel_for(m->nodes->elements, list_elements, m);
  wisp_parallel_for(shared, count_copies, m);
  c->start[c->within] = c->start[c->within + 1] = (int32_t)c->within;
  for (size_t g = c->within + 2; g < c->unknowns + 2; g++) c->start[g] += c->start[g - 1];
  wisp_parallel_for(shared, place_copies, m);
  c->copies = (size_t)c->start[c->unknowns];
}

/* The other form of the shared unknowns' lists; things are these unknowns, numbers places in `more`. */
static size_t list_shared(const making *m, size_t from, size_t to, size_t at, bool write)
{
  wisp_hexcopies *c = m->copies;
  for (size_t s = from; s < to; s++) {
    const int32_t *start = c->start + c->within + s, *copy = c->copy + *start, others = start[1] - start[0] - 1;
    if (write) {
      c->one[s] = copy[0];
      c->two[s] = others == 0 ? -1 : others == 1 ? copy[1] : -1 - (int32_t)at;
      for (int32_t i = 0; others > 1 && i <= others; i++) c->more[at + (size_t)i] = i ? copy[i] : others;
    }
    at += others > 1 ? (size_t)others + 1 : 0;
  }
  return at;
}

wisp_status wisp_hexcopies_create(wisp_error *err, const wisp_hexnodes *nodes, bool inside_only, wisp_hexcopies **out)
{
  OWNED(wisp_hexcopies_destroy) wisp_hexcopies *copies = NULL;
  const size_t Nq = (size_t)nodes->Nq;
  HELD(free_making) making m = {.nodes = nodes, .inside_only = inside_only};
  CALL(wisp_new(err, 1, sizeof *copies, &copies));
  m.copies = copies;
  CALL(wisp_new(err, Nq * Nq * Nq, sizeof *m.local, &m.local));
  CALL(wisp_new(err, Nq * Nq * Nq, sizeof *m.inside, &m.inside));
  for (size_t q = 0; q < Nq * Nq * Nq; q++) {
    const size_t at[3] = {q % Nq, q / Nq % Nq, q / Nq / Nq};
    bool surface = false;
    for (int d = 0; d < 3; d++) surface |= at[d] == 0 || at[d] == Nq - 1;
    *(surface ? &m.local[m.locals++] : &m.inside[m.insides++]) = (int32_t)q;
  }
  CALL(wisp_new(err, nodes->nodes, sizeof *copies->unknown, &copies->unknown));
  CALL(number_unknowns(err, &m));
  const size_t shared = copies->unknowns - copies->within;
  copies->surfaces = nodes->elements * m.locals;
  CALL(wisp_new(err, copies->unknowns + 2, sizeof *copies->start, &copies->start));
  CALL(wisp_new(err, nodes->elements * Nq * Nq * Nq, sizeof *copies->copy, &copies->copy));
  CALL(wisp_new(err, copies->surfaces, sizeof *copies->surface, &copies->surface));
  list_copies(&m);
  CALL(wisp_new(err, shared, sizeof *copies->one, &copies->one));
  CALL(wisp_new(err, shared, sizeof *copies->two, &copies->two));
  CALL(count_all(err, &m, list_shared, shared, 1, &copies->more_count));
  CALL(wisp_new(err, copies->more_count, sizeof *copies->more, &copies->more));
  write_all(&m);
  return GIVE(copies, out);
}

void wisp_hexcopies_destroy(wisp_hexcopies *copies)
{
  if (!copies) return;
  WISP_FREE(copies->unknown, copies->start, copies->copy, copies->one, copies->two, copies->more, copies->surface,
            copies);
}
