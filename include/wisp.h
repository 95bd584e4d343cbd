/* wisp: tuned, verified, persistent GPU kernels for discontinuous Galerkin and high-order finite element methods.
 *
 * The one public header. Conventions:
 *   - every fallible function takes a wisp_error first, returns a wisp_status, and gives its outputs last;
 *   - handles are opaque, made by a *_create or *_open and given back with *_destroy or *_close (NULL is fine);
 *   - on failure the error's text says what, where and what to do, in one line, and no output is touched;
 *   - nothing here aborts, prints, or keeps state outside a handle, but for a list of those that are open;
 *   - a handle that is NULL, closed, or a parent's before fork gives WISP_EUSAGE, and closing it does nothing;
 *   - handles belong to one thread at a time. On a GPU, functions that reach it make its context current there.
 *   - docs/guide/library.md shows it at work: solving, tuned kernels, whole operators. */
#ifndef WISP_H
#define WISP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WISP_VERSION "0.1.0"

typedef enum wisp_status {
  WISP_OK = 0,
  WISP_EUSAGE,   /* the request has no meaning (order 0, unknown option): exit status 2 */
  WISP_EINPUT,   /* a file or value from outside is wrong */
  WISP_EMEMORY,  /* no memory, here or on the device */
  WISP_ESYSTEM,  /* the operating system refused: open, write, fork, dlopen */
  WISP_EDEVICE,  /* a device or its driver failed or is missing */
  WISP_ECOMPILE, /* a kernel did not compile */
  WISP_EWRONG,   /* a kernel's result is not the reference's */
  WISP_ESTORE,   /* the tuning store is corrupt, foreign, newer or cannot be written */
  WISP_EREFUSED, /* a candidate does not apply here: an ordinary answer, with a reason */
  WISP_EMISSING  /* what was looked for is not there */
} wisp_status;

/* One failure: its status and one line of text. Zero-initialise it; reuse is fine. */
typedef struct wisp_error {
  wisp_status status;
  char text[1024];
} wisp_error;

typedef enum wisp_precision { WISP_F32 = 4, WISP_F64 = 8 } wisp_precision; /* the value is the size in bytes */

/* A struct that a caller fills begins with its size, so that later versions can add members. A member that is not named
 * is 0 and takes the value in parentheses: {WISP_INIT(wisp_session_request), .device = "host"}. */
#define WISP_INIT(type) .size = sizeof(type)

/* A remark about a mesh's file: what of it has no effect, or what was changed (docs/guide/meshes.md). Both texts live
 * as long as what they were asked of. */
typedef struct wisp_mesh_note {
  const char *key;  /* a word for programs: "periodic" */
  const char *text; /* a line for people */
} wisp_mesh_note;

/* The version of the library that runs; WISP_VERSION is the header's. */
const char *wisp_version(void);

/* --- a session: a device, the store and the kernels' texts, opened once for kernels and operators --- */

typedef struct wisp_session wisp_session;

typedef struct wisp_session_request {
  size_t size;          /* WISP_INIT */
  const char *device;   /* as `wisp devices` names them ("auto": the first GPU, else the host) */
  void *context;        /* in place of a name: a CUcontext of the caller's, who keeps it (the device's primary one) */
  void *stream;         /* with it: the CUstream for what is given no other (the context's default stream) */
  const char *store;    /* the user's store file (the default place); site and shipped entries are read in any case */
  const char *command;  /* the program that tunes (`wisp` where this library was installed, else on the PATH) */
  int exact_match_only; /* 1: WISP_EMISSING unless a kernel has an entry of this device, driver and compiler */
  int defaults_only;    /* 1: no store is read, as if nothing had been measured */
} wisp_session_request;

/* A store that is damaged, held by another process, not to be read or not there is no error: the session goes on with
 * the other layers, and says so (wisp_session_note). The first call sets what OpenMP reads
 * (OMP_STACKSIZE, OMP_WAIT_POLICY) where the environment lacks it, and nothing is set later: make it before threads of
 * your own start that read the environment. Threads may open sessions at once. */
