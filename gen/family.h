/* A family declares its arrays, kernels and names once, beside its templates (templates/FAMILY/family, kernels;
 * scripts/declare makes WISP_DECLARED_FAMILY of it); solvers, tuner and command take them from here. */
#pragma once

#include "system.h"
#include "strategy/strategy.h"

/* Limits of a device, as templates and spaces see them (runtime fills them from wisp_limits). */
typedef struct wisp_target {
  bool gpu;
  int sm, units, max_threads, max_shared, shared_per_unit, registers_per_unit; /* units: multiprocessors, or cores */
} wisp_target;

/* Exact minimal work of one kernel on `elements` elements. */
typedef struct wisp_work {
  double bytes, flops, dofs;
  double adds;  /* atomic additions to memory */
  bool no_read; /* nothing but writing */
} wisp_work;

/* The dense product that a kernel stands for: what a vendor's library of dense algebra would do in its place. */
typedef struct wisp_dense {
  double *matrix; /* row major, m x k, the holder's to free; NULL: there is no such product */
  int m, k;
  int columns; /* of its operand, an element */
} wisp_dense;

static inline void wisp_dense_release(wisp_dense *dense)
{
  free(dense->matrix);
  dense->matrix = NULL;
}

/* A number with a name. */
typedef struct wisp_size {
  const char *name;
  int value;
} wisp_size;

/* The origin of an array's values. */
typedef enum wisp_array_kind {
  WISP_FIXED,    /* by the mesh and the method, once: no kernel writes it */
  WISP_FIELD,    /* by kernels */
  WISP_POSITIVE, /* likewise, or by a solver, and never 0 or less */
  WISP_PARTS,    /* parts of one sum, one from each block of the kernel that leaves them */
  WISP_STATE     /* a few numbers that steer a solver */
} wisp_array_kind;

/* Numbers that solvers, and programs that call kernels themselves, pass: what a kernel must be right for. */
typedef struct wisp_passed_values {
  double least, most;
  const double *values; /* extremes and others, each of which every check of a kernel meets */
  int count;            /* 0: nothing is said */
} wisp_passed_values;

/* An array that kernels are bound to by its name. */
typedef struct wisp_array_decl {
  const char *name;
  wisp_number_type type;
  wisp_array_kind kind;
  const char
      *size; /* in numbers: an expression over a discretisation's counts; arrays of one size are laid out alike */
  const char *meaning;       /* in words, and where its numbers lie */
  wisp_passed_values passed; /* of a coefficient */
} wisp_array_decl;

/* A number that a kernel takes by value: a count of the discretisation, or the method's. */
typedef struct wisp_scalar_decl {
  const char *name, *meaning;
  wisp_passed_values passed;
} wisp_scalar_decl;

/* A kernel: what every strategy for it must do, and what that takes at least. Expressions are over the family's lets.
 */
typedef struct wisp_kernel_decl {
  const char *name;
  const char *reads, *writes; /* arrays, as "u res": no other may count, no other may change */
  const char *alias;          /* its own name for one of those that it reads, which one a launch says; NULL: none */
  const char *sum;            /* the length of the longest sum, for its rounding errors */
  const char *matrix;         /* of it, what are products of matrices, which tensor cores may add up; NULL: none */
  const char *numbers;        /* that must move for one element, inputs once and outputs once, */
  const char *words;          /* and words of four bytes; NULL: none */
  const char *flops, *dofs;   /* of one element */
  const char *adds;           /* atomic additions to memory, of one element; NULL: none */
  const char *once;     /* numbers, words, flops and adds are of a launch, not of an element: why; NULL: they are not */
  const char *launches; /* how it is cut into launches, a cut of the discretisation: "colours"; NULL: it is one */
  const wisp_size *facts; /* tell it from the kernels that it shares spaces and texts with: names that these see; the
                             last has no name. NULL: there are none */
} wisp_kernel_decl;

/* A name in kernels' expressions, itself an expression over those above it. */
typedef struct wisp_let_decl {
  const char *name, *value;
} wisp_let_decl;

