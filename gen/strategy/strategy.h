/* Strategies and plans: a strategy is a kernel text and the space description beside it (docs/reference/spaces.md); a
 * plan is one candidate, legal, with every value fixed. */
#pragma once

#include "source_set.h"
#include "../language/expr.h"
#include "../layout.h"
#include "../spec.h"

enum {
  WISP_MAX_PARAMS = 12,
  WISP_MAX_VALUES = 32,
  WISP_MAX_ARGS = 32,
  WISP_MAX_FAMILIES = 8, /* with defaults */
  WISP_PARAMS_TEXT = 200,
  WISP_STRATEGY_TEXT = 128
};

/* ---- The lines of a space description: gen/strategy/space.c parses them and gen/strategy/plan.c evaluates them. */

enum { WISP_MAX_LINES = 48, WISP_MAX_SHARED = 8, WISP_MAX_FILES = 8, WISP_MAX_WHERES = 12, WISP_MAX_CONSTANTS = 6 };

/* An expression and the line that it stands in: the number of one of the strategy's files. */
typedef struct wisp_clause {
  wisp_expr *expr; /* NULL: nothing is said */
  int file, line;
} wisp_clause;

typedef struct wisp_condition { /* needs, orders, require */
  wisp_clause holds;
  char *reason;
} wisp_condition;

typedef struct wisp_let { /* let, where */
  char name[32];
  wisp_clause value;
  size_t after; /* how many conditions stand before it: lines are evaluated in the order they are written */
} wisp_let;

/* A tuning parameter of other strategies that this one does not vary, its value here, and why. */
typedef struct wisp_constant {
  char name[24];
  wisp_clause value;
  char *text, *reason; /* the value as the space has it; why */
} wisp_constant;

typedef struct wisp_shared {
  char name[32], type[8]; /* "real", "int", "byte" */
  wisp_clause count;
} wisp_shared;

typedef struct wisp_operand { /* beside the argument of the same index */
  char table[32];
  wisp_clause count, entry, part; /* part may say nothing */
  int wheres;
  wisp_let *where; /* WISP_MAX_WHERES, where there are any */
} wisp_operand;

typedef enum wisp_arg_kind {
  WISP_ARG_IN,
  WISP_ARG_OUT,
  WISP_ARG_INOUT,
  WISP_ARG_VALUE,
  WISP_ARG_OPERAND
} wisp_arg_kind;
extern const char *const wisp_arg_kinds[]; /* as spaces name them */

/* Numbers of an array: of the precision at hand, int, float in either precision, unsigned integers of 8 and 16 bits. */
typedef enum wisp_number_type {
  WISP_REAL,
  WISP_INT,
  WISP_SINGLE,
  WISP_UINT8,
  WISP_UINT16,
  WISP_NUMBER_TYPES
} wisp_number_type;

typedef struct wisp_number_form {
  const char *word, *in_c; /* in spaces, and in sources of all dialects */
  size_t bytes;            /* 0: those of the precision */
  bool integer;
} wisp_number_form;
extern const wisp_number_form wisp_numbers[WISP_NUMBER_TYPES];

typedef struct wisp_arg {
  wisp_arg_kind kind;
  wisp_number_type type;
  char name[32];
} wisp_arg;

/* Units of a device that execute operations, as `work` names them. */
typedef enum wisp_exec_unit {
  WISP_UNIT_FMA, /* multiply-adds in the kernel's precision */
  WISP_UNIT_TENSOR_FP64,
  WISP_UNIT_TENSOR_TF32,
  WISP_UNIT_TENSOR_FP16,
  WISP_UNITS
} wisp_exec_unit;
extern const char *const wisp_unit_names[WISP_UNITS];

/* The constraint that a parameter puts on the discretisation: none; the kernel is best, or right, on one made for its
 * value. */
typedef enum wisp_mesh_constraint { WISP_MESH_FREE, WISP_MESH_PREFERRED, WISP_MESH_REQUIRED } wisp_mesh_constraint;

typedef struct wisp_param {
  char name[24];
  int count, values[WISP_MAX_VALUES];
  int preferred; /* value of the default candidate; the first value where `default` does not say */
  wisp_mesh_constraint mesh_constraint;
  int otherwise; /* what a discretisation has where no kernel has the parameter; of a free one 0 */
} wisp_param;