wisp_status wisp_session_open(wisp_error *err, const wisp_session_request *request, wisp_session **out);
/* Objects that are still open can be closed afterwards; their other calls say that the session is closed. */
void wisp_session_close(wisp_session *session);

/* A note for people on the store: each file that is not used, and why, a line each. The text lives until the session is
 * closed or has tuned. NULL: nothing is odd. */
const char *wisp_session_note(const wisp_session *session);

/* Waits for all that was launched in the session's stream; WISP_EDEVICE where some of it failed. */
wisp_status wisp_session_finish(wisp_error *err, wisp_session *session);

/* Tunes what a spec names, a kernel (`nodal.volume:tet:p4:maxwell:f64`) or a whole step (`nodal.step:...`), for some
 * `seconds`, on the session's device, into its store, which is read anew: kernels that are opened from then on have
 * what won. A process of its own does it, and this one waits. WISP_EMISSING: there is no command; else its last line.
 */
wisp_status wisp_session_tune(wisp_error *err, wisp_session *session, const char *spec, double seconds);

/* Memory of the session's device, for a program that has none of its own there: on the host plain memory. */
wisp_status wisp_memory_create(wisp_error *err, wisp_session *session, size_t bytes, void **out);
void wisp_memory_destroy(wisp_session *session, void *memory);
wisp_status wisp_memory_put(wisp_error *err, wisp_session *session, void *to, const void *from, size_t bytes);
wisp_status wisp_memory_get(wisp_error *err, wisp_session *session, void *to, const void *from, size_t bytes);

/* The candidate that a kernel runs. Texts live as long as the kernel, or whatever they were asked of. */
typedef struct wisp_kernel_info {
  const char *kernel, *strategy, *params, *layout;
  const char *match; /* "exact", "other driver", "same architecture", "default" */
  const char *layer; /* "user", "site", "shipped", "none" */
  const char *note;  /* why a better match was not taken: stale, refused, it did not compile or load; else empty */
} wisp_kernel_info;

/* --- solvers: a problem on a device, run by the kernels that the tuning store knows, or by defaults --- */
typedef struct wisp_solver wisp_solver;

/* An option of `wisp run PROBLEM`, by its long name: {"preconditioner", "jacobi"}. */
typedef struct wisp_solver_setting {
  const char *name, *value; /* of a flag any text */
} wisp_solver_setting;

typedef struct wisp_solver_request {
  size_t size;               /* WISP_INIT */
  const char *problem;       /* "poisson", "heat", "helmholtz"; or a system of equations, such as "maxwell" */
  int order;                 /* polynomial degree of the elements */
  wisp_precision precision;  /* of the device's arithmetic (WISP_F64) */
  const char *mesh;          /* a Gmsh file (the unit box) */
  const char *box;           /* cells along an edge of the unit box, "8", as the command's --box (the command's) */
  size_t vertices, elements; /* in place of both the caller's own mesh: */
  const double *xyz;         /* its vertices, xyz[3 v + c], */
  const int *corners;        /* and of element e the vertices corners[C e + c], C = 3, 4 or 8 */
  double merge;              /* join the file's nodes that are closer than this, in its unit of length (0: none) */
  int cracks;                /* 1: faces of the file's boundary may lie on one another (0: WISP_EINPUT) */
  const wisp_solver_setting *settings; /* the problem's options; ends with a NULL name (NULL: none) */
} wisp_solver_request;

/* Makes the mesh, chooses and compiles the kernels, takes memory. WISP_EUSAGE for a setting that the problem lacks. */
wisp_status wisp_solver_create(wisp_error *err, wisp_session *session, const wisp_solver_request *request,
                               wisp_solver **out);
