/* Unknowns of continuous elements and their copies: numbered so that kernels read few indices. */
#include "hexmesh.h"

#include <stdlib.h>

/* Those within the elements first, element by element; then the others, as their nodes come. */
static void number_unknowns(const wisp_hexnodes *nodes, bool inside_only, wisp_hexcopies *copies)
{
  const size_t Nq = (size_t)nodes->Nq, Np = Nq * Nq * Nq;
  int32_t count = 0;
  for (size_t g = 0; g < nodes->nodes; g++) copies->unknown[g] = -1;
  for (size_t e = 0; e < nodes->elements; e++)
    for (size_t k = 1; k + 1 < Nq; k++)
      for (size_t j = 1; j + 1 < Nq; j++)
        for (size_t i = 1; i + 1 < Nq; i++) copies->unknown[nodes->global[e * Np + (k * Nq + j) * Nq + i]] = count++;
  copies->within = (size_t)count;
  for (size_t g = 0; g < nodes->nodes; g++)
    if (copies->unknown[g] < 0 && !(inside_only && nodes->outside[g])) copies->unknown[g] = count++;
  copies->unknowns = (size_t)count;
}

/* start[g + 2] counts the copies of g first; summed up, start[g + 1] is where the next copy of g goes; at the end it is
 * where those of g + 1 begin. */
static void list_copies(const wisp_hexnodes *nodes, wisp_hexcopies *copies)
{
  const size_t Nq = (size_t)nodes->Nq, locals = nodes->elements * Nq * Nq * Nq;
  int32_t *start = copies->start;
  for (size_t l = 0; l < locals; l++) {
    int32_t g = copies->unknown[nodes->global[l]];
    if (g >= 0) start[g + 2]++;
  }
  for (size_t g = 2; g < copies->unknowns + 2; g++) start[g] += start[g - 1];
  for (size_t l = 0; l < locals; l++) {
    int32_t g = copies->unknown[nodes->global[l]];
    if (g >= 0) copies->copy[start[g + 1]++] = (int32_t)l;
  }
  copies->copies = (size_t)start[copies->unknowns];
}

/* The other form of the shared unknowns' lists; more may be NULL, to count what it must hold. */
static size_t list_shared(wisp_hexcopies *c, int32_t *more)
{
  size_t end = 1;
  for (size_t g = c->within; g < c->unknowns; g++) {
    const int32_t *copy = c->copy + c->start[g], others = c->start[g + 1] - c->start[g] - 1;
    c->one[g - c->within] = copy[0];
    c->two[g - c->within] = others == 0 ? -1 : others == 1 ? copy[1] : -1 - (int32_t)end;
    if (others < 2) continue;
    for (int32_t i = 0; more && i <= others; i++) more[end + (size_t)i] = i ? copy[i] : others;
    end += (size_t)others + 1;
  }
  return end;
}

/* The unknowns of the nodes on the elements' surfaces. */
static void list_surfaces(const wisp_hexnodes *nodes, const int32_t *unknown, int32_t *surface)
{
  const size_t Nq = (size_t)nodes->Nq, last = Nq - 1;
  const int32_t *global = nodes->global;
  for (size_t e = 0; e < nodes->elements; e++)
    for (size_t k = 0; k < Nq; k++)
      for (size_t j = 0; j < Nq; j++, global += Nq) {
        const bool inside = k && k < last && j && j < last;
        for (size_t i = 0; i < Nq; i += inside && last ? last : 1) *surface++ = unknown[global[i]];
      }
}

wisp_status wisp_hexcopies_create(wisp_error *err, const wisp_hexnodes *nodes, bool inside_only, wisp_hexcopies **out)
{
  wisp_status status = WISP_OK;
  wisp_hexcopies *copies = NULL;
  const size_t Nq = (size_t)nodes->Nq;
  TRY(wisp_new(err, 1, sizeof *copies, &copies));
  TRY(wisp_new(err, nodes->nodes, sizeof *copies->unknown, &copies->unknown));
  number_unknowns(nodes, inside_only, copies);
  TRY(wisp_new(err, copies->unknowns + 2, sizeof *copies->start, &copies->start));
  TRY(wisp_new(err, nodes->elements * Nq * Nq * Nq, sizeof *copies->copy, &copies->copy));
  list_copies(nodes, copies);
  TRY(wisp_new(err, copies->unknowns - copies->within, sizeof *copies->one, &copies->one));
  TRY(wisp_new(err, copies->unknowns - copies->within, sizeof *copies->two, &copies->two));
  copies->more_count = list_shared(copies, NULL);
  TRY(wisp_new(err, copies->more_count, sizeof *copies->more, &copies->more));
  list_shared(copies, copies->more);
  copies->surfaces = nodes->elements * (Nq * Nq * Nq - (Nq - 2) * (Nq - 2) * (Nq - 2));
  TRY(wisp_new(err, copies->surfaces, sizeof *copies->surface, &copies->surface));
  list_surfaces(nodes, copies->unknown, copies->surface);
  *out = copies;
  copies = NULL;
done:
  wisp_hexcopies_destroy(copies);
  return status;
}

void wisp_hexcopies_destroy(wisp_hexcopies *copies)
{
  if (!copies) return;
  free(copies->unknown);
  free(copies->start);
  free(copies->copy);
  free(copies->one);
  free(copies->two);
  free(copies->more);
  free(copies->surface);
  free(copies);
}
