/* A matrix on triangles or tets that is to be assembled: its numbering, pattern, and lists for the family's kernels. */
#pragma once

#include "../../gen/assembly/assembly.h"
#include "../../gen/assembly/simplex.h"
#include "../../gen/strategy/strategy.h"
#include "../mesh/frame.h"
#include "../solve/cg.h"
#include "pattern.h"

enum { WISP_MOST_COLOURS = 64, WISP_MOST_LISTS = 16 };

/* Counts and arrays of a list, as templates/assembly/family names them. No name ends them; an array may have no memory.
 */
typedef struct wisp_index_list {
  wisp_count count[8];
  struct {
    const char *name;
    int32_t *ints;
    unsigned char *bytes;
  } array[12];
  bool shared; /* the arrays are those of `slices` or `partition` */
} wisp_index_list;

typedef struct wisp_assembly {
  const wisp_mesh *mesh; /* borrowed */
  wisp_frame frame;      /* that kernels compute in; the mesh's own coordinates unless it is set to another */
  wisp_form *form;       /* what is assembled; NULL: not said */
  wisp_simplex *simplex;
  wisp_simplexnodes *nodes;
  wisp_simplexnodes *corners; /* vertices, numbered as nodes of order 1: along the elements, fixed ones last */
  wisp_pattern *pattern;
  wisp_index_list list[WISP_MOST_LISTS]; /* of a discretisation, by kind (list_kind.h); empty: not asked for */
  wisp_slices *slices;                   /* of such a list: the layout of values; NULL: compressed rows */
  struct wisp_partition *partition;      /* of such a list (partition.h); NULL: there is none */
  const unsigned char *only;             /* elements that a reference computes, 1; NULL: all */
  bool full;                             /* element_data has all entries of matrices, not their upper halves */
  size_t contributions;                  /* of all elements to values and F */
  /* Elements by colour: no two of one share a vertex. 0 colours where a vertex has more elements than there are. */
  size_t colours;
  wisp_span colour[2 * WISP_MOST_COLOURS]; /* room for halves */
  int32_t *coloured;                       /* elements */
} wisp_assembly;

/* name: the mesh's, for messages. Errors of its nodes and pattern; WISP_EUSAGE for more than 2^31 - 1 contributions. */
wisp_status wisp_assembly_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                                 const wisp_fixing *fixed, wisp_assembly **out);
void wisp_assembly_destroy(wisp_assembly *assembly);
WISP_OWNED(wisp_assembly, wisp_assembly_destroy)

/* The lowest colour that is not among these bits; WISP_MOST_COLOURS where all are. */
static inline size_t wisp_free_colour(uint64_t taken)
{
  size_t colour = 0;
  while (colour < WISP_MOST_COLOURS && taken >> colour & 1) colour++;
  return colour;
}

/* Node a of an element; nodes that are no unknowns are fixed. */
static inline int32_t wisp_assembly_node(const wisp_assembly *assembly, size_t element, int a)
{
  return assembly->nodes->node[element * (size_t)assembly->nodes->Np + (size_t)a];
}

static inline bool wisp_assembly_is_unknown(const wisp_assembly *assembly, int32_t node)
{
  return (size_t)node < assembly->pattern->rows;
}

/* Numbers of values: nonzeros, and what fills slices up. */
size_t wisp_assembly_value_count(const wisp_assembly *assembly);
/* The place in values of number `slot` of a row. */
int32_t wisp_assembly_value_at(const wisp_assembly *assembly, int32_t row, int32_t slot);
/* The place of entry (a, b) of an element's matrix in values, or of load a in F, counted behind values; -1: none. */
int32_t wisp_assembly_entry(const wisp_assembly *assembly, size_t element, int a, int b);
/* For many entries of one row: opens row a of the element (wisp_pattern_open_row), and finds an entry there. */
void wisp_assembly_open_row(const wisp_assembly *assembly, size_t element, int a, int32_t *slot);
int32_t wisp_assembly_entry_in(const wisp_assembly *assembly, size_t element, int a, int b, const int32_t *slot);
int32_t wisp_assembly_load(const wisp_assembly *assembly, size_t element, int a);

/* Entries of the upper half of an element's matrix. */
size_t wisp_assembly_half(const wisp_assembly *assembly);

/* Numbers of an element in element_data, its load last; and which is entry (a, b) of its whole matrix, or upper half.
 */
size_t wisp_assembly_width(const wisp_assembly *assembly);
size_t wisp_assembly_number(const wisp_assembly *assembly, int a, int b, bool full);

/* Numbers of kappa an element, where elements have their own. */
size_t wisp_assembly_kappas(const wisp_assembly *assembly);

/* The assembly is borrowed. form: its name. All fixed arrays are filled in; kappa, f and u are somebody else's. With
 * the lists whose parameters `fixed` has, and whole matrices in element_data where it says so (unfolded); errors of the
 * lists' kinds and of wisp_form_load. */
wisp_status wisp_assembly_discretise(wisp_error *err, const wisp_assembly *assembly, const char *form,
                                     const wisp_fixed *fixed, const wisp_cg_capacity *capacity,
                                     wisp_discretisation *out);

/* A discretisation's list of the kind that this parameter asks for; NULL: it has none. */
const wisp_index_list *wisp_assembly_list(const wisp_assembly *view, const char *param);
/* WISP_EWRONG where kernels that go by one of a view's lists would add at once to one number. */
wisp_status wisp_assembly_check_lists(wisp_error *err, const wisp_assembly *view, const wisp_plan *plan);

/* Whether a matrix on a mesh of so many simplices of each dimension fits a device with these limits, before anything is
 * numbered: arrays that are wanted, of the fewest unknowns that there can be, without the lists that only a mesh gives
 * a length. Errors of wisp_arrays_fit. */
wisp_status wisp_assembly_fits(wisp_error *err, const wisp_limits *limits, int corners, int order,
                               const size_t count[4], wisp_precision precision, wisp_array_filter wanted,
                               const void *context);

/* Kernels that won elsewhere may have no room for a mesh where many elements meet at one node. After
 * wisp_assembly_discretise refused what the stage asks for: kernels whose lists have no room become others like them,
 * with room for more, or else such as have no lists (wisp_stage_make_room). The stage is not loaded. */
struct wisp_stage;
wisp_status wisp_assembly_fit_stage(wisp_error *err, const wisp_assembly *assembly, struct wisp_stage *stage);
