/* The Helmholtz problem on a device: set-up, conjugate gradients (runtime/solve/cg.h) on the traces, and fields. */
#pragma once

#include "../solve/residual.h"
#include "../solve/solver.h"
#include "helmholtz.h"

typedef enum wisp_trace_preconditioner {
  WISP_TRACE_NONE,
  WISP_TRACE_DIAGONAL,
  WISP_TRACE_BLOCKS,
  WISP_TRACE_LEVELS /* smoothing by the edges' own blocks, and a coarse space (hdg.h) */
} wisp_trace_preconditioner;

/* Ways to apply the matrix: by rows of blocks; element by element, of which half is stored (symmetric), or nothing.
 * Either: symmetric where the set-up leaves the halves and the store says that it is faster, else by rows. */
typedef enum wisp_trace_matrix {
  WISP_TRACE_EITHER,
  WISP_TRACE_ROWS,
  WISP_TRACE_SYMMETRIC,
  WISP_TRACE_UNSTORED
} wisp_trace_matrix;

/* Stages: the set-up, an iteration with its preconditioner, what follows; as compositions for wisp_choose, NULL where
 * the family's stage is meant, whichever is best. setup: what was chosen for it, which is chosen first. */
typedef enum wisp_helmholtz_part {
  WISP_HELMHOLTZ_SETUP,
  WISP_HELMHOLTZ_ITERATION,
  WISP_HELMHOLTZ_FIELDS,
  WISP_HELMHOLTZ_NEXT_RHS, /* the right-hand side of other data, on the same matrix; its stage may be empty */
  WISP_HELMHOLTZ_PARTS
} wisp_helmholtz_part;

typedef struct wisp_helmholtz_method {
  wisp_precision precision;
  wisp_trace_preconditioner preconditioner;
  wisp_trace_matrix matrix;
  double tolerance; /* of the residual, over the right-hand side */
  long long iterations;
  bool narrow;       /* of two levels: the coarse problem's numbers in single precision, whatever the solve's */
  int smoothing;     /* of two levels: the degree of Chebyshev's polynomial before and after the coarse problem */
  const char *setup; /* a composition; NULL: the best */
  long long batch;   /* where the set-up stores matrices inside of elements: of so many at a time; 0: as many as fit */
} wisp_helmholtz_method;
/* The family's kernels of an iteration with two levels, without what is made of the matrix once; that; the fields. */
#define WISP_HELMHOLTZ_CYCLE(applied) applied "+precondition+smooth+residual+restrict+cycle+cycles+prolong"
#define WISP_HELMHOLTZ_NUMBERS "invert+coarsen+galerkin+weigh+sparse_product+coarsest"
#define WISP_HELMHOLTZ_RECOVERY "recover+postprocess|recover_star"

/* The compositions of a part, separated by |. setup: the stage chosen for the set-up; NULL: none yet, any will do. */
const char *wisp_helmholtz_composition(wisp_helmholtz_part part, const wisp_helmholtz_method *method,
                                       const wisp_stage *setup);

typedef struct wisp_helmholtz_outcome {
  wisp_cg_report cg;
  wisp_true_residual residual;
  double seconds[WISP_HELMHOLTZ_PARTS];    /* of each stage, transfers of its data and results not counted */
  double seconds_numbers;                  /* of what the preconditioner is made of, anew for a matrix */
  size_t bytes;                            /* of device memory, guards included */
  size_t part_bytes[WISP_HELMHOLTZ_PARTS]; /* of arrays, each where it is first needed */
} wisp_helmholtz_outcome;

/* Bytes of all arrays on the device, about; WISP_EMEMORY where a device has less, with what others would need, and
 * WISP_EUSAGE for more numbers than kernels count. */
double wisp_helmholtz_bytes(const wisp_helmholtz_method *method, int order, double elements, double edges);
wisp_status wisp_helmholtz_check_memory(wisp_error *err, const wisp_limits *limits, const wisp_helmholtz_method *method,
                                        int order, double elements, double edges);

/* Resolves WISP_TRACE_EITHER to rows where halves beside them do not fit. */
void wisp_helmholtz_resolve_matrix(const wisp_limits *limits, int order, double elements,
                                   wisp_helmholtz_method *method);

/* The stages of so many of the parts, the set-up first, which settles what the others find, and leaves matrices as the
 * iteration's winners ask for them; either way to apply the matrix is settled in method. request: its layout, fixed and
 * own are not looked at, its elements are the mesh's. What is chosen is the caller's to free, also on failure. */
wisp_status wisp_helmholtz_choose(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                                  int parts, wisp_helmholtz_method *method, wisp_stage stage[WISP_HELMHOLTZ_PARTS]);

