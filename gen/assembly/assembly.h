/* The assembly family's arrays, as places in its list (templates/assembly/family), and its forms. */
#pragma once

#include "../language/expr.h"
#include "../named.h"
#include "../layout.h"
#include "../spec.h"
#include "templates/assembly/family.h"

/* The source of a coefficient's values. */
typedef enum wisp_given { WISP_BY_NUMBER, WISP_BY_ELEMENT, WISP_BY_MATRIX, WISP_BY_NODES } wisp_given;

/* Slots of the expression of kappa at a node. */
enum { WISP_FORM_U, WISP_FORM_KAPPA, WISP_FORM_SLOTS = WISP_FORM_KAPPA + 3 };

/* A form (templates/assembly/NAME.form): A = int kappa grad phi_i . grad phi_j + mass int phi_i phi_j, F = int f phi_i,
 * less what fixed nodes take from it. kappa is kappa0; a number or a symmetric matrix of each element; or an expression
 * of u, kappa0, kappa1 and kappa2 at each node, interpolated. f is a number, or a number of each node. */
typedef struct wisp_form {
  char name[WISP_NAME_TEXT]; /* a spec's system */
  wisp_given kappa, f;
  bool mass;
  char dummy[WISP_NAME_TEXT]; /* the form whose bytes are moved while all entries of an element are one number, its J
                                 times the sum of kappa at its nodes, and load a is J f_a; empty: no dummy */
  char text[256];             /* by nodes */
  wisp_expr *at_node;         /* the same; WISP_FORM_SLOTS */
} wisp_form;

/* By name, the library's or from the folder assembly/ of $WISP_TEMPLATES. WISP_EUSAGE names the ones that there are,
 * WISP_EINPUT what is wrong in a line of it. */
extern const wisp_named wisp_forms;
wisp_status wisp_form_load(wisp_error *err, const char *name, wisp_form **out);
wisp_status wisp_form_parse(wisp_error *err, const char *path, const char *name, const char *text, wisp_form **out);
void wisp_form_destroy(wisp_form *form);
WISP_OWNED(wisp_form, wisp_form_destroy)
bool wisp_form_exists(const char *name);
bool wisp_form_proxy_for(const char *name, const char *other); /* it is the other's dummy */

/* An expression of kappa at a node, and its derivative by u (NULL: not wanted), as evaluated over WISP_FORM_SLOTS.
 * WISP_EINPUT for what is none, or has no derivative. */
wisp_status wisp_form_kappa(wisp_error *err, const char *text, wisp_expr **value, wisp_expr **slope);