/* A reference element, as specs name it: "tet". */
typedef struct wisp_element {
  const char *name;
  int orders[2];          /* lowest and highest */
  const wisp_size *facts; /* tell it from the family's others in kernels' expressions; NULL: there are none */
} wisp_element;

typedef struct wisp_family {
  const char *name;
  const wisp_element *elements;    /* the first where nobody says which; ends with a NULL name */
  const wisp_array_decl *arrays;   /* ends with a NULL name */
  const wisp_kernel_decl *kernels; /* likewise */
  const wisp_scalar_decl *scalars; /* likewise; NULL: no kernel takes any */
  const wisp_let_decl *lets;       /* likewise; NULL: none. One called `per`: numbers, words, flops and dofs are of so
                                      many elements, where those of one are not whole */
  const char *wide;                /* arrays that GPU kernels address in 64 bits; NULL: none, all others in 31 */
  const char *composition_kernel;  /* the kernel that does what a composition does; NULL: there is none */
  wisp_passed_values magnitudes;   /* of fields */
  double max_error[2];             /* errors in single and double precision, relative to the largest result; 0: none */
  const char *const
      *compositions; /* NULL-terminated: ways to make one whole stage, kernels joined by '+', in launch order; another
                        family's, "tensor.update", works on arrays that are declared here by the same names */
  /* WISP_EREFUSED where a composition is not for this spec's system; NULL: all are for all. */
  wisp_status (*suits)(wisp_error *err, const wisp_spec *spec, const char *composition);
  const char *const *chains; /* likewise, what is no stage but asked for whole: an iteration of a solver; NULL: none */
  const char *default_system;
  bool (*knows_system)(const char *name); /* systems of its own; NULL: they are files of equations, or none */
  /* Whether a system moves the other's bytes without its arithmetic, so that both are looked at together; NULL: none
   * does. */
  bool (*proxy_for)(const char *name, const char *other);
  const char *shown; /* parameters that tables and plots show first, a column each: "wp wi ws"; NULL: none */
  /* Adds names for templates and spaces: sizes, tables, lists. Those of the target are there (wisp_names_create). */
  wisp_status (*names)(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout, wisp_env *env);
  /* Gives those of them that differ from layout to layout the values of this one. NULL: all are made anew for each. */
  wisp_status (*lay_out)(wisp_error *err, const wisp_layout *layout, wisp_env *env);
  /* The layouts worth trying; count <= 8. NULL: there is nothing to lay out, arrays are as they are declared. */
  int (*layouts)(const wisp_spec *spec, wisp_layout out[8]);
  /* The nodes, or control points, of the spec's reference element, -1 to 1 in each direction: r, s, t of each together.
   * NULL: it has none. */
  wisp_status (*nodes)(wisp_error *err, const wisp_spec *spec, double *rst);
  /* Names that lets and kernels' expressions see besides the order N and the element's facts; NULL: none. */
  wisp_status (*sizes)(wisp_error *err, const wisp_spec *spec, wisp_env *env);
} wisp_family;

/* One after the other: the library's, then those of a program that defines wisp_own_families, a list that ends with
 * NULL. NULL behind the last. */
extern const wisp_family *const wisp_own_families[] __attribute__((weak));
const wisp_family *wisp_family_at(size_t i);
const wisp_family *wisp_family_find(const char *name);
const wisp_kernel_decl *wisp_family_kernel(const wisp_family *family, const char *name); /* NULL: none */
const wisp_array_decl *wisp_family_array(const wisp_family *family, const char *name);   /* NULL: none */
const wisp_element *wisp_family_element(const wisp_family *family, const char *name);    /* NULL: none */

/* The scalar of this name; NULL: the family has none. */
const wisp_scalar_decl *wisp_family_scalar(const wisp_family *family, const char *name);

/* The layouts of the spec's family, "none" where it has none; count. */
int wisp_family_layouts(const wisp_spec *spec, wisp_layout out[8]);

