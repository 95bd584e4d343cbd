/* A linear system of conservation laws as data (templates/systems/NAME.system): fields, the sparse table of du/dt = sum
 * c du_g/dx_a, flux and boundary texts. Texts are lists of `name = expression` and serve both the generated kernels (as
 * text) and the reference (interpreted). */
#pragma once

#include "language/expr.h"
#include "named.h"
#include "spec.h"

enum {
  WISP_MAX_FIELDS = 12,
  WISP_MAX_TERMS = 64,
  WISP_MAX_BOUNDARIES = 8,
  WISP_MAX_STATEMENTS = 128,
  WISP_MAX_STATES = 8,
  WISP_MAX_QUANTITIES = 16
};

typedef struct wisp_term { /* du_out/dt += coefficient * quantity * d u_in / d x_axis */
  int out, in, axis;
  double coefficient;
  int quantity; /* -1: none */
} wisp_term;    /* without a derivative, axis is -1: coefficient * quantity * u_in */

/* A number that each element has: a coefficient, which is given by element, or what follows from those above it. Rates
 * see it by its name, flux and boundaries as NAME_m of the element inside and NAME_p of the one outside. The
 * energy and the speed of a medium are quantities too, whose names have a blank. An element's are its medium, in order.
 */
typedef struct wisp_quantity {
  char name[32];
  wisp_expr *expression;    /* over those above; NULL: a coefficient, which is positive */
  double otherwise;         /* its value where no coefficients are given; a coefficient's 0: it may be 0 */
  bool rated, inner, outer; /* read by rates, as NAME_m, as NAME_p */
} wisp_quantity;

/* Who reads quantities: rates, fluxes and boundaries inside and outside of a face, or on either side. */
typedef enum wisp_reader_of { WISP_RATES, WISP_INSIDE, WISP_OUTSIDE, WISP_EITHER_SIDE } wisp_reader_of;

typedef struct wisp_statements { /* name = expression, in order */
  size_t count;
  char (*names)[32];
  wisp_expr **expressions;
} wisp_statements;

typedef struct wisp_boundary {
  char name[24];
  wisp_statements ghost; /* assigns every FIELD_p from FIELD_m, nx, ny, nz */
} wisp_boundary;

/* Fields by place and time, that a run can start from and be compared with. Their texts see these names beside those
 * that they make: the point; the time; the domain (wisp_surroundings); the mode; and the quantities, which are then the
 * same in all elements. */
enum {
  WISP_STATE_TIME = 3,
  WISP_STATE_DOMAIN = 4,
  WISP_STATE_EDGE = 7,
  WISP_STATE_SPACING = 8,
  WISP_STATE_AXIS = 9,
  WISP_STATE_MODE = 12,
  WISP_STATE_MEDIUM = 15,
  WISP_STATE_SLOTS = WISP_STATE_MEDIUM + WISP_MAX_QUANTITIES
};
extern const char *const wisp_state_names[WISP_STATE_MEDIUM];
typedef struct wisp_surroundings {
  double middle[3]; /* a point of the domain, the middle of its bounding box where that is one */
  double edge;      /* the shortest of the bounding box */
  double spacing;   /* the distance of nodes at the middle: the longest edge of an element there over the order */
  double axis[3];   /* the unit vector along the shortest edge */
  int mode[3];
  double medium[WISP_MAX_QUANTITIES];
} wisp_surroundings;
typedef struct wisp_state {
  char name[24];
  int walls;              /* the boundary with which it solves the equations in the unit box; -1: a start alone */
  bool modal;             /* it sees the mode */
  int mode[3];            /* where none is asked for */
  wisp_statements values; /* assigns every field */
  bool varies[WISP_MAX_STATEMENTS]; /* such a value differs from point to point */
  wisp_env *symbols;                /* the slot of each name */
} wisp_state;

typedef struct wisp_system {
  char name[WISP_NAME_TEXT];
  int fields;
  char field[WISP_MAX_FIELDS][16];
  int quantities;
  wisp_quantity quantity[WISP_MAX_QUANTITIES];
  size_t terms;
  wisp_term term[WISP_MAX_TERMS]; /* with a derivative: each field has at least one */
  size_t locals;
  wisp_term local[WISP_MAX_TERMS]; /* without one: losses, rotation, relaxation */
  wisp_statements flux; /* FIELD_m, FIELD_p, nx ny nz, alpha -> flux_FIELD = n.(F - F*), per unit face Jacobian */
  int boundaries;
  wisp_boundary boundary[WISP_MAX_BOUNDARIES];
  double speed;                             /* largest wave speed, for the CFL */
  double energy[WISP_MAX_FIELDS];           /* energy density = sum energy[f] u_f^2 */
  int speed_of, energy_of[WISP_MAX_FIELDS]; /* the quantity in place of that number; -1: none */
  wisp_env *symbols;                        /* the names that flux and boundaries read: gen/system_internal.h */
  int states;
  wisp_state state[WISP_MAX_STATES];
} wisp_system;

/* Parses a system's text; name is for messages, without folders and .system the system's own. WISP_EINPUT with
 * name:line. */
