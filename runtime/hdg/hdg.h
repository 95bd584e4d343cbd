/* The skeleton of a mesh of triangles: edges, whose traces are the unknowns, and lists for the hdg family's kernels. */
#pragma once

#include "../../gen/hdg/hdg.h"
#include "../mesh/frame.h"
#include "../mesh/simplexnodes.h"
#include "../problem.h"
#include "../solve/cycle.h"
#include "element.h"

typedef struct wisp_hdg wisp_hdg;

/* The coarse space of the trace's preconditioner: continuous functions that are linear on every edge, by their values
 * at the vertices that no given edge touches. Of an edge from a to b, Lambda_0 = (v_a + v_b) / sqrt 2, Lambda_1 = (v_b
 * - v_a) / sqrt 6, and nothing else. Its matrix is I^T K I. */
enum { WISP_HDG_COARSE_ENDS = 4 };

typedef struct wisp_hdg_coarse {
  size_t vertices;
  int32_t *ends; /* ENDS x free edges: the vertices where t is -1 and 1, and opposite in both elements, or -1 */
  int32_t *start, *touched; /* vertices + 1; ENDS edge + end */
  size_t touches;
  wisp_cycle *cycle;
} wisp_hdg_coarse;

/* Edges are numbered as the elements come upon them, those whose trace is given (Dirichlet) behind all others. t runs
 * along an edge from the lower vertex number to the higher; falling: the element, counterclockwise, goes the other way,
 * and odd modes change their sign. */
struct wisp_hdg {
  const wisp_mesh *mesh; /* borrowed */
  wisp_frame frame;      /* that kernels compute in; the mesh's own coordinates unless it is set to another */
  wisp_hdg_tables *tables;
  wisp_simplexnodes *corners; /* vertices, numbered along the elements */
  size_t edges, free_edges;
  wisp_hdg_coarse *coarse;   /* NULL: none */
  const unsigned char *only; /* elements that a reference computes, 1; NULL: all */
  double seconds;            /* that all this, which depends on the mesh alone, has taken */
  int32_t *edge;             /* 3 x elements: 2 edge + falling */
  int32_t *side;             /* 2 x edges: 3 element + its edge, -1 behind a boundary edge's one */
};

/* name: the mesh's, for messages. WISP_EUSAGE: order not in 1..9, a tag without a boundary edge, all edges given. */
wisp_status wisp_hdg_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                            const wisp_fixing *fixed, wisp_hdg **out);
void wisp_hdg_destroy(wisp_hdg *hdg);
WISP_OWNED(wisp_hdg, wisp_hdg_destroy)

/* Mode k of the part that vertex `end` of an edge, 0 or 1, gives to its trace. */
double wisp_hdg_coarse_weight(int mode, int end);

/* From here on it has a coarse space, and discretisations of it have its arrays. direct: as of wisp_cycle_create. */
wisp_status wisp_hdg_coarsen(wisp_error *err, wisp_hdg *hdg, size_t direct);

/* Element e in the frame with these coefficients of the frame: tau three an element, kappa and lambda one. */
wisp_hdg_triangle wisp_hdg_triangle_at(const wisp_hdg *hdg, size_t e, const double *tau, double kappa, double lambda);

/* The area of element e, in the mesh's units. */
static inline double wisp_hdg_area(const wisp_hdg *hdg, size_t e)
{
  return wisp_mesh_corner(hdg->mesh, e, wisp_cells[3].frame[0], NULL) / 2;
}

/* The factor of mode k of an edge between its own direction and the element's. */
static inline double wisp_hdg_sign(int32_t edge, int k)
{
  return edge & k & 1 ? -1 : 1;
}

/* The place, in the mesh's list of elements' vertices, of an edge's vertex at t = -1, or 1 (end 1). */
static inline size_t wisp_hdg_corner(const wisp_hdg *hdg, size_t edge, int end)
{
  const int32_t face = hdg->side[2 * edge];
  return (size_t)(face / 3 * 3 + (face + (end + hdg->edge[face]) % 2) % 3);
}

/* Block `place` of an edge's row of blocks: 0 its own; 1 and 2 those to the next two edges of its first element, 3 and
 * 4 of its second. The edge that it leads to, or -1. */
int32_t wisp_hdg_column(const wisp_hdg *hdg, size_t edge, int place);

/* The free edge that block `place` of an edge's row leads to; the edge itself where there is none, as in `columns`. */
static inline size_t wisp_hdg_free_column(const wisp_hdg *s, size_t edge, int place)
{
  const int32_t to = wisp_hdg_column(s, edge, place);
  return to >= 0 && (size_t)to < s->free_edges ? (size_t)to : edge;
}

/* Room for what conjugate gradients leave; all 0: its arrays are not there. */
typedef struct wisp_hdg_capacity {
  size_t rz_parts, pAp_parts, iterations;
  size_t batch; /* elements whose matrices inside are there at a time; 0: all */
  bool aos;     /* element_data has one matrix after the other, not slabs of 32 */
} wisp_hdg_capacity;

/* The skeleton is borrowed. All fixed arrays are filled in; all else is somebody else's. */
wisp_discretisation wisp_hdg_discretisation(const wisp_hdg *hdg, const wisp_hdg_capacity *capacity);

/* ---- The connected pieces of a mesh, and those of them in which u is known up to a constant alone: no edge is given
 * there, and lambda is 0. There it is the one of mean 0, and exists where source and flux balance. */

typedef struct wisp_hdg_pieces {
  const wisp_hdg *hdg; /* borrowed */
  size_t count;
  int32_t *piece; /* elements */
  bool *floats;   /* pieces: known up to a constant */
  double *area;
} wisp_hdg_pieces;

/* lambda: of each element. */
wisp_status wisp_hdg_pieces_create(wisp_error *err, const wisp_hdg *hdg, const double *lambda, wisp_hdg_pieces **out);
void wisp_hdg_pieces_destroy(wisp_hdg_pieces *pieces);
WISP_OWNED(wisp_hdg_pieces, wisp_hdg_pieces_destroy)

/* given and load are the family's arrays. Where a piece floats what quadrature leaves of the balance is taken off the
 * load; WISP_EUSAGE, with the imbalance, where it is more than 1e-6 of what flows. */
wisp_status wisp_hdg_pieces_balance(wisp_error *err, const wisp_hdg_pieces *pieces, const char *name,
                                    const double *given, double *load);

/* Takes the mean off a field of so many modes an element, in slabs, where a piece floats. */
wisp_status wisp_hdg_pieces_center(wisp_error *err, const wisp_hdg_pieces *pieces, size_t modes, double *field);
