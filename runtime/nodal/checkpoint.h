/* Checkpoints: the state of a run in a file, from which another goes on.
 *
 * A line "wisp checkpoint 1", a line of JSON, the fields as FP64 in the mesh's order, u[(f K + k) Np + i], and a hash
 * of all that (FNV-1a, 64 bits). Numbers are little-endian. The file appears whole or not at all. */
#pragma once

#include "../../gen/text.h"

enum { WISP_CHECKPOINT_TEXT = 128 };

typedef struct wisp_checkpoint {
  char problem[WISP_CHECKPOINT_TEXT], fields[4 * WISP_CHECKPOINT_TEXT]; /* the fields' names, between blanks */
  char basis[WISP_CHECKPOINT_TEXT], scheme[WISP_CHECKPOINT_TEXT], precision[WISP_CHECKPOINT_TEXT];
  char device[WISP_CHECKPOINT_TEXT], composition[WISP_CHECKPOINT_TEXT], layout[WISP_CHECKPOINT_TEXT];
  char mesh[WISP_CHECKPOINT_TEXT];      /* a hash of vertices and elements */
  double order, elements, nodes, count; /* nodes of an element; count of fields */
  double begun, dt, clock, steps;       /* the time is begun + clock dt */
  double energy;                        /* at the start of all */
} wisp_checkpoint;

/* Numbers in u. */
size_t wisp_checkpoint_size(const wisp_checkpoint *checkpoint);

/* WISP_ESYSTEM where it cannot be written. */
wisp_status wisp_checkpoint_write(wisp_error *err, const char *path, const wisp_checkpoint *checkpoint,
                                  const double *u);
/* u: the caller frees it. WISP_EINPUT, with the path, for a file that is none, of another version, cut off or changed;
 * WISP_ESYSTEM or WISP_EMISSING where it cannot be read. */
wisp_status wisp_checkpoint_read(wisp_error *err, const char *path, wisp_checkpoint *out, double **u);
