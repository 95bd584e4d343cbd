/* The task of a kernel, as a canonical text: `nodal.volume:tet:p4:maxwell:f64`. */
#pragma once

#include "check.h"

/* Room for texts, with their NUL: a spec, its family, its kernel and system, its element. */
enum { WISP_SPEC_TEXT = 112, WISP_FAMILY_TEXT = 24, WISP_NAME_TEXT = 32, WISP_ELEMENT_TEXT = 16 };

/* The "kernel" of a spec that means a whole stage, by whatever kernels. */
#define WISP_COMPOSITION "step"

typedef struct wisp_spec {
  char family[WISP_FAMILY_TEXT], kernel[WISP_NAME_TEXT], element[WISP_ELEMENT_TEXT];
  int order;
  char system[WISP_NAME_TEXT];
  wisp_precision precision;
} wisp_spec;

/* < 0 where a stands before b: by family, element and system; and by precision and order behind these. */
int wisp_spec_subjects(const wisp_spec *a, const wisp_spec *b);
int wisp_spec_orders(const wisp_spec *a, const wisp_spec *b);
bool wisp_spec_is_composition(const wisp_spec *spec);
bool wisp_spec_same_element(const wisp_spec *a, const wisp_spec *b); /* of one order */
/* A name that does not fit becomes empty. */
void wisp_spec_name_kernel(wisp_spec *spec, const char *kernel);
void wisp_spec_name_element(wisp_spec *spec, const char *element);

void wisp_spec_print(const wisp_spec *spec, char text[WISP_SPEC_TEXT]);
wisp_status wisp_spec_parse(wisp_error *err, const char *text, wisp_spec *out); /* WISP_EINPUT names what is wrong */
const char *wisp_precision_name(wisp_precision precision);                      /* "f32", "f64" */
wisp_status wisp_precision_parse(wisp_error *err, const char *text, wisp_precision *out);
