/* What a run of Maxwell's equations starts from, and whether its solution is known. */
#ifndef WISP_START_H
#define WISP_START_H

#include "dg.h"

typedef struct wisp_start {
  wisp_function function; /* all fields at t = 0; at any t where `exact` */
  bool exact;             /* the function solves the equations in this domain with PEC walls */
  wisp_cavity cavity;
  double centre[3], width; /* of the pulse */
  char text[64];           /* "cavity mode 1,1,0" */
} wisp_start;

/* Does the mesh fill [0,1]^3? By its bounding box and its volume. */
bool wisp_mesh_is_unit_box(const wisp_mesh *mesh);

/* A cavity mode. WISP_EUSAGE where the mesh is not the unit box, or the mode is none. */
wisp_status wisp_start_mode(wisp_error *err, const wisp_mesh *mesh, const int mode[3], wisp_start *out);

/* A pulse in the middle of any domain: E = curl (0, 0, g), free of charge, g a Gaussian of an eighth of the bounding
 * box's shortest edge; H = 0. */
void wisp_start_pulse(const wisp_mesh *mesh, wisp_start *out);

/* The function to call: context is the start itself. */
void wisp_start_field(const void *start, size_t count, const double *xyz, double t, double *u);

#endif
