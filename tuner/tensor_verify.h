/* The tensor family's part of verification (tuner/verify.h). */
#ifndef WISP_TENSOR_VERIFY_H
#define WISP_TENSOR_VERIFY_H

#include "../runtime/kernel.h"

typedef struct wisp_tensor_verifier wisp_tensor_verifier;
wisp_status wisp_tensor_verifier_create(wisp_error *err, wisp_device *device, wisp_tensor_verifier **out);
void wisp_tensor_verifier_destroy(wisp_tensor_verifier *verifier);

/* On 29 hexes, a prime, with data of this seed and lambda not zero, against runtime/solve/hex_reference.h. */
wisp_status wisp_tensor_verifier_prepare(wisp_error *err, wisp_tensor_verifier *verifier, const wisp_plan *plan,
                                         uint64_t seed);
wisp_status wisp_tensor_verifier_check(wisp_error *err, wisp_tensor_verifier *verifier, const wisp_kernel *kernel,
                                       uint64_t seed, double *error);

#endif
