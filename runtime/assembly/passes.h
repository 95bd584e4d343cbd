/* Elements that a block takes together, and how they come upon numbers that they share. A group's words are
 * WISP_PASSES_HEAD: first row and row behind the last (of parts), passes, elements M; then
 *
 * parts: rows that follow one another, with sums for all their numbers; M elements around them in passes of which no
 * two elements share a row of the part. passes + 1 numbers of where each begins, the elements, and, two a word and
 *     number by number, the place of entry a Np + b, or of load Np Np + a, among the part's numbers: its values, then
 *     its F; 65535: none.
 * blocks: of elements that follow one another, likewise in passes, of which no two share a vertex, without places.
 * Blocks of one colour, which share no vertex either, are neighbours in the list. fetched: likewise, with vertices,
 * passes of them, in place of passes: the vertices, then each element's corners among them, two a word and number by
 * number. */
#ifndef WISP_ASSEMBLY_PASSES_H
#define WISP_ASSEMBLY_PASSES_H

#include "turned.h"

enum { WISP_PASSES_HEAD = 4, WISP_NO_SUM = 65535 };

typedef enum wisp_passes_kind { WISP_PASSES_PARTS = 1, WISP_PASSES_BLOCKS, WISP_PASSES_FETCHED } wisp_passes_kind;

/* batch: numbers of a part, elements of a block. colours and colour: of blocks, how many, and which groups each has.
 * WISP_EREFUSED where a row has more numbers, or elements meet in more than 64 colours. The assembly is borrowed for
 * the call. */
wisp_status wisp_passes_create(wisp_error *err, const wisp_assembly *assembly, wisp_passes_kind kind, size_t batch,
                               size_t *colours, wisp_span colour[WISP_MOST_COLOURS], wisp_words **out);

/* WISP_EWRONG where two that add at once have a number in common, or not every element stands in a block. colour: as
 * above. */
wisp_status wisp_passes_check(wisp_error *err, const wisp_assembly *assembly, const wisp_words *passes,
                              wisp_passes_kind kind, size_t colours, const wisp_span *colour);

#endif
