/* Entities of a mesh that rows of a matrix are inside of: vertices, edges, faces, elements. All nodes inside one have
 * the same elements around them; each of these is seen with the entity's corners first, in an order that all of them
 * share (gen/assembly/orientations.h), so that the rows of its matrix that are wanted are the same for all entities of
 * a dimension.
 */
#ifndef WISP_ASSEMBLY_TURNED_H
#define WISP_ASSEMBLY_TURNED_H

#include "assembly.h"
#include "../../gen/assembly/orientations.h"

/* Its dimension, elements around it, and its first row. */
typedef struct wisp_entity {
  int32_t dimension, around, row;
} wisp_entity;

typedef struct wisp_turned {
  const wisp_assembly *s;
  int step[WISP_SIMPLEX_MAX_NP][4];
  int inside[WISP_SIMPLEX_MAX_NP], first[5]; /* wisp_orientation_inside */
  int node[WISP_ORIENTATIONS_MOST][WISP_SIMPLEX_MAX_NP];
} wisp_turned;

/* The assembly is borrowed. */
void wisp_turned_begin(const wisp_assembly *assembly, wisp_turned *out);

/* WISP_EREFUSED where elements times turns are more than 31 bits count. */
wisp_status wisp_turned_check(wisp_error *err, const wisp_assembly *assembly);

/* The corners of element e that node a is inside of, by rising vertices, then the others; the dimension of what it is
 * inside of. */
int wisp_turned_corners(const wisp_turned *turned, size_t e, int a, int corner[4]);

/* Row i of an entity of some dimension, by an element that is turned to it. */
int32_t wisp_turned_row(const wisp_turned *turned, size_t e, int turn, int dimension, int i);

/* What a row is inside of; whether it is the lowest of those, by which the entity is known. */
bool wisp_turned_entity(const wisp_turned *turned, int32_t row, wisp_entity *out);

/* What a kernel reads of its groups of entities (entities.c, gathers.c): 32-bit words, a group behind the other. */
typedef struct wisp_words {
  size_t groups, words;
  int32_t *start; /* groups + 1 */
  int32_t *word;
} wisp_words;

/* start[i + 1] is how many words group i takes: becomes where they end, and room is made for all. WISP_EREFUSED where
 * they are more than 31 bits count. */
wisp_status wisp_words_lay(wisp_error *err, size_t groups, wisp_words *made);
void wisp_words_destroy(wisp_words *words);
WISP_OWNED(wisp_words, wisp_words_destroy)

#endif