void wisp_solver_destroy(wisp_solver *solver);
/* Candidates that were tried, seconds, and the time of a whole stage by kernels of before and of now (0: not timed). */
typedef struct wisp_tuning {
  long long trials;
  double seconds, before_ms, after_ms;
} wisp_tuning;
/* wisp_session_tune of a solver's kernels, on its file's mesh or an irregular box; create it anew for what won. */
wisp_status wisp_solver_tune(wisp_error *err, const wisp_solver *solver, double seconds, wisp_tuning *out);

/* The end of a run; a member that is 0 follows from the settings. */
typedef struct wisp_until {
  size_t size;      /* WISP_INIT */
  long long steps;  /* in time: this many more; of an iteration: at most so many */
  double time;      /* in time: to this one, the last step exactly */
  double dt;        /* the length of a step in time */
  double tolerance; /* of an iteration: of the residual over the right-hand side */
  void (*progress)(void *context, double share, const char *text); /* how far it is, 0 to 1 (NULL: nobody asks) */
  void *context;                                                   /* its first argument */
} wisp_until;

/* Solves, or goes on in time, and returns when that is done. until NULL: as the settings say. WISP_EWRONG where an
 * iteration does not converge, its true residual is too large, or fields are not finite: the step was too long. */
wisp_status wisp_solver_advance(wisp_error *err, wisp_solver *solver, const wisp_until *until);

/* A row of the report, as `wisp run --json` has it. */
typedef enum wisp_row_kind {
  WISP_ROW_NUMBER, /* rows with the same key after one another are a list */
  WISP_ROW_TEXT,
  WISP_ROW_TRUTH,  /* value: 1 or 0 */
  WISP_ROW_LINE,   /* text: for people alone */
  WISP_ROW_KERNELS /* the place of a table of kernels among the lines; value: of which part */
} wisp_row_kind;
typedef struct wisp_solver_row {
  wisp_row_kind kind;
  const char *key;  /* "l2_error"; NULL: a line */
  double value;     /* NaN: not known */
  const char *unit; /* "s"; "" for none */
  const char *text; /* NULL: none */
} wisp_solver_row;

/* The i-th row of a report of the state now, which is made when row 0 is asked for, its texts living until then; or the
 * number of a key in a report that is made anew. WISP_EMISSING behind the last, and for another key. */
wisp_status wisp_solver_report_row(wisp_error *err, wisp_solver *solver, size_t i, wisp_solver_row *out);
wisp_status wisp_solver_number(wisp_error *err, wisp_solver *solver, const char *key, double *out);

/* The fields now, at the points of each element: xyz[3 (e points + i) + c], value[f][e points + i]; until the next
 * call. They are written for ParaView, as .vtu. */
typedef struct wisp_fields {
  int corners, order, *region; /* of an element, 3, 4 or 8; of polynomials; each element's first group, or NULL */
  size_t elements, points, count;
  const char **name;          /* of each field */
  double *xyz, **value, time; /* NaN: there is no time */
} wisp_fields;
wisp_status wisp_solver_fields(wisp_error *err, wisp_solver *solver, const wisp_fields **out);
wisp_status wisp_solver_write(wisp_error *err, wisp_solver *solver, const char *path);

/* Values of a problem in time: K elements of Np nodes, which stand at xyz[3 (k Np + i) + c], n fields, u[(f K + k) Np +
 * i], elements in the mesh's order. */
typedef struct wisp_solver_sizes {
  size_t elements, nodes, fields;
  const char *const *name; /* of each field */
} wisp_solver_sizes;
wisp_status wisp_solver_size(wisp_error *err, const wisp_solver *solver, wisp_solver_sizes *out);
wisp_status wisp_solver_nodes(wisp_error *err, const wisp_solver *solver, double *xyz);
/* Sets all fields, name NULL, in place of the start that the settings say; or a coefficient of the equations, "rho", by
 * element: K positive numbers, from 1e-30 to 1e30 (in single precision from 1e-15 to 1e15). Then fields are zero, and
 * the stable time step is another. */
