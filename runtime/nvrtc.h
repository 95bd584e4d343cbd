/* Kernel text to a CUBIN for a target sm_XX, by NVRTC. Needs no GPU; safe for threads. */
#ifndef WISP_NVRTC_H
#define WISP_NVRTC_H

#include "device.h"
#include "../gen/text.h"

/* Whether the text is sm_ and a number, perhaps with the letter a or f: sm_80, sm_90a. */
bool wisp_nvrtc_has_target(const char *target);

/* Documented limits of the architecture. WISP_EUSAGE for one that is not in the table. */
wisp_status wisp_nvrtc_target_limits(wisp_error *err, const char *target, wisp_limits *out);

/* NVRTC's version and the flags. */
wisp_status wisp_nvrtc_compiler(wisp_error *err, const char *target, wisp_text *out);

/* "NVRTC 13.0"; empty where it is missing. */
void wisp_nvrtc_name(char *out, size_t size);

wisp_status wisp_nvrtc_compile(wisp_error *err, const char *target, const char *name, const char *source,
                               wisp_binary *out);

#endif
