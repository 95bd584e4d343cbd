/* The part of verification (tuner/verify.h) that is about vectors on continuous elements. */
#ifndef WISP_VECTORS_VERIFY_H
#define WISP_VECTORS_VERIFY_H

#include "../runtime/kernel.h"

/* Is there a reference for this kernel? */
bool wisp_vectors_known(const char *kernel);

typedef struct wisp_vectors_verifier wisp_vectors_verifier;
wisp_status wisp_vectors_verifier_create(wisp_error *err, wisp_device *device, wisp_vectors_verifier **out);
void wisp_vectors_verifier_destroy(wisp_vectors_verifier *verifier);

/* On hexes of 100 000 nodes, with data of this seed, in every scene that an iteration can find: as Jacobi's
 * preconditioner asks and as a polynomial does, at its first step, before the first iteration, when it has converged,
 * when history is full. Every array must end as the kernel's formula leaves it in double, those besides its outputs as
 * they were; sums, left as parts by the blocks, in total; all of it twice. */
wisp_status wisp_vectors_verifier_prepare(wisp_error *err, wisp_vectors_verifier *verifier, const wisp_plan *plan,
                                          uint64_t seed);
wisp_status wisp_vectors_verifier_check(wisp_error *err, wisp_vectors_verifier *verifier, const wisp_kernel *kernel,
                                        uint64_t seed, double *error);

#endif
