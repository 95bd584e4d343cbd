/* The files that commands write. */
#pragma once

#include "options.h"

/* The file that an option names, NULL where it was not given. Asked before anything long begins; nothing is written or
 * changed yet. ending: the one that its format has (".vtu"); NULL: any. WISP_EUSAGE for another ending, and for a file
 * that the command reads or writes by another name, through links as well; WISP_ESYSTEM where the file is read-only, or
 * its folder is not there or not writable. What is no file (/dev/null) may be written. */
wisp_status wisp_option_output(wisp_error *err, const wisp_arguments *args, const char *name, const char *ending,
                               const char **out);

/* The same of a file that is written besides, for that option. */
wisp_status wisp_output_check(wisp_error *err, const wisp_arguments *args, const char *name, const char *path);

/* Two names of one file, which is there or not. Devices are none. */
bool wisp_same_file(const char *a, const char *b);
