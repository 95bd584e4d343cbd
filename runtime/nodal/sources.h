/* Sources: what is added to the rates of fields, d FIELD/dt = ... + f(x, y, z, t). A list such as
 * `Ez=sin(pi*x)*cos(9*t), Ez@coil=t < 1 ? t : 1, Hx@(0.5,0.5,0.5)=sin(9*t)`: everywhere, in the elements of a physical
 * group, or at a point, where it is the function of t times a delta function. Those of one field add up. */
#pragma once

#include "../mesh/piecewise.h"
#include "dg.h"

typedef struct wisp_source {
  int field;
  bool point;
  double at[3];            /* of a point */
  wisp_piecewise where;    /* else: one piece */
  wisp_formula_parts part; /* of a point: of t alone */
} wisp_source;

/* Zero-initialise. */
typedef struct wisp_sources {
  wisp_source *list;
  size_t count, capacity;
} wisp_sources;

void wisp_sources_free(wisp_sources *sources);

/* Reads a list. mesh NULL: the form, the fields' names and the points alone are checked. what ("option --source")
 * begins messages. WISP_EUSAGE for an unknown field or group, a wrong expression, and one that is no sum of products of
 * a function of places and one of t. */
wisp_status wisp_sources_read(wisp_error *err, const char *what, const wisp_system *system, const wisp_mesh *mesh,
                              const char *text, wisp_sources *out);

/* Functions of t in all sources: each has a number, counted through the list. */
size_t wisp_sources_terms(const wisp_sources *sources);
/* Their values at `count` times: of function j at time i out[j * count + i]. */
void wisp_sources_when(const wisp_sources *sources, size_t count, const double *t, double *out);

/* The factors of each function of t: a row of entries for each number of u that sources reach. */
typedef struct wisp_source_rows {
  size_t rows, entries, row_capacity, entry_capacity[2];
  int32_t *address; /* of u */
  int32_t *first;   /* rows + 1: where the entries of each row begin */
  int32_t *term;
  double *value;
} wisp_source_rows;
void wisp_source_rows_free(wisp_source_rows *rows);
/* WISP_EUSAGE for a point outside of the mesh, and a value that is not finite. */
wisp_status wisp_source_rows_make(wisp_error *err, const char *what, const wisp_sources *sources, const wisp_dg *dg,
                                  wisp_source_rows *out);