/* A space's lines for one of its kernels, made by the list of strategies and only read from then on. */
typedef struct wisp_strategy {
  char family[WISP_FAMILY_TEXT], name[WISP_STRATEGY_TEXT], kernel[WISP_NAME_TEXT]; /* "nodal", "literal", "volume" */
  const struct wisp_size *facts;     /* of the kernel, which every line and text sees */
  wisp_template_path template_path;  /* where its parts stand */
  wisp_source_set *source_set;       /* NULL: it was parsed alone, and has no hash */
  struct wisp_source_set_kept *hash; /* that the source set keeps here */
  int files;
  char *file[WISP_MAX_FILES]; /* the space and what it includes */
  char *title, *text, *lane, *text_path;
  wisp_text note;  /* for people: keywords and parameters that have other names now, a line each */
  bool node, slab; /* layouts it can read */
  bool varies;     /* results differ from launch to launch, within rounding */
  bool mixes;      /* results are made of sums that others of their element are part of */
  bool exponent;   /* in single precision the numbers of an element are cut at one exponent */
  bool ordered;    /* the order of the elements changes results, within rounding */
  struct {         /* of the discretisation, in the terms of others' parameters; no name: nothing */
    char name[sizeof((wisp_param *)0)->name];
    int value;
  } requires_absent;
  int params;
  wisp_param param[WISP_MAX_PARAMS];
  size_t needs, conditions, lets, constants;
  wisp_constant constant[WISP_MAX_CONSTANTS];
  wisp_condition need[WISP_MAX_LINES], condition[WISP_MAX_LINES];
  wisp_condition candidate; /* says nothing: it is one wherever it applies */
  wisp_let let[WISP_MAX_LINES];
  wisp_clause block[3], grid[2];
  wisp_clause work[WISP_UNITS]; /* operations of a launch, by unit */
  int shareds;
  wisp_shared shared[WISP_MAX_SHARED];
  int args;
  wisp_arg arg[WISP_MAX_ARGS];
  wisp_operand operand[WISP_MAX_ARGS];
} wisp_strategy;

/* A scope over names (NULL: none) in which the facts of the strategy's kernel are. */
wisp_status wisp_strategy_scope(wisp_error *err, const wisp_strategy *strategy, const wisp_env *names, wisp_env **out);

/* The value of what a line of the strategy says; an error begins with the line's place. */
wisp_status wisp_clause_int(wisp_error *err, const wisp_strategy *strategy, const wisp_clause *clause,
                            const wisp_env *env, int64_t *value);

/* The hash of the texts that its kernels for a system are compiled from in a dialect, 16 hex digits (source_set.h).
 * Empty: there is no such dialect. */
void wisp_strategy_hash(const wisp_strategy *strategy, const char *system, const char *dialect, char hash[20]);
/* Reads "unroll=4 wi=2", or with commas, into values, one a parameter: those that are named, none twice, each with one
 * of its values; complete: all must be. Older names count as today's (renamed.h); note, or NULL, gets a line for each.
 * WISP_EINPUT says which is not. */
wisp_status wisp_strategy_values(wisp_error *err, const wisp_strategy *strategy, const char *text, bool complete,
                                 wisp_text *note, int values[WISP_MAX_PARAMS]);
/* The parameter of this name, of `length` characters; as many as there are: none. */
int wisp_strategy_param(const wisp_strategy *strategy, const char *name, size_t length);
/* The values of what its space says is fixed, "wi=1 ws=all", by the names of a plan's env, or of its own; all: the
 * space says 0, as many as a launch has for a block. Leaves out what the names do not give. */
void wisp_strategy_constants(const wisp_strategy *strategy, const wisp_env *env, char text[WISP_PARAMS_TEXT]);
/* Whether a stored text names all of its parameters so. */
bool wisp_strategy_lists(const wisp_strategy *strategy, const char *params);

/* All strategies: the embedded ones, then those of folder $WISP_TEMPLATES if set: a subfolder a family, with spaces,
 * texts and parts that come before the library's. */
struct wisp_defaults;
typedef struct wisp_strategies {
  size_t count, capacity;
  wisp_strategy **list;
  size_t slots; /* of the hash table by family, kernel and name; 0: there is none, as in a list of some of them */
  wisp_strategy **by_name;
  wisp_source_set *source_set, *users_sources;
  wisp_template_path users; /* the texts of $WISP_TEMPLATES, and behind them the library's */
  wisp_text warning; /* for people: systems there that cannot be used, renamed keywords and parameters; a line each */
  int families;      /* that have defaults */
  char family[WISP_MAX_FAMILIES][32];
  struct wisp_defaults *defaults[WISP_MAX_FAMILIES];
} wisp_strategies;
wisp_status wisp_strategies_load(wisp_error *err, wisp_strategies **out);
/* Those of other files than the embedded ones, which must outlive them. */
wisp_status wisp_strategies_load_from(wisp_error *err, const wisp_embedded *files, size_t count, wisp_strategies **out);
void wisp_strategies_free(wisp_strategies *strategies);
WISP_OWNED(wisp_strategies, wisp_strategies_free)
const wisp_strategy *wisp_strategies_find(const wisp_strategies *strategies, const char *family, const char *kernel,
                                          const char *name); /* NULL: none */
