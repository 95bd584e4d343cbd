/* Stores that are packed by gzip, NAME.gz, as sweeps are kept: read from an unpacked copy, never written. */
#pragma once

#include "../gen/text.h"

enum { WISP_PACKED_FOLDER = 256 };

/* The path to read: path itself, or that of a copy in a folder of its own where path ends in .gz. The caller declares
 * HELD(wisp_scratch_remove) char folder[WISP_PACKED_FOLDER] = "", which then goes. WISP_ESTORE where gunzip fails. */
wisp_status wisp_unpack(wisp_error *err, const char *path, char folder[WISP_PACKED_FOLDER], wisp_text *out);

/* WISP_EUSAGE, with what to do, where path, which is to be written, ends in .gz. */
wisp_status wisp_refuse_packed(wisp_error *err, const char *path);
