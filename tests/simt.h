/* Runs CUDA texts on the host, without a GPU. The C compiler compiles a kernel's text against a few definitions. Each
 * thread of a block has a stack of its own and runs until it waits for others. Barriers, products of tensor cores,
 * ldmatrix, FP16 and atomicMax do what PTX's manual says (simt_instructions.c). A text with another instruction does
 * not compile.
 *
 * The hooks of -fsanitize=thread look at every access to shared memory (simt_memory.c). There are three faults: a
 * thread reads a word that no thread of the block has written; it reads or writes outside; or two threads use a word,
 * one of them writes, and no barrier stands between. Shared memory starts as NaN, also as FP16, and as -1 for an int.
 */
#pragma once

#include "../gen/family.h"
#include "../runtime/device.h"

/* Compiles the plan's CUDA text for the host device, where wisp_kernel_create and wisp_launch take it. */
wisp_status simt_compile(wisp_error *err, const wisp_plan *plan, wisp_binary *out);

/* Gives the first fault since the last call, valid until the next one; NULL: there was none. */
const char *simt_fault(void);
