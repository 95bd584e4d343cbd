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

/* The same turned round: for each element around a row, and each of the row's numbers and its F, which number of the
 * element it is. Row r's are from start[r] on, (values + 1) for each of the elements around it. */
enum { WISP_NO_PLACE = 255 };

typedef struct wisp_places {
  size_t count;
  int32_t *order; /* the rows of each part, those with most work first */
  int32_t *local; /* of each element around a row its number within the row's part */
  int32_t *start; /* rows + 1 */
  unsigned char *place;
} wisp_places;

typedef struct wisp_parts {
  size_t parts, elements, groups, codes;      /* elements: with those that several parts have */
  int32_t *row, *element_start, *group_start; /* parts + 1 each */
  int32_t *element;                           /* of the mesh */
  int32_t *code_start;                        /* groups + 1: where its codes begin */
  int32_t *code;
  wisp_places *places; /* in place of groups and codes */
} wisp_parts;

typedef enum wisp_parts_lists { WISP_PARTS_CODES, WISP_PARTS_PLACES, WISP_PARTS_ALONE } wisp_parts_lists;

/* Parts of rows that follow one another, of `most` elements at most each, with codes, places or neither. WISP_EREFUSED
 * where a row has more elements around it, or 16 bits or 8 have no room. The assembly is borrowed for the call. */
wisp_status wisp_parts_create(wisp_error *err, const wisp_assembly *assembly, size_t most, wisp_parts_lists lists,
                              wisp_parts **out);
void wisp_parts_destroy(wisp_parts *parts);
WISP_OWNED(wisp_parts, wisp_parts_destroy)

/* A source of a target of a part; its code is not bounded to 16 bits here. */
typedef struct wisp_part_source {
  int32_t target, code;
} wisp_part_source;

/* What the rows of a part are added up from, elements ascending in each row; how many. local: of each element its
 * number in the part. NULL: they are only counted. */
size_t wisp_parts_sources(const wisp_assembly *assembly, const wisp_parts *parts, size_t most, size_t part,
                          const int32_t *local, wisp_part_source *out);

#endif
