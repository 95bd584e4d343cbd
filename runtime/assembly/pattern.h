/* The pattern of a sparse matrix of continuous elements, made once for a mesh: rows of compressed sparse rows (CSR),
 * and the elements that each row is added up from. */
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

/* Simplices of each dimension of a mesh of triangles or tets; of tets that hang together without holes, whose edges
 * follow from Euler's formula. Of hexes vertices and elements alone. */
void wisp_pattern_count(const wisp_mesh *mesh, size_t count[4]);

/* Before anything is made: WISP_EUSAGE where such a mesh's matrix has more than 2^31 - 1 nonzeros, or more than the
 * device's memory holds, or the host's: values and columns there, and columns where the pattern is made. what is in the
 * message: "128 triangles". */
wisp_status wisp_pattern_check(wisp_error *err, const char *what, int order, const size_t count[4],
                               wisp_precision precision, const wisp_limits *limits);

/* Rows and columns are the unknowns. nodes are borrowed for the call. WISP_EUSAGE, before anything large is allocated,
 * where there are more than 2^31 - 1 nonzeros, or no unknowns. */
wisp_status wisp_pattern_create(wisp_error *err, const char *name, const wisp_simplexnodes *nodes, wisp_pattern **out);
void wisp_pattern_destroy(wisp_pattern *pattern);
WISP_OWNED(wisp_pattern, wisp_pattern_destroy)

/* The place of a column in its row, counted from the row's first; the row has it. */
int32_t wisp_pattern_slot(const wisp_pattern *pattern, int32_t row, int32_t column);

/* Compares two int32_t for qsort and bsearch: ascending. */
int wisp_by_index(const void *left, const void *right);