wisp_status wisp_solver_set(wisp_error *err, wisp_solver *solver, const char *name, const double *values);
wisp_status wisp_solver_get(wisp_error *err, wisp_solver *solver, double *u);

/* Its i-th kernel, and the i-th remark about the mesh and the data; WISP_EMISSING behind the last. */
wisp_status wisp_solver_kernel(wisp_error *err, const wisp_solver *solver, size_t i, wisp_kernel_info *info);
wisp_status wisp_solver_note(wisp_error *err, const wisp_solver *solver, size_t i, wisp_mesh_note *note);

/* The i-th option of a problem; WISP_EMISSING behind the last. */
typedef enum wisp_option_kind {
  WISP_OPTION_TEXT,
  WISP_OPTION_FLAG,
  WISP_OPTION_INTEGER,
  WISP_OPTION_REAL,
  WISP_OPTION_CHOICE,
  WISP_OPTION_FILE
} wisp_option_kind;
typedef struct wisp_solver_option {
  const char *name;
  wisp_option_kind kind;
  const char *argument; /* what help calls its value, "K"; NULL: a flag */
  const char *help;
  const char *value;   /* where none is given, "1e-10"; of either precision "1e-10; f32: 1e-5"; NULL: none */
  const char *unset;   /* what then happens, for people: "the store's choice"; "": help says it; NULL: the value does */
  double least, most;  /* of a number */
  const char *choices; /* words of which it is one, "none jacobi"; endings of a file, ".vtu" */
  const char *beside;  /* of a file: another is written, its name with this before the ending, "_b"; NULL: none */
  char letter;         /* of the command's short form; 0: none */
} wisp_solver_option;
wisp_status wisp_solver_option_at(wisp_error *err, const char *problem, size_t i, wisp_solver_option *out);

/* --- a tuned kernel on the caller's arrays --- */

typedef struct wisp_kernel wisp_kernel;

typedef struct wisp_kernel_request {
  size_t size;        /* WISP_INIT */
  const char *layout; /* the fastest in this layout ("node-km4-pad144"); NULL: of all layouts */
  long long elements; /* of the problem: of the nearest size that was measured */
} wisp_kernel_request;

/* Opens the winner for the spec on the session's device, else the default: compiled, loaded, its operands packed and
 * uploaded. request may be NULL. WISP_EINPUT, WISP_EUSAGE: there is no such spec. */
wisp_status wisp_kernel_open(wisp_error *err, wisp_session *session, const char *spec,
                             const wisp_kernel_request *request, wisp_kernel **out);
void wisp_kernel_close(wisp_kernel *kernel);

/* Which strategy it is, and how well its entry matches. Texts live as long as the kernel is open, here and below. */
wisp_status wisp_kernel_describe(wisp_error *err, const wisp_kernel *kernel, wisp_kernel_info *info);

typedef enum wisp_argument_kind {
  WISP_ARGUMENT_IN,      /* an array that it reads, */
  WISP_ARGUMENT_OUT,     /* writes, */
  WISP_ARGUMENT_INOUT,   /* both */
  WISP_ARGUMENT_OPERAND, /* an array that wisp has made and bound */
  WISP_ARGUMENT_SCALAR   /* a number; counts of a launch are taken from there */
} wisp_argument_kind;

typedef enum wisp_number_kind {
  WISP_NUMBER_INT,
  WISP_NUMBER_FLOAT,
  WISP_NUMBER_DOUBLE,
  WISP_NUMBER_UINT8,
  WISP_NUMBER_UINT16
} wisp_number_kind;

typedef struct wisp_argument {
  const char *name, *meaning;
  wisp_argument_kind kind;
  wisp_number_kind number;
  const char *size;   /* of an array, in numbers: an expression over the counts of a launch: "groups*6*144" */
  const void *memory; /* where an operand lies on the device, or what is bound; NULL: nothing is */
} wisp_argument;

