/* Rows in parts whose elements' data fit the shared memory of a block (paper 2, section 4.3), and for each number of
 * the matrix and of F the places there that it is added up from.
 *
 * A part's targets are its rows' nonzeros, then their numbers of F. 32 targets are a group, whose codes stand layer by
 * layer: the first source of each target, then the second of those that have one, and so on. A code is number x (most +
 * 1) + element, counted in the element's upper half with its load and within the part: its place in shared memory;
 * WISP_CODE_MORE is added where another layer follows. */
#pragma once

#include "assembly.h"

enum { WISP_CODE_MORE = 32768 };

/* In place of codes, positions: for each element around a row, and each of the row's numbers and its F, which number of
 * the element it is. Row r's are from position_start[r] on, (values + 1) for each of the elements around it. */
enum { WISP_NO_POSITION = 255 };

typedef struct wisp_partition {
  size_t parts, elements, groups, codes;      /* elements: with those that several parts have */
  int32_t *row, *element_start, *group_start; /* parts + 1 each */
  int32_t *element;                           /* of the mesh */
  int32_t *code_start;                        /* groups + 1: where its codes begin */
  int32_t *code;
  size_t positions;
  int32_t *row_order;      /* the rows of each part, those with most work first */
  int32_t *local;          /* of each element around a row its number within the row's part */
  int32_t *position_start; /* rows + 1 */
  unsigned char *position;
} wisp_partition;

typedef enum wisp_partition_lists {
  WISP_PARTITION_CODES,
  WISP_PARTITION_POSITIONS,
  WISP_PARTITION_ALONE
} wisp_partition_lists;

/* Parts of rows that follow one another, of `most` elements at most each, with codes, positions or neither.
 * WISP_EREFUSED where a row has more elements around it, or 16 bits or 8 have no room. */
wisp_status wisp_partition_create(wisp_error *err, const wisp_assembly *assembly, size_t most,
                                  wisp_partition_lists lists, wisp_partition **out);
void wisp_partition_destroy(wisp_partition *parts);
WISP_OWNED(wisp_partition, wisp_partition_destroy)

/* Numbers the elements of a part: local[number in the mesh] is the number in the part. */
void wisp_partition_number(const wisp_partition *parts, size_t part, int32_t *local);

/* A source of a target of a part; its code is not bounded to 16 bits here. */
typedef struct wisp_partition_source {
  int32_t target, code;
} wisp_partition_source;

/* Lists the numbers that a part's rows are added up from, elements ascending in each row. Returns how many. local: of
 * each element its number in the part. NULL: they are only counted. */
size_t wisp_partition_sources(const wisp_assembly *assembly, const wisp_partition *parts, size_t most, size_t part,
                              const int32_t *local, wisp_partition_source *out);
