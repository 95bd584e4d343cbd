#include "assembly.h"

/* --- entries --- */

size_t wisp_assembly_value_count(const wisp_assembly *s)
{
  return s->slices ? s->slices->size : s->pattern->nonzeros;
}

int32_t wisp_assembly_value_at(const wisp_assembly *s, int32_t row, int32_t slot)
{
  return s->slices ? wisp_slices_position(s->slices, row, slot) : s->pattern->start[row] + slot;
}

int32_t wisp_assembly_entry(const wisp_assembly *s, size_t e, int a, int b)
{
  const int32_t row = wisp_assembly_node(s, e, a), column = wisp_assembly_node(s, e, b);
  if (!wisp_assembly_is_unknown(s, row) || !wisp_assembly_is_unknown(s, column)) return -1;
  return wisp_assembly_value_at(s, row, wisp_pattern_slot(s->pattern, row, column));
}

void wisp_assembly_open_row(const wisp_assembly *s, size_t e, int a, int32_t *slot)
{
  const int32_t row = wisp_assembly_node(s, e, a);
  if (wisp_assembly_is_unknown(s, row)) wisp_pattern_open_row(s->pattern, row, slot);
}

int32_t wisp_assembly_entry_in(const wisp_assembly *s, size_t e, int a, int b, const int32_t *slot)
{
  const int32_t row = wisp_assembly_node(s, e, a), column = wisp_assembly_node(s, e, b);
  if (!wisp_assembly_is_unknown(s, row) || !wisp_assembly_is_unknown(s, column)) return -1;
  return wisp_assembly_value_at(s, row, slot[column]);
}

int32_t wisp_assembly_load(const wisp_assembly *s, size_t e, int a)
{
  const int32_t row = wisp_assembly_node(s, e, a);
  return wisp_assembly_is_unknown(s, row) ? (int32_t)wisp_assembly_value_count(s) + row : -1;
}

size_t wisp_assembly_half(const wisp_assembly *s)
{
  return (size_t)(s->nodes->Np * (s->nodes->Np + 1) / 2);
}

size_t wisp_assembly_width(const wisp_assembly *s)
{
  const size_t Np = (size_t)s->nodes->Np;
  return Np + (s->full ? Np * Np : wisp_assembly_half(s));
}

size_t wisp_assembly_number(const wisp_assembly *s, int a, int b, bool full)
{
  const int Np = s->nodes->Np, low = a < b ? a : b, high = a < b ? b : a;
  return (size_t)(full ? a * Np + b : low * Np - low * (low - 1) / 2 + high - low);
}

size_t wisp_assembly_kappas(const wisp_assembly *s)
{
  return s->form->kappa == WISP_BY_MATRIX ? (size_t)s->simplex->directions : 1;
}

/* Greedily, in the elements' order. */
static wisp_status colour_elements(wisp_error *err, wisp_assembly *s)
{
  OWNED(free) uint64_t *seen = NULL;
  OWNED(free) unsigned char *colour = NULL;
  const size_t elements = s->mesh->elements;
  CALL(wisp_new(err, s->mesh->vertices, sizeof *seen, &seen));
  CALL(wisp_new(err, elements, 1, &colour));
  CALL(wisp_new(err, elements, sizeof *s->coloured, &s->coloured));
  for (size_t e = 0; e < elements; e++) {
    const int32_t *vertex = s->mesh->cell + (size_t)s->mesh->corners * e;
    uint64_t taken = 0;
    for (int i = 0; i < s->mesh->corners; i++) taken |= seen[vertex[i]];
    const size_t here = wisp_free_colour(taken);
    if (here == WISP_MOST_COLOURS) return s->colours = 0, WISP_OK;
    for (int i = 0; i < s->mesh->corners; i++) seen[vertex[i]] |= (uint64_t)1 << here;
    colour[e] = (unsigned char)here;
    s->colour[here].count++;
    if (here >= s->colours) s->colours = here + 1;
  }
  size_t next[WISP_MOST_COLOURS] = {0};
  for (size_t c = 1; c < s->colours; c++)
    s->colour[c].first = next[c] = s->colour[c - 1].first + s->colour[c - 1].count;
  for (size_t e = 0; e < elements; e++) s->coloured[next[colour[e]]++] = (int32_t)e;
  return WISP_OK;
}

wisp_status wisp_assembly_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                                 const wisp_fixing *fixed, wisp_assembly **out)
{
  OWNED(wisp_assembly_destroy) wisp_assembly *s = NULL;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  s->mesh = mesh;
  s->frame = wisp_frame_none;
  CALL(wisp_simplex_create(err, wisp_mesh_dimension(mesh), order, &s->simplex));
  CALL(wisp_simplexnodes_create(err, name, mesh, order, fixed, &s->nodes));
  CALL(wisp_simplexnodes_create(err, name, mesh, 1, fixed, &s->corners));
  CALL(wisp_pattern_create(err, name, s->nodes, &s->pattern));
  double count = 0;
  for (size_t e = 0; e < s->nodes->elements; e++) {
    double unknowns = 0;
    for (int a = 0; a < s->nodes->Np; a++) unknowns += wisp_assembly_is_unknown(s, wisp_assembly_node(s, e, a));
    count += unknowns * (unknowns + 1);
  }
  CALL(wisp_require(err, count <= INT32_MAX && (double)s->pattern->nonzeros + (double)s->pattern->rows <= INT32_MAX,
                    WISP_EUSAGE,
                    "%s: %zu elements of order %d make %.4g contributions to the matrix, more than kernels can count "
                    "(2.1e9): take fewer elements or a lower order",
                    name, mesh->elements, order, count));
  s->contributions = (size_t)count;
  CALL(colour_elements(err, s));
  return GIVE(s, out);
}

void wisp_assembly_destroy(wisp_assembly *s)
{
  if (!s) return;
  wisp_simplex_destroy(s->simplex);
  wisp_simplexnodes_destroy(s->nodes);
  wisp_simplexnodes_destroy(s->corners);
  wisp_pattern_destroy(s->pattern);
  wisp_form_destroy(s->form);
  WISP_FREE(s->coloured, s);
}