/* The i-th argument; WISP_EMISSING behind the last. */
wisp_status wisp_kernel_argument(wisp_error *err, const wisp_kernel *kernel, size_t i, wisp_argument *out);

/* Counts of a launch: "elements", or "groups", the last of which may have empty places; other names that sizes use, and
 * no others; for kernels that ask, which group is the "first" (0). Each at most once; a NULL name ends a list. */
typedef struct wisp_count {
  const char *name;
  size_t value;
} wisp_count;

/* Numbers of an array in such a launch. */
wisp_status wisp_kernel_size(wisp_error *err, const wisp_kernel *kernel, const char *argument, const wisp_count *counts,
                             size_t *numbers);

/* Blocks and threads of such a launch, and bytes of dynamic shared memory. On the host a block is a call. */
wisp_status wisp_kernel_shape(wisp_error *err, const wisp_kernel *kernel, const wisp_count *counts, unsigned grid[3],
                              unsigned block[3], size_t *shared);

/* The layout of fields. The number of field f at node i of element k is
 *
 *     (k / per_group * fields + f) * stride + k % per_group * element_stride + i * node_stride
 *
 * in all arrays that are laid out as fields; other arrays' meanings describe theirs. */
typedef struct wisp_field_layout {
  size_t fields, nodes, per_group, stride, element_stride, node_stride;
} wisp_field_layout;
wisp_status wisp_kernel_layout(wisp_error *err, const wisp_kernel *kernel, wisp_field_layout *out);
size_t wisp_field_address(const wisp_field_layout *layout, size_t f, size_t k, size_t i); /* SIZE_MAX: no layout */

/* The name of field f, "Ex"; NULL behind the last, and where a family's fields have none. */
const char *wisp_kernel_field(const wisp_kernel *kernel, size_t f);

/* The nodes of the reference element, -1 to 1 in each direction: rst[3 i + c]. */
wisp_status wisp_kernel_nodes(wisp_error *err, const wisp_kernel *kernel, double *rst);

/* Binds an array of `numbers` numbers: the caller's memory on the session's device, at a multiple of 16 bytes, until
 * another is bound. On the host an array lies in plain memory. Arrays of a kernel must not overlap. */
wisp_status wisp_kernel_bind(wisp_error *err, wisp_kernel *kernel, const char *argument, const void *memory,
                             size_t numbers);
/* Sets a scalar, rounded to its type. WISP_EUSAGE outside the range that docs/reference/verification.md lists. */
wisp_status wisp_kernel_set(wisp_error *err, wisp_kernel *kernel, const char *argument, double value);

/* Launches it, in the session's stream or that CUstream, and returns at once; on the host when it is done. WISP_EUSAGE
 * where nothing is bound to an argument, or an array is smaller than these counts need. */
wisp_status wisp_kernel_launch(wisp_error *err, wisp_kernel *kernel, const wisp_count *counts, void *stream);

/* --- whole operators: y = A x on the caller's mesh --- */

typedef struct wisp_operator wisp_operator;

/* Mass or stiffness on hexes, of the tensor family, whose vertices stand at xyz[3 v + c]; hex k has the corners
 * corners[8 k + r + 2 s + 4 t], r, s, t = 0, 1 along its edges, right-handed. */
typedef struct wisp_operator_request {
  size_t size;      /* WISP_INIT */
  const char *spec; /* tensor.mass (BP1), .stiffness (BP3), .collocated (BP5), or those with _trilinear behind, which
                       compute the geometry as they go: "tensor.collocated:hex:p7:poisson:f64" */
  size_t vertices, elements;
  const double *xyz;
  const int *corners;
  double lambda; /* of a stiffness: -laplace + lambda */
  int assembled; /* 1: x and y have a number for each node of the mesh; 0: for each node of each element */
} wisp_operator_request;

