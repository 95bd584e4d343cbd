/* A linear system of conservation laws as data (templates/systems/NAME.system): fields, the sparse table of du/dt = sum
 * c du_g/dx_a, flux and boundary texts. Texts are lists of `name = expression` and serve both the generated kernels (as
 * text) and the reference (interpreted). */
#ifndef WISP_SYSTEM_H
#define WISP_SYSTEM_H

#include "language/expr.h"
#include "spec.h"

enum { WISP_MAX_FIELDS = 12, WISP_MAX_TERMS = 64, WISP_MAX_BOUNDARIES = 8, WISP_MAX_STATEMENTS = 128 };

typedef struct wisp_term { /* du_out/dt += coefficient * d u_in / d x_axis */
  int out, in, axis;
  double coefficient;
} wisp_term;

typedef struct wisp_statements { /* name = expression, in order */
  size_t count;
  char (*names)[32];
  char **texts; /* the right-hand sides */
  wisp_expr **expressions;
} wisp_statements;

typedef struct wisp_boundary {
  char name[24];
  wisp_statements ghost; /* assigns every FIELD_p from FIELD_m, nx, ny, nz */
} wisp_boundary;

typedef struct wisp_symbols wisp_symbols; /* gen/language/symbols.h */

typedef struct wisp_system {
  char name[WISP_NAME_TEXT];
  int fields;
  char field[WISP_MAX_FIELDS][16];
  size_t terms;
  wisp_term term[WISP_MAX_TERMS];
  wisp_statements flux; /* FIELD_m, FIELD_p, nx ny nz, alpha -> flux_FIELD = n.(F - F*), per unit face Jacobian */
  int boundaries;
  wisp_boundary boundary[WISP_MAX_BOUNDARIES];
  double speed;                   /* largest wave speed, for the CFL */
  double energy[WISP_MAX_FIELDS]; /* energy density = sum energy[f] u_f^2 */
  wisp_symbols *symbols;          /* the names that the texts read, resolved */
} wisp_system;

/* Parses a system's text; name is for messages, without folders and .system the system's own. WISP_EINPUT with
 * name:line. */
wisp_status wisp_system_parse(wisp_error *err, const char *name, const char *text, wisp_system **out);
/* By name, from the embedded templates/systems/. WISP_EUSAGE names the ones that there are. */
wisp_status wisp_system_load(wisp_error *err, const char *name, wisp_system **out);
void wisp_system_destroy(wisp_system *system);
int wisp_system_field(const wisp_system *system, const char *name);    /* -1: none */
int wisp_system_boundary(const wisp_system *system, const char *name); /* -1: none */

/* The flux through one face node, interpreted in double: u_m, u_p, flux hold `fields` numbers. boundary < 0: interior,
 * u_p is read; else u_p is computed from u_m by that boundary's text. */
wisp_status wisp_system_flux(wisp_error *err, const wisp_system *system, int boundary, const double normal[3],
                             double alpha, const double *u_m, const double *u_p, double *flux);

/* The same, and for each flux the sum of the magnitudes that it is added up from. */
wisp_status wisp_system_flux_sizes(wisp_error *err, const wisp_system *system, int boundary, const double normal[3],
                                   double alpha, const double *u_m, const double *u_p, double *flux, double *sizes);

/* What kernels are made from of it, as a number: fields, rates, flux and boundaries. */
uint64_t wisp_system_hash(const wisp_system *system);

/* Splits the fields into equal ranges ("parts"), each driven by the fields of one range only and all with the same
 * pattern of terms but for coefficients; as many as possible. Gives their number and the first field that drives each.
 * Maxwell: 2, {3, 0}. */
int wisp_system_parts(const wisp_system *system, int in0[WISP_MAX_FIELDS]);

#endif
