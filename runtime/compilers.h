/* Kernel text to a shared object, by the system's C compiler; and the machine that it is compiled for. */
#pragma once

#include "cache_folder.h"
#include "device_kind.h"

/* Which compiler is here: its file's path, size and time, so that asking for it runs nothing. WISP_EDEVICE where there
 * is none. And what else a kernel depends on: options, the processor's name and features (for -march=native). */
wisp_status wisp_host_compiler(wisp_error *err, const char *target, wisp_text *out);
wisp_status wisp_host_options(wisp_error *err, const char *target, wisp_text *out);
wisp_status wisp_host_compile(wisp_error *err, const char *target, const char *name, const char *source,
                              wisp_binary *out);

/* The longest time that a compiler may run: $WISP_COMPILE_SECONDS, 60 unless set. */
double wisp_compile_seconds(void);

/* "gcc 12.2.0"; without a compiler, that of the one which compiled last; empty where that is not known either. */
void wisp_host_compiler_name(char *out, size_t size);

/* One line of /proc/cpuinfo without its heading ("model name"), of the first processor; empty where there is none. */
wisp_status wisp_host_cpuinfo(wisp_error *err, const char *heading, wisp_text *out);

/* ---- Kernel text to a CUBIN for a target sm_XX, by NVRTC. Needs no GPU; safe for threads. */

/* Whether the text is sm_ and a number, perhaps with the letter a or f: sm_80, sm_90a. */
bool wisp_nvrtc_has_target(const char *target);

/* Documented limits of the architecture, which name no kind. WISP_EUSAGE for one that is not in the table. */
wisp_status wisp_nvrtc_target_limits(wisp_error *err, const char *target, wisp_limits *out);

/* NVRTC's version; and the flags. */
wisp_status wisp_nvrtc_compiler(wisp_error *err, const char *target, wisp_text *out);
wisp_status wisp_nvrtc_options(wisp_error *err, const char *target, wisp_text *out);

/* "NVRTC 13.0"; where it is missing, the one which compiled last; empty where that is not known either. */
void wisp_nvrtc_name(char *out, size_t size);

wisp_status wisp_nvrtc_compile(wisp_error *err, const char *target, const char *name, const char *source,
                               wisp_binary *out);

/* Instructions that a warp issues from the one kernel's begin to its end; 0 where it has branches, which a count of the
 * code says nothing of, or there is not one kernel. Of sm_70 and later, whose instructions have 16 bytes. */
int wisp_cubin_issued(const char *data, size_t length);

/* ---- The compilers of the cache's kernels, latest first: a cluster's node without one runs what was compiled
 * elsewhere. */

/* The kind's options for a target; "" where it has none. */
wisp_status wisp_compiler_options(wisp_error *err, const wisp_device_kind *kind, const char *target, wisp_text *out);

/* Which compiler is here, by this function of the named kind; else the one that compiled last; else its error. */
typedef wisp_status wisp_compiler_of(wisp_error *err, const char *target, wisp_text *out);
wisp_status wisp_known_compiler(wisp_error *err, const char *kind, wisp_compiler_of *compiler, const char *target,
                                wisp_text *out);

/* wisp_compile by a kind's compiler. */
wisp_status wisp_compile_by(wisp_error *err, const wisp_device_kind *kind, const char *target, const char *name,
                            const char *source, wisp_binary *out);
