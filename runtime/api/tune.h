/* Tuning from within a program: a process of the command does it. */
#pragma once

#include "../solve/solver.h"

/* The subjects of a solver's kernels, and the mesh that they run on. */
enum { WISP_TUNING_TARGETS = 8 };
typedef struct wisp_tuning_targets {
  int count;
  wisp_spec spec[WISP_TUNING_TARGETS]; /* kernels left empty */
  wisp_mesh_source source;             /* texts are borrowed; `data`, which no other process reads, is not used */
  size_t elements;
} wisp_tuning_targets;
/* Fills them from an open solver. */
void wisp_tuning_targets_of(const wisp_solver *solver, wisp_tuning_targets *out);

/* Tunes the targets, on a device as `wisp devices` names it, into the store at path (NULL: the default place); command
 * NULL: the one near this library, else on the PATH. seconds: of all together. WISP_EMISSING where there is no command;
 * else, where it fails, its last line. */
wisp_status wisp_tune_targets(wisp_error *err, const char *command, const char *device, const char *path,
                              const wisp_tuning_targets *targets, double seconds, wisp_tuning *out);
