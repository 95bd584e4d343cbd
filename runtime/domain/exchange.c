#include "exchange_parts.h"

#include <limits.h>

enum {
  LINE = 64,    /* bytes, that a flag and the numbers begin at a multiple of */
  CHUNK = 2048, /* numbers of a block on a GPU */
  MOST_CHUNKS = 64,
  SECONDS = 30 /* for a message */
};

/* Bytes of one inbox: its flag, and the numbers. */
static size_t inbox_bytes(size_t numbers, wisp_precision precision)
{
  return LINE + (numbers * (size_t)precision + LINE - 1) / LINE * LINE;
}

/* The beginning of what a rank gives the others; offered_box of each of its neighbours comes behind it. */
typedef struct offer {
  unsigned char handle[WISP_HANDLE_BYTES];
  size_t bytes;
  size_t shares; /* 1: its device can share memory; without a gap behind it */
} offer;

typedef struct offered_box {
  size_t from;   /* the rank whose messages come there */
  size_t count;  /* of a message */
  size_t begins; /* bytes from the begin of the memory to the first of the two */
} offered_box;

/* ---- What all ranks know of each other. */

static wisp_status offer_inbox(wisp_error *err, wisp_exchange *x, wisp_precision precision,
                               const wisp_exchange_list *list, wisp_gathered *all)
{
  OWNED(free) char *mine = NULL;
  size_t bytes = 0;
  const size_t size = sizeof(offer) + x->neighbours * sizeof(offered_box);
  CALL(wisp_new(err, size, 1, &mine));
  for (size_t i = 0; i < x->neighbours; i++) {
    const offered_box box = {(size_t)list[i].rank, list[i].received, bytes};
    memcpy(mine + sizeof(offer) + i * sizeof box, &box, sizeof box);
    bytes += 2 * inbox_bytes(list[i].received, precision);
  }
  offer own = {.bytes = bytes, .shares = wisp_device_shares(x->device)};
  if (own.shares && bytes) CALL(wisp_device_share(err, x->device, bytes, &x->inbox));
  memcpy(own.handle, x->inbox.handle, sizeof own.handle);
  memcpy(mine, &own, sizeof own);
  return wisp_ranks_gather(err, x->ranks, mine, size, true, all);
}

/* The inbox of a neighbour for this rank's messages. */
static wisp_status find_box(wisp_error *err, const wisp_exchange *x, const wisp_gathered *all,
                            const wisp_exchange_list *to, offer *theirs, offered_box *box)
{
  const char *at = all->data + all->begin[to->rank], *end = all->data + all->begin[to->rank + 1];
  memcpy(theirs, at, sizeof *theirs);
  CALL(wisp_require(err, theirs->shares && wisp_device_shares(x->device), WISP_EUSAGE,
                    "rank %d and rank %d cannot see each other's memory: their devices have no way to share it",
                    wisp_ranks_own(x->ranks), to->rank));
  for (at += sizeof *theirs; at < end; at += sizeof *box) {
    memcpy(box, at, sizeof *box);
    if ((int)box->from == wisp_ranks_own(x->ranks) && box->count == to->sent) return WISP_OK;
  }
  return wisp_fail(err, WISP_ESYSTEM, "rank %d sends %zu numbers to rank %d, which does not expect them",
                   wisp_ranks_own(x->ranks), to->sent, to->rank);
}

/* ---- Tables. */

/* The part of a table for a neighbour whose two inboxes begin there. */
static void set_boxes(long long *table, size_t first, size_t numbers, wisp_pointer at, wisp_precision precision)
{
  table[0] = (long long)first;
  table[1] = (long long)(first + numbers);
  for (int parity = 0; parity < 2; parity++) {
    const wisp_pointer box = at + (wisp_pointer)parity * inbox_bytes(numbers, precision);
    table[2 + parity] = (long long)(box + LINE);
    table[4 + parity] = (long long)box;
  }
}

static wisp_status upload(wisp_error *err, wisp_device *device, const void *from, size_t bytes, wisp_pointer *out)
{
  CALL(wisp_device_alloc(err, device, bytes, out));
  return wisp_device_upload(err, device, *out, from, bytes);
}

/* The list of addresses, and the table, of one direction. */
static wisp_status open_direction(wisp_error *err, wisp_exchange *x, const char *kernel, wisp_precision precision,
                                  const wisp_exchange_list *list, const wisp_pointer *box, wisp_exchange_side *d)
{
  OWNED(free) int32_t *address = NULL;
  OWNED(free) long long *table = NULL;
  const bool sends = d == &x->send;
  for (size_t i = 0; i < x->neighbours; i++) d->numbers += sends ? list[i].sent : list[i].received;
  CALL(wisp_new(err, d->numbers, sizeof *address, &address));
  CALL(wisp_new(err, x->neighbours, WISP_OF_TABLE * sizeof *table, &table));
  for (size_t i = 0, first = 0; i < x->neighbours; i++) {
    const size_t numbers = sends ? list[i].sent : list[i].received;
    if (numbers) memcpy(address + first, sends ? list[i].send : list[i].receive, numbers * sizeof *address);
    set_boxes(table + WISP_OF_TABLE * i, first, numbers, box[i], precision);
    first += numbers;
  }
  CALL(upload(err, x->device, address, d->numbers * sizeof *address, &d->list));
  CALL(upload(err, x->device, table, x->neighbours * WISP_OF_TABLE * sizeof *table, &d->table));
  return wisp_dialect_module(err, x->device, kernel, precision, "", &d->module);
}

/* Attaches the neighbours' inboxes, once all ranks agree; into[i] and from[i]: where this rank's messages to neighbour
 * i go, and where its messages come. */
