/* An element with its corners in another order, in which the inside of some corners looks alike in all elements. */
#pragma once

#include "simplex.h"

enum { WISP_ORIENTATIONS_MOST = 24 };

int wisp_orientations(int dimension); /* orders of the corners: 6, 24 */
/* The number of an order, from which of the element's corners is where. */
int wisp_orientation_number(int dimension, const int corner[4]);

/* The own node that each node of an element in this order is: Np numbers (wisp_simplex_steps). */
void wisp_orientation_nodes(int dimension, int N, int turn, int *node);

/* Nodes inside corner 0, inside the edge of corners 0 and 1, and so on: from first[k] on those of dimension k; as many
 * as first[dimension + 1]. */
void wisp_orientation_inside(int dimension, int N, int *node, int first[5]);

/* Columns that a word of 32 bits numbers, for rows of nodes inside a simplex of dimension k: 4 for short rows, else 2.
 */
int wisp_orientation_slots(int dimension, int N, int k);
