/* Entities of a mesh that rows of a matrix are inside of: vertices, edges, faces, elements. All nodes inside one have
 * the same elements around them. Each of these elements is seen with the entity's corners first, in an order that all
 * of them share (gen/assembly/simplex.h). So the same rows of its matrix are wanted for all entities of a
 * dimension. */
#pragma once

#include "../../gen/assembly/simplex.h"
#include "list_kind.h"

/* Its dimension, elements around it, and its first row. */
typedef struct wisp_entity {
  int32_t dimension, around, row;
} wisp_entity;

typedef struct wisp_entity_tables {
  const wisp_assembly *s;
  int step[WISP_SIMPLEX_MAX_NP][4];
  int inside[WISP_SIMPLEX_MAX_NP], first[5]; /* wisp_orientation_inside */
  int node[WISP_ORIENTATIONS_MOST][WISP_SIMPLEX_MAX_NP];
  wisp_entity *entity; /* all that have rows; those of one window stand together, sorted by a comparison of two */
  size_t count;
} wisp_entity_tables;

enum { WISP_ENTITY_WINDOW = 4096 };

/* The assembly is borrowed. WISP_EREFUSED where elements times orientations are more than 31 bits count. */
wisp_status wisp_entity_tables_make(wisp_error *err, const wisp_assembly *assembly,
                                    int (*by)(const void *, const void *), wisp_entity_tables *out);
void wisp_entity_tables_free(wisp_entity_tables *tables);
static inline bool wisp_entity_same_window(const wisp_entity *a, const wisp_entity *b)
{
  return a->dimension == b->dimension && a->row / WISP_ENTITY_WINDOW == b->row / WISP_ENTITY_WINDOW;
}

/* Element number j around an entity, and its corners as wisp_entity_corners orders them. */
size_t wisp_entity_element(const wisp_entity_tables *tables, const wisp_entity *entity, size_t j, int corner[4]);

/* The number of an element times the orientations there are, plus the one that these corners have. */
int32_t wisp_entity_oriented(const wisp_entity_tables *tables, size_t e, const int corner[4]);

/* Row i of an entity of some dimension, by an element in the orientation that belongs to it. */
int32_t wisp_entity_row(const wisp_entity_tables *tables, size_t e, int orientation, int dimension, int i);

/* Room for the 32-bit numbers of a list's groups, its second array: start[i + 1] of its first array is how many group
 * i takes, and becomes where they end. Sets both counts. WISP_EREFUSED where they are more than 31 bits count. */
wisp_status wisp_list_allocate_groups(wisp_error *err, size_t groups, wisp_index_list *list);
