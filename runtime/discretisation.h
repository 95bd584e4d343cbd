/* A mesh and a method on the host, as kernels of any family see them: the counts of everything, the contents of the
 * fixed arrays, and the owner of each number. The nodal family's is made of a wisp_dg, for example. */
#ifndef WISP_DISCRETISATION_H
#define WISP_DISCRETISATION_H

#include "arrays.h"

enum { WISP_MAX_COUNTS = 40, WISP_MAX_CUTS = 4, WISP_PLACE_TEXT = 96 };
#define WISP_NOBODY SIZE_MAX

/* Some of what a count is of, one after the other. */
typedef struct wisp_span {
  size_t first, count;
} wisp_span;

/* A kernel's launches, one after the other: "colours" of "groups", say. In each, the count is that of a span, and
 * `first` is where it begins; spans may be empty. */
typedef struct wisp_cut {
  const char *name, *of;
  size_t spans;
  const wisp_span *span; /* borrowed */
} wisp_cut;

/* The origin of a ghost's numbers; a ghost is a slot that holds a copy of another domain's. */
typedef struct wisp_owner {
  int domain;
  size_t slot;
} wisp_owner;

typedef struct wisp_discretisation {
  const wisp_family *family;
  /* "groups", "unknowns", "pairs": sizes of arrays and launches are made of them (gen/family.h). Ends with a NULL name.
   */
  wisp_count counts[WISP_MAX_COUNTS];
  wisp_cut cuts[WISP_MAX_CUTS]; /* what kernels' `launches` name; likewise */
  void *self;
  /* Uploads what is fixed to those of its arrays that are there. NULL: nothing is. */
  wisp_status (*fill)(wisp_error *err, const void *self, wisp_arrays *arrays);
  /* The place of number i of an array in an order that is the same for every layout and grouping; WISP_NOBODY in
   * padding. Called from several threads at once. NULL: where it is. */
  size_t (*origin)(const void *self, const wisp_array_decl *array, size_t i);
  /* Number i in words: "slot 7, field Ex, node 2". NULL: "number 42". */
  void (*place)(const void *self, const wisp_array_decl *array, size_t i, char text[WISP_PLACE_TEXT]);
  void (*destroy)(void *self); /* NULL: self is somebody else's */
  /* The last slots may be ghosts, which kernels read and another domain computes: how many, and whose each is, counted
   * from 0. 0 and NULL where a problem is whole. */
  size_t ghosts;
  wisp_owner (*owner)(const void *self, size_t ghost);
} wisp_discretisation;

void wisp_discretisation_destroy(wisp_discretisation *d);
WISP_OWNED(wisp_discretisation, wisp_discretisation_destroy)

/* 0 for a count that it has not. */
size_t wisp_discretisation_count(const wisp_discretisation *d, const char *count);

/* Numbers of an array of the family. False: it has no such array, since it lacks one of the counts. */
bool wisp_discretisation_size(const wisp_discretisation *d, const wisp_array_decl *array, size_t *size);

size_t wisp_discretisation_origin(const wisp_discretisation *d, const wisp_array_decl *array, size_t i);
void wisp_discretisation_place(const wisp_discretisation *d, const wisp_array_decl *array, size_t i,
                               char text[WISP_PLACE_TEXT]);

#endif
