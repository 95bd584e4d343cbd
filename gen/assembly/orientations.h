/* An element seen with its corners in another order, so that what is inside some of them looks alike in all elements.
 */
#pragma once

#include "simplex.h"

enum { WISP_ORIENTATIONS_MOST = 24 };

int wisp_orientations(int dimension); /* orders of the corners: 6, 24 */
/* Order number `turn`: which of the element's corners is where; and the other way round. */
void wisp_orientation_corners(int dimension, int turn, int corner[4]);
int wisp_orientation_number(int dimension, const int corner[4]);

/* Of each node of the element so seen (wisp_simplex_steps) which of its own it is: Np numbers. */
void wisp_orientation_nodes(int dimension, int N, int turn, int *node);

/* Nodes inside corner 0, inside the edge of corners 0 and 1, and so on: from first[k] on those of dimension k; as many
 * as first[dimension + 1]. */
void wisp_orientation_inside(int dimension, int N, int *node, int first[5]);

/* How many of a row's columns are numbered in a word of 32 bits, where the row's node is inside a simplex of dimension
 * k: 4 where such rows are short, else 2. */
int wisp_orientation_slots(int dimension, int N, int k);
