#include "family.h"

#include <stdio.h>
#include <string.h>

extern const wisp_family wisp_family_nodal, wisp_family_tensor;

const wisp_family *const wisp_families[] = {
    &wisp_family_nodal,
    &wisp_family_tensor,
    NULL,
};

const wisp_family *wisp_family_find(const char *name)
{
  for (int i = 0; wisp_families[i]; i++)
    if (strcmp(wisp_families[i]->name, name) == 0) return wisp_families[i];
  return NULL;
}

const wisp_size *wisp_family_facts(const char *family, const char *kernel)
{
  static const wisp_size none[] = {{NULL, 0}};
  const wisp_family *f = wisp_family_find(family);
  return f && f->facts ? f->facts(kernel) : none;
}

bool wisp_composition_has(const char *composition, const char *kernel)
{
  size_t length = strlen(kernel);
  for (const char *at = composition; *at; at += *at == '+') {
    size_t here = strcspn(at, "+");
    if (here == length && memcmp(at, kernel, length) == 0) return true;
    at += here;
  }
  return false;
}

wisp_spec wisp_family_spec(const wisp_family *family, int order, const char *system, wisp_precision precision)
{
  wisp_spec spec = {.order = order, .precision = precision};
  snprintf(spec.family, sizeof spec.family, "%s", family->name);
  snprintf(spec.element, sizeof spec.element, "%s", family->element);
  snprintf(spec.system, sizeof spec.system, "%s", system ? system : family->default_system);
  return spec;
}
