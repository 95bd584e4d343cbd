#include "spec.h"

#include <stdio.h>
#include <string.h>

const char *wisp_precision_name(wisp_precision precision)
{
  return precision == WISP_F32 ? "f32" : "f64";
}

wisp_status wisp_precision_parse(wisp_error *err, const char *text, wisp_precision *out)
{
  if (strcmp(text, "f32") == 0)
    *out = WISP_F32;
  else if (strcmp(text, "f64") == 0)
    *out = WISP_F64;
  else
    return wisp_fail(err, WISP_EUSAGE, "precision '%s' is not known: use f32 or f64", text);
  return WISP_OK;
}

int wisp_spec_subjects(const wisp_spec *a, const wisp_spec *b)
{
  const int family = strcmp(a->family, b->family), element = strcmp(a->element, b->element);
  return family ? family : element ? element : strcmp(a->system, b->system);
}

int wisp_spec_orders(const wisp_spec *a, const wisp_spec *b)
{
  const int subject = wisp_spec_subjects(a, b), precision = (int)a->precision - (int)b->precision;
  return subject ? subject : precision ? precision : a->order - b->order;
}

bool wisp_spec_is_step(const wisp_spec *spec)
{
  return strcmp(spec->kernel, WISP_WHOLE_STEP) == 0;
}

bool wisp_spec_same_element(const wisp_spec *a, const wisp_spec *b)
{
  return a->order == b->order && strcmp(a->element, b->element) == 0;
}

static void put(char *to, size_t room, const char *name)
{
  const size_t length = strlen(name);
  memset(to, 0, room);
  if (length < room) memcpy(to, name, length);
}

void wisp_spec_name_kernel(wisp_spec *spec, const char *kernel)
{
  put(spec->kernel, sizeof spec->kernel, kernel);
}

void wisp_spec_name_element(wisp_spec *spec, const char *element)
{
  put(spec->element, sizeof spec->element, element);
}

void wisp_spec_print(const wisp_spec *spec, char text[WISP_SPEC_TEXT])
{
  snprintf(text, WISP_SPEC_TEXT, "%s.%s:%s:p%d:%s:%s", spec->family, spec->kernel, spec->element, spec->order,
           spec->system, wisp_precision_name(spec->precision));
}

wisp_status wisp_spec_parse(wisp_error *err, const char *text, wisp_spec *out)
{
  wisp_spec spec = {0};
  char precision[4] = "";
  int end = 0;
  int got = sscanf(text, "%23[^.:].%31[^.:]:%15[^.:]:p%d:%31[^.:]:%3[^.:]%n", spec.family, spec.kernel, spec.element,
                   &spec.order, spec.system, precision, &end);
  if (got != 6 || text[end] != '\0' || wisp_precision_parse(NULL, precision, &spec.precision) != WISP_OK)
    return wisp_fail(err, WISP_EINPUT, "spec '%s' is not of the form family.kernel:element:pN:system:f32|f64", text);
  *out = spec;
  return WISP_OK;
}
