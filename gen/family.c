#include "family.h"

#include <string.h>

extern const wisp_family wisp_family_nodal;

const wisp_family *const wisp_families[] = {
    &wisp_family_nodal,
    NULL,
};

const wisp_family *wisp_family_find(const char *name)
{
  for (int i = 0; wisp_families[i]; i++)
    if (strcmp(wisp_families[i]->name, name) == 0) return wisp_families[i];
  return NULL;
}
