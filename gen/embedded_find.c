#include "embedded.h"

#include <string.h>

const char *wisp_embedded_text(const char *path)
{
  for (size_t i = 0; i < wisp_embedded_count; i++)
    if (strcmp(wisp_embedded_files[i].path, path) == 0) return wisp_embedded_files[i].text;
  return NULL;
}
