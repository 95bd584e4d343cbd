/* Rows by entity: all nodes inside one vertex, edge, face or element have the same elements around them, and so the
 * same columns. Each of these elements is seen with the entity's corners first, in an order that all of them share
 * (gen/assembly/turns.h), so that the rows of its matrix that are wanted are the same for all entities of a dimension.
 *
 * Entities of one dimension go in groups. A group's words are WISP_ENTITY_HEAD: dimension k, entities, most elements
 * around one, words of a line, pitch of sums; then lines, a word an entity: rows; corners, by rising
 * vertices; for each element around it the other corners, the first -1 where it has no more elements, and the slots of
 * the element's nodes in the rows, several a word, of fixed nodes the longest row; and at the end for each element
 * its number times the turns there are, plus its turn.
 *
 * Stars, of order 1, hold vertices once a row: head as above, but that most vertices around a row come in place of the
 * dimension; then lines of rows; vertices around each, plus 65536 times its own slot; those vertices, slot by slot,
 * fixed ones behind the columns; for each element the slots of its other corners, a byte each, -1 where there is none;
 * and its number and turn. */
#ifndef WISP_ASSEMBLY_ENTITIES_H
#define WISP_ASSEMBLY_ENTITIES_H

#include "turned.h"

enum { WISP_ENTITY_HEAD = 8 };

/* Groups of `many` entities at most, whose sums have room for (longest row + 1) times the entities, rounded up to an
 * odd number; of stars for a sum and coordinates of each vertex. WISP_EREFUSED where one entity alone has none, or a
 * row is longer than its slots can count. The assembly is borrowed for the call. */
wisp_status wisp_entities_create(wisp_error *err, const wisp_assembly *assembly, size_t many, size_t sums, bool stars,
                                 wisp_words **out);

#endif