static wisp_status attach(wisp_error *err, wisp_exchange *x, const wisp_gathered *all, const wisp_exchange_list *list,
                          wisp_pointer *into, wisp_pointer *from)
{
  offer theirs;
  offered_box box;
  for (size_t i = 0; i < x->neighbours; i++) CALL(find_box(err, x, all, &list[i], &theirs, &box));
  CALL(wisp_ranks_meet(err, x->ranks));
  for (size_t i = 0; i < x->neighbours; i++) {
    CALL(find_box(err, x, all, &list[i], &theirs, &box));
    CALL(wisp_device_attach(err, x->device, theirs.handle, theirs.bytes, &x->attached[i]));
    into[i] = x->attached[i].at + box.begins;
    const char *own = all->data + all->begin[wisp_ranks_own(x->ranks)] + sizeof(offer);
    memcpy(&box, own + i * sizeof box, sizeof box);
    from[i] = x->inbox.at + box.begins;
  }
  return WISP_OK;
}

static unsigned count_chunks(const wisp_exchange *x)
{
  const size_t longest = x->send.numbers > x->receive.numbers ? x->send.numbers : x->receive.numbers;
  const size_t chunks = longest / CHUNK + 1;
  if (!wisp_device_limits(x->device)->gpu) return 1;
  return chunks < MOST_CHUNKS ? (unsigned)chunks : MOST_CHUNKS;
}

wisp_status wisp_exchange_create(wisp_error *err, wisp_device *device, wisp_ranks *ranks, wisp_precision precision,
                                 size_t neighbours, const wisp_exchange_list *list, wisp_exchange **out)
{
  OWNED(wisp_exchange_destroy) wisp_exchange *x = NULL;
  HELD(wisp_gathered_free) wisp_gathered all = {.data = NULL};
  OWNED(free) wisp_pointer *into = NULL, *from = NULL;
  CALL(wisp_new(err, 1, sizeof *x, &x));
  x->device = device, x->ranks = ranks, x->neighbours = neighbours;
  CALL(wisp_new(err, neighbours, sizeof *x->rank, &x->rank));
  CALL(wisp_new(err, neighbours, sizeof *x->attached, &x->attached));
  CALL(wisp_new(err, neighbours, sizeof *into, &into));
  CALL(wisp_new(err, neighbours, sizeof *from, &from));
  for (size_t i = 0; i < neighbours; i++) x->rank[i] = list[i].rank;
  CALL(offer_inbox(err, x, precision, list, &all));
  CALL(attach(err, x, &all, list, into, from));
  CALL(open_direction(err, x, "domain/post", precision, list, into, &x->send));
  CALL(open_direction(err, x, "domain/collect", precision, list, from, &x->receive));
  CALL(wisp_device_alloc(err, device, neighbours * WISP_OF_STATE * sizeof(long long), &x->state));
  CALL(wisp_device_fill(err, device, x->state, 0, neighbours * WISP_OF_STATE * sizeof(long long)));
  CALL(wisp_device_finish(err, device));
  x->chunks = count_chunks(x);
  CALL(wisp_ranks_meet(err, ranks)); /* all have attached what they write to */
  return GIVE(x, out);
}

static void close_direction(const wisp_exchange *x, wisp_exchange_side *d)
{
  wisp_module_unload(d->module);
  wisp_device_free(x->device, d->list);
  wisp_device_free(x->device, d->table);
}

void wisp_exchange_destroy(wisp_exchange *x)
{
  if (!x) return;
  close_direction(x, &x->send);
  close_direction(x, &x->receive);
  wisp_device_free(x->device, x->state);
  for (size_t i = 0; x->attached && i < x->neighbours; i++) wisp_device_detach(x->device, &x->attached[i]);
  wisp_device_detach(x->device, &x->inbox);
  WISP_FREE(x->rank, x->attached);
  free(x);
}

/* ---- Running. */

static wisp_status launch(wisp_error *err, const wisp_exchange *x, const wisp_exchange_side *d, wisp_pointer field,
                          int arguments)
{
  const unsigned grid[2] = {x->chunks, (unsigned)x->neighbours}, block[3] = {256, 1, 1};
  wisp_pointer list = d->list, table = d->table, state = x->state;
  long long chunks = x->chunks, seconds = SECONDS;
  void *args[] = {&field, &list, &table, &state, &chunks, &seconds};
  return wisp_launch(err, d->module, NULL, grid, block, args, arguments);
}

wisp_status wisp_exchange_post(wisp_error *err, const wisp_exchange *x, wisp_pointer from)
{
  return launch(err, x, &x->send, from, 5);
}

wisp_status wisp_exchange_collect(wisp_error *err, const wisp_exchange *x, wisp_pointer to)
{
  return launch(err, x, &x->receive, to, 6);
}

wisp_status wisp_exchange_check(wisp_error *err, const wisp_exchange *x)
{
  OWNED(free) long long *state = NULL;
  CALL(wisp_new(err, x->neighbours, WISP_OF_STATE * sizeof *state, &state));
  CALL(wisp_device_download(err, x->device, state, x->state, x->neighbours * WISP_OF_STATE * sizeof *state));
  for (size_t i = 0; i < x->neighbours; i++)
    CALL(wisp_require(err, !state[WISP_OF_STATE * i + 3], WISP_ESYSTEM,
                      "message %lld of rank %d has not come in %d s: see whether that process still runs",
                      state[WISP_OF_STATE * i + 3], x->rank[i], SECONDS));
  return WISP_OK;
}

size_t wisp_exchange_numbers(const wisp_exchange *x)
{
  return x->send.numbers;
}
