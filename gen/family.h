/* Families: each one file in gen/, one line in the list. A family says which kernels it has and which names its
 * templates may use. */
#ifndef WISP_FAMILY_H
#define WISP_FAMILY_H

#include "strategy.h"
#include "system.h"

/* What a device allows, as templates and spaces see it (runtime fills it from wisp_limits). */
typedef struct wisp_target {
  bool cuda;
  int sm, units, max_threads, max_shared, shared_per_unit, registers_per_unit; /* units: multiprocessors, or cores */
} wisp_target;

/* Exact minimal work of one kernel on `elements` elements. */
typedef struct wisp_work {
  double bytes, flops, dofs;
} wisp_work;

typedef struct wisp_size {
  const char *name;
  int value;
} wisp_size;

typedef struct wisp_family {
  const char *name;
  const char *element;        /* as specs name it: "tet" */
  int orders[2];              /* lowest and highest */
  const char *const *kernels; /* NULL-terminated */
  const char *const
      *compositions; /* NULL-terminated: ways to make one whole stage, kernels joined by '+', in launch order */
  const char *default_system;
  /* Names for templates and spaces: sizes, tables, lists, limits. */
  wisp_status (*names)(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, const wisp_target *target,
                       wisp_env **out);
  /* The layouts worth trying for an order; count <= 8. */
  int (*layouts)(int order, wisp_layout out[8]);
  wisp_status (*work)(wisp_error *err, const wisp_spec *spec, double elements, wisp_work *out);
  /* What tells a kernel from others that share its spaces and texts: names that these see; the last has no name. NULL
   * where a family has none. */
  const wisp_size *(*facts)(const char *kernel);
} wisp_family;

extern const wisp_family *const wisp_families[]; /* NULL-terminated */
const wisp_family *wisp_family_find(const char *name);

/* The facts of a family's kernel; empty where there is no such family or it says nothing. */
const wisp_size *wisp_family_facts(const char *family, const char *kernel);

/* Whether a composition, "volume+gather+lift+update", has this kernel. */
bool wisp_composition_has(const char *composition, const char *kernel);

/* A spec of this family, its kernel left empty; system NULL: the family's own. */
wisp_spec wisp_family_spec(const wisp_family *family, int order, const char *system, wisp_precision precision);

#endif
