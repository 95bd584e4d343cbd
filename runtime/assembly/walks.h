/* Paper 2's scatter and reduction arrays for parts of rows (parts.h): lists of words, packed for the threads of a block
 * (section 4.2.3, LPT).
 *
 * A word over 0 is a source and one more, one below 0 a target, less one, with its sign turned; 0 fills up. A scatter
 * list is a source, 2 x vertex or 2 x node + 1, then its targets, number i x (most + 1) + element for corner or node i
 * of the part's elements; a reduction list is the sources of a target (codes of parts.h, of all 31 bits), then the
 * target. The lists of a part, longest first, go each to the row that has least so far; thread t walks down row t,
 * whose words are `walkers` apart. */
#ifndef WISP_ASSEMBLY_WALKS_H
#define WISP_ASSEMBLY_WALKS_H

#include "parts.h"

typedef struct wisp_packed {
  size_t words;
  int32_t *start; /* parts + 1: where the words of each begin */
  int32_t *word;
} wisp_packed;

typedef struct wisp_walks {
  size_t starts; /* parts + 1 */
  wisp_packed scatter, reduction;
} wisp_walks;

/* For parts of `most` elements, as they were made with. WISP_EREFUSED where there are more words than 31 bits count.
 * The assembly and its parts are borrowed for the call. */
wisp_status wisp_walks_create(wisp_error *err, const wisp_assembly *assembly, const wisp_parts *parts, size_t most,
                              size_t walkers, wisp_walks **out);
void wisp_walks_destroy(wisp_walks *walks);
WISP_OWNED(wisp_walks, wisp_walks_destroy)

#endif
