#include "assembly.h"

#include <string.h>

static const wisp_form forms[] = {
    {"laplace", WISP_BY_NUMBER, WISP_BY_NUMBER, false},
    {"diffusion", WISP_BY_ELEMENT, WISP_BY_NODES, false},
    {"heat", WISP_BY_NODES, WISP_BY_NODES, true},
};

const wisp_form *wisp_form_at(size_t i)
{
  return i < WISP_COUNT(forms) ? &forms[i] : NULL;
}

const wisp_form *wisp_form_find(const char *name)
{
  size_t i = 0;
  while (wisp_form_at(i) && strcmp(forms[i].name, name) != 0) i++;
  return wisp_form_at(i);
}
