/* Which basis of the same polynomials a run takes: values in the nodes, or Bernstein-Bezier coefficients. */
#pragma once

#include "../solve/choose.h"

/* The names of the bases, as --basis takes them; the first where nobody says. */
enum { WISP_BASES = 2 };
extern const char *const wisp_basis_names[WISP_BASES];

typedef struct wisp_basis {
  const char *name; /* of wisp_basis_names */
  char reason[160]; /* why it was taken, for people; empty where it was asked for */
} wisp_basis;

/* wisp_choose for the request on the element that is asked for: "nodal" (NULL), "bernstein", or "auto", the one whose
 * whole stage was measured to take less time on the device; of entries that match it unequally well the better match
 * counts, and where there is none the nodal one is taken. The stage's spec names the element that was taken.
 * WISP_EUSAGE for another name, or an order that the basis has not. */
wisp_status wisp_basis_choose(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                              const char *name, wisp_basis *basis, wisp_stage *out);

/* The element of the nodal family that has the basis. */
const char *wisp_basis_element(const wisp_basis *basis);