/* Enters a strategy that stands at the end of the list, or will, into the table of names. */
wisp_status wisp_strategies_enter(wisp_error *err, wisp_strategies *strategies, wisp_strategy *strategy);

/* The family's defaults (gen/strategy/defaults.h); NULL: it has none. */
typedef struct wisp_defaults wisp_defaults;
const wisp_defaults *wisp_strategies_defaults(const wisp_strategies *strategies, const char *family);

/* A text and the file that it comes from, which messages name. */
typedef struct wisp_file_text {
  const char *path, *text;
} wisp_file_text;
void wisp_strategy_destroy(wisp_strategy *strategy);
WISP_OWNED(wisp_strategy, wisp_strategy_destroy)

/* One candidate, whose fields are read only. */
typedef struct wisp_plan {
  const wisp_strategy *strategy;
  wisp_spec spec;
  wisp_layout layout;
  const wisp_env *names; /* the family's */
  wisp_env *env;         /* these, then facts, parameters and lets */
  int value[WISP_MAX_PARAMS];
  char params[WISP_PARAMS_TEXT];                  /* "unroll=4 wi=2", sorted by name */
  char symbol[WISP_FAMILY_TEXT + WISP_NAME_TEXT]; /* the kernel's name in the source: "nodal_volume" */
  unsigned block[3];
  size_t shared, offset[WISP_MAX_SHARED]; /* bytes */
  struct {                                /* operands made by wisp_plan_prepare; NULL, NULL: not yet */
    size_t count;
    double *reals;
    int *ints;
  } operand[WISP_MAX_ARGS];
} wisp_plan;

/* names: the family's environment for (spec, layout, device limits), see family.h; must outlive the plan. values: one
 * per parameter. WISP_EREFUSED with the reason where the candidate does not apply. */
wisp_status wisp_plan_create(wisp_error *err, const wisp_strategy *strategy, const wisp_spec *spec,
                             const wisp_layout *layout, const wisp_env *names, const int *values, wisp_plan **out);
void wisp_plan_destroy(wisp_plan *plan);
WISP_OWNED(wisp_plan, wisp_plan_destroy)

/* Whether its space names layouts of this kind. */
bool wisp_strategy_reads(const wisp_strategy *strategy, const wisp_layout *layout);

/* WISP_EREFUSED with the reason where no candidate of the strategy can apply (layouts, needs). */
wisp_status wisp_strategy_applies(wisp_error *err, const wisp_strategy *strategy, const wisp_layout *layout,
                                  const wisp_env *names);

/* WISP_EREFUSED with the reason where its space says that it is no candidate of the tuner and no default. */
wisp_status wisp_strategy_is_candidate(wisp_error *err, const wisp_strategy *strategy, const wisp_env *names);

/* The default candidate: the preferred values, else the first legal candidate. WISP_EREFUSED where there is none. */
wisp_status wisp_plan_default(wisp_error *err, const wisp_strategy *strategy, const wisp_spec *spec,
                              const wisp_layout *layout, const wisp_env *names, wisp_plan **out);

/* From stored text "unroll=4 wi=2": every parameter of the strategy must be named once with one of its values
 * (WISP_EINPUT otherwise). */
wisp_status wisp_plan_from_text(wisp_error *err, const wisp_strategy *strategy, const wisp_spec *spec,
                                const wisp_layout *layout, const wisp_env *names, const char *params, wisp_plan **out);

/* The n-th, from 0, of the legal candidates that differ from a plan only in larger values of parameters with
 * `requires`; fewest steps up their lists first. WISP_EREFUSED: there are no more. */
wisp_status wisp_plan_next_larger(wisp_error *err, const wisp_plan *plan, int n, wisp_plan **out);

/* Calls visit for every combination of parameter values; plan is NULL and reason set where refused. visit owns plan.
 * Stops at an error. */
typedef wisp_status (*wisp_visit)(wisp_error *err, void *context, const int *values, wisp_plan *plan,
                                  const char *reason);