/* Reads the mesh, computes the geometry, opens the kernels. WISP_EINPUT for a mesh that is degenerate or, to be
 * assembled, does not conform; WISP_EUSAGE where _trilinear has to leave the range of float, edges being shorter than
 * about 1e-9 or longer than about 5e8. */
wisp_status wisp_operator_create(wisp_error *err, wisp_session *session, const wisp_operator_request *request,
                                 wisp_operator **out);
void wisp_operator_destroy(wisp_operator *op);

/* Numbers of x and y. In an element nodes are Gauss-Lobatto-Legendre's, r fastest. */
wisp_status wisp_operator_size(wisp_error *err, const wisp_operator *op, size_t *numbers);
/* The nodes' places, xyz[3 i + c], and the diagonal of A; on the host, caller's memory. */
wisp_status wisp_operator_nodes(wisp_error *err, const wisp_operator *op, double *xyz);
wisp_status wisp_operator_diagonal(wisp_error *err, const wisp_operator *op, double *diagonal);
/* y = A x: arrays of the spec's precision in the caller's memory, as wisp_kernel_bind wants it, not the same one. */
wisp_status wisp_operator_apply(wisp_error *err, wisp_operator *op, const void *x, void *y, void *stream);
/* Its i-th kernel; WISP_EMISSING behind the last. */
wisp_status wisp_operator_kernel(wisp_error *err, const wisp_operator *op, size_t i, wisp_kernel_info *info);

/* --- sparse matrices: assembled on the device as often as wanted, into the caller's array --- */

typedef struct wisp_matrix wisp_matrix;

/* A_ij = int kappa grad phi_i . grad phi_j + mass int phi_i phi_j, F_i = int f phi_i - sum over fixed j of A_ij u_j, of
 * continuous elements on triangles or tets (docs/guide/heat.md). Element e has the vertices corners[C e + c], C =
 * 3 or 4, counter-clockwise, or right-handed. */
typedef struct wisp_matrix_request {
  size_t size;      /* WISP_INIT */
  const char *spec; /* element, order 1..5, form and precision: "assembly.step:tri:p2:laplace:f64" */
  size_t vertices, elements;
  const double *xyz; /* xyz[3 v + c]; triangles lie in a plane, to 1e-9 of their extent */
  const int *corners;
  const unsigned char *fixed; /* a byte a vertex: edges, or faces, of the boundary whose vertices all have one that is
                                 not 0 are fixed, with all their nodes (nothing is) */
  const char *mesh;           /* a Gmsh file in place of these five */
  const int *tags;            /* with it: numbers of the physical groups of its boundary that are fixed, */
  size_t tag_count;           /* so many */
  int reproducible;           /* 1: the same bits each time */
  const char *groups;         /* in place of tags: their names or numbers, "inlet,3,\"air gap\"" */
  double merge;               /* of a file, as of wisp_solver_request */
  int cracks;
} wisp_matrix_request;

/* Numbers the nodes and makes the pattern, opens the kernels, takes the device's memory for their lists. Rows are the
 * nodes that are not fixed: vertices in the caller's order, then nodes inside edges, faces and elements. WISP_EINPUT
 * for a mesh that is degenerate or does not conform, numbers of vertices out of range, a fixed vertex that is on no
 * fixed edge or face; WISP_EUSAGE for more than 2^31 - 1 nonzeros, or than memory holds, and where float has no range
 * for tets, whose edges are shorter than about 1e-9 or longer than about 5e8. */
wisp_status wisp_matrix_create(wisp_error *err, wisp_session *session, const wisp_matrix_request *request,
                               wisp_matrix **out);
void wisp_matrix_destroy(wisp_matrix *matrix);

/* nodes: rows, and behind them those that are fixed. */
typedef struct wisp_matrix_counts {
  size_t rows, nonzeros, nodes;
} wisp_matrix_counts;
wisp_status wisp_matrix_size(wisp_error *err, const wisp_matrix *matrix, wisp_matrix_counts *out);

