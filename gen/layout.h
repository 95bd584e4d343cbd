/* The places of an element-wise field's numbers in memory, an explicit part of every kernel that touches it.
 *
 * Elements (slots) form groups of KM. A group holds, field after field, NpM numbers: its KM x Np volume DOFs and
 * padding:
 *
 *     volume address of (field f, slot k, node i) = ((k / KM) * n + f) * NpM + offset
 *     node fastest    (microblocked or padded):  offset = (k % KM) * Np + i
 *     element fastest (slabs):                   offset = i * KM + k % KM
 *
 * Face fields have 4 Nfp and NfM for Np and NpM. Per-element data (C numbers) are element fastest within the group in
 * both kinds: ((k / KM) * C + c) * KM + k % KM.
 */
#pragma once

#include "check.h"

enum { WISP_LAYOUT_TEXT = 32 };

typedef enum wisp_order { WISP_NODE_FASTEST, WISP_ELEMENT_FASTEST, WISP_NO_LAYOUT } wisp_order;

typedef struct wisp_layout {
  wisp_order order;
  int Np, Nf;       /* volume and face DOFs of one element */
  int KM, NpM, NfM; /* elements in a group; padded volume and face DOFs of a group */
} wisp_layout;

/* Padded: one element a group, rounded up to a multiple of granule (paper 0: T/2 = 16). */
wisp_layout wisp_layout_padded(int Np, int Nf, int granule);
/* Microblocked (paper 0, section 4): the smallest KM with less than 5 % waste at a multiple of granule. */
wisp_layout wisp_layout_microblocked(int Np, int Nf, int granule);
/* Element fastest, KM elements a slab, no padding. */
wisp_layout wisp_layout_slab(int Np, int Nf, int KM);

/* For a family without layouts: an element is one number. */
wisp_layout wisp_layout_none(void);

/* Every layout that the tuner tries for these sizes, no two alike; count <= 8. */
int wisp_layouts(int Np, int Nf, wisp_layout out[8]);

/* "node-km4-pad144", "slab-km32", "none". */
void wisp_layout_print(const wisp_layout *layout, char text[WISP_LAYOUT_TEXT]);
wisp_status wisp_layout_parse(wisp_error *err, const char *text, int Np, int Nf, wisp_layout *out);

static inline size_t wisp_layout_groups(const wisp_layout *l, size_t slots)
{
  return (slots + (size_t)l->KM - 1) / (size_t)l->KM;
}

static inline size_t wisp_layout_in_group(const wisp_layout *l, int Ndof, size_t k, size_t i)
{
  size_t e = k % (size_t)l->KM;
  return l->order == WISP_NODE_FASTEST ? e * (size_t)Ndof + i : i * (size_t)l->KM + e;
}

/* Addresses, in numbers, of n fields' DOFs. */
static inline size_t wisp_layout_volume(const wisp_layout *l, int n, int f, size_t k, size_t i)
{
  return (k / (size_t)l->KM * (size_t)n + (size_t)f) * (size_t)l->NpM + wisp_layout_in_group(l, l->Np, k, i);
}

static inline size_t wisp_layout_face(const wisp_layout *l, int n, int f, size_t k, size_t i)
{
  return (k / (size_t)l->KM * (size_t)n + (size_t)f) * (size_t)l->NfM + wisp_layout_in_group(l, l->Nf, k, i);
}

static inline size_t wisp_layout_element(const wisp_layout *l, int C, int c, size_t k)
{
  return (k / (size_t)l->KM * (size_t)C + (size_t)c) * (size_t)l->KM + k % (size_t)l->KM;
}

/* Numbers of elements, of edges or the like, in slabs of 32: number i of `width` of element e is at WISP_SLAB(width, e,
 * i), beside the same number of its neighbours. */
enum { WISP_SLAB_ELEMENTS = 32 };
#define WISP_SLAB(width, e, i) \
  (((e) / WISP_SLAB_ELEMENTS * (width) + (i)) * WISP_SLAB_ELEMENTS + (e) % WISP_SLAB_ELEMENTS)

/* Rounded up to whole slabs. */
#define WISP_SLAB_SLOTS(count) (((count) + WISP_SLAB_ELEMENTS - 1) / WISP_SLAB_ELEMENTS * WISP_SLAB_ELEMENTS)
