#include "partition.h"
#include "list_kind.h"
#include "../parallel.h"

#include <limits.h>

enum { GROUP = 32 };

typedef struct making {
  const wisp_assembly *s;
  wisp_partition *parts;
  size_t most;
  int32_t *part_of; /* elements: the last part that took it, plus one */
  int32_t *codes;   /* parts + 1: where the codes of each begin */
} making;

/* Numbers of an element: the upper half of its matrix, and its load. */
static size_t width_of(const wisp_assembly *s)
{
  return wisp_assembly_half(s) + (size_t)s->nodes->Np;
}

void wisp_partition_number(const wisp_partition *parts, size_t part, int32_t *local)
{
  const int32_t first = parts->element_start[part];
  for (int32_t i = first; i < parts->element_start[part + 1]; i++) local[parts->element[i]] = i - first;
}

/* --- rows to parts --- */

/* Elements around a row that the part at hand has not; listed where it is taken. */
static size_t new_elements(making *m, size_t row, bool take)
{
  const wisp_pattern *p = m->s->pattern;
  const int32_t part = (int32_t)m->parts->parts + 1;
  size_t count = 0;
  for (int32_t i = p->around_start[row]; i < p->around_start[row + 1]; i++) {
    const int32_t e = p->around[i] / m->s->nodes->Np;
    if (m->part_of[e] == part) continue;
    count++;
    if (take) m->part_of[e] = part, m->parts->element[m->parts->elements++] = e;
  }
  return count;
}

/* The part at hand ends before this row. */
static void close_part(making *m, size_t row)
{
  wisp_partition *parts = m->parts;
  const wisp_pattern *p = m->s->pattern;
  const size_t first = (size_t)parts->row[parts->parts];
  const size_t targets = (size_t)(p->start[row] - p->start[first]) + row - first;
  parts->groups += (targets + GROUP - 1) / GROUP;
  parts->parts++;
  parts->row[parts->parts] = (int32_t)row;
  parts->element_start[parts->parts] = (int32_t)parts->elements;
  parts->group_start[parts->parts] = (int32_t)parts->groups;
}

static wisp_status cut_rows(wisp_error *err, making *m)
{
  const wisp_pattern *p = m->s->pattern;
  wisp_partition *parts = m->parts;
  for (size_t row = 0; row < p->rows; row++) {
    const size_t here = parts->elements - (size_t)parts->element_start[parts->parts];
    if (here && here + new_elements(m, row, false) > m->most) close_part(m, row);
    CALL(wisp_require(err, new_elements(m, row, false) <= m->most, WISP_EREFUSED,
                      "parts of %zu elements: row %zu has more around it", m->most, row));
    new_elements(m, row, true);
  }
  close_part(m, p->rows);
  return WISP_OK;
}

/* --- codes --- */

size_t wisp_partition_sources(const wisp_assembly *s, const wisp_partition *parts, size_t most, size_t part,
                              const int32_t *local, wisp_partition_source *out)
{
  const wisp_pattern *p = s->pattern;
  const int Np = s->nodes->Np, half = (int)wisp_assembly_half(s);
  const int32_t first = parts->row[part], past = parts->row[part + 1], begin = p->start[first];
  size_t count = 0;
  for (int32_t row = first; row < past; row++)
    for (int32_t i = p->around_start[row]; i < p->around_start[row + 1]; i++) {
      const int32_t e = p->around[i] / Np;
      const int a = p->around[i] % Np;
      for (int b = 0; b <= Np; b++) {
        const int number = b < Np ? (int)wisp_assembly_number(s, a, b, false) : half + a;
        if (b < Np && (size_t)s->nodes->node[e * Np + b] >= p->rows) continue;
        if (out) {
          const int32_t to =
              b < Np ? wisp_assembly_entry(s, (size_t)e, a, b) - begin : p->start[past] - begin + row - first;
          out[count] = (wisp_partition_source){to, number * (int32_t)(most + 1) + local[e]};
        }
        count++;
      }
    }
  return count;
}

