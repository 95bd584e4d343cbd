/* Verification of many candidates: they are compiled ahead, one a core, and verified in turn as the tuner does it. What
 * is wrong is told one by one, and fails the test at its end; so is what is refused for the mesh that it is checked on,
 * whose lists have no room for it: one such fails it too, or more than a few where the test may_refuse. */
#pragma once

#include "../tuner/trial/pipeline.h"
#include "../tuner/trial/verify.h"

typedef struct verifying {
  wisp_device *device;
  wisp_verifier *verifier;
  wisp_pipeline *pipeline;
  bool may_refuse;
  bool reports; /* each as it passes: of a run that may be cut off */
  int verified, refused, failed;
} verifying;

/* On the test device. */
verifying verifying_begin(void);
/* Others compile meanwhile. Takes the plan. */
void verifying_submit(verifying *all, wisp_plan *plan);
/* Verifies all that was submitted; call it before the names go that the plans borrow. */
void verifying_rest(verifying *all);
/* The rest too. Fails the test where anything was wrong, or fewer than `least` were verified. */
void verifying_end(verifying *all, int least);

/* A strategy's default candidate, compiled and verified: in this layout, or (NULL) in that with most elements a group
 * that it applies to. */
wisp_status verify_strategy(wisp_error *err, wisp_device *device, wisp_verifier *verifier,
                            const wisp_strategy *strategy, const wisp_spec *spec, const wisp_layout *layout,
                            double *error);
