/* Rows in parts whose elements' data fit the shared memory of a block (paper 2, section 4.3), and for each number of
 * the matrix and of F the places there that it is added up from.
 *
 * A part's targets are its rows' nonzeros, then their numbers of F. 32 targets are a group, whose codes stand layer by
 * layer: the first source of each target, then the second of those that have one, and so on. A code is number x (most +
 * 1) + element, counted in the element's upper half with its load and within the part: its place in shared memory;
 * WISP_CODE_MORE is added where another layer follows. */
#ifndef WISP_ASSEMBLY_PARTS_H
#define WISP_ASSEMBLY_PARTS_H

#include "assembly.h"

enum { WISP_CODE_MORE = 32768 };

typedef struct wisp_parts {
  size_t parts, elements, groups, codes;      /* elements: with those that several parts have */
  int32_t *row, *element_start, *group_start; /* parts + 1 each */
  int32_t *element;                           /* of the mesh */
  int32_t *code_start;                        /* groups + 1: where its codes begin */
  int32_t *code;
} wisp_parts;

/* Parts of rows that follow one another, of `most` elements at most each. WISP_EREFUSED where a row has more elements
 * around it, or codes have no room for so many. The assembly is borrowed for the call. */
wisp_status wisp_parts_create(wisp_error *err, const wisp_assembly *assembly, size_t most, wisp_parts **out);
void wisp_parts_destroy(wisp_parts *parts);
WISP_OWNED(wisp_parts, wisp_parts_destroy)

#endif
