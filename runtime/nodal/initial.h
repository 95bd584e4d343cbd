/* First fields by expression: a list such as `Ez=sin(pi*x), Hy@body=x, Hy@"air gap"=1`. A field that is not named is 0,
 * as are elements for which a field has no item. FIELD@GROUP is the field in the elements of a physical group; of
 * several items that hold somewhere the last counts. */
#pragma once

#include "../mesh/piecewise.h"
#include "dg.h"

/* Zero-initialise. */
typedef struct wisp_initial {
  wisp_piecewise field[WISP_MAX_FIELDS];
} wisp_initial;

/* Finds the field of an item's key, FIELD or FIELD@GROUP, which it cuts up; *group is what stands behind the @, NULL
 * where there is none. WISP_EUSAGE, after what, for a field that the system has not. */
wisp_status wisp_field_key(wisp_error *err, const char *what, const wisp_system *system, char *key, const char **group,
                           int *field);

void wisp_initial_free(wisp_initial *initial);

/* Reads a list. mesh NULL: the form and the fields' names alone are checked. what ("option --initial") begins messages.
 * WISP_EUSAGE for an item without a field, a field that the system has not, a group that the elements have not, and a
 * wrong expression. */
wisp_status wisp_initial_read(wisp_error *err, const char *what, const wisp_system *system, const wisp_mesh *mesh,
                              const char *text, wisp_initial *out);

/* u, of wisp_dg_volume_size numbers, becomes the interpolant in the nodes. WISP_EUSAGE names an element where a value
 * is not finite. */
wisp_status wisp_initial_fill(wisp_error *err, const char *what, const wisp_initial *initial, const wisp_dg *dg,
                              double *u);