wisp_status wisp_plan_enumerate(wisp_error *err, const wisp_strategy *strategy, const wisp_spec *spec,
                                const wisp_layout *layout, const wisp_env *names, wisp_visit visit, void *context);

void wisp_plan_hash(const wisp_plan *plan, const char *dialect, char hash[20]); /* the strategy's, for its system */
bool wisp_plan_takes(const wisp_plan *plan, const char *name);                  /* an argument of this name */
int wisp_plan_value(const wisp_plan *plan, const char *param, int otherwise);

/* Blocks of a launch with these counts, a list that ends with a NULL name; NULL: there are none. */
wisp_status wisp_plan_grid(wisp_error *err, const wisp_plan *plan, const wisp_count *counts, unsigned grid[2]);
/* The same with counts that are names of an environment around the plan's. */
wisp_status wisp_plan_grid_in(wisp_error *err, const wisp_plan *plan, const wisp_env *counts, unsigned grid[2]);

/* Operations that a launch for so many elements executes on a unit, as the space states them; 0 where it states none.
 * least: the operations that the kernel is declared with, for all elements. */
wisp_status wisp_plan_executed(wisp_error *err, const wisp_plan *plan, wisp_exec_unit unit, double elements,
                               double least, double *out);

/* Makes all operands now and keeps them with the plan, so that compiling threads save the launching one the time. */
wisp_status wisp_plan_prepare(wisp_error *err, wisp_plan *plan);

/* The numbers of operand argument i (an index into args): reals or ints, the other output stays unset; caller frees. */
wisp_status wisp_plan_operand(wisp_error *err, const wisp_plan *plan, int arg, size_t *count, double **reals,
                              int **ints);

/* The source, every number written out; dialect "cuda" or "host". */
wisp_status wisp_plan_source(wisp_error *err, const wisp_plan *plan, const char *dialect, wisp_text *out);
/* That of a kernel of solvers or of measurements of a device, templates/FOLDER/NAME.k (docs/reference/spaces.md),
 * behind these lines. It is called wisp_NAME; name: "FOLDER/NAME". gpu: the dialect is a GPU's. */
wisp_status wisp_dialect_source(wisp_error *err, const char *name, wisp_precision precision, const char *lines,
                                const char *dialect, bool gpu, wisp_text *out, size_t *shared_bytes);

/* ---- Requests of candidates to the discretisation that they run on: the values of parameters that their spaces mark
 * by `requires` or `prefers` (the block of a gather of face pairs, how elements are put into blocks). */

enum { WISP_MAX_FIXED = 8 };

/* Zero-initialise: nothing is asked. */
typedef struct wisp_fixed {
  bool made; /* the discretisation is there: what nobody asked for has its value, too */
  int count;
  struct {
    char param[sizeof((wisp_param *)0)->name];
    int value, otherwise; /* where nobody asks */
  } of[WISP_MAX_FIXED];
} wisp_fixed;

/* Adds a parameter's value, unless somebody has asked for one. */
void wisp_fixed_ask(wisp_fixed *fixed, const char *param, int value, int otherwise);
/* Adds what the plan asks for that nobody has asked yet. */
void wisp_fixed_add(wisp_fixed *fixed, const wisp_plan *plan);

/* The value of a parameter; otherwise: where nobody asks. */
int wisp_fixed_value(const wisp_fixed *fixed, const char *param, int otherwise);

/* The same number where they are of one discretisation. */
uint64_t wisp_fixed_number(const wisp_fixed *fixed);

/* Do two plans ask for one discretisation? */
bool wisp_fixed_same(const wisp_plan *a, const wisp_plan *b);

/* Is the plan right beside those that asked for this? */
bool wisp_fixed_suits(const wisp_fixed *fixed, const wisp_plan *plan);

/* The first legal candidate, in the order of the values' lists, that is right on the fixed discretisation (NULL: on
 * any). *out stays as it is where there is none. WISP_EREFUSED where the strategy does not apply. */
wisp_status wisp_plan_first(wisp_error *err, const wisp_strategy *strategy, const wisp_spec *spec,
                            const wisp_layout *layout, const wisp_env *names, const wisp_fixed *fixed, wisp_plan **out);

/* ---- Names that spaces and texts can use, for people. */

/* Prints the names that a candidate's space and text see, a line each with value and meaning (templates/FAMILY/names,
 * templates/dialect/names), then the parts. */
wisp_status wisp_plan_names(wisp_error *err, const wisp_plan *plan, wisp_text *out);
