/* The pattern of a sparse matrix of continuous elements: compressed rows (CSR), and the elements around each row. */
#pragma once

#include "../device.h"
#include "../mesh/simplexnodes.h"

typedef struct wisp_pattern {
  size_t rows, nonzeros, incidences;
  int32_t *start;        /* rows + 1: where each row's nonzeros begin */
  int32_t *column;       /* nonzeros, ascending in a row */
  int32_t *around_start; /* rows + 1: where each row's elements begin */
  int32_t *around;       /* incidences: e Np + a, the row's node being node a of element e; e ascending */
} wisp_pattern;

/* Nonzeros of order N on any conforming mesh of so many simplices of each dimension where no node is fixed: two nodes
 * of one element belong to the smallest vertex, edge, face or element that has both. */
double wisp_pattern_nonzeros(int order, const size_t count[4]);

/* Simplices of each dimension: edges of tets by Euler's formula, without holes; of hexes vertices and elements. */
void wisp_pattern_count(const wisp_mesh *mesh, size_t count[4]);

/* Before anything is made: WISP_EUSAGE where such a mesh's matrix has more than 2^31 - 1 nonzeros, or more than the
 * device's memory holds, or the host's: values and columns there, columns here. what: "128 triangles". */
wisp_status wisp_pattern_check(wisp_error *err, const char *what, int order, const size_t count[4],
                               wisp_precision precision, const wisp_limits *limits);

/* Rows and columns are the unknowns. nodes are borrowed for the call. WISP_EUSAGE, before anything large is allocated,
 * where there are more than 2^31 - 1 nonzeros, or no unknowns. */
wisp_status wisp_pattern_create(wisp_error *err, const char *name, const wisp_simplexnodes *nodes, wisp_pattern **out);
void wisp_pattern_destroy(wisp_pattern *pattern);
WISP_OWNED(wisp_pattern, wisp_pattern_destroy)

/* The place of a column in its row, counted from the row's first; the row has it. */
int32_t wisp_pattern_slot(const wisp_pattern *pattern, int32_t row, int32_t column);
/* For many entries of one row: slot[c] becomes the slot of each of the row's columns c. It has room for `rows` numbers.
 */
void wisp_pattern_open_row(const wisp_pattern *pattern, int32_t row, int32_t *slot);

/* ---- A matrix as slices of 32 rows (sliced ELL): all rows of a slice have as many places as its longest, number s of
 * its 32 rows side by side. What a row does not fill is zero, in the row's own column. */

enum { WISP_SLICE_ROWS = 32 };

typedef struct wisp_slices {
  size_t count, size; /* size: of values, with what fills slices up */
  int32_t *start;     /* count + 1: where each slice begins */
  int32_t *column;    /* of each place */
} wisp_slices;

/* WISP_EUSAGE where there are more than 2^31 - 1 places; name appears in messages. */
wisp_status wisp_slices_create(wisp_error *err, const char *name, const wisp_pattern *pattern, wisp_slices **out);
void wisp_slices_destroy(wisp_slices *slices);
WISP_OWNED(wisp_slices, wisp_slices_destroy)

/* The place of number `slot` of a row, counted as in the pattern. */
static inline int32_t wisp_slices_position(const wisp_slices *slices, int32_t row, int32_t slot)
{
  return slices->start[row / WISP_SLICE_ROWS] + slot * WISP_SLICE_ROWS + row % WISP_SLICE_ROWS;
}

/* The other way: which of the pattern's nonzeros stands there; SIZE_MAX: it only fills a slice up. */
size_t wisp_slices_nonzero(const wisp_slices *slices, const wisp_pattern *pattern, size_t place);

/* Turns values in slices into those in compressed rows, in memory of their own; the old memory is freed. */
wisp_status wisp_slices_compress(wisp_error *err, const wisp_slices *slices, const wisp_pattern *pattern,
                                 double **values);