/* The nodes' places, xyz[3 i + c], and the nodes of each element, node[e Np + a]; on the host, caller's memory, either
 * may be NULL. nodes_of_element (may be NULL): Np. */
wisp_status wisp_matrix_nodes(wisp_error *err, const wisp_matrix *matrix, double *xyz, int *node,
                              size_t *nodes_of_element);

/* Compressed rows, columns ascending: row_start[rows + 1] and columns[nonzeros] on the host, caller's memory; and the
 * row of each nonzero, as coordinate format wants it. Any may be NULL. */
wisp_status wisp_matrix_pattern(wisp_error *err, const wisp_matrix *matrix, int *row_start, int *columns, int *rows);

/* The same two on the device, as long as the matrix is there; not to be written to. */
wisp_status wisp_matrix_pattern_on_device(wisp_error *err, const wisp_matrix *matrix, const int **row_start,
                                          const int **columns);

/* The data of a form. Arrays are the caller's, of the spec's precision on the device, at multiples of 16 bytes. */
typedef struct wisp_matrix_data {
  size_t size;     /* WISP_INIT */
  double kappa[3]; /* a number; or, by nodes, what the form makes of them: kappa[0] + kappa[1] u + kappa[2] u^2 */
  double density;  /* f where it is a number */
  double mass;
  const void *of_elements; /* kappa by elements: a number each, or its matrix, xx xy yy (xx xy yy xz yz zz) */
  const void *f, *u;       /* at all nodes; u NULL: 0 at fixed nodes */
} wisp_matrix_data;

/* Enqueues an assembly in the session's stream or that CUstream: values, nonzeros numbers, and F, rows numbers, of the
 * caller, as data's arrays are. WISP_EUSAGE where the form needs an array that is NULL, or kappa is not positive. */
wisp_status wisp_matrix_assemble(wisp_error *err, wisp_matrix *matrix, const wisp_matrix_data *data, void *values,
                                 void *F, void *stream);
/* Its i-th kernel, and the i-th remark about the mesh's file; WISP_EMISSING behind the last. */
wisp_status wisp_matrix_kernel(wisp_error *err, const wisp_matrix *matrix, size_t i, wisp_kernel_info *info);
wisp_status wisp_matrix_note(wisp_error *err, const wisp_matrix *matrix, size_t i, wisp_mesh_note *note);

/* --- the Helmholtz problem on triangles: set up once, solved for as many right-hand sides as wanted --- */

typedef struct wisp_helmholtz wisp_helmholtz;

/* -div(kappa grad u) + lambda u = f by hybridized DG (docs/results/hdg.md), of a program's triangles or a file's. Edge
 * l of a triangle leads from its corner l to the next. */
typedef struct wisp_helmholtz_input {
  size_t size;                 /* WISP_INIT */
  const unsigned char *fluxes; /* of a program's mesh: a byte for edge l of triangle e at 3 e + l, of which those of the
                                  boundary count: not 0: kappa du/dn is given there, 0: u is (u everywhere) */
  const double *kappa, *lambda; /* of each triangle, positive; 0 or positive (by the settings) */
} wisp_helmholtz_input;

/* Numbers edges, takes the kernels and the device's memory, condenses, assembles, and makes the preconditioner, as the
 * request of the problem "helmholtz" says. input may be NULL. WISP_EINPUT for a mesh that is degenerate or does not
 * conform; WISP_EUSAGE for an order, a coefficient, a name or a size that cannot be. */
wisp_status wisp_helmholtz_create(wisp_error *err, wisp_session *session, const wisp_solver_request *request,
                                  const wisp_helmholtz_input *input, wisp_helmholtz **out);
void wisp_helmholtz_destroy(wisp_helmholtz *problem);