wisp_status wisp_system_parse(wisp_error *err, const char *name, const char *text, wisp_system **out);
/* By name, from the embedded templates/systems/ or the folder systems/ of $WISP_TEMPLATES; path, or NULL, gets where it
 * stands. WISP_EUSAGE names the ones that there are. */
extern const wisp_named wisp_systems;
wisp_status wisp_system_read(wisp_error *err, const char *name, char path[WISP_NAMED_PATH], wisp_system **out);
/* The same for a name that a user gives: WISP_EINPUT where a family has that for its own system. */
wisp_status wisp_system_load(wisp_error *err, const char *name, wisp_system **out);
void wisp_system_destroy(wisp_system *system);
WISP_OWNED(wisp_system, wisp_system_destroy)
bool wisp_system_exists(const char *name); /* there is a file of that name */
bool wisp_system_is_own(const char *name); /* one that the library carries */
/* Checks a file of the user's, which messages name: WISP_EINPUT if its name is one of the library's. */
wisp_status wisp_system_check_name(wisp_error *err, const char *path, const char *name);
int wisp_system_field(const wisp_system *system, const char *name);               /* -1: none */
int wisp_system_boundary(const wisp_system *system, const char *name);            /* -1: none */
const wisp_state *wisp_system_state(const wisp_system *system, const char *name); /* NULL: none */

/* Finds out whether the last of a state's values differs from point to point. */
void wisp_state_look(wisp_state *state);

/* All fields of a state at `count` points and time t: xyz holds 3 numbers a point, u one a field. */
void wisp_state_fields(const wisp_system *system, const wisp_state *state, const wisp_surroundings *surroundings,
                       size_t count, const double *xyz, double t, double *u);

/* The flux through one face node, interpreted in double, and for each (sizes may be NULL) the sum of the magnitudes
 * that it is added up from: u_m, u_p, flux, sizes hold `fields` numbers. boundary < 0: interior, u_p is read; else u_p
 * is computed from u_m by that boundary's text. Elements have the medium that the file gives. */
void wisp_system_flux(const wisp_system *system, int boundary, const double normal[3], double alpha, const double *u_m,
                      const double *u_p, double *flux, double *sizes);

/* The same between any two elements. */
typedef struct wisp_side {
  const double *u;      /* NULL outside of a boundary */
  const double *medium; /* NULL: what the file gives; outside of a boundary it is as inside */
} wisp_side;
void wisp_system_flux_between(const wisp_system *system, int boundary, const double normal[3], double alpha,
                              wisp_side m, wisp_side p, double *flux, double *sizes);

/* Whether fluxes and walls are affine in the fields, as random ones show it. */
bool wisp_system_is_affine(const wisp_system *system);

/* The state outside of a wall, of the one inside. */
void wisp_system_ghost(const wisp_system *system, int boundary, const double normal[3], wisp_side m, double *outside);

/* Whether the terms without a derivative keep the energy of every state; add to that of some. Random states show it. */
bool wisp_system_locals_keep_energy(const wisp_system *system);
bool wisp_system_locals_add_energy(const wisp_system *system, const double *medium);

/* Whether no energy goes through such walls, as random states and media show it: none through the mean of the states
 * inside and outside. */
bool wisp_system_keeps_energy(const wisp_system *system, int boundary);

/* Whether faces of this kind (boundary < 0: interior) add energy, which right fluxes and walls never do; or the
 * energy's factors are not those that the rates keep. */
bool wisp_system_adds_energy(const wisp_system *system, int boundary, double alpha);

/* ---- Media: `quantities` numbers an element, one element after the other. */

int wisp_system_quantity(const wisp_system *system, const char *name); /* -1: none */

/* Those that are read so, in their order; count. */
int wisp_system_reads(const wisp_system *system, wisp_reader_of reader, int list[WISP_MAX_QUANTITIES]);

/* The media of `count` elements as the file gives them. */
void wisp_system_default_medium(const wisp_system *system, size_t count, double *medium);

/* Completes the media of `count` elements, in which the coefficients are set. WISP_EINPUT names the first element, from
 * 0, where a coefficient is not positive or anything not finite. */
wisp_status wisp_system_complete_medium(wisp_error *err, const wisp_system *system, size_t count, double *medium);

/* The largest speed of a wave in one medium, and the factor of the square of field f in its energy. */
double wisp_system_speed(const wisp_system *system, const double *medium);
double wisp_system_energy(const wisp_system *system, const double *medium, int f);

/* The names by which templates read a system (gen/nodal/nodal.c), and a number for what each stands for here: it is
 * the same in two systems where every text that reads this name becomes the same. */
enum { WISP_SYSTEM_SYMBOLS = 18 };
extern const char *const wisp_system_symbols[WISP_SYSTEM_SYMBOLS];
void wisp_system_hash_symbols(const wisp_system *system, uint64_t hash[WISP_SYSTEM_SYMBOLS]);

/* Splits the fields into equal ranges ("parts"), each driven by the fields of one range only and all with the same
 * pattern of terms but for coefficients; as many as possible. Gives their number and the first field that drives each.
 * Maxwell: 2, {3, 0}. */
int wisp_system_parts(const wisp_system *system, int in0[WISP_MAX_FIELDS]);

/* The k-th term, from 0, that drives a field; NULL: there is none. */
const wisp_term *wisp_system_nth_term(const wisp_system *system, int out, int k);