/* The names of a spec in a layout: its family's; real_bytes; and the target's: gpu; cuda, a GPU of that kind; warp (T
 * in nodal texts), lanes that go together; sm, max_threads, max_shared, shared_per_unit, registers_per_unit. first:
 * names in another layout, which lend what is the same and must outlive these; NULL: none. */
wisp_status wisp_names_create(wisp_error *err, const wisp_spec *spec, const wisp_layout *layout,
                              const wisp_target *target, const wisp_env *first, wisp_env **out);

/* The family's names in each of `count` layouts: the others borrow what is the same from those of the first, which the
 * caller releases last. */
wisp_status wisp_family_names(wisp_error *err, const wisp_spec *spec, const wisp_target *target, int count,
                              const wisp_layout *layouts, wisp_env **out);

/* WISP_EUSAGE: there is no family of this name, or the family has no such kernel; the message says which there are, or
 * how to see them. */
wisp_status wisp_family_refuse(wisp_error *err, const char *name);
wisp_status wisp_family_refuse_kernel(wisp_error *err, const wisp_family *family, const char *name);

/* WISP_EUSAGE where there is no such family, or it has no such element or order. */
wisp_status wisp_family_check(wisp_error *err, const wisp_spec *spec);
/* Adds a name to a list for people, "a, b", as far as there is room. */
void wisp_list_add(char *list, size_t capacity, const char *name);

/* The i-th name of a list, "u res"; false behind the last, and of a list that is NULL. */
bool wisp_list_at(const char *list, int i, char name[32]);

/* The least that the spec's kernel has to do on so many elements; of a whole stage where it is "step". WISP_EUSAGE for
 * a kernel that the family has not. */
wisp_status wisp_family_work(wisp_error *err, const wisp_spec *spec, double elements, wisp_work *out);
/* The same of a problem with sizes of its own, which `add` sets in place of those of a large one. */
typedef struct wisp_own_sizes {
  wisp_status (*add)(wisp_error *err, const void *self, wisp_env *sizes);
  const void *self;
} wisp_own_sizes;
wisp_status wisp_family_work_own(wisp_error *err, const wisp_spec *spec, double elements, const wisp_own_sizes *own,
                                 wisp_work *out);

/* The longest sum of the spec's kernel, and how much of it are products of matrices. */
wisp_status wisp_family_sums(wisp_error *err, const wisp_spec *spec, double *length, double *matrix);

/* The facts of a family's kernel; empty where there is no such family or it says nothing. */
const wisp_size *wisp_family_facts(const char *family, const char *kernel);

/* Takes the next kernel's name off the front of a composition, "volume+gather+lift+update"; false at its end. A name
 * that is too long for any spec is empty. */
bool wisp_composition_next(const char **at, char kernel[WISP_NAME_TEXT]);
int wisp_composition_count(const char *composition);
/* The kernel that such a name means in a stage: one of the stage's family; or, with another family's name before it,
 * "tensor.update", one of that family's first element and own system. WISP_EUSAGE: there is none, or the stage's family
 * lacks arrays that it takes. */
wisp_status wisp_composition_spec(wisp_error *err, const wisp_spec *stage, const char *name, wisp_spec *out);
bool wisp_composition_has(const char *composition, const char *kernel);
/* Does one of the family's compositions have the kernel? */
bool wisp_family_composes(const wisp_family *family, const char *kernel);

/* A spec of this family's first element, its kernel left empty; system NULL: the family's own. */
wisp_spec wisp_family_spec(const wisp_family *family, int order, const char *system, wisp_precision precision);

/* ---- Names that the templates and spaces of every family see. */

wisp_status wisp_names_sizes(wisp_error *err, wisp_env *env, const wisp_size *sizes, size_t count);

/* An expression of real numbers, as texts in this precision insert it. */
wisp_status wisp_names_formula(wisp_error *err, wisp_env *env, const char *name, const char *formula,
                               wisp_precision precision);
