/* Numbers of elements, of edges or the like, in slabs of 32: number i of `width` of element e is at WISP_SLAB(width, e,
 * i), beside the same number of its neighbours. */
#pragma once

enum { WISP_SLAB_ELEMENTS = 32 };
#define WISP_SLAB(width, e, i) \
  (((e) / WISP_SLAB_ELEMENTS * (width) + (i)) * WISP_SLAB_ELEMENTS + (e) % WISP_SLAB_ELEMENTS)

/* Rounded up to whole slabs. */
#define WISP_SLAB_SLOTS(count) (((count) + WISP_SLAB_ELEMENTS - 1) / WISP_SLAB_ELEMENTS * WISP_SLAB_ELEMENTS)