typedef struct wisp_helmholtz_counts {
  size_t elements, edges, unknowns; /* unknowns: of the traces that are not given */
  size_t modes, star_modes;         /* of u, and of each part of the flux; of u* */
  size_t points;                    /* of a triangle, where f is asked for */
  size_t boundary, edge_points;     /* edges of the boundary; points of each, where u or the flux is asked for */
  size_t load, given;               /* numbers of what a solve takes, */
  size_t u, flux, ustar, trace;     /* and of what it leaves */
} wisp_helmholtz_counts;
wisp_status wisp_helmholtz_size(wisp_error *err, const wisp_helmholtz *problem, wisp_helmholtz_counts *out);

/* The points of data, on the host, caller's memory, each may be NULL: f at xyz[3 (e points + q) + c]; on edge i of the
 * boundary at edge_xyz[3 (i edge_points + q) + c], which is edge[i] = 3 triangle + its edge. */
wisp_status wisp_helmholtz_points(wisp_error *err, const wisp_helmholtz *problem, double *xyz, double *edge_xyz,
                                  int *edge);

/* Makes what a solve takes from values there, on the host: f[e points + q]; of edge i u, or kappa du/dn, at
 * on_boundary[i edge_points + q]; NULL: 0. load and given: memory on the session's device, of the spec's precision. */
wisp_status wisp_helmholtz_integrate(wisp_error *err, const wisp_helmholtz *problem, const double *f,
                                     const double *on_boundary, void *load, void *given);

/* Arrays of the spec's precision in memory on the session's device; NULL: 0, or not wanted. Modes are orthonormal on
 * the triangle (-1, -1), (1, -1), (-1, 1); number i of `w` of triangle e stands at ((e / 32) w + i) 32 + e % 32. */
typedef struct wisp_helmholtz_data {
  size_t size;            /* WISP_INIT */
  const void *load;       /* the integrals of f times each mode, w = modes */
  const void *given;      /* of each edge, as wisp_helmholtz_integrate leaves it */
  void *u, *flux, *ustar; /* w = modes; 2 modes: of kappa du/dx, then du/dy; star_modes, one degree more */
  void *trace;            /* at the unknowns */
} wisp_helmholtz_data;

/* Seconds, and bytes on the device, by stage. Those of the first three are the set-up's, the same each time. */
typedef struct wisp_helmholtz_report {
  long long iterations;
  double residual, true_residual; /* over the right-hand side; of b - A x by another path, in double */
  double seconds_mesh, seconds_setup, seconds_preconditioner;    /* edges, on the host; condense and assemble */
  double seconds_right_side, seconds_iterations, seconds_fields; /* of this solve */
  size_t bytes_setup, bytes_iterations, bytes_fields;            /* each array where it is first needed */
} wisp_helmholtz_report;

/* Solves for these data, in the session's stream, and returns when that is done: no element is condensed anew. Where a
 * piece of the mesh has no edge whose u is given, and lambda is 0 there, u is the one of mean 0, and data that do not
 * balance are WISP_EUSAGE. WISP_EWRONG where it does not converge, or by its true residual. out may be NULL. */
wisp_status wisp_helmholtz_solve(wisp_error *err, wisp_helmholtz *problem, const wisp_helmholtz_data *data,
                                 wisp_helmholtz_report *out);

/* Values, on the host, of modes that a solve has left on the device, "u", "flux" or "ustar", at `count` points
 * rs[2 q + c] of every triangle, r and s from -1: values[e count + q], of the flux values[2 (e count + q) + c]. */
wisp_status wisp_helmholtz_values(wisp_error *err, const wisp_helmholtz *problem, const char *field, const void *modes,
                                  size_t count, const double *rs, double *values);

/* The same as a solver: its kernels, and remarks about the mesh's file. */
const wisp_solver *wisp_helmholtz_as_solver(const wisp_helmholtz *problem);

#ifdef __cplusplus
}
#endif
#endif
