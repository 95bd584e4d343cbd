/* CUDA texts without a GPU: the C compiler compiles a kernel's CUDA text against a few definitions, and each thread of
 * a block runs on a stack of its own until it waits for others. Barriers, products of tensor cores, ldmatrix, FP16 and
 * atomicMax are what PTX says of them (simt_instructions.c); an instruction that is not there does not compile.
 *
 * Every access to shared memory is looked at (simt_memory.c), by the hooks that -fsanitize=thread puts into the code.
 * The first fault of a launch is kept: a place that no thread of the block has written is read, one that lies outside
 * is read or written, or two threads use one with no barrier between, and one of them writes. What of shared memory
 * nobody has written is NaN, also as FP16, and -1 as an int. */
#ifndef SIMT_H
#define SIMT_H

#include "../gen/family.h"
#include "../runtime/device.h"

/* The plan's CUDA text for the host device: wisp_kernel_create and wisp_launch take it there. */
wisp_status simt_compile(wisp_error *err, const wisp_plan *plan, wisp_binary *out);

/* The first fault since this was asked last, valid until then; NULL: none. */
const char *simt_fault(void);

#endif
