/* One interface for all that is solved: a table for each kind of problem. The command line, its help and wisp.h read
 * the same table, so that nothing of a problem is said twice. The list of the tables is runtime/api/solvers.c.
 *
 * A solver is made in two steps: wisp_solver_begin reads the request, and needs no device; wisp_solver_open makes the
 * mesh, chooses the kernels and takes the device's memory. */
#pragma once

#include "../api/api.h"
#include "../mesh/fields.h"
#include "../mesh/source.h"
#include "cg.h"

enum { WISP_SOLVER_STAGES = 6, WISP_SOLVER_OPTIONS = 32, WISP_REHEARSED_ITERATIONS = 3 };

/* Progress: the share of the work that is done (0 to 1; NaN: not known), and the work now. NULL: nobody asks. */
typedef struct wisp_watch {
  void (*progress)(void *context, double share, const char *text);
  void *context;
  bool (*stops)(void *context); /* whether the solve shall end early; NULL: it shall not */
} wisp_watch;
void wisp_watch_report(const wisp_watch *watch, double share, const char *text);

/* ---- The report: rows for programs, with a key, and lines for people, without one, in the order of printing. */

typedef struct wisp_solver_report {
  wisp_solver_row *row;
  size_t count, capacity;
} wisp_solver_report;

typedef struct wisp_report_number {
  const char *key, *unit;
  double value;
} wisp_report_number;
wisp_status wisp_report_numbers(wisp_error *err, wisp_solver_report *to, size_t count,
                                const wisp_report_number *numbers);
/* A text, NULL for none; whether something holds. */
wisp_status wisp_report_text(wisp_error *err, wisp_solver_report *to, const char *key, const char *text);
wisp_status wisp_report_truth(wisp_error *err, wisp_solver_report *to, const char *key, bool truth);
/* A line with a label of one word, "" where it goes on from the line before. */
__attribute__((format(printf, 4, 5))) wisp_status wisp_report_line(wisp_error *err, wisp_solver_report *to,
                                                                   const char *label, const char *format, ...);
/* The place of the table of a stage's kernels. */
wisp_status wisp_report_kernels(wisp_error *err, wisp_solver_report *to, int stage);

/* ---- A kind of problem. */

/* Rows of its table of options. */
#define WISP_ROW(...) \
  {                   \
    __VA_ARGS__       \
  }
#define WISP_LETTER_ROW(key, n, a, v, u, h) \
  WISP_ROW(.name = n, .argument = a, .value = v, .unset = u, .help = h, .letter = key)
#define WISP_TEXT_ROW(n, a, v, u, h) WISP_LETTER_ROW(0, n, a, v, u, h)
#define WISP_FLAG_ROW(n, h) WISP_ROW(.name = n, .kind = WISP_OPTION_FLAG, .help = h)
#define WISP_NUMBER_ROW(k, n, a, low, high, v, u, h) \
  WISP_ROW(.name = n, .kind = k, .argument = a, .least = low, .most = high, .value = v, .unset = u, .help = h)
#define WISP_INTEGER_ROW(n, a, low, high, v, u, h) WISP_NUMBER_ROW(WISP_OPTION_INTEGER, n, a, low, high, v, u, h)
#define WISP_REAL_ROW(n, a, low, high, v, u, h) WISP_NUMBER_ROW(WISP_OPTION_REAL, n, a, low, high, v, u, h)
#define WISP_CHOICE_ROW(n, a, c, v, u, h) \
  WISP_ROW(.name = n, .kind = WISP_OPTION_CHOICE, .argument = a, .choices = c, .value = v, .unset = u, .help = h)
#define WISP_FILE_ROW(key, n, c, b, h) \
  WISP_ROW(.name = n, .kind = WISP_OPTION_FILE, .argument = "FILE", .choices = c, .beside = b, .help = h, .letter = key)

typedef struct wisp_solver_kind {
  const char *problem; /* "poisson"; NULL: each that `knows` */
  const char *family;
  bool divides;                     /* several ranks can solve it, each a part of the mesh */
  size_t bytes;                     /* of a solver, which begins with a wisp_solver */
  const wisp_solver_option *option; /* its own options; the list ends with a NULL name */
  bool (*knows)(const char *problem);
  /* Options of one problem alone, NULL: none: lines of help; and one of them, WISP_EMISSING for an unknown name. */
  wisp_status (*list)(wisp_error *err, const char *problem, wisp_text *lines);
  wisp_status (*take)(wisp_error *err, wisp_solver *solver, const char *name, const char *value);
  /* Reads the options, which have the table's form. Sets corners, and the box where none is asked for. */
  wisp_status (*read)(wisp_error *err, wisp_solver *solver);
  /* The kernels, for a mesh of so many vertices, edges, faces and cells, and whether it fits the device. */
  wisp_status (*choose)(wisp_error *err, wisp_solver *solver, const size_t count[4]);
  wisp_status (*build)(wisp_error *err, wisp_solver *solver, const wisp_watch *watch); /* the mesh is there */
  /* The state before the first step, unless it is there; NULL: nothing. */
  wisp_status (*start)(wisp_error *err, wisp_solver *solver);
  /* Solves, or goes on in time; until NULL: by the options. A solve that misses its goal fails and sets `reports`. */
  wisp_status (*advance)(wisp_error *err, wisp_solver *solver, const wisp_until *until, const wisp_watch *watch);
  /* A few whole stages or iterations on random data, launch by launch, which the watch of its problem sees; what the
   * solver begins with is there again afterwards, unless it fails. */
  wisp_status (*rehearse)(wisp_error *err, wisp_solver *solver, const wisp_launch_watch *watch);
  wisp_status (*report)(wisp_error *err, wisp_solver *solver, wisp_solver_report *to);
  /* The fields at the points of each element; NULL: a kind has none to write. */
  wisp_status (*fields)(wisp_error *err, wisp_solver *solver, wisp_fields *out);
  void (*release)(wisp_solver *solver); /* what the kind has added */
  /* Values that programs exchange, as wisp.h has them; NULL: none. */
  wisp_status (*size)(wisp_error *err, const wisp_solver *solver, wisp_solver_sizes *out);
  wisp_status (*nodes)(wisp_error *err, const wisp_solver *solver, double *xyz);
  wisp_status (*set)(wisp_error *err, wisp_solver *solver, const char *name, const double *values);
  wisp_status (*get)(wisp_error *err, wisp_solver *solver, double *u);
} wisp_solver_kind;

