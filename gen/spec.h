/* What a kernel must compute, as a canonical text: `nodal.volume:tet:p4:maxwell:f64`. */
#ifndef WISP_SPEC_H
#define WISP_SPEC_H

#include "check.h"

enum { WISP_SPEC_TEXT = 112 };

typedef struct wisp_spec {
  char family[16], kernel[24], element[8];
  int order;
  char system[24];
  wisp_precision precision;
} wisp_spec;

void wisp_spec_print(const wisp_spec *spec, char text[WISP_SPEC_TEXT]);
wisp_status wisp_spec_parse(wisp_error *err, const char *text, wisp_spec *out); /* WISP_EINPUT names what is wrong */
const char *wisp_precision_name(wisp_precision precision);                      /* "f32", "f64" */
wisp_status wisp_precision_parse(wisp_error *err, const char *text, wisp_precision *out);

#endif
