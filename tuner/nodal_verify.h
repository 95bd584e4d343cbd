/* The nodal family's part of verification (tuner/verify.h). */
#ifndef WISP_NODAL_VERIFY_H
#define WISP_NODAL_VERIFY_H

#include "nodal_problems.h"

typedef struct wisp_nodal_verifier wisp_nodal_verifier;
wisp_status wisp_nodal_verifier_create(wisp_error *err, wisp_device *device, wisp_nodal_verifier **out);
void wisp_nodal_verifier_destroy(wisp_nodal_verifier *verifier);

/* On 157 tets, a prime, with data of this seed. */
wisp_status wisp_nodal_verifier_prepare(wisp_error *err, wisp_nodal_verifier *verifier, const wisp_plan *plan,
                                        uint64_t seed);
wisp_status wisp_nodal_verifier_check(wisp_error *err, wisp_nodal_verifier *verifier, const wisp_kernel *kernel,
                                      uint64_t seed, double *error);

#endif