/* Wall time by part, in seconds. */
typedef struct wisp_solver_seconds {
  double mesh, choice, compilation, setup; /* that opening it took */
  double solution, output;                 /* of all runs, and of writing fields */
} wisp_solver_seconds;

struct wisp_solver {
  wisp_handle handle;
  const wisp_solver_kind *kind;
  const wisp_session *session; /* NULL: it is not open */
  char *problem;
  char *value[WISP_SOLVER_OPTIONS]; /* of each option of the table; NULL: not given */
  int order;
  wisp_precision precision;
  bool exact;              /* kernels have entries of this device, driver and compiler alone */
  wisp_mesh_source source; /* its texts are borrowed until the mesh is made */
  char *mesh_name;         /* the file's, or "box" */
  int corners;             /* of an element */
  wisp_mesh *mesh;
  wisp_stage stage[WISP_SOLVER_STAGES];
  int nodes; /* of an element */
  double unknowns;
  const char *unknown; /* what they are called, "DOFs" */
  wisp_solver_seconds seconds;
  bool own_mesh; /* the mesh is a program's, and in `mesh` by wisp_solver_open */
  bool stopped;  /* the solve ended early, as the watch asked for */
  bool reports;  /* the solve that failed has a report */
  wisp_solver_report report;
  wisp_fields fields;
};

/* ---- Options: the value that was given, else the table's. */

bool wisp_solver_given(const wisp_solver *solver, const char *name);        /* a flag's value as well */
const char *wisp_solver_text(const wisp_solver *solver, const char *name);  /* NULL: none */
double wisp_solver_real(const wisp_solver *solver, const char *name);       /* NaN: none */
long long wisp_solver_integer(const wisp_solver *solver, const char *name); /* -1: none */
int wisp_solver_choice(const wisp_solver *solver, const char *name);        /* the word's number */
/* Texts as numbers. WISP_EUSAGE, with the option's name, for what is none, or out of range. */
wisp_status wisp_value_integer(wisp_error *err, const char *name, const char *text, long long least, long long most,
                               long long *out);
wisp_status wisp_value_real(wisp_error *err, const char *name, const char *text, double least, double most,
                            double *out);
/* Which of these words, between blanks. */
wisp_status wisp_value_choice(wisp_error *err, const char *name, const char *text, const char *words, size_t *out);
/* Gives an option a value. WISP_EUSAGE for one that the problem has not, or a value that is not as the table says. */
wisp_status wisp_solver_take(wisp_error *err, wisp_solver *solver, const char *name, const char *value);

/* ---- The two steps. */

/* problem: copied. In `out` order, precision, exact and source are the caller's to set before options are taken. */
wisp_status wisp_solver_new(wisp_error *err, const wisp_solver_kind *kind, const char *problem, wisp_solver **out);
/* box: "8", or a number for each edge that can differ, "16,32"; NULL: the kind's own. */
wisp_status wisp_solver_begin(wisp_error *err, wisp_solver *solver, const char *box);
wisp_status wisp_solver_open(wisp_error *err, wisp_solver *solver, const wisp_session *session,
                             const wisp_watch *watch);
/* The beginning of wisp_solver_run: its notes are there after that. */
wisp_status wisp_solver_start(wisp_error *err, wisp_solver *solver);
wisp_status wisp_solver_run(wisp_error *err, wisp_solver *solver, const wisp_until *until, const wisp_watch *watch);
wisp_status wisp_solver_make_report(wisp_error *err, wisp_solver *solver); /* solver->report */
wisp_status wisp_solver_make_fields(wisp_error *err, wisp_solver *solver); /* solver->fields */
wisp_status wisp_solver_write_to(wisp_error *err, wisp_solver *solver, const char *path);
void wisp_solver_release(void *solver); /* all that it has, but not its own memory */
void wisp_solver_discard(wisp_solver *solver);
WISP_OWNED(wisp_solver, wisp_solver_discard)

/* ---- For the kinds. */

/* The request that kernels are chosen for. */
wisp_choose_request wisp_solver_choose_request(const wisp_solver *solver, const char *system, size_t elements);

/* Before anything large is made: so many numbers, `what` ("nodes"), must be counted in 31 bits. */
wisp_status wisp_solver_check_count(wisp_error *err, const wisp_solver *solver, double elements, double numbers,
                                    const char *what);
/* Notes a solve that had nothing to do: its right-hand side is 0. */
wisp_status wisp_solver_note_zero(wisp_error *err, wisp_solver *solver, long long iterations, double residual);

/* Reports iterations: a watch for wisp_cg_solve; the solver's watch outlives it. */
typedef struct wisp_iteration_watch {
  const wisp_watch *watch;
  long long most; /* 0: not reported */
} wisp_iteration_watch;
wisp_cg_watch wisp_watch_iterations(wisp_iteration_watch *watch);