/* A wisp_sweep over parts: how many codes each has. */
static void count_codes(void *context, size_t from, size_t to)
{
  const making *m = context;
  for (size_t part = from; part < to; part++)
    m->codes[part + 1] = (int32_t)wisp_partition_sources(m->s, m->parts, m->most, part, NULL, NULL);
}

/* The codes of a group, layer by layer: of target q those from start[q] on. Where they end. */
static int32_t put_layers(const int32_t *start, size_t targets, const int32_t *sorted, int32_t *code, int32_t at)
{
  bool more = true;
  for (int32_t layer = 0; more; layer++) {
    more = false;
    for (size_t q = 0; q < targets; q++) {
      const int32_t i = start[q] + layer;
      if (i >= start[q + 1]) continue;
      code[at++] = sorted[i] + (i + 1 < start[q + 1] ? WISP_CODE_MORE : 0);
      more |= i + 1 < start[q + 1];
    }
  }
  return at;
}

static wisp_status code_part(wisp_error *err, const making *m, size_t part, int32_t *local)
{
  wisp_partition *parts = m->parts;
  const wisp_pattern *p = m->s->pattern;
  const int32_t first = parts->row[part], past = parts->row[part + 1];
  const size_t targets = (size_t)(p->start[past] - p->start[first] + past - first),
               count = (size_t)(m->codes[part + 1] - m->codes[part]);
  OWNED(free) wisp_partition_source *sources = NULL;
  OWNED(free) int32_t *start = NULL, *sorted = NULL;
  CALL(wisp_new(err, count, sizeof *sources, &sources));
  CALL(wisp_new(err, count, sizeof *sorted, &sorted));
  CALL(wisp_new(err, targets + 2, sizeof *start, &start));
  wisp_partition_number(parts, part, local);
  wisp_partition_sources(m->s, parts, m->most, part, local, sources);
  for (size_t i = 0; i < count; i++) start[sources[i].target + 2]++;
  for (size_t q = 2; q < targets + 2; q++) start[q] += start[q - 1];
  for (size_t i = 0; i < count; i++) sorted[start[sources[i].target + 1]++] = sources[i].code;
  int32_t at = m->codes[part];
  for (size_t q = 0; q < targets; q += GROUP) {
    parts->code_start[(size_t)parts->group_start[part] + q / GROUP] = at;
    at = put_layers(start + q, targets - q < GROUP ? targets - q : GROUP, sorted, parts->code, at);
  }
  return WISP_OK;
}

/* A wisp_range over parts. */
static wisp_status code_parts(wisp_error *err, void *context, size_t from, size_t to)
{
  const making *m = context;
  OWNED(free) int32_t *local = NULL;
  CALL(wisp_new(err, m->s->mesh->elements, sizeof *local, &local));
  for (size_t part = from; part < to; part++) CALL(code_part(err, m, part, local));
  return WISP_OK;
}

/* --- positions --- */

/* Values and F of a row, times the elements around it. */
static double work_of(const wisp_pattern *p, int32_t row)
{
  return (double)(p->start[row + 1] - p->start[row] + 1) * (p->around_start[row + 1] - p->around_start[row]);
}

typedef struct weighed {
  double work;
  int32_t row;
} weighed;

static int by_work(const void *left, const void *right)
{
  const weighed *a = left, *b = right;
  return a->work > b->work ? -1 : a->work < b->work ? 1 : (a->row > b->row) - (a->row < b->row);
}

static wisp_status order_rows(wisp_error *err, const making *m, size_t part)
{
  const int32_t first = m->parts->row[part], past = m->parts->row[part + 1];
  OWNED(free) weighed *rows = NULL;
  CALL(wisp_new(err, (size_t)(past - first), sizeof *rows, &rows));
  for (int32_t row = first; row < past; row++) rows[row - first] = (weighed){work_of(m->s->pattern, row), row};
  qsort(rows, (size_t)(past - first), sizeof *rows, by_work);
  for (int32_t row = first; row < past; row++) m->parts->row_order[row] = rows[row - first].row;
  return WISP_OK;
}