/* Elements whose matrices inside fit beside all else, as the paper's set-up stores them: all, or a multiple of 32. */
size_t wisp_helmholtz_batch(const wisp_helmholtz_method *method, const wisp_limits *limits, int order, size_t elements,
                            size_t edges);

/* The launches of a set-up. Kernels that store matrices inside of elements go batch by batch, in the same room. */
wisp_status wisp_helmholtz_list_setup(wisp_error *err, const wisp_stage *stage, const wisp_problem *problem,
                                      size_t elements, size_t batch, wisp_launches *to);

typedef struct wisp_helmholtz_solver wisp_helmholtz_solver;

/* Compiles and loads the kernels of all stages and makes all arrays. What is borrowed outlives it. */
wisp_status wisp_helmholtz_solver_create(wisp_error *err, wisp_device *device, const wisp_helmholtz_problem *problem,
                                         wisp_stage stage[WISP_HELMHOLTZ_PARTS], const wisp_helmholtz_method *method,
                                         wisp_helmholtz_solver **out);
void wisp_helmholtz_solver_destroy(wisp_helmholtz_solver *solver);
WISP_OWNED(wisp_helmholtz_solver, wisp_helmholtz_solver_destroy)

/* All stages; the preconditioner's numbers for the first solve alone, as the matrix stays. watch may be NULL. */
wisp_status wisp_helmholtz_solver_run(wisp_error *err, wisp_helmholtz_solver *solver, const wisp_cg_watch *watch,
                                      wisp_helmholtz_outcome *out);

/* Each stage once, with a few iterations, launch by launch, which the watch sees. Data are random meanwhile; matrix and
 * preconditioner are to be made anew. */
wisp_status wisp_helmholtz_rehearse(wisp_error *err, wisp_helmholtz_solver *solver, const wisp_launch_watch *watch);

/* The same in two halves, for many right-hand sides on one matrix: it and what the preconditioner is made of; and a
 * solve for `load` and `given` as they are in the problem's arrays by then, which no number of the matrix is made for.
 * The second needs the stage of WISP_HELMHOLTZ_NEXT_RHS. */
wisp_status wisp_helmholtz_solver_prepare(wisp_error *err, wisp_helmholtz_solver *solver, wisp_helmholtz_outcome *out);
wisp_status wisp_helmholtz_solver_next_rhs(wisp_error *err, wisp_helmholtz_solver *solver, wisp_helmholtz_outcome *out);

/* The true residual of the traces in these arrays, by the reference; in single precision of the rows that were
 * assembled, where they are there and few enough to look at: they are another matrix's. */
wisp_status wisp_helmholtz_residual(wisp_error *err, const wisp_helmholtz_problem *problem, wisp_arrays *arrays,
                                    wisp_precision precision, wisp_true_residual *out);

/* Seconds of one launch of a kernel of a part, by itself, and of copying all that mesh and data say to the device. */
wisp_status wisp_helmholtz_solver_time(wisp_error *err, wisp_helmholtz_solver *solver, wisp_helmholtz_part part,
                                       const char *kernel, double *seconds);
wisp_status wisp_helmholtz_solver_time_copy(wisp_error *err, wisp_helmholtz_solver *solver, double *seconds);

/* Its arrays, the solver's. */
wisp_arrays *wisp_helmholtz_solver_arrays(const wisp_helmholtz_solver *solver);

/* An array of the family's (u, flux, ustar; the trace, as solution), caller's memory. */
wisp_status wisp_helmholtz_field(wisp_error *err, wisp_helmholtz_solver *solver, const char *array, double *values);
size_t wisp_helmholtz_field_size(const wisp_helmholtz_solver *solver, const char *array);

/* ---- The problem as a solver; and wisp_helmholtz of wisp.h, which is the same one. */

typedef struct wisp_helmholtz {
  wisp_solver base;
  wisp_helmholtz_texts data;
  wisp_helmholtz_method method;
  bool by_program;             /* data come from a program, solve after solve */
  const unsigned char *fluxes; /* its edges with a flux, until the mesh is made; NULL: none */
  int32_t *tags;               /* groups of the boundary whose flux is given, or whose u */
  wisp_helmholtz_problem *problem;
  wisp_helmholtz_solver *solver;
  wisp_helmholtz_outcome made, outcome; /* the set-up's, for a program; the last solve's */
  double seconds;                       /* of it */
  double seconds_data;                  /* of the data on the host, edges not counted */
  double *u, *flux, *ustar;
} wisp_helmholtz;

extern const wisp_solver_kind wisp_helmholtz_kind;
