/* The constants of a system file: names of numbers. Where one stands in an expression it is written out, so that
 * kernels are compiled from numbers, and a changed constant changes what is compiled. */
#ifndef WISP_SYSTEM_CONSTANTS_H
#define WISP_SYSTEM_CONSTANTS_H

#include "text.h"

enum { WISP_MAX_CONSTANTS = 32 };

typedef struct wisp_constants {
  int count;
  struct {
    char name[32];
    double value;
  } of[WISP_MAX_CONSTANTS];
} wisp_constants;

/* False where all places are taken. */
bool wisp_constants_add(wisp_constants *constants, const char *name, double value);
bool wisp_constants_has(const wisp_constants *constants, const char *name);

/* Adds the text to out with a literal in place of every constant. */
wisp_status wisp_constants_write(wisp_error *err, const wisp_constants *constants, const char *text, wisp_text *out);

/* The value of an expression over constants alone. WISP_EINPUT where it has none, or none that is finite. */
wisp_status wisp_constants_value(wisp_error *err, const wisp_constants *constants, const char *text, double *value);

#endif
