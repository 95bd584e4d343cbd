/* Loops in vectors as wide as the machine has. A function marked WISP_WIDE is compiled for several widths and the
 * loader takes the one that fits. No product is fused with a sum, so results are the same on every machine. Mark static
 * functions alone, each by a name that no other file has: clang 14 makes names of the linker's of them. */
#pragma once

#include <features.h>

#if defined __x86_64__ && defined __GLIBC__ && !defined __SANITIZE_THREAD__
#define WISP_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WISP_WIDE
#endif

/* Sums in registers over arrays of known sizes: sanitizers, which would keep them in memory and take forty times as
 * long, look at what is around. */
#if defined __SANITIZE_ADDRESS__ && !defined __clang__
#define WISP_UNCHECKED __attribute__((no_sanitize("address", "undefined"), optimize("O2")))
#else
#define WISP_UNCHECKED
#endif

/* Eight numbers, wherever they stand; where vectors are shorter the compiler takes several. Four, which every width but
 * the narrowest has in a register: for sums that stay in one. */
typedef double wisp_eight __attribute__((vector_size(8 * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef double wisp_four __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));
