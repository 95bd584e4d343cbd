#include "spec.h"
#include "text.h"

#include <ctype.h>
#include <limits.h>

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

bool wisp_spec_is_composition(const wisp_spec *spec)
{
  return strcmp(spec->kernel, WISP_COMPOSITION) == 0;
}

bool wisp_spec_same_element(const wisp_spec *a, const wisp_spec *b)
{
  return a->order == b->order && strcmp(a->element, b->element) == 0;
}

static void put(char *to, size_t capacity, const char *name)
{
  const size_t length = strlen(name);
  memset(to, 0, capacity);
  if (length < capacity) memcpy(to, name, length);
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
  const char *const before[] = {spec->family, ".", spec->kernel, ":", spec->element, ":p"};
  const char *const behind[] = {":", spec->system, ":", wisp_precision_name(spec->precision)};
  size_t used = 0;
  for (size_t i = 0; i < WISP_COUNT(before); i++) used = wisp_append(text, WISP_SPEC_TEXT, used, before[i]);
  used = wisp_append_integer(text, WISP_SPEC_TEXT, used, spec->order);
  for (size_t i = 0; i < WISP_COUNT(behind); i++) used = wisp_append(text, WISP_SPEC_TEXT, used, behind[i]);
}

/* Takes a name off the front, up to a point or colon, and the mark behind it. */
static bool take_name(const char **at, char mark, char *to, size_t capacity)
{
  const size_t length = strcspn(*at, ".:");
  if (!length || length >= capacity || (*at)[length] != mark) return false;
  memcpy(to, *at, length);
  to[length] = '\0';
  *at += length + (mark != '\0');
  return true;
}

static bool take_order(const char **at, int *order)
{
  char *end = NULL;
  if (**at != 'p' || !isdigit((unsigned char)(*at)[1]) || ((*at)[1] == '0' && (*at)[2] != ':')) return false;
  const long value = strtol(*at + 1, &end, 10);
  if (*end != ':' || value > INT_MAX) return false;
  *order = (int)value;
  *at = end + 1;
  return true;
}

wisp_status wisp_spec_parse(wisp_error *err, const char *text, wisp_spec *out)
{
  wisp_spec spec = {.order = 0};
  char precision[8] = "";
  const char *at = text;
  const bool complete =
      take_name(&at, '.', spec.family, sizeof spec.family) && take_name(&at, ':', spec.kernel, sizeof spec.kernel) &&
      take_name(&at, ':', spec.element, sizeof spec.element) && take_order(&at, &spec.order) &&
      take_name(&at, ':', spec.system, sizeof spec.system) && take_name(&at, '\0', precision, sizeof precision);
  if (!complete || wisp_precision_parse(NULL, precision, &spec.precision) != WISP_OK)
    return wisp_fail(err, WISP_EINPUT, "spec '%s' is not of the form family.kernel:element:pN:system:f32|f64", text);
  *out = spec;
  return WISP_OK;
}