static void position_row(const making *m, int32_t row, const int32_t *local)
{
  const wisp_assembly *s = m->s;
  const wisp_pattern *p = s->pattern;
  const int Np = s->nodes->Np, half = (int)wisp_assembly_half(s);
  const int32_t values = p->start[row + 1] - p->start[row];
  const wisp_partition *parts = m->parts;
  unsigned char *place = parts->position + parts->position_start[row];
  memset(place, WISP_NO_POSITION, (size_t)(parts->position_start[row + 1] - parts->position_start[row]));
  for (int32_t i = p->around_start[row]; i < p->around_start[row + 1]; i++, place += values + 1) {
    const int32_t e = p->around[i] / Np;
    const int a = p->around[i] % Np;
    parts->local[i] = local[e];
    place[values] = (unsigned char)(half + a);
    for (int b = 0; b < Np; b++) {
      const int32_t column = s->nodes->node[e * Np + b];
      if ((size_t)column < p->rows)
        place[wisp_pattern_slot(p, row, column)] = (unsigned char)wisp_assembly_number(s, a, b, false);
    }
  }
}

/* A wisp_range over parts. */
static wisp_status position_parts(wisp_error *err, void *context, size_t from, size_t to)
{
  const making *m = context;
  const wisp_partition *parts = m->parts;
  OWNED(free) int32_t *local = NULL;
  CALL(wisp_new(err, m->s->mesh->elements, sizeof *local, &local));
  for (size_t part = from; part < to; part++) {
    wisp_partition_number(parts, part, local);
    CALL(order_rows(err, m, part));
    for (int32_t row = parts->row[part]; row < parts->row[part + 1]; row++) position_row(m, row, local);
  }
  return WISP_OK;
}

static wisp_status make_positions(wisp_error *err, making *m)
{
  const wisp_pattern *p = m->s->pattern;
  double count = 0;
  for (size_t row = 0; row < p->rows; row++) count += work_of(p, (int32_t)row);
  CALL(wisp_require(err, width_of(m->s) <= WISP_NO_POSITION && m->most <= UINT16_MAX && count <= INT32_MAX - 16,
                    WISP_EREFUSED, "parts of %zu elements of %zu numbers, %g places: places of a byte have no room",
                    m->most, width_of(m->s), count));
  wisp_partition *parts = m->parts;
  CALL(wisp_new(err, p->rows, sizeof *parts->row_order, &parts->row_order));
  CALL(wisp_new(err, p->incidences, sizeof *parts->local, &parts->local));
  CALL(wisp_new(err, p->rows + 1, sizeof *parts->position_start, &parts->position_start));
  for (size_t row = 0; row < p->rows; row++)
    parts->position_start[row + 1] = parts->position_start[row] + (int32_t)work_of(p, (int32_t)row);
  parts->positions = ((size_t)count + 15) / 16 * 16; /* whole vectors */
  CALL(wisp_new(err, parts->positions, sizeof *parts->position, &parts->position));
  return wisp_parallel(err, m->parts->parts, position_parts, m);
}

/* --- all --- */

static wisp_status make_codes(wisp_error *err, making *m)
{
  wisp_partition *parts = m->parts;
  CALL(wisp_require(err, (m->most + 1) * width_of(m->s) <= WISP_CODE_MORE, WISP_EREFUSED,
                    "parts of %zu elements of %zu numbers: codes of 16 bits have no room", m->most, width_of(m->s)));
  OWNED(free) int32_t *codes = NULL;
  CALL(wisp_new(err, parts->parts + 1, sizeof *codes, &codes));
  m->codes = codes;
  wisp_parallel_for(parts->parts, count_codes, m);
  for (size_t part = 0; part < parts->parts; part++) codes[part + 1] += codes[part];
  parts->codes = (size_t)codes[parts->parts];
  CALL(wisp_new(err, parts->groups + 1, sizeof *parts->code_start, &parts->code_start));
  CALL(wisp_new(err, parts->codes, sizeof *parts->code, &parts->code));
  parts->code_start[parts->groups] = (int32_t)parts->codes;
  return wisp_parallel(err, parts->parts, code_parts, m);
}

