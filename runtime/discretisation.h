/* What a mesh and a method fix on the host, as kernels of any family see it: how many there are of everything, what the
 * fixed arrays hold, and whose each number is. The nodal family's is made of a wisp_dg, for example. */
#ifndef WISP_DISCRETISATION_H
#define WISP_DISCRETISATION_H

#include "arrays.h"

enum { WISP_MAX_COUNTS = 16, WISP_PLACE_TEXT = 96 };
#define WISP_NOBODY SIZE_MAX

typedef struct wisp_discretisation {
  const wisp_family *family;
  /* "groups", "unknowns", "pairs": what sizes of arrays are made of (gen/family.h) and what every launch may ask for.
   * Ends with a NULL name. */
  wisp_count counts[WISP_MAX_COUNTS];
  void *self;
  /* Uploads what is fixed to those of its arrays that are there. NULL: nothing is. */
  wisp_status (*fill)(wisp_error *err, const void *self, wisp_arrays *arrays);
  /* Where number i of an array stands in an order that is the same for every layout and grouping; WISP_NOBODY in
   * padding. Called from several threads at once. NULL: where it is. */
  size_t (*origin)(const void *self, const wisp_array_decl *array, size_t i);
  /* Number i in words: "slot 7, field Ex, node 2". NULL: "number 42". */
  void (*place)(const void *self, const wisp_array_decl *array, size_t i, char text[WISP_PLACE_TEXT]);
  void (*destroy)(void *self); /* NULL: self is somebody else's */
} wisp_discretisation;

void wisp_discretisation_destroy(wisp_discretisation *d);

/* 0 for a count that it has not. */
size_t wisp_discretisation_count(const wisp_discretisation *d, const char *count);

/* Numbers of an array of the family. False: it has no such array, since it lacks one of the counts. */
bool wisp_discretisation_size(const wisp_discretisation *d, const wisp_array_decl *array, size_t *size);

/* WISP_EUSAGE where a device with these limits cannot count the numbers of an array that the plan takes: GPU kernels do
 * so in 31 bits, but for those that their family calls wide. */
wisp_status wisp_discretisation_countable(wisp_error *err, const wisp_discretisation *d, const wisp_limits *limits,
                                          const wisp_plan *plan);

size_t wisp_discretisation_origin(const wisp_discretisation *d, const wisp_array_decl *array, size_t i);
void wisp_discretisation_place(const wisp_discretisation *d, const wisp_array_decl *array, size_t i,
                               char text[WISP_PLACE_TEXT]);

#endif
