/* Rows by entity (turned.h), whose elements' products are all made first and then gathered, column by column.
 *
 * Entities of one dimension go in groups. An item is an element around an entity; its products are Np numbers for each
 * of the entity's rows, and a product's place is item * Np + node, by row. Of a column the first product stands for
 * all: the others are added to it, which is a fold.
 *
 * A group's words are WISP_GATHER_HEAD: dimension k, plus 4 where a vertex of an item is fixed, entities, items, words
 * of a line of items, words of a line of entities, words before the sources, layers of folds, words before the folds;
 * then lines, a word an item: corners, those of the entity first, by rising vertices; and its element's number times
 * the turns there are, plus its turn; lines, a word an entity and one more: its first item; its first source; its rows.
 * Then sources, of 16 bits, entity by entity, column by column: the place of its first product. Then folds: how many
 * columns have another product, how many a third, and so on; of 16 bits each the places of these columns, and then
 * layer by layer of their products, each list to the next full word. */
#ifndef WISP_ASSEMBLY_GATHERS_H
#define WISP_ASSEMBLY_GATHERS_H

#include "turned.h"

enum { WISP_GATHER_HEAD = 8 };

/* Groups of `items` at most, with room for `products`, of items rounded up to whole fours. WISP_EREFUSED where one
 * entity alone has more. The assembly is borrowed for the call. */
wisp_status wisp_gathers_create(wisp_error *err, const wisp_assembly *assembly, size_t items, size_t products,
                                wisp_words **out);

#endif