wisp_status wisp_partition_create(wisp_error *err, const wisp_assembly *s, size_t most, wisp_partition_lists lists,
                                  wisp_partition **out)
{
  OWNED(wisp_partition_destroy) wisp_partition *parts = NULL;
  OWNED(free) int32_t *part_of = NULL;
  const size_t rows = s->pattern->rows;
  CALL(wisp_new(err, 1, sizeof *parts, &parts));
  CALL(wisp_new(err, s->mesh->elements, sizeof *part_of, &part_of));
  making m = {.s = s, .parts = parts, .most = most, .part_of = part_of};
  CALL(wisp_new(err, rows + 1, sizeof *parts->row, &parts->row));
  CALL(wisp_new(err, rows + 1, sizeof *parts->element_start, &parts->element_start));
  CALL(wisp_new(err, rows + 1, sizeof *parts->group_start, &parts->group_start));
  CALL(wisp_new(err, s->pattern->incidences, sizeof *parts->element, &parts->element));
  CALL(cut_rows(err, &m));
  if (lists == WISP_PARTITION_POSITIONS) CALL(make_positions(err, &m));
  if (lists == WISP_PARTITION_CODES) CALL(make_codes(err, &m));
  return GIVE(parts, out);
}

void wisp_partition_destroy(wisp_partition *parts)
{
  if (!parts) return;
  WISP_FREE(parts->row, parts->element_start, parts->group_start, parts->element, parts->code_start, parts->code,
            parts->row_order, parts->local, parts->position_start, parts->position, parts);
}

/* --- of a discretisation --- */

static wisp_status make(wisp_error *err, wisp_assembly *view, const wisp_fixed *fixed, wisp_index_list *list)
{
  const int lanes = wisp_fixed_value(fixed, "list_lanes", 0), offsets = wisp_fixed_value(fixed, "byte_offsets", 0);
  const wisp_partition_lists lists = lanes     ? WISP_PARTITION_ALONE
                                     : offsets ? WISP_PARTITION_POSITIONS
                                               : WISP_PARTITION_CODES;
  CALL(wisp_partition_create(err, view, (size_t)wisp_fixed_value(fixed, "max_elements", 0), lists, &view->partition));
  const wisp_partition *parts = view->partition;
  *list = (wisp_index_list){.count = {{"parts", parts->parts}, {"part_element_count", parts->elements}},
                            .array = {{"part_row", parts->row, NULL},
                                      {"part_elements", parts->element, NULL},
                                      {"part_element_start", parts->element_start, NULL},
                                      {"part_group_start", parts->group_start, NULL},
                                      {"code_start", parts->code_start, NULL},
                                      {"codes", parts->code, NULL},
                                      {"row_order", parts->row_order, NULL},
                                      {"around_local", parts->local, NULL},
                                      {"place_start", parts->position_start, NULL},
                                      {"places", NULL, parts->position}},
                            .shared = true};
  const wisp_count codes[] = {{"group_count", parts->groups}, {"codes_count", parts->codes}};
  const wisp_count position_counts[] = {{"ordered_rows", view->pattern->rows},
                                        {"local_count", view->pattern->incidences},
                                        {"place_count", parts->positions}};
  if (parts->code) memcpy(list->count + 2, codes, sizeof codes);
  if (parts->position) memcpy(list->count + 2, position_counts, sizeof position_counts);
  return WISP_OK;
}

const wisp_list_kind wisp_list_partition = {.param = "max_elements", .make = make};
